"""The house: the rooms are the ones that CONTRIBUTING lists, tests stand in their rooms, and names are told apart."""

import ast
import configparser
import re
from collections import Counter
from pathlib import Path

import pytest

grimp = pytest.importorskip("grimp")
pytest.importorskip("importlinter")

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "jacobeig"
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
ROOMS = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()} - {"__init__", "__pycache__"}
# Folders of tests that belong to no room: data files, and results that others have published.
WITHOUT_ROOM = {"data", "published"}


def read_rows_of_the_linter():
    """Sets of rooms from the top row to the bottom one."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / ".importlinter")
    lines = settings["importlinter:contract:house"]["layers"].split("\n")
    return [set(re.findall(r"jacobeig\.(\w+)", line)) - {"__main__"} for line in lines if line]


def read_rows_of_contributing():
    """The numbered list under "The house"."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## The house")[2].partition("\n## ")[0]
    rows = re.findall(r"^(\d+)\. (.*?):", text, flags=re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    return [set(re.findall(r"`(\w+)`", rooms)) for _, rooms in rows]


def check_private_files(*imports):
    """Whether the contract allows the imports, and those that it does not."""
    from tools.contracts import PrivateFiles

    graph = grimp.ImportGraph()
    for importer, imported in imports:
        graph.add_import(importer=importer, imported=imported)
    contract = PrivateFiles(
        name="private",
        session_options={},
        contract_options={"package": "jacobeig", "shared": ["_arguments", "_kernels"]},
    )
    outcome = contract.check(graph, verbose=False)
    return outcome.kept, outcome.metadata["broken"]


def name_of(path):
    return path.relative_to(PACKAGE).as_posix()


def test_contributing_lists_the_rows_that_the_linter_checks():
    assert read_rows_of_contributing() == read_rows_of_the_linter()


def test_every_room_has_a_row():
    assert set().union(*read_rows_of_the_linter()) == ROOMS - {"__main__", "_version"}


def test_a_private_file_of_another_room_may_not_be_imported():
    forbidden = ("jacobeig.cli.eig", "jacobeig.solve._problem")
    assert check_private_files(forbidden, ("jacobeig.cli.eig", "jacobeig.solve.pivots")) == (False, [forbidden])
    nested = ("jacobeig.plotting.axes", "jacobeig.estimators.pca._path")
    assert check_private_files(nested) == (False, [nested])
    inside_shared = ("jacobeig.solve.pivots", "jacobeig._kernels._jit")
    assert check_private_files(inside_shared) == (False, [inside_shared])


def test_private_files_of_ones_own_room_and_shared_rooms_may_be_imported():
    allowed = [
        ("jacobeig.solve._eigsh", "jacobeig.solve._problem"),
        ("jacobeig.estimators.graph._fourier", "jacobeig.estimators._model"),
        ("jacobeig.solve._problem", "jacobeig._arguments"),
        ("jacobeig.solve._problem", "jacobeig._kernels.rows"),
    ]
    assert check_private_files(*allowed) == (True, [])


def test_every_folder_of_tests_has_the_name_of_a_room():
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("**/test_*.py"))}
    assert {"solve", "refinement", "kernels"} <= folders
    assert folders - WITHOUT_ROOM <= {room.lstrip("_") for room in ROOMS}


def test_no_file_of_tests_is_longer_than_400_lines():
    lengths = {path.name: len(path.read_bytes().splitlines()) for path in (ROOT / "tests").rglob("*.py")}
    assert {name: length for name, length in lengths.items() if length > 400} == {}


def test_the_first_line_of_a_module_says_what_it_is_for():
    firsts = {name_of(path): (ast.get_docstring(tree) or "").partition("\n")[0] for path, tree in TREES.items()}
    says = re.compile(r"(\S+ ){2,}.*[.:!]")
    assert {name: first for name, first in firsts.items() if not says.fullmatch(first)} == {}


def test_no_two_classes_share_a_name():
    names = Counter(node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []
