"""Sparse principal component analysis as a scikit-learn transformer."""

from jacobeig.errors import MissingExtraError

try:
    import sklearn as _sklearn  # noqa: F401  # only to see that it is there
except ImportError as error:
    raise MissingExtraError("scikit-learn", "pca") from error

from jacobeig.estimators.pca._jacobi_pca import JacobiPCA
from jacobeig.estimators.pca._path import PCAPath
from jacobeig.estimators.pca._stability import Stability

__all__ = ["JacobiPCA", "PCAPath", "Stability"]
