"""The front: refined vectors at many budgets in one call."""

import numpy as np
import pytest
from matrices import covariance
from sklearn.datasets import load_breast_cancer

import jacobeig as je
from jacobeig.errors import FileFormatError, InvalidInputError
from jacobeig.sources import GramRows


@pytest.fixture(scope="module")
def cells():
    return np.corrcoef(load_breast_cancer().data.T)


@pytest.fixture(scope="module")
def front(cells):
    return je.front(cells, 3)


def check(front, *, orthonormal=True):
    n, p = front.results[0].vectors.shape
    assert len(front) == len(front.densities) == len(front.captured)
    for density, result in zip(front.densities, front, strict=True):
        assert result.vectors.nnz <= density * n * p * (1 + 1e-12)
        if orthonormal:
            assert je.metrics.orthonormality_error(result.vectors) < 1e-12


def test_a_front_has_some_thirty_points_from_one_nonzero_a_vector_to_half(front):
    check(front)
    assert 20 <= len(front) <= 30
    assert front.results[0].vectors.nnz == 3
    assert front.densities[-1] == pytest.approx(0.5)


def test_what_is_captured_never_falls_as_the_budget_grows(front, cells):
    assert (np.diff(front.captured) >= 0).all()
    for captured, result in zip(front.captured, front, strict=True):
        assert je.metrics.captured_variance(cells, result.vectors) == pytest.approx(captured, rel=1e-12)


def test_points_are_as_good_as_refined_alone_and_better_on_average(front, cells):
    alone = [je.sparse_eigsh(cells, 3, density=d, refine=True).eigenvalues.sum() for d in front.densities]
    shares = front.captured / alone
    assert shares.min() > 0.99
    assert shares.mean() >= 1.0


def test_in_best_effort_no_point_captures_less_than_refined_alone():
    S = covariance(40)
    front = je.front(S, 5, densities=[0.05, 0.08, 0.13, 0.2, 0.35], effort="best")
    check(front)
    for density, captured in zip(front.densities, front.captured, strict=True):
        alone = je.refine(S, je.sparse_eigsh(S, 5, density=density), density=density)
        assert captured >= alone.eigenvalues.sum() * (1 - 1e-12)


def test_a_density_finds_the_densest_result_within_it(front):
    assert front.at(0.3) is front.results[front.find(0.3)]
    assert front.at(0.3).density <= 0.3
    assert front.at(1.0) is front.results[-1]
    with pytest.raises(InvalidInputError, match="the front begins at"):
        front.at(0.001)


def test_the_knee_is_where_the_front_bends(front):
    corner = je.Front(
        densities=np.array([0.1, 0.2, 0.3, 0.9]), captured=np.array([1.0, 5.0, 9.0, 10.0]), results=front.results[:4]
    )
    assert corner.knee() == 0.3
    flat = je.Front(densities=corner.densities, captured=np.ones(4), results=front.results[:4])
    assert flat.knee() == 0.1


def test_a_front_comes_back_from_its_file(front, tmp_path):
    front.save(tmp_path / "front.npz")
    again = je.Front.load(tmp_path / "front.npz")
    np.testing.assert_array_equal(again.captured, front.captured)
    np.testing.assert_array_equal(again.densities, front.densities)
    for old, new in zip(front, again, strict=True):
        np.testing.assert_array_equal(old.vectors.toarray(), new.vectors.toarray())
        assert old.method == new.method


def test_files_that_hold_no_front_are_refused(front, tmp_path):
    front.results[0].save(tmp_path / "result.npz")
    with pytest.raises(FileFormatError, match="holds an EigenResult"):
        je.Front.load(tmp_path / "result.npz")
    wrong = je.Front(densities=front.densities[::-1], captured=front.captured, results=front.results)
    wrong.save(tmp_path / "front.npz")
    with pytest.raises(FileFormatError, match="do not fit together"):
        je.Front.load(tmp_path / "front.npz")


def test_densities_come_sorted_and_once(cells):
    front = je.front(cells, 3, densities=[0.3, 0.1, 0.1, 0.2])
    np.testing.assert_array_equal(front.densities, [0.1, 0.2, 0.3])
    check(front)


@pytest.mark.parametrize("densities", [[], [[0.1]], ["a"], [0.0], [1.5]])
def test_wrong_densities_are_refused(cells, densities):
    with pytest.raises(InvalidInputError):
        je.front(cells, 3, densities=densities)


@pytest.mark.parametrize("options", [{"which": "SA"}, {"which": "BE"}, {"target": "log"}, {"max_nonzeros": 4}])
def test_fronts_take_what_refinement_takes(options):
    S = covariance(16)
    front = je.front(S, 3, densities=[0.1, 0.2, 0.4], **options)
    check(front)
    rises = np.diff(front.captured)
    if options.get("which") == "SA":
        assert (rises <= 0).all()
    elif "target" not in options:
        assert (rises >= 0).all()
    if "max_nonzeros" in options:
        assert max(np.diff(result.vectors.indptr).max() for result in front) <= 4


def test_complex_matrices_have_fronts():
    front = je.front(covariance(12, np.complex128), 3, densities=[0.1, 0.2, 0.4])
    check(front)
    assert (np.diff(front.captured) >= 0).all()


def test_free_bases_capture_more(cells):
    densities = [0.1, 0.2, 0.4]
    free = je.front(cells, 3, densities=densities, orthonormal=False)
    check(free, orthonormal=False)
    assert (np.diff(free.captured) >= 0).all()
    assert free.captured[0] >= je.front(cells, 3, densities=densities).captured[0]
    for captured, result in zip(free.captured, free, strict=True):
        assert je.metrics.captured_variance(cells, result.vectors) == pytest.approx(captured, rel=1e-6)


def test_beyond_a_thousand_rows_one_working_set_serves_all_points():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 1200)) + rng.standard_normal((40, 1200))
    source = GramRows(X)
    front = je.front(source, 3, densities=[0.005, 0.01, 0.02])
    check(front)
    assert (np.diff(front.captured) >= 0).all()
    dense = np.cov(X.T)
    assert je.metrics.captured_variance(dense, front.results[1].vectors) == pytest.approx(front.captured[1], rel=1e-9)
    alone = je.sparse_eigsh(dense, 3, density=0.005, refine=True).eigenvalues.sum()
    assert front.captured[0] > 0.99 * alone


def test_fronts_show_themselves(front):
    assert "knee at" in repr(front)
    assert front._repr_html_().count("<tr>") == len(front) + 1


def test_a_callback_sees_every_point_and_can_stop_a_front(cells):
    seen = []
    whole = je.front(cells, 3, densities=[0.1, 0.2, 0.4], callback=seen.append)
    points = [progress for progress in seen if progress.stage == "the front"]
    assert len(points) == 5  # down to the sparsest, and up again
    assert points[-1].captured == pytest.approx(whole.captured[-1], rel=1e-12)
    stopped = je.front(cells, 3, densities=[0.1, 0.2, 0.4], callback=lambda progress: progress.stage == "the front")
    check(stopped)
    assert {result.status for result in stopped} == {je.Status.CALLBACK}
    assert (np.diff(stopped.captured) >= 0).all()
    assert (stopped.captured <= whole.captured + 1e-12).all()


def test_a_time_limit_cuts_a_front_short_and_every_point_keeps_its_budget():
    front = je.front(covariance(60), 6, time_limit=1e-6)
    check(front)
    assert {result.status for result in front} == {je.Status.TIME_LIMIT}
    assert (np.diff(front.captured) >= 0).all()
    with pytest.raises(InvalidInputError, match="time_limit"):
        je.front(covariance(10), 2, time_limit=0.0)
