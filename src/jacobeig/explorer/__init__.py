"""The explorer: a result or a fitted estimator as one HTML page that works offline."""

from jacobeig.explorer._report import report

__all__ = ["report"]
