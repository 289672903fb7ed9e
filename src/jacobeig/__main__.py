"""Entry point of the `jacobeig` command: says what to install when the command line's extra is missing."""

import sys

from jacobeig.errors import MissingExtraError

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        from jacobeig.cli import app
    except ImportError as error:
        sys.exit(str(MissingExtraError(error.name or "typer", "cli")))
    except KeyboardInterrupt:  # while libraries are still being loaded
        sys.exit(130)
    app()


if __name__ == "__main__":
    main()
