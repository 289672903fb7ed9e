"""What stops a run: rotations, density, nonzeros of each vector, tolerance, and callbacks."""

import numpy as np
import pytest
import tolerances
from equality import assert_same
from matrices import generic
from reference import RULES

import jacobeig as je
from jacobeig.results.result import Status


def test_without_a_budget_there_are_n_log_n_rotations():
    result = je.sparse_eigsh(generic(20), 3)
    assert result.n_rotations == 20 * 5
    assert result.status is Status.ROTATIONS


@pytest.mark.parametrize("pivot", RULES)
def test_no_rotations_give_unit_vectors(pivot):
    S = generic(9)
    result = je.sparse_eigsh(S, 3, pivot=pivot, n_rotations=0, start="natural")
    assert result.n_rotations == len(result.gains) == len(result.nonzeros) == len(result.rotations) == 0
    assert result.status is Status.ROTATIONS
    assert result.vectors.nnz == 3
    expected = np.sort(np.diag(S))[::-1][:3] if pivot == "classic" else np.sort(np.diag(S)[:3])[::-1]
    np.testing.assert_array_equal(result.eigenvalues, expected)


@pytest.mark.parametrize("pivot", RULES)
def test_tol_stops_where_the_best_gain_has_fallen_to_it(pivot):
    S = generic(10)
    largest, tol = np.abs(S).max(), 0.05
    free = je.sparse_eigsh(S, 3, pivot=pivot, n_rotations=100_000, rng=0)
    result = je.sparse_eigsh(S, 3, pivot=pivot, tol=tol, rng=0)
    assert result.status is Status.TOLERANCE
    assert 0 < result.n_rotations < free.n_rotations
    further = je.sparse_eigsh(S, 3, pivot=pivot, tol=0.0, n_rotations=100_000, rng=0)
    assert further.status is Status.CONVERGED
    if pivot == "gain":
        n = result.n_rotations
        assert (result.gains > tol * largest).all()
        assert free.gains[n] <= tol * largest
        assert_same(free.truncate(n), je.sparse_eigsh(S, 3, pivot=pivot, n_rotations=n, rng=0))


@pytest.mark.parametrize("pivot", RULES)
def test_a_huge_tol_stops_at_once(pivot):
    result = je.sparse_eigsh(generic(10), 3, pivot=pivot, tol=np.inf)
    assert result.n_rotations == 0
    assert result.status is Status.TOLERANCE


def test_of_several_budgets_the_first_one_reached_stops_the_run_and_is_named():
    S = generic(16)
    run = {"n_components": 3, "pivot": "gain", "start": "natural"}
    free = je.sparse_eigsh(S, **run, n_rotations=60)
    density = 12 / 48
    at_density = je.sparse_eigsh(S, **run, density=density).n_rotations
    tol = float(free.gains[3]) / np.abs(S).max()
    cases = [
        ({"n_rotations": at_density - 1, "density": density}, Status.ROTATIONS, at_density - 1),
        ({"n_rotations": at_density + 5, "density": density}, Status.DENSITY, at_density),
        (
            {"n_rotations": 50, "density": density, "tol": tol * 0.999},
            Status.TOLERANCE,
            int((free.gains > tol * 0.999 * np.abs(S).max()).argmin()),
        ),
        ({"n_rotations": 2, "density": 1.0, "tol": 0.0}, Status.ROTATIONS, 2),
    ]
    for budgets, status, n_rotations in cases:
        result = je.sparse_eigsh(S, **run, **budgets)
        assert result.status is status
        assert result.n_rotations == n_rotations
        assert result.gains.tobytes() == free.gains[:n_rotations].tobytes()


def test_a_density_that_is_a_whole_number_of_nonzeros_allows_all_of_them():
    result = je.sparse_eigsh(generic(10), 1, density=0.3, pivot="gain")
    assert result.vectors.nnz == 3
    assert result.status is Status.DENSITY


