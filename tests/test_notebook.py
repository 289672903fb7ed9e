"""What a notebook shows: tables, pictures, the page and progress, by running one."""

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for module in ("ipykernel", "sklearn", "pandas", "matplotlib", "networkx", "plotly"):
    pytest.importorskip(module)

CELLS = [
    """
import numpy as np, networkx as nx, jacobeig as je
from sklearn.datasets import load_wine
wine = load_wine(as_frame=True).data
pca = je.JacobiPCA(3, max_nonzeros=3, scale=True)
pca
""",
    "pca.fit(wine)",
    "pca.decomposition_",
    "je.compare(np.cov(wine.T), 2, [0.3], methods=['chain', 'threshold'], progress=True)",
    "_.to_pandas()",
    "pca.stability(wine, n_refits=3, progress=True)",
    "je.report(pca, 'wine.html', title='Wine & more')",
    "je.GraphFourier(3).fit(nx.les_miserables_graph())",
    "%matplotlib inline\npca.plot();",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS])
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute()
    return [cell.outputs for cell in notebook.cells], folder


def html_of(outputs, cell):
    return "".join(output.data.get("text/html", "") for output in outputs[0][cell] if "data" in output)


@pytest.mark.compiled
def test_estimators_show_their_parameters_and_once_fitted_their_components(outputs):
    before, after = html_of(outputs, 0), html_of(outputs, 1)
    assert "JacobiPCA" in before
    assert "leading features" not in before
    assert "<th>leading features</th>" in after
    assert "flavanoids" in after
    assert "<th>leading nodes</th>" in html_of(outputs, 7)


@pytest.mark.compiled
def test_results_comparisons_and_stability_are_tables(outputs):
    assert "<th>Rayleigh quotient</th>" in html_of(outputs, 2)
    assert "<td>threshold</td>" in html_of(outputs, 3)
    assert "orthonormality_error" in html_of(outputs, 4)
    assert "<th>similarity</th>" in html_of(outputs, 5)


@pytest.mark.compiled
def test_progress_is_shown_without_widgets_and_taken_away(outputs):
    for cell in (3, 5):
        first = outputs[0][cell][0]
        assert first.output_type == "display_data"
        assert first.data["text/html"] == ""  # as it is at the end
        assert not [output for output in outputs[0][cell] if output.output_type == "stream"]  # no warning


@pytest.mark.compiled
def test_the_page_is_shown_in_place_and_written(outputs):
    written = (outputs[1] / "wine.html").read_text(encoding="utf-8")
    shown = html_of(outputs, 6)
    assert "<iframe srcdoc=" in shown
    assert "Wine &amp;amp; more" in shown  # the page's own escape, within an attribute
    assert len(shown) > len(written)


@pytest.mark.compiled
def test_pictures_are_drawn(outputs):
    assert any("image/png" in output.get("data", {}) for output in outputs[0][8])
