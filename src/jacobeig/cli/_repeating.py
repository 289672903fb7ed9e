"""Options written out again, so that a command can name another that goes on from it."""

from collections.abc import Collection
from dataclasses import fields
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from jacobeig import files
from jacobeig.cli._wording import write_option


def name_data(path: Path) -> str:
    """Return a file as a shell takes it; standard input, which is read by now, is the user's to give again."""
    return "DATA" if str(path) == files.STANDARD_INPUT else quote(str(path))


def repeat(*groups: Any, without: Collection[str] = ()) -> str:
    """Return the options of groups that differ from their defaults, with a blank before each."""
    given = []
    for group in groups:
        hints = get_type_hints(type(group), include_extras=True)
        for field in fields(group):
            value = getattr(group, field.name)
            if value != field.default and field.name not in without:
                option = _name_option(field.name, hints[field.name])
                given += [write_option(option, part) for part in (value if isinstance(value, list) else [value])]
    return "".join(f" {option}" for option in given)


def _name_option(name: str, hint: Any) -> str:
    """Return what the command line calls a field, without the dashes before it."""
    declared = get_args(hint)[1].param_decls or () if get_origin(hint) is Annotated else ()
    long = next((text for text in declared if text.startswith("--")), name.replace("_", "-"))
    return str(long).split("/")[0].removeprefix("--")
