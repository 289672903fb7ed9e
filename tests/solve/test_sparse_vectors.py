"""What estimators and the command line get where their user does not say."""

import numpy as np
import pytest
from matrices import covariance
from sklearn.datasets import load_wine

from jacobeig.solve import find_sparse_vectors
from jacobeig.sources import GramRows


@pytest.mark.parametrize(
    ("budget", "refined"),
    [
        ({}, True),
        ({"density": 0.3}, True),
        ({"max_nonzeros": 4}, True),
        ({"n_rotations": 9}, False),
        ({"n_rotations": 9, "density": 0.3}, True),
    ],
)
def test_vectors_are_refined_unless_rotations_alone_are_the_budget(budget, refined):
    given = {"n_rotations": None, "density": None, "max_nonzeros": None} | budget
    result = find_sparse_vectors(covariance(12), 2, refine="auto", orthonormal=True, **given)
    assert (result.rotations is None) == refined


@pytest.mark.parametrize(("each", "refined"), [(5, True), (300, False)])
def test_many_nonzeros_among_many_coordinates_are_left_to_the_chain(each, refined):
    source = GramRows(np.random.default_rng(0).standard_normal((5, 6000)))
    given = {"n_rotations": None, "density": None, "max_nonzeros": each}
    result = find_sparse_vectors(source, 2, refine="auto", orthonormal=True, **given)
    assert (result.rotations is None) == refined


def test_everything_is_tried_on_small_tables():
    S = np.corrcoef(load_wine().data, rowvar=False)
    given = {"n_rotations": None, "density": None, "max_nonzeros": 4, "orthonormal": True}
    found = {refine: find_sparse_vectors(S, 6, refine=refine, **given).eigenvalues.sum() for refine in ("auto", "best")}
    assert found["auto"] == found["best"] > 0.96 * np.linalg.eigvalsh(S)[-6:].sum()
