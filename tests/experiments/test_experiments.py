"""The figures of the paper: small ones are made and read back, and the quick ones agree with the stated facts."""

import csv
import functools
import re
from dataclasses import replace
from urllib.error import URLError

import numpy as np
import pytest
from usps import USPS, needs_usps

import jacobeig as je
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError, MissingDataError
from jacobeig.experiments import FIGURES, FigureData, _reproduce, reproduce
from jacobeig.experiments._figure import write
from jacobeig.experiments.eigenvalues import EigenvalueSettings
from jacobeig.experiments.fronts import FrontSettings
from jacobeig.experiments.laplacians import LaplacianSettings
from jacobeig.experiments.many_rotations import ManySettings
from jacobeig.experiments.random_matrices import RandomSettings
from jacobeig.experiments.usps_knn import STATED, KnnSettings

pytest.importorskip("matplotlib").use("agg")
pytest.importorskip("sklearn")

SMALL_FRONT = FrontSettings(n_components=3, densities=(0.02, 0.5), time_limit=0.01)
SMALL = {
    "random": RandomSettings(n=32, n_components=4, n_matrices=2, n_blocks=20),
    "random-low-rank": RandomSettings(n=32, n_components=4, low_rank=True, n_matrices=2, n_blocks=20),
    "angles": ManySettings(n=24, n_components=4, n_matrices=2, sweeps=5, n_blocks=20, n_marks=6),
    "angles-low-rank": ManySettings(
        n=24, n_components=4, low_rank=True, n_matrices=2, sweeps=5, n_blocks=20, n_marks=6
    ),
    "eigenvalues": EigenvalueSettings(sizes=(16, 24), n_components=4, n_matrices=2, sweeps=2),
    "laplacians": LaplacianSettings(n=40, n_components=4, n_graphs=2, sweeps=4),
    "usps-knn": KnnSettings(n_components=4, n_splits=2, n_rotations=200, jl_components=8),
    "usps-front": SMALL_FRONT,
    "mnist-front": SMALL_FRONT,
}
# What makes a figure is the same for all: one that is quick, and the others with the slow tests.
ONE_BY_ONE = [
    "laplacians",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("random", "eigenvalues")),
]
AT_RANDOM = [
    pytest.param(name, marks=pytest.mark.slow if name.endswith("-low-rank") else ())
    for name, figure in FIGURES.items()
    if not figure.needs
]


