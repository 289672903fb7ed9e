"""A front: what refined vectors capture at many budgets, and the vectors."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import check_real
from jacobeig._docs import share_docs
from jacobeig._types import FloatArray, PathLike
from jacobeig.errors import InvalidInputError
from jacobeig.results.archive import blame_file, read_archive, write_archive
from jacobeig.results.pictures import tabulate_html
from jacobeig.results.result import EigenResult, select_part

__all__ = ["Front", "find_knee"]

share_density = share_docs(
    density="""
Parameters
----------
density : float
    The share of the entries that may be other than zero.
"""
)


def find_knee(densities: FloatArray, captured: FloatArray) -> int:
    """Return the place of the point farthest from the straight line between the first and the last."""
    span, risen = densities[-1] - densities[0], np.abs(captured - captured[0])
    if span <= 0.0 or not risen[-1] > 0.0:
        return 0
    return int(np.argmax(risen / risen[-1] - (densities - densities[0]) / span))


@dataclass(frozen=True, kw_only=True, eq=False)
class Front:
    """Refined vectors at several densities, ascending; see `jacobeig.front`.

    Attributes
    ----------
    densities : ndarray (m,)
        The budgets: no result has more than this share of its entries not zero.
    captured : ndarray (m,)
        What each result captures: the sum of its Rayleigh quotients, or of a free basis the variance that it captures
        by projection. It never falls as the density grows (for ``which="SA"`` it never rises).
    results : tuple of EigenResult
        The vectors, a result for each density.

    References
    ----------
    V. Satopaa, J. Albrecht, D. Irwin and B. Raghavan, "Finding a 'Kneedle' in a haystack: detecting knee points in
    system behavior", ICDCS Workshops, 2011 (`knee`).

    Examples
    --------
    >>> import jacobeig as je
    >>> front = je.front(je.datasets.random_covariance(40, rng=0), 3, densities=[0.05, 0.1, 0.2, 0.4])
    >>> len(front), bool((front.captured[1:] >= front.captured[:-1]).all())
    (4, True)
    >>> front.at(0.15).density <= 0.1
    True
    """

    densities: FloatArray
    captured: FloatArray
    results: tuple[EigenResult, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[EigenResult]:
        return iter(self.results)

    @share_density
    def find(self, density: float) -> int:
        """Return the place of the densest result within a density.

        %(density)s

        Returns
        -------
        int
            An index of ``results``.
        """
        value = check_real("density", density)
        if not self.densities[0] * (1 - 1e-12) <= value <= 1.0:
            raise InvalidInputError(
                f"is {density}",
                argument="density",
                advice=f"the front begins at {self.densities[0]:.3g}: give that or more, and at most 1.",
            )
        return int(np.searchsorted(self.densities * (1 - 1e-12), value, side="right")) - 1

    @share_density
    def at(self, density: float) -> EigenResult:
        """Return the densest result within a density.

        %(density)s

        Returns
        -------
        EigenResult
            That of the largest budget that is not above it.
        """
        return self.results[self.find(density)]

    def knee(self) -> float:
        """Return the density where the front bends most: beyond it, more nonzeros bring little.

        Returns
        -------
        float
            The budget whose point lies farthest above the straight line from the first to the last.
        """
        return float(self.densities[find_knee(self.densities, self.captured)])

    def save(self, path: PathLike) -> None:
        """Write the front to an npz file (no pickle), which is replaced in one step; `load` reads it."""
        arrays: dict[str, NDArray[Any]] = {"densities": self.densities, "captured": self.captured}
        facts = []
        for place, result in enumerate(self.results):
            parts, described = result.to_parts()
            arrays |= {f"{place}.{name}": array for name, array in parts.items()}
            facts.append(described)
        write_archive(path, "Front", arrays, results=facts)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a front that `save` wrote, equal to the bit.

        A damaged, changed or foreign file raises FileFormatError; nothing in it is executed.
        """
        _, arrays, facts = read_archive(path, "Front")
        with blame_file(path):
            results = tuple(
                EigenResult.from_parts(select_part(arrays, f"{place}."), described)
                for place, described in enumerate(facts["results"])
            )
            front = cls(densities=arrays["densities"], captured=arrays["captured"], results=results)
            front._check()
            return front

    def _check(self) -> None:
        """Raise ValueError unless the parts of a loaded front fit together."""
        m = len(self.results)
        fits = m > 0 and self.densities.shape == self.captured.shape == (m,)
        fits = fits and self.densities.dtype.kind == self.captured.dtype.kind == "f"
        if not fits or not (np.diff(self.densities) > 0).all() or len({r.vectors.shape for r in self.results}) != 1:
            raise ValueError("its parts do not fit together")

    def __repr__(self) -> str:
        n, p = self.results[0].vectors.shape
        return (
            f"Front({len(self)} points of {p} vectors of length {n}, density {self.densities[0]:.2%} to "
            f"{self.densities[-1]:.2%}, captured {self.captured[0]:.6g} to {self.captured[-1]:.6g}; "
            f"knee at {self.knee():.2%})"
        )

    def _repr_html_(self) -> str:
        knee = self.knee()
        columns = {
            "density": [f"{density:.2%}{' (knee)' if density == knee else ''}" for density in self.densities],
            "nonzeros": [f"{result.vectors.nnz:,}" for result in self.results],
            "captured": [f"{captured:.6g}" for captured in self.captured],
        }
        return tabulate_html(repr(self), columns)
