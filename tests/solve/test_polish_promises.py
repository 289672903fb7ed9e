"""What polish promises for every kind of run: never worse, never more nonzeros, and what it reports is what it has."""

import dataclasses
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jacobeig as je


def draw_matrix(kind, n, rng):
    X = rng.standard_normal((n, n))
    if kind == "hermitian":
        X = X + 1j * rng.standard_normal((n, n))
        return X + X.conj().T
    if kind == "magnetic":  # the Laplacian of a directed graph
        A = np.triu(rng.random((n, n)) < 0.3, 1).astype(float)
        return np.diag((A + A.T).sum(axis=0)) - (A + A.T) * np.exp(0.5j * np.pi * (A - A.T))
    if kind == "covariance":
        return X @ X.T
    if kind == "indefinite":
        return X + X.T
    edges = np.triu(rng.random((n, n)) < 0.3, 1)  # whole numbers: entries cancel exactly
    edges = (edges | edges.T).astype(float)
    return np.diag(edges.sum(axis=0)) - edges


def weigh(S, result):
    U = result.vectors.toarray()
    return float(np.sum(U.conj() * (S @ U), axis=0).real @ result.target)


def draw_target(name, p, which, rng):
    if name != "array":
        return name
    weights = np.append(1.0, rng.integers(0, 4, p - 1))
    return weights * {"LA": 1.0, "SA": -1.0, "BE": rng.choice([-1.0, 1.0], p)}[which]


def check_promises(S, result, polished):
    rounding = 1e-12 * np.abs(S).max() * len(S)
    assert weigh(S, polished) >= weigh(S, result) - rounding
    assert polished.vectors.nnz <= result.vectors.nnz
    assert polished.n_rotations == result.n_rotations
    assert sorted(polished.target) == sorted(result.target)
    U = polished.vectors.toarray()
    assert np.abs(U.conj().T @ U - np.eye(U.shape[1])).max() < 1e-12
    np.testing.assert_allclose(polished.eigenvalues, np.sum(U.conj() * (S @ U), axis=0).real, atol=100 * rounding)
    if result.n_rotations:
        assert polished.vectors.nnz <= polished.nonzeros[-1] <= result.nonzeros[-1]


@given(
    seed=st.integers(0, 2**32),
    kind=st.sampled_from(["covariance", "indefinite", "laplacian", "hermitian", "magnetic"]),
    which=st.sampled_from(["LA", "SA", "BE"]),
    target=st.sampled_from(["ones", "log", "array"]),
    pivot=st.sampled_from(["classic", "gain", "gain_per_nonzero", "offdiagonal", "cyclic", "random"]),
    pairs=st.sampled_from(["keep", "choose"]),
    density=st.one_of(st.none(), st.floats(0.2, 1.0)),
)
@settings(deadline=None, max_examples=100)
def test_polish_is_never_worse_and_never_denser(seed, kind, which, target, pivot, pairs, density):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 20))
    S, p = draw_matrix(kind, n, rng), int(rng.integers(1, 5))
    result = je.sparse_eigsh(
        S, p, which=which, target=draw_target(target, p, which, rng), pivot=pivot, density=density,
        n_rotations=int(rng.integers(0, 3 * n)), rng=seed,
    )  # fmt: skip
    polished = je.polish(S, result, pairs=pairs, n_sweeps=2)
    check_promises(S, result, polished)
    check_promises(S, polished, je.polish(S, polished, pairs="keep", n_sweeps=1))


@pytest.mark.parametrize("pairs", ["keep", "choose"])
def test_a_limit_on_each_vector_is_kept_by_polish_and_by_refine(pairs):
    for seed in range(12):
        S = draw_matrix("covariance", 12, np.random.default_rng(seed))
        result = je.sparse_eigsh(S, 3, max_nonzeros=4)
        polished = je.polish(S, result, pairs=pairs)
        for better in (polished, je.refine(S, result)):
            assert np.diff(better.vectors.indptr).max() <= better.method.max_nonzeros == 4
            assert better.vectors.nnz <= result.vectors.nnz


@pytest.mark.parametrize("pairs", ["keep", "choose"])
def test_weights_stay_with_their_vectors_after_classic_at_both_ends(pairs):
    for seed in range(5):
        S = draw_matrix("indefinite", 15, np.random.default_rng(seed))
        result = je.sparse_eigsh(S, 4, pivot="classic", which="BE", target="log", n_rotations=25)
        check_promises(S, result, je.polish(S, result, pairs=pairs))


def test_a_polished_classic_run_can_be_shortened_without_choosing_other_columns():
    S = draw_matrix("covariance", 15, np.random.default_rng(1))
    polished = je.polish(S, je.sparse_eigsh(S, 3, pivot="classic", n_rotations=30))
    for k in (0, 10, 30):
        part = polished.truncate(k)
        assert set(part.rotations.coordinates) == set(polished.rotations.coordinates)
        assert part.captured[-1] == pytest.approx(part.eigenvalues.sum())


def test_vectors_of_zero_weight_count_as_nonzeros_too():
    S = draw_matrix("covariance", 12, np.random.default_rng(2))
    polished = je.polish(S, je.sparse_eigsh(S, 3, target=[1.0, 0.0, 2.0], n_rotations=8))
    assert polished.nonzeros[-1] >= polished.vectors.nnz


def test_ctrl_c_ends_a_sweep_over_pairs_between_two_rotations(monkeypatch):
    S = draw_matrix("covariance", 150, np.random.default_rng(3))
    result = je.sparse_eigsh(S, 10, n_rotations=800)
    je.polish(S, result.truncate(1), pairs="choose", n_sweeps=1)  # compiled before the clock starts
    from jacobeig.solve import _sweeps

    calls = []
    kernel = _sweeps.choose_pair
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored

    def count(*arguments):
        calls.append(arguments)
        kernel(*arguments)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(_sweeps, "choose_pair", count)
    try:
        with pytest.raises(KeyboardInterrupt):
            je.polish(S, result, pairs="choose", n_sweeps=2)
        assert len(calls) < 10
        calls.clear()
        returned = je.polish(S, result, pairs="choose", n_sweeps=2, on_interrupt="return")
    finally:
        signal.signal(signal.SIGINT, before)
    assert returned.status is je.Status.INTERRUPTED
    assert returned.eigenvalues.sum() >= result.eigenvalues.sum() * (1 - 1e-12)


def test_no_turn_of_a_single_angle_or_phase_improves_a_polished_complex_chain():
    S = draw_matrix("hermitian", 7, np.random.default_rng(3))
    polished = je.polish(S, je.sparse_eigsh(S, 2, n_rotations=8), n_sweeps=300)
    chain, before = polished.rotations, polished.eigenvalues.sum()
    assert before > je.sparse_eigsh(S, 2, n_rotations=8).eigenvalues.sum() * (1 + 1e-6)
    for q in np.flatnonzero((chain.cosines > 0) & (chain.cosines < 1)):
        for turn, step in ((0.1, 0.0), (-0.1, 0.0), (0.0, 0.1), (0.0, -0.1)):
            cosines, sines = chain.cosines.copy(), chain.sines.copy()
            angle = chain.angles[q] + turn
            cosines[q], sines[q] = np.cos(angle), np.sin(angle) * np.exp(1j * (step - chain.phases[q]))
            U = dataclasses.replace(chain, cosines=cosines, sines=sines).synthesise(np.eye(2))
            assert np.sum(U.conj() * (S @ U)).real <= before + 1e-9 * np.abs(S).max()
