"""What a page is about: a result, or the result inside an estimator, with everything known about it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import name_type
from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.refinement.certificates import Certificate
from jacobeig.results.front import Front
from jacobeig.results.metrics import extreme_eigenvalues, orthonormality_error
from jacobeig.results.result import EigenResult
from jacobeig.results.rotations import BlockSequence
from jacobeig.solve import trace_front
from jacobeig.sources import as_source, check_diagonal, require_memory

# Vectors this far from orthonormal are a free basis, not rounded ones.
FREE = 1e-4
# A sum may exceed the whole by this much of it, which is rounding.
ROUNDING = 1e-6
# From this order on a few eigenvalues of a dense matrix are found faster by products with it.
FEW_OF_MANY = 1000
# Entries of the vectors up to which the front of a refined result is found for its page: some ten seconds. Of sparse
# matrices more, as theirs takes less: of ten modes on graphs of 2,000 nodes 3 to 9 s, on a grid of 2,500 up to 18 s.
MOST_TRACED, MOST_TRACED_IF_SPARSE = 10_000, 20_000


@dataclass(frozen=True)
class Words:
    """What the page calls things; each is a singular whose plural takes an s."""

    feature: str = "feature"
    component: str = "component"
    rotation: str = "rotation"


@dataclass(frozen=True)
class Measure:
    """What the components are judged by."""

    name: str
    whole: str | None = None  # what it is a share of, if shares make sense
    total: float = 1.0
    adds_up: bool = True
    of_itself: bool = False  # the whole is only what the components capture together, so their sum says nothing

    @property
    def plural(self) -> str:
        """What several of them are called."""
        return self.name[:-1] + "ies" if self.name.endswith("cy") else self.name + "s"


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """A result and what is known about it."""

    result: EigenResult
    vectors: sparse.csc_array  # with the signs that their owner shows
    explained: FloatArray  # what each of them adds
    measure: Measure
    words: Words
    names: NDArray[Any] | None = None
    keys: NDArray[Any] | None = None  # what a mapping of coordinates is looked up by
    laplacian: Any = None
    exact: float | None = None  # what exact eigenvectors add up to, in size if they are of both ends
    exact_each: FloatArray | None = None  # what each of them adds, where that is known
    front: Front | None = None  # other densities, of a refined result
    certificates: tuple[Certificate, ...] = ()  # of the large end, for these vectors or others of the same matrix
    unit: float = 1.0  # what quotients of results are multiplied by
    model: Any = None  # the JacobiPCA whose result it is
    n_samples: int | None = None
    centre: FloatArray | None = None
    scale: FloatArray | None = None
    unmix: FloatArray | None = None  # turns products with vectors that are not orthogonal into scores

    @property
    def has_path(self) -> bool:
        """Whether other states than the last can be shown."""
        chain = self.result.rotations is not None and self.result.trail is not None
        return chain or self.front is not None

    @property
    def can_be_traced(self) -> bool:
        """Whether what the subject knows is enough to find its front, if that is wished for."""
        model = self.model
        return self.laplacian is not None or (model is not None and model.orthonormal and model._source is not None)

    @property
    def is_improved(self) -> bool:
        """Whether the front has found better vectors than these, with as many nonzeros."""
        if self.front is None or self.result.method.which != "LA":
            return False
        return self.unit * float(self.front.captured[-1]) > float(self.explained.sum()) * (1.0 + ROUNDING)

    @property
    def is_complex(self) -> bool:
        """Whether only magnitudes can be drawn."""
        return bool(self.vectors.dtype.kind == "c")


def describe(result_or_estimator: Any, *, front: bool | None = None) -> Subject:
    """Return what a page about a result or a fitted estimator can show; `front` is whether to refine others."""
    if isinstance(result_or_estimator, EigenResult):
        return _describe_result(result_or_estimator)
    if isinstance(result_or_estimator, Front):
        return replace(_describe_result(result_or_estimator.results[-1]), front=result_or_estimator)
    if hasattr(result_or_estimator, "get_params"):
        from sklearn.utils.validation import check_is_fitted

        from jacobeig.estimators.graph import GraphFourier
        from jacobeig.estimators.pca import JacobiPCA

        if isinstance(result_or_estimator, (JacobiPCA, GraphFourier)):
            check_is_fitted(result_or_estimator)
            describe_it = _describe_pca if isinstance(result_or_estimator, JacobiPCA) else _describe_graph
            return describe_it(result_or_estimator, front)
    raise InvalidTypeError(
        f"result_or_estimator is {name_type(result_or_estimator)}; give an EigenResult, a Front, a fitted "
        "JacobiPCA or a fitted GraphFourier."
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


def _describe_pca(model: Any, front: bool | None) -> Subject:
    share = model.total_explained_variance_ratio_
    total = model.total_explained_variance_ / share if share > 0 else 1.0
    return replace(
        _describe_result(model.decomposition_),
        unit=float(model._spread.unit) ** 2,
        front=_find_front(model, front),
        vectors=sparse.csc_array(model.components_.T),
        explained=model.explained_variance_.astype(np.float64),
        measure=Measure("explained variance", "the total variance", total),
        names=getattr(model, "feature_names_in_", None),
        model=model,
        n_samples=model.n_samples_,
        centre=model.mean_.astype(np.float64),
        scale=model.scale_.astype(np.float64),
        unmix=_unmix(model.components_.astype(np.float64)),
    )


def _find_front(model: Any, wanted: bool | None) -> Front | None:
    """Return what a refined model explains at other densities; without a wish, where that is known or takes seconds."""
    known = model._front is not None
    if model.decomposition_.rotations is not None or not (model.orthonormal and (known or model._source is not None)):
        return None
    quick = known or model.components_.size <= MOST_TRACED
    return model.front() if (quick if wanted is None else wanted) else None


def _unmix(components: FloatArray) -> FloatArray | None:
    """Return what makes scores of products with the components; nothing is to be done if they are orthonormal."""
    gram = components @ components.T
    return np.linalg.pinv(gram) if np.abs(gram - np.eye(len(gram))).max() > FREE else None


def _describe_graph(model: Any, front: bool | None) -> Subject:
    from jacobeig.estimators.graph.exact import sum_exact_frequencies

    subject = _describe_result(model.decomposition_)
    laplacian, names = getattr(model, "laplacian_", None), model.nodes_
    if names.dtype.kind in "iu":  # numbers alone would look like values
        names = np.array([f"node {node}" for node in names])
    if laplacian is not None:
        subject = _trace_front(subject, laplacian, front, model.max_nonzeros)
    return replace(
        subject,
        vectors=model.modes_,
        measure=Measure("frequency"),
        words=Words("node", "mode"),
        names=getattr(model, "feature_names_in_", names),
        keys=model.nodes_,
        laplacian=laplacian,
        exact=sum_exact_frequencies(model),
    )


def _choose_measure(result: EigenResult, diagonal: FloatArray | None) -> Measure:
    """Return what a result's quotients are a share of; only the large end of a matrix with a positive trace has one."""
    values, adds_up = result.eigenvalues, orthonormality_error(result.vectors) < FREE
    plain = Measure("Rayleigh quotient", adds_up=adds_up)
    if result.method.which != "LA" or values.min() < 0 or not values.sum() > 0:
        return plain
    if diagonal is None:
        together = float(values.sum(dtype=np.float64))
        return Measure("captured trace", "what they capture together", together, of_itself=True) if adds_up else plain
    if diagonal.min() < 0 or not diagonal.sum() > 0:  # as of an adjacency matrix
        return plain
    return Measure("captured trace", "the trace of the matrix", float(diagonal.sum(dtype=np.float64)), adds_up)


