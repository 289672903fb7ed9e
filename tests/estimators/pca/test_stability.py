"""How often features are chosen again by parts of the samples."""

import numpy as np
import pytest
from scipy import sparse

from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca import JacobiPCA

pd = pytest.importorskip("pandas")


def two_blocks(m=80, noise=0.3):
    """Two factors, each behind three features, and four features of noise."""
    rng = np.random.default_rng(0)
    loadings = np.zeros((10, 2))
    loadings[:3, 0], loadings[3:6, 1] = 2.0, 1.5
    return rng.standard_normal((m, 2)) @ loadings.T + noise * rng.standard_normal((m, 10))


X = pd.DataFrame(two_blocks(), columns=list("abcdefghij"))


def test_features_behind_a_factor_are_always_chosen_and_noise_never():
    stability = JacobiPCA(2, max_nonzeros=3, refine=False).fit(X).stability(X, n_refits=20)
    expected = np.zeros((2, 10))
    expected[0, :3] = expected[1, 3:6] = 1.0
    np.testing.assert_array_equal(stability.frequencies, expected)
    assert stability.similarities.shape == (20, 2)
    assert stability.similarities.min() > 0.95
    assert [sorted(names) for names in stability.select()] == [["a", "b", "c"], ["d", "e", "f"]]
    assert stability.to_pandas().loc["d", "component 2"] == 1.0
    assert "chosen again in 100%" in repr(stability)
    assert "<td>1.00</td>" in stability._repr_html_() or "100%" in stability._repr_html_()


def test_what_only_chance_chooses_is_chosen_by_few():
    noise = np.random.default_rng(1).standard_normal((60, 12))
    stability = JacobiPCA(2, max_nonzeros=3, refine=False).fit(noise).stability(noise, n_refits=20)
    assert stability.frequencies[stability.chosen].mean() < 0.7
    assert stability.frequencies.sum(axis=1).max() <= 3.0 + 1e-12


@pytest.mark.parametrize("wrapper", [np.asarray, sparse.csr_array])
def test_it_is_the_same_for_the_same_random_state_and_any_kind_of_data(wrapper):
    data = np.asarray(X)
    model = JacobiPCA(2, max_nonzeros=4, refine=True).fit(data)
    first = model.stability(wrapper(data), n_refits=3, random_state=3)
    again = model.stability(data, n_refits=3, random_state=3)
    np.testing.assert_array_equal(first.frequencies, again.frequencies)
    assert first.select(0.9)[0].dtype.kind == "i"


def test_a_share_of_the_variance_does_not_change_the_number_of_components():
    model = JacobiPCA(0.9, max_nonzeros=3, refine=False).fit(X)
    assert model.stability(X, n_refits=3).frequencies.shape == (model.n_components_, 10)


@pytest.mark.parametrize("share", [0.001, 1.5])
def test_a_share_of_the_samples_that_cannot_be_is_refused(share):
    with pytest.raises(InvalidInputError, match=f"share is {share}"):
        JacobiPCA(2, refine=False).fit(X).stability(X, share=share)


def test_refits_search_quickly_where_the_fit_chose_its_effort_itself():
    X = np.random.default_rng(0).standard_normal((60, 8))
    by_itself = JacobiPCA(2, max_nonzeros=3).fit(X).stability(X, n_refits=4)
    quick = JacobiPCA(2, max_nonzeros=3, refine=True).fit(X)
    assert JacobiPCA(2, max_nonzeros=3, refine="best").fit(X)._choose_refits() == "best"
    assert JacobiPCA(2, n_rotations=3).fit(X)._choose_refits() == "auto"
    assert by_itself.similarities.shape == (4, 2)
    assert JacobiPCA(2, max_nonzeros=3).fit(X)._choose_refits() is quick._choose_refits() is True
