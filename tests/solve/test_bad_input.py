"""What the calls refuse, before any work, by the name of the argument."""

import numpy as np
import pytest
from matrices import generic
from scipy import sparse

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError, JacobeigError

S4 = generic(4)


def bad(matrix=S4, n_components=2, **options):
    return matrix, n_components, options


class OwnRows:
    def __init__(self, matrix):
        self._matrix, self.shape, self.dtype = matrix, matrix.shape, matrix.dtype

    def diagonal(self):
        return self._matrix.diagonal()

    def rows(self, indices):
        return self._matrix[indices]


with_nan, with_inf, lopsided = (generic(4) for _ in range(3))
with_nan[1, 2] = with_nan[2, 1] = np.nan
with_inf[3, 3] = np.inf
lopsided[0, 3] += 0.5
BAD = [
    (bad(np.ones((3, 4))), InvalidInputError, r"matrix.*square.*\(3, 4\)"),
    (bad(np.ones(4)), InvalidInputError, r"matrix.*square.*\(4,\)"),
    (bad(np.ones((2, 2, 2))), InvalidInputError, r"matrix.*square.*\(2, 2, 2\)"),
    (bad(lopsided), InvalidInputError, r"matrix.*symmetric.*\(0, 3\).*0\.5"),
    (bad(1j * generic(4) + np.eye(4)), InvalidInputError, r"matrix.*Hermitian"),
    (bad(with_nan), InvalidInputError, r"matrix.*finite.*\(1, 2\).*nan"),
    (bad(with_inf), InvalidInputError, r"matrix.*finite.*\(3, 3\).*inf"),
    (bad(np.full((4, 4), 1.7e308)), InvalidInputError, r"matrix has entries up to 1\.7e\+308.*divide it"),
    (bad(sparse.csr_array(np.full((4, 4), 1e308))), InvalidInputError, r"matrix has entries up to 1e\+308"),
    (bad(np.full((4, 4), 3e38, np.float32)), InvalidInputError, r"matrix.*float32.*divide it.*double precision"),
    (bad(OwnRows(np.full((4, 4), 1e308))), InvalidInputError, r"OwnRows has entries up to 1e\+308"),
    (bad(np.empty((0, 0))), InvalidInputError, r"matrix is empty.*\(0, 0\)"),
    (bad(np.ones((1, 1)), 1), InvalidInputError, r"matrix is 1 x 1"),
    (bad(np.array([["a", "b"], ["b", "a"]]), 1), InvalidTypeError, r"matrix has dtype <U1"),
    (bad(np.array([[1, None], [None, 1]]), 1), InvalidTypeError, r"matrix has dtype object"),
    (bad("matrix"), InvalidTypeError, r"matrix is a str"),
    (bad(None), InvalidTypeError, r"matrix is a NoneType"),
    (bad(n_components=0), InvalidInputError, r"n_components is 0"),
    (bad(n_components=-3), InvalidInputError, r"n_components is -3"),
    (bad(n_components=5), InvalidInputError, r"n_components is 5.*4 x 4"),
    (bad(n_components=2.0), InvalidTypeError, r"n_components is 2\.0 \(float\)"),
    (bad(n_components=True), InvalidTypeError, r"n_components is True \(bool\)"),
    (bad(n_components="2"), InvalidTypeError, r"n_components is '2' \(str\)"),
    (bad(n_rotations=-1), InvalidInputError, r"n_rotations is -1"),
    (bad(n_rotations=1.5), InvalidTypeError, r"n_rotations is 1\.5 \(float\)"),
    (bad(density=0.0), InvalidInputError, r"density is 0\.0"),
    (bad(density=-0.1), InvalidInputError, r"density is -0\.1"),
    (bad(density=1.5), InvalidInputError, r"density is 1\.5"),
    (bad(density=np.nan), InvalidInputError, r"density is nan"),
    (bad(density=0.1), InvalidInputError, r"density is 0\.1.*0 nonzeros.*0\.25"),
    (bad(density="half"), InvalidTypeError, r"density is 'half' \(str\)"),
    (bad(density=True), InvalidTypeError, r"density is True \(bool\)"),
    (bad(max_nonzeros=0), InvalidInputError, r"max_nonzeros is 0"),
    (bad(max_nonzeros=2.5), InvalidTypeError, r"max_nonzeros is 2\.5"),
    (bad(tol=-1e-3), InvalidInputError, r"tol is -0\.001"),
    (bad(tol=np.nan), InvalidInputError, r"tol is nan"),
    (bad(tol="0"), InvalidTypeError, r"tol is '0'"),
    (bad(target=[1.0]), InvalidInputError, r"target has shape \(1,\).*2 components"),
    (bad(target=[[1.0, 2.0]]), InvalidInputError, r"target has shape \(1, 2\)"),
    (bad(target=[1.0, -1.0]), InvalidInputError, r"target holds -1.*'LA'.*'BE'"),
    (bad(target=[1.0, -1.0], which="SA"), InvalidInputError, r"target holds 1.*'SA'.*'BE'"),
    (bad(target=[1.0, np.nan]), InvalidInputError, r"target.*nan"),
    (bad(target=[0.0, 0.0]), InvalidInputError, r"target is zero"),
    (bad(target=["2", "1"]), InvalidTypeError, r"target has dtype <U1"),
    (bad(target=np.array([1 + 1j, 1])), InvalidTypeError, r"target has dtype complex128"),
    (bad(target="twos"), InvalidInputError, r"target is 'twos'.*'ones', 'log', 'adaptive'"),
    (bad(which="LM"), InvalidInputError, r"which is 'LM'.*'LA', 'SA', 'BE'"),
    (bad(which=None), InvalidInputError, r"which is None.*'LA'"),
    (bad(pivot="largest"), InvalidInputError, r"pivot is 'largest'.*'auto'.*'gain'.*'classic'.*'cyclic'"),
    (bad(pivot=3), InvalidInputError, r"pivot is 3"),
    (bad(pivot=np.array(["gain", "cyclic"])), InvalidInputError, r"pivot is array"),
    (bad(start="first"), InvalidInputError, r"start is 'first'.*'auto', 'natural', 'diagonal'"),
    (bad(start=[0]), InvalidInputError, r"start has .*\(1,\).*2 integer"),
    (bad(start=[0.0, 1.0]), InvalidInputError, r"start has dtype float64"),
    (bad(start=[0, 4]), InvalidInputError, r"start holds 4.*0 to 3"),
    (bad(start=[-1, 2]), InvalidInputError, r"start holds -1"),
    (bad(start=[2, 2]), InvalidInputError, r"start holds 2 more than once"),
    (bad(rng="dice", pivot="random"), InvalidTypeError, r"rng is 'dice'"),
    (bad(rng=-1, pivot="random"), InvalidTypeError, r"rng is -1"),
    (bad(callback=3), InvalidTypeError, r"callback is an int"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[message for _, _, message in BAD])
def test_bad_input_is_refused_by_name_before_any_work(call, error, message, monkeypatch):
    import jacobeig.solve._dense_driver as drivers

    def work(*args):
        raise AssertionError("the work has begun")

    monkeypatch.setattr(drivers, "Run", work)
    matrix, n_components, options = call
    with pytest.raises(error, match=message) as caught:
        je.sparse_eigsh(matrix, n_components, **options)
    assert isinstance(caught.value, JacobeigError)
    assert isinstance(caught.value, (ValueError, TypeError))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_components": 3}, InvalidInputError, r"n_components is 3.*only 5.*at most 2.*sparse_eigsh"),
        ({"n_components": 0}, InvalidInputError, r"n_components is 0"),
        ({"n_blocks": -1}, InvalidInputError, r"n_blocks is -1"),
        ({"n_blocks": 2.0}, InvalidTypeError, r"n_blocks is 2\.0"),
        ({"which": "BE"}, InvalidInputError, r"which is 'BE'.*'LA', 'SA'"),
        ({"pivot": "classic"}, InvalidInputError, r"pivot is 'classic'.*'gain', 'offdiagonal', 'random'"),
        ({"start": "first"}, InvalidInputError, r"start is 'first'"),
    ],
)
def test_bad_input_of_the_block_variant_is_refused_by_name(options, error, message):
    with pytest.raises(error, match=message):
        je.block_eigsh(generic(5), **({"n_components": 2} | options))
