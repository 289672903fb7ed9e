"""What a page is about: a result, or the result inside an estimator, with everything known about it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.results.metrics import extreme_eigenvalues, orthonormality_error
from jacobeig.results.result import EigenResult
from jacobeig.results.rotations import BlockSequence
from jacobeig.sources import as_source, check_diagonal, require_memory

__all__ = ["Measure", "Subject", "Words", "add_data", "add_matrix", "describe"]

# Vectors this far from orthonormal are a free basis, not rounded ones.
FREE = 1e-4
# A sum of frequencies this small beside the largest degree is zero but for rounding.
ROUNDING = 1e-9
# From this order on a few eigenvalues of a dense matrix are found faster by products with it.
FEW_OF_MANY = 1000
# Up to this order all eigenvalues of a graph are found in seconds.
SMALL_GRAPH = 3000


@dataclass(frozen=True)
class Words:
    """What the page calls things; each is a singular whose plural takes an s."""

    feature: str = "feature"
    component: str = "component"
    rotation: str = "rotation"


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What the components are judged by.

    Attributes
    ----------
    name, plural : str
        Of what each component adds.
    whole : str or None
        What it is a share of; None where only the plain number makes sense.
    total : float
        The size of that whole; 1 where there is none.
    adds_up : bool
        Whether the components' numbers may be summed.
    of_itself : bool
        Whether the whole is only what the components capture together, so that their sum says nothing.
    """

    name: str
    plural: str
    whole: str | None
    total: float = 1.0
    adds_up: bool = True
    of_itself: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """A result and what is known about it.

    Attributes
    ----------
    result : EigenResult
        The solver's result.
    vectors : csc_array (n, p)
        Its vectors with the signs that their owner shows.
    explained : ndarray (p,)
        What each of them adds.
    measure : Measure
        What that means.
    words : Words
        What things are called.
    names : ndarray (n,) or None
        What the user calls the coordinates.
    keys : ndarray (n,) or None
        What a mapping of coordinates is looked up by.
    laplacian : sparse array or None
        Whose entries outside the diagonal are edges.
    exact : float or None
        What exact eigenvectors capture.
    model : JacobiPCA or None
        Whose result it is.
    n_samples : int or None
        How many samples it was made from.
    centre, scale : ndarray (n,) or None
        What data are centred at and divided by before the vectors apply.
    unmix : ndarray (p, p) or None
        What turns products with vectors that are not orthogonal into scores.
    fitted_names : ndarray (n,) or None
        What the columns of a data frame must be called.
    """

    result: EigenResult
    vectors: sparse.csc_array
    explained: FloatArray
    measure: Measure
    words: Words
    names: NDArray[Any] | None = None
    keys: NDArray[Any] | None = None
    laplacian: Any = None
    exact: float | None = None
    model: Any = None
    n_samples: int | None = None
    centre: FloatArray | None = None
    scale: FloatArray | None = None
    unmix: FloatArray | None = None
    fitted_names: NDArray[Any] | None = None

    @property
    def has_path(self) -> bool:
        """Whether earlier states of the run can be shown."""
        return self.result.rotations is not None and self.result.trail is not None

    @property
    def is_complex(self) -> bool:
        """Whether only magnitudes can be drawn."""
        return bool(self.vectors.dtype.kind == "c")


def describe(result_or_estimator: Any) -> Subject:
    """Return what a page about a result or a fitted estimator can show.

    Parameters
    ----------
    result_or_estimator : EigenResult, JacobiPCA or GraphFourier
        What to show.

    Returns
    -------
    Subject
        With names, edges and totals as far as the estimator knows them.
    """
    if isinstance(result_or_estimator, EigenResult):
        return _describe_result(result_or_estimator)
    if hasattr(result_or_estimator, "get_params"):
        from sklearn.utils.validation import check_is_fitted

        from jacobeig.estimators.graph import GraphFourier
        from jacobeig.estimators.pca import JacobiPCA

        if isinstance(result_or_estimator, (JacobiPCA, GraphFourier)):
            check_is_fitted(result_or_estimator)
            of = _describe_pca if isinstance(result_or_estimator, JacobiPCA) else _describe_graph
            return of(result_or_estimator)
    raise InvalidTypeError(
        f"result_or_estimator is a {type(result_or_estimator).__name__}; give an EigenResult, a fitted JacobiPCA or a "
        "fitted GraphFourier."
    )


def _describe_result(result: EigenResult) -> Subject:
    blocks = isinstance(result.rotations, BlockSequence)
    diagonal = None if result.trail is None else result.trail.diagonal
    return Subject(
        result=result,
        vectors=result.vectors,
        explained=result.eigenvalues.astype(np.float64),
        measure=_choose_measure(result, diagonal),
        words=Words(rotation="block") if blocks else Words(),
    )


def _describe_pca(model: Any) -> Subject:
    share = model.total_explained_variance_ratio_
    total = model.total_explained_variance_ / share if share > 0 else 1.0
    return replace(
        _describe_result(model.decomposition_),
        vectors=sparse.csc_array(model.components_.T),
        explained=model.explained_variance_.astype(np.float64),
        measure=_measure("explained variance", "the total variance", total),
        names=getattr(model, "feature_names_in_", None),
        model=model,
        n_samples=model.n_samples_,
        centre=model.mean_.astype(np.float64),
        scale=model.scale_.astype(np.float64),
        unmix=_unmix(model.components_.astype(np.float64)),
        fitted_names=getattr(model, "feature_names_in_", None),
    )


