"""Random calls with every option, kind of matrix and scale: what is promised of all of them is checked on each."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
import tolerances
from equality import assert_same, assert_same_sparse
from figures import record
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matrices import GENERIC, SEEDS, SPECIAL, starts, targets
from reference import RULES
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import jacobeig as je
from jacobeig.sources import as_source

# The attack takes 20,000 in all; a default run a few.
CASES = int(os.environ.get("JACOBEIG_CASES", "60"))
DTYPES = (np.float32, np.float64, np.complex64, np.complex128)


def take(share):
    """Settings for that share of the cases."""
    return settings(max_examples=int(share * CASES), deadline=None, suppress_health_check=list(HealthCheck))


def equicorrelated(n, dtype, seed):
    """One eigenvalue once, the other n - 1 times."""
    return np.full((n, n), 0.5, dtype) + 0.5 * np.eye(n, dtype=dtype)


def repeated_columns(n, dtype, seed):
    """The covariance of features of which half are copies."""
    X = np.random.default_rng(seed).standard_normal((n + 3, max(1, n // 2)))[:, np.arange(n) % max(1, n // 2)]
    return (X.T @ X).astype(dtype)


def star(n, dtype, seed):
    """The Laplacian of a star."""
    L = np.eye(n, dtype=dtype)
    L[0], L[:, 0] = -1, -1
    L[0, 0] = n - 1
    return L


KINDS = (*GENERIC, *SPECIAL, equicorrelated, repeated_columns, star)


class OwnRows:
    """A source of a user's own."""

    def __init__(self, matrix):
        self.matrix, self.shape, self.dtype = matrix, matrix.shape, matrix.dtype

    def diagonal(self):
        return self.matrix.diagonal().real

    def rows(self, indices):
        return self.matrix[indices]

    def norm_bound(self):
        return float(np.abs(self.matrix).sum(axis=0).max())


FORMS = {
    "array": lambda S: S,
    "fortran": np.asfortranarray,
    "csr": sparse.csr_array,
    "operator": aslinearoperator,
    "rows": OwnRows,
    "source": as_source,
}


@st.composite
def scaled_matrices(draw):
    """A matrix of any kind and precision, times a power of ten that its precision can hold."""
    kind, dtype = draw(st.sampled_from(KINDS)), draw(st.sampled_from(DTYPES))
    exact = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    S = kind(draw(st.integers(2, 14)), exact, draw(SEEDS))
    most = 30 if np.finfo(dtype).eps > 1e-10 else 140
    power = draw(st.sampled_from([0, 0, 0, -3, 3, -most, most]) | st.integers(-most, most))
    return (S * 10.0**power).astype(dtype)


@st.composite
def budgets(draw, n):
    """Any budgets together, none among them."""
    given = {
        "density": st.floats(1.0 / n, 1.0),
        "max_nonzeros": st.integers(1, n + 2),
        "tol": st.sampled_from([0.0, 1e-8, 1e-3, 0.5]),
        "n_rotations": st.integers(0, 60),
    }
    names = draw(st.lists(st.sampled_from(sorted(given)), unique=True, max_size=3))
    return {name: draw(given[name]) for name in names}


@st.composite
def calls(draw):
    """A matrix, how it is given, and the arguments of a run."""
    S = draw(scaled_matrices())
    n = len(S)
    p, which = draw(st.integers(1, n)), draw(st.sampled_from(["LA", "SA", "BE"]))
    options = {
        "which": which,
        "target": draw(targets(p, which, draw(st.sampled_from(["ones", "log", "adaptive", "array"])))),
        "pivot": draw(st.sampled_from(["auto", *RULES])),
        "start": draw(st.just("auto") | starts(n, p)),
        "rng": draw(SEEDS),
    }
    return S, draw(st.sampled_from(sorted(FORMS))), p, options | draw(budgets(n))


def check_vectors(S, result, options):
    """The promises that hold for the vectors of every result."""
    (n, p), exact = result.vectors.shape, np.result_type(S.dtype, np.float64)
    U = result.vectors.toarray().astype(exact)
    assert je.metrics.orthonormality_error(U) <= tolerances.orthonormality(S.dtype)
    scale = np.abs(S).max() or 1.0
    T = S.astype(exact) / scale
    quotients = np.sum(U.conj() * (T @ U), axis=0).real
    error = tolerances.rayleigh(T, S.dtype)
    np.testing.assert_allclose(result.eigenvalues / scale, quotients, rtol=0, atol=error)
    order = quotients if options["which"] == "SA" else -quotients
    assert (np.diff(order) >= -2 * error).all()
    values = np.linalg.eigvalsh(T)
    assert values[0] - error <= quotients.min()
    assert quotients.max() <= values[-1] + error
    assert quotients.sum() <= values[n - p :].sum() + p * error
    assert quotients.sum() >= values[:p].sum() - p * error
    assert result.vectors.nnz <= int(options.get("density", 1.0) * n * p * (1 + 1e-12)) or "density" not in options
    assert np.diff(result.vectors.indptr).max() <= options.get("max_nonzeros", n)
    assert np.diff(result.vectors.indptr).min() >= 1


