"""The command line: parse, load, call, print; no mathematics."""

from jacobeig.cli._app import app

__all__ = ["app"]
