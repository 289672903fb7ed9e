"""Refinement on a cluster of processes whose memory is smaller than the data."""

import os
import signal
import threading

import numpy as np
import pytest

import jacobeig as je
from jacobeig.errors import InvalidInputError
from jacobeig.sources import GramRows

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

FEATURES, ROWS, CHUNKS = 2000, 5000, 40  # 40 chunks of 40 MB: 1.6 GB
LIMIT = 600_000_000  # bytes for each of the two workers, most of it taken by Python itself
NONZEROS = 100


@pytest.fixture
def client():
    """Two worker processes of one thread each, on this machine only, started again when they die."""
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "60s", "distributed.worker.memory.spill": False}),
        distributed.LocalCluster(
            n_workers=2,
            processes=True,
            threads_per_worker=1,
            memory_limit=LIMIT,
            dashboard_address=":0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster, timeout="60s") as client,
        dask.config.set(scheduler="distributed"),
    ):
        yield client  # fmt: skip


def make_chunk(number, bad):
    """Some samples, made where they are needed: four groups of twenty features that vary together, and noise."""
    rng = np.random.default_rng(number)
    noise = rng.standard_normal((50, FEATURES), dtype=np.float32)
    X = np.resize(noise, (ROWS, FEATURES))
    for group in range(4):
        X[:, 100 * group : 100 * group + 20] += rng.standard_normal((ROWS, 1), dtype=np.float32) * (2 + group)
    if number == bad:
        X[ROWS - 1, FEATURES - 1] = np.nan
    return X


def make_data(bad=-1):
    load = dask.delayed(make_chunk, pure=True)
    return da.concatenate([da.from_delayed(load(k, bad), (ROWS, FEATURES), np.float32) for k in range(CHUNKS)])


def find_components(X):
    return je.sparse_eigsh(GramRows(X, form=False), 4, density=(NONZEROS + 0.5) / (4 * FEATURES), refine=True)


def test_data_larger_than_the_cluster_are_refined_in_few_passes(client):
    X = make_data()
    assert X.nbytes > 2 * LIMIT
    result = find_components(X)
    assert result.passes <= 12
    assert result.vectors.nnz <= NONZEROS
    for group in range(4):
        mine = result.vectors[100 * group : 100 * group + 20].toarray()
        assert np.linalg.norm(mine, axis=0).max() > 0.99


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_a_worker_that_dies_changes_no_bit_of_the_result(client):
    X = make_data()[: 8 * ROWS]
    undisturbed = find_components(X)
    victim = next(iter(client.run(os.getpid).values()))
    killer = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
    killer.start()
    result = find_components(X)
    killer.join()
    np.testing.assert_array_equal(result.vectors.toarray(), undisturbed.vectors.toarray())


def test_nan_in_the_last_chunk_is_named(client):
    with pytest.raises(InvalidInputError, match=rf"\({CHUNKS * ROWS - 1}, {FEATURES - 1}\)"):
        find_components(make_data(bad=CHUNKS - 1))
