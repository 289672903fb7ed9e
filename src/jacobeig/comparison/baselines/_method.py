"""What makes a function a baseline: one signature, one check, one clock and one record for all."""

import functools
import inspect
from collections.abc import Callable
from time import perf_counter
from typing import Any, Concatenate, ParamSpec, Protocol

from jacobeig._docs import fill_docs
from jacobeig._extras import import_extra
from jacobeig.comparison.baselines._record import BaselineResult, Found, record
from jacobeig.comparison.baselines._task import Task, make_generator, read_task
from jacobeig.errors import InvalidInputError, JacobeigError

__all__ = ["Found", "Task", "baseline", "make_generator"]

Options = ParamSpec("Options")
# What every docstring begins and ends its parameters with, and those that several methods have.
ASKED = """
Parameters
----------
matrix : (n, n) array or sparse matrix
    Real symmetric.
n_components, max_nonzeros : int
    Number of components, and the largest number of nonzeros of each.
"""
SHARED_OPTIONS = {
    "rng": """
rng : Generator or int, optional
    Source of what is random; the same by default.""",
    "deflation": """
deflation : str
    How a component is removed before the next: a name in `jacobeig.baselines.deflation.DEFLATIONS`.""",
}
RETURNED = """

Returns
-------
BaselineResult
    Vectors of unit norm and their Rayleigh quotients.
"""
EXAMPLE = """
Examples
--------
>>> import numpy as np
>>> from jacobeig.comparison.baselines import {name}
>>> {name}(np.diag([1.0, 2.0, 3.0]) + 0.5, 1, 2).eigenvalues.round(4)
array([3.7071])
"""


class Baseline(Protocol[Options]):
    """A method of the literature as it is called."""

    __name__: str

    def __call__(
        self,
        matrix: Any,
        n_components: int,
        max_nonzeros: int | None = None,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> BaselineResult: ...


def baseline(
    *, semidefinite: bool = False, needs: str | None = None, budget: bool = True
) -> Callable[[Callable[Concatenate[Task, Options], Found]], Baseline[Options]]:
    """Return a decorator that makes ``find(task, *, options)`` a baseline of the same name and options.

    `semidefinite` refuses other matrices; `needs` is a module of an optional package; without
    `budget` the nonzeros need not be given, and are then unlimited.
    """

    def decorate(find: Callable[Concatenate[Task, Options], Found]) -> Baseline[Options]:
        name = find.__name__

        @functools.wraps(find, assigned=("__module__", "__name__", "__qualname__"))
        def method(
            matrix: Any,
            n_components: int,
            max_nonzeros: int | None = None,
            *args: Options.args,
            **options: Options.kwargs,
        ) -> BaselineResult:
            task = read_task(matrix, n_components, max_nonzeros, budget=budget)
            if semidefinite:
                task.require_semidefinite(name)
            if needs is not None:
                import_extra(needs)  # before the clock starts
            started = perf_counter()
            try:
                found = find(task, *args, **options)
            except (ValueError, ArithmeticError, RuntimeError) as error:
                if needs is None or isinstance(error, JacobeigError):
                    raise
                raise InvalidInputError(
                    f"{needs.partition('.')[0]} could not do it ({error}): choose another method."
                ) from error
            return record(name, task, found, started)

        method.__signature__ = sign = _sign(method, find, budget=budget)  # type: ignore[attr-defined]  # for inspect
        own = find.__doc__ or ""
        shared = [name for name in SHARED_OPTIONS if name in sign.parameters and f"{name} :" not in own]
        returned = "".join(SHARED_OPTIONS[name] for name in shared) + RETURNED
        method.__doc__ = fill_docs(own, asked=ASKED, returned=returned, example=EXAMPLE.format(name=name))
        return method

    return decorate


def _sign(method: Callable[..., Any], find: Callable[..., Any], *, budget: bool) -> inspect.Signature:
    """Return the signature that users see: the shared arguments, then the options of `find`."""
    shared = list(inspect.signature(method, follow_wrapped=False).parameters.values())[:3]
    if budget:
        shared[2] = shared[2].replace(default=inspect.Parameter.empty, annotation=int)
    options = list(inspect.signature(find).parameters.values())[1:]
    return inspect.Signature([*shared, *options], return_annotation=BaselineResult)
