"""Checkpoints: what a long run has done so far, in a file from which the same run goes on after a kill or Ctrl-C."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import as_generator, check_choice, name_type
from jacobeig._types import PathLike, Rng
from jacobeig._version import __version__
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError, Mention
from jacobeig.results.archive import read_archive, write_archive
from jacobeig.results.atomic_files import require_writable
from jacobeig.results.result import EigenResult, Status

__all__ = [
    "Arrays",
    "Checkpoint",
    "describe_generator",
    "number_file",
    "open_checkpoint",
    "recall_result",
    "recall_seed",
]

Arrays = Mapping[str, NDArray[Any]]

# Seconds between two saves at least: what a kill can cost. Longer where saving takes long, so that it never takes more
# than this share of the time. Not tuned.
EVERY, SHARE = 10.0, 0.05
_KIND = "Checkpoint"
_MATRIX = "matrix"


class Checkpoint:
    """Notes of what a run has done, each a few arrays under a name, kept in a file if there is a path.

    The file is replaced in one step, so that at every moment it is whole: the latest notes, or those saved before.
    Without a path notes are kept nowhere, and a Checkpoint only says what an interrupt does: with ``returns`` the work
    ends with what is there; otherwise KeyboardInterrupt is raised, once everything is saved.
    """

    def __init__(self, path: Path | None = None, *, returns: bool = False) -> None:
        self.path, self.returns = path, returns
        self._identity: dict[str, Any] = {}
        self._matrix: dict[str, NDArray[Any]] = {}
        self._notes: dict[str, dict[str, NDArray[Any]]] = {}
        self._scope = ""
        self._saved, self._pause, self._changed = perf_counter(), EVERY, False

    @property
    def waits(self) -> bool:
        """Whether it has a file, and is yet to be told what run this is."""
        return self.path is not None and not self._identity

    def identify(self, matrix: Arrays, options: Mapping[str, Any]) -> None:
        """Say what the run is: a few numbers of its matrix, and its options. Take up what its file holds, if any.

        Raises for a file that is not a checkpoint, or that of another run; nothing is written to it then.
        """
        assert self.path is not None
        try:
            require_writable(self.path)
        except OSError as error:
            error.strerror = f"a checkpoint cannot be written here ({error.strerror}); name another file"
            raise
        self._identity = json.loads(json.dumps({"version": __version__, **options}, default=_make_plain))
        self._matrix = {name: np.array(part) for name, part in matrix.items()}
        if self.path.exists():
            self._notes = self._read(self.path)

    def _read(self, path: Path) -> dict[str, dict[str, NDArray[Any]]]:
        try:
            _, arrays, facts = read_archive(path, _KIND)
            before = dict(facts["identity"])
            names: list[list[str]] = [name.rsplit("/", 1) for name in arrays]
            notes: dict[str, dict[str, NDArray[Any]]] = {note: {} for note in facts["notes"]}
            for (note, part), array in zip(names, arrays.values(), strict=True):
                notes.setdefault(note, {})[part] = array
        except (FileFormatError, KeyError, TypeError, ValueError) as error:
            why = str(error.what) if isinstance(error, FileFormatError) else f"{path} is damaged ({error})"
            raise FileFormatError(
                f"is not a checkpoint to go on from: {why.rstrip('.')}",
                argument="checkpoint",
                advice="name a file that is not there yet, to start again.",  # this one may be the user's data
            ) from error
        self._require_same(path, before, notes.pop(_MATRIX, {}))
        return notes

    def _require_same(self, path: Path, before: dict[str, Any], matrix: Arrays) -> None:
        """Raise unless a file belongs to this run."""
        changed = [
            f"{name} was {before.get(name)!r} and is {value!r}"
            for name, value in self._identity.items()
            if before.get(name) != value
        ]
        same = matrix.keys() == self._matrix.keys()
        if not same or not all(_is_close(matrix[name], part) for name, part in self._matrix.items()):
            changed.append("the matrix is another one")
        if changed:
            raise InvalidInputError(
                f"is {path}, which belongs to another run: {'; '.join(changed)}",
                argument="checkpoint",
                advice="give what that run was given, or another file, or delete this one.",
            )

    def find(self, name: str) -> dict[str, NDArray[Any]] | None:
        """Return the note of a name, if there is one."""
        return self._notes.get(self._scope + name)

    def note(self, name: str, arrays: Arrays) -> None:
        """Keep a note, in place of those within its scope; save if it is time to."""
        if self.path is None:
            return
        self.forget(name)
        self._notes[self._scope + name] = dict(arrays)
        self._changed = True
        if self.due:
            self.save()

    def forget(self, name: str) -> None:
        """Drop a note and those within its scope."""
        whole = self._scope + name
        self._notes = {
            key: note for key, note in self._notes.items() if key != whole and not key.startswith(f"{whole}.")
        }

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Put `name` before the names of all notes within the block."""
        before = self._scope
        self._scope = f"{before}{name}."
        try:
            yield
        finally:
            self._scope = before

    @property
    def due(self) -> bool:
        """Whether the last save is long enough ago."""
        return self.path is not None and perf_counter() - self._saved >= self._pause

    def save(self, name: str | None = None, arrays: Arrays | None = None) -> None:
        """Write all notes to the file, and `arrays` as one more that is not kept here."""
        if self.path is None or not (self._changed or arrays):
            return
        notes = self._notes if name is None or arrays is None else {**self._notes, self._scope + name: dict(arrays)}
        parts = {f"{note}/{part}": array for note, held in notes.items() for part, array in held.items()}
        parts |= {f"{_MATRIX}/{part}": array for part, array in self._matrix.items()}
        began = perf_counter()
        try:
            write_archive(self.path, _KIND, parts, identity=self._identity, notes=list(notes))
        except OSError as error:
            error.strerror = (
                f"the checkpoint could not be saved ({error.strerror}), and the one before it is as it was; the same "
                "call goes on from that"
            )
            raise
        self._saved, self._changed = perf_counter(), False
        self._pause = max(EVERY, (self._saved - began) / SHARE)

    def explain_interrupt(self, done: str) -> KeyboardInterrupt:
        """Return what to raise at Ctrl-C once everything is saved."""
        if self.path is None:
            return KeyboardInterrupt()
        if not self.path.exists():
            return KeyboardInterrupt(f"stopped {done}, before there was anything to keep in {self.path}")
        return KeyboardInterrupt(
            f"stopped {done}; the same " + Mention("call", text="call") + f" goes on from {self.path}"
        )


