"""
Programmes of genes, in scanpy
==============================

Components that name thirty genes each, written where scanpy looks. The documentation's build does not run this page: it
needs ``pip install jacobeig[anndata] scanpy`` and data of your own.
"""

import scanpy as sc

import jacobeig as je

adata = sc.read_h5ad("cells.h5ad")
sc.pp.normalize_total(adata)
sc.pp.log1p(adata)
sc.pp.highly_variable_genes(adata)

# %%
# Highly variable genes are used, as `scanpy.pp.pca` does; sparse counts stay sparse.

je.anndata.sparse_pca(adata, 20, max_genes=30)
sc.pl.embedding(adata, basis="jacobipca")

# %%
# Each column of the loadings names its genes; all others are exactly zero.

for component, loadings in enumerate(adata.varm["jacobipca"].T):
    print(component + 1, ", ".join(adata.var_names[loadings != 0]))

# %%
# With ``key_added="pca"`` the results stand where scanpy's own would, and its tools use them.

je.anndata.sparse_pca(adata, 20, max_genes=30, key_added="pca")
sc.pl.pca_loadings(adata, components="1,2,3")
sc.pp.neighbors(adata)
