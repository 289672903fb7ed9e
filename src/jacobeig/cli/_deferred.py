"""The commands by name and in a line, so that `jacobeig --help` loads none of them: their modules load when needed."""

import importlib
from functools import cached_property
from typing import Any

from rich.markup import escape
from typer import Typer
from typer.core import TyperCommand
from typer.main import get_command

# Each is the first paragraph of the command's docstring; a test compares them.
PANELS = {
    "Solve": {
        "pca": "Find sparse principal components of a table: each of a few features, all orthonormal.",
        "eig": "Find sparse, orthonormal, approximate eigenvectors of a symmetric matrix.",
        "graph": "Find sparse Fourier modes of a graph: smooth patterns on a few nodes each.",
        "transform": "Write the coefficients of samples on a model's components to a csv file.",
    },
    "Look": {
        "demo": "Sparse PCA of scikit-learn's handwritten digits: accuracy against sparsity, as a table and a picture.",
        "info": "Show what a model file holds: its kind, its components, how it was made.",
        "compare": "Compare methods at the same numbers of nonzeros: a table, a csv file and a picture.",
        "reproduce": "Compute the paper's figures again: pictures, tables, and a sentence on how each compares with "
        "it.",
    },
    "Prepare": {"warmup": "Compile everything now, so that no later command or program has to wait."},
}


class _Deferred:
    """An attribute that is that of the command itself, which is loaded for it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, command: Any, owner: type | None = None) -> Any:
        return self if command is None else getattr(command.loaded, self._name)

    def __set__(self, command: Any, value: Any) -> None:
        """Ignore what click sets before there is anything."""


class PlainHelp:
    """Help in which a switch, which takes no value, shows no type of one, and arguments stand without braces."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what stands behind the name of the command."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]  # type: ignore[misc]  # as below

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all options and arguments."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the command that it is mixed into
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class DeferredCommand(PlainHelp, TyperCommand):
    """A command that is known by its name and summary until it is run, completed or asked for help."""

    params, callback, help, epilog = _Deferred(), _Deferred(), _Deferred(), _Deferred()

    def __init__(self, name: str, panel: str, summary: str) -> None:
        super().__init__(name, short_help=summary, rich_help_panel=panel, rich_markup_mode="rich")

    @cached_property
    def loaded(self) -> Any:
        """The command itself."""
        from jacobeig.cli._options import expand_groups

        module = importlib.import_module(f"jacobeig.cli.{self.name}")
        # A blank line between two lines is what keeps them apart.
        epilog = "\n\n".join(["[bold]Examples[/]", *map(escape, module.EXAMPLES)])
        alone = Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(self.name, epilog=epilog)(expand_groups(getattr(module, str(self.name))))
        return get_command(alone)


def list_commands() -> dict[str, DeferredCommand]:
    """Return all commands in the order of the help."""
    return {
        name: DeferredCommand(name, panel, summary)
        for panel, commands in PANELS.items()
        for name, summary in commands.items()
    }
