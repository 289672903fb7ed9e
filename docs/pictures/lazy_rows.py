"""Which rows a run reads, and when."""

import matplotlib.pyplot as plt
import numpy as np

import jacobeig as je

n, p = 60, 6
S = je.datasets.random_covariance(n, rng=1) + np.diag(np.linspace(60, 0, n))
result = je.sparse_eigsh(S, p, n_rotations=70, pivot="gain", start="natural")
pivots = result.rotations.pivots

fig, ax = plt.subplots(figsize=(9, 4.6), layout="constrained")
ax.axhspan(-0.5, p - 0.5, color="tab:blue", alpha=0.25)
ax.text(71, (p - 1) / 2, "active rows:\nalways current", va="center", color="tab:blue")
touched = sorted(set(pivots.max(axis=1)))
for row in touched:
    steps = np.flatnonzero(pivots.max(axis=1) == row)
    ax.plot(steps[[0, -1]], [row, row], color="tab:orange", lw=1, alpha=0.7)
    ax.plot(steps, [row] * len(steps), "o", ms=4, color="tab:orange")
    ax.plot(steps[0], row, "o", ms=7, mfc="white", color="tab:orange")
for row in sorted(set(range(p, n)) - set(touched)):
    ax.axhline(row, color="gray", lw=0.4, alpha=0.4, zorder=0)
ax.text(
    71,
    20,
    "open circle:\nread and copied\n\ndot: used again;\nthe line before it\nis what is replayed",
    va="center",
    color="tab:orange",
)
ax.text(71, 47, f"the other {n - p - len(touched)} rows\nare never read", va="center", color="gray")
ax.set(xlabel="rotation", ylabel="row of the matrix", xlim=(-1, 84), ylim=(n, -1))
ax.set_xticks(range(0, 71, 10))
