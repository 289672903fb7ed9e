"""Polish: exactness of each step, monotone sweeps, and nonzeros that never rise."""

import numpy as np
import pytest
from compiled import from_python

import jacobeig as je
from jacobeig import RotationSequence
from jacobeig._kernels.polish import best_angle, count_structural_nonzeros
from jacobeig.errors import InvalidInputError
from jacobeig.solve import _sweeps


def random_chain(n, p, k, seed=0, swaps=0):
    """Random rotations of which a few are exact swaps."""
    rng = np.random.default_rng(seed)
    pivots = np.array([rng.choice(n, 2, replace=False) for _ in range(k)], np.int64).reshape(-1, 2)
    angles = rng.uniform(-1.5, 1.5, k)
    cosines, sines = np.cos(angles), np.sin(angles)
    cosines[:swaps], sines[:swaps] = 0.0, 1.0
    return RotationSequence(n=n, pivots=pivots, cosines=cosines, sines=sines, coordinates=rng.permutation(n)[:p])


def random_matrix(n, seed=0):
    X = np.random.default_rng(seed).standard_normal((n, n))
    return X @ X.T


def polish_chain(S, chain, weights=None, pairs="keep", n_sweeps=10):
    weights = np.ones(chain.n_components) if weights is None else np.array(weights)
    for swept in _sweeps.polish_chain(S, chain, weights, pairs=pairs, n_sweeps=n_sweeps, max_nonzeros=None):
        chain = swept
    return _sweeps.make_cosines_positive(chain)


def trace(S, chain, weights=None):
    U = chain.to_sparse().toarray()
    return np.sum(U * (S @ U), axis=0) @ (np.ones(chain.n_components) if weights is None else np.array(weights))


def structural_nonzeros(chain):
    words, sizes = np.empty((chain.n, (chain.n + 63) // 64), np.uint64), np.empty(chain.n_components, np.int64)
    count_structural_nonzeros(chain.pivots, chain.cosines, chain.sines, chain.coordinates, words, sizes)
    return sizes


def test_structural_nonzeros_are_the_nonzeros_of_a_chain_without_coincidences():
    chain = random_chain(70, 5, 60, swaps=5)
    assert structural_nonzeros(chain).tolist() == np.diff(chain.to_sparse().indptr).tolist()


def test_the_best_angle_beats_a_fine_grid():
    rng = np.random.default_rng(0)
    t = np.linspace(0, 2 * np.pi, 20001)
    (find_angle,) = from_python(best_angle)
    for a, b, d, e in rng.standard_normal((50, 4)):
        curve = a * np.cos(2 * t) + b * np.sin(2 * t) + d * np.cos(t) + e * np.sin(t)
        assert find_angle(a, b, d, e)[1] >= curve.max() - 1e-12


@pytest.mark.parametrize("pairs", ["keep", "choose"])
@pytest.mark.parametrize("weights", [None, [3.0, 2.0, 1.0], [1.0, -1.0, 0.5]])
def test_sweeps_are_monotone(pairs, weights):
    S, chain = random_matrix(20), random_chain(20, 3, 40)
    values = [trace(S, chain, weights)]
    for n_sweeps in range(1, 5):
        polished = polish_chain(S, chain, weights, pairs, n_sweeps)
        values.append(trace(S, polished, weights))
        U = polished.to_sparse().toarray()
        assert np.abs(U.T @ U - np.eye(3)).max() < 1e-12
    assert (np.diff(values) >= -1e-10 * np.abs(S).max()).all()
    assert values[1] > values[0]


def test_one_rotation_is_solved_exactly():
    S, chain = random_matrix(6), random_chain(6, 1, 1)
    i, j = chain.pivots[0]
    polished = polish_chain(S, chain.with_coordinates(np.array([i])))
    assert trace(S, polished) == pytest.approx(np.linalg.eigvalsh(S[np.ix_([i, j], [i, j])])[-1])


def test_an_angle_is_the_best_one_given_the_others(monkeypatch):
    monkeypatch.setattr(_sweeps, "SETTLED", 0.0)
    S, chain = random_matrix(12), random_chain(12, 3, 15)
    polished = polish_chain(S, chain, n_sweeps=200)
    best = trace(S, polished)
    for q in range(15):
        for change in (-1e-3, 1e-3):
            angles = polished.angles
            angles[q] += change
            turned = RotationSequence(
                n=12,
                pivots=polished.pivots,
                cosines=np.cos(angles),
                sines=np.sin(angles),
                coordinates=polished.coordinates,
            )
            assert trace(S, turned) <= best + 1e-8


@pytest.mark.parametrize("pairs", ["keep", "choose"])
def test_structural_nonzeros_never_rise_and_the_length_stays(pairs):
    S, chain = random_matrix(30), random_chain(30, 4, 25, swaps=3)
    polished = polish_chain(S, chain, pairs=pairs, n_sweeps=3)
    assert len(polished) == 25
    assert structural_nonzeros(polished).sum() <= structural_nonzeros(chain).sum()
    assert polished.to_sparse().nnz <= structural_nonzeros(chain).sum()


def test_cosines_are_never_negative():
    polished = polish_chain(random_matrix(15), random_chain(15, 3, 30), n_sweeps=5)
    assert (polished.cosines >= 0).all()
    np.testing.assert_allclose(polished.cosines**2 + polished.sines**2, 1.0, atol=1e-14)


def test_choosing_pairs_gains_at_least_as_much_in_its_first_step():
    S, chain = random_matrix(16), random_chain(16, 2, 1)
    kept, chosen = (trace(S, polish_chain(S, chain, pairs=pairs, n_sweeps=1)) for pairs in ("keep", "choose"))
    assert chosen >= kept


def test_the_input_is_left_alone_and_an_empty_chain_is_returned_as_it_is():
    S, chain = random_matrix(10), random_chain(10, 2, 5)
    arrays = (S, chain.pivots, chain.cosines, chain.sines, chain.coordinates)
    copies = [array.copy() for array in arrays]
    polish_chain(S, chain, pairs="choose")
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)
    empty = polish_chain(S, random_chain(10, 2, 0))
    assert len(empty) == 0


def test_an_unknown_way_to_pair_is_refused():
    with pytest.raises(InvalidInputError, match="pairs"):
        je.polish(np.eye(3), je.sparse_eigsh(np.eye(3), 1), pairs="some")


@pytest.mark.parametrize("n", [20, 40])
def test_a_matrix_of_another_size_is_refused(n):
    result = je.sparse_eigsh(random_matrix(30), 3, n_rotations=20)
    with pytest.raises(InvalidInputError, match=r"does not have the diagonal of the matrix that result"):
        je.polish(random_matrix(n), result)


def test_another_matrix_of_the_same_size_is_refused():
    result = je.sparse_eigsh(random_matrix(30), 3, n_rotations=20)
    with pytest.raises(InvalidInputError, match=r"does not have the diagonal of the matrix that result"):
        je.polish(random_matrix(30, seed=1), result)
