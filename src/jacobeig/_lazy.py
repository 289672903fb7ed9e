"""What packages offer, loaded when it is first used, so that importing them stays quick."""

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any


def load_when_used(
    package: str, names: Mapping[str, Iterable[str]], modules: Mapping[str, str] = MappingProxyType({})
) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package that offers `names` of each of its modules, and whole `modules`."""
    homes = {name: module for module, own in names.items() for name in own}

    def load(name: str) -> Any:
        if name in homes:
            value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        elif name in modules:
            value = importlib.import_module(f"{package}.{modules[name]}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return load
