"""Whatever is given for an argument, the answer is a result or one of our errors."""

import datetime as dt
import decimal
import fractions

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import jacobeig as je
from jacobeig.errors import JacobeigError

S = np.array([[3.0, 1, 0, 0], [1, 2, 0.5, 0], [0, 0.5, 1, 0.2], [0, 0, 0.2, 4]])
RUN, BLOCKS = je.sparse_eigsh(S, 2, n_rotations=2), je.block_eigsh(S, 2, n_blocks=1)


class Broken:
    """Fails when it is made an array."""

    def __array__(self, *arguments, **options):
        raise RuntimeError("broken")


ODD = [
    None, np.True_, 0, 1, -1, 10**400, -(10**400), 2**63, 2**64, 1.5, np.nan, np.inf, -np.inf, 1e308, 1e-320, "", "LA",
    "abc", "nan", b"x", [], [[1], [2, 3]], [1, [2]], [np.nan, 1], [1, 2], np.array(1), np.array(1.5), np.zeros((2, 2)),
    np.array(["a", "b"]), np.array([1, "a"], object), [None, None], {}, object(), Broken(), fractions.Fraction(1, 3),
    fractions.Fraction(10**400), decimal.Decimal("0.5"), 1j, np.float16(0.5), np.longdouble(0.5), np.int8(1),
    np.uint64(2**64 - 1), np.datetime64("2020"), dt.date(2020, 1, 1), int, range(2), sparse.eye_array(2),
    [10**400, 1], [1e400, 1], ["nan", "inf"], np.array([1 + 1j, 2]), Ellipsis, memoryview(b"ab"), np.ma.masked,
    np.random.RandomState(0), np.random.SeedSequence(1), np.random.PCG64(1),
]  # fmt: skip
CALLS = {
    "sparse_eigsh": (
        lambda given: je.sparse_eigsh(S, **({"n_components": 2} | given)),
        ["n_components", "which", "n_rotations", "density", "max_nonzeros", "tol", "target", "pivot", "start", "polish",
         "refine", "rng", "progress"],
    ),
    "random pairs": (lambda given: je.sparse_eigsh(S, 2, pivot="random", **given), ["rng"]),
    "block_eigsh": (
        lambda given: je.block_eigsh(S, **({"n_components": 2, "n_blocks": 2} | given)),
        ["n_components", "n_blocks", "which", "pivot", "start", "rng", "progress"],
    ),
    "extend": (
        lambda given: je.extend(S, **({"result": RUN} | given)),
        ["result", "n_rotations", "density", "max_nonzeros", "tol", "progress"],
    ),
    "extend blocks": (
        lambda given: je.extend(S, BLOCKS, **({"n_rotations": 3} | given)),
        ["n_rotations", "density", "max_nonzeros", "tol", "callback", "progress"],
    ),
    "polish": (lambda given: je.polish(S, **({"result": RUN} | given)), ["result", "pairs", "n_sweeps"]),
    "refine": (
        lambda given: je.refine(S, **({"vectors": RUN} | given)),
        ["vectors", "which", "density", "max_nonzeros", "orthonormal", "effort", "time_limit", "rng", "progress",
         "on_interrupt"],
    ),
    "front": (
        lambda given: je.front(S, **({"n_components": 2} | given)),
        ["n_components", "densities", "max_nonzeros", "which", "effort", "time_limit", "rng", "progress"],
    ),
    "certify": (
        lambda given: je.certify(S, **({"result": RUN} | given)),
        ["result", "n_components", "max_nonzeros", "density", "orthonormal", "progress"],
    ),
    "certify_front": (
        lambda given: je.certify_front(S, **({"results": [RUN], "n_components": 2} | given)),
        ["results", "n_components", "progress"],
    ),
    "certify_front by densities": (
        lambda given: je.certify_front(S, **({"n_components": 2} | given)), ["n_components", "densities", "which"],
    ),
    "compare": (
        lambda given: je.compare(**({"matrix_or_data": S, "n_components": 2, "densities": [0.5],
                                     "methods": ["chain"]} | given)),
        ["matrix_or_data", "n_components", "densities", "methods", "make_orthonormal", "center", "scale", "time_limit",
         "progress"],
    ),
    "truncate": (lambda given: RUN.truncate(**given), ["n_rotations"]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "argument"), [(name, one) for name, (_, every) in CALLS.items() for one in every])
def test_odd_values_get_a_result_or_our_error(name, argument):
    call = CALLS[name][0]
    for value in ODD:
        try:
            call({argument: value})
        except JacobeigError as error:
            assert str(error)  # noqa: PT017  # a result is welcome too


@given(
    tol=st.one_of(st.integers(), st.floats(), st.fractions(), st.booleans(), st.text()),
    target=st.one_of(st.text(), st.lists(st.floats()), st.lists(st.lists(st.integers()))),
    rng=st.one_of(st.integers(), st.floats(), st.text(), st.lists(st.integers())),
    density=st.one_of(st.none(), st.floats(), st.integers(), st.booleans()),
)
@settings(deadline=None, max_examples=200)
def test_drawn_values_get_a_result_or_our_error(tol, target, rng, density):
    for options in ({"tol": tol}, {"target": target}, {"pivot": "random", "rng": rng}, {"density": density}):
        try:
            result = je.sparse_eigsh(S, 2, **options)
        except JacobeigError as error:
            assert str(error)  # noqa: PT017  # a result is welcome too
        else:
            assert np.isfinite(result.eigenvalues).all()


def test_a_limit_beyond_the_length_of_the_vectors_is_no_limit():
    result = je.sparse_eigsh(S, 2, max_nonzeros=10**400)
    np.testing.assert_array_equal(result.vectors.toarray(), je.sparse_eigsh(S, 2, max_nonzeros=4).vectors.toarray())
