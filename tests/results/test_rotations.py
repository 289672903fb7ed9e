"""Chains of rotations and of blocks."""

import json
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from archives import rewrite
from equality import assert_same_chain, assert_same_sparse
from hypothesis import given
from hypothesis import strategies as st
from matrices import generic

import jacobeig as je
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError
from jacobeig.results.rotations import BlockSequence, RotationSequence

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]
KINDS = ["rotations", "blocks"]


def chain_of(kind, dtype=np.float64, n=14, p=3):
    S = generic(n, dtype)
    if kind == "rotations":
        return je.sparse_eigsh(S, p, n_rotations=25, target="log").rotations
    return je.block_eigsh(S, p, 4).rotations


def tolerance(*dtypes):
    return 100 * max(float(np.finfo(dtype).eps) for dtype in dtypes)


def explicit(chain):
    """The product of the factors, as full matrices."""
    U = np.eye(chain.n, dtype=np.complex128)
    if isinstance(chain, RotationSequence):
        factors = [
            (pair, np.array([[c, -np.conj(s)], [s, c]]))
            for pair, c, s in zip(chain.pivots, chain.cosines, chain.sines, strict=True)
        ]
    else:
        factors = list(zip(chain.indices, chain.blocks, strict=True))
    for index, block in factors:
        G = np.eye(chain.n, dtype=np.complex128)
        G[np.ix_(index, index)] = block
        U = U @ G
    return U[:, chain.coordinates]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_chain_is_the_product_of_its_factors(kind, dtype):
    chain = chain_of(kind, dtype)
    U = explicit(chain)
    assert chain.to_sparse().dtype == dtype
    np.testing.assert_allclose(chain.to_sparse().toarray(), U, rtol=0, atol=tolerance(dtype))
    assert chain.shape == (14, 3)
    assert chain.n_components == 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("given_dtype", [*DTYPES, np.int64])
