"""How often features are chosen again, in the data of a page."""

import numpy as np
import pytest
from pages import DIGITS, data_in, unpack

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError


@pytest.fixture(scope="module")
def model():
    return je.JacobiPCA(3, max_nonzeros=4, refine=False).fit(DIGITS[:, 18:40])


def test_the_page_has_the_share_of_refits_of_every_feature(model, tmp_path):
    stability = model.stability(DIGITS[:, 18:40], n_refits=3, share=0.4)
    told = data_in(je.report(model, tmp_path / "x.html", stability=stability))["stability"]
    assert (told["refits"], told["share"]) == (3, pytest.approx(0.4, abs=1e-3))
    np.testing.assert_allclose(unpack(told["values"]).reshape(3, 22), stability.frequencies, rtol=1e-6)
    assert data_in(je.report(model, tmp_path / "x.html"))["stability"] is None


def test_the_stability_of_another_model_is_refused(model, tmp_path):
    other = je.JacobiPCA(2, max_nonzeros=4, refine=False).fit(DIGITS).stability(DIGITS, n_refits=1)
    with pytest.raises(InvalidInputError, match=r"stability is about \(2, 64\)"):
        je.report(model, tmp_path / "x.html", stability=other)
    with pytest.raises(InvalidTypeError, match="stability is an int"):
        je.report(model, tmp_path / "x.html", stability=50)