def strokes(side, n_images=120, seed=0):
    """Stand-in for images of digits: a few bright blobs whose places depend on the class."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_images) % 10
    centres = np.random.default_rng(7).uniform(0.25, 0.75, (10, 3, 2)) * side
    rows, columns = np.mgrid[:side, :side]
    pixels = np.zeros((n_images, side, side))
    for image, label in zip(pixels, labels, strict=True):
        for row, column in centres[label] + rng.normal(0, 0.05 * side, (3, 2)):
            image += np.exp(-((rows - row) ** 2 + (columns - column) ** 2) / (0.02 * side**2))
    return pixels.reshape(n_images, side * side), labels


@pytest.fixture
def files(tmp_path):
    """Stand-ins for the two data sets, as files."""
    found = {}
    for name, side in (("usps", 16), ("mnist", 28)):
        X, y = strokes(side)
        found[name] = tmp_path / f"{name}.npz"
        np.savez(found[name], X=X, y=y)
    return found


@pytest.fixture
def small(monkeypatch):
    """All figures at sizes that take a moment."""
    figures = {name: replace(figure, quick=SMALL[name], full=SMALL[name]) for name, figure in FIGURES.items()}
    monkeypatch.setattr(_reproduce, "FIGURES", figures)


@pytest.fixture
def offline(monkeypatch):
    def fetch(**options):
        raise URLError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)


@functools.cache
def measure(name):
    """The small table of a figure that needs no data."""
    return FIGURES[name].measure(SMALL[name], None, lambda: None)


def numbers_in(text):
    return {float(number) for number in re.findall(r"(?<![\w.])[-+]?\d+(?:\.\d+)?", text)}


@pytest.mark.slow
def test_every_figure_writes_its_files_and_a_sentence(small, files, tmp_path):
    outcomes = reproduce(output=tmp_path / "new" / "figures", quick=True, **files)
    assert [outcome.name for outcome in outcomes] == list(FIGURES)
    for outcome in outcomes:
        assert not outcome.skipped
        assert [path.name for path in outcome.files] == [
            f"{outcome.name}.{end}" for end in ("png", "svg", "csv", "txt")
        ]
        png, svg, table, text = outcome.files
        assert png.read_bytes().startswith(b"\x89PNG")
        assert text.read_text(encoding="utf-8") == outcome.sentence + "\n"
        assert outcome.sentence.startswith("The paper ")
        assert "nan" not in outcome.sentence
        assert "<text" in svg.read_text(encoding="utf-8")  # text stays text
        with open(table, encoding="utf-8", newline="") as file:
            assert len(list(csv.reader(file))) > 2
    assert sorted(path.name for path in (tmp_path / "new" / "figures").iterdir()) == sorted(
        path.name for outcome in outcomes for path in outcome.files
    )


@pytest.mark.parametrize("name", AT_RANDOM)
def test_the_csv_holds_every_number_that_is_drawn(name, tmp_path):
    figure, steps = FIGURES[name], []
    table = figure.measure(SMALL[name], None, lambda: steps.append(1))
    assert len(steps) == SMALL[name].n_steps
    outcome = write(figure, table, tmp_path)
    with open(outcome.files[2], encoding="utf-8", newline="") as file:
        cells = {float(cell) for row in list(csv.reader(file))[1:] for cell in row if re.fullmatch(r"[-+.\de]+", cell)}
    # guides: the frame of the axes and the level of 100%
    guides = {0.0, 1.0, 100.0}
    drawn = [line.get_xydata() for ax in figure.draw(table).axes for line in ax.lines]
    assert sum(map(len, drawn)) > 20
    assert {value for points in drawn for value in points.ravel().tolist()} <= cells | guides


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_the_same_settings_give_the_same_bytes(name, tmp_path):
    figure = FIGURES[name]
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write(figure, figure.measure(SMALL[name], None, lambda: None), tmp_path / folder)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", ["random", "angles", "laplacians"])
def test_the_sentence_follows_the_numbers(name):
    """Change what was measured, and the sentence changes with it."""
    figure = FIGURES[name]
    table = measure(name)
    at = table.columns.index("accuracy")
    halved = FigureData(table.columns, [(*row[:at], row[at] / 2, *row[at + 1 :]) for row in table.rows])
    end = table.where(method="equal weights")["accuracy"][-1]
    digits = 0 if name == "laplacians" else 1
    assert round(end, digits) in numbers_in(figure.compare(table))
    assert round(end / 2, digits) in numbers_in(figure.compare(halved))


def test_a_lead_that_is_not_there_is_said():
    figure = FIGURES["random"]
    table = measure("random")
    at = table.columns.index("method")
    names = {"equal weights": "Jacobi", "Jacobi": "equal weights"}
    swapped = FigureData(
        table.columns, [(*row[:at], names.get(row[at], row[at]), *row[at + 1 :]) for row in table.rows]
    )
    assert "which agrees" not in figure.compare(swapped)


def test_a_curve_that_rises_is_said():
    figure = FIGURES["laplacians"]
    table = measure("laplacians")
    assert "which agrees" in figure.compare(table)
    at = table.columns.index("accuracy")
    backwards = FigureData(table.columns, [(*row[:at], 200.0 - row[at]) for row in table.rows])
    assert "which does not agree" in figure.compare(backwards)


def test_smaller_eigenvalues_that_are_recovered_better_are_said():
    figure = FIGURES["eigenvalues"]
    table = measure("eigenvalues")
    turned = FigureData(table.columns, [(n, k, t, 1.0 / t) for n, k, t, _ in table.rows])
    assert "which does not agree" in figure.compare(turned)
    assert "which agrees" in figure.compare(
        FigureData(table.columns, [(n, k, t, 1.0 * t) for n, k, t, _ in table.rows])
    )


@pytest.mark.slow
def test_what_a_method_cannot_do_is_left_out_of_the_front_but_stays_in_the_table(files):
    figure = FIGURES["usps-front"]
    table = figure.measure(SMALL_FRONT, je.datasets.load_usps(files["usps"]), lambda: None)
    assert set(table.labels("method")) == {"paper", "chain", "refine", "free", "bb", "bmw", "lr", "cd"}
    bmw = table.where(method="bmw")
    assert np.isfinite(bmw["captured"]).tolist() == [True, False]  # disjoint supports cannot be half full
    assert bmw.rows[1][table.columns.index("status")].startswith("bmw needs")
    lines = {line.get_label(): line for line in figure.draw(table).axes[0].lines}
    assert len(lines["BMW"].get_xdata()) == 1
    np.testing.assert_allclose(lines["refined (ours)"].get_ydata(), 100 * table.where(method="refine")["captured"])
    assert (table["captured"][np.isfinite(table["captured"])] <= 1.0 + 1e-9).all()


def test_unknown_names_are_answered_with_all_names(tmp_path):
    with pytest.raises(InvalidInputError, match="there is no figure 'figure9': there are random, random-low-rank, "):
        reproduce(["random", "figure9"], tmp_path)
    with pytest.raises(InvalidTypeError, match=r"names holds 3 \(int\)"):
        reproduce([3], tmp_path)
    assert not list(tmp_path.iterdir())


def test_one_name_may_be_given_as_it_is_and_comes_once(small, tmp_path):
    (outcome,) = reproduce("laplacians", tmp_path)
    assert outcome.name == "laplacians"
    assert len(reproduce(["laplacians", "laplacians"], tmp_path)) == 1


@pytest.mark.slow
def test_without_data_the_figures_that_need_it_are_skipped_and_say_why(small, offline, files, tmp_path, monkeypatch):
    few = {name: _reproduce.FIGURES[name] for name in ("laplacians", "usps-knn", "mnist-front")}
    monkeypatch.setattr(_reproduce, "FIGURES", few)
    outcomes = {outcome.name: outcome for outcome in reproduce(output=tmp_path / "out", usps=files["usps"])}
    skipped = outcomes.pop("mnist-front")
    assert skipped.skipped
    assert skipped.files == ()
    assert re.match(r"Skipped: MNIST .* could not be fetched .*no route.*--mnist PATH", skipped.sentence)
    assert [len(outcome.files) for outcome in outcomes.values()] == [4, 4]


def test_a_figure_asked_for_by_name_without_its_data_is_an_error_before_anything_is_made(offline, tmp_path):
    with pytest.raises(MissingDataError, match=r"USPS .*usps=PATH \(--usps PATH on the command line\)"):
        reproduce(["random", "usps-knn"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_wrong_is_an_error_even_when_all_are_made(offline, tmp_path):
    with pytest.raises(MissingDataError, match="there is no file"):
        reproduce(output=tmp_path, usps=tmp_path / "nothing.npz")
    np.savez(tmp_path / "bad.npz", X=np.ones((3, 4)))
    with pytest.raises(FileFormatError, match="expected one image of 784 a row"):
        reproduce(["mnist-front"], tmp_path, mnist=tmp_path / "bad.npz")


def test_images_without_labels_cannot_be_classified(tmp_path):
    X, _ = strokes(16, 40)
    np.savez(tmp_path / "usps.npz", X=X)
    with pytest.raises(FileFormatError, match="the images have no labels"):
        reproduce(["usps-knn"], tmp_path, usps=tmp_path / "usps.npz")


def test_every_figure_says_what_it_shows_and_what_it_needs():
    assert {figure.number for figure in FIGURES.values()} == set(range(1, 9))
    assert {name: figure.needs for name, figure in FIGURES.items() if figure.needs} == {
        "usps-knn": ("usps",),
        "usps-front": ("usps",),
        "mnist-front": ("mnist",),
    }
    for name, figure in FIGURES.items():
        assert figure.name == name
        assert figure.summary
        assert figure.quick.n_steps <= figure.full.n_steps
    with pytest.raises(TypeError):
        FIGURES["more"] = FIGURES["random"]


# --- the stated facts, at the sizes of the quick set (random matrices of both ranks are in test_paper.py) -------------


@pytest.mark.compiled
def test_quick_laplacians_agree_with_the_stated_figures_within_a_point():
    table = FIGURES["laplacians"].measure(FIGURES["laplacians"].quick, None, lambda: None)
    n = 256
    stated = {"equal weights": (186, 164, 141, 129), "log weights": (191, 154, 136, 127)}
    for method, expected in stated.items():
        found = [table.where(method=method, steps=float(k))["accuracy"][0] for k in (n // 4, n, 4 * n, 8 * n)]
        np.testing.assert_allclose(found, expected, atol=1.5, err_msg=method)  # stated without decimals
    # Whole numbers tie often, and Jacobi's path depends on how: the stated 609, 412, 216, 158 are met to 4%.
    jacobi = [table.where(method="Jacobi", steps=float(k))["accuracy"][0] for k in (n // 4, n, 4 * n, 8 * n)]
    np.testing.assert_allclose(jacobi, (609, 412, 216, 158), rtol=0.04)


@pytest.mark.slow
def test_many_rotations_agree_with_the_stated_figures():
    ends = {}
    for name in ("angles", "angles-low-rank"):
        settings = replace(FIGURES[name].quick, n_matrices=1, n_marks=2, n_blocks=2)
        ends[name] = FIGURES[name].measure(settings, None, lambda: None).where(method="equal weights")
    assert ends["angles"]["accuracy"][-1] == pytest.approx(98.3, abs=1.0)
    assert ends["angles"]["angle"][-1] > 70.0
    assert ends["angles-low-rank"]["accuracy"][-1] == pytest.approx(100.0, abs=0.01)
    assert ends["angles-low-rank"]["angle"][-1] == pytest.approx(0.01, abs=0.05)


@pytest.mark.slow
@needs_usps
def test_usps_agrees_with_the_stated_figures_within_a_point():
    settings = FIGURES["usps-knn"].quick
    table = FIGURES["usps-knn"].measure(settings, je.datasets.load_usps(USPS), lambda: None)
    stated = {
        "raw": ((107, 172, 203, 238, 289, 336, 534), (2.5, 3.8, 4.4, 5.3, 15.8, 29.0, 77.6)),
        "own mean": ((117, 225, 307, 373, 445, 492, 698), (2.7, 5.8, 19.3, 40.5, 72.0, 84.7, 99.8)),
    }
    for scaling, (rotations, densities) in stated.items():
        points = table.where(panel="points", scaling=scaling)
        assert points["rotations"].tolist() == list(rotations)
        np.testing.assert_allclose(points["density"], densities, atol=0.06)
        np.testing.assert_allclose(points["accuracy"], STATED, atol=0.15)
    classified = table.where(panel="points", scaling="raw")["classified"]
    np.testing.assert_allclose(classified, (76.7, 88.1, 90.8, 90.4, 91.0, 91.7, 92.7), atol=1.0)
    levels = table.where(panel="levels", scaling="raw")
    assert levels.where(method="full PCA")["classified"][0] == pytest.approx(95.8, abs=1.0)
    assert levels.where(method="sparse JL")["classified"][0] == pytest.approx(90.5, abs=1.0)
    assert levels.where(method="gain per nonzero, 5%")["classified"][0] == pytest.approx(95.0, abs=1.0)
