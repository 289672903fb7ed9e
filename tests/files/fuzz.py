"""Damage files at random and read them: no reader or loader may crash, hang, unpickle or take much memory.

``python tests/files/fuzz.py --seconds 600 --seed 1`` runs for ten minutes and keeps what it finds in ``fuzz-finds``;
the same seed gives the same cases. A case is known by its number: ``--cases 1 --start N`` runs it again.
"""

import argparse
import gzip
import io
import queue
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from figures import record  # beside the tests, also where this is run as a program

BATCH = 500  # cases a worker: finds are told after each
HANG_SECONDS = 60.0  # far above the slowest sound case, also on a busy machine
EXTRA_BYTES = 2 << 30  # beyond what the imports take
NUMBERS = (0, 1, -1, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, -(2**31), 2**32 - 1, 2**62, 2**63 - 1, -(2**63))
WORDS = (
    b"\0",
    b"nan",
    b"inf",
    b"1e400",
    b"-",
    b'"',
    b",",
    b"\n",
    b"\r",
    b"99999999999999999999",
    b"\xff\xfe",
    b"{",
    b"(",
)


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """Return bytes that differ in a few places."""
    content = bytearray(data)
    for _ in range(int(rng.choice([1, 1, 2, 3, 8]))):
        at = int(rng.integers(len(content) + 1))
        length = int(rng.integers(1, 1 + max(1, min(64, len(content)))))
        match int(rng.integers(8)):
            case 0 if at < len(content):
                content[at] ^= 1 << int(rng.integers(8))
            case 1:
                width = int(rng.choice([1, 2, 4, 8]))
                number = int(rng.choice(NUMBERS)) % 256**width
                content[at : at + width] = number.to_bytes(width, str(rng.choice(["little", "big"])))
            case 2:
                del content[at : at + length]
            case 3:
                content[at:at] = content[at : at + length]
            case 4:
                content[at:at] = rng.bytes(length)
            case 5:
                del content[at:]
            case 6:
                content[at:at] = WORDS[int(rng.integers(len(WORDS)))] * int(rng.choice([1, 1, 40]))
            case _:
                content[at : at + length] = rng.bytes(length)
    return bytes(content)


def damage(data: bytes, rng: np.random.Generator) -> bytes:
    """Return a damaged file; of packed ones often the content, as the packing's own sums would stop all else."""
    if rng.random() < 0.7:
        if data.startswith(b"PK"):
            return _damage_member(data, rng)
        if data.startswith(b"\x1f\x8b"):
            return gzip.compress(mutate(gzip.decompress(data), rng), mtime=0)
    return mutate(data, rng)


def _damage_member(data: bytes, rng: np.random.Generator) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    name = str(rng.choice(sorted(members)))
    if rng.random() < 0.1:
        del members[name]
    elif rng.random() < 0.5 and len(members[name]) > 128:  # the numbers, not their header
        size = len(members[name])
        members[name] = (members[name][:128] + mutate(members[name][128:], rng))[:size].ljust(size, b"\0")
    else:
        members[name] = mutate(members[name], rng)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def make_case(corpus: list[Path], seed: int, number: int) -> tuple[Path, bytes]:
    """Return the file that a case begins with, and what becomes of it."""
    rng = np.random.default_rng([seed, number])
    start = corpus[int(rng.integers(len(corpus)))]
    return start, damage(start.read_bytes(), rng)


def read_everything(path: Path) -> None:
    """Call all that reads such a file; whatever but an error of ours is a find."""
    import jacobeig as je
    from jacobeig.errors import JacobeigError
    from jacobeig.files import read_coordinates, read_graph, read_matrix, read_table

    def transform(model: Any) -> None:
        repr(model)
        model.transform(np.zeros((1, model.n_features_in_)))

    readers = {
        "read_table": lambda: read_table(path),
        "read_matrix": lambda: read_matrix(path, symmetrize=True),
        "read_graph": lambda: read_graph(path, symmetrize=True),
        "read_coordinates": lambda: read_coordinates(path, np.arange(1, 4)),
    }
    if path.suffix in (".h5", ".h5ad") or "73" in path.name:  # one child each
        readers = {name: readers[name] for name in ("read_table", "read_graph")}
    loaders = {
        "je.load": lambda: repr(je.load(path)),
        "JacobiPCA.load": lambda: transform(je.JacobiPCA.load(path)),
        "GraphFourier.load": lambda: transform(je.GraphFourier.load(path)),
    }
    for name, read in (loaders if path.suffix == ".model" else readers).items():
        try:
            read()
        except JacobeigError as error:
            if len(str(error).splitlines()) != 1:
                raise AssertionError(f"{name} answered with {len(str(error).splitlines())} lines") from error
        except Exception as error:
            error.add_note(name)
            raise


