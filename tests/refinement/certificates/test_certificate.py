"""A certificate as a value: what it says, what it refuses, and that it survives a file."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import jacobeig as je
from jacobeig.refinement.certificates._multipliers import Budgets


@pytest.fixture(scope="module")
def matrix():
    return je.datasets.random_covariance(20, rng=0)


@pytest.fixture(scope="module")
def certificate(matrix):
    return je.certify(matrix, je.sparse_eigsh(matrix, 2, max_nonzeros=4, refine=True), max_nonzeros=4)


@pytest.fixture(scope="module")
def by_cases():
    matrix = np.loadtxt(Path(__file__).parents[2] / "data" / "pitprops.csv", delimiter=",")
    return matrix, je.certify(matrix, n_components=2, max_nonzeros=4, effort="best")


def test_it_says_what_is_proved(certificate):
    assert certificate.gap == pytest.approx(certificate.bound / certificate.captured - 1, rel=1e-9)
    assert "of what any 2 orthonormal vectors with at most 4 nonzeros each could" in certificate.claim
    percent = float(certificate.claim.split("at least ")[1].split("%")[0])
    assert certificate.share - 1e-4 <= percent / 100 <= certificate.share
    assert repr(certificate).startswith("Certificate(bound ")
    assert "by features" in repr(certificate)
    assert certificate.claim in certificate._repr_html_()
    assert f"{certificate.gap:.2%}" in certificate._repr_html_()


def test_a_bound_alone_says_what_none_can_exceed(matrix):
    alone = je.certify(matrix, n_components=2, density=0.2)
    assert alone.share is None
    assert alone.claim.startswith("No 2 orthonormal vectors with at most 8 nonzeros in all capture more than")
    assert "gap" not in alone._repr_html_()


def test_it_is_proved_again_from_its_multipliers(matrix, certificate):
    assert certificate.verify(matrix) == pytest.approx(certificate.bound, rel=1e-9)


def test_it_accepts_the_matrix_with_other_rounding(matrix, certificate):
    assert certificate.verify(matrix * (1 + 1e-14)) == pytest.approx(certificate.bound, rel=1e-9)


@pytest.mark.parametrize("change", ["entry", "scale", "permutation", "size", "sign"])
def test_it_refuses_another_matrix(matrix, certificate, change):
    other = matrix.copy()
    if change == "entry":
        other[3, 7] += 1e-5
        other[7, 3] += 1e-5
    elif change == "scale":
        other *= 1.001
    elif change == "permutation":
        other = other[::-1, ::-1]
    elif change == "size":
        other = other[:-1, :-1]
    else:
        other = -other
    with pytest.raises(je.errors.InvalidInputError, match="not the 20 x 20 one that the certificate is for"):
        certificate.verify(other)


@pytest.mark.parametrize("field", ["bound", "Z", "Q", "s", "nu"])
def test_it_refuses_what_was_changed(matrix, certificate, field):
    value = getattr(certificate, field)
    changed = dataclasses.replace(certificate, **{field: value * 0.9})
    if changed._prove(matrix) <= changed.bound:  # these multipliers happen to prove as much
        assert changed.verify(matrix) <= changed.bound
        return
    with pytest.raises(je.errors.InvalidInputError, match="its multipliers prove only"):
        changed.verify(matrix)


def test_it_is_saved_and_loaded(matrix, certificate, tmp_path):
    certificate.save(tmp_path / "certificate.npz")
    loaded = je.Certificate.load(tmp_path / "certificate.npz")
    assert loaded.verify(matrix) == certificate.verify(matrix)
    for field in dataclasses.fields(certificate):
        one, other = getattr(certificate, field.name), getattr(loaded, field.name)
        if field.name == "vectors":
            one, other = one.toarray(), other.toarray()
        assert np.array_equal(one, other), field.name


def test_a_proof_by_cases_is_saved_checked_and_refused(by_cases, tmp_path):
    matrix, certificate = by_cases
    assert certificate.kind == "supports"
    certificate.save(tmp_path / "cases.npz")
    loaded = je.Certificate.load(tmp_path / "cases.npz")
    assert loaded.verify(matrix) <= certificate.bound
    lower = dataclasses.replace(loaded, bound=loaded.captured * 0.99)
    with pytest.raises(je.errors.InvalidInputError, match="its multipliers prove only"):
        lower.verify(matrix)


def test_a_damaged_file_is_refused(certificate, tmp_path):
    dataclasses.replace(certificate, Z=certificate.Z[:3]).save(tmp_path / "damaged.npz")
    with pytest.raises(je.errors.FileFormatError, match="do not fit together"):
        je.Certificate.load(tmp_path / "damaged.npz")
    je.sparse_eigsh(np.diag([2.0, 1.0]), 1).save(tmp_path / "result.npz")
    with pytest.raises(je.errors.FileFormatError, match="holds an EigenResult"):
        je.Certificate.load(tmp_path / "result.npz")


@pytest.mark.parametrize(
    "changes",
    [
        {"bound": np.nan}, {"bound": "high"}, {"captured": "all"}, {"nu": np.inf}, {"mu": None}, {"which": "LM"},
        {"kind": 3}, {"budgets": Budgets(n_components=2, max_nonzeros="4")},  # type: ignore[arg-type]
        {"budgets": Budgets(n_components=21, max_nonzeros=4)}, {"budgets": Budgets(n_components=2, max_nonzeros=0)},
    ],
)  # fmt: skip
def test_a_file_with_other_facts_is_refused(certificate, changes, tmp_path):
    dataclasses.replace(certificate, **changes).save(tmp_path / "changed.npz")
    with pytest.raises(je.errors.FileFormatError, match=r"changed\.npz is damaged or was changed"):
        je.Certificate.load(tmp_path / "changed.npz")


def test_multipliers_that_are_no_numbers_prove_nothing(matrix, certificate):
    with pytest.raises(je.errors.InvalidInputError, match="its multipliers prove only nan"):
        dataclasses.replace(certificate, nu=np.nan).verify(matrix)


def test_it_cannot_be_changed(certificate):
    with pytest.raises(dataclasses.FrozenInstanceError):
        certificate.bound = 0.0


def test_without_vectors_there_is_no_gap(matrix):
    bare = je.certify(matrix, n_components=2, max_nonzeros=4)
    assert bare.captured is None
    assert bare.gap is None
    assert bare.vectors is None
    assert bare.claim.endswith(f"{bare.bound:.6g}.")
    assert "None" not in bare._repr_html_()
