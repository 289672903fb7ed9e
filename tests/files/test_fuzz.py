"""A short run of the fuzzer, the same each time; `python tests/files/fuzz.py --seconds 600` runs for longer."""

import gzip
import sys
import zlib

import numpy as np
import pytest

for module in ("pandas", "h5py", "pyarrow", "networkx", "sklearn"):
    pytest.importorskip(module)

import fuzz  # noqa: E402  # after the check for the extra


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_damaged_files_of_every_format_are_answered_with_a_sentence(tmp_path):
    cases, found = fuzz.fuzz(0, cases=80, finds=tmp_path)
    assert found == []
    assert cases == 80


def test_the_same_seed_gives_the_same_damage(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    first, again, other = (fuzz.make_case([tmp_path / "x.csv"], seed, 5)[1] for seed in (1, 1, 2))
    assert first == again != other


def test_the_fuzzer_finds_a_reader_that_fails(tmp_path, monkeypatch):
    def fail(path):
        raise ZeroDivisionError

    monkeypatch.setattr("jacobeig.files.read_table", fail)
    (tmp_path / "x.npy").write_bytes(b"rubbish")
    with pytest.raises(ZeroDivisionError):
        fuzz.read_everything(tmp_path / "x.npy")


def test_damage_changes_the_content_of_packed_files():
    rng = np.random.default_rng(0)
    packed = gzip.compress(b"a,b\n" * 50, mtime=0)
    contents = set()
    for _ in range(20):
        try:
            contents.add(gzip.decompress(fuzz.damage(packed, rng)))
        except (OSError, EOFError, zlib.error):
            continue
    assert len(contents) > 5


@pytest.mark.parametrize(
    ("code", "fate"),
    [("os.abort()", "crashed"), ("time.sleep(1000)", "hung"), ("print('done')", "")],
    ids=["crash", "hang", "end"],
)
def test_the_fuzzer_sees_how_a_worker_ends(monkeypatch, code, fate):
    monkeypatch.setattr(fuzz, "HANG_SECONDS", 2.5)
    command = [sys.executable, "-c", f"import os, time; print(3, flush=True); {code}"]
    assert fuzz._watch_worker(command, 0, fuzz.time.monotonic() + 600) == (3, [], fate)
