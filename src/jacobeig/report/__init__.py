"""The explorer: a result or a fitted estimator as one HTML page that works offline.

>>> import pathlib, tempfile
>>> import jacobeig as je
>>> result = je.sparse_eigsh(je.datasets.random_covariance(16, rng=0), 3)
>>> with tempfile.TemporaryDirectory() as folder:
...     je.report(result, pathlib.Path(folder) / "explorer.html", shape=(4, 4)).name
'explorer.html'
"""

import sys
from types import ModuleType

from jacobeig.report._report import report

__all__ = ["report"]


class _CallableModule(ModuleType):
    """Importing this package puts it where `jacobeig.report` is looked up, so it must do what the function does."""

    __call__ = staticmethod(report)


sys.modules[__name__].__class__ = _CallableModule
