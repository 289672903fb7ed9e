import csv

import numpy as np
import pytest

import jacobeig as je
from jacobeig.errors import InvalidInputError


@pytest.fixture(scope="module")
def covariance():
    return je.datasets.random_covariance(24, rng=1)


@pytest.fixture(scope="module")
def table(covariance):
    return je.compare(
        covariance,
        3,
        [0.1, 0.4],
        methods=["chain", "refine", "free", "tpower", "bmw", "threshold"],
        make_orthonormal=True,
    )


def test_every_method_appears_at_every_density_within_its_budget(table):
    assert len(table.rows) == 12
    assert all(row.density <= row.asked for row in table.rows if np.isfinite(row.density))


def test_captured_variance_is_at_most_that_of_pca(table):
    assert all(0.0 < row.captured <= 1.0 + 1e-12 for row in table.rows if np.isfinite(row.captured))
    assert all(row.captured_orthonormal <= 1.0 + 1e-12 for row in table.rows if np.isfinite(row.captured))


def test_a_method_that_cannot_do_it_says_why(table):
    (row,) = [row for row in table.rows if row.method == "bmw" and row.asked == 0.4]
    assert np.isnan(row.captured)
    assert "bmw" in row.status or "nonzeros" in row.status


def test_refined_vectors_are_orthonormal_and_free_ones_capture_most(table):
    rows = {(row.method, row.asked): row for row in table.rows}
    assert rows["refine", 0.4].orthonormality_error < 1e-12
    others = [row.captured for row in table.rows if row.asked == 0.4 and np.isfinite(row.captured)]
    assert rows["free", 0.4].captured == pytest.approx(max(others), rel=1e-9)


def test_the_table_prints_and_is_written(table, tmp_path):
    assert "captured" in str(table).splitlines()[0]
    table.to_csv(tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows] == [row.method for row in table.rows]


def test_the_front_has_a_line_for_every_method(table):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    ax = table.plot()
    assert {line.get_label() for line in ax.lines} == {row.method for row in table.rows}
    matplotlib.pyplot.close(ax.figure)


def test_data_are_taken_as_their_covariance():
    X = np.random.default_rng(0).standard_normal((50, 12))
    from_data = je.compare(X, 2, [0.5], methods=["chain"])
    from_matrix = je.compare(np.cov(X, rowvar=False), 2, [0.5], methods=["chain"])
    assert from_data.rows[0].captured == pytest.approx(from_matrix.rows[0].captured, rel=1e-10)


@pytest.mark.parametrize("scale", [False, True])
def test_fewer_samples_than_features_and_than_components_are_compared_with_full_pca(scale):
    X = np.random.default_rng(0).standard_normal((6, 30))
    S = np.corrcoef(X, rowvar=False) if scale else np.cov(X, rowvar=False)
    from_data = je.compare(X, 8, [0.2], methods=["chain", "pca"], scale=scale)
    from_matrix = je.compare(S, 8, [0.2], methods=["chain", "pca"])
    for row, other in zip(from_data.rows, from_matrix.rows, strict=True):
        assert row.captured == pytest.approx(other.captured, rel=1e-9)
        assert row.accuracy == pytest.approx(other.accuracy, rel=1e-9)
    assert from_data.rows[1].captured == pytest.approx(1.0, rel=1e-9)


def test_an_unknown_method_is_named_with_the_known_ones(covariance):
    with pytest.raises(InvalidInputError, match=r"'magic'.*'chain'"):
        je.compare(covariance, 2, [0.1], methods=["magic"])


@pytest.fixture(scope="module")
def bounded(covariance):
    return je.compare(covariance, 3, [0.1, 0.4], methods=["refine", "free", "tpower", "bound", "free bound"])


def test_no_method_is_above_the_bound_that_is_for_it(bounded):
    rows = {(row.method, row.asked): row for row in bounded.rows}
    for row in bounded.rows:
        assert row.captured <= rows["free bound", row.asked].captured * (1 + 1e-12)
        if row.orthonormality_error < 1e-9:
            assert row.captured <= rows["bound", row.asked].captured * (1 + 1e-12)
    assert rows["bound", 0.1].captured < 0.9
    assert rows["bound", 0.1].status.startswith("proved by")


def test_bounds_have_a_slope_and_a_line_above_all_others(bounded):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert [np.isfinite(row.slope) for row in bounded.rows] == ["bound" in row.method for row in bounded.rows]
    ax = bounded.plot()
    lines = {line.get_label(): line.get_data() for line in ax.lines}
    assert np.interp(lines["refine"][0], *lines["bound"]) == pytest.approx(lines["bound"][1][[0, -1]], rel=1e-9)
    assert (np.interp(lines["refine"][0], *lines["bound"]) >= lines["refine"][1]).all()
    assert len(ax.collections) == 2
    matplotlib.pyplot.close(ax.figure)


def test_a_comparison_is_one_line_where_it_is_not_printed():
    table = je.compare(je.datasets.random_covariance(20, rng=0), 2, [0.2, 0.4], methods=["chain", "threshold"])
    assert repr(table) == "Comparison(4 rows: chain, threshold at 2 densities; print it)"
    assert len(str(table).splitlines()) == 5
