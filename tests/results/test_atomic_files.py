"""Files are replaced whole or not at all, also after a run was killed."""

import os
import subprocess
import sys

import pytest

from jacobeig.results.atomic_files import open_draft, replace_file, replace_files, require_writable

NAMES = ("a", "b", "c")


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text)


@pytest.fixture
def gone():
    """The number of a process that has ended."""
    return int(
        subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True).stdout
    )


def test_new_files_take_the_place_of_old_ones_and_others_stay(tmp_path):
    write(tmp_path, a="old", b="old", mine="kept")
    with replace_files(tmp_path, NAMES) as draft:
        write(draft, a="new", c="new")
        assert contents(tmp_path / draft.name) == {"a": "new", "c": "new"}
        assert (tmp_path / "a").read_text() == "old"
    assert contents(tmp_path) == {"a": "new", "c": "new", "mine": "kept"}


def test_a_failure_leaves_everything_as_it_was(tmp_path):
    write(tmp_path, a="old")
    with pytest.raises(TypeError), replace_files(tmp_path, NAMES) as draft:
        write(draft, a="new", b="new", c=None)
    assert contents(tmp_path) == {"a": "old"}
    with pytest.raises(RuntimeError), replace_files(tmp_path / "new", NAMES):
        raise RuntimeError
    assert contents(tmp_path) == {"a": "old"}


@pytest.mark.parametrize("step", range(7))
def test_a_run_killed_while_files_move_is_undone_by_the_next(tmp_path, step):
    """A new process stops for good at some rename; the next run, which fails too, brings the old files back."""
    write(tmp_path, a="old", b="old")
    code = f"""
import os
from pathlib import Path
from jacobeig.results.atomic_files import replace_files
real, calls = os.replace, []
def stop(source, target):
    if len(calls) == {step}:
        os._exit(9)
    calls.append(source)
    real(source, target)
os.replace = stop
with replace_files(Path({str(tmp_path)!r}), {NAMES!r}) as draft:
    (draft / "a").write_text("new")
    (draft / "c").write_text("new")
"""
    killed = subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    with pytest.raises(RuntimeError), replace_files(tmp_path, NAMES):
        raise RuntimeError
    assert contents(tmp_path) == ({"a": "old", "b": "old"} if killed else {"a": "new", "c": "new"})


def test_drafts_of_a_process_that_runs_are_left_alone(tmp_path, gone):
    write(tmp_path, **{f".draft-{os.getpid()}-01234567.a": "mine", f".draft-{gone}-01234567.a": "left",
                       f".draft-{gone}-01234567.other": "of another file", ".draft-notes": "the user's"})  # fmt: skip
    with replace_file(tmp_path / "a") as draft:
        draft.write_text("new")
    assert sorted(contents(tmp_path).values()) == ["mine", "new", "of another file", "the user's"]


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(OSError, match="full") as raised, replace_file(tmp_path / "a"):
        raise OSError(28, "full")
    assert raised.value.filename == str(tmp_path / "a")
    with pytest.raises(FileNotFoundError) as raised, replace_files(tmp_path, NAMES) as draft:
        (draft / "a").read_text()
    assert raised.value.filename == str(tmp_path / "a")


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of another kind")
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    write(tmp_path, a="old")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "new").symlink_to("b")
    for name in ("link", "new"):
        with replace_file(tmp_path / name) as draft:
            draft.write_text("new")
    assert contents(tmp_path) == {"a": "new", "b": "new", "link": "new", "new": "new"}
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new").is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of another kind")
def test_nothing_but_a_file_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder", mine="kept")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    for name, words in {"folder": "a folder", "loop": "leads back to itself", "pipe": "a device or a pipe"}.items():
        for replace in (replace_file, open_draft):
            with pytest.raises(OSError, match=words) as raised, replace(tmp_path / name):
                pass
            assert raised.value.filename == str(tmp_path / name)
        with pytest.raises(OSError, match=words):
            require_writable(tmp_path / name)
        with pytest.raises(OSError, match=words), replace_files(tmp_path, [*NAMES, name]) as draft:
            write(draft, a="new")
    assert contents(tmp_path / "folder") == {"mine": "kept"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "loop", "pipe"]


def test_a_file_that_may_not_be_written_to_is_not_replaced(tmp_path, monkeypatch):
    write(tmp_path, a="old")
    monkeypatch.setattr("os.access", lambda _, mode: not mode & os.W_OK)
    with pytest.raises(PermissionError, match="may not write"), replace_file(tmp_path / "a"):
        pass
    assert contents(tmp_path) == {"a": "old"}


@pytest.mark.skipif(os.name != "posix", reason="permissions of another kind")
def test_a_file_that_others_may_not_read_stays_so(tmp_path):
    write(tmp_path, a="old", b="old")
    (tmp_path / "a").chmod(0o600)
    with open_draft(tmp_path / "a") as file:
        file.write(b"new")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    assert contents(tmp_path) == {"a": "new", "b": "old"}
