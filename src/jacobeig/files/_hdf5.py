"""HDF5 files, also AnnData's and MATLAB's 7.3: a child process reads them, with limits of time and memory."""

import importlib.util
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path
from threading import Timer
from typing import IO, Any, NoReturn, Self, cast

import numpy as np
from numpy.typing import NDArray

from jacobeig.errors import FileFormatError, MissingExtraError, TooLargeError
from jacobeig.files import _hdf5_child
from jacobeig.files._checks import MOST_EXPANSION, check_matrix, choose_array, explain_damage, is_numeric, raise_unknown
from jacobeig.files._content import Table, Wanted
from jacobeig.files._sparse import build_sparse

# Listing a file takes milliseconds, the start of the process up to some seconds on a busy machine.
TIME_LIMIT = 30.0  # seconds, and more for large files: slow network disks give 2 MB a second
SLOWEST_BYTES = 2e6
# Python, NumPy and h5py reserve 0.4 GB of addresses; HDF5's metadata and chunks are far smaller than the rest.
BASE_MEMORY = 2 << 30
BELIEVED_BYTES = 1 << 28  # what a file of any size may unpack to


def read_hdf5(file: Path, wanted: Wanted, *, by_columns: bool = False) -> Table:
    """Return a matrix of an HDF5 file, whose key is its path; MATLAB writes dense ones `by_columns`."""
    if importlib.util.find_spec("h5py") is None:
        raise MissingExtraError("h5py", "files")
    with explain_damage(file, "an HDF5 file"), _Child.start(file, by_columns=by_columns) as child:
        listing = child.receive()
        key = listing["preferred"] if wanted.key is None else wanted.key.strip("/")
        key = choose_array(listing["shapes"], key, file)
        child.send({"key": key, "label": wanted.label})
        answer = child.receive()
        if wanted.label is not None and answer.get("labels") is None:
            raise_unknown("label", wanted.label, answer.get("known", []))
        arrays, form = child.read_arrays(answer["arrays"]), answer["form"]
        matrix = arrays["dense"] if form is None else build_sparse(form, arrays, tuple(answer["shape"]))
    content = _add_names(check_matrix(matrix, file), answer, wanted.label)
    return replace(content, values=matrix.T) if by_columns and form is None else content


def _add_names(matrix: Any, answer: dict[str, Any], label: str | None) -> Table:
    rows, columns, labels = (answer.get(name) for name in ("rows", "columns", "labels"))
    return Table(
        values=matrix,
        rows=None if rows is None else np.array(rows, dtype=np.str_),
        features=None if columns is None else tuple(columns),
        labels=None if labels is None else np.array(labels, dtype=np.str_),
        label_name=None if labels is None else label,
    )


@dataclass
class _Child:
    """The process that reads, which is stopped when its time is over."""

    process: "subprocess.Popen[bytes]"
    requests: IO[bytes]
    answers: BufferedReader
    file: Path
    timer: Timer | None = None
    late: bool = False

    @classmethod
    @contextmanager
    def start(cls, file: Path, *, by_columns: bool) -> Iterator[Self]:
        """Start the process, and end it when the block ends."""
        # Without site and with one thread it starts in half the time, and reserves less memory.
        command = [sys.executable, "-I", "-S", _hdf5_child.__file__]
        threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **threads},
        ) as process:
            # Of the kinds that Popen gives for pipes.
            child = cls(process, cast(IO[bytes], process.stdin), cast(BufferedReader, process.stdout), file)
            try:
                child._allow(file.stat().st_size)
                path, memory = [os.path.abspath(entry) for entry in sys.path], BASE_MEMORY
                child.send({"file": str(file), "by_columns": by_columns, "path": path, "memory": memory})
                yield child
            finally:
                child._forbid()
                process.kill()
                # What is still to be written would raise again when the pipe is closed.
                with suppress(OSError):
                    child.requests.close()

    def send(self, request: dict[str, Any]) -> None:
        """Write a line; if the process has died, the answer that does not come says so."""
        with suppress(OSError):
            self.requests.write(json.dumps(request).encode() + b"\n")
            self.requests.flush()

    def receive(self) -> dict[str, Any]:
        """Return an answer, or raise the error that the process tells or has died of."""
        line = self.answers.readline()
        if not line.endswith(b"\n"):
            self._raise_death()
        answer: dict[str, Any] = json.loads(line)
        if answer.get("memory"):
            raise FileFormatError(f"{self.file} is damaged: to read it would take more memory than it can hold.")
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def read_arrays(self, described: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
        """Return the arrays that the process sends, as it described them."""
        sizes = [math.prod(part["shape"]) * np.dtype(part["dtype"]).itemsize for part in described]
        if sum(sizes) > max(BELIEVED_BYTES, MOST_EXPANSION * self.file.stat().st_size):
            raise TooLargeError(
                f"{self.file} has {self.file.stat().st_size:,} bytes and declares a matrix of {sum(sizes):,}, most of "
                "which was never written: write its entries, or save it as sparse."
            )
        self._allow(sum(sizes))
        self.send({"memory": BASE_MEMORY + 3 * max(sizes)})  # a chunk may be as large as its array
        return {part["name"]: self._read_array(part) for part in described}

    def _read_array(self, part: dict[str, Any]) -> NDArray[Any]:
        dtype = np.dtype(part["dtype"])
        if not is_numeric(dtype):
            raise ValueError(f"{part['name']} is of type {dtype}")
        array = np.empty(part["shape"], dtype)
        # Empty arrays cannot be cast to bytes.
        if array.size and self.answers.readinto(array.reshape(-1).view(np.uint8).data) != array.nbytes:
            self._raise_death()
        return array

    def _allow(self, size: int) -> None:
        """Let the process go on for as long as reading `size` bytes may take."""
        self._forbid()
        self.timer = Timer(TIME_LIMIT + size / SLOWEST_BYTES, self._stop)
        self.timer.daemon = True
        self.timer.start()

    def _forbid(self) -> None:
        if self.timer is not None:
            self.timer.cancel()

    def _stop(self) -> None:
        self.late = True
        self.process.kill()

    def _raise_death(self) -> NoReturn:
        how = "takes too long to read" if self.late else "makes the HDF5 library crash"
        raise FileFormatError(f"{self.file} is damaged: it {how}.")
