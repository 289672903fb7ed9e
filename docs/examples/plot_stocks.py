"""
A portfolio of few stocks
=========================

Returns of stocks move together by sector. Principal components are portfolios of every stock; sparse ones can be
traded. Days arrive one month at a time, so the model is fed by `partial_fit` and never sees all of them at once.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from jacobeig import JacobiPCA

# %%
# Three years of synthetic daily returns of eighty stocks in eight sectors.

rng = np.random.default_rng(0)
sectors = np.repeat(["bank", "chip", "drug", "energy", "food", "mine", "rail", "shop"], 10)
names = [f"{sector} {number}" for sector, number in zip(sectors, list(range(10)) * 8, strict=True)]
n_days = 750
market = 0.004 * rng.standard_normal((n_days, 1))
own_sector = pd.get_dummies(pd.Series(sectors)).to_numpy(dtype=float)
volatility = np.linspace(0.006, 0.018, 8)
returns = market + (rng.standard_normal((n_days, 8)) * volatility) @ own_sector.T
returns = pd.DataFrame(returns + 0.008 * rng.standard_normal(returns.shape), columns=names)

# %%
# A month at a time.

model = JacobiPCA(6, max_nonzeros=10)
for number, month in enumerate(np.array_split(returns, 36)):
    model.partial_fit(month)
    if number % 12 == 11:
        print(f"after {number + 1} months: {model.total_explained_variance_ratio_:.1%} of the variance explained")

for component, share in zip(model.components_, model.explained_variance_ratio_, strict=True):
    print(f"{share:5.1%}  " + ", ".join(np.array(names)[component != 0]))

# %%
# The portfolios, and what a budget buys: every point of one run.

path = JacobiPCA(6, n_rotations=300).fit(returns).path()
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), width_ratios=(1.5, 1), layout="constrained")
left.imshow(model.components_, cmap="RdBu_r", vmin=-0.5, vmax=0.5, aspect="auto")
left.set_xticks(np.arange(4.5, 80, 10), sectors[::10])
left.set(ylabel="portfolio", title="weights; white is exactly zero", yticks=[])
right.plot(path.nonzeros, 100 * path.explained_variance_ratio)
right.set(xlabel="positions in all six portfolios", ylabel="variance explained (%)", title="one path", ylim=(0, None))
right.grid(alpha=0.3)
plt.show()
