"""What commands say of a table, and try on it, before they solve: by its size and by how its features vary."""

import math
from typing import Any

import jacobeig as je
from jacobeig.cli._output import Session
from jacobeig.cli._wording import plural
from jacobeig.errors import InvalidInputError, Mention

# So few features with so much of the variance dominate: 99.8% of wine's is proline's, 99% of cells' are two areas'; one
# with 94% among six leaves nothing else to the first component either. Iris (68%) and digits are well below.
DOMINATING, MOST_DOMINATING = 0.8, 5
# Up to this many features each method takes seconds at each density, measured on 60 samples and one core: at 1,000
# features `tpower` takes 0.4 s and `free` 2 s, at 3,000 `tpower` 7 s at 2% and more where denser, at 5,000 `free` 10 s
# at 2%. Of many features few nonzeros are of interest, and refinement with hundreds of them a component takes long.
METHODS = {"paper": 10_000, "chain": 10_000, "threshold": 5_000, "refine": 5_000, "free": 2_000, "tpower": 1_000,
           "gpower": 1_000, "bound": 300}  # fmt: skip
MOST_COMPARED = 5_000  # beyond, the covariance and its exact eigenvalues alone take minutes
# The densities that are of interest, up to so many features.
SHARES = {1_000: (0.02, 0.05, 0.1, 0.2, 0.5), 3_000: (0.002, 0.005, 0.01, 0.02), math.inf: (0.001, 0.002, 0.005, 0.01)}


def check_table(table: "je.files.Table") -> None:
    """Raise, in the words of the table, for what the library would refuse in its own."""
    n_samples, n_features = table.values.shape
    if n_samples < 2 or n_features < 2:
        raise InvalidInputError(
            f"the table has {plural(n_samples, 'row')} and {plural(n_features, 'column')} of numbers; principal "
            "components need at least two of both."
        )


def note_if_dominated(session: Session, table: "je.files.Table", *, scaled: bool) -> None:
    """Say so if a few features have almost all the variance, so that components are little else than they."""
    from jacobeig._arguments import list_names

    m, n = table.values.shape
    if m == n:  # perhaps a matrix of covariances
        return
    variances = _measure_variances(table)
    total = float(variances.sum())
    if total == 0.0:
        session.note("No feature varies, so there is nothing to explain.")
    if scaled or total <= 0.0:
        return
    order = (-variances).argsort(kind="stable")
    shares = variances[order].cumsum() / total
    count = int(shares.searchsorted(DOMINATING)) + 1
    if count > min(MOST_DOMINATING, max(1, n // 10)) or n == count:
        return
    names = [_name_feature(table, int(t)) for t in order[:count]]
    has = "has" if count == 1 else "have"
    session.note(
        f"{list_names(names)} {has} {shares[count - 1]:.1%} of all variance, so the first components are little else. "
        "If the features have different units, --scale gives them equal weight."
    )


def _measure_variances(table: "je.files.Table") -> Any:
    """Return the variances of the features, but for a common factor, or raise in the words of the table."""
    try:
        return je.sources.GramRows(table.values).diagonal()
    except InvalidInputError as error:  # they overflow
        sizes = abs(table.values).max(axis=0)
        sizes = sizes.toarray().ravel() if je.files.is_sparse(table.values) else sizes
        name = _name_feature(table, int(sizes.argmax()))
        raise InvalidInputError(
            f"column {name!r} has entries up to {sizes.max():.3g}, too large for their squares to be added:",
            advice="divide it by a power of ten, or leave it out with " + Mention("drop", name) + ".",
        ) from error


def _name_feature(table: "je.files.Table", position: int) -> str:
    return f"column {position + 1}" if table.features is None else table.features[position]


def choose_methods(n: int) -> tuple[list[str], list[str]]:
    """Return the methods that take seconds for n features, and those left out because they would not."""
    return [name for name, most in METHODS.items() if n <= most], [name for name, most in METHODS.items() if n > most]


def choose_shares(n: int) -> tuple[float, ...]:
    """Return the densities that are of interest for n features."""
    return next(shares for most, shares in SHARES.items() if n <= most)
