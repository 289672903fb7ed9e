"""What a run of dense rows keeps: `Rows`, the places of its numbers, and how a kernel ends.

Coordinates are *internal*: the seeds come first, so a coordinate below p is active and its row is kept current;
`order` maps back to the matrix. A pair (i, j) belongs to the row i < j, i active.
"""

from collections import namedtuple
from enum import IntEnum
from typing import NamedTuple

from jacobeig._types import BoolArray, FloatArray, IntArray, NumberArray, UIntArray

Outcome = IntEnum("Outcome", "CHUNK_DONE EXHAUSTED IDLE DENSITY NEED_ROW NEED_SPACE", start=0)
# Places in `Rows.counts` and `Rows.scalars`: plain integers, because Numba before 0.68 does not index arrays by an
# IntEnum.
_Counts = namedtuple("_Counts", "STEP TOUCHED NONZEROS WANTED CURSOR IDLE SEEN")
_Scalars = namedtuple("_Scalars", "SCALE TOP FLOOR2 LOWER UPPER BUDGET LIMIT")
Count, Scalar = _Counts(*range(7)), _Scalars(*range(7))


class Rows(NamedTuple):
    """The state of a run. Every array is changed in place, except `matrix` and `order`."""

    matrix: NumberArray  # (n, n) to read rows from, or (0, 0) when the caller supplies them
    order: IntArray  # (n,) the matrix's own coordinate of each internal one
    active: NumberArray  # (p, n) rows that are always current
    diagonal: FloatArray  # (n,) always current, float64
    weights: FloatArray  # (p,) the target
    adaptive: IntArray  # (p,) +1 or -1: the weight follows the diagonal, from Scalar.LOWER or UPPER; 0: it is fixed
    extremes: IntArray  # (2,) the trailing coordinates with the largest and the smallest diagonal entry
    best: FloatArray  # (p,) the best score of each active row, or an upper bound of it
    column: IntArray  # (p,) its column, or -1
    stale: BoolArray  # (p,) the score is only an upper bound
    rows: NumberArray  # (capacity, n + padding) trailing rows, each current up to its own step
    slots: IntArray  # (n,) where the row of a trailing coordinate is kept, or -1
    current: IntArray  # (n,) the step up to which that row is current
    work: NumberArray  # (1,) scratch
    supports: UIntArray  # (p + capacity, words) bitsets: active vectors, then slots
    sizes: FloatArray  # (n,) nonzeros of every vector (as floats, for the scan's sake)
    owners: IntArray  # (capacity,) the trailing coordinate whose row and support a slot keeps
    fill: FloatArray  # (p, n) nonzeros that vector i would take over from m; (p, 0) where none are counted
    news: UIntArray  # (3, words) what the supports of the last pair gained, and scratch
    first: UIntArray  # (k,) the rotations so far: pair, cosine, sine,
    second: UIntArray
    cosines: FloatArray
    sines: NumberArray
    shifts: FloatArray  # what the first coordinate's diagonal entry rose by,
    gains: FloatArray  # what f rose by,
    nonzeros: IntArray  # and the nonzeros of the active vectors afterwards
    counts: IntArray  # see Count
    scalars: FloatArray  # see Scalar
