"""The block variant (Remark 1)."""

import numpy as np
import pytest
import tolerances
from matrices import covariance, generic
from reference import Reference

import jacobeig as je


def partners_by_hand(reference, p, pivot):
    """Each vector in turn takes its best coordinate that is neither a vector nor taken."""
    taken = []
    for i in reference.seeds:
        free = [j for j in range(reference.n) if j not in reference.seeds and j not in taken]
        score = (lambda j: abs(reference.entry(i, j))) if pivot == "offdiagonal" else (lambda j: reference.gain(i, j))  # noqa: B023  # called at once
        taken.append(max(free, key=score))
    return taken


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("which", ["LA", "SA"])
@pytest.mark.parametrize("pivot", ["gain", "offdiagonal"])
def test_every_block_is_the_one_that_remark_1_describes(dtype, which, pivot):
    S = generic(13, dtype)
    result = je.block_eigsh(S, 3, 8, which=which, pivot=pivot, start=[4, 0, 9])
    reference = Reference(S, 3, which=which, start=[4, 0, 9])
    chain = result.rotations
    for index, block in zip(chain.indices, chain.blocks, strict=True):
        assert index[:3].tolist() == [4, 0, 9]
        assert index[3:].tolist() == partners_by_hand(reference, 3, pivot)
        np.testing.assert_allclose(block.conj().T @ block, np.eye(6), rtol=0, atol=1e-14)
        G = np.eye(13, dtype=S.dtype)
        G[np.ix_(index, index)] = block
        reference.S = G.conj().T @ reference.S @ G
        after = reference.S[np.ix_(index, index)]
        values = np.sort(np.diag(after).real)
        np.testing.assert_allclose(after, np.diag(np.diag(after)), rtol=0, atol=tolerances.rayleigh(S))
        wanted = values[-3:] if which == "LA" else values[:3]
        np.testing.assert_allclose(np.sort(np.diag(after).real[:3]), wanted, rtol=0, atol=tolerances.rayleigh(S))


def test_random_partners_are_different_coordinates_and_follow_the_seed():
    S = generic(12)
    chains = [je.block_eigsh(S, 3, 6, pivot="random", rng=rng).rotations.indices for rng in (1, 1, 2)]
    assert (chains[0] == chains[1]).all()
    assert (chains[0] != chains[2]).any()
    for index in chains[0]:
        assert len(set(index.tolist())) == 6


def test_nonzeros_are_those_counted_after_each_block():
    for dtype in (np.float64, np.complex128):
        result = je.block_eigsh(generic(40, dtype), 3, 10)
        counted = [result.truncate(q + 1).vectors.count_nonzero() for q in range(result.n_rotations)]
        assert result.nonzeros.tolist() == counted


def test_a_structural_zero_of_a_block_adds_no_nonzero():
    S = np.zeros((8, 8))
    S[:4, :4], S[4:, 4:] = covariance(4), covariance(4, seed=5)
    result = je.block_eigsh(S, 2, 20, start=[0, 4])
    U = result.vectors.toarray()
    assert result.nonzeros[-1] >= np.count_nonzero(U)
    assert je.metrics.accuracy(S, U) <= 1 + 1e-12


def test_half_of_the_coordinates_can_be_wanted():
    S = covariance(8)
    result = je.block_eigsh(S, 4, 3)
    assert result.status is je.Status.CONVERGED
    assert result.n_rotations == 1
    np.testing.assert_allclose(result.eigenvalues, np.linalg.eigvalsh(S)[::-1][:4], rtol=1e-12)


def test_no_blocks_give_unit_vectors():
    result = je.block_eigsh(generic(8), 2, 0)
    assert result.vectors.nnz == 2
    assert result.status is je.Status.ROTATIONS


def test_only_the_rows_of_vectors_and_partners_are_read():
    S, asked = generic(30), []

    class Source:
        shape, dtype = S.shape, S.dtype

        def diagonal(self):
            return S.diagonal()

        def rows(self, indices):
            asked.extend(indices.tolist())
            return S[indices]

    result = je.block_eigsh(Source(), 2, 4, start="natural")
    used = asked[8:]  # after the few rows that are compared with each other
    assert sorted(used) == sorted({0, 1} | set(result.rotations.indices.ravel().tolist()))
    np.testing.assert_array_equal(result.vectors.toarray(), je.block_eigsh(S, 2, 4, start="natural").vectors.toarray())
