"""What the estimators share: solving with their parameters, deterministic signs, files without pickle."""

import json
import os
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from jacobeig._arguments import check_components, name_type
from jacobeig._docs import share_docs
from jacobeig._types import NumberArray, PathLike, Which
from jacobeig.errors import FileFormatError, InvalidTypeError
from jacobeig.estimators._projection import Projection
from jacobeig.estimators.figures import tabulate_model
from jacobeig.results.archive import blame_file, read_archive, write_archive
from jacobeig.results.pictures import draw
from jacobeig.results.result import EigenResult, select_part
from jacobeig.results.rotations import RotationSequence
from jacobeig.solve import default_components, find_sparse_vectors

FLOATS = [np.float64, np.float32]
# What the estimators' constructors share; scikit-learn wants the arguments spelled out in each.
share_parameters = share_docs(
    density="""
density : float, optional
    At most this share of all entries of the components is not zero. Without this, `n_rotations` or `max_nonzeros` it
    is ``2 / sqrt(n)`` for components of length n, on average 2 sqrt(n) nonzeros each, and no component has more than
    n / 3 (but two may always be).
""",
    budget="""
n_rotations : int, optional
    At most this many rotations; alone, it gives the algorithm of the paper.
max_nonzeros : int, optional
    At most this many nonzeros in each component.
target : {"ones", "log", "adaptive"} or array_like (n_components,), default "ones"
    "ones" makes the components good together, "log" and "adaptive" make each one resemble the eigenvector of its rank;
    see `sparse_eigsh`.
pivot, start : str or array_like, default "auto"
    How rotations and first entries are chosen; see `sparse_eigsh`.
refine : bool, "best" or "auto"
    Whether to improve the components afterwards on supports chosen again: quickly (True), or by trying everything
    ("best"). "auto" tries everything up to 40 features or nodes, which takes about a second, and is quick beyond; it
    does nothing where `n_rotations` is the only budget, or more than 500 nonzeros are sought in dense data of more than
    5,000 features, which would take long. False keeps the chain of rotations.
""",
    run="""
random_state : int, RandomState or None, optional
    For ``pivot="random"`` and refinement; all else is deterministic.
progress : bool, default False
    Show a progress bar.
checkpoint : path-like, optional
    A file that keeps the state of a long `fit`, which goes on from there when it is called again after a kill or
    Ctrl-C; see `sparse_eigsh`. Where the number of components is searched for there is one file for each that is
    tried, such as run-5.npz for run.npz.
""",
)


class SparseModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # no types
    """Base of the estimators: a fitted `decomposition_`, and the parameters that lead to it."""

    _kind: str  # of its files
    _coordinates: str  # what it calls the entries of a vector
    orthonormal = True  # unless the user may choose
    decomposition_: EigenResult

    def _keep(self, given: dict[str, Any]) -> None:
        """Store the constructor's arguments as they came, which is all that scikit-learn lets it do."""
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def _validate(self, X: Any, *, reset: bool) -> Any:
        """Return real matrices as scikit-learn checks them, sparse ones as csr or csc."""
        least = {"ensure_min_samples": 2, "ensure_min_features": 2} if reset else {}
        return validate_data(self, X, reset=reset, dtype=FLOATS, accept_sparse=("csr", "csc"), **least)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what data are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _solve(
        self, matrix: Any, which: Which = "LA", n_components: int | None = None, checkpoint: PathLike | None = None
    ) -> EigenResult:
        """Run the solver on a matrix or row source with the parameters of this estimator, or for another number."""
        p = self._count(matrix.shape[0]) if n_components is None else n_components
        return find_sparse_vectors(
            matrix,
            p,
            which=which,
            target=self.target,
            pivot=self.pivot,
            start=self.start,
            **self._choose_budget(matrix.shape[0], p),
            refine=self.refine,
            orthonormal=self.orthonormal,
            rng=draw_seed(self.random_state),
            progress=bool(self.progress),
            checkpoint=checkpoint,
        )

    def _choose_budget(self, n: int, p: int) -> dict[str, Any]:
        """Return the budget of p components of length n; without any the solver chooses one."""
        return {"n_rotations": self.n_rotations, "density": self.density, "max_nonzeros": self.max_nonzeros}

    def _count(self, n: int) -> int:
        """Return the number of components."""
        if self.n_components is None:
            return default_components(n)
        return check_components(self.n_components, n, f"there are {n} {self._coordinates}")

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's diagram, and below it what the vectors are, once there are any."""
        diagram: str = super()._repr_html_inner()
        return diagram + (tabulate_model(self) if hasattr(self, "decomposition_") else "")

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """Return what notebooks show: the same."""
        shown: dict[str, str] = super()._repr_mimebundle_(**options)
        return shown | {"text/html": self._repr_html_inner()} if "text/html" in shown else shown

    def plot(self, **options: Any) -> Any:
        """Draw what the vectors are made of, as `jacobeig.plotting.plot_overview` does, and return the axes."""
        check_is_fitted(self)
        return draw("plot_overview", self, **options)

    def save(self, path: PathLike) -> None:
        """Write the fitted model to an npz file (no pickle), which is replaced in one step; `load` reads it."""
        check_is_fitted(self)
        arrays, facts = self._collect_parts()
        if hasattr(self, "feature_names_in_"):
            arrays["feature_names"] = self.feature_names_in_.astype(str)
        result_arrays, result_facts = self.decomposition_.to_parts()
        arrays |= {f"decomposition.{name}": array for name, array in result_arrays.items()}
        plain = {}
        for name, value in self.get_params(deep=False).items():
            if isinstance(value, (np.ndarray, list, tuple)):
                arrays[f"parameter.{name}"] = np.asarray(value)
            else:
                plain[name] = _make_plain(name, value)
        write_archive(path, self._kind, arrays, parameters=plain, decomposition=result_facts, **facts)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a model that `save` wrote: fitted, with the same parameters, and the same attributes to the bit.

        A damaged, changed or foreign file raises FileFormatError; nothing in it is executed.
        """
        _, arrays, facts = read_archive(path, cls._kind)
        with blame_file(path):
            decomposition = EigenResult.from_parts(select_part(arrays, "decomposition."), facts["decomposition"])
            model = cls(**facts["parameters"], **select_part(arrays, "parameter."))
            n, p = decomposition.vectors.shape
            for name, shape in {"feature_names": (n,), **model._list_shapes(n, p)}.items():
                if name in arrays and arrays[name].shape != shape:
                    raise FileFormatError(f"{name} has shape {arrays[name].shape}; {shape} would fit the components.")
            model.n_features_in_ = n
            if "feature_names" in arrays:
                model.feature_names_in_ = arrays["feature_names"].astype(object)
            model._adopt_parts(decomposition, arrays, facts)
            return model

    def _collect_parts(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the arrays and facts that a file must hold besides parameters, names and decomposition."""
        raise NotImplementedError

    def _list_shapes(self, n: int, p: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of these arrays for p components of length n."""
        raise NotImplementedError

    def _adopt_parts(self, decomposition: EigenResult, arrays: dict[str, NDArray[Any]], facts: dict[str, Any]) -> None:
        """Become the fitted model that `_collect_parts` described."""
        raise NotImplementedError


def choose_signs(result: EigenResult) -> NumberArray:
    """Return the factor of each vector (a sign, or a phase) that makes its largest entry positive.

    Of entries equally large to rounding the first counts, so that the sign does not hang on the last bit.
    """
    vectors = result.vectors
    leaders = np.empty(vectors.shape[1], vectors.dtype)
    for t in range(len(leaders)):
        entries = vectors.data[vectors.indptr[t] : vectors.indptr[t + 1]]
        sizes = np.abs(entries)
        leaders[t] = entries[np.argmax(sizes >= sizes.max() * (1 - np.sqrt(np.finfo(sizes.dtype).eps)))]
    factors: NumberArray = leaders.conj() / np.abs(leaders)
    return factors


def make_projection(result: EigenResult, factors: NumberArray, scale: NDArray[Any] | None = None) -> Projection:
    """Return the map of samples, divided by `scale`, to their coefficients on the vectors times `factors`."""
    vectors = result.vectors.conj()
    vectors.data *= np.repeat(factors.conj(), np.diff(vectors.indptr))
    chain = result.rotations if isinstance(result.rotations, RotationSequence) else None
    if scale is not None:
        vectors.data /= scale[vectors.indices]
        chain = None  # it knows nothing of scales
    return Projection(vectors=vectors, chain=chain, factors=factors.conj())


def draw_seed(random_state: Any) -> int | None:
    """Return a seed for the solver from any random_state that scikit-learn takes."""
    return None if random_state is None else int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _make_plain(name: str, value: Any) -> Any:
    """Return a parameter as JSON holds it, or raise."""
    value = value.item() if isinstance(value, np.generic) else value
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    try:
        json.dumps(value)
    except TypeError as error:
        raise InvalidTypeError(
            f"{name} is {name_type(value)}, which a plain file cannot hold; "
            f"set_params({name}=...) to a number, a string, an array or None first."
        ) from error
    return value
