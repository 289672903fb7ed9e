"""The page works in a real browser, logs nothing and asks for nothing."""

import csv
import json
import re
import shutil

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from pages import COVARIANCE, DIGITS, NASTY, data_in
from sklearn.datasets import load_digits

import jacobeig as je

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with sync_api.sync_playwright() as playwright:
        # With the scroll bars that a desktop has.
        shown = {"executable_path": CHROMIUM, "ignore_default_args": ["--hide-scrollbars"]}
        browser = playwright.chromium.launch(args=FLAGS, **shown)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def opened(browser):
    """Open pages; nothing may be logged and no request may leave."""
    said, asked = [], []

    def open_page(path, width=1200, scheme="light", **options):
        context = browser.new_context(viewport={"width": width, "height": 850}, color_scheme=scheme, **options)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", timeout=60_000)
        return page

    open_page.said, open_page.asked = said, asked
    return open_page


@pytest.fixture(scope="module")
def digits_path(pca, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "digits.html"
    return je.report(pca, path, shape=(8, 8), matrix=COVARIANCE, title="Digits")


@pytest.fixture(scope="module")
def digits_page(opened, digits_path):
    return opened(digits_path, scheme="dark", accept_downloads=True)


@pytest.fixture
def digits(digits_page):
    """One page for many tests, since opening it takes long: as it was when it was opened."""
    digits_page.locator("#slider").press("End")
    digits_page.select_option("#component", "0")
    digits_page.select_option("#rowsof", "one")
    settled(digits_page)
    return digits_page


@pytest.fixture(scope="module")
def nasty(opened, tmp_path_factory):
    result = je.sparse_eigsh(je.datasets.random_covariance(len(NASTY), rng=0), 2)
    path = je.report(result, tmp_path_factory.mktemp("pages") / "nasty.html", feature_names=NASTY, title=NASTY[0])
    return opened(path, width=360, has_touch=True, is_mobile=True, accept_downloads=True)


def settled(page):
    """Wait until what was asked for is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")


def pictured(page, chart="overview"):
    return page.evaluate(f"() => JSON.stringify(document.getElementById('{chart}').data.map((t) => [t.x, t.y, t.z]))")


def tiles(page):
    return dict(zip(texts(page, "#tiles dt"), texts(page, "#tiles dd"), strict=True))


def texts(page, selector):
    return page.locator(selector).evaluate_all("all => all.map((one) => one.textContent)")


def downloaded(page):
    """Return the name and the rows of the csv."""
    with page.expect_download() as started:
        page.click("#download")
    with open(started.value.path(), encoding="utf-8-sig", newline="") as file:
        return started.value.suggested_filename, list(csv.DictReader(file))


def numbers_in(page, column):
    return [float(text.replace("\N{MINUS SIGN}", "-")) for text in texts(page, f"#rows td:nth-child({column})")]


def colours(page):
    """Return the background of the page and the colour of a figure's letters."""
    figure = page.evaluate("() => document.getElementById('curve').layout.font.color")
    return page.evaluate("() => getComputedStyle(document.body).backgroundColor"), figure


@pytest.fixture(autouse=True)
def _nothing_is_logged_or_asked_for(opened):
    yield
    assert opened.said == []
    assert opened.asked != []
    assert [url for url in opened.asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_the_slider_moves_by_keyboard_and_the_pictures_follow(digits, digits_path):
    page, rotations = digits, data_in(digits_path)["rotations"]
    slider = page.locator("#slider")
    assert slider.input_value() == str(len(rotations) - 1)
    charts = ("overview", "bars", "variance", "curve")
    before = [pictured(page, chart) for chart in charts]
    slider.focus()
    page.keyboard.press("Home")
    settled(page)
    first = [pictured(page, chart) for chart in charts]
    assert tiles(page)["Rotations"].startswith("0 ")
    assert not any(old == new for old, new in zip(before, first, strict=True))
    assert "density 1.6%" in slider.get_attribute("aria-valuetext").lower()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    settled(page)
    assert slider.input_value() == "7"
    assert tiles(page)["Rotations"].startswith(f"{rotations[7]} ")
    assert [pictured(page, chart) for chart in ("overview", "variance", "curve")] != [first[0], *first[2:]]
    page.keyboard.press("End")
    settled(page)
    assert [pictured(page, chart) for chart in charts] == before


def test_what_is_drawn_is_the_component(digits, pca):
    page = digits
    images = json.loads(pictured(page))
    assert len(images) == 10
    for (_, _, z), component in zip(images, pca.components_, strict=True):
        np.testing.assert_allclose(z, component.reshape(8, 8) / np.abs(component).max(), atol=1e-6)
    bars = json.loads(pictured(page, "bars"))[0][0]
    largest = pca.components_[0][np.argsort(-np.abs(pca.components_[0]))][: len(bars)]
    np.testing.assert_allclose(bars, largest, atol=1e-6)
    cumulated = json.loads(pictured(page, "variance"))[1][1]
    np.testing.assert_allclose(cumulated, 100 * np.cumsum(pca.explained_variance_ratio_), rtol=1e-6)


def test_points_of_the_curve_and_images_can_be_chosen(digits, digits_path):
    page = digits
    page.evaluate("() => scrollTo(0, 0)")
    place = page.evaluate("""() => {
        const box = document.querySelector('#curve .nsewdrag').getBoundingClientRect();
        const { _fullLayout: layout, data } = document.getElementById('curve');
        return [box.x + layout.xaxis.l2p(data[0].x[20]), box.y + layout.yaxis.l2p(data[0].y[20])];
    }""")
    page.mouse.move(*place)
    page.mouse.click(*place)
    settled(page)
    assert abs(int(page.locator("#slider").input_value()) - 20) <= 2
    page.select_option("#component", "6")
    settled(page)
    assert page.inner_text("#barshint").startswith("Component 7:")
    page.click("#next")
    settled(page)
    assert page.inner_text("#barshint").startswith("Component 8:")
    page.select_option("#axis", "rotations")
    settled(page)
    assert json.loads(pictured(page, "curve"))[0][0] == data_in(digits_path)["rotations"]
    page.select_option("#axis", "density")


def test_the_path_plays(digits):
    page = digits
    page.click("#play")
    page.wait_for_function("() => Number(document.getElementById('slider').value) === 2")
    assert page.inner_text("#play") == "Pause"
    page.click("#play")
    assert page.inner_text("#play") == "Play"


def test_the_table_sorts_by_click_and_by_key(digits):
    page = digits
    head = page.locator("th[data-key=value]")
    head.locator("button").click()
    values = numbers_in(page, 2)
    assert len(values) > 5
    assert values == sorted(values, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert numbers_in(page, 2) == values[::-1]
    page.locator("th[data-key=name] button").focus()
    page.keyboard.press("Space")
    names = texts(page, "#rows td:first-child")
    assert names == sorted(names)
    page.select_option("#rowsof", "all")
    assert set(texts(page, "#rows td:nth-child(2)")) > {"1", "2"}
    page.fill("#find", "row 3, column 3")
    assert set(texts(page, "#rows td:first-child")) == {"row 3, column 3"}
    page.fill("#find", "")


def test_the_csv_has_every_loading(digits, pca):
    name, rows = downloaded(digits)
    assert name == f"loadings-{pca.decomposition_.n_rotations}-rotations.csv"
    found = np.zeros((10, 8, 8))
    for row in rows:
        at = [int(word) for word in re.findall(r"\d+", row["pixel"])]
        found[int(row["component"]) - 1, at[0], at[1]] = float(row["loading"])
    np.testing.assert_allclose(found.reshape(10, 64), pca.components_, atol=1e-7)
    assert len(rows) == np.count_nonzero(pca.components_)


def test_names_are_text_in_every_place(nasty):
    page = nasty
    assert page.title() == page.inner_text("h1") == NASTY[0]
    page.select_option("#rowsof", "all")
    assert set(texts(page, "#rows td:first-child")) == set(NASTY)
    labels = " ".join(texts(page, "#bars .ytick text, #overview .ytick text"))
    for name in ("<script>alert", "<b>bold</b>", "Q&A &lt;", "naïve 数 🧬", "two lines", "=1+1"):
        assert name in labels
    assert page.locator("#bars b, #overview b, #rows b, #rows script, #bars tspan[style*=bold]").count() == 0
    _, rows = downloaded(page)
    assert {row["feature"].removeprefix("'") for row in rows} == set(NASTY)
    assert not any(row["feature"].startswith(("=", "-")) for row in rows)


def test_samples_move_with_the_slider_and_with_the_choice_of_components(opened, pca, tmp_path):
    labels = pd.Series([f"<b>{digit}</b>" for digit in load_digits().target], name="digit")
    page = opened(je.report(pca, tmp_path / "page.html", data=DIGITS, labels=labels))
    assert page.evaluate("() => document.getElementById('samples').data[3].name") == "&lt;b&gt;3&lt;/b&gt;"

    def drawn(label):
        x, y, _ = json.loads(pictured(page, "samples"))[label]
        return np.array([x, y]).T

    scores = pca.transform(DIGITS)
    threes = labels == "<b>3</b>"
    last = drawn(3)
    np.testing.assert_allclose(last, scores[threes][:, :2], atol=1e-4)
    page.select_option("#across", "4")
    page.select_option("#up", "2")
    settled(page)
    np.testing.assert_allclose(drawn(3), scores[threes][:, [4, 2]], atol=1e-4)
    page.locator("#slider").press("Home")
    settled(page)
    start = pca.decomposition_.rotations.coordinates[[4, 2]]
    np.testing.assert_allclose(drawn(3), (DIGITS - pca.mean_)[threes][:, start], atol=1e-4)
    assert page.locator("#samples .legend text:has-text('<b>3</b>')").count() == 1
    hover = page.evaluate("() => document.getElementById('samples').data[3].hovertemplate[0]")
    assert hover.startswith("<b>sample 3</b><br>digit: &lt;b&gt;3&lt;/b&gt;<br>component 5: ")


def test_scores_held_by_the_page_move_with_the_slider_too(opened, tmp_path):
    X = np.random.default_rng(0).standard_normal((300, 3000))
    model = je.JacobiPCA(2, n_rotations=2998, pivot="cyclic").fit(X)
    page = opened(je.report(model, tmp_path / "page.html", data=X, labels=np.linspace(0, 1, 300)))
    ((x, y, _),) = json.loads(pictured(page, "samples"))
    np.testing.assert_allclose(np.array([x, y]).T, model.transform(X), atol=1e-4)
    page.locator("#slider").press("Home")
    settled(page)
    ((x, y, _),) = json.loads(pictured(page, "samples"))
    start = model.decomposition_.rotations.coordinates
    np.testing.assert_allclose(np.abs([x, y]).T, np.abs(X - model.mean_)[:, start], atol=1e-4)


def test_there_is_no_card_of_samples_without_data(digits):
    assert not digits.is_visible("#samplescard")


def test_the_curve_runs_into_the_point_that_is_shown(digits):
    end, point = digits.evaluate("""() => [
        document.querySelector('#curve path.js-line').getAttribute('d').split('L').at(-1),
        [...document.querySelectorAll('#curve .points path')].at(-1).getAttribute('transform')]""")
    assert point == f"translate({end})"
    assert digits.evaluate("() => document.getElementById('curve').data.at(-1).marker.symbol") == "circle-open"


def test_light_and_dark_follow_the_system_and_the_button(digits):
    page = digits
    dark = colours(page)
    page.click("#theme")
    settled(page)
    light = colours(page)
    assert all(old != new for old, new in zip(dark, light, strict=True))
    page.click("#theme")
    settled(page)
    assert colours(page) == dark
    page.emulate_media(color_scheme="light")
    settled(page)
    assert colours(page) == light


def test_a_phone_scrolls_down_only_and_its_targets_fit_a_finger(nasty):
    page = nasty
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    for control in page.locator("button:visible, select:visible, input:visible").all():
        assert control.bounding_box()["height"] >= 40


def test_a_narrow_window_scrolls_down_only(digits):
    digits.set_viewport_size({"width": 360, "height": 800})
    settled(digits)
    assert digits.evaluate("() => document.documentElement.scrollWidth") <= 360
    digits.set_viewport_size({"width": 1200, "height": 850})


def test_nothing_drawn_is_wider_than_its_card(opened, digits_path):
    wide = """() => [...document.querySelectorAll('.js-plotly-plot')]
        .filter((chart) => chart._fullLayout && chart._fullLayout.width > chart.clientWidth + 1)
        .map((chart) => chart.id)"""
    page = opened(digits_path)
    for height in (1200, 1600, 2000, 2400):  # where the last chart brings the scroll bar
        page.set_viewport_size({"width": 1280, "height": height})
        page.reload()
        page.wait_for_selector("html[data-ready]", timeout=60_000)
        assert page.evaluate(wide) == []


def test_a_refined_result_shows_all_but_the_slider(opened, tmp_path):
    refined = je.refine(COVARIANCE, je.sparse_eigsh(COVARIANCE, 4, density=0.2))
    page = opened(je.report(refined, tmp_path / "page.html", shape=(8, 8)))
    assert not page.is_visible("#slider")
    assert "no slider" in page.inner_text("#notes")
    assert len(json.loads(pictured(page))) == 4
    assert page.locator("#rows tr").count() > 0


def test_a_mode_is_drawn_on_the_graph(opened, tmp_path):
    graph = nx.random_geometric_graph(60, 0.25, seed=0)
    fourier = je.GraphFourier(5, density=0.3, refine=False).fit(graph)
    places = nx.get_node_attributes(graph, "pos")
    page = opened(je.report(fourier, tmp_path / "page.html", coordinates=places))
    page.select_option("#component", "3")
    settled(page)
    (edges, *_), rest, drawn = json.loads(pictured(page))
    assert len(edges) == 3 * graph.number_of_edges()
    mode = fourier.modes_[:, [3]].toarray().ravel()
    assert len(drawn[0]) == np.count_nonzero(mode)
    assert len(rest[0]) == np.count_nonzero(mode == 0)
    places_used = sorted(places[node][0] for node in np.flatnonzero(mode).tolist())
    np.testing.assert_allclose(sorted(drawn[0]), places_used, atol=1e-6)
    exact = np.linalg.eigvalsh(fourier.laplacian_.toarray())[:5].sum()
    assert tiles(page)["Sum of frequencies"] == f"{fourier.frequencies_.sum():.4g} exact modes: {exact:.4g}"
    assert "Accuracy" not in tiles(page)
    assert page.evaluate("() => document.getElementById('curve').layout.shapes[0].y0") == pytest.approx(exact)


def test_frequencies_that_fall_by_orders_of_magnitude_can_all_be_seen(opened, tmp_path):
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(14, 14))
    model = je.GraphFourier(4, max_nonzeros=80).fit(nx.disjoint_union_all([grid] * 2))
    page = opened(je.report(model, tmp_path / "page.html"))
    curve = page.evaluate("() => document.getElementById('curve')._fullLayout.yaxis")["type"]
    highest = page.evaluate("() => document.getElementById('variance').layout.yaxis.range[1]")
    assert curve == "log"
    assert model.frequencies_.max() < highest < 1.2 * model.frequencies_.max()
    page.locator("#slider").press("Home")
    settled(page)
    assert page.evaluate("() => document.getElementById('variance').layout.yaxis.range[1]") > 1.0


@pytest.mark.parametrize("width", [390, 1400])
def test_a_graph_fills_its_card_on_a_phone_too(opened, tmp_path, width):
    fourier = je.GraphFourier(3, max_nonzeros=8, refine=False).fit(nx.karate_club_graph())
    page = opened(je.report(fourier, tmp_path / "graph.html"), width=width)
    assert page.inner_text("#overviewtitle") == "Mode 1 on the graph"
    drawn, card = (page.locator(f"#overview {inner}").first.bounding_box() for inner in (".scatterlayer", ".main-svg"))
    assert drawn["height"] > 0.7 * card["height"] or drawn["width"] > 0.7 * card["width"]


def test_shares_too_small_to_be_seen_are_not_shown_as_zero(opened, tmp_path):
    pca = je.JacobiPCA(1, max_nonzeros=2).fit(np.arange(9.0)[:, np.newaxis] * [100.0, 1.0, 0.5])
    page = opened(je.report(pca, tmp_path / "x.html"))
    assert texts(page, "#rows td:nth-child(3)") == ["100.0%", "<0.1%"]


@pytest.mark.parametrize("width", [390, 1200])
def test_names_of_arrows_are_not_cut_off(opened, tmp_path, width):
    factors, noise = (np.random.default_rng(0).standard_normal((60, k)) for k in (2, 16))
    samples = factors @ np.kron(np.diag([3.0, 2.5]), np.ones((1, 8))) + 0.3 * noise
    page = opened(je.report(je.JacobiPCA(2, max_nonzeros=8).fit(samples), tmp_path / "x.html", data=samples), width)
    top = page.locator("#samples .main-svg").first.bounding_box()["y"]
    assert min(name.bounding_box()["y"] for name in page.locator("#samples .annotation-text").all()) >= top
