"""`jacobeig eig` and `jacobeig graph`: what they compute and write."""

import functools
from pathlib import Path

import numpy as np
import pytest
from commands import (
    EDGES,
    GENES,
    S,
    read_rows,
    run,
    run_json,
    write_csv,
    write_edges,
)
from scipy import sparse
from scipy.io import mmwrite

import jacobeig as je


def test_eig_gives_the_numbers_of_the_library(report):
    write_csv("S.csv", S, GENES, GENES)
    record = run_json("eig", "S.csv", "-p", "3", "-d", "0.2", "--which", "sa")
    result = je.sparse_eigsh(S, 3, density=0.2, which="SA")
    assert record["eigenvalues"] == result.eigenvalues.tolist()
    assert record["accuracy"] == je.metrics.accuracy(S, result.vectors, which="SA")
    np.testing.assert_array_equal(je.load("S-eig/model.npz").vectors.toarray(), result.vectors.toarray())
    assert read_rows("S-eig/components.csv")[0]["row"] in GENES
    assert report[0][1]["feature_names"] == GENES


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-d", "0.3", "--refine", "best"], lambda: je.sparse_eigsh(S, 2, density=0.3, refine="best")),
        (
            ["-d", "0.3", "--no-orthonormal"],
            lambda: je.refine(S, je.sparse_eigsh(S, 2, density=0.3), density=0.3, orthonormal=False),
        ),
        (["--which", "BE", "--rotations", "9"], lambda: je.sparse_eigsh(S, 2, which="BE", n_rotations=9)),
        ([], lambda: je.sparse_eigsh(S, 2, max_nonzeros=10)),
    ],
)
def test_every_option_of_eig_reaches_the_solver(arguments, expected):
    np.save("S.npy", S)
    run("eig", "S.npy", "-p", "2", "--no-report", "-q", *arguments)
    np.testing.assert_array_equal(je.load("S-eig/model.npz").vectors.toarray(), expected().vectors.toarray())


def test_eig_takes_hermitian_and_sparse_matrices():
    hermitian = S[:6, :6] + 1j * np.triu(np.ones((6, 6)), 1) - 1j * np.tril(np.ones((6, 6)), -1)
    np.save("H.npy", hermitian)
    record = run_json("eig", "H.npy", "-p", "2", "--rotations", "8", "--no-report")
    assert record["eigenvalues"] == je.sparse_eigsh(hermitian, 2, n_rotations=8).eigenvalues.tolist()
    assert set(read_rows("H-eig/components.csv")[0]) == {"component", "rank", "row", "real", "imaginary"}
    sparse.save_npz("L.npz", sparse.csr_array(np.diag([1.0, 2.0, 3.0, 4.0])))
    assert run_json("eig", "L.npz", "-p", "1", "--no-report")["eigenvalues"] == [4.0]


def test_a_matrix_that_is_not_symmetric_is_answered_with_the_option_that_helps():
    lopsided = S.copy()
    lopsided[0, 1] += 1.0
    np.save("S.npy", lopsided)
    result = run("eig", "S.npy", code=2)
    assert "must be symmetric" in result.stderr
    assert "--symmetrize" in result.stderr
    assert not Path("S-eig").exists()
    run("eig", "S.npy", "-p", "2", "--symmetrize", "--no-report")


def test_vectors_without_any_error_are_orthonormal_to_rounding():
    np.save("S.npy", np.diag([1.0, 2.0, 3.0, 4.0]))
    output = run("eig", "S.npy", "--no-report").stdout
    assert "orthonormal to rounding" in " ".join(output.split())
    assert "0e+00" not in output
    assert "rounding" in run("info", "S-eig/model.npz").stdout


def test_graph_gives_the_numbers_of_the_library(report):
    nx = pytest.importorskip("networkx")
    write_edges()
    places = "".join(f"{name},{t},{t * t}\n" for t, name in enumerate(["kim", "ida", "tom", "eve", "ben", "anna"]))
    Path("places.csv").write_text("node,x,y\n" + places, encoding="utf-8")
    record = run_json("graph", "friends.csv", "-p", "2", "-d", "0.6", "--coordinates", "places.csv")
    model = je.GraphFourier(2, density=0.6).fit(nx.Graph(EDGES))
    assert record["frequencies"] == model.frequencies_.tolist()
    assert (record["n_nodes"], record["n_edges"]) == (6, 7)
    saved = je.GraphFourier.load("friends-graph/model.npz")
    assert saved.nodes_.tolist() == ["anna", "ben", "eve", "tom", "ida", "kim"]
    np.testing.assert_array_equal(saved.modes_.toarray(), model.modes_.toarray())
    options = report[0][1]
    assert options["feature_names"] == saved.nodes_.tolist()
    np.testing.assert_array_equal(options["coordinates"][:2], [[5, 25], [4, 16]])
    ends = zip(*options["edges"].nonzero(), strict=True)
    pairs = {frozenset((options["feature_names"][a], options["feature_names"][b])) for a, b in ends}
    assert pairs == {frozenset(edge) for edge in EDGES}


def test_edges_are_for_a_map_only(report):
    write_edges()
    run("graph", "friends.csv", "-p", "2")
    assert set(report[0][1]) == {"feature_names", "title", "front"}


def test_every_option_of_graph_reaches_the_model():
    write_edges()
    run("graph", "friends.csv", "-p", "2", "--directed", "--laplacian", "normalized", "--which", "high",
        "--rotations", "6", "--no-report")  # fmt: skip
    saved = je.GraphFourier.load("friends-graph/model.npz")
    expected = je.GraphFourier(2, directed=True, laplacian="normalized", which="high", n_rotations=6)
    assert saved.get_params() == expected.get_params()
    index = {name: t for t, name in enumerate(saved.nodes_.tolist())}
    expected.fit(np.array([(index[a], index[b]) for a, b in EDGES]))
    np.testing.assert_array_equal(saved.frequencies_, expected.frequencies_)
    assert set(read_rows("friends-graph/components.csv")[0]) == {"component", "rank", "node", "real", "imaginary"}


