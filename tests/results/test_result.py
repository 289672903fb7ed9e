"""What a run returns: order, truncation, files, how it shows itself."""

import dataclasses
import functools
import stat

import numpy as np
import pytest
from archives import rewrite
from equality import assert_same
from matrices import generic, integers

import jacobeig as je
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError
from jacobeig.results.ends import adapt_weights, count_high, find_best_coordinates
from jacobeig.results.result import EigenResult, Method, Status
from jacobeig.results.rotations import RotationSequence
from jacobeig.results.trail import Trail, follow_trail


@functools.cache
def results():
    S, H = generic(12), generic(12, np.complex128)
    return {
        "plain": je.sparse_eigsh(S, 3, n_rotations=30),
        "float32": je.sparse_eigsh(S.astype(np.float32), 3, n_rotations=30),
        "Hermitian": je.sparse_eigsh(H, 3, n_rotations=30, target="adaptive", which="BE"),
        "complex64": je.sparse_eigsh(H.astype(np.complex64), 3, n_rotations=30),
        "classic": je.sparse_eigsh(S, 3, n_rotations=30, pivot="classic", which="SA"),
        "random": je.sparse_eigsh(S, 3, n_rotations=30, pivot="random", rng=1),
        "empty": je.sparse_eigsh(S, 3, n_rotations=0),
        "converged": je.sparse_eigsh(np.eye(4), 2),
        "blocks": je.block_eigsh(S, 3, 4),
        "Hermitian blocks": je.block_eigsh(H, 3, 4, which="SA", pivot="random", rng=2),
    }


NAMES = (
    "plain", "float32", "Hermitian", "complex64", "classic", "random", "empty", "converged",
    "blocks", "Hermitian blocks",
)  # fmt: skip


@pytest.fixture(params=NAMES)
def result(request):
    return results()[request.param]


def test_columns_come_with_the_wanted_end_first(result):
    values = result.eigenvalues if result.method.which == "SA" else -result.eigenvalues
    assert (np.diff(values) >= 0).all()


def test_values_targets_vectors_and_coordinates_keep_one_order():
    S = np.diag([1.0, 5.0, 3.0, 2.0])
    result = je.sparse_eigsh(S, 3, target=[3.0, 2.0, 1.0], start=[0, 1, 2], n_rotations=0)
    assert result.eigenvalues.tolist() == [5.0, 3.0, 1.0]
    assert result.target.tolist() == [2.0, 1.0, 3.0]
    assert result.rotations.coordinates.tolist() == [1, 2, 0]
    assert result.vectors.toarray().argmax(axis=0).tolist() == [1, 2, 0]


def test_both_ends_come_largest_first():
    result = je.sparse_eigsh(np.diag(np.arange(6.0)), 3, which="BE")
    assert result.eigenvalues.tolist() == [5.0, 4.0, 0.0]
    assert result.target.tolist() == [1.0, 1.0, -1.0]


def test_density_is_the_fraction_of_nonzeros(result):
    assert result.density == result.vectors.count_nonzero() / np.prod(result.vectors.shape)


def test_a_result_is_frozen(result):
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.status = Status.CONVERGED


def test_truncation_names_what_it_was_given(result):
    k = result.n_rotations
    assert result.truncate(k).status is result.status
    if k:
        assert result.truncate(0).status is Status.ROTATIONS
        assert result.truncate(0).vectors.nnz == result.vectors.shape[1]
    for wrong in (-1, k + 1):
        with pytest.raises(InvalidInputError, match=f"n_rotations is {wrong}; give .*this chain has {k}"):
            result.truncate(wrong)
    with pytest.raises(InvalidTypeError, match=r"n_rotations is 0\.5"):
        result.truncate(0.5)


def test_a_refined_result_cannot_be_truncated_or_extended(tmp_path):
    plain = results()["plain"]
    refined = dataclasses.replace(plain, rotations=None, trail=None, gains=np.zeros(0), nonzeros=np.zeros(0, np.int64))
    with pytest.raises(InvalidInputError, match="result has no chain of rotations"):
        refined.truncate(0)
    with pytest.raises(InvalidInputError, match="result has no chain of rotations"):
        je.extend(generic(12), refined)
    assert "refined" in repr(refined)
    refined.save(tmp_path / "refined.npz")
    again = je.load(tmp_path / "refined.npz")
    assert again.rotations is None
    assert again.trail is None
    np.testing.assert_array_equal(again.vectors.toarray(), plain.vectors.toarray())


