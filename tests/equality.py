"""Equality to the bit."""


def assert_same(a, b):
    """Two results are equal to the bit in everything that a user sees."""
    for name in ("eigenvalues", "gains", "nonzeros", "target"):
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype
        assert x.shape == y.shape
        assert x.tobytes() == y.tobytes(), name
    assert_same_sparse(a.vectors, b.vectors)
    assert a.method == b.method
    assert a.status is b.status
    assert_same_chain(a.rotations, b.rotations)


def assert_same_sparse(a, b):
    assert a.shape == b.shape
    assert a.dtype == b.dtype
    for name in ("data", "indices", "indptr"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name


def assert_same_chain(a, b):
    assert type(a) is type(b)
    assert a.n == b.n
    assert a.dtype == b.dtype
    for name in a._parts:
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype
        assert x.shape == y.shape
        assert x.tobytes() == y.tobytes(), name
