"""What features are divided by where they are scaled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["choose_scales"]


def choose_scales(
    variances: NDArray[np.float64], mean: NDArray[np.float64], dtype: np.dtype[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what each feature is divided by, and its variance then.

    Features that never change, up to rounding, are divided by 1, as scikit-learn's StandardScaler does. The variance of
    all others is exactly 1: equal entries must not differ by rounding, which would break ties.
    """
    deviations = np.sqrt(variances)
    constant = deviations <= float(np.finfo(dtype).eps) * np.abs(mean)
    return np.where(constant, 1.0, deviations), np.where(constant, variances, 1.0)
