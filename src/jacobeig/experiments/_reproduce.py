"""Make the figures that are asked for, with the data that can be had."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from threadpoolctl import threadpool_limits

from jacobeig import datasets
from jacobeig._arguments import find_closest
from jacobeig._types import PathLike
from jacobeig.datasets import Digits
from jacobeig.errors import InvalidInputError, InvalidTypeError, MissingDataError, MissingExtraError
from jacobeig.experiments import eigenvalues, fronts, laplacians, many_rotations, random_matrices, usps_knn
from jacobeig.experiments._figure import Figure, Outcome, write
from jacobeig.results.progress import progress_bar

FIGURES: Mapping[str, Figure] = MappingProxyType(
    {
        figure.name: figure
        for module in (random_matrices, many_rotations, eigenvalues, laplacians, usps_knn, fronts)
        for figure in module.FIGURES
    }
)


def reproduce(
    names: Iterable[str] = (),
    output: PathLike = "figures",
    *,
    quick: bool = False,
    usps: PathLike | None = None,
    mnist: PathLike | None = None,
    progress: bool = False,
) -> list[Outcome]:
    """Make figures of the paper: a png, an svg, a csv of every number drawn, and a sentence (txt) for each.

    Parameters
    ----------
    names : iterable of str, optional
        Names in `FIGURES`; all of them by default.
    output : path-like, default "figures"
        The folder to write to; made if it is not there.
    quick : bool, default False
        Fewer random matrices and less time for branch and bound: minutes in all, where the full set takes under half an
        hour.
    usps, mnist : path-like, optional
        Files of the images (see `datasets.load_usps` and `load_mnist`). Without one scikit-learn tries to fetch it.
    progress : bool, default False
        Show a progress bar.

    Returns
    -------
    list of Outcome
        One per figure. When all are made, those whose data cannot be had are skipped and say why; a figure that was
        asked for by name raises `MissingDataError` instead, before anything is computed.

    Examples
    --------
    >>> import jacobeig as je
    >>> (outcome,) = je.experiments.reproduce(["eigenvalues"], "figures", quick=True)
    >>> [path.suffix for path in outcome.files]
    ['.png', '.svg', '.csv', '.txt']
    """
    asked = _check_names(names)
    figures = [FIGURES[name] for name in asked or FIGURES]
    files = {"usps": usps, "mnist": mnist}
    data = {name: _load(name, files[name], required=bool(asked)) for figure in figures for name in figure.needs}
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {figure.name: figure.quick if quick else figure.full for figure in figures}
    total = sum(sizes[figure.name].n_steps for figure in figures if not _explain(figure, data))
    outcomes, done = [], 0
    # The matrices are small, and on one thread the bits are the same on any number of cores.
    with progress_bar("figures", total, enabled=progress) as show, threadpool_limits(limits=1, user_api="blas"):

        def step() -> None:
            nonlocal done
            done += 1
            show(done)

        for figure in figures:
            if reason := _explain(figure, data):
                outcomes.append(Outcome(name=figure.name, files=(), sentence=f"Skipped: {reason}", skipped=True))
                continue
            images = data[figure.needs[0]] if figure.needs else None
            outcomes.append(write(figure, figure.measure(sizes[figure.name], images, step), folder))
    return outcomes


def _check_names(names: Iterable[str]) -> list[str]:
    """Return the names once each, or raise for an unknown one."""
    asked = [names] if isinstance(names, str) else list(names)
    for name in asked:
        if not isinstance(name, str):
            raise InvalidTypeError(f"names holds {name!r} ({type(name).__name__}); give names of figures.")
        if name not in FIGURES:
            close = find_closest(name, list(FIGURES))
            hint = f"there are {', '.join(FIGURES)}." if close is None else f"did you mean {close!r}?"
            raise InvalidInputError(f"there is no figure {name!r}: {hint}")
    return list(dict.fromkeys(asked))


def _load(name: str, path: PathLike | None, *, required: bool) -> Digits | str:
    """Return the images, or why they cannot be had where they may be done without."""
    load = {"usps": datasets.load_usps, "mnist": datasets.load_mnist}[name]
    try:
        return load(path)
    except (MissingDataError, MissingExtraError) as error:
        if required or path is not None:
            raise
        return str(error)


def _explain(figure: Figure, data: Mapping[str, Digits | str]) -> str:
    """Return why a figure must be skipped; nothing if it can be made."""
    missing = (data[name] for name in figure.needs)
    return next((reason for reason in missing if isinstance(reason, str)), "")
