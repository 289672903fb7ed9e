"""Figures that tests measure, left for docs/reliability.md in the file that JACOBEIG_FIGURES names, if it does."""

import json
import os


def record(name, **figures):
    """Add a line of figures to the file; nothing without one."""
    path = os.environ.get("JACOBEIG_FIGURES")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"name": name, **figures}) + "\n")
