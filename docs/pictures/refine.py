"""The same number of nonzeros, placed three ways."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import jacobeig as je
from jacobeig.plotting import plot_components

S = np.cov(load_digits().data, rowvar=False)
total = je.metrics.extreme_eigenvalues(S, 6).sum()
chain = je.sparse_eigsh(S, 6, density=0.2)
found = {
    "chain": chain,
    "refined, orthonormal": je.refine(S, chain),
    "refined, free basis": je.refine(S, chain, orthonormal=False),
}

fig, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
for ax, (name, result) in zip(axes, found.items(), strict=True):
    captured = je.metrics.captured_variance(S, result.vectors) / total
    plot_components(result.vectors, (8, 8), n_columns=3, ax=ax)
    ax.set_title(f"{name}\n{result.vectors.nnz} nonzeros, {captured:.1%} of PCA", fontsize=10)
