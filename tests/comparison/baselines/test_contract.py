"""What all baselines share: the record they return, the budgets they keep, and the input they refuse."""

import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from jacobeig.comparison.baselines import (
    METHODS,
    BaselineResult,
    bb,
    cd,
    classic_jacobi,
    gpower,
    greedy,
    lr,
    sklearn_spca,
    tpower,
)
from jacobeig.errors import InvalidInputError, InvalidTypeError

PACKAGES = {"sklearn_spca": "sklearn", "abess_spca": "abess"}
DENSE = ("pca",)


@pytest.fixture(params=METHODS)
def method(request):
    if request.param in PACKAGES:
        pytest.importorskip(PACKAGES[request.param])
    return request.param


def run(name: str, *arguments: Any) -> BaselineResult:
    return METHODS[name](*arguments, **({"time_limit": 0.2} if name == "bb" else {}))


def test_columns_are_unit_vectors_within_the_budget_with_their_quotients(method, covariance):
    result = run(method, covariance, 5, 6)
    V = result.vectors.toarray()
    assert result.method == method
    assert isinstance(result.vectors, sp.csc_array)
    assert V.shape == (30, 5)
    assert result.seconds >= 0
    assert result.status.endswith(".")
    np.testing.assert_allclose(np.linalg.norm(V, axis=0), 1.0)
    np.testing.assert_allclose(result.eigenvalues, np.diag(V.T @ covariance @ V))
    assert (np.count_nonzero(V, axis=0) <= 6).all() or method in DENSE
    assert (result.vectors.data != 0).all()


@pytest.mark.parametrize("power", [-1000, 900])
def test_a_matrix_of_any_size_is_answered_alike(method, covariance, power):
    if method == "bb":
        pytest.skip("how far it comes depends on the time")
    results = []
    for scale in (1.0, 2.0**power):
        options = {"alpha": 0.1 * np.sqrt(scale)} if method == "sklearn_spca" else {}
        results.append(METHODS[method](covariance * scale, 2, 15, **options))
    rtol = 1e-4 if method in PACKAGES else 1e-12  # how theirs end depends a little on the scale
    np.testing.assert_allclose(results[1].eigenvalues, results[0].eigenvalues * 2.0**power, rtol=rtol)


def test_a_proof_is_of_the_caller_s_matrix(covariance):
    S = covariance[:8, :8]
    proofs = [bb(scale * S, 1, 3).certificate for scale in (1.0, 2.0**-900)]
    assert all(proof.optimal for proof in proofs)
    assert proofs[1].upper_bound == proofs[0].upper_bound * 2.0**-900


def test_a_covariance_of_fewer_samples_than_features_is_answered(method):
    X = np.random.default_rng(1).standard_normal((5, 12))
    V = run(method, X.T @ X, 2, 6).vectors.toarray()
    np.testing.assert_allclose(np.linalg.norm(V, axis=0), 1.0)


def test_one_feature_and_one_component_work(method):
    assert run(method, np.array([[2.0]]), 1, 1).eigenvalues == pytest.approx([2.0])


def test_the_same_call_gives_the_same_vectors(method, covariance):
    if method == "bb":
        pytest.skip("stops by the clock")
    a, b = run(method, covariance, 5, 6), run(method, covariance, 5, 6)
    np.testing.assert_array_equal(a.vectors.toarray(), b.vectors.toarray())


def test_the_matrix_is_not_changed_and_may_be_sparse_or_single_precision(method, covariance):
    S = covariance.copy()
    dense = run(method, S, 3, 10)
    np.testing.assert_array_equal(S, covariance)
    sparse = run(method, sp.csr_array(S), 3, 10)
    np.testing.assert_allclose(dense.eigenvalues, sparse.eigenvalues)
    single = run(method, S.astype(np.float32), 3, 10)
    assert single.vectors.dtype == np.float64


def test_a_zero_matrix_gives_vectors_of_zero_variance(method):
    if method in PACKAGES:
        pytest.skip("up to the other package")
    result = run(method, np.zeros((6, 6)), 2, 3)
    np.testing.assert_allclose(result.eigenvalues, 0.0)
    assert np.isfinite(result.vectors.toarray()).all()


def test_fewer_independent_directions_than_components_are_no_trouble(method):
    if method in PACKAGES:
        pytest.skip("up to the other package")
    x = np.arange(1.0, 13.0)
    result = run(method, np.outer(x, x), 3, 4)
    assert np.isfinite(result.eigenvalues).all()