def test_a_graph_of_three_edges_is_a_list_of_edges():
    Path("x.edges").write_text("0 1 1\n1 2 1\n2 0 5\n", encoding="utf-8")
    assert run_json("graph", "x.edges", "-p", "1", "--no-report")["n_edges"] == 3


def test_a_directed_matrix_is_answered_with_the_options_that_help():
    np.save("W.npy", np.triu(np.ones((5, 5)), 1))
    result = run("graph", "W.npy", code=2)
    assert "--directed" in result.stderr
    assert "--symmetrize" in result.stderr
    run("graph", "W.npy", "-p", "2", "--symmetrize", "--no-report")


def test_sums_stand_beside_the_exact_ones_where_shares_make_no_sense():
    np.save("A.npy", np.array([[0.0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]]))
    exact = np.linalg.eigvalsh(np.load("A.npy"))
    output = run("eig", "A.npy", "-p", "2", "--which", "SA", "--no-report").stdout
    found = je.load("A-eig/model.npz").eigenvalues.sum()
    assert f"Their eigenvalues sum to {found:.5g}, the exact ones to {exact[:2].sum():.5g}" in output
    output = run("eig", "A.npy", "-p", "2", "--which", "BE", "--no-report").stdout
    assert f"the exact ones to {np.abs(exact[[0, -1]]).sum():.5g}" in output
    output = run("eig", "A.npy", "-p", "1", "--no-report").stdout
    found = je.load("A-eig/model.npz").eigenvalues.sum()
    assert f"{found / exact[-1]:.1%} of what the exact ones do" in output
    write_edges()
    output = run("graph", "friends.csv", "-p", "2", "-d", "0.5", "--no-report").stdout
    model = je.GraphFourier.load("friends-graph/model.npz")
    graph = pytest.importorskip("networkx").Graph(EDGES)
    exact = np.linalg.eigvalsh(pytest.importorskip("networkx").laplacian_matrix(graph).toarray())[:2].sum()
    assert f"their frequencies sum to {model.frequencies_.sum():.4g}, those of exact modes to {exact:.4g}" in " ".join(
        output.split()
    )


def test_a_matrix_without_a_trace_has_a_report_of_sums():
    pytest.importorskip("plotly")
    np.save("A.npy", 1.0 - np.eye(6))
    record = run_json("eig", "A.npy", "-p", "2", "-d", "50%")
    assert record["notes"] == []
    assert Path("A-eig/report.html").exists()


@functools.cache
def fit_les_miserables():
    graph = pytest.importorskip("networkx").les_miserables_graph()
    return graph, je.GraphFourier(6, max_nonzeros=10, laplacian="normalized").fit(graph)


@pytest.mark.parametrize("ending", ["edgelist", "graphml", "gml", "mtx", "csv", "edges"])
def test_les_miserables_are_read_from_whatever_networkx_writes(ending, report):
    nx = pytest.importorskip("networkx")
    graph, model = fit_les_miserables()
    write = {
        "edgelist": nx.write_edgelist,
        "graphml": nx.write_graphml_xml,
        "gml": nx.write_gml,
        "mtx": lambda graph, path: mmwrite(path, nx.to_scipy_sparse_array(graph)),
        "csv": lambda graph, path: nx.to_pandas_edgelist(graph).to_csv(path, index=False),
        "edges": nx.write_weighted_edgelist,
    }
    write[ending](graph, f"novel.{ending}")
    record = run_json("graph", f"novel.{ending}", "--laplacian", "normalized", "-p", "6", "--max-nonzeros", "10")
    assert (record["n_nodes"], record["n_edges"]) == (77, 254)
    assert sum(record["frequencies"]) == pytest.approx(model.frequencies_.sum(), rel=0.02)  # nodes come in other orders
    first = [row for row in read_rows("novel-graph/components.csv") if row["component"] == "1"]
    named = {row["node"] for row in first}
    friends = {"Favourite", "Blacheville", "Dahlia", "Listolier", "Fameuil", "Zephine", "Tholomyes", "Fantine"}
    assert named >= (friends if ending != "mtx" else {str(list(graph).index(name)) for name in friends})


def test_modes_of_single_nodes_are_answered_with_the_other_laplacian(report):
    nx = pytest.importorskip("networkx")
    nx.write_graphml_xml(nx.les_miserables_graph(), "novel.graphml")
    told = run("graph", "novel.graphml").output
    assert "modes are mostly one node" in " ".join(told.split())
    assert "--laplacian normalized looks for groups" in " ".join(told.split())
    told = run("graph", "novel.graphml", "-p", "6", "--laplacian", "normalized").output
    assert "mostly one node" not in " ".join(told.split())
    assert "jacobeig graph novel.graphml --components 6 --laplacian normalized --max-nonzeros" in told


def test_two_nodes_alike_are_not_one_alone():
    Path("pair.csv").write_text("from,to\nanna,ben\n")
    assert run_json("graph", "pair.csv", "--no-report")["notes"] == []


def test_the_command_that_draws_nodes_where_they_lie_repeats_what_was_asked(report):
    write_edges()
    options = ("-p", "2", "--max-nonzeros", "3", "--laplacian", "normalized", "--checkpoint", "state.npz")
    told = " ".join(run("graph", "friends.csv", *options).stdout.split())
    again = "graph friends.csv --components 2 --max-nonzeros 3 --checkpoint state.npz --laplacian normalized"
    assert f"jacobeig {again} --coordinates FILE the graph drawn" in told
