"""
How sparse may it be?
=====================

Every method trades nonzeros for variance. Draw the fronts of several on your own data, look for the knee, and choose.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import jacobeig as je

X = scale(load_breast_cancer().data)  # 569 tumours, 30 measurements in different units

# %%
# Six components; ours beside two of the literature's, at the same numbers of nonzeros. The dashed line is proved: no
# six orthonormal vectors are above it, whoever finds them.

densities = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8)
methods = ("paper", "chain", "refine", "free", "tpower", "threshold", "bound")
table = je.compare(X, 6, densities, methods=methods)
table.plot()

# %%
# Rivals are not orthogonal, so variance is captured by projection on the span: fair to all. The numbers at 20%:

print(je.Comparison(tuple(row for row in table.rows if row.asked == 0.2)))

# %%
# The knee, where the front of refined components bends most, comes from some thirty densities in one call.

front = je.front(np.cov(X.T), 6)
exact = je.metrics.extreme_eigenvalues(np.cov(X.T), 6).sum()
knee = front.knee()
je.plotting.plot_path(front, exact)
print(
    f"at {knee:.0%} density six components keep {front.captured[front.find(knee)] / exact:.1%} of what full PCA keeps"
)

# %%
# What that looks like: the features that each component uses.

model = je.JacobiPCA(6, density=knee).fit(X)
names = load_breast_cancer().feature_names
fig, ax = plt.subplots(figsize=(8, 6.4), layout="constrained")
limit = np.abs(model.components_).max()
image = ax.imshow(model.components_.T, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
ax.set_yticks(range(len(names)), names, fontsize=7)
ax.set_xticks(range(6), [f"{share:.0%}" for share in model.explained_variance_ratio_])
ax.set(xlabel="component, by the share of variance that it explains", title="loadings; white is exactly zero")
fig.colorbar(image)
plt.show()
