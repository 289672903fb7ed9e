"""Targets: what weights alpha the vectors have (A = diag(alpha, 0, ..., 0) in the paper); the one list of them."""

__all__ = ["TARGETS"]

TARGETS = {
    "ones": "equal",
    "log": "logarithmic, larger for the first vectors",
    "adaptive": "adapted to the eigenvalues found so far",
}
