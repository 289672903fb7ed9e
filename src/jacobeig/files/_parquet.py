"""Parquet files, by pandas and pyarrow."""

from pathlib import Path

from jacobeig._extras import import_extra
from jacobeig.files._checks import explain_damage, refuse_key
from jacobeig.files._content import Wanted
from jacobeig.files._sheet import Sheet


def read_parquet(file: Path, wanted: Wanted) -> Sheet:
    """Return the columns of a parquet file; an index comes first."""
    refuse_key(file, wanted.key)
    pandas = import_extra("pandas")
    import_extra("pyarrow")  # pandas would name other engines that we do not want
    with explain_damage(file, "a parquet file"):
        frame = pandas.read_parquet(file, engine="pyarrow")
        names = [str(name) for name in frame.columns]
        if not isinstance(frame.index, pandas.RangeIndex):
            names = ["" if frame.index.name is None else str(frame.index.name), *names]
            frame = frame.reset_index()
        return Sheet.of(frame, names)
