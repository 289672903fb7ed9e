"""A matrix, the gains of its pairs, and what the best rotation makes of it."""

import matplotlib.pyplot as plt
import numpy as np

n, p = 14, 4
X = np.random.default_rng(5).standard_normal((n, 10)) * np.linspace(1.4, 0.7, n)[:, None]
S = X @ X.T / 10


def gains_of(S):
    """What tr(S[:p, :p]) rises by when (i, j) is rotated best, for each vector i and other coordinate j."""
    delta = np.diagonal(S)[:p, None] - np.diagonal(S)[p:]
    return (np.sqrt(delta**2 + 4 * S[:p, p:] ** 2) - delta) / 2


gains = gains_of(S)
i, j = np.unravel_index(gains.argmax(), gains.shape)
pair = [i, p + j]
_, V = np.linalg.eigh(S[np.ix_(pair, pair)])
G = np.eye(n)
G[np.ix_(pair, pair)] = V[:, ::-1]
rotated = G.T @ S @ G

fig, axes = plt.subplots(1, 3, figsize=(10, 3.6), width_ratios=(1, 0.78, 1), layout="constrained")
limit = 0.5 * np.abs(rotated).max()
for ax, matrix, title in (
    (axes[0], S, "S: the entry between a vector\nand another coordinate"),
    (axes[2], rotated, "after the rotation: that entry is zero,\nthe diagonal above has grown"),
):
    ax.imshow(matrix, cmap="RdBu_r", vmin=-limit, vmax=limit)
    ax.add_patch(plt.Rectangle((-0.5, -0.5), n, p, fill=False, lw=1.5, ec="black"))
    ax.add_patch(plt.Rectangle((pair[1] - 0.5, pair[0] - 0.5), 1, 1, fill=False, lw=2.5, ec="tab:orange"))
    ax.set_title(title, fontsize=10)
    ax.set(xticks=[], yticks=[])
axes[1].imshow(gains, cmap="Oranges")
axes[1].scatter(j, i, marker="*", s=160, color="black")
axes[1].set(xticks=[], yticks=range(p), ylabel="vector i", xlabel="other coordinates j")
axes[1].set_title(f"gains of the pairs;\nthe best raises the trace by {gains.max():.2f}", fontsize=10)
