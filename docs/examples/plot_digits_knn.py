"""
Handwritten digits with nearest neighbours
==========================================

The paper's experiment on a small scale: how well do nearest neighbours recognise digits that are described by a few
components, and how sparse may the components be? A single fit gives the whole path of the paper's algorithm; better
starts and pivots do more with as many nonzeros.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from jacobeig import JacobiPCA
from jacobeig.plotting import plot_components

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)


def accuracy(model):
    """Share of the test digits that 15 neighbours name right."""
    neighbours = KNeighborsClassifier(15).fit(model.transform(X_train), y_train)
    return neighbours.score(model.transform(X_test), y_test)


# %%
# One fit of the paper's algorithm, and points along its path: nothing is fitted again.

path = JacobiPCA(10, n_rotations=400, pivot="gain", start="natural").fit(X_train)
points = [path.at(n_rotations=k) for k in (20, 40, 60, 80, 120, 200, 400)]

# %%
# The defaults, at some densities, and full PCA.

densities = (0.03, 0.05, 0.1, 0.2, 0.4)
models = [JacobiPCA(10, density=density).fit(X_train) for density in densities]
full = accuracy(PCA(10).fit(X_train))

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
ax.plot([100 * np.mean(m.components_ != 0) for m in points], [100 * accuracy(m) for m in points], "s--", label="paper")
ax.plot(
    [100 * np.mean(m.components_ != 0) for m in models], [100 * accuracy(m) for m in models], "o-", label="defaults"
)
ax.axhline(100 * full, color="gray", ls=":", label="full PCA")
ax.set(xlabel="density (%)", ylabel="digits recognised (%)", xscale="log")
ax.set_xticks([3, 5, 10, 20, 40, 80], ["3", "5", "10", "20", "40", "80"])
ax.minorticks_off()
ax.legend()

# %%
# What the components look at: blue and red are the two signs, white is exactly zero.

fig, ax = plt.subplots(figsize=(7, 3.1), layout="constrained")
plot_components(models[2].components_.T, (8, 8), ax=ax).set_title("ten components, 10% of the pixels")
plt.show()
