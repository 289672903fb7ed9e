"""A certificate: a bound, what proves it, and the check that needs nothing else."""

import math
from dataclasses import dataclass
from html import escape
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import check_count
from jacobeig._types import Floats, PathLike
from jacobeig.errors import InvalidInputError
from jacobeig.refinement.certificates._cases import prove_by_cases
from jacobeig.refinement.certificates._dropping import Dropping, require_shapes
from jacobeig.refinement.certificates._multipliers import Budgets, Multipliers, no_pairs, require_numbers
from jacobeig.refinement.certificates._problem import is_wide, read_samples
from jacobeig.refinement.certificates._proof import prove_bound
from jacobeig.refinement.certificates._samples import prove_by_samples
from jacobeig.results.archive import blame_file, read_archive, write_archive
from jacobeig.results.result import assemble_vectors, select_part
from jacobeig.sources import RowSource, as_source
from jacobeig.sources.products import multiply, read_whole

# Between two matrices that are taken for one, relative to the largest row: rounding in a covariance, and no more.
SAME = 1e-9
# What a bound may differ by when it is proved again: on another machine, or on a matrix with other rounding.
AGREE = 1e-9
_ARRAYS = ("s", "fingerprint")
_PAIRS = ("Z", "B")  # kept only where they are not zero
_OPTIONAL = ("Q", "covers")
_FACTS = ("bound", "captured", "seconds", "kind", "nu", "mu", "which")


