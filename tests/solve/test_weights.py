"""Weights."""

import numpy as np
import pytest

from jacobeig.results.ends import count_wanted_high
from jacobeig.solve._weights import seed_weights


@pytest.mark.parametrize(("which", "counts"), [("LA", [1, 2, 3]), ("SA", [0, 0, 0]), ("BE", [1, 1, 2])])
def test_half_of_both_ends_are_high_and_one_more_if_odd(which, counts):
    assert [count_wanted_high(which, p) for p in (1, 2, 3)] == counts


def test_ones_are_of_the_sign_that_is_wanted():
    assert seed_weights("ones", 3, "LA")[1].tolist() == [1, 1, 1]
    assert seed_weights("ones", 3, "SA")[1].tolist() == [-1, -1, -1]
    assert seed_weights("ones", 3, "BE")[1].tolist() == [1, 1, -1]
    assert seed_weights("adaptive", 3, "BE")[1].tolist() == [1, 1, -1]


def test_logarithms_fall_from_both_ends_to_log_of_two():
    np.testing.assert_allclose(seed_weights("log", 3, "LA")[1], np.log2([4, 3, 2]))
    np.testing.assert_allclose(seed_weights("log", 3, "SA")[1], -np.log2([4, 3, 2]))
    np.testing.assert_allclose(seed_weights("log", 5, "BE")[1], [*np.log2([4, 3, 2]), *-np.log2([3, 2])])


def test_the_logarithms_are_the_authors(request):
    golden = np.load(request.path.parents[1] / "data" / "mid.npz")
    np.testing.assert_allclose(seed_weights("log", 20, "LA")[1], golden["alpha"], rtol=1e-14)


@pytest.mark.parametrize(
    "given", [[2, 0, 1], (2.0, 0.0, 1.0), np.array([2, 0, 1], np.uint8), np.array([2.0, 0.0, 1.0])]
)
def test_an_array_is_taken_as_given_and_copied(given):
    name, weights = seed_weights(given, 3, "LA")
    assert name == "array"
    assert weights.dtype == np.float64
    assert weights.tolist() == [2, 0, 1]
    weights[0] = 7
    assert list(given) == [2, 0, 1]


def test_a_result_can_name_its_target():
    assert [seed_weights(name, 2, "LA")[0] for name in ("ones", "log", "adaptive")] == ["ones", "log", "adaptive"]
