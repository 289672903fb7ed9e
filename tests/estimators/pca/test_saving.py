"""Models in plain files: they come back to the bit, and damaged ones are refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from jacobeig.errors import FileFormatError, InvalidTypeError
from jacobeig.estimators.pca import JacobiPCA
from jacobeig.results import archive

DIGITS = load_digits().data


class TestFiles:
    @pytest.fixture
    def saved(self, tmp_path):
        pd = pytest.importorskip("pandas")
        X = pd.DataFrame(DIGITS[:, :20], columns=[f"pixel {j}" for j in range(20)])
        model = JacobiPCA(3, density=0.3, target=[3.0, 2.0, 1.0], random_state=np.int64(7), refine=False).fit(X)
        path = tmp_path / "model.npz"
        model.save(path)
        return model, path, X

    def test_a_saved_model_comes_back_to_the_bit(self, saved):
        model, path, X = saved
        again = JacobiPCA.load(path)
        assert np.array_equal(again.transform(X), model.transform(X))
        assert again.score(X) == model.score(X)
        assert list(again.feature_names_in_) == list(model.feature_names_in_)
        assert again.at(n_rotations=5).decomposition_.n_rotations == 5
        assert np.array_equal(again.target, model.target)
        assert again.density == 0.3
        assert vars(again).keys() == vars(model).keys() - {"_stream"}

    def test_models_from_paths_and_of_single_precision_come_back(self, tmp_path):
        X = DIGITS.astype(np.float32)
        model = JacobiPCA(3, n_rotations=30, scale=False).fit(X).at(n_rotations=9)
        model.save(tmp_path / "model.npz")
        again = JacobiPCA.load(tmp_path / "model.npz")
        assert again.components_.dtype == np.float32
        assert np.array_equal(again.transform(X), model.transform(X))

    def test_a_truncated_file_raises(self, saved):
        _, path, _ = saved
        whole = path.read_bytes()
        for length in (0, 10, len(whole) // 2, len(whole) - 7):
            path.write_bytes(whole[:length])
            with pytest.raises(FileFormatError):
                JacobiPCA.load(path)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("mean", np.zeros(3)),
            ("scale", None),
            ("mean", np.full(20, np.nan)),
            ("covariance", np.eye(2)),
            ("covariance", np.eye(3).astype(str)),
            ("mix", np.full((3, 3), np.inf)),
            ("feature_names", np.array(["a"])),
            ("decomposition.indices", np.full(9, 99)),
            ("decomposition.eigenvalues", np.ones(2)),
            ("decomposition.rotations.pivots", np.full((2, 2), -1)),
            ("parameter.unknown", np.ones(2)),
        ],
    )
    def test_a_changed_array_raises(self, saved, name, value):
        _, path, _ = saved
        with np.load(path) as file:
            arrays = {key: file[key] for key in file.files if key != name}
        if value is not None:
            arrays[name] = value
        np.savez(path, **arrays)
        with pytest.raises(FileFormatError, match=r"model\.npz"):
            JacobiPCA.load(path)

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("parameters", {"no": 1}),
            ("n_samples", "many"),
            ("decomposition", None),
            ("divisor", None),
            ("total_variance", float("nan")),
            ("unit", 0.0),
        ],
    )
    def test_a_changed_header_raises(self, saved, key, value):
        _, path, _ = saved
        with np.load(path) as file:
            arrays = dict(file)
        header = json.loads(str(arrays["jacobeig"]))
        header["facts"][key] = value
        arrays["jacobeig"] = np.array(json.dumps(header))
        np.savez(path, **arrays)
        with pytest.raises(FileFormatError):
            JacobiPCA.load(path)

    def test_a_pickle_inside_is_never_executed(self, saved, tmp_path):
        _, path, _ = saved

        class Trap:
            def __reduce__(self):
                return (Path.touch, (tmp_path / "sprung",))

        with np.load(path) as file:
            arrays = dict(file)
        np.savez(path, **(arrays | {"mean": np.array([Trap()], dtype=object)}))
        with pytest.raises(FileFormatError):
            JacobiPCA.load(path)
        assert not (tmp_path / "sprung").exists()

    def test_another_version_and_another_kind_say_so(self, saved, monkeypatch, tmp_path):
        model, path, _ = saved
        model.decomposition_.save(tmp_path / "result.npz")
        with pytest.raises(FileFormatError, match="holds an EigenResult; expected JacobiPCA"):
            JacobiPCA.load(tmp_path / "result.npz")
        monkeypatch.setattr(archive, "FORMAT_VERSION", 2)
        with pytest.raises(FileFormatError, match="format version 1; this jacobeig reads version 2"):
            JacobiPCA.load(path)

    def test_what_a_plain_file_cannot_hold_is_refused_before_writing(self, tmp_path):
        model = JacobiPCA(3, random_state=np.random.RandomState(0)).fit(DIGITS)
        with pytest.raises(InvalidTypeError, match="random_state is a RandomState"):
            model.save(tmp_path / "model.npz")
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(NotFittedError):
            JacobiPCA(3).save(tmp_path / "model.npz")
