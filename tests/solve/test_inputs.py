"""One matrix in every form that a user may have it in: the same run."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import jacobeig as je
from jacobeig.solve import _dense_driver

OPTIONS = {"n_rotations": 60, "start": "natural"}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    return rng.standard_normal((80, 24)) * np.linspace(2.0, 1.0, 24) + rng.standard_normal(24)


@pytest.fixture(scope="module")
def covariance(data):
    return np.cov(data, rowvar=False)


@pytest.fixture(scope="module")
def expected(covariance):
    return je.sparse_eigsh(covariance, 3, **OPTIONS)


def on_disk(covariance, data, folder):
    mapped = np.memmap(folder / "matrix.dat", dtype=float, mode="w+", shape=covariance.shape)
    mapped[:] = covariance
    return mapped


def stream(covariance, data, folder):
    batches = je.sources.CovarianceStream()
    for batch in np.array_split(data, 4):
        batches.partial_fit(batch)
    return batches


FORMS = {
    "Fortran order": lambda covariance, data, folder: np.asfortranarray(covariance),
    "memory map": on_disk,
    "csr": lambda covariance, data, folder: sparse.csr_array(covariance),
    "coo matrix": lambda covariance, data, folder: sparse.coo_matrix(covariance),
    "operator": lambda covariance, data, folder: aslinearoperator(covariance),
    "formed Gram rows": lambda covariance, data, folder: je.sources.GramRows(data, form=True),
    "Gram rows": lambda covariance, data, folder: je.sources.GramRows(data, form=False),
    "sparse Gram rows": lambda covariance, data, folder: je.sources.GramRows(sparse.csr_array(data), form=False),
    "stream": stream,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_matrix_gives_the_same_pivots(form, covariance, data, expected, tmp_path):
    found = je.sparse_eigsh(FORMS[form](covariance, data, tmp_path), 3, **OPTIONS)
    np.testing.assert_array_equal(found.rotations.pivots, expected.rotations.pivots)
    np.testing.assert_allclose(found.gains, expected.gains, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.vectors.toarray(), expected.vectors.toarray(), atol=1e-10)


def test_dask_data_equal_data_in_memory(data, expected):
    da = pytest.importorskip("dask.array")
    found = je.sparse_eigsh(je.sources.GramRows(da.from_array(data, chunks=(17, 24))), 3, **OPTIONS)
    np.testing.assert_array_equal(found.rotations.pivots, expected.rotations.pivots)
    np.testing.assert_allclose(found.eigenvalues, expected.eigenvalues, rtol=1e-10)


def test_little_memory_sets_less_room_aside_for_rows_and_changes_nothing(monkeypatch):
    X = np.random.default_rng(0).standard_normal((20, 300))
    rows = je.sources.GramRows(X, form=False)
    before = je.sparse_eigsh(rows, 3, n_rotations=200)
    room = []

    def set_aside(wanted, make=_dense_driver._make_room):
        room.append((make(wanted), wanted))
        return room[-1][0]

    monkeypatch.setattr(_dense_driver, "LITTLE", 0)
    monkeypatch.setattr(_dense_driver, "available_memory", lambda: 40 * 300 * 8)
    monkeypatch.setattr(_dense_driver, "_make_room", set_aside)
    after = je.sparse_eigsh(rows, 3, n_rotations=200)
    assert room[0][0] == 10 * 300 * 8 < room[0][1]
    np.testing.assert_array_equal(after.vectors.toarray(), before.vectors.toarray())
