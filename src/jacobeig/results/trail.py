"""How a run was made and what it leaves behind, from which it can be shortened, continued or polished."""

from dataclasses import dataclass, fields

import numpy as np

from jacobeig._types import FloatArray, IntArray
from jacobeig.results.rotations import BlockSequence, RotationSequence

__all__ = ["Method", "Trail", "find_fault", "follow_trail"]


@dataclass(frozen=True, kw_only=True)
class Method:
    """How a result was made, with every "auto" resolved.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> je.sparse_eigsh(np.diag([1.0, 2.0, 3.0]), 1, start="diagonal").method
    Method(which='LA', target='ones', pivot='gain', start='diagonal')
    """

    which: str
    target: str
    pivot: str
    start: str
    seed: int = 0
    polished: bool = False
    refined_from: str | None = None
    max_nonzeros: int | None = None

    @property
    def chooses_at_end(self) -> bool:
        """Whether the vectors are the columns that lie at the wanted end when the run stops."""
        return self.pivot == "classic" and not self.polished

    @property
    def is_of_chain(self) -> bool:
        """Whether `pivot` and `start` say where the vectors came from: a refinement may have begun elsewhere."""
        return self.refined_from is None or self.refined_from.startswith("given")

    def __repr__(self) -> str:
        shown = [field for field in fields(self) if getattr(self, field.name) != field.default and field.name != "seed"]
        return f"Method({', '.join(f'{field.name}={getattr(self, field.name)!r}' for field in shown)})"


@dataclass(frozen=True, kw_only=True, eq=False)
class Trail:
    """What a run must leave behind so that it can be shortened or continued.

    Parameters
    ----------
    diagonal : ndarray (n,)
        The diagonal of the matrix.
    shifts : ndarray (k,)
        What each rotation added to the diagonal entry of its first coordinate and took from its second.
    seeds : ndarray (p,)
        The coordinates that the run started from.
    weights : ndarray (p,)
        The weight of each seed at the start.
    bounds : ndarray (2,)
        Lower and upper bound of the spectrum, from which adaptive weights are measured.
    """

    diagonal: FloatArray
    shifts: FloatArray
    seeds: IntArray
    weights: FloatArray
    bounds: FloatArray


def find_fault(chain: RotationSequence | BlockSequence, trail: Trail, method: Method) -> str:
    """Return what is wrong with the trail of a chain, so that compiled code could not follow it; "" if nothing is."""
    (n, p), k = chain.shape, len(chain)
    shifts = (k, 2 * p) if isinstance(chain, BlockSequence) else (k,)
    shapes = {"diagonal": (n,), "shifts": shifts, "seeds": (p,), "weights": (p,), "bounds": (2,)}
    for name, shape in shapes.items():
        part = getattr(trail, name)
        kind = "i" if name == "seeds" else "f"
        if not isinstance(part, np.ndarray) or part.shape != shape or part.dtype.kind != kind:
            return f"trail.{name} is not an array of shape {shape} and kind {kind!r}"
        if not np.isfinite(part).all():
            return f"trail.{name} is not finite"
    seeds = trail.seeds
    if len(np.unique(seeds)) < p or seeds.min() < 0 or seeds.max() >= n:
        return "trail.seeds are not different coordinates"
    anywhere = method.pivot == "classic" or method.polished
    if isinstance(chain, RotationSequence) and not anywhere and not np.isin(chain.pivots[:, 0], seeds).all():
        return "a rotation does not begin at a seed"
    return ""


def follow_trail(chain: RotationSequence | BlockSequence, trail: Trail) -> FloatArray:
    """Return the diagonal of the rotated matrix, by the very operations of the run."""
    diagonal = trail.diagonal.copy()
    if isinstance(chain, BlockSequence):
        for index, shift in zip(chain.indices, trail.shifts, strict=True):
            diagonal[index] = shift
    else:
        _follow_rotations(diagonal, chain.pivots, chain.cosines, trail.shifts)
    return diagonal


def _follow_rotations(diagonal: FloatArray, pivots: IntArray, cosines: FloatArray, shifts: FloatArray) -> None:
    """Bring a diagonal from before some rotations to after them, in place, one after the other.

    Not compiled: a first solve would wait longer for that than any chain takes so.
    """
    both = np.stack([shifts, -shifts], axis=1)
    begin = 0
    for swap in [*np.flatnonzero(cosines == 0.0).tolist(), len(pivots)]:
        np.add.at(diagonal, pivots[begin:swap].ravel(), both[begin:swap].ravel())  # in order, repeated indices too
        if swap < len(pivots):
            diagonal[pivots[swap]] = diagonal[pivots[swap, ::-1]]
        begin = swap + 1
