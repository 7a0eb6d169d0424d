# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # Fit, sweep and control
#
# A model is a function: give it to SciPy.

# %%
import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import solve_continuous_are
from scipy.optimize import least_squares

import kalaba

cart = kalaba.Model("""
param M = 2, m = 0.5, L = 0.8, g = 9.81, c = 0.3
coord x, a
let tip = [x + L*sin(a), L*cos(a)]
kinetic 1/2*M*x'^2 + 1/2*m*dot(tip', tip')
potential m*g*L*cos(a)
dissipation 1/2*c*x'^2
actuator u: x'
init a = 0.1
simulate 0 .. 1 every 0.02
""")

# %% [markdown]
# ## Fit a parameter
# "Measured" angles with noise; the friction of the cart is sought.

# %%
rng = np.random.default_rng(0)
measured = cart.with_params(c=1.7).run()["a"] + 1e-5 * rng.normal(size=51)
fit = least_squares(lambda p: cart.with_params(c=p[0]).run()["a"] - measured, [0.3])
fit.x

# %%
assert abs(fit.x[0] - 1.7) < 0.02

# %% [markdown]
# ## A controller for the upright pendulum
# The linearization is ready for SciPy and python-control.

# %%
linear = cart.linearize({"x": 0, "a": 0, "x'": 0, "a'": 0})
P = solve_continuous_are(linear.A, linear.B, np.eye(4), [[1.0]])
K = linear.B.T @ P
assert (np.linalg.eigvals(linear.A - linear.B @ K).real < 0).all()

# %% [markdown]
# Close the loop with a force, and integrate with SciPy; both ways agree.

# %%
gains = dict(zip(linear.states, -K[0]))
law = " + ".join(f"({gain!r})*{name}" for name, gain in gains.items())
closed = kalaba.Model(cart.text.replace("actuator u: x'", f"force x = {law}"))
t, q, qd = closed.start()
found = solve_ivp(closed.rates(), (0, 1), np.concatenate([q, qd]), rtol=1e-9, atol=1e-11)
assert abs(found.y[1, -1] - closed.run()["a"][-1]) < 1e-6

# %% [markdown]
# ## Which starts does it catch?

# %%
sweep = closed.sweep({"a": "0.1 .. 1.4 count 14"}, keep="final(a), max(x)")
caught = np.abs(sweep["final(a)"]) < np.abs(sweep["a"])
print(f"the largest angle caught: {sweep['a'][caught].max():.2f} rad")
