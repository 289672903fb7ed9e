"""What was changed by hand, in a file or in memory, is refused before compiled code follows it."""

from dataclasses import replace

import numpy as np
import pytest

import jacobeig as je
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError, JacobeigError

S = je.datasets.random_covariance(12, rng=0)


def run(**options):
    return je.sparse_eigsh(S, 3, start="natural", n_rotations=20, **options)


def rewrite(path, **changes):
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, **(arrays | changes))


def changed(array, index, value):
    copy = array.copy()
    copy[index] = value
    return copy


RESULT = run()
CHAIN, TRAIL = RESULT.rotations, RESULT.trail
GO_ON = (
    lambda result: je.extend(S, result, n_rotations=30),
    lambda result: je.polish(S, result),
    lambda result: result.truncate(5),
)


@pytest.mark.parametrize(
    "changes",
    [
        {"rotations.pivots": changed(CHAIN.pivots, (3, 0), 11)},
        {"rotations.pivots": changed(CHAIN.pivots, (3, 1), CHAIN.pivots[3, 0])},
        {"rotations.pivots": changed(CHAIN.pivots, (3, 1), 12)},
        {"rotations.pivots": changed(CHAIN.pivots, (3, 1), -1)},
        {"rotations.cosines": changed(CHAIN.cosines, 3, np.nan)},
        {"rotations.cosines": changed(CHAIN.cosines, 3, np.inf)},
        {"rotations.sines": changed(CHAIN.sines, 3, 2.0)},
        {"rotations.coordinates": np.array([0, 0, 1])},
        {"trail.seeds": np.array([0, 0, 1])},
        {"trail.seeds": np.array([0, 1, 12])},
        {"trail.weights": np.array([1.0, np.nan, 1.0])},
        {"trail.weights": np.ones(4)},
        {"trail.diagonal": np.ones(11)},
        {"trail.shifts": np.ones(19)},
        {"trail.shifts": changed(TRAIL.shifts, 0, np.inf)},
        {"trail.bounds": np.ones(3)},
        {"gains": np.ones(19)},
        {"nonzeros": np.ones(20)},
        {"shape": np.array([13, 3])},
        {"indices": np.full(RESULT.vectors.nnz, 40, np.int32)},
        {"data": changed(RESULT.vectors.data, 0, np.nan)},
        {"data": RESULT.vectors.data.astype(str)},
        {"eigenvalues": changed(RESULT.eigenvalues, 0, np.inf)},
        {"target": changed(RESULT.target, 0, np.inf)},
    ],
)
def test_a_changed_result_does_not_load(changes, tmp_path):
    path = tmp_path / "result.npz"
    RESULT.save(path)
    rewrite(path, **changes)
    with pytest.raises(FileFormatError, match="result"):
        je.load(path)


@pytest.mark.parametrize(
    "method",
    [
        {"which": "XX"}, {"which": 3}, {"seed": -1}, {"seed": 2**64}, {"seed": 1.5}, {"seed": "a"}, {"polished": 1},
        {"pivot": None}, {"refined_from": 3}, {"other": 1},
    ],
)  # fmt: skip
def test_a_file_with_an_unknown_method_does_not_load(method):
    arrays, facts = RESULT.to_parts()
    facts["method"] |= method
    with pytest.raises(FileFormatError):
        je.EigenResult.from_parts(arrays, facts)


@pytest.mark.parametrize(
    "trail",
    [
        {"seeds": np.array([0, 0, 1])},
        {"seeds": np.array([9, 10, 11])},
        {"seeds": np.array([0, 1, 99])},
        {"seeds": [0, 1, 2]},
        {"shifts": np.ones(3)},
        {"diagonal": np.ones(2)},
        {"weights": np.array([1.0, np.nan, 1.0])},
    ],
)
def test_nothing_goes_on_from_a_changed_trail(trail):
    result = replace(RESULT, trail=replace(TRAIL, **trail))
    for go_on in GO_ON:
        with pytest.raises(InvalidInputError, match=r"result does not fit together|does not have the diagonal"):
            go_on(result)


@pytest.mark.parametrize("value", [10**6, -5])
def test_pivots_written_in_place_never_reach_compiled_code(value):
    result = run()
    result.rotations.pivots[5] = value, 1
    for go_on in GO_ON:
        with pytest.raises(JacobeigError):
            go_on(result)


def test_pivots_written_after_the_first_use_change_nothing_outside_the_vectors():
    chain = run().rotations
    chain.analyse(np.ones(12))
    chain.pivots[:] = 10**6
    assert np.isfinite(chain.synthesise(np.eye(3))).all()


GOOD = {"n": 5, "pivots": [[0, 1], [1, 2]], "cosines": [1.0, 0.0], "sines": [0.0, 1.0], "coordinates": [0, 1]}


def test_a_chain_of_plain_lists_is_applied():
    chain = je.RotationSequence(**GOOD)
    np.testing.assert_array_equal(chain.to_sparse().toarray(), [[1, 0], [0, 0], [0, 1], [0, 0], [0, 0]])


@pytest.mark.parametrize(
    "bad",
    [
        {"pivots": [[0, 1], [1, 1]]}, {"pivots": [[0, 1], [1, 5]]}, {"pivots": [[0, 1], [-1, 2]]}, {"pivots": [[0, 1]]},
        {"pivots": [[0, 1.5], [1, 2]]}, {"pivots": [[0, 1], [1]]}, {"pivots": np.zeros((2, 3), int)},
        {"cosines": [1.0]}, {"cosines": [np.nan, 0.0]}, {"cosines": [1e308, 0.0]}, {"cosines": [1j, 0.0]},
        {"sines": [0.0, 2.0]}, {"sines": [[0.0], [1.0]]}, {"sines": ["a", "b"]},
        {"coordinates": [0, 5]}, {"coordinates": [0, 0]}, {"coordinates": [[0, 1]]}, {"coordinates": [0.0, 1.0]},
        {"n": 0}, {"n": 2}, {"n": 2.5}, {"n": True}, {"dtype": "int64"}, {"dtype": np.eye(2)}, {"dtype": None},
    ],
)  # fmt: skip
def test_a_chain_that_could_not_be_applied_safely_is_refused(bad):
    with pytest.raises((InvalidInputError, InvalidTypeError)):
        je.RotationSequence(**(GOOD | bad))


@pytest.mark.parametrize(
    "bad",
    [
        {"indices": [[0, 1, 2, 2]]}, {"indices": [[0, 1, 2, 9]]}, {"indices": [[0, 1, 2]]},
        {"blocks": [np.ones((4, 4))]}, {"blocks": [np.eye(3)]}, {"blocks": [np.full((4, 4), np.nan)]},
        {"blocks": [np.full((4, 4), 1e300)]}, {"coordinates": [0, 1, 2]},
    ],
)  # fmt: skip
def test_blocks_that_could_not_be_applied_are_refused(bad):
    good = {"n": 5, "indices": [[0, 1, 2, 3]], "blocks": [np.eye(4)], "coordinates": [0, 1]}
    assert je.BlockSequence(**good).to_sparse().nnz == 2
    with pytest.raises((InvalidInputError, InvalidTypeError)):
        je.BlockSequence(**(good | bad))


@pytest.mark.parametrize("values", [["a", "b", "c"], [[1], [2, 3]], np.array([1, "a", None], object), [None] * 3])
def test_what_is_no_array_of_numbers_is_not_synthesised(values):
    with pytest.raises(InvalidTypeError, match="Y"):
        CHAIN.synthesise(values)
    with pytest.raises(InvalidTypeError, match="X"):
        CHAIN.analyse(values)
