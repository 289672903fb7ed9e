"""The same call gives the same bits wherever it runs: in many threads at once, in forked and in fresh processes."""

import hashlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from figures import record
from scipy import sparse

import jacobeig as je

COPIES = 6


def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def digest_result(result):
    vectors = result.vectors.tocsc()
    return digest(vectors.indptr, vectors.indices, vectors.data, result.eigenvalues)


def solve_everything(_=None):
    """A digest of every kind of answer, in an order that does not matter."""
    S = je.datasets.random_covariance(80, rng=0)
    X = np.random.default_rng(1).standard_normal((40, 60))
    path = sparse.diags_array([[-1.0] * 199, [2.0] * 200, [-1.0] * 199], offsets=[-1, 0, 1], format="csr")
    chain = je.sparse_eigsh(S, 5, n_rotations=300)
    model = je.JacobiPCA(4, density=0.1).fit(X)
    return {
        "chain": digest_result(chain),
        "single": digest_result(je.sparse_eigsh(S.astype(np.float32), 5, max_nonzeros=9)),
        "polished": digest_result(je.polish(S, chain)),
        "refined": digest_result(je.sparse_eigsh(S, 5, max_nonzeros=9, refine=True)),
        "free": digest_result(je.refine(S, chain, orthonormal=False)),
        "sparse": digest_result(je.sparse_eigsh(path, 4, which="SA", density=0.1, refine=True)),
        "random": digest_result(je.sparse_eigsh(S, 5, n_rotations=300, pivot="random", rng=3)),
        "model": digest(model.components_, model.transform(X)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("how", ["threads", "fork", "spawn"])
def test_the_same_call_gives_the_same_bits(how):
    if how != "threads" and how not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {how}")
    expected = solve_everything()
    context = None if how == "threads" else multiprocessing.get_context(how)
    with ThreadPoolExecutor(COPIES) if context is None else ProcessPoolExecutor(2, mp_context=context) as pool:
        answers = list(pool.map(solve_everything, range(COPIES)))
    assert answers == [expected] * COPIES
    record("places", how=how, cases=COPIES * len(expected))
