"""GraphFourier: transforms, filters and denoising of signals on a graph, by sparse modes of its Laplacian."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from jacobeig._arguments import check_boolean, check_choice, check_finite, check_real, list_names
from jacobeig._docs import share_docs
from jacobeig._types import FloatArray, PathLike, Which
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.estimators._model import SparseModel, choose_signs, make_projection, share_parameters
from jacobeig.estimators.graph.laplacian import LAPLACIANS, laplacian_of
from jacobeig.estimators.graph.libraries import as_graph, is_matrix
from jacobeig.results.result import EigenResult
from jacobeig.solve import covering_density

WHICH: dict[str, Which] = {"low": "SA", "high": "LA", "both": "BE"}
# The strengths among which denoising chooses, in units of one over the mean frequency.
STRENGTHS = np.concatenate([[0.0], np.logspace(-3, 3, 61)])
# Denoising warns where it loses more than this share of the squared signals, and that varies over the graph less than
# this share of what white noise does: then more of it is smooth than is noise, and denoising brings more error than it
# takes away. Signals that the modes hold almost wholly need no warning, however little noise there is.
LOST, SMOOTH = 0.01, 0.5

share_signals = share_docs(
    signals="""
signals : array_like (n_nodes,) or (n_signals, n_nodes), data frame, scipy sparse array or dict
    One signal, or one per row, real or complex; or one signal as a dict of the value at each node.
""",
    filtered="""
Returns
-------
ndarray (n_nodes,) or (n_signals, n_nodes)
    The signals that are left.
