"""Optional packages: which extra brings each, and the one way to load one or say what to install."""

from importlib import import_module
from typing import Any

from jacobeig.errors import MissingExtraError

# The extras of pyproject.toml, by what is imported.
EXTRAS = {
    "abess": "baselines",
    "dask": "dask",
    "h5py": "files",
    "matplotlib": "plot",
    "networkx": "graph",
    "pandas": "cli",
    "plotly": "report",
    "pyarrow": "files",
    "rich": "cli",
    "sklearn": "pca",
    "xarray": "xarray",
}
DISTRIBUTIONS = {"sklearn": "scikit-learn"}  # where they are called otherwise than the package


def import_extra(module: str) -> Any:
    """Return a module of an optional package, or raise saying which extra to install."""
    package = module.partition(".")[0]
    try:
        import_module(package)  # also where a part of it was loaded before
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(DISTRIBUTIONS.get(package, package), EXTRAS[package]) from error