def test_the_least_density_leaves_unit_vectors_and_swaps():
    S = np.diag([1.0, 5.0, 3.0, 4.0]) + 0.01 * generic(4)
    result = je.sparse_eigsh(S, 2, density=0.25, start="natural")
    assert result.vectors.nnz == 2
    assert result.status is Status.DENSITY


@pytest.mark.parametrize(
    ("budgets", "rule"),
    [
        ({}, "gain"),
        ({"tol": 0.1}, "gain"),
        ({"density": 1.0}, "gain"),
        ({"density": 0.5}, "gain_per_nonzero"),
        ({"max_nonzeros": 3}, "gain_per_nonzero"),
    ],
)
def test_auto_counts_nonzeros_only_where_they_are_budgeted(budgets, rule):
    assert je.sparse_eigsh(generic(8), 2, **budgets).method.pivot == rule


@pytest.mark.parametrize("pivot", RULES)
def test_max_nonzeros_stops_with_its_own_status(pivot):
    result = je.sparse_eigsh(generic(12), 3, max_nonzeros=4, pivot=pivot, n_rotations=10_000)
    assert result.status is Status.MAX_NONZEROS
    assert np.diff(result.vectors.indptr).max() <= 4


@pytest.mark.parametrize("pivot", RULES)
def test_a_callback_sees_the_run_and_does_not_change_it(pivot, monkeypatch):
    import jacobeig.solve._drive as drivers

    S = generic(14)
    run = {"n_components": 3, "pivot": pivot, "n_rotations": 50, "rng": 4}
    expected = je.sparse_eigsh(S, **run)
    for chunk in (1, 7, 50):
        monkeypatch.setattr(drivers, "CHUNK", chunk)
        seen = []
        assert_same(je.sparse_eigsh(S, **run, callback=seen.append), expected)
        assert [record.n_rotations for record in seen] == [*range(chunk, 50, chunk), 50]
        for record in seen:
            part = expected.truncate(record.n_rotations)
            assert record.nonzeros == part.nonzeros[-1]
            assert record.best_gain == part.gains[-1]
            assert abs(record.captured - part.eigenvalues.sum()) <= tolerances.rayleigh(S)
        assert_same(je.extend(S, je.sparse_eigsh(S, **(run | {"n_rotations": 13})), n_rotations=50), expected)


@pytest.mark.parametrize("pivot", RULES)
@pytest.mark.parametrize("density", [0.3, 0.6])
def test_the_chunk_does_not_change_where_a_density_stops_the_run(pivot, density, monkeypatch):
    import jacobeig.solve._drive as drivers

    S = generic(14)
    expected = je.sparse_eigsh(S, 3, pivot=pivot, density=density, rng=4, n_rotations=300)
    for chunk in (1, 7):
        monkeypatch.setattr(drivers, "CHUNK", chunk)
        assert_same(je.sparse_eigsh(S, 3, pivot=pivot, density=density, rng=4, n_rotations=300), expected)


@pytest.mark.parametrize("answer", [True, np.True_])
def test_a_callback_that_returns_true_stops_the_run(answer, monkeypatch):
    import jacobeig.solve._drive as drivers

    monkeypatch.setattr(drivers, "CHUNK", 5)
    S = generic(14)
    result = je.sparse_eigsh(S, 3, callback=lambda record: answer if record.n_rotations >= 15 else None)
    assert result.n_rotations == 15
    assert result.status is Status.CALLBACK
    assert_same(je.extend(S, result, n_rotations=40), je.sparse_eigsh(S, 3, n_rotations=40))


@pytest.mark.parametrize("answer", [None, False, np.False_, 1, "no"])
def test_any_other_answer_of_a_callback_is_none(answer, monkeypatch):
    import jacobeig.solve._drive as drivers

    monkeypatch.setattr(drivers, "CHUNK", 5)
    assert je.sparse_eigsh(generic(14), 3, n_rotations=20, callback=lambda record: answer).n_rotations == 20


def test_an_exception_in_a_callback_reaches_the_user():
    def fail(record):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        je.sparse_eigsh(generic(6), 2, callback=fail)