""",
)


@share_parameters
class GraphFourier(SparseModel):
    """Graph Fourier transform on a few sparse, exactly orthonormal modes.

    The modes approximate eigenvectors of the graph's Laplacian. Each is zero at most nodes, so that transforms are
    quick and a mode can be shown on the graph.

    Parameters
    ----------
    n_components : int, optional
        Number of modes; by default 10, but at most half the number of nodes.
    laplacian : {"combinatorial", "normalized", "ready"}, default "combinatorial"
        D - W, or I - D^(-1/2) W D^(-1/2); "ready" says that `fit` is given a Laplacian itself, any symmetric or
        Hermitian matrix.
    which : {"low", "high", "both"}, default "low"
        The smooth modes, the rough ones, or half of each (one more rough one if their number is odd).
    directed : bool, optional
        Whether edges have directions, which makes the modes complex (magnetic Laplacian); by default as the graph
        says, and undirected if it does not.
    charge : float, default 0.25
        How far an edge that goes one way turns the phase of a directed graph's modes, in full turns.
    density : float, optional
        At most this share of all entries of the modes is not zero. Without this, `n_rotations` or `max_nonzeros` each
        node lies in three modes on average, or in half of them if they are few.
    %(budget)s
    %(run)s

    Attributes
    ----------
    modes_ : csc_array (n_nodes, n_components)
        One mode per column; the largest entry of each is positive.
    frequencies_ : ndarray (n_components,)
        How fast each mode varies over the graph (its Rayleigh quotient): lowest first, or highest first unless
        ``which="low"``.
    nodes_ : ndarray (n_nodes,)
        The nodes in the order of a signal's values: the names that a networkx graph or a `Graph` gives them, else 0,
        1, 2, ...
    laplacian_ : csr_array (n_nodes, n_nodes)
        The matrix whose modes they are. Files do not keep it.
    n_components_ : int
        Number of modes.
    decomposition_ : EigenResult
        The solver's result.
    n_features_in_ : int
        Number of nodes.
    feature_names_in_ : ndarray (n_nodes,)
        The nodes' names, if the graph was a data frame with named columns.

    Notes
    -----
    In a `Pipeline`, whose data are signals, put a fitted one: ``FrozenEstimator(GraphFourier(...).fit(graph))``.

    Smooth modes spread over many nodes, so they need more nonzeros than components of data. Refined modes of a large
    graph start from patches grown over its edges. The paper's chain with its factored form is what ``refine=False``
    gives, and `n_rotations` alone.

    References
    ----------
    D. I. Shuman, S. K. Narang, P. Frossard, A. Ortega and P. Vandergheynst, "The emerging field of signal processing on
    graphs", IEEE Signal Processing Magazine 30, 2013.

    G. H. Golub, M. Heath and G. Wahba, "Generalized cross-validation as a method for choosing a good ridge parameter",
    Technometrics 21, 1979 (how `denoise` chooses its strength).

    Examples
    --------
    >>> import networkx as nx
    >>> import numpy as np
    >>> from jacobeig import GraphFourier
    >>> fourier = GraphFourier(2, density=0.5).fit(nx.barbell_graph(10, 0))  # two groups of ten, joined by one edge
    >>> signal = np.repeat([1.0, -1.0], 10)
    >>> np.sort(fourier.transform(signal)).round(1)  # of two modes alike, either may come first
    array([-3.2,  3.2])
    >>> noisy = signal + 0.5 * np.random.default_rng(0).standard_normal(20)
    >>> bool(np.mean((fourier.denoise(noisy) - signal) ** 2) < 0.2 * np.mean((noisy - signal) ** 2))
    True
    """

    _kind, _coordinates = "GraphFourier", "nodes"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        laplacian: str = "combinatorial",
        which: str = "low",
        directed: bool | None = None,
        charge: float = 0.25,
        density: float | None = None,
        n_rotations: int | None = None,
        max_nonzeros: int | None = None,
        target: str | ArrayLike = "ones",
        pivot: str = "auto",
        start: str | ArrayLike = "auto",
        refine: bool | str = "auto",
        random_state: Any = None,
        progress: bool = False,
        checkpoint: PathLike | None = None,
    ) -> None:
        self._keep(locals())

    def fit(self, graph: Any, y: object = None) -> Self:
        """Find the modes of a graph.

        Parameters
        ----------
        graph : scipy sparse array, square array, data frame, networkx graph, pygsp graph, edge list, or Graph
            An adjacency matrix of weights of at least 0; a graph object; or edges as a list of tuples or an array of
            2 or 3 columns: from, to, and weight, with nodes numbered from 0. Weights of an edge listed twice add up.
            Self-loops do not count. Parts that are not connected are fine, and so are isolated nodes.
        y : object, optional
            Ignored.

        Returns
        -------
        GraphFourier
            The estimator itself.
        """
        check_choice("which", self.which, tuple(WHICH))
        check_choice("laplacian", self.laplacian, LAPLACIANS)
        directed = None if self.directed is None else check_boolean("directed", self.directed)
        graph = self._check_graph(graph)
        graph = graph if self.laplacian == "ready" else as_graph(graph, directed=directed)
        laplacian = laplacian_of(graph, self.laplacian, charge=_check_number("charge", self.charge))
        nodes = np.arange(laplacian.shape[0]) if self.laplacian == "ready" else graph.nodes
        self.n_features_in_, self.laplacian_ = len(nodes), laplacian
        return self._adopt(self._solve(laplacian, WHICH[self.which], checkpoint=self.checkpoint), nodes)

    @share_signals
    def transform(self, signals: Any) -> NDArray[Any]:
        """Return the coefficients of signals on the modes.

        Parameters
        ----------
        %(signals)s

        Returns
        -------
        ndarray (n_components,) or (n_signals, n_components)
            Coefficients; complex if modes or signals are.
        """
        signals, single = self._check_signals(signals)
        coefficients = self._projection(signals)
        return coefficients[0] if single else coefficients

    def inverse_transform(self, coefficients: ArrayLike) -> NDArray[Any]:
        """Return the signals that have given coefficients, and nothing outside the modes.

        Parameters
        ----------
        coefficients : array_like (n_components,) or (n_signals, n_components)
            As `transform` returns them.

        Returns
        -------
        ndarray (n_nodes,) or (n_signals, n_nodes)
            Signals.
        """
        check_is_fitted(self)
        coefficients = np.asarray(coefficients)
        if coefficients.ndim not in (1, 2) or coefficients.shape[-1] != self.n_components_:
            advice = f"give {self.n_components_} for each signal."
            raise InvalidInputError(f"has shape {coefficients.shape}", argument="coefficients", advice=advice)
        return np.asarray(coefficients @ self.modes_.T)

    @share_signals
    def filter(
        self, signals: Any, response: Callable[[FloatArray], Any] | ArrayLike, *, rest: float = 0.0
    ) -> NDArray[Any]:
        """Return signals with each mode amplified by the response to its frequency.

        Parameters
        ----------
        %(signals)s
        response : callable or array_like (n_components,)
            A function of an array of frequencies, or its values at `frequencies_`.
        rest : float, default 0
            The response to everything outside the modes.

        %(filtered)s
        """
        signals, single = self._check_signals(signals)
        values = np.asarray(response(self.frequencies_) if callable(response) else response)
        if values.shape not in ((), self.frequencies_.shape) or values.dtype.kind not in "biufc":
            raise InvalidInputError(
                f"response gives dtype {values.dtype} and shape {values.shape}; "
                f"it must give a number for each of the {self.n_components_} frequencies."
            )
        check_finite("response", values)
        # The rest passes with its own response: add it everywhere, and to the modes only what they differ by.
        filtered = self.inverse_transform(self._projection(signals) * (values - rest))
        if rest != 0.0:
            filtered = filtered + rest * (signals if isinstance(signals, np.ndarray) else signals.toarray())
        return filtered[0] if single else filtered

    @share_signals
    def denoise(self, signals: Any, strength: float | None = None) -> NDArray[Any]:
        """Return smooth signals close to the given ones.

        Minimises the squared distance plus `strength` times the variation over the graph, on the span of the modes:
        their response is 1 / (1 + strength * frequency). What the modes cannot say is lost: a warning says so where
        much of it is smooth; more `density` or modes keep it.

        Parameters
        ----------
        %(signals)s
        strength : float, optional
            From 0 (only what is outside the modes goes); by default chosen by generalised cross-validation, the same
            for all signals given.

        %(filtered)s
        """
        checked, _ = self._check_signals(signals)
        self._warn_if_lost(checked)
        frequencies = np.maximum(self.frequencies_, 0.0)
        if strength is None:
            strength = self._choose_strength(checked, frequencies)
        elif _check_number("strength", strength) < 0.0:
            raise InvalidInputError(f"strength is {strength}; give a number from 0, or None to have it chosen.")
        return self.filter(signals, 1.0 / (1.0 + strength * frequencies))

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what is welcome: like kernels and distances, a graph is a square matrix of pairs."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.positive_only = self.laplacian != "ready"
        return tags

    def _choose_budget(self, n: int, p: int) -> dict[str, Any]:
        budget = super()._choose_budget(n, p)
        named = any(value is not None for value in budget.values())
        return budget if named else budget | {"density": covering_density(n, p)}

    def _check_graph(self, graph: Any) -> Any:
        """Return matrices as scikit-learn checks them; what it would refuse wrongly is checked later."""
        complex_ready = self.laplacian == "ready" and getattr(getattr(graph, "dtype", None), "kind", "") == "c"
        if complex_ready or not is_matrix(graph):
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_  # of an earlier fit
            return graph
        return self._validate(graph, reset=True)

    def _validate(self, X: Any, *, reset: bool) -> Any:
        try:
            return super()._validate(X, reset=reset)
        except ValueError as error:
            if "NaN" not in str(error):
                raise
            argument, place = ("graph", "edge") if reset else ("signals", "node")
            advice = f"give a number for every {place}."
            raise InvalidInputError("contains NaN", argument=argument, advice=advice) from error

    def _check_signals(self, signals: Any) -> tuple[Any, bool]:
        """Return signals as rows, and whether there was a single one that was no row."""
        check_is_fitted(self)
        if sparse.issparse(signals) or hasattr(signals, "columns"):
            return self._validate(signals, reset=False), False
        if isinstance(signals, Mapping):
            signals = self._look_up(signals)
        array = np.asarray(signals)
        single = array.ndim == 1
        rows = array[np.newaxis] if single else array
        if array.dtype.kind != "c":
            return self._validate(rows, reset=False), single
        return self._validate(rows.real, reset=False) + 1j * self._validate(rows.imag, reset=False), single

    def _look_up(self, signal: Mapping[Any, Any]) -> NDArray[Any]:
        """Return the values of a signal that is given by node, in the order of the nodes."""
        nodes = self.nodes_.tolist()
        missing = [node for node in nodes if node not in signal]
        if missing:
            raise InvalidInputError(
                f"signals has no value for {len(missing)} of {len(nodes)} nodes: {list_names(missing)}; give one for "
                "each of nodes_."
            )
        return np.array([signal[node] for node in nodes])

    def _warn_if_lost(self, signals: Any) -> None:
        """Warn where the modes leave out much that is smooth: noise would vary over the graph more than that does."""
        if self.which != "low" or not hasattr(self, "laplacian_"):
            return
        rows = signals if isinstance(signals, np.ndarray) else signals.toarray()
        lost = rows - self.inverse_transform(self._projection(rows))
        squares, whole = (float(np.sum(np.abs(part) ** 2)) for part in (lost, rows))
        variation = float(np.sum(lost.conj().T * (self.laplacian_ @ lost.T)).real)
        if squares > LOST * whole and variation < SMOOTH * squares * float(self.laplacian_.diagonal().real.mean()):
            warnings.warn(
                f"The modes leave out {squares / whole:.0%} of the signals, and much of that is smooth, not noise: "
                "denoising loses it. Give more density or n_components.",
                UserWarning,
                stacklevel=3,
            )

    def _choose_strength(self, signals: Any, frequencies: FloatArray) -> float:
        """Return the strength with the least generalised cross-validation score, summed over the signals."""
        n, mean = self.n_features_in_, float(frequencies.mean())
        values = signals if isinstance(signals, np.ndarray) else signals.data
        squares = float((np.abs(values) ** 2).sum())
        powers = (np.abs(self._projection(signals)) ** 2).sum(axis=0)
        strengths = STRENGTHS / (mean if mean > 0 else 1.0)
        kept = 1.0 / (1.0 + np.outer(strengths, frequencies))
        left = squares - powers.sum() + (1.0 - kept) ** 2 @ powers
        return float(strengths[np.argmin(left / np.maximum(n - kept.sum(axis=1), 0.5) ** 2)])

    def _adopt(self, result: EigenResult, nodes: NDArray[Any]) -> Self:
        """Become the fitted model of a solver's result."""
        factors = choose_signs(result)
        self.decomposition_, self.nodes_ = result, nodes
        self._projection = make_projection(result, factors)
        self.modes_ = self._projection.vectors.conj()
        self.frequencies_ = result.eigenvalues
        self.n_components_ = self._n_features_out = len(self.frequencies_)
        return self

    def _collect_parts(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        if self.nodes_.dtype.kind not in "iuU":
            raise InvalidTypeError(
                "the graph's nodes are neither all integers nor all strings, which a plain file cannot hold; "
                "fit networkx.convert_node_labels_to_integers(graph)."
            )
        return {"nodes": self.nodes_}, {}

    def _list_shapes(self, n: int, p: int) -> dict[str, tuple[int, ...]]:
        return {"nodes": (n,)}

    def _adopt_parts(self, decomposition: EigenResult, arrays: dict[str, NDArray[Any]], facts: dict[str, Any]) -> None:
        self._adopt(decomposition, arrays["nodes"])


def _check_number(name: str, value: Any) -> float:
    number = check_real(name, value)
    if not np.isfinite(number):
        raise InvalidInputError(f"is {value!r}", argument=name, advice="give a finite number.")
    return number
