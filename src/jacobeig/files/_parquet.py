"""Parquet files, by pandas and pyarrow."""

from pathlib import Path

from jacobeig.errors import MissingExtraError
from jacobeig.files._content import Wanted, explain_damage
from jacobeig.files._sheet import Sheet, import_pandas


def read_parquet(file: Path, wanted: Wanted) -> Sheet:
    """Return the columns of a parquet file; an index comes first."""
    pandas = import_pandas()
    try:
        import pyarrow as pa  # noqa: F401  # pandas would name other engines that we do not want
    except ImportError as error:
        raise MissingExtraError("pyarrow", "files") from error
    with explain_damage(file, "a parquet file"):
        frame = pandas.read_parquet(file, engine="pyarrow")
        names = [str(name) for name in frame.columns]
        if not isinstance(frame.index, pandas.RangeIndex):
            names = ["" if frame.index.name is None else str(frame.index.name), *names]
            frame = frame.reset_index()
        return Sheet.of(frame, names)