def test_analysing_and_synthesising_are_products_with_the_vectors(kind, dtype, given_dtype):
    chain = chain_of(kind, dtype)
    U = explicit(chain)
    rng = np.random.default_rng(0)
    for columns in ((), (1,), (5,), (0,)):
        X = (10 * rng.standard_normal((14, *columns))).astype(given_dtype)
        Y = (10 * rng.standard_normal((3, *columns))).astype(given_dtype)
        before = X.copy(), Y.copy()
        forth, back = chain.synthesise(Y), chain.analyse(X)
        assert forth.dtype == back.dtype == np.result_type(dtype, given_dtype)
        atol = 50 * tolerance(dtype, forth.dtype)
        np.testing.assert_allclose(back, U.conj().T @ X, rtol=0, atol=atol)
        np.testing.assert_allclose(forth, U @ Y, rtol=0, atol=atol)
        np.testing.assert_array_equal(before[0], X)
        np.testing.assert_array_equal(before[1], Y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.filterwarnings("ignore:Calling `matvec` on 'column vectors':FutureWarning")  # until SciPy 1.20
def test_the_linear_operator_is_the_matrix_of_vectors(kind, dtype):
    chain = chain_of(kind, dtype)
    operator, U = chain.aslinearoperator(), explicit(chain)
    rng = np.random.default_rng(0)
    x, X, y, Y = (
        rng.standard_normal(14),
        rng.standard_normal((14, 2)),
        rng.standard_normal(3),
        rng.standard_normal((3, 2)),
    )
    assert operator.shape == (14, 3)
    assert operator.dtype == dtype
    for got, expected in (
        (operator @ y, U @ y),
        (operator @ Y, U @ Y),
        (operator.H @ x, U.conj().T @ x),
        (operator.H @ X, U.conj().T @ X),
        (operator.matvec(y.reshape(3, 1)), (U @ y).reshape(14, 1)),
    ):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_lists_and_strided_arrays_can_be_analysed(kind):
    chain = chain_of(kind)
    x = np.random.default_rng(0).standard_normal((28, 6))
    np.testing.assert_array_equal(chain.analyse(x[::2, ::3]), chain.analyse(x[::2, ::3].copy()))
    np.testing.assert_array_equal(chain.analyse(x[:14, 0].tolist()), chain.analyse(x[:14, 0]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(13,), (15, 2), (), (14, 2, 2)])
def test_vectors_of_another_length_are_refused_by_name(kind, shape):
    chain = chain_of(kind)
    with pytest.raises(InvalidInputError, match=r"X has shape .*\(14,\)"):
        chain.analyse(np.zeros(shape))
    with pytest.raises(InvalidInputError, match=r"Y has shape .*\(3,\)"):
        chain.synthesise(np.zeros(shape))


@pytest.mark.parametrize("kind", KINDS)
def test_truncating_keeps_the_first_factors_and_the_coordinates(kind):
    chain = chain_of(kind)
    for length in (0, 1, len(chain) - 1, len(chain), np.int64(2)):
        short = chain.truncate(length)
        assert len(short) == length
        np.testing.assert_array_equal(short.coordinates, chain.coordinates)
        np.testing.assert_allclose(short.to_sparse().toarray(), explicit(short), rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_cannot_be_truncated_to_more_than_it_has_or_to_a_fraction(kind):
    chain = chain_of(kind)
    for length in (-1, len(chain) + 1):
        with pytest.raises(InvalidInputError, match=f"n_rotations is {length}; give .*this chain has {len(chain)}"):
            chain.truncate(length)
    for length in (2.0, "2", True, None):
        with pytest.raises(InvalidTypeError, match="n_rotations is "):
            chain.truncate(length)


def test_an_empty_chain_of_no_rotations_gives_unit_vectors():
    chain = chain_of("rotations").truncate(0)
    assert chain.to_sparse().nnz == 3
    assert chain.flops == 0
    np.testing.assert_array_equal(chain.analyse(np.arange(14.0)), chain.coordinates.astype(float))


@pytest.mark.parametrize("coordinates", [[3, 4, 5], [2, 4, 7], [0, 1, 8], [6]])
def test_a_chain_may_touch_any_coordinates_with_and_without_gaps(coordinates):
    pairs = np.array([[coordinates[0], coordinates[-1]], [coordinates[-1], coordinates[0]]])[: len(coordinates) - 1]
    turns = np.full(len(pairs), 0.6), np.full(len(pairs), 0.8)
    chain = RotationSequence(
        n=9, pivots=pairs.reshape(-1, 2), cosines=turns[0], sines=turns[1], coordinates=coordinates
    )
    np.testing.assert_allclose(chain.to_sparse().toarray(), explicit(chain), atol=1e-15)
    assert replace(chain, pivots=pairs[:0], cosines=[], sines=[], coordinates=[]).to_sparse().shape == (9, 0)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_angles_and_phases_are_those_of_the_rotations(dtype):
    chain = chain_of("rotations", dtype)
    angles, phases = chain.angles, chain.phases
    assert (angles > -np.pi / 2).all()
    assert (angles <= np.pi / 2).all()
    np.testing.assert_allclose(np.cos(angles), chain.cosines, rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.sin(angles) * np.exp(-1j * phases), chain.sines, rtol=0, atol=1e-15)
    if dtype == np.float64:
        assert not phases.any()


def test_a_swap_has_a_right_angle_and_costs_nothing():
    chain = je.sparse_eigsh(np.diag([1.0, 2.0]), 1, start="natural").rotations
    assert chain.cosines.tolist() == [0.0]
    assert chain.angles.tolist() == [np.pi / 2]
    assert chain.flops == 0


@pytest.mark.parametrize(("dtype", "each"), [(np.float64, 6), (np.complex128, 20)])
def test_flops_count_every_rotation_but_the_swaps(dtype, each):
    chain = chain_of("rotations", dtype)
    assert chain.flops == each * np.count_nonzero(chain.cosines)


def test_flops_of_blocks_count_their_entries():
    chain = chain_of("blocks")
    assert chain.flops == 2 * 4 * 36
    assert chain_of("blocks", np.complex128).flops == 4 * 2 * 4 * 36


@pytest.mark.parametrize("kind", KINDS)
def test_the_repr_says_how_long_and_how_large(kind):
    text = repr(chain_of(kind))
    assert "3 vectors of length 14" in text
    assert "float64" in text
    assert kind in text


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["chain.npz", "without suffix"])
def test_a_chain_comes_back_from_its_file_to_the_bit(kind, dtype, name, tmp_path):
    chain = chain_of(kind, dtype)
    chain.save(tmp_path / name)
    again = type(chain).load(tmp_path / name)
    assert_same_chain(again, chain)
    assert_same_sparse(again.to_sparse(), chain.to_sparse())
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_of_the_other_kind_is_refused_with_both_names(tmp_path):
    path = tmp_path / "chain.npz"
    chain_of("rotations").save(path)
    with pytest.raises(FileFormatError, match="holds a RotationSequence; expected BlockSequence"):
        BlockSequence.load(path)
    with pytest.raises(FileFormatError, match="holds a RotationSequence; expected EigenResult"):
        je.load(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"pivots": None},
        {"cosines": None},
        {"empty": None},
        {"coordinates": np.array([0, 1, 14])},
        {"coordinates": np.array([0, -1, 2])},
        {"coordinates": np.array([0.0, 1.0, 2.0])},
        {"pivots": np.full((25, 2), 14)},
        {"pivots": np.zeros((24, 2), np.int64)},
        {"pivots": np.zeros((25, 3), np.int64)},
        {"pivots": np.zeros((25, 2))},
        {"cosines": np.zeros(24)},
        {"cosines": np.zeros(25, np.int64)},
        {"cosines": np.array(1.0)},
        {"sines": np.full(25, "a")},
        {"sines": np.zeros((25, 1))},
        {"empty": np.zeros(3)},
        {"empty": np.zeros((0, 14), np.int64)},
        {"empty": np.zeros((0, 5))},
    ],
)
def test_a_file_whose_parts_do_not_fit_is_refused(changes, tmp_path):
    path = tmp_path / "chain.npz"
    chain_of("rotations").save(path)
    rewrite(path, **changes)
    with pytest.raises(FileFormatError, match=r"lacks a part|not consistent"):
        RotationSequence.load(path)