# --- files ----------------------------------------------------------------------------------------------------------


def test_a_result_comes_back_from_its_file_to_the_bit(result, tmp_path):
    result.save(tmp_path / "result")
    again = je.load(tmp_path / "result")
    assert isinstance(again, EigenResult)
    assert_same(again, result)
    for name in ("diagonal", "shifts", "seeds", "weights", "bounds"):
        a, b = getattr(again.trail, name), getattr(result.trail, name)
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    q = result.n_rotations // 2
    assert_same(again.truncate(q), result.truncate(q))
    assert_same(again, je.load(tmp_path / "result"))


@pytest.mark.parametrize("name", ["plain", "random", "classic", "blocks"])
def test_a_loaded_result_can_be_extended(name, tmp_path):
    S, result = generic(12), results()[name]
    result.save(tmp_path / "result.npz")
    longer = result.n_rotations + 5
    assert_same(
        je.extend(S, je.load(tmp_path / "result.npz"), n_rotations=longer), je.extend(S, result, n_rotations=longer)
    )


def test_saving_replaces_a_file_in_one_step_and_leaves_no_draft(tmp_path, monkeypatch):
    path = tmp_path / "result.npz"
    results()["plain"].save(path)
    results()["classic"].save(path)
    assert je.load(path).method.pivot == "classic"

    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(OSError, match="disk full"):
        results()["plain"].save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["result.npz"]
    assert je.load(path).method.pivot == "classic"


def test_a_saved_file_has_the_permissions_of_any_new_file(tmp_path):
    results()["plain"].save(tmp_path / "result.npz")
    (tmp_path / "other").write_bytes(b"")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("result.npz", "other")]
    assert modes[0] == modes[1]


@pytest.mark.parametrize(
    "changes",
    [
        {"eigenvalues": None},
        {"eigenvalues": np.zeros(2)},
        {"gains": np.zeros(29)},
        {"nonzeros": np.zeros(29, np.int64)},
        {"target": np.zeros((3, 1))},
        {"shape": np.array([11, 3])},
        {"shape": np.array([13, 3])},
        {"indices": np.full(5, 99)},
        {"indptr": np.array([0, 1])},
        {"data": np.zeros(1)},
        {"rotations.pivots": None},
        {"rotations.cosines": np.zeros(29)},
        {"trail.shifts": np.zeros(29)},
        {"trail.shifts": np.zeros((30, 6))},
        {"trail.shifts": np.full(30, "a")},
        {"trail.diagonal": np.zeros(11)},
        {"trail.diagonal": None},
        {"trail.seeds": np.array([0, 1])},
        {"trail.seeds": np.array([0, 1, 12])},
        {"trail.seeds": np.array([0.0, 1.0, 2.0])},
        {"trail.weights": np.ones(4)},
        {"trail.bounds": np.zeros(3)},
        {"trail.surprise": np.zeros(3)},
    ],
    ids=lambda changes: ", ".join(changes),
)
def test_a_result_whose_parts_do_not_fit_is_refused(changes, tmp_path):
    path = tmp_path / "result.npz"
    results()["plain"].save(path)
    rewrite(path, **changes)
    with pytest.raises(FileFormatError):
        je.load(path)


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "EigenResult", "version": 1, "facts": {}}',
        '{"kind": "EigenResult", "version": 1, "facts": 3}',
        '{"kind": "EigenResult", "version": 1, "facts": {"chain": "Other", "status": "CONVERGED", "method": {}}}',
        '{"kind": "EigenResult", "version": 1, "facts": {"chain": ["x"], "status": "CONVERGED", "method": {}}}',
        '{"kind": "EigenResult", "version": 1, "facts": {"chain": null, "status": "NO", "method": {}}}',
        '{"kind": "EigenResult", "version": 1, "facts": {"chain": null, "status": "CONVERGED", "method": {"a": 1}}}',
    ],
)
def test_facts_that_make_no_sense_are_refused(text, tmp_path):
    path = tmp_path / "result.npz"
    results()["plain"].save(path)
    rewrite(path, jacobeig=np.array(text))
    with pytest.raises(FileFormatError, match="damaged or was changed"):
        je.load(path)


def test_another_version_of_the_format_is_refused(tmp_path):
    path = tmp_path / "result.npz"
    results()["plain"].save(path)
    rewrite(path, jacobeig=np.array('{"kind": "EigenResult", "version": 2, "facts": {}}'))
    with pytest.raises(FileFormatError, match=r"format version 2.*reads version 1"):
        je.load(path)