@dataclass(frozen=True, kw_only=True, eq=False)
class Certificate:
    """How much any vectors within the budgets can capture at most, and the multipliers that prove it.

    Attributes
    ----------
    bound : float
        No vectors within the budgets capture more (for ``which="SA"``: less), in exact arithmetic.
    captured : float or None
        What the vectors given, or better ones that were found, capture.
    seconds : float
        Time taken.
    kind : str
        What proved it: "spectrum" (the sum of the largest eigenvalues), "pairs" (geometric B), "features" (and the part
        that knows which features vectors share), "union" (Z = 0: for bases that need not be orthonormal, and for many
        features), "supports" (by cases, for each choice of supports).
    Z, B, Q : ndarray (n, n); Q may be None
        Multipliers of the pairs, and the cover; see `verify`.
    s : ndarray (n,)
        Prices of the features.
    nu, mu : float
        Price of a unit of trace, and of a nonzero.
    budgets : Budgets
        ``n_components``, ``max_nonzeros`` in each, ``total_nonzeros`` (None for any), ``free`` (not orthonormal).
    which : str
        "LA" or "SA". For "SA" the multipliers are those of the negated matrix.
    vectors : csc_array or None
        The vectors that capture `captured`.
    fingerprint : ndarray (3, n)
        What the matrix is known by.
    covers : ndarray (m, n, n) or None
        For the kind "supports": the cover of all choices of supports (with the prices `s`), and those of single ones.
    dropping : Dropping or None
        What proves that no better vectors use certain features; all else is then of the features ``dropping.kept``.

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(30, rng=0)
    >>> certificate = je.certify(S, je.sparse_eigsh(S, 2, max_nonzeros=5, refine=True))
    >>> certificate.captured <= certificate.bound, certificate.gap < 0.1
    (True, True)
    >>> abs(certificate.verify(S) / certificate.bound - 1) < 1e-9
    True
    """

    bound: float
    captured: float | None
    seconds: float
    kind: str
    Z: Floats
    B: Floats
    nu: float
    Q: Floats | None
    s: Floats
    mu: float
    budgets: Budgets
    which: str
    vectors: sparse.csc_array | None
    fingerprint: Floats
    covers: Floats | None = None
    dropping: Dropping | None = None

    @property
    def gap(self) -> float | None:
        """How far `captured` is from the bound, relative to it: ``bound / captured - 1`` for the large end."""
        if self.captured is None:
            return None
        distance = abs(self.bound - self.captured)
        return distance / abs(self.captured) if self.captured != 0.0 else (0.0 if distance == 0.0 else float("inf"))

    @property
    def share(self) -> float | None:
        """What share of the most that is possible the vectors capture at least; None for the small end."""
        if self.captured is None or self.which == "SA" or not self.bound > 0.0:
            return None
        return max(self.captured, 0.0) / self.bound

    @property
    def claim(self) -> str:
        """What is proved, in a sentence."""
        vectors, better = _describe(self.budgets, self.fingerprint.shape[1]), "less" if self.which == "SA" else "more"
        if self.share is not None:
            percent = math.floor(1e4 * self.share) / 100.0  # down, so that the sentence is true
            return (
                f"These capture at least {percent:.2f}% of what any {vectors} could: {self.captured:.6g}, where none "
                f"capture more than {self.bound:.6g}."
            )
        ours = "" if self.captured is None else f"; these capture {self.captured:.6g}"
        return f"No {vectors} capture {better} than {self.bound:.6g}{ours}."

    def bound_at(self, nonzeros: int) -> float:
        """Return what the same multipliers prove of vectors with another number of nonzeros in all.

        Parameters
        ----------
        nonzeros : int
            Of all vectors together. A certificate without a budget for all of them bounds no more than its own.

        Returns
        -------
        float
            A bound: linear in the number, with the slope `mu`.

        Examples
        --------
        >>> import jacobeig as je
        >>> S = je.datasets.random_covariance(30, rng=0)
        >>> certificate = je.certify(S, n_components=2, density=0.2)
        >>> certificate.bound_at(10) < certificate.bound < certificate.bound_at(14)
        True
        """
        own = self.budgets.total_nonzeros
        nonzeros = check_count("nonzeros", nonzeros, self.budgets.n_components)
        if own is None and nonzeros > self.budgets.largest_union:
            raise InvalidInputError(
                f"nonzeros is {nonzeros}, but the certificate is for at most {self.budgets.largest_union}; make one "
                "with a density."
            )
        if own is None or nonzeros == own:
            return self.bound
        sign, mu = (-1.0 if self.which == "SA" else 1.0), max(self.mu, 0.0)
        rounding = 1e-15 * (abs(self.bound) + mu * max(own, nonzeros))
        return self.bound + sign * (mu * (nonzeros - own) + rounding)

    def verify(self, matrix: Any) -> float:
        """Prove the bound again from the multipliers alone, with rounding accounted for, and return it.

        Parameters
        ----------
        matrix : as for `certify`
            The matrix that the certificate is for, but for rounding.

        Returns
        -------
        float
            The bound that the multipliers prove for this matrix.

        Raises
        ------
        InvalidInputError
            If the matrix is another one, or the multipliers do not prove the bound.
        """
        source, sign = as_source(matrix), -1.0 if self.which == "SA" else 1.0
        if is_wide(source) and sign > 0.0 and self.covers is None and self.Q is None and not self.Z.any():
            deviations = np.sqrt(np.maximum(source.diagonal().astype(np.float64), 0.0))
            size = float(deviations.max() * deviations.sum())
            self._require_same(fingerprint_source(source), size)
            bound = prove_by_samples(read_samples(source), self.budgets, self.nu, self.s, self.mu)
        else:
            S = read_whole(source, "verify")[0]
            size = float(np.abs(S).sum(axis=1).max())
            self._require_same(take_fingerprint(S), size)
            bound = sign * self._prove_whole(sign * S)
        # So that nan proves nothing.
        if not sign * (bound - self.bound) <= AGREE * self.budgets.n_components * size:
            raise InvalidInputError(
                f"certificate claims the bound {self.bound:.12g}, but its multipliers prove only {bound:.12g}: it was "
                "damaged or changed; make it again with certify."
            )
        return bound

    def _prove_whole(self, S: Floats) -> float:
        """Return what is proved of the large end of a matrix, of vectors that use dropped features and of others."""
        if self.dropping is None:
            return self._prove(S)
        kept = self.dropping.kept
        return max(self._prove(S[np.ix_(kept, kept)]), self.dropping.prove(S))

    def _prove(self, S: Floats) -> float:
        """Return what is proved of the large end of a matrix."""
        if self.covers is None:
            multipliers = Multipliers(Z=self.Z, B=self.B, nu=self.nu, Q=self.Q, s=self.s, mu=self.mu)
            return prove_bound(S, self.budgets, multipliers)
        target = -self.bound if self.which == "SA" else self.bound
        return prove_by_cases(S, self.budgets.n_components, self.budgets.max_nonzeros, self.covers, self.s, target)

    def _require_same(self, fingerprint: Floats, size: float) -> None:
        """Raise unless the matrix, whose rows have at most this sum of moduli, has the fingerprint."""
        n, given = self.fingerprint.shape[1], fingerprint.shape[1]
        if given != n or not np.abs(fingerprint - self.fingerprint).max() <= SAME * size:
            raise InvalidInputError(
                f"matrix ({given} x {given}) is not the {n} x {n} one that the certificate is for; pass that one, "
                "or make a certificate of this one with certify."
            )

    def save(self, path: PathLike) -> None:
        """Write the certificate to an npz file (no pickle); `Certificate.load` reads it."""
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in _ARRAYS}
        arrays |= {name: getattr(self, name) for name in _PAIRS if getattr(self, name).any()}
        arrays |= {name: getattr(self, name) for name in _OPTIONAL if getattr(self, name) is not None}
        if self.vectors is not None:
            arrays |= {name: getattr(self.vectors, name) for name in ("data", "indices", "indptr")}
        facts = {name: getattr(self, name) for name in _FACTS}
        dropped, dropping = (None, {}) if self.dropping is None else self.dropping.to_parts()
        arrays |= {f"dropping.{name}": array for name, array in dropping.items()}
        write_archive(path, "Certificate", arrays, values=facts, budgets=vars(self.budgets), dropping=dropped)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a certificate that `save` wrote; a damaged or foreign file raises FileFormatError."""
        _, arrays, facts = read_archive(path, "Certificate")
        with blame_file(path, "; make it again with certify"):
            return cls._from_parts(arrays, facts)

    @classmethod
    def _from_parts(cls, arrays: dict[str, NDArray[Any]], facts: dict[str, Any]) -> Self:
        values, n, vectors = facts["values"], arrays["fingerprint"].shape[1], None
        _check_values(values)
        budgets = Budgets.from_facts(facts["budgets"], n)
        if "data" in arrays:
            vectors = assemble_vectors(arrays, n, budgets.n_components)
        dropped, parts = facts["dropping"], select_part(arrays, "dropping.")
        dropping = None if dropped is None else Dropping.from_parts(dropped, parts, n)
        m = n if dropping is None else len(dropping.kept)
        shapes = {"Z": (m, m), "B": (m, m), "Q": (m, m), "s": (m,), "fingerprint": (3, n)}
        shapes["covers"] = (len(arrays.get("covers", ())), m, m)
        require_shapes(arrays, shapes)
        kept: dict[str, Any] = {name: arrays[name] for name in _ARRAYS} | {name: values[name] for name in _FACTS}
        kept |= {name: arrays.get(name, no_pairs(m)) for name in _PAIRS} | {
            name: arrays.get(name) for name in _OPTIONAL
        }
        return cls(budgets=budgets, vectors=vectors, dropping=dropping, **kept)

    def __repr__(self) -> str:
        gap = "" if self.gap is None else f", gap {100 * self.gap:.3g}%"
        what = _describe(self.budgets, self.fingerprint.shape[1])
        return f"Certificate(bound {self.bound:.6g}{gap}, {what}, by {self.kind}, {self.seconds:.2g} s)"

    def _repr_html_(self) -> str:
        rows = {"bound": f"{self.bound:.6g}", "proved by": self.kind, "seconds": f"{self.seconds:.2g}"}
        if self.captured is not None and self.gap is not None:
            rows = {"captured": f"{self.captured:.6g}", **rows, "gap": f"{self.gap:.2%}"}
        cells = "".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in rows.items())
        return f"<p>{escape(self.claim)}</p><table>{cells}</table>"


def _check_values(values: dict[str, Any]) -> None:
    """Raise unless a file's numbers are finite, and its words those of a certificate."""
    require_numbers(values, "bound", "seconds", "nu", "mu", *(() if values["captured"] is None else ("captured",)))
    if values["which"] not in ("LA", "SA") or not isinstance(values["kind"], str):
        raise ValueError("it is of no kind of certificate")


