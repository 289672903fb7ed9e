"""Plain data in, one HTML page out that asks for nothing else."""

import base64
import hashlib
import html
import json
import re
import zlib
from functools import cache
from importlib.resources import files
from typing import Any

from jacobeig._extras import import_extra
from jacobeig._version import __version__

SCRIPTS = ("charts.js", "reading.js", "explorer.js")


def build_page(data: dict[str, Any]) -> str:
    """Return the page that shows the data; its policy lets no request out, and no script run but its own."""
    (library, digest), script = _read_library(), "".join(map(_read_part, SCRIPTS))
    pieces = {
        "policy": f"default-src 'none'; script-src 'sha256-{digest}' 'sha256-{_digest(script)}'; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'",
        "title": html.escape(data["title"]),
        "version": html.escape(__version__),
        "style": _read_part("explorer.css"),
        "data": _embed(data),
        "library": library,
        "script": script,
    }
    # In one pass, so that nothing in the data is taken for a place to fill.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: pieces[match[1]], _read_part("template.html"))


def _embed(data: dict[str, Any]) -> str:
    """Return JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.encode("utf-8", "backslashreplace").decode()  # lone surrogates have no UTF-8; JSON reads their escape
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _read_part(name: str) -> str:
    return files("jacobeig.explorer").joinpath(name).read_text(encoding="utf-8")


@cache
def _read_library() -> tuple[str, str]:
    """Return the plotting library, packed, and the digest of its text."""
    text: str = import_extra("plotly.offline").get_plotlyjs()
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode("ascii"), _digest(text)
