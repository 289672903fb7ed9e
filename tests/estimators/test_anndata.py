"""Sparse components of single cells, where scanpy looks for them."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import jacobeig as je
from jacobeig.errors import InvalidInputError

anndata = pytest.importorskip("anndata")
COUNTS = np.random.default_rng(0).poisson(1.0, (60, 25)).astype(np.float64)


@pytest.fixture
def cells():
    found = anndata.AnnData(sparse.csr_matrix(COUNTS))
    found.layers["log"] = sparse.csr_matrix(np.log1p(COUNTS))
    return found


def test_scores_loadings_and_variances_are_those_of_the_estimator(cells):
    assert je.anndata.sparse_pca(cells, 3, max_genes=4) is None
    model = je.JacobiPCA(3, max_nonzeros=4, refine=True, random_state=0).fit(sparse.csr_matrix(COUNTS))
    np.testing.assert_array_equal(cells.varm["jacobipca"], model.components_.T)
    np.testing.assert_allclose(cells.obsm["X_jacobipca"], model.transform(COUNTS), atol=1e-10)
    np.testing.assert_array_equal(cells.uns["jacobipca"]["variance_ratio"], model.explained_variance_ratio_)
    assert sparse.issparse(cells.X)


def test_layers_and_masks_are_taken_as_in_scanpy(cells):
    cells.var["highly_variable"] = np.arange(25) % 2 == 0
    copied = je.anndata.sparse_pca(cells, 2, max_genes=3, layer="log", copy=True)
    assert "X_jacobipca" not in cells.obsm
    assert not copied.varm["jacobipca"][1::2].any()
    assert copied.uns["jacobipca"]["params"]["mask_var"] == "highly_variable"
    je.anndata.sparse_pca(cells, 2, max_genes=3, layer="log", mask_var=np.arange(25) % 2 == 0)
    np.testing.assert_array_equal(cells.varm["jacobipca"], copied.varm["jacobipca"])
    je.anndata.sparse_pca(cells, 2, max_genes=3, mask_var=None, key_added="all")
    assert cells.varm["all"][1::2].any()


def test_results_survive_a_file(cells, tmp_path):
    je.anndata.sparse_pca(cells, 2, max_genes=3)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(again.varm["jacobipca"], cells.varm["jacobipca"])
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    assert je.anndata.sparse_pca(backed.to_memory(), 2, max_genes=3, copy=True).obsm["X_jacobipca"].shape == (60, 2)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")
def test_plots_of_scanpy_find_what_they_look_for(cells):
    sc = pytest.importorskip("scanpy")
    pytest.importorskip("matplotlib").use("agg")
    je.anndata.sparse_pca(cells, 3, max_genes=4, key_added="pca")
    assert {"X_pca"} <= set(cells.obsm)
    sc.pl.pca(cells, show=False)
    sc.pl.pca_loadings(cells, components="1,2", show=False)
    sc.pl.pca_variance_ratio(cells, show=False)
    je.anndata.sparse_pca(cells, 3, max_genes=4)
    sc.pl.embedding(cells, basis="jacobipca", show=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": "raw"}, "layer is 'raw'; the layers are 'log'"),
        ({"mask_var": "chosen"}, "mask_var is 'chosen'"),
        ({"mask_var": [True, False]}, "a bool for each of the 25 genes"),
    ],
)
def test_mistakes_are_named(cells, options, message):
    with pytest.raises(InvalidInputError, match=message):
        je.anndata.sparse_pca(cells, 2, **options)


def test_the_page_on_programmes_of_genes_finds_them(capsys):
    page = Path(__file__).parents[2] / "docs" / "examples" / "cells_anndata.py"
    if not page.is_file():
        pytest.skip("there is no documentation beside the tests")
    runpy.run_path(str(page))
    found = [set(line.split(" ", 1)[1].split(", ")) for line in capsys.readouterr().out.splitlines()[:3]]
    assert sorted(map(sorted, found)) == [[f"{programme}{t}" for t in range(10)] for programme in "ABC"]
