"""A page that was written: a path that a notebook shows as the page itself."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

HEIGHT = 760  # pixels; the page scrolls within

if TYPE_CHECKING:
    _SystemPath = Path
else:
    _SystemPath = type(Path())  # which can be extended; Path itself cannot before Python 3.12


class WrittenPage(_SystemPath):
    """The path of a page; at the end of a notebook's cell it is shown as the page, which needs no server."""

    def _repr_html_(self) -> str:
        page = escape(self.read_text(encoding="utf-8"), quote=True)
        return (
            f"<p>{escape(str(self))}</p>"
            f'<iframe srcdoc="{page}" width="100%" height="{HEIGHT}" style="border:1px solid #ddd"></iframe>'
        )