def check_files(result):
    """A saved result is the same to the bit."""
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder) / "result.npz")
        again = je.load(Path(folder) / "result.npz")
    assert_same_sparse(again.vectors, result.vectors)
    assert (again.status, again.method) == (result.status, result.method)
    if result.rotations is not None:
        assert_same(again, result)


def test_every_run_keeps_what_is_promised():
    seen = []

    @take(0.6)
    @given(call=calls())
    def check(call):
        S, form, p, options = call
        before, matrix = S.copy(), FORMS[form](S)
        result = je.sparse_eigsh(matrix, p, **options)
        assert S.tobytes() == before.tobytes()
        check_vectors(S, result, options)
        assert result.n_rotations <= options.get("n_rotations", result.n_rotations)
        if result.method.pivot != "classic":  # whose gains are differences of sums over its best columns
            assert (result.gains >= 0).all()
        assert result.nonzeros.max(initial=0) <= options.get("density", 1.0) * S.size / len(S) * p * (1 + 1e-12)
        assert_same(je.sparse_eigsh(matrix, p, **options), result)
        check_files(result)
        seen.append(result.n_rotations)

    check()
    record("runs", cases=len(seen), rotations=int(np.sum(seen)))


def test_every_improvement_keeps_what_is_promised_and_never_loses():
    seen = []

    @take(0.2)
    @given(call=calls(), how=st.sampled_from(["polish", "choose", "refine", "refine", "best"]))
    def check(call, how):
        S, form, p, options = call
        if how in ("polish", "choose") and str(options["target"]) == "adaptive":
            how = "refine"
        matrix = FORMS[form](S)
        run = je.sparse_eigsh(matrix, p, **options)
        if how in ("polish", "choose"):
            better = je.polish(matrix, run, pairs="keep" if how == "polish" else "choose")
        else:
            better = je.refine(matrix, run, effort="best" if how == "best" else "quick", rng=options["rng"])
        assert better.vectors.nnz <= run.vectors.nnz
        check_vectors(S, better, options)
        check_not_worse(S, run, better)
        check_files(better)
        seen.append(how)

    check()
    record("improvements", cases=len(seen))


def weigh(S, result):
    """The weighted sum that a run raises; adaptive weights are not fixed, so all count alike."""
    weights = np.sign(result.target) if result.method.target == "adaptive" else result.target
    U = result.vectors.toarray().astype(np.result_type(S.dtype, np.float64))
    scale = np.abs(S).max() or 1.0
    return float(np.sum(weights * np.sum(U.conj() * ((S / scale).astype(U.dtype) @ U), axis=0).real))


def check_not_worse(S, run, better):
    size = np.abs(run.target).max() if run.method.target != "adaptive" else 1.0
    error = 10 * len(S) * tolerances.rayleigh(S / (np.abs(S).max() or 1.0), S.dtype) * max(size, 1.0)
    assert weigh(S, better) >= weigh(S, run) - error


@st.composite
def tables(draw):
    """Data of any scale, with constant, repeated and tiny features."""
    rng = np.random.default_rng(draw(SEEDS))
    n, m = draw(st.integers(2, 12)), draw(st.integers(2, 10))
    X = rng.standard_normal((n, m)) @ np.diag(10.0 ** rng.integers(-3, 4, m))
    X = X[:, rng.integers(0, m, m)] if draw(st.booleans()) else X
    X[:, rng.random(m) < draw(st.sampled_from([0.0, 0.3]))] = 1.0
    return X * 10.0 ** draw(st.sampled_from([0, 0, -3, 3, -140, 140]) | st.integers(-140, 140))


def test_every_model_keeps_what_is_promised():
    pytest.importorskip("sklearn")
    seen = []

    @take(0.2)
    @given(
        X=tables(), p=st.integers(1, 10), orthonormal=st.booleans(), center=st.booleans(), refine=st.booleans(),
        density=st.none() | st.floats(0.1, 1.0),
    )  # fmt: skip
    def check(X, p, orthonormal, center, refine, density):
        p, before = min(p, X.shape[1]), X.copy()
        density = None if density is None else max(density, 1.0 / X.shape[1])
        model = je.JacobiPCA(p, density=density, orthonormal=orthonormal, center=center, refine=refine).fit(X)
        assert X.tobytes() == before.tobytes()
        ratios = model.explained_variance_ratio_
        assert (ratios >= 0).all()
        assert ratios.sum() <= 1 + 1e-9
        assert model.total_explained_variance_ratio_ <= 1.0
        Z = model.transform(X)
        assert np.isfinite(Z).all()
        norms = np.linalg.norm(model.components_, axis=1)
        np.testing.assert_allclose(norms, 1.0, atol=1e-9)
        if orthonormal:
            assert je.metrics.orthonormality_error(model.components_.T) <= 1e-12
        if density is not None:
            assert np.count_nonzero(model.components_) <= int(density * model.components_.size * (1 + 1e-12))
        seen.append(p)

    check()
    record("models", cases=len(seen))
