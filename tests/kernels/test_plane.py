"""One pair of coordinates: its gain and its rotation."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from compiled import from_python
from hypothesis import given
from hypothesis import strategies as st

from jacobeig._kernels.plane import abs2, find_rotation, find_unit_gain, orient

abs2, find_rotation, orient, find_unit_gain = from_python(abs2, find_rotation, orient, find_unit_gain)

entries = st.floats(1e-120, 1.0)
deltas = st.one_of(st.just(0.0), st.floats(1e-60, 1.0), st.floats(-1.0, -1e-60))


def test_the_squared_modulus_is_real():
    assert abs2(3.0) == 9.0
    assert abs2(3.0 - 4.0j) == 25.0
    assert not np.iscomplexobj(abs2(1.0j))


def test_the_sign_of_a_weight_of_zero_counts_as_positive():
    assert [orient(w) for w in (-2.0, -0.0, 0.0, 3.0)] == [-1.0, 1.0, 1.0, 1.0]


@given(s=entries, delta=deltas)
def test_the_gain_does_not_cancel(s, delta):
    with localcontext() as context:
        context.prec = 400
        s2, d = Decimal(s * s), Decimal(delta)
        exact = ((d * d + 4 * s2).sqrt() - d) / 2
        assert abs(Decimal(find_unit_gain(s * s, delta)) - exact) <= Decimal(8 * 2.3e-16) * exact


@pytest.mark.parametrize("phase", [1.0, -1.0, 1j, np.exp(0.7j)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_rotation_diagonalises_the_pair_and_puts_the_wanted_eigenvalue_first(phase, sign):
    @given(modulus=st.floats(1e-12, 1.0), difference=deltas)
    def check(modulus, difference):
        s = modulus * phase
        block = np.array([[difference, s], [np.conj(s), 0.0]])
        c, sigma = find_rotation(s, sign * difference, sign)
        G = np.array([[c, -np.conj(sigma)], [sigma, c]])
        assert c >= 0.0
        assert np.abs(G.conj().T @ G - np.eye(2)).max() <= 8 * np.finfo(float).eps
        D = G.conj().T @ block @ G
        size = max(modulus, abs(difference))
        assert abs(D[0, 1]) <= 8 * np.finfo(float).eps * size
        assert sign * (D[0, 0] - D[1, 1]).real >= -8 * np.finfo(float).eps * size
        rise = sign * (D[0, 0].real - difference)
        assert math.isclose(
            rise, find_unit_gain(modulus**2, sign * difference), rel_tol=1e-9, abs_tol=8 * np.finfo(float).eps * size
        )

    check()


@pytest.mark.parametrize("zero", [0.0, 0j])
def test_without_an_entry_the_rotation_is_an_exact_swap(zero):
    c, sigma = find_rotation(zero, -1.0, 1.0)
    assert (c, sigma) == (0.0, 1.0)
