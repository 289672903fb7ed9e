"""
Few samples, many genes
=======================

Sixty samples of twenty thousand genes, in which ten programmes switch some forty genes each. The covariance would have
four hundred million entries; it is never formed. Ten components of thirty genes each are a list that one can read.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from jacobeig import JacobiPCA

# %%
# Expression of genes: programmes of genes that go together, and noise.

rng = np.random.default_rng(0)
n_samples, n_genes, n_programmes = 60, 20_000, 10
programmes = [rng.choice(n_genes, size=40, replace=False) for _ in range(n_programmes)]
X = rng.standard_normal((n_samples, n_genes))
for genes in programmes:
    X[:, genes] += 2.5 * np.outer(rng.standard_normal(n_samples), rng.choice([-1.0, 1.0], size=40))

# %%
# Ten components of thirty genes.

start = time.perf_counter()
model = JacobiPCA(n_programmes, max_nonzeros=30).fit(X)
print(f"fitted in {time.perf_counter() - start:.1f} s; {model.decomposition_.status}")

# %%
# Of each component's genes, how many belong to each programme? One dark square in a row: the component is a programme.

shared = np.array([[np.count_nonzero(component[genes]) for genes in programmes] for component in model.components_])
order = np.argsort(shared.argmax(axis=1))
fig, ax = plt.subplots(layout="constrained")
image = ax.imshow(shared[order], cmap="Blues")
ax.set(xlabel="programme", ylabel="component", title="genes in common, of thirty")
fig.colorbar(image)
plt.show()
