# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # Constraints that depend on each other
#
# A table on four legs, and a four-bar linkage whose loop is closed twice.  The motion is
# unique; which leg carries how much is not, and Kalaba says so.

# %%
import os
from pathlib import Path

import numpy as np

import kalaba

# %% [markdown]
# One instant from arrays: a plate of mass 10 that rises, tilts about x and about y, on four
# legs at its corners.

# %%
corners = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=float)
A = np.column_stack([np.ones(4), corners[:, 1], -corners[:, 0]])
answer = kalaba.solve(np.diag([10.0, 3.0, 3.0]), [-98.1, 5.0, 0.0], A, np.zeros(4),
                      constraints=["NE", "SE", "NW", "SW"])
answer.qdd, answer.multipliers

# %%
assert np.allclose(answer.qdd, 0) and answer.rank_A == 3
assert answer.dependent_sets == [[0, 1, 2, 3]] and not answer.unique_reaction.any()

# %% [markdown]
# The same in a model: a double pendulum with one rod given twice.

# %%
examples = Path(os.environ.get("KALABA_EXAMPLES", "examples"))
model = kalaba.load(examples / "double_pendulum_redundant.kal")
check = model.check()
print(check)

# %%
run = model.run()
print("not unique:", run.not_unique)

# %%
assert check.unique and not all(check.unique_reaction.values())
assert "reaction(rod1)" in run.not_unique and run.statistics.energy_drift < 1e-6
