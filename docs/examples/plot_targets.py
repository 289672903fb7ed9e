"""
Eigenvectors, or only their span?
=================================

With equal weights a run finds vectors that together capture as much as possible: a basis of the leading eigenspace,
not the eigenvectors. Unequal weights separate them. Which of the two is wanted depends on whether component one
must mean the first principal direction.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import jacobeig as je

S = np.cov(load_digits().data, rowvar=False)
p = 8
exact, V = np.linalg.eigh(S)
exact, V = exact[::-1][:p], V[:, ::-1][:, :p]

# %%
# The same number of rotations with each target: how much of the variance, and how close each vector is to the
# eigenvector of its rank (1 is equal up to sign).

runs = {target: je.sparse_eigsh(S, p, target=target, n_rotations=384) for target in ("ones", "log", "adaptive")}
for target, run in runs.items():
    captured = run.eigenvalues.sum() / exact.sum()
    alike = np.abs(np.einsum("ij,ij->j", run.vectors.toarray(), V))
    print(f"{target:9} {captured:.1%}  " + "  ".join(f"{cosine:.2f}" for cosine in alike))

# %%
# The overlap of every vector with every eigenvector, and the Rayleigh quotients beside the eigenvalues.

fig, axes = plt.subplots(1, 4, figsize=(12, 3.2), width_ratios=(1, 1, 1, 1.5), layout="constrained")
for ax, (target, run) in zip(axes, runs.items(), strict=False):
    image = ax.imshow(np.abs(V.T @ run.vectors.toarray()), cmap="Purples", vmin=0, vmax=1)
    ax.set(title=f'target="{target}"', xlabel="vector", xticks=[], yticks=[])
    axes[3].plot(range(1, p + 1), run.eigenvalues, "o-", ms=4, label=target)
axes[0].set_ylabel("eigenvector")
axes[3].plot(range(1, p + 1), exact, "k_", ms=14, label="exact")
axes[3].set(xlabel="rank", ylabel="Rayleigh quotient")
axes[3].legend()
fig.colorbar(image, ax=axes[2], label="overlap")

# %%
# Sparse vectors cannot separate fully: the true eigenvectors are not sparse. At 20% density the first few still get
# closer with ``"log"`` than with ``"ones"``.

for target in ("ones", "log"):
    run = je.sparse_eigsh(S, p, target=target, density=0.2)
    alike = np.abs(np.einsum("ij,ij->j", run.vectors.toarray(), V))
    print(f"{target:9} {run.eigenvalues.sum() / exact.sum():.1%}  " + "  ".join(f"{cosine:.2f}" for cosine in alike))
plt.show()
