"""Dask arrays of data and dask matrices, on threads and on a real cluster of two processes."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from jacobeig.errors import InvalidInputError, InvalidTypeError, MissingExtraError
from jacobeig.solve import sparse_eigsh
from jacobeig.sources import CovarianceStream, DaskRows, GramRows, as_source

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")


def data(m=200, n=7, mean=0.0, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((m, n)) @ rng.standard_normal((n, n)) + mean).astype(dtype)


@pytest.fixture(autouse=True)
def threads():
    """Two threads unless a test brings a cluster."""
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


@pytest.mark.parametrize("chunks", [(200, 7), (37, 7), (10, 3), (1, 7)])
@pytest.mark.parametrize("form", [False, True])
@pytest.mark.parametrize("options", [{}, {"scale": True}, {"center": False}, {"ddof": 0}])
@pytest.mark.parametrize("mean", [0.0, 1e6])
def test_rows_equal_those_of_the_array_in_memory(chunks, form, options, mean):
    X = data(mean=mean)
    lazy, eager = (GramRows(x, form=form, **options) for x in (da.from_array(X, chunks=chunks), X))
    indices = np.array([6, 0, 3])
    scale = np.abs(eager.rows(indices)).max()
    np.testing.assert_allclose(lazy.rows(indices), eager.rows(indices), rtol=1e-12, atol=1e-12 * scale)
    np.testing.assert_allclose(lazy.diagonal(), eager.diagonal(), rtol=1e-12)
    np.testing.assert_allclose(lazy.mean_, eager.mean_, rtol=1e-13, atol=1e-13)
    assert lazy.n_samples == 200


def test_float32_stays_float32():
    X = data(dtype=np.float32, mean=20.0)
    source = GramRows(da.from_array(X, chunks=(50, 7)), form=False)
    assert source.dtype == source.rows(np.array([1])).dtype == np.float32
    np.testing.assert_allclose(source.rows(np.arange(7)), np.cov(X, rowvar=False), rtol=1e-3, atol=1e-4)


def test_nothing_as_long_as_the_samples_comes_to_the_client(monkeypatch):
    m, sizes, compute = 5000, [], dask.compute

    def recorded(*lazy, **options):
        results = compute(*lazy, **options)
        for result in results:
            parts = [result] if isinstance(result, np.ndarray) else vars(result).values()
            sizes.extend(np.size(part) for part in parts)
        return results

    monkeypatch.setattr(dask, "compute", recorded)
    GramRows(da.from_array(data(m=m), chunks=(100, 7)), form=False).rows(np.arange(7))
    assert len(sizes) == 5  # four parts of the moments, one block of rows
    assert max(sizes) < m / 100


def test_an_entry_that_is_not_finite_is_found_with_its_row_in_the_whole():
    X = data()
    X[123, 4] = np.nan
    with pytest.raises(InvalidInputError, match=r"X must be finite, but entry \(123, 4\) is nan"):
        GramRows(da.from_array(X, chunks=(50, 3)))


def test_unknown_chunk_sizes_are_refused_with_the_remedy():
    X = da.from_array(data(), chunks=(50, 7))
    filtered = X[X[:, 0] > 0]
    with pytest.raises(InvalidInputError, match=r"unknown chunk sizes: call X\.compute_chunk_sizes\(\)"):
        GramRows(filtered)
    known = GramRows(filtered.compute_chunk_sizes())
    np.testing.assert_allclose(known.rows(np.arange(7)), np.cov(filtered.compute(), rowvar=False), atol=1e-12)


def test_chunks_that_a_filter_left_empty_are_passed_over():
    X = data()
    X[50:100, 0] = -1e3
    filtered = da.from_array(X, chunks=(50, 7))
    filtered = filtered[filtered[:, 0] > -100].compute_chunk_sizes()
    assert 0 in filtered.chunks[0]
    expected = np.cov(np.delete(X, np.s_[50:100], axis=0), rowvar=False)
    np.testing.assert_allclose(GramRows(filtered).rows(np.arange(7)), expected, atol=1e-12)


@pytest.mark.parametrize("X", [da.ones(5, chunks=2), da.ones((3, 4, 5), chunks=2)])
def test_what_is_not_a_table_is_refused(X):
    with pytest.raises(InvalidInputError, match="2-D"):
        GramRows(X)


def test_other_dask_collections_are_refused_with_the_remedy():
    with pytest.raises(InvalidTypeError, match=r"dask Delayed; only dask arrays.*to_dask_array\(lengths=True\)"):
        GramRows(dask.delayed(data)())


def test_without_dask_the_error_says_what_to_install(monkeypatch):
    X = da.ones((4, 2), chunks=2)
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(MissingExtraError, match=r"jacobeig\[dask\]"):
        GramRows(X)


def test_a_dask_batch_can_join_a_stream():
    X = data()
    stream = CovarianceStream().partial_fit(X[:80]).partial_fit(da.from_array(X[80:], chunks=(30, 4)))
    np.testing.assert_allclose(stream.covariance, np.cov(X, rowvar=False), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int64])
def test_a_dask_matrix_is_a_source_of_its_own_rows(dtype):
    matrix = (10 * data(m=9, n=9)).astype(dtype)
    if matrix.dtype.kind == "c":
        matrix += 1j * data(m=9, n=9, seed=1)
    matrix = matrix + matrix.conj().T
    source = as_source(da.from_array(matrix, chunks=(4, 5)))
    assert isinstance(source, DaskRows)
    rows = source.rows(np.array([8, 1, 8]))
    assert rows.flags.c_contiguous
    assert rows.dtype == source.dtype
    np.testing.assert_array_equal(rows, matrix[[8, 1, 8]])
    np.testing.assert_array_equal(source.diagonal(), np.diag(matrix).real)
    assert source.norm_bound() >= np.abs(np.linalg.eigvalsh(matrix)).max()
    assert repr(source) == f"DaskRows(shape=(9, 9), dtype={source.dtype})"


def test_a_dask_matrix_that_is_not_square_points_to_gram_rows():
    with pytest.raises(InvalidInputError, match=r"square.*GramRows"):
        as_source(da.ones((4, 3), chunks=2))


# --- a real cluster -----------------------------------------------------------------------------------------------

PATIENCE = 60  # seconds; everything below ends by then, whatever happens


@pytest.fixture
def client():
    """Two worker processes of one thread each, on this machine only; new for every test, as tests kill workers.

    Tests name it by scheduler="distributed": a worker that starts again is sent what is set, and dask 2024.1 cannot
    send a client.
    """
    distributed = pytest.importorskip("distributed")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": f"{PATIENCE}s"}),
        distributed.LocalCluster(
            n_workers=2,
            processes=True,
            threads_per_worker=1,
            memory_limit=None,
            dashboard_address=":0",  # any free port
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster, timeout=f"{PATIENCE}s") as client,
    ):
        yield client


def slow_chunk(start, stop):
    """Part of the data, made where it is needed; slow, so that there is a middle to be killed in."""
    time.sleep(0.1)
    return data(m=400, mean=1e3)[start:stop]


def slow_data():
    load = dask.delayed(slow_chunk, pure=True)
    blocks = [da.from_delayed(load(at, at + 25), (25, 7), np.float64) for at in range(0, 400, 25)]
    return da.concatenate(blocks)


def in_time(function, *arguments):
    """Call `function`, or fail after a while: a lost cluster must not hang the tests."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(function, *arguments).result(timeout=PATIENCE)
    finally:
        pool.shutdown(wait=False)