def _run_worker(folder: Path, seed: int, start: int, count: int, finds: Path) -> None:
    """Run cases one after the other, saying the number of each before it begins."""
    _watch()
    import warnings

    import jacobeig  # noqa: F401  # so that what it takes does not count
    from jacobeig.files import _hdf5

    warnings.simplefilter("ignore")
    _hdf5.TIME_LIMIT = 15.0
    _limit_memory()
    corpus = sorted(folder.iterdir())
    with tempfile.TemporaryDirectory() as work:
        for number in range(start, start + count):
            print(number, flush=True)
            origin, content = make_case(corpus, seed, number)
            path = Path(work) / origin.name
            path.write_bytes(content)
            try:
                read_everything(path)
            except Exception as error:
                keep_find(finds, number, path.name, content, f"{type(error).__name__}: {error} {error.__notes__}")
                print(f"find {number} {path.name} {type(error).__name__}: {str(error)[:200]!r}", flush=True)
            path.unlink()
    print("done", flush=True)


def _watch() -> None:
    """Stop at once if anything is unpickled or a command is run by a shell."""

    def stop(event: str, arguments: object) -> None:
        if event in ("pickle.find_class", "os.system"):
            raise SystemExit(f"{event} {arguments}")

    import numba  # noqa: F401  # which unpickles its own cache
    import sklearn  # noqa: F401  # which estimators import while they are loaded

    sys.addaudithook(stop)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + EXTRA_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def keep_find(finds: Path, number: int, name: str, content: bytes, why: str) -> None:
    """Write a file that was answered badly, and why."""
    finds.mkdir(parents=True, exist_ok=True)
    (finds / f"{number}-{name}").write_bytes(content)
    (finds / f"{number}-{name}.why").write_text(why)


def _follow(process: "subprocess.Popen[str]") -> Iterator[str | None]:
    """Give each line of a worker, None when it says nothing for too long."""
    lines: queue.Queue[str] = queue.Queue()

    def listen() -> None:
        assert process.stdout is not None
        with suppress(ValueError):  # it may be closed meanwhile
            for line in process.stdout:
                lines.put(line.strip())
        lines.put("")

    threading.Thread(target=listen, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=HANG_SECONDS)
        except queue.Empty:
            yield None
            return
        if not line:
            return
        yield line


def fuzz(
    seed: int, *, start: int = 0, cases: int | None = None, seconds: float = 1e9, finds: Path
) -> tuple[int, list[str]]:
    """Run cases until their number or the time is reached; return how many there were, and what was found."""
    sys.path[:0] = [str(folder) for folder in Path(__file__).parents[:2]]
    from corpus import write_corpus

    found: list[str] = []
    end = time.monotonic() + seconds
    first, last = start, start + (cases if cases is not None else 10**9)
    with tempfile.TemporaryDirectory() as name:
        corpus = write_corpus(Path(name))
        while start < last and time.monotonic() < end:
            command = [sys.executable, __file__, "--worker", name, "--seed", str(seed), "--finds", str(finds)]
            command += ["--start", str(start), "--cases", str(min(last - start, BATCH))]
            current, news, why = _watch_worker(command, start - 1, end)
            if current < start:
                raise RuntimeError("the worker did not begin")
            if why:
                origin, content = make_case(corpus, seed, current)
                news.append(f"find {current} {origin.name} {why}")
                keep_find(finds, current, origin.name, content, why)
            for line in news:
                print(line, flush=True)
            found += news
            start = current + 1
    return start - first, found


def _watch_worker(command: list[str], current: int, end: float) -> tuple[int, list[str], str]:
    """Run a worker until it is done, dies, says nothing or `end` is reached; return its last case, finds and fate."""
    news, why = [], "crashed"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in _follow(process):
            if line is None:
                why = "hung"
            elif line == "done":
                why = ""
            elif line.startswith("find"):
                news.append(line)
            else:
                current = int(line)
            if time.monotonic() > end:
                why = ""
                break
        process.kill()
    return current, news, why


def main() -> int:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--finds", type=Path, default=Path("fuzz-finds"))
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        _run_worker(given.worker, given.seed, given.start, given.cases, given.finds)
        return 0
    began = time.monotonic()
    cases, found = fuzz(given.seed, start=given.start, cases=given.cases, seconds=given.seconds, finds=given.finds)
    print(f"{cases:,} cases, {len(found)} finds")
    record("fuzz", cases=cases, finds=len(found), minutes=round((time.monotonic() - began) / 60, 1))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
