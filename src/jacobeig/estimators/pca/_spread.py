"""What a model keeps of its data: where they lie, and how far they spread."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig.errors import InvalidInputError
from jacobeig.sources import CovarianceStream, GramRows
from jacobeig.sources.scaling import choose_scales


@dataclass(frozen=True, kw_only=True, eq=False)
class Spread:
    """Where the data lie and how far they spread; variances are in units of `unit` squared."""

    mean: NDArray[np.float64]  # subtracted from a sample; zeros if not centred
    scale: NDArray[np.float64]  # what it is divided by then; ones if not scaled
    n_samples: int
    divisor: float  # of sums of squares
    total_variance: float  # of all features together, after scaling
    unit: float = 1.0  # a power of two, other than 1 only for data whose squares would vanish

    @classmethod
    def of(cls, source: GramRows, unit: float, *, center: bool, scale: bool) -> "Spread":
        """Return the spread of the data behind a row source, which were divided by `unit`."""
        return cls(
            mean=source.mean_ * unit,
            scale=source.scale_ * unit if scale else source.scale_,
            n_samples=source.n_samples,
            divisor=source.n_samples - int(center),
            total_variance=float(source.diagonal().sum(dtype=np.float64)),
            unit=1.0 if scale else unit,
        )

    @classmethod
    def from_parts(cls, arrays: dict[str, NDArray[Any]], facts: dict[str, Any]) -> "Spread":
        """Rebuild it from what a file holds of it, or raise ValueError where that is no spread."""
        spread = cls(
            mean=arrays["mean"].astype(np.float64),
            scale=arrays["scale"].astype(np.float64),
            n_samples=int(facts["n_samples"]),
            divisor=float(facts["divisor"]),
            total_variance=float(facts["total_variance"]),
            unit=float(facts.get("unit", 1.0)),
        )
        if not (np.isfinite([*spread.facts.values()]).all() and spread.total_variance >= 0.0 < spread.unit):
            raise ValueError("its variances are not numbers")
        return spread

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that a file must hold of it."""
        return {"mean": self.mean, "scale": self.scale}

    @property
    def facts(self) -> dict[str, Any]:
        """The numbers that a file must hold of it."""
        return {name: getattr(self, name) for name in ("n_samples", "divisor", "total_variance", "unit")}

    @property
    def log_scale(self) -> float:
        """Logarithm of the volume by which scaling shrinks the space of the samples."""
        return float(np.log(self.scale).sum() + len(self.scale) * np.log(self.unit))

    def measure_noise(self, explained: float, n_components: int) -> float:
        """Return the mean variance along the directions that some components leave, in which the samples can spread."""
        left = min(len(self.mean), self.n_samples) - n_components
        return max(0.0, self.total_variance - explained) / left if left > 0 else 0.0

    def measure_squares(self, X: Any) -> NDArray[Any]:
        """Return the squared norm of each centred and scaled sample; sparse ones are not made dense."""
        scale = self.scale * self.unit
        if isinstance(X, np.ndarray):
            apart = (X - self.mean) / scale
            return np.asarray(np.einsum("ij,ij->i", apart, apart))
        scaled, mean = X.multiply(1.0 / scale).tocsr(), self.mean / scale
        squares = np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel()
        return np.asarray(squares - 2.0 * (scaled @ mean) + mean @ mean)


def open_data(X: Any, *, center: bool, scale: bool) -> tuple[GramRows, float]:
    """Return the rows of the covariance of X over a power of two, which is 1 unless the squares of X lose digits."""
    source = GramRows(X, center=center, scale=scale)
    unit = _find_unit(X) if _loses_digits(source.variance_, source.dtype) else 1.0
    if unit == 1.0:
        return source, unit
    source = GramRows(X / X.dtype.type(unit), center=center, scale=scale)
    if scale and (source.scale_ * unit).min() < 4.0 / np.finfo(source.dtype).max:  # dividing by it would overflow
        raise InvalidInputError("X is too small: its entries have lost digits; multiply it by a large number first.")
    return source, unit


def _loses_digits(variances: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Whether even the largest variance is so small that products next to it have fewer digits than they should."""
    return bool(variances.max() < float(np.finfo(dtype).tiny) / float(np.finfo(dtype).eps))


def _find_unit(X: Any) -> float:
    """Return the power of two at the largest entry of X where the square of that would lose digits, else 1."""
    if X.dtype.kind != "f":
        return 1.0
    largest = X.dtype.type(abs(X).max())
    tiny = largest > 0.0 and _loses_digits(np.square([largest]), X.dtype)
    return math.ldexp(0.5, math.frexp(float(largest))[1]) if tiny else 1.0


def read_stream_moments(stream: CovarianceStream, *, center: bool, scale: bool) -> tuple[Any, Spread]:
    """Return the matrix that `GramRows` would have rows of, had it seen all samples at once, and their spread."""
    n, m = stream.shape[0], stream.n_samples
    matrix: Any = stream
    if not center:
        matrix = stream.covariance * ((m - 1) / m) + np.outer(stream.mean_, stream.mean_)
    variances = np.asarray(matrix.diagonal(), np.float64)
    if variances.any() and _loses_digits(variances, variances.dtype):
        raise InvalidInputError(
            f"the samples are too small: their largest variance is {variances.max():.3g}, where digits are lost; "
            "multiply every batch by the same large number."
        )
    deviations = np.ones(n)
    if scale:
        deviations, diagonal = choose_scales(variances, stream.mean_, variances.dtype)
        matrix = (stream.covariance if center else matrix) / np.outer(deviations, deviations)
        np.fill_diagonal(matrix, diagonal)
    spread = Spread(
        mean=stream.mean_ if center else np.zeros(n),
        scale=deviations,
        n_samples=m,
        divisor=m - int(center),
        total_variance=float(matrix.diagonal().sum()),
    )
    return matrix, spread
