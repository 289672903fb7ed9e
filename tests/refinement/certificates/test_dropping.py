"""Features are dropped only where no optimal vectors use them."""

from dataclasses import replace

import numpy as np
import pytest
from enumeration import all_choices, best_captured, climb

import jacobeig as je
from jacobeig.refinement._clock import Clock
from jacobeig.refinement.certificates import _branching
from jacobeig.refinement.certificates._dropping import drop_features, prove_users
from jacobeig.refinement.certificates._multipliers import Budgets, Multipliers
from jacobeig.refinement.certificates._search import search_bound

WEAK = np.array([1.0, 1.0, 1.0, 1.0, 0.05, 0.02, 0.01])  # some features vary much less than others


def draw_matrix(rng, n):
    """Covariances of features of very different variances, at times rounded, indefinite or on another scale."""
    A = rng.standard_normal((n, n)) * 10.0 ** -rng.uniform(0, 2, n)
    S = A.T @ A if rng.random() < 0.7 else np.round(3 * (A + A.T)) / 3
    return S * rng.choice([1e-150, 1.0, 1e150])


def best_of_users(S, k, p, feature):
    """The most that vectors are seen to capture of which one uses a feature."""
    scale = max(np.abs(S).max(), 1e-300)
    choices = all_choices(len(S), [k] * p, 10**6, 0)
    uses = np.any([(rows == feature).any(axis=1) for rows in choices], axis=0)
    U, fits = climb(S / scale, [rows[uses] for rows in choices])
    fits &= np.abs(U[:, feature]).max(axis=1) > 1e-9
    values = np.einsum("mip,ij,mjp->m", U, S / scale, U)
    return values[fits].max(initial=-np.inf) * scale


@pytest.mark.parametrize("seed", range(30))
def test_no_vectors_that_use_a_feature_are_above_its_bound(seed):
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(2, 7)), int(rng.integers(1, 3)), int(rng.integers(1, 4))
    S, k = draw_matrix(rng, n), min(k, n)
    budgets = Budgets(n_components=min(p, n), max_nonzeros=k, total_nonzeros=min(p, n) * k)
    found = search_bound(S, budgets, Clock(), steps=int(rng.choice([5, 100]))).multipliers
    size = np.abs(S).max()

    def draw(shape):
        return size * rng.standard_normal(shape)

    whatever = Multipliers(
        Z=draw((n, n)), B=draw((n, n)), nu=float(draw(())), Q=draw((n, n)), s=draw(n), mu=abs(float(draw(())))
    )
    for multipliers in (found, whatever):
        proved = prove_users(S, budgets, multipliers)
        for feature in range(n):
            assert best_of_users(S, k, budgets.n_components, feature) <= proved[feature] + 1e-13 * size


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 20))])
def test_what_is_kept_holds_the_best_of_all_supports(seed):
    rng = np.random.default_rng(seed)
    n, p, k = 7, int(rng.integers(1, 3)), int(rng.integers(2, 4))
    S = np.cov(rng.standard_normal((2, 40)).T @ (1 + rng.random((2, n))) * WEAK, rowvar=False) + np.diag(0.3 * WEAK)
    budgets = Budgets(n_components=p, max_nonzeros=k)
    best = best_captured(S, [k] * p)
    U = je.certify(S, n_components=p, max_nonzeros=k, effort="best").vectors.toarray()
    dropping = drop_features(S, budgets, search_bound(S, budgets, Clock()).multipliers, U, np.sum(U * (S @ U)))
    kept = np.arange(n) if dropping is None else dropping.kept
    assert best_captured(S[np.ix_(kept, kept)], [min(k, len(kept))] * p) >= best * (1 - 1e-12)
    assert dropping is None or dropping.prove(S) < best * (1 + 1e-12)
    assert (dropping is None) == (p * k > 4)


def draw_problem(seed):
    """Two components of two features, of four that matter and three that hardly vary."""
    L, weak = np.random.default_rng(seed).standard_normal((7, 3)), np.repeat([1.0, 0.02], [4, 3])
    return (L @ L.T + 0.5 * np.eye(7)) * np.outer(weak, weak)


@pytest.fixture(scope="module")
def certificate():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_branching, "MOST_SUPPORTS", 12)  # fewer than seven features have, more than five have
        yield je.certify(draw_problem(7), n_components=2, max_nonzeros=2, effort="best")


def test_what_is_left_of_a_large_problem_is_proved_by_cases(certificate):
    S = draw_problem(7)
    assert certificate.dropping.kept.tolist() == [0, 1, 2, 3, 6]
    assert certificate.kind == "supports"
    assert certificate.gap <= 1e-4
    assert certificate.captured == pytest.approx(best_captured(S, [2, 2]), rel=1e-9)
    assert certificate.vectors.shape == (7, 2)
    assert certificate.verify(S) == pytest.approx(certificate.bound, rel=1e-9)


def test_the_small_end_drops_the_same(monkeypatch, certificate):
    monkeypatch.setattr(_branching, "MOST_SUPPORTS", 12)
    mirrored = je.certify(-draw_problem(7), n_components=2, max_nonzeros=2, which="SA", effort="best")
    assert mirrored.bound == -certificate.bound
    assert mirrored.verify(-draw_problem(7)) == pytest.approx(mirrored.bound, rel=1e-9)


def test_a_file_keeps_what_drops_features_and_changes_of_it_are_refused(certificate, tmp_path):
    S = draw_problem(7)
    certificate.save(tmp_path / "dropped.npz")
    loaded = je.Certificate.load(tmp_path / "dropped.npz")
    assert loaded.verify(S) == certificate.verify(S)
    fewer = replace(loaded.dropping, kept=loaded.dropping.kept[1:])
    smaller = {name: getattr(loaded, name)[1:] for name in ("s",)}
    smaller |= {"Z": loaded.Z[1:, 1:], "B": loaded.B[1:, 1:], "covers": loaded.covers[:, 1:, 1:]}
    with pytest.raises(je.errors.InvalidInputError, match="prove only"):
        replace(loaded, dropping=fewer, **smaller).verify(S)
    replace(loaded, dropping=replace(fewer, kept=np.array([0, 9]))).save(tmp_path / "wrong.npz")
    with pytest.raises(je.errors.FileFormatError, match="none of the matrix"):
        je.Certificate.load(tmp_path / "wrong.npz")