def take_fingerprint(S: Floats) -> Floats:
    """Return the diagonal and two sums of each row with fixed signs: another matrix has others."""
    return np.vstack([S.diagonal(), (S @ _draw_signs(len(S))).T])


def fingerprint_source(source: RowSource) -> Floats:
    """Return the same of a matrix that is not formed."""
    signs = _draw_signs(source.shape[0])
    return np.vstack([source.diagonal(), multiply(source, signs).T]).astype(np.float64, copy=False)


def _draw_signs(n: int) -> Floats:
    # The same for every certificate; the seed, the year of Jacobi's paper, is part of the file format.
    return np.asarray(np.random.default_rng(1846).integers(0, 2, size=(n, 2)) * 2.0 - 1.0, np.float64)


def _describe(budgets: Budgets, n: int) -> str:
    """Say what kind of vectors is bounded, and how many nonzeros they have."""
    p, each, total = budgets.n_components, budgets.max_nonzeros, budgets.total_nonzeros
    kind = "vector" if p == 1 else ("vectors, orthonormal or not," if budgets.free else "orthonormal vectors")
    limits = [] if total is not None and each >= min(total, n) else [f"{each} nonzeros{'' if p == 1 else ' each'}"]
    limits += [] if total is None else [f"{total} nonzeros in all"]
    return f"{p} {kind} with at most {' and '.join(limits)}"