def covariance_by_rows(X):
    return GramRows(X, form=False).rows(np.arange(7))


def test_a_cluster_gives_the_same_as_memory(client):
    with dask.config.set(scheduler="distributed"):
        rows = in_time(covariance_by_rows, slow_data())
    np.testing.assert_allclose(rows, np.cov(data(m=400, mean=1e3), rowvar=False), rtol=1e-10, atol=1e-10)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_a_worker_killed_in_the_middle_changes_nothing(client):
    with dask.config.set(scheduler="distributed"):
        undisturbed = in_time(covariance_by_rows, slow_data())
        victim = next(iter(in_time(client.run, os.getpid).values()))
        assert victim != os.getpid()
        X = slow_data().persist()
        killer = threading.Timer(0.4, os.kill, (victim, signal.SIGKILL))
        killer.start()
        rows = in_time(covariance_by_rows, X)
        killer.join()
        survivors = in_time(lambda: client.run(os.getpid, on_error="ignore"))
    assert victim not in survivors.values()
    np.testing.assert_array_equal(rows, undisturbed)


def components(X):
    return sparse_eigsh(GramRows(X, form=False), 2, n_rotations=12)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_a_fit_during_which_a_worker_is_killed_ends_with_the_same_result(client):
    with dask.config.set(scheduler="distributed"):
        victim = next(iter(in_time(client.run, os.getpid).values()))
        killer = threading.Timer(0.5, os.kill, (victim, signal.SIGKILL))
        killer.start()
        fitted = in_time(components, slow_data())
        killer.join()
    expected = components(data(m=400, mean=1e3))
    np.testing.assert_array_equal(fitted.rotations.pivots, expected.rotations.pivots)
    np.testing.assert_allclose(fitted.eigenvalues, expected.eigenvalues, rtol=1e-10)
    np.testing.assert_allclose(fitted.vectors.toarray(), expected.vectors.toarray(), atol=1e-9)
