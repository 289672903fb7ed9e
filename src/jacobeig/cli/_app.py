"""The application: its commands, and the one place where failures are answered."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from jacobeig._version import __version__
from jacobeig.cli._deferred import PlainHelp, list_commands
from jacobeig.cli._output import discard_output, fail, open_streams, stderr, stdout
from jacobeig.cli._wording import EXIT_CODES, Exit, explain, explain_usage, in_options


class _Commands(PlainHelp, TyperGroup):
    """The group of commands: whatever goes wrong becomes a sentence and an exit code."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": list_commands()})

    def main(  # type: ignore[override]  # what it does not use comes by name
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        """Run the command that the arguments name."""
        open_streams()
        arguments = list(sys.argv[1:] if args is None else args)
        self._arguments, self._as_json = arguments, "--json" in arguments
        self._command = next((argument for argument in arguments if argument in self.commands), None)
        try:
            with self._answer_failures():  # of what shells ask, who complete words
                code = super().main(arguments, standalone_mode=False, **extra)
        except typer.Exit as end:
            code = end.exit_code
        except typer.Abort:  # while a command is still being loaded
            code = Exit.INTERRUPTED
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else Exit.DONE)

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the arguments, and show the help or the version where that is all they ask for."""
        with self._answer_failures():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with self._answer_failures():
            return super().invoke(ctx)

    @contextmanager
    def _answer_failures(self) -> Iterator[None]:
        """Turn what fails in a block into a sentence and an exit code; not left to Typer, which has its own."""
        try:
            yield
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
            raise typer.Exit(Exit.CLOSED_PIPE) from None
        except KeyboardInterrupt as stop:
            state = in_options(stop.args[0]) if stop.args else "nothing incomplete was left behind"
            self._fail(f"Interrupted; {state}.", Exit.INTERRUPTED)
        except SystemExit as end:  # by the console that shows help
            if isinstance(end.__context__, BrokenPipeError):
                raise typer.Exit(Exit.CLOSED_PIPE) from None
            raise
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if hasattr(error, "format_message"):  # about how the command line was used
                self._answer_usage(error)
            if os.environ.get("JACOBEIG_TRACEBACK"):
                stderr.print_exception()
            self._fail(*explain(error))

    def _answer_usage(self, error: Any) -> NoReturn:
        if type(error).__name__ == "NoArgsIsHelpError":
            with self._answer_failures():
                error.show()
            raise typer.Exit(error.exit_code)
        context = getattr(error, "ctx", None)
        names = getattr(getattr(error, "param", None), "opts", ())
        said = explain_usage(error.format_message(), names, self._arguments)
        try_it = " Try" if said.endswith("?") else ": try"
        message = said + ("." if context is None else f"{try_it} `{context.command_path} --help`.")
        self._fail(message, error.exit_code)

    def _fail(self, message: str, code: int) -> NoReturn:
        try:
            fail(message, code, command=self._command, as_json=self._as_json)
        except OSError:  # standard output is full or closed, which may be what the message is about
            discard_output()
        raise typer.Exit(code)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        stdout.print(f"jacobeig {__version__}")
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