def add_matrix(subject: Subject, matrix: Any, *, front: bool | None = None) -> Subject:
    """Return the subject with what only the matrix tells: its trace, and what exact eigenvectors capture."""
    n, p = subject.vectors.shape
    source = as_source(matrix)
    if source.shape != (n, n):
        raise InvalidInputError(
            f"matrix is {source.shape[0]} x {source.shape[1]}, but the vectors have length {n}: give the matrix that "
            "was decomposed."
        )
    product = _make_multiplicable(matrix, source)
    which: Any = subject.result.method.which
    values = extreme_eigenvalues(product, p, which).astype(np.float64)
    exact = float((np.abs(values) if which == "BE" else values).sum())
    subject = _trace_front(subject, matrix, front)
    if subject.measure.name in ("captured trace", "Rayleigh quotient"):
        diagonal = check_diagonal(source, source.diagonal())
        measure = replace(_choose_measure(subject.result, diagonal), adds_up=True)
        subject = replace(subject, measure=measure, explained=_attribute(product, subject))
    return replace(subject, exact=exact, exact_each=values)


def _trace_front(subject: Subject, matrix: Any, wanted: bool | None, max_nonzeros: int | None = None) -> Subject:
    """Return the subject with its front, of a refined result; without a wish, where that takes seconds at most."""
    result, (n, p) = subject.result, subject.vectors.shape
    quick = n * p <= (MOST_TRACED_IF_SPARSE if sparse.issparse(matrix) else MOST_TRACED)
    unknown = subject.model is not None or subject.has_path or orthonormality_error(result.vectors) > FREE
    if unknown or not (quick if wanted is None else wanted):
        return subject
    return replace(subject, front=trace_front(matrix, result, max_nonzeros=max_nonzeros))


def add_certificates(subject: Subject, certificates: Any) -> Subject:
    """Return the subject with what no other vectors can capture, or raise for what cannot be about it."""
    given = (certificates,) if isinstance(certificates, Certificate) else tuple(certificates)
    n, p = subject.vectors.shape
    for certificate in given:
        if not isinstance(certificate, Certificate):
            raise InvalidTypeError(f"certificates has {name_type(certificate)} in it; give what certify returned.")
        if certificate.budgets.n_components != p or certificate.fingerprint.shape[1] != n:
            raise InvalidInputError(f"certificates are for other vectors than these {p} of length {n}; certify them.")
    shown = subject.result.method.which == "LA" and orthonormality_error(subject.vectors) <= FREE
    return replace(subject, certificates=given if shown else ())


def limit_shares(subject: Subject, sums: FloatArray) -> Subject:
    """Return the subject without shares of a whole that some sum exceeds, as it may where a matrix is indefinite."""
    measure = subject.measure
    if measure.whole is None or sums.max() <= measure.total * (1.0 + ROUNDING):
        return subject
    name = "Rayleigh quotient" if subject.model is None else measure.name
    return replace(subject, measure=Measure(name, adds_up=measure.adds_up))


def add_data(subject: Subject, data: Any) -> Subject:
    """Return the subject with what the data of a fit tell: what full PCA explains."""
    subject = replace(subject, n_samples=data.shape[0] if subject.n_samples is None else subject.n_samples)
    if subject.model is None or subject.exact is not None:
        return subject
    from jacobeig.estimators.pca.full import list_full_variances

    each = list_full_variances(subject.model, data)
    return subject if each is None else replace(subject, exact=float(each.sum()), exact_each=each)


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
