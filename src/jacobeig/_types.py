"""Aliases for the arrays that pass between modules."""

import os
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

# Of any precision, real or complex: what follows the user's matrix.
FloatArray: TypeAlias = NDArray[np.floating[Any]]
NumberArray: TypeAlias = NDArray[Any]
IntArray: TypeAlias = NDArray[np.int64]
UIntArray: TypeAlias = NDArray[np.unsignedinteger[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
# Always double precision: refinement and the baselines.
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
PathLike: TypeAlias = str | os.PathLike[str]
Rng: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None
Effort: TypeAlias = Literal["quick", "best"]
Which: TypeAlias = Literal["LA", "SA", "BE"]
