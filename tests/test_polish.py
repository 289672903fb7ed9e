"""Polish: exactness of each step, monotone sweeps, and nonzeros that never rise."""

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from jacobeig._kernels.polish import best_angle, count_structural_nonzeros
from jacobeig._polish import chain_vectors, polish_chain
from jacobeig.errors import InvalidInputError

Array: TypeAlias = npt.NDArray[Any]
Chain: TypeAlias = tuple[Array, Array, Array, Array]


def random_chain(n: int, p: int, k: int, seed: int = 0, swaps: int = 0) -> Chain:
    """Random rotations of which a few are exact swaps."""
    rng = np.random.default_rng(seed)
    pivots = np.array([rng.choice(n, 2, replace=False) for _ in range(k)])
    angles = rng.uniform(-1.5, 1.5, k)
    cosines, sines = np.cos(angles), np.sin(angles)
    cosines[:swaps], sines[:swaps] = 0.0, 1.0
    return pivots, cosines, sines, rng.permutation(n)[:p]


def random_matrix(n: int, seed: int = 0) -> Array:
    X = np.random.default_rng(seed).standard_normal((n, n))
    return X @ X.T


def structural_nonzeros(chain: Chain, n: int) -> int:
    pivots, cosines, sines, seeds = chain
    return count_structural_nonzeros(pivots, cosines, sines, seeds, np.empty((n, (n + 63) // 64), np.uint64))


def test_the_vectors_are_the_product_of_the_rotations() -> None:
    chain = random_chain(8, 3, 10)
    product = np.eye(8)
    for (i, j), c, s in zip(*chain[:3], strict=True):
        G = np.eye(8)
        G[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
        product = product @ G
    np.testing.assert_allclose(chain_vectors(*chain, 8), product[:, chain[3]], atol=1e-14)


def test_structural_nonzeros_are_the_nonzeros_of_a_chain_without_coincidences() -> None:
    chain = random_chain(70, 5, 60, swaps=5)
    assert structural_nonzeros(chain, 70) == np.count_nonzero(chain_vectors(*chain, 70))


def test_the_best_angle_beats_a_fine_grid() -> None:
    rng = np.random.default_rng(0)
    t = np.linspace(0, 2 * np.pi, 20001)
    for a, b, d, e in rng.standard_normal((50, 4)):
        curve = a * np.cos(2 * t) + b * np.sin(2 * t) + d * np.cos(t) + e * np.sin(t)
        assert best_angle(a, b, d, e)[1] >= curve.max() - 1e-12


@pytest.mark.parametrize("pairs", ["keep", "choose"])
@pytest.mark.parametrize("weights", [None, [3.0, 2.0, 1.0], [1.0, -1.0, 0.5]])
def test_sweeps_are_monotone_and_the_objective_is_that_of_the_chain(
    pairs: Literal["keep", "choose"], weights: list[float] | None
) -> None:
    S, chain = random_matrix(20), random_chain(20, 3, 40)
    polished = polish_chain(S, *chain, weights=weights, pairs=pairs, sweeps=4)
    assert (np.diff(polished.objectives) >= -1e-10 * np.abs(S).max()).all()
    assert polished.objectives[-1] > polished.objectives[0]
    U = chain_vectors(polished.pivots, polished.cosines, polished.sines, chain[3], 20)
    alpha = np.ones(3) if weights is None else np.array(weights)
    assert np.sum(U * (S @ U), axis=0) @ alpha == pytest.approx(polished.objectives[-1])
    assert np.abs(U.T @ U - np.eye(3)).max() < 1e-12


def test_one_rotation_is_solved_exactly() -> None:
    S, chain = random_matrix(6), random_chain(6, 1, 1)
    chain = (*chain[:3], chain[0][0, :1])
    i, j = chain[0][0]
    polished = polish_chain(S, *chain)
    assert polished.objectives[-1] == pytest.approx(np.linalg.eigvalsh(S[np.ix_([i, j], [i, j])])[-1])


def test_an_angle_is_the_best_one_given_the_others() -> None:
    S, chain = random_matrix(12), random_chain(12, 3, 15)
    polished = polish_chain(S, *chain, sweeps=200, tol=0.0)
    for q in range(15):
        for change in (-1e-3, 1e-3):
            angle = np.arctan2(polished.sines[q], polished.cosines[q]) + change
            cosines, sines = polished.cosines.copy(), polished.sines.copy()
            cosines[q], sines[q] = np.cos(angle), np.sin(angle)
            U = chain_vectors(polished.pivots, cosines, sines, chain[3], 12)
            assert np.sum(U * (S @ U)) <= polished.objectives[-1] + 1e-8


@pytest.mark.parametrize("pairs", ["keep", "choose"])
def test_structural_nonzeros_never_rise_and_the_length_stays(pairs: Literal["keep", "choose"]) -> None:
    S, chain = random_matrix(30), random_chain(30, 4, 25, swaps=3)
    polished = polish_chain(S, *chain, pairs=pairs, sweeps=3)
    after = (polished.pivots, polished.cosines, polished.sines, chain[3])
    assert len(polished.pivots) == 25
    assert structural_nonzeros(after, 30) <= structural_nonzeros(chain, 30)
    assert np.count_nonzero(chain_vectors(*after, 30)) <= structural_nonzeros(chain, 30)


def test_cosines_are_never_negative() -> None:
    polished = polish_chain(random_matrix(15), *random_chain(15, 3, 30), sweeps=5)
    assert (polished.cosines >= 0).all()
    np.testing.assert_allclose(polished.cosines**2 + polished.sines**2, 1.0, atol=1e-14)


def test_choosing_pairs_gains_at_least_as_much_in_its_first_step() -> None:
    S, chain = random_matrix(16), random_chain(16, 2, 1)
    kept, chosen = (polish_chain(S, *chain, pairs=pairs, sweeps=1).objectives[-1] for pairs in ("keep", "choose"))
    assert chosen >= kept


def test_the_input_is_left_alone_and_an_empty_chain_is_returned_as_it_is() -> None:
    S, chain = random_matrix(10), random_chain(10, 2, 5)
    copies = [array.copy() for array in (S, *chain)]
    polish_chain(S, *chain, pairs="choose")
    for array, copy in zip((S, *chain), copies, strict=True):
        np.testing.assert_array_equal(array, copy)
    empty = polish_chain(S, np.empty((0, 2), int), [], [], [1, 2])
    assert empty.objectives[-1] == pytest.approx(S[1, 1] + S[2, 2])


def test_an_unknown_way_to_pair_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="pairs"):
        polish_chain(np.eye(2), [[0, 1]], [1.0], [0.0], [0], pairs="some")  # type: ignore[arg-type]  # wrong