def open_checkpoint(checkpoint: Any, on_interrupt: Any = "raise") -> Checkpoint:
    """Return the checkpoint that arguments ask for; one that is open already stays as it is."""
    if isinstance(checkpoint, Checkpoint):
        return checkpoint
    check_choice("on_interrupt", on_interrupt, ("raise", "return"))
    if checkpoint is not None and not isinstance(checkpoint, (str, os.PathLike)):
        raise InvalidTypeError(
            f"is {name_type(checkpoint)}", argument="checkpoint", advice="give the path of a file, or None."
        )
    path = None if checkpoint is None else Path(os.fsdecode(checkpoint))
    if path is not None and path.is_dir():
        raise InvalidInputError(f"is {path}, a folder", argument="checkpoint", advice="give the path of a file.")
    return Checkpoint(path, returns=on_interrupt == "return")


def number_file(path: PathLike, number: int) -> Path:
    """Return the name of one file of several: run-5.npz for run.npz."""
    whole = Path(os.fsdecode(path))
    return whole.with_name(f"{whole.stem}-{number}{whole.suffix}")


def recall_result(checkpoint: Checkpoint, name: str, make: Callable[[], EigenResult]) -> EigenResult:
    """Return a result as noted, or by making it; one that was cut short is not noted."""
    noted = checkpoint.find(name)
    if noted is not None:
        try:
            return EigenResult.from_parts(noted, json.loads(str(noted.pop("facts"))))
        except (FileFormatError, KeyError, TypeError, ValueError) as error:
            advice = "delete the file to start again."
            raise FileFormatError(
                f"is damaged or was changed ({error})", argument="checkpoint", advice=advice
            ) from error
    result = make()
    if checkpoint.path is not None and result.status not in (Status.CALLBACK, Status.INTERRUPTED):
        arrays, facts = result.to_parts()
        checkpoint.note(name, arrays | {"facts": np.array(json.dumps(facts))})
    return result


def recall_seed(checkpoint: Checkpoint) -> int | None:
    """Return a seed for a run whose user gave none: that of the run that the file belongs to."""
    if checkpoint.path is None:
        return None
    noted = checkpoint.find("seed")
    seed = int(np.random.default_rng().integers(2**63)) if noted is None else int(noted["seed"])
    checkpoint.note("seed", {"seed": np.array(seed)})
    return seed


def describe_generator(rng: Rng) -> Any:
    """Return what makes two generators alike: None, a seed, or the state of the generator."""
    if rng is None or isinstance(rng, (int, np.integer)):
        return rng
    return as_generator(rng).bit_generator.state


def _make_plain(value: Any) -> Any:
    """Return arguments that JSON does not know as it can hold them."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.tolist()
    return str(value)


def _is_close(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two arrays are the same but for rounding, as sources may sum in another order."""
    if a.shape != b.shape or a.dtype != b.dtype or a.dtype.kind not in "fc":
        return False
    return bool(np.abs(a - b).max(initial=0.0) <= np.sqrt(np.finfo(b.dtype).eps) * np.abs(b).max(initial=0.0))
