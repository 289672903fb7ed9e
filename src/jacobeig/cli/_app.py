"""The application: its commands, and the one place where failures are answered."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from jacobeig._version import __version__
from jacobeig.cli import _output, compare, demo, eig, graph, info, pca, reproduce, transform
from jacobeig.cli._output import EXIT_CODES, Exit

__all__ = ["app"]


class _Commands(TyperGroup):
    """The group of commands: whatever goes wrong becomes a sentence and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command that the arguments name."""
        arguments = list(sys.argv[1:] if args is None else args)
        self._arguments, self._as_json = arguments, "--json" in arguments
        self._command = next((argument for argument in arguments if argument in self.commands), None)
        if not standalone_mode:
            return super().main(arguments, prog_name, complete_var, False, windows_expand_args, **extra)
        try:
            code = super().main(arguments, prog_name, complete_var, False, windows_expand_args, **extra)
        except Exception as error:
            if not hasattr(error, "format_message"):  # not about how the command line was used
                raise
            code = self._answer_usage(error)
        sys.exit(code if isinstance(code, int) else Exit.DONE)

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and answer its failures."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # What is still to be flushed at the end must not fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(Exit.CLOSED_PIPE) from None
        except KeyboardInterrupt:
            self._fail("Interrupted; nothing incomplete was left behind.", Exit.INTERRUPTED)
            raise typer.Exit(Exit.INTERRUPTED) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if hasattr(error, "format_message"):
                raise
            if os.environ.get("JACOBEIG_TRACEBACK"):
                _output.stderr.print_exception()
            message, code = _output.explain(error)
            self._fail(message, code)
            raise typer.Exit(code) from None
        return result

    def _answer_usage(self, error: Any) -> int:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            return int(error.exit_code)
        context = getattr(error, "ctx", None)
        hint = "" if context is None else f": try `{context.command_path} --help`"
        names = getattr(getattr(error, "param", None), "opts", ())
        self._fail(f"{_output.usage(error.format_message(), names, self._arguments)}{hint}.", error.exit_code)
        return int(error.exit_code)

    def _fail(self, message: str, code: int) -> None:
        _output.fail(message, code, command=self._command, as_json=self._as_json)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
_PANELS = {
    "Solve": {"pca": pca, "eig": eig, "graph": graph, "transform": transform},
    "Look": {"demo": demo, "info": info, "compare": compare, "reproduce": reproduce},
}
for _panel, _modules in _PANELS.items():
    for _name, _module in _modules.items():
        # A blank line between two lines is what keeps them apart.
        _epilog = "\n\n".join(["[bold]Examples[/]", *map(escape, _module.EXAMPLES)])
        app.command(_name, rich_help_panel=_panel, epilog=_epilog)(getattr(_module, _name))


def _print_version(wanted: bool) -> None:
    if wanted:
        _output.stdout.print(f"jacobeig {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """A few sparse, exactly orthonormal, approximate eigenvectors: sparse PCA, matrices, graphs.

    Start with [bold]jacobeig demo[/], or with your own table: [bold]jacobeig pca data.csv[/].
    """
