"""Names for what has none."""

from collections.abc import Iterable

__all__ = ["name_features"]


def name_features(names: Iterable[object] | None, n: int, what: str = "column") -> list[str]:
    """Return names as strings; features without are numbered from 1."""
    return [f"{what} {t + 1}" for t in range(n)] if names is None else [str(name) for name in names]