@pytest.mark.parametrize(
    "changes",
    [{"blocks": np.zeros((4, 6, 5))}, {"blocks": np.full((4, 6, 6), 1)}, {"indices": np.zeros((3, 6), np.int64)}],
)
def test_a_file_whose_blocks_do_not_fit_is_refused(changes, tmp_path):
    path = tmp_path / "chain.npz"
    chain_of("blocks").save(path)
    rewrite(path, **changes)
    with pytest.raises(FileFormatError, match="not consistent"):
        BlockSequence.load(path)


def header(**changes):
    return np.array(json.dumps({"kind": "RotationSequence", "version": 1, "facts": {}} | changes))


@pytest.mark.parametrize("version", [0, 2, 99, "1"])
def test_another_version_is_refused_with_both_versions(version, tmp_path):
    path = tmp_path / "chain.npz"
    chain_of("rotations").save(path)
    rewrite(path, jacobeig=header(version=version))
    with pytest.raises(FileFormatError, match=f"version {version}; this jacobeig reads version 1"):
        RotationSequence.load(path)


@pytest.mark.parametrize("wrong", [np.array("{"), np.array("[]"), np.array("3"), np.array(3.0), np.array("{}"), None])
def test_a_header_that_is_not_ours_is_refused(wrong, tmp_path):
    path = tmp_path / "chain.npz"
    chain_of("rotations").save(path)
    rewrite(path, jacobeig=wrong)
    with pytest.raises(FileFormatError, match="not a jacobeig file"):
        RotationSequence.load(path)


class Trap:
    """Unpickling it would fail the test."""

    def __reduce__(self):
        return (pytest.fail, ("the file was unpickled",))


def test_foreign_files_are_refused_and_nothing_in_them_is_run(tmp_path):
    path = tmp_path / "file"
    pickled = np.empty(1, object)
    pickled[0] = Trap()
    writers = {
        "empty": lambda file: None,
        "text": lambda file: file.write(b"hello"),
        "npy": lambda file: np.save(file, np.zeros(3)),
        "npz": lambda file: np.savez(file, a=np.zeros(3)),
        "pickle": lambda file: pickle.dump(Trap(), file),
        "pickled array": lambda file: np.save(file, pickled, allow_pickle=True),
        "pickled member": lambda file: np.savez(file, jacobeig=header(), pivots=pickled),
        "pickled header": lambda file: np.savez(file, jacobeig=pickled),
        "zip": lambda file: zipfile.ZipFile(file, "w").writestr("jacobeig.npy", b"no array"),
    }
    for write in writers.values():
        with path.open("wb") as file:
            write(file)
        with pytest.raises(FileFormatError, match=r"file is not a jacobeig file") as refused:
            RotationSequence.load(path)
        assert "pickle" not in str(refused.value)
        with pytest.raises(FileFormatError):
            je.load(path)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "chain.npz"
    chain_of("rotations", n=6, p=2).save(path)
    return path, path.read_bytes()


@given(data=st.data())
def test_a_damaged_file_is_refused_or_read_unharmed(saved, data):
    path, whole = saved
    at = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        damaged = whole[:at]
    else:
        damaged = whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    copy = path.with_name("damaged.npz")
    copy.write_bytes(damaged)
    try:
        again = RotationSequence.load(copy)
    except FileFormatError:
        return
    path.write_bytes(whole)
    assert_same_chain(again, RotationSequence.load(path))  # the byte was one that nobody reads


def test_a_missing_file_is_called_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        RotationSequence.load(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError):
        chain_of("rotations").save(tmp_path / "no folder" / "chain.npz")
