"""
Programmes of genes, in scanpy
==============================

Components that name ten genes each, written where scanpy looks. The cells here are made up, so that the page needs
``pip install jacobeig[anndata]`` alone; the documentation's build does not run it, a test does.
"""

import anndata
import numpy as np
import pandas as pd
from scipy import sparse

import jacobeig as je

# %%
# 600 cells of 400 genes. Three programmes of ten genes each are more or less active; all else is noise.

rng = np.random.default_rng(0)
rates = np.full((600, 400), 0.3)
for programme in range(3):
    genes = slice(10 * programme, 10 * programme + 10)
    rates[:, genes] *= np.exp(1.2 * rng.standard_normal((600, 1)))
names = [f"{'ABC'[g // 10]}{g % 10}" if g < 30 else f"gene{g}" for g in range(400)]
cells = anndata.AnnData(
    sparse.csr_matrix(np.log1p(rng.poisson(rates)).astype(np.float32)), var=pd.DataFrame(index=names)
)

# %%
# Sparse counts stay sparse. A column ``highly_variable`` would be used, as `scanpy.pp.pca` does.

je.anndata.sparse_pca(cells, 3, max_genes=10)

# %%
# Each column of the loadings names its genes; all others are exactly zero.

for component, loadings in enumerate(cells.varm["jacobipca"].T):
    print(component + 1, ", ".join(cells.var_names[loadings != 0]))

# %%
# ``scanpy.pl.embedding(cells, basis="jacobipca")`` draws the cells. With ``key_added="pca"`` the results stand where
# scanpy's own would, and its plots and tools use them, as ``scanpy.pl.pca_loadings`` and ``scanpy.pp.neighbors``.

je.anndata.sparse_pca(cells, 3, max_genes=10, key_added="pca")
print(cells)
