"""Array aliases of the masks and the baselines."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Indices"]

Array: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.intp]
