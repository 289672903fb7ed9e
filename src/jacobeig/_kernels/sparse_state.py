"""The state of a run over sparse rows; see `sparse_rows.py` for how coordinates are numbered."""

from typing import NamedTuple

import numpy as np

from jacobeig._kernels._jit import bare_inline
from jacobeig._kernels.extremes import Tournament
from jacobeig._kernels.index_lists import Sets, Store
from jacobeig._kernels.state import Count
from jacobeig._types import BoolArray, FloatArray, IntArray, NumberArray, UIntArray


class SparseState(NamedTuple):
    """The state of a run. Every array is changed in place, except those of the matrix.

    Arrays of length `capacity` have space for as many seen coordinates; the caller lets them grow.
    """

    indptr: IntArray  # the matrix in CSR form
    indices: NumberArray
    data: NumberArray
    numbers: NumberArray  # (n,) int32, the number of each coordinate of the matrix, or -1 before it is seen
    order: IntArray  # (capacity,) the matrix's own coordinate of each number
    active: NumberArray  # (p + 1, capacity) the active rows, always current, and the row at hand
    pattern: Sets  # (p + 1) where they are not zero; trailing coordinates only
    diagonal: FloatArray  # (capacity,) always current, float64
    tournament: Tournament  # of the trailing coordinates
    weights: FloatArray  # (p,) see state.py for these five
    adaptive: IntArray
    best: FloatArray
    column: IntArray
    stale: BoolArray
    current: IntArray  # (capacity,) the step up to which a trailing row is current, or -1 before it is read
    rows: Store  # trailing rows: where they are not zero,
    values: NumberArray  # and their values there
    supports: Sets  # (p + 1) of the active vectors, and of the one at hand
    members: Store  # the supports of the trailing vectors that have been rotated; the others are unit vectors
    sizes: FloatArray  # (capacity,) nonzeros of every vector
    first: UIntArray  # (k,) see state.py for these and the rest
    second: UIntArray
    cosines: FloatArray
    sines: NumberArray
    shifts: FloatArray
    gains: FloatArray
    nonzeros: IntArray
    counts: IntArray
    scalars: FloatArray


@bare_inline
def see(st: SparseState, coordinate: int) -> int:
    """The number of a coordinate of the matrix, a new one if it has none; the caller has seen to the space."""
    m = np.int64(st.numbers[coordinate])
    if m < 0:
        m = np.int64(st.counts[Count.SEEN])
        st.counts[Count.SEEN] = m + 1
        st.numbers[coordinate], st.order[m] = m, coordinate
        st.diagonal[m] = st.tournament.entries[coordinate]
    return m