def _unmix(components: FloatArray) -> FloatArray | None:
    """Return what makes scores of products with the components; nothing is to be done if they are orthonormal."""
    gram = components @ components.T
    return np.linalg.pinv(gram) if np.abs(gram - np.eye(len(gram))).max() > FREE else None


def _describe_graph(model: Any) -> Subject:
    subject = _describe_result(model.decomposition_)
    return replace(
        subject,
        vectors=model.modes_,
        measure=_measure("frequency"),
        words=Words("node", "mode"),
        names=getattr(model, "feature_names_in_", _name_nodes(model.nodes_)),
        keys=model.nodes_,
        laplacian=getattr(model, "laplacian_", None),
        exact=_find_exact_frequencies(model),
    )


def _find_exact_frequencies(model: Any) -> float | None:
    """Return the sum of the frequencies of as many exact modes, where it is quickly known and not zero."""
    laplacian = getattr(model, "laplacian_", None)
    if laplacian is None or laplacian.shape[0] > SMALL_GRAPH:
        return None
    # Products alone converge slowly at the small end of a Laplacian.
    exact = extreme_eigenvalues(laplacian.toarray(), model.n_components_, model.decomposition_.method.which)
    total, size = float(np.abs(exact).sum(dtype=np.float64)), float(np.abs(laplacian.diagonal()).max())
    return total if total > ROUNDING * size else None


def _name_nodes(nodes: NDArray[Any]) -> NDArray[Any] | None:
    """Return what nodes are called; numbers alone would look like values."""
    return np.array([f"node {node}" for node in nodes]) if nodes.dtype.kind in "iu" else nodes


def _measure(name: str, whole: str | None = None, total: float = 1.0) -> Measure:
    plural = name[:-1] + "ies" if name.endswith("cy") else name + "s"
    return Measure(name=name, plural=plural, whole=whole, total=total)


def _choose_measure(result: EigenResult, diagonal: FloatArray | None) -> Measure:
    """Return what a result's quotients are a share of; only the large end of a matrix with a positive trace has one."""
    values, adds_up = result.eigenvalues, orthonormality_error(result.vectors) < FREE
    plain = replace(_measure("Rayleigh quotient"), adds_up=adds_up)
    if result.method.which != "LA" or values.min() < 0 or not values.sum() > 0:
        return plain
    if diagonal is None:
        captured = _measure("captured trace", "what they capture together", float(values.sum(dtype=np.float64)))
        return replace(captured, of_itself=True) if adds_up else plain
    if diagonal.min() < 0:
        return plain
    captured = _measure("captured trace", "the trace of the matrix", float(diagonal.sum(dtype=np.float64)))
    return replace(captured, adds_up=adds_up)


def add_matrix(subject: Subject, matrix: Any) -> Subject:
    """Return the subject with what only the matrix tells: its trace, and what exact eigenvectors capture.

    Parameters
    ----------
    subject : Subject
        From `describe`.
    matrix : array_like, sparse array, LinearOperator or row source (n, n)
        The matrix that was decomposed.

    Returns
    -------
    Subject
        With `exact`, and a measure in terms of the whole matrix.
    """
    n, p = subject.vectors.shape
    source = as_source(matrix)
    if source.shape != (n, n):
        raise InvalidInputError(
            f"matrix is {source.shape[0]} x {source.shape[1]}, but the vectors have length {n}: give the matrix that "
            "was decomposed."
        )
    product = _make_multiplicable(matrix, source)
    which: Any = subject.result.method.which
    exact = float(np.abs(extreme_eigenvalues(product, p, which)).sum(dtype=np.float64))
    if subject.measure.name in ("captured trace", "Rayleigh quotient"):
        diagonal = check_diagonal(source, source.diagonal())
        measure = replace(_choose_measure(subject.result, diagonal), adds_up=True)
        subject = replace(subject, measure=measure, explained=_attribute(product, subject))
    return replace(subject, exact=exact if exact > 0 else None)


def add_data(subject: Subject, data: Any) -> Subject:
    """Return the subject with what the data of a fit tell: what full PCA explains.

    Parameters
    ----------
    subject : Subject
        From `describe`.
    data : ndarray or sparse array (m, n)
        Samples; only those of the fit tell anything.

    Returns
    -------
    Subject
        With `exact` where it is quickly found, and with a number of samples.
    """
    subject = replace(subject, n_samples=data.shape[0] if subject.n_samples is None else subject.n_samples)
    if subject.model is None or subject.exact is not None:
        return subject
    from jacobeig.estimators.pca.full import measure_full_pca

    return replace(subject, exact=measure_full_pca(subject.model, data))


def _make_multiplicable(matrix: Any, source: Any) -> Any:
    """Return the matrix in a form that can be multiplied with."""
    if sparse.issparse(matrix) or (hasattr(matrix, "matvec") and not hasattr(matrix, "__array__")):
        return matrix
    n = source.shape[0]
    if source is matrix:  # it has rows only
        size = n * n * source.dtype.itemsize
        require_memory(size, f"the whole {n} x {n} matrix, which the accuracy needs,", ["leave matrix out"])
    dense = source.rows(np.arange(n)) if source is matrix else np.asarray(matrix)
    return sparse.linalg.aslinearoperator(dense) if n > FEW_OF_MANY else dense


def _attribute(product: Any, subject: Subject) -> FloatArray:
    """Return what each vector captures beyond those before it; its own quotient if they are orthonormal."""
    if subject.measure.adds_up:
        return subject.explained
    basis, _ = np.linalg.qr(subject.vectors.toarray())
    return np.asarray(np.einsum("ij,ij->j", basis.conj(), product @ basis).real)