BAD_ARGUMENTS = {
    "a budget of nothing": ((2, 0), InvalidInputError, "max_nonzeros is 0; give a whole number from 1 to 30"),
    "a budget above n": ((2, 31), InvalidInputError, "max_nonzeros is 31; give a whole number from 1 to 30"),
    "a fractional budget": ((2, 2.5), InvalidTypeError, "max_nonzeros is 2.5"),
    "a boolean budget": ((2, True), InvalidTypeError, "max_nonzeros is True"),
    "no components": ((0, 3), InvalidInputError, "n_components is 0; give a whole number from 1 to 30"),
    "too many components": ((31, 3), InvalidInputError, "n_components is 31; give a whole number from 1 to 30"),
    "components in words": (("two", 3), InvalidTypeError, "n_components is 'two'"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_counts_are_named(method, covariance, case):
    arguments, error, message = BAD_ARGUMENTS[case]
    with pytest.raises(error, match=message):
        run(method, covariance, *arguments)


BAD_MATRICES = {
    "not symmetric": (np.arange(16.0).reshape(4, 4), InvalidInputError, "matrix must be symmetric"),
    "with NaN": (np.full((4, 4), np.nan), InvalidInputError, r"entry \(0, 0\) is nan"),
    "infinite": (np.full((4, 4), np.inf), InvalidInputError, r"entry \(0, 0\) is inf"),
    "not square": (np.ones((4, 3)), InvalidInputError, r"matrix must be square, but its shape is \(4, 3\)"),
    "empty": (np.ones((0, 0)), InvalidInputError, "matrix is empty"),
    "a vector": (np.ones(4), InvalidInputError, "matrix must be square"),
    "complex": (np.eye(4) + 0j, InvalidTypeError, "matrix is complex .* for real symmetric matrices"),
    "text": (np.array([["a"]]), InvalidTypeError, "does not hold numbers"),
    "nothing": (None, InvalidTypeError, "matrix is a NoneType"),
}


@pytest.mark.parametrize("case", BAD_MATRICES)
def test_bad_matrices_are_refused(method, case):
    matrix, error, message = BAD_MATRICES[case]
    with pytest.raises(error, match=message):
        run(method, matrix, 1, 1)


@pytest.mark.parametrize("limit", [0, -1.0, float("nan")])
def test_a_time_limit_must_leave_time(covariance, limit):
    with pytest.raises(InvalidInputError, match=r"time_limit is .*; give a number above 0"):
        bb(covariance, 1, 3, time_limit=limit)


@pytest.mark.parametrize("limit", ["1", None, True])
def test_a_time_limit_is_a_number(covariance, limit):
    with pytest.raises(InvalidTypeError, match=r"time_limit is .*; give a real number"):
        bb(covariance, 1, 3, time_limit=limit)


BAD_OPTIONS = [
    (tpower, {"start": "middle"}, "start is 'middle'; give one of 'best', 'diagonal', 'eigenvector'"),
    (tpower, {"deflation": "none"}, "deflation is 'none'; give one of 'hotelling', 'projection'"),
    (gpower, {"penalty": "l2"}, "penalty is 'l2'; give one of"),
    (gpower, {"n_bisections": 0}, "n_bisections is 0; give a whole number from 1"),
    (cd, {"rule": "best"}, "rule is 'best'; give one of 'pcw', 'gcw'"),
    (cd, {"n_starts": 0}, "n_starts is 0"),
    (lr, {"rank": 0}, "rank is 0"),
    (greedy, {"rule": "backward"}, "rule is 'backward'; give one of 'forward', 'path'"),
    (classic_jacobi, {"n_rotations": -1}, "n_rotations is -1"),
    (sklearn_spca, {"alpha": 0.0}, "alpha is 0.0; give a number above 0"),
]


@pytest.mark.parametrize(("function", "options", "message"), BAD_OPTIONS)
def test_bad_options_are_named_with_what_can_be_given(covariance, function, options, message):
    with pytest.raises(InvalidInputError, match=message):
        function(covariance, 2, 3, **options)


@pytest.mark.parametrize(("function", "options"), [(tpower, {"deflation": 1}), (cd, {"rng": "x"}), (cd, {"rng": -1})])
def test_options_of_a_wrong_type_are_named(covariance, function, options):
    with pytest.raises((InvalidInputError, InvalidTypeError), match=next(iter(options))):
        function(covariance, 2, 3, **options)


def test_results_are_frozen_and_short_to_print(covariance):
    result = bb(covariance, 2, 3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.method = "other"  # type: ignore[misc]  # frozen: that is the test
    assert repr(result).startswith("BaselineResult(bb: 2 vectors of length 30, density 0.1,")
    assert repr(result.certificate) == "OptimalityProof(optimal=True, largest gap=0)"


def test_importing_the_baselines_does_not_import_scikit_learn():
    check = "import sys, jacobeig.comparison.baselines; assert not {'sklearn', 'abess'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)
