# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # A pendulum in Cartesian coordinates
#
# The bob has coordinates x and y, and the rod is a constraint.  No angle, no multipliers:
# the acceleration comes from the Udwadia–Kalaba equation.

# %%
import numpy as np

import kalaba

model = kalaba.Model("""
param m = 1 [kg], L = 1 [m], g = 9.81 [m/s^2]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
init x = 0.8, y ~ -0.6
output angle [rad] = atan2(x, -y)
draw line [0, 0] -> [x, y]; draw circle [x, y] radius 0.05
simulate 0 .. 10 every 0.01
""")
model

# %% [markdown]
# The equations as formulas, and the acceleration in closed form.

# %%
equations = model.derive(closed_form=True)
equations

# %%
equations.qdd

# %% [markdown]
# The motion, with the tension of the rod.

# %%
run = model.run()
ax = run.plot("angle")
tension = -2 * run.reactions["rod"] * model.params.L

# %% [markdown]
# The tension is m g cos a + m L a'², as in a book.

# %%
speed = run["x'"]**2 + run["y'"]**2
book = model.params.g * np.cos(run["angle"]) + speed / model.params.L
assert np.allclose(tension, book, atol=1e-8)

# %% [markdown]
# Small swings about the lowest point: √(g/L).

# %%
modes = model.modes({"x": 0, "y": -1, "x'": 0, "y'": 0})
modes.eigenvalues

# %%
assert np.isclose(max(modes.eigenvalues.imag), np.sqrt(9.81))
