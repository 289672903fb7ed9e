"""Call from Python what only kernels call: helpers have no Python entry of their own, as those are slow to compile."""

from numba import njit


def from_python(*helpers):
    """Return the helpers wrapped so that Python can call them; as they are where nothing is compiled."""
    return tuple(_wrapped(helper) if hasattr(helper, "py_func") else helper for helper in helpers)


def _wrapped(helper):
    @njit
    def call(*arguments):
        return helper(*arguments)

    return call
