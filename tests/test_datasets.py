"""Generated matrices."""

import numpy as np
import pytest

from jacobeig.datasets import community_laplacian, random_covariance
from jacobeig.errors import InvalidInputError


def test_a_random_covariance_is_gaussian_times_its_transpose():
    X = np.random.default_rng(3).standard_normal((20, 20))
    np.testing.assert_array_equal(random_covariance(20, rng=3), X @ X.T)


def test_a_low_rank_covariance_keeps_the_largest_eigenvalues_and_is_symmetric():
    full, low = random_covariance(20, rng=3), random_covariance(20, rank=4, rng=3)
    np.testing.assert_allclose(np.linalg.eigvalsh(low)[-4:], np.linalg.eigvalsh(full)[-4:], rtol=1e-12)
    assert np.abs(np.linalg.eigvalsh(low)[:-4]).max() < 1e-12 * np.linalg.norm(full)
    assert (low == low.T).all()


@pytest.mark.parametrize("rank", [0, 21, -1])
def test_an_impossible_rank_is_refused(rank):
    with pytest.raises(InvalidInputError, match=f"rank is {rank}; give 1 to 20"):
        random_covariance(20, rank=rank)


def test_a_community_laplacian_is_one():
    L = community_laplacian(64, rng=0)
    assert (L == L.T).all()
    assert not L.sum(axis=0).any()
    off = L - np.diag(np.diag(L))
    assert set(np.unique(off)) == {-1.0, 0.0}
    values = np.linalg.eigvalsh(L)
    assert abs(values[0]) < 1e-10
    assert (values[1:4] < 2.0).all()  # communities are almost separate


def test_the_same_seed_gives_the_same_matrix():
    for make in (random_covariance, community_laplacian):
        assert (make(16, rng=1) == make(16, rng=np.random.default_rng(1))).all()
        assert (make(16, rng=1) != make(16, rng=2)).any()
