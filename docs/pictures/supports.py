"""Six vectors of the digits along one run: a unit vector each at first, then more and more pixels."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import jacobeig as je
from jacobeig.plotting import plot_components

S = np.cov(load_digits().data, rowvar=False)
path = je.sparse_eigsh(S, 6, n_rotations=400, pivot="gain")
total = je.metrics.extreme_eigenvalues(S, 6).sum()

fig, axes = plt.subplots(1, 4, figsize=(10, 2.9), layout="constrained")
for ax, k in zip(axes, (0, 20, 60, 400), strict=True):
    point = path.truncate(k)
    plot_components(point.vectors, (8, 8), n_columns=3, ax=ax)
    ax.set_title(
        f"{k} rotations\n{point.density:.0%} nonzeros, {point.eigenvalues.sum() / total:.0%} of PCA", fontsize=10
    )
