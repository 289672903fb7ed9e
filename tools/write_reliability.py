"""Write the figures that an attack has measured into docs/reliability.md: `nox -s attack` calls this at its end."""

import json
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any, TypeAlias

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
Row: TypeAlias = tuple[str, str, str]
Named: TypeAlias = dict[str, list[dict[str, Any]]]
NAMED = ("numpy", "scipy", "numba", "scikit-learn")


def main(path: str) -> None:
    """Put the figures of a file, one JSON object a line, between the marks of the page."""
    lines = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    table = "\n".join(["| what | figure | by |", "| --- | --- | --- |", *_list_rows(lines)])
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", encoding="utf-8")


def _list_rows(lines: list[dict[str, Any]]) -> list[str]:
    """Return a row for everything that was measured."""
    named = {name: [line for line in lines if line["name"] == name] for name in {line["name"] for line in lines}}
    rows = [write(named) for names, write in _ROWS.items() if all(name in named for name in names)]
    rows += [
        ("versions of this attack", _name_versions(), "the environment it ran in"),
        ("lowest versions, tested by a job of their own", _name_floors(), "`nox -s lowest`"),
    ]
    return [f"| {what} | {figure} | {command} |" for what, figure, command in rows]


def _add(lines: list[dict[str, Any]], key: str) -> int:
    return sum(int(line[key]) for line in lines)


def _tell_kills(named: Named) -> Row:
    kills = named["kills"]
    return (
        "runs killed at random moments that went on to the same bits",
        f"{_add(kills, 'survived')} of {_add(kills, 'kills')} kills, {len(kills)} kinds of run",
        "`pytest -m attack tests/solve/test_checkpoint.py`",
    )


def _tell_cases(named: Named) -> Row:
    runs, improvements, models = (_add(named.get(name, []), "cases") for name in ("runs", "improvements", "models"))
    return (
        "random calls, every promise checked on each",
        f"{runs + improvements + models:,}: {runs:,} runs with {_add(named['runs'], 'rotations'):,} rotations, "
        f"{improvements:,} polished or refined, {models:,} models",
        "`JACOBEIG_CASES=20000 pytest tests/test_attack.py`",
    )


def _tell_fuzz(named: Named) -> Row:
    minutes = sum(line["minutes"] for line in named["fuzz"])
    return (
        "damaged files read",
        f"{_add(named['fuzz'], 'cases'):,} in {minutes:.0f} minutes; crashes, hangs, floods of memory: "
        f"{_add(named['fuzz'], 'finds')}",
        "`python tests/files/fuzz.py --seconds 600`",
    )


def _tell_rotations(named: Named) -> Row:
    worst: dict[int, float] = {}
    for line in named["rotations"]:
        worst[line["rotations"]] = max(line["error"], worst.get(line["rotations"], 0.0))
    return (
        "largest loss of orthonormality in long runs",
        "; ".join(f"{error:.1e} after {k:,} rotations" for k, error in sorted(worst.items())),
        "`pytest -m slow tests/solve/test_long_runs.py`",
    )


def _tell_places(named: Named) -> Row:
    counts = ", ".join(f"{line['cases']} in {_PLACES[line['how']]}" for line in named["places"])
    return "answers with the same bits as in a process of their own", counts, "`pytest -m slow tests/test_places.py`"


def _name_versions() -> str:
    return ", ".join([f"Python {python_version()}", *(f"{name} {version(name)}" for name in NAMED)])


def _name_floors() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    floors = [*project["dependencies"], *project["optional-dependencies"]["pca"]]
    return ", ".join(["Python " + project["requires-python"].lstrip(">="), *(f.replace(">=", " ") for f in floors)])


_ROWS: dict[tuple[str, ...], Callable[[Named], Row]] = {
    ("kills",): _tell_kills,
    ("runs",): _tell_cases,
    ("fuzz",): _tell_fuzz,
    ("rotations",): _tell_rotations,
    ("places",): _tell_places,
}
_PLACES = {"threads": "threads at once", "fork": "forked processes", "spawn": "fresh processes"}


if __name__ == "__main__":
    main(sys.argv[1])
