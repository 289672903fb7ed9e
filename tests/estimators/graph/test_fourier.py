"""GraphFourier: every kind of graph, its modes, filters, files and bad input."""

import pickle
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import jacobeig as je
from jacobeig import metrics
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError
from jacobeig.estimators._projection import WAYS
from jacobeig.estimators.graph import GraphFourier, laplacian_of

EXPECTED_FAILURES = {
    "check_fit2d_predict1d": "a 1-D array is welcome in transform: it is one signal, and its coefficients come back"
}
GRAPH = nx.random_geometric_graph(80, 0.22, seed=3)
EDGES = np.array(GRAPH.edges)
WEIGHTS = nx.to_scipy_sparse_array(GRAPH, dtype=float)
rng = np.random.default_rng(0)


def pygsp_like(W):
    return SimpleNamespace(W=W, L=laplacian_of(W), N=W.shape[0], is_directed=lambda: False)


@parametrize_with_checks(
    [GraphFourier(refine=False), GraphFourier(2, laplacian="normalized", which="both", max_nonzeros=3, refine=False)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_own_checks_pass_as_far_as_they_apply(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([GraphFourier()], expected_failed_checks=lambda estimator: EXPECTED_FAILURES)
def test_scikit_learns_own_checks_pass_with_refinement(estimator, check):
    check(estimator)


class TestGraphs:
    @pytest.mark.parametrize(
        "graph",
        [
            WEIGHTS,
            sparse.coo_matrix(WEIGHTS),
            WEIGHTS.toarray(),
            WEIGHTS.toarray().astype(int),
            EDGES,
            EDGES[:, ::-1],
            [tuple(edge) for edge in EDGES],
            np.column_stack([EDGES, np.ones(len(EDGES))]),
            pygsp_like(WEIGHTS),
        ],
        ids=["csr", "coo", "dense", "int", "edges", "turned edges", "list", "weighted edges", "pygsp"],
    )
    def test_any_kind_gives_the_modes_of_the_networkx_graph(self, graph):
        expected = GraphFourier(5, refine=False).fit(GRAPH)
        model = GraphFourier(5, refine=False).fit(graph)
        assert np.array_equal(model.modes_.toarray(), expected.modes_.toarray())
        assert model.n_features_in_ == 80

    def test_data_frames_name_the_nodes(self):
        pd = pytest.importorskip("pandas")
        names = [f"sensor {node}" for node in range(80)]
        model = GraphFourier(3, refine=False).fit(pd.DataFrame(WEIGHTS.toarray(), index=names, columns=names))
        assert list(model.feature_names_in_) == names
        signals = pd.DataFrame(rng.standard_normal((2, 80)), columns=names)
        assert isinstance(model.set_output(transform="pandas").transform(signals), pd.DataFrame)
        assert not hasattr(model.fit(GRAPH), "feature_names_in_")

    def test_networkx_nodes_keep_their_names_and_order(self):
        path = nx.relabel_nodes(nx.path_graph(4), {0: "c", 1: "a", 2: "b", 3: "d"})
        assert list(GraphFourier(2, refine=False).fit(path).nodes_) == ["c", "a", "b", "d"]
        assert list(GraphFourier(2, refine=False).fit(nx.grid_2d_graph(2, 2)).nodes_) == [
            (0, 0),
            (0, 1),
            (1, 0),
            (1, 1),
        ]

    @pytest.mark.parametrize(
        ("kind", "reference"),
        [("combinatorial", nx.laplacian_matrix), ("normalized", nx.normalized_laplacian_matrix)],
    )
    def test_laplacians_of_weighted_graphs_are_those_of_networkx(self, kind, reference):
        graph = nx.Graph()
        graph.add_weighted_edges_from((a, b, 0.5 + (a + b) % 3) for a, b in EDGES)
        graph.add_node("isolated")
        assert np.allclose(laplacian_of(graph, kind).toarray(), reference(graph).toarray())

    def test_self_loops_do_not_count(self):
        looped = WEIGHTS + sparse.diags_array(np.arange(80.0))
        for kind in ("combinatorial", "normalized"):
            assert np.allclose(laplacian_of(looped, kind).toarray(), laplacian_of(WEIGHTS, kind).toarray())

    def test_an_edge_listed_twice_counts_twice(self):
        assert laplacian_of([(0, 1), (1, 0), (1, 2)]).diagonal().tolist() == [2.0, 3.0, 1.0]

    def test_disconnected_graphs_and_isolated_nodes_have_a_zero_frequency_each(self):
        graph = nx.disjoint_union(nx.complete_graph(5), nx.cycle_graph(6))
        graph.add_node("alone")
        for kind in ("combinatorial", "normalized"):
            model = GraphFourier(4, laplacian=kind, density=1.0, pivot="classic", refine=False).fit(graph)
            assert np.allclose(model.frequencies_[:3], 0.0, atol=1e-9)
            assert model.frequencies_[3] > 0.1
            assert np.isclose(GraphFourier(4, laplacian=kind).fit(graph).frequencies_[0], 0.0)

    def test_a_graph_without_edges_works(self):
        assert np.all(GraphFourier(2).fit(np.zeros((4, 4))).frequencies_ == 0.0)

    def test_a_ready_laplacian_is_taken_as_it_is(self):
        expected = GraphFourier(5, refine=False).fit(GRAPH)
        for ready in (laplacian_of(GRAPH), laplacian_of(GRAPH).toarray(), pygsp_like(WEIGHTS)):
            model = GraphFourier(5, laplacian="ready", refine=False).fit(ready)
            assert np.array_equal(model.modes_.toarray(), expected.modes_.toarray())
        hermitian = np.array([[1.0, 1j, 0.0], [-1j, 2.0, 0.5], [0.0, 0.5, 1.0]])
        model = GraphFourier(3, laplacian="ready", density=1.0, target="log", refine=False).fit(hermitian)
        assert np.allclose(model.frequencies_, np.linalg.eigvalsh(hermitian))

    def test_single_precision_stays_single(self):
        model = GraphFourier(4, refine=False).fit(WEIGHTS.astype(np.float32))
        assert model.modes_.dtype == np.float32
        assert model.transform(np.ones((2, 80), np.float32)).dtype == np.float32


class TestDirected:
    def test_the_magnetic_laplacian_is_hermitian_and_turns_with_the_edges(self):
        laplacian = laplacian_of([(0, 1, 4.0), (1, 2, 1.0), (2, 1, 1.0)], directed=True, charge=0.25)
        assert np.allclose(laplacian.toarray(), [[2, -2j, 0], [2j, 3, -1], [0, -1, 1]])

    def test_a_charge_of_zero_forgets_the_directions(self):
        expected = laplacian_of((WEIGHTS + WEIGHTS.T) / 2)
        one_way = sparse.triu(WEIGHTS) * 2
        assert np.allclose(laplacian_of(one_way, directed=True, charge=0.0).toarray(), expected.toarray())

    def test_a_directed_ring_has_the_modes_of_the_discrete_fourier_transform(self):
        ring = nx.cycle_graph(12, create_using=nx.DiGraph)
        model = GraphFourier(12, density=1.0, target="log", charge=1 / 12, refine=False).fit(ring)
        turns = np.arange(12) / 12
        # The symmetric ring's 1 - cos(turn), each turned by one step of the charge.
        expected = np.sort(1.0 - np.cos(2 * np.pi * (turns + 1 / 12)))
        assert model.modes_.dtype == np.complex128
        assert np.allclose(model.frequencies_, expected, atol=1e-9)

    @pytest.mark.parametrize("way", WAYS)
    def test_coefficients_of_complex_signals_are_unitary(self, way):
        model = GraphFourier(20, density=1.0, refine=False).fit(nx.gn_graph(20, seed=1))
        signals = rng.standard_normal((5, 20)) + 1j * rng.standard_normal((5, 20))
        assert np.allclose(model._projection(signals, way), model.transform(signals))
        assert np.allclose(model.inverse_transform(model.transform(signals)), signals)
        assert np.allclose(np.linalg.norm(model.transform(signals)), np.linalg.norm(signals))

    def test_directions_are_a_choice_for_arrays_and_edges(self):
        one_way = sparse.triu(WEIGHTS)
        expected = GraphFourier(4, refine=False).fit(nx.from_scipy_sparse_array(one_way, create_using=nx.DiGraph))
        for graph in (one_way, sparse.triu(WEIGHTS).toarray(), EDGES):
            assert np.allclose(
                GraphFourier(4, directed=True, refine=False).fit(graph).frequencies_, expected.frequencies_
            )


class TestModes:
    @pytest.mark.parametrize(("which", "end"), [("low", "SA"), ("high", "LA"), ("both", "BE")])
    def test_at_full_density_are_eigenvectors_of_the_wanted_end(self, which, end):
        model = GraphFourier(6, which=which, density=1.0, pivot="classic", refine=False).fit(GRAPH)
        expected = metrics.extreme_eigenvalues(laplacian_of(GRAPH).toarray(), 6, end)
        assert np.allclose(model.frequencies_, expected, atol=1e-3)

    def test_are_orthonormal_sparse_and_have_positive_largest_entries(self):
        model = GraphFourier(8, max_nonzeros=12).fit(GRAPH)
        dense = model.modes_.toarray()
        assert metrics.orthonormality_error(dense) < 1e-12
        assert np.count_nonzero(dense, axis=0).max() <= 12
        assert np.all(dense[np.abs(dense).argmax(axis=0), np.arange(8)] > 0)
        assert np.allclose(model.frequencies_, np.diag(dense.T @ laplacian_of(GRAPH) @ dense))

    def test_one_signal_or_many_or_sparse_ones(self):
        model = GraphFourier(6).fit(GRAPH)
        signals = rng.standard_normal((4, 80))
        expected = signals @ model.modes_.toarray()
        assert np.allclose(model.transform(signals), expected)
        assert np.allclose(model.transform(signals[1]), expected[1])
        assert np.allclose(model.transform(list(signals[1])), expected[1])
        assert np.allclose(model.transform(sparse.csr_array(signals)), expected)
        assert model.inverse_transform(expected[0]).shape == (80,)
        assert np.allclose(model.transform(model.inverse_transform(expected)), expected)


class TestFilters:
    model = GraphFourier(6, density=0.5, refine=False).fit(GRAPH)
    signals = rng.standard_normal((3, 80))

    def test_amplify_each_mode_by_the_response_to_its_frequency(self):
        expected = self.model.transform(self.signals) * np.exp(-self.model.frequencies_)
        for response in (lambda frequency: np.exp(-frequency), np.exp(-self.model.frequencies_)):
            assert np.allclose(self.model.transform(self.model.filter(self.signals, response)), expected)
        assert np.allclose(
            self.model.filter(self.signals[0], response)[:5], self.model.filter(self.signals, response)[0, :5]
        )

    def test_let_the_rest_pass_as_told(self):
        assert np.allclose(self.model.filter(self.signals, np.ones(6), rest=1.0), self.signals)
        without = self.model.filter(sparse.csr_array(self.signals), 0.0, rest=1.0)
        assert np.allclose(self.model.transform(without), 0.0)

    def test_denoising_brings_a_smooth_signal_nearer(self):
        graph = nx.grid_2d_graph(12, 12)
        model = GraphFourier(30, density=0.3).fit(graph)
        x, y = np.array(model.nodes_.tolist()).T / 11
        clean = np.cos(np.pi * x) + np.cos(np.pi * y)
        noisy = clean + 0.7 * np.random.default_rng(1).standard_normal((5, 144))
        error = {strength: np.mean((model.denoise(noisy, strength) - clean) ** 2) for strength in (None, 0.0, 1e6)}
        assert error[None] < 0.5 * np.mean((noisy - clean) ** 2)
        assert error[None] < error[1e6]
        assert model.denoise(noisy[0]).shape == (144,)

    def test_denoising_warns_where_the_modes_leave_out_what_is_smooth(self):
        graph = nx.grid_2d_graph(12, 12)
        few, many = (GraphFourier(6, density=density).fit(graph) for density in (0.02, 0.9))
        x = np.array([node[0] for node in graph]) / 11
        noisy = np.cos(np.pi * x) + 0.3 * np.random.default_rng(1).standard_normal(144)
        with pytest.warns(UserWarning, match=r"leave out \d+% of the signals, and much of that is smooth"):
            few.denoise(noisy)
        assert np.mean((many.denoise(noisy) - np.cos(np.pi * x)) ** 2) < 0.09  # and no warning, which would be an error

    def test_denoising_with_the_default_modes_helps_or_warns(self):
        graph = nx.grid_2d_graph(40, 40)
        model, x = GraphFourier().fit(graph), np.array([node[0] for node in graph]) / 39
        signal, noise = np.cos(np.pi * x), np.random.default_rng(0).standard_normal(1600)
        assert np.mean((model.denoise(signal + 0.3 * noise) - signal) ** 2) < 0.5 * 0.09
        with pytest.warns(UserWarning, match="much of that is smooth"):  # less noise than the modes leave out
            denoised = model.denoise(signal + 0.1 * noise)
        assert np.mean((denoised - signal) ** 2) > 0.01

    def test_a_signal_may_be_given_by_node(self):
        values = dict(zip(GRAPH, self.signals[0], strict=True))
        assert np.array_equal(self.model.transform(values), self.model.transform(self.signals[0]))
        del values[7]
        with pytest.raises(InvalidInputError, match="no value for 1 of 80 nodes: '7'"):
            self.model.transform(values)

    def test_bad_responses_are_named(self):
        with pytest.raises(InvalidInputError, match=r"shape \(3,\); it must give a number for each of the 6"):
            self.model.filter(self.signals, np.ones(3))
        with pytest.raises(InvalidInputError, match="response must be finite, but entry 0 is nan"):
            self.model.filter(self.signals, lambda frequency: np.where(frequency > 0, np.nan, np.nan))
        with pytest.raises(InvalidInputError, match="a number for each"):
            self.model.filter(self.signals, lambda frequency: "loud")
        for strength in (-1.0, "strong", np.nan):
            with pytest.raises((InvalidInputError, InvalidTypeError), match="strength is"):
                self.model.denoise(self.signals, strength)


class TestDefaults:
    @pytest.mark.parametrize("p", [1, 2, 5, 12])
    def test_the_modes_of_a_connected_graph_cover_every_node(self, p):
        model = GraphFourier(p).fit(nx.grid_2d_graph(9, 9))
        assert len(np.unique(model.modes_.indices)) == 81
        assert model.modes_.nnz <= 81 * max(3, p / 2 if p > 1 else 1) + 1e-9

    def test_modes_are_refined_unless_rotations_alone_are_limited(self):
        assert GraphFourier(3, density=0.3).fit(GRAPH).decomposition_.rotations is None
        assert GraphFourier(3, n_rotations=40).fit(GRAPH).decomposition_.n_rotations == 40
        assert GraphFourier(3, density=0.3, refine=False).fit(GRAPH).decomposition_.rotations is not None


class TestTools:
    def test_a_fitted_one_serves_in_a_pipeline_of_signals(self):
        fourier = GraphFourier(10).fit(GRAPH)
        labels = np.arange(60) % 2
        signals = rng.standard_normal((60, 80)) + 2.0 * labels[:, np.newaxis] * fourier.modes_.toarray()[:, 0] * 3
        pipeline = make_pipeline(FrozenEstimator(fourier), LogisticRegression()).fit(signals, labels)
        assert pipeline.score(signals, labels) > 0.9

    def test_clone_pickle_and_feature_names(self):
        model = GraphFourier(3, laplacian="normalized").fit(GRAPH)
        again = pickle.loads(pickle.dumps(model))
        signal = np.arange(80.0)
        assert np.array_equal(again.transform(signal), model.transform(signal))
        assert clone(model).get_params() == model.get_params()
        assert list(model.get_feature_names_out()) == ["graphfourier0", "graphfourier1", "graphfourier2"]

    def test_large_sparse_graphs_need_no_dense_matrix(self):
        ring = sparse.diags_array([np.ones(29_999), np.ones(29_999)], offsets=[1, -1], shape=(30_000, 30_000))
        model = GraphFourier(4, n_rotations=50).fit(ring)
        assert model.transform(np.ones(30_000)).shape == (4,)


class TestFiles:
    def test_a_saved_model_comes_back_to_the_bit(self, tmp_path):
        for graph, refine in ((GRAPH, True), (nx.relabel_nodes(GRAPH, str), False), (nx.gn_graph(30, seed=0), False)):
            model = GraphFourier(4, density=0.2, refine=refine).fit(graph)
            model.save(tmp_path / "model.npz")
            again = GraphFourier.load(tmp_path / "model.npz")
            signals = rng.standard_normal((3, len(graph)))
            assert np.array_equal(again.transform(signals), model.transform(signals))
            assert np.array_equal(again.denoise(signals), model.denoise(signals))
            assert np.array_equal(again.nodes_, model.nodes_)
            assert again.get_params() == model.get_params()

    def test_node_names_that_a_plain_file_cannot_hold_are_refused(self, tmp_path):
        with pytest.raises(InvalidTypeError, match="convert_node_labels_to_integers"):
            GraphFourier(2, refine=False).fit(nx.grid_2d_graph(3, 3)).save(tmp_path / "model.npz")

    def test_damaged_and_foreign_files_raise(self, tmp_path):
        path = tmp_path / "model.npz"
        GraphFourier(2, refine=False).fit(GRAPH).save(path)
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(FileFormatError, match="damaged"):
            GraphFourier.load(path)
        path.write_bytes(whole)
        with np.load(path) as file:
            arrays = dict(file)
        np.savez(path, **(arrays | {"nodes": np.arange(3)}))
        with pytest.raises(FileFormatError, match=r"\(80,\) would fit the components"):
            GraphFourier.load(path)
        path.write_bytes(whole)
        with pytest.raises(FileFormatError, match=r"expected JacobiPCA: jacobeig\.GraphFourier\.load reads it"):
            je.JacobiPCA.load(path)


class TestBadInput:
    @pytest.mark.parametrize(
        ("graph", "words"),
        [
            (-WEIGHTS, "laplacian='ready'"),
            (sparse.triu(WEIGHTS), "directed=True"),
            (np.ones((4, 5)), "square, an edge list has 2 or 3 columns"),
            (np.array([[0.0, np.nan], [np.nan, 0.0]]), "NaN"),
            (np.array([[0.0, 1j], [-1j, 0.0]]), "Complex data not supported"),
            (np.zeros((1, 1)), "minimum of 2 is required"),
            (nx.empty_graph(1), "has 1 nodes; it needs at least two"),
            ([(0, 1), (1, 2, 3.0)], "mixes edges with and without weights"),
            ([], "empty"),
            ([("a", "b")], "of numbers"),
            ([(0, 1.5)], "node numbers"),
            ([(0, -1)], "node numbers"),
            ([(0, 1, np.inf)], r"graph must be finite, but entry \(0, 2\) is inf"),
            (np.full((4, 4), np.nan), "graph contains NaN; give a number for every edge"),
            (np.triu(np.ones((4, 4))), r"\(W \+ W.T\) / 2 if they do not\.$"),
            (np.triu(np.ones((3, 3))), "three weighted edges as a list"),
            (nx.Graph([(0, 1), (1, 2, {"weight": "2"})]), "weight '2' on the edge from 1 to 2; give numbers"),
            ("path", "graph is a str"),
            (object(), "graph is an object"),
        ],
    )
    def test_a_graph_that_cannot_be_used_gets_a_remedy(self, graph, words):
        with pytest.raises((ValueError, TypeError), match=words):
            GraphFourier(1).fit(graph)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"n_components": 81}, "there are 80 nodes: give at most 80"),
            ({"laplacian": "random walk"}, "laplacian is 'random walk'"),
            ({"laplacian": "ready"}, "laplacian is 'ready', but graph is a Graph"),
            ({"which": "middle"}, "which is 'middle'; give one of 'low', 'high', 'both'"),
            ({"directed": "yes"}, "directed is 'yes'"),
            ({"charge": "positive"}, "charge is 'positive'"),
            ({"charge": np.inf}, "charge is inf"),
        ],
    )
    def test_a_parameter_that_cannot_be_used_is_named(self, options, words):
        with pytest.raises((InvalidInputError, InvalidTypeError), match=words):
            GraphFourier(**options).fit(GRAPH)

    def test_a_signal_of_the_wrong_length_says_both_lengths(self):
        model = GraphFourier(3, refine=False).fit(GRAPH)
        for signal in (np.ones(79), np.ones((2, 79)), np.ones(79) * 1j, sparse.csr_array(np.ones((2, 79)))):
            with pytest.raises(ValueError, match="79 features, but GraphFourier is expecting 80"):
                model.transform(signal)
        with pytest.raises(InvalidInputError, match=r"shape \(5,\); give 3"):
            model.inverse_transform(np.ones(5))

    def test_signals_with_gaps_and_unfitted_models_get_the_usual_errors(self):
        with pytest.raises(InvalidInputError, match="signals contains NaN; give a number for every node"):
            GraphFourier(3, refine=False).fit(GRAPH).transform(np.full(80, np.nan + 1j))
        with pytest.raises(NotFittedError):
            GraphFourier(3).transform(np.ones(80))
        with pytest.raises(NotFittedError):
            GraphFourier(3).inverse_transform(np.ones(3))


def test_weights_whose_sums_overflow_are_refused_without_a_warning():
    with pytest.raises(InvalidInputError, match=r"graph has entries up to 1.7e\+308.*divide it"):
        je.GraphFourier(1).fit(np.full((4, 4), 1.7e308))