# --- how it shows itself ----------------------------------------------------------------------------------------------


def test_the_repr_is_one_line_with_what_matters(result):
    text = repr(result)
    n, p = result.vectors.shape
    assert "\n" not in text
    for part in (
        f"{p} vectors of length {n}",
        f"{result.density:.2%}",
        f"{result.n_rotations} rotations",
        result.method.pivot,
    ):
        assert part in text
    assert result.status.name.lower() in text


def test_notebooks_get_a_table_of_the_vectors_and_the_advice(result):
    html = result._repr_html_()
    assert html.count("<tr>") == html.count("</tr>") == result.vectors.shape[1] + 1
    assert result.status.advice.split(";")[0] in html


def test_a_status_carries_its_advice():
    for status in Status:
        assert str(status) == f"{status.name.lower()}: {status.advice}"
        assert status.advice.endswith(".")


def test_a_method_shows_what_was_chosen():
    method = je.sparse_eigsh(generic(8), 2, rng=3).method
    assert isinstance(method, Method)
    assert repr(method) == "Method(which='LA', target='ones', pivot='gain', start='cholesky')"
    assert je.sparse_eigsh(generic(8), 2, target=[2.0, 1.0], start=[3, 1]).method == Method(
        which="LA", target="array", pivot="gain", start="indices"
    )


def test_a_method_keeps_the_limit_on_each_vector_and_files_without_one_still_load():
    arrays, facts = je.sparse_eigsh(generic(8), 2, max_nonzeros=3).to_parts()
    assert EigenResult.from_parts(arrays, facts).method.max_nonzeros == facts["method"].pop("max_nonzeros") == 3
    assert EigenResult.from_parts(arrays, facts).method.max_nonzeros is None
    for damaged in (0, "3", 2.5):
        with pytest.raises(FileFormatError, match="method is unknown"):
            EigenResult.from_parts(arrays, facts | {"method": facts["method"] | {"max_nonzeros": damaged}})


# --- helpers ----------------------------------------------------------------------------------------------------------


def test_the_best_coordinates_are_the_ends_of_the_order_with_ties_to_the_lowest():
    diagonal = np.array([2.0, 5.0, 2.0, 5.0, -1.0])
    assert find_best_coordinates(diagonal, 3, 0).tolist() == [1, 3, 0]
    assert find_best_coordinates(diagonal, 1, 2).tolist() == [1, 4, 2]


def test_a_weight_of_zero_asks_for_the_end_that_the_others_want():
    weights = np.array([0.0, -1.0])
    assert [count_high(weights, which) for which in ("LA", "SA", "BE")] == [1, 0, 1]


def test_adaptive_weights_are_measured_from_the_far_end():
    weights = adapt_weights(np.array([2.0, -1.0]), np.array([1.0, -1.0]), np.array([-4.0, 4.0]))
    assert weights.tolist() == [6.0, -5.0]


def test_a_sequence_from_a_result_stands_alone():
    result = je.sparse_eigsh(integers(8), 2)
    chain = RotationSequence(
        n=8, pivots=result.rotations.pivots, cosines=result.rotations.cosines, sines=result.rotations.sines,
        coordinates=result.rotations.coordinates,
    )  # fmt: skip
    np.testing.assert_array_equal(chain.to_sparse().toarray(), result.vectors.toarray())


def test_every_reason_to_stop_has_advice_of_its_own():
    assert len({status.advice for status in je.Status}) == len(je.Status) >= 6


def test_a_diagonal_is_shifted_by_rotations_and_exchanged_by_swaps():
    sines = np.array([np.sqrt(0.75), 1.0, np.sqrt(0.75)])
    chain = je.RotationSequence(
        n=3,
        pivots=np.array([[0, 1], [1, 2], [1, 0]]),
        cosines=np.array([0.5, 0.0, 0.5]),
        sines=sines,
        coordinates=np.array([0]),
        dtype=np.dtype(float),
    )
    trail = Trail(
        diagonal=np.array([1.0, 2.0, 3.0]),
        shifts=np.array([0.25, 9.0, 1.0]),
        seeds=np.array([0]),
        weights=np.ones(1),
        bounds=np.zeros(2),
    )
    assert follow_trail(chain, trail).tolist() == [0.25, 4.0, 1.75]
