"""Array aliases of the refinement solvers."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Integers", "Mask"]

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
