"""`certify`: how far vectors are from the best possible."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from jacobeig._arguments import check_boolean, check_choice, check_time_limit
from jacobeig._types import Effort, Indices
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._refine import refine_source
from jacobeig.refinement._threads import one_blas_thread
from jacobeig.refinement.certificates._branching import Branched, can_branch, prove_supports
from jacobeig.refinement.certificates._cases import prove_by_cases
from jacobeig.refinement.certificates._certificate import Certificate, fingerprint_source, take_fingerprint
from jacobeig.refinement.certificates._dropping import Dropping, drop_features
from jacobeig.refinement.certificates._multipliers import Multipliers
from jacobeig.refinement.certificates._problem import Asked, BoundProblem, WideProblem, define_bound, define_wide
from jacobeig.refinement.certificates._proof import prove_bound
from jacobeig.refinement.certificates._samples import bound_samples, prove_by_samples
from jacobeig.refinement.certificates._search import count_steps, search_bound
from jacobeig.refinement.certificates._settle import Settled, choose_union
from jacobeig.results.metrics import captured_variance
from jacobeig.results.progress import progress_bar
from jacobeig.sources import DenseRows, as_source

BEST_STEPS = 3  # times as many as a quick search takes
SEEDS = 4  # of the search for better vectors: on digits (p = 10, k = 6) they came to 749.3, 749.9, 750.3 and 750.3
VECTORS_SHARE = 0.3  # of the time left for better vectors, for each seed
PROOF = ("Z", "B", "nu", "Q", "s", "mu")
QUICK_PRODUCTS = 2e9  # what m^2 n may be for each second, where m samples of n features are decomposed and it is proved
PROVED = 1e-4  # the gap at which vectors are as good as optimal


def certify(
    matrix: Any,
    result: Any = None,
    *,
    n_components: int | None = None,
    max_nonzeros: int | None = None,
    density: float | None = None,
    which: Literal["LA", "SA"] = "LA",
    orthonormal: bool | None = None,
    effort: Effort = "quick",
    time_limit: float | None = None,
    progress: bool = False,
) -> Certificate:
    """Bound what any orthonormal vectors within the same budgets can capture: how far a result is from the best.

    Parameters
    ----------
    matrix : as for `sparse_eigsh`
        The real symmetric matrix. Up to 1,500 rows it is decomposed some hundred times; beyond, once, for a weaker
        bound (`kind` is "union"), and not even formed where it is a `GramRows` of fewer samples than features.
    result : EigenResult, fitted estimator or array_like (n, p), optional
        The vectors to certify, one per column; `JacobiPCA.certify` takes the data in place of the matrix. Without it
        give `n_components` and a budget, and only the bound is computed.
    n_components : int, optional
        How many vectors; by default as many as `result` has.
    max_nonzeros : int, optional
        Nonzeros in each vector at most. By default, if no `density` is given either, as many as each vector of `result`
        has; if these differ, the budget is their sum.
    density : float, optional
        The nonzeros of all vectors together are at most ``density * n * p``.
    which : {"LA", "SA"}, default "LA"
        The end of the spectrum; a result knows its own.
    orthonormal : bool, optional
        Whether the bound is for orthonormal vectors only; by default if those of `result` are. For all bases only a
        part of it holds (`kind` is "union").
    effort : {"quick", "best"}, default "quick"
        One relaxation; or, for small problems, cases told apart until the gap is at most 1e-4 or time is up, with
        better vectors if any are found.
    time_limit : float, optional
        Seconds after which the best bound so far is returned.
    progress : bool, default False
        Show a progress bar.

    Returns
    -------
    Certificate
        With `bound`, `gap`, the multipliers that prove it, `verify`, `save` and `load`.

    Notes
    -----
    Every bound is proved by the multipliers in the certificate, so a search that was cut short is only less tight.
    See the documentation's page on certificates for the bound and its proof.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> S = np.diag([4.0, 3.0, 2.0, 1.0]) + 0.5
    >>> certificate = je.certify(S, je.sparse_eigsh(S, 2, max_nonzeros=2, refine=True))
    >>> bool(certificate.captured <= certificate.bound <= np.linalg.eigvalsh(S)[-2:].sum() + 1e-9)
    True
    """
    check_choice("effort", effort, ("quick", "best"))
    check_boolean("progress", progress)
    asked = Asked(
        result=result, n_components=n_components, max_nonzeros=max_nonzeros, density=density, which=which,
        orthonormal=orthonormal,
    )  # fmt: skip
    time_limit, source = check_time_limit(time_limit), as_source(matrix)
    clock = Clock(time_limit)
    wide = define_wide(source, asked)
    if wide is not None:
        with one_blas_thread():
            return _certify_wide(wide, clock)
    problem = define_bound(source, asked)
    with one_blas_thread(), progress_bar("certifying", count_steps(len(problem.S)), enabled=progress) as show:
        if effort == "best":
            return _certify_best(problem, clock, show)
        return wrap_bound(problem, search_bound(problem.S, problem.budgets, clock, tell=show).multipliers, clock)


def _certify_wide(problem: WideProblem, clock: Clock) -> Certificate:
    """Bound what data of many features and few samples allow, without a matrix of features by features."""
    (m, n), budgets = problem.Y.shape, problem.budgets
    if clock.limit is not None and m * m * n > QUICK_PRODUCTS * (clock.limit - clock.seconds):
        variances = np.einsum("ij,ij->j", problem.Y, problem.Y)[np.newaxis]
        found = choose_union(budgets, np.ones(1), variances, 0.0).multipliers  # nu = 0: the largest variances alone
    else:
        found = bound_samples(problem.Y, budgets).multipliers
    return Certificate(
        bound=prove_by_samples(problem.Y, budgets, found.nu, found.s, found.mu),
        captured=problem.captured,
        seconds=clock.seconds,
        kind="union",
        budgets=budgets,
        which="LA",
        vectors=problem.vectors,
        fingerprint=fingerprint_source(problem.source),
        **{name: getattr(found, name) for name in PROOF},
    )


def _certify_best(problem: BoundProblem, clock: Clock, show: Callable[[int], None]) -> Certificate:
    """Look for better vectors, and tell cases apart where there are few enough, or solve the relaxation further."""
    S, budgets, small = problem.S, problem.budgets, can_branch(len(problem.S), problem.budgets)
    root = search_bound(S, budgets, clock, tell=show)
    # On small problems the cases that cannot be ruled out lead to better vectors by themselves.
    problem = _improve_vectors(problem, root.bound, 1 if small else SEEDS, clock)
    certificate = wrap_bound(problem, root.multipliers, clock)
    if _is_proved(problem, root.bound) or clock.expired or problem.vectors is None:
        return certificate
    if small:
        return min(certificate, _prove_cases(problem, root, clock), key=_measure_gap)
    return min(certificate, _search_further(problem, root, clock, show), key=_measure_gap)


def _prove_cases(problem: BoundProblem, root: Settled, clock: Clock) -> Certificate:
    """Tell cases apart, which may find better vectors."""
    vectors = as_columns(problem.vectors)
    found = prove_supports(problem.S, problem.budgets, root, vectors.toarray(), clock)
    if problem.captured is None or found.captured > problem.captured:
        problem = replace(problem, vectors=sparse.csc_array(found.vectors), captured=found.captured)
    by_root, by_cases = wrap_bound(problem, root.multipliers, clock), _wrap_cases(problem, found, clock)
    return min(by_root, by_cases, key=_measure_gap)


def _search_further(problem: BoundProblem, root: Settled, clock: Clock, show: Callable[[int], None]) -> Certificate:
    """Drop the features that no better vectors use, and solve what is left further, or by cases if it is small now."""
    U = as_columns(problem.vectors).toarray()
    dropping = drop_features(problem.S, problem.budgets, root.multipliers, U, float(np.sum(U * (problem.S @ U))))
    rest = problem if dropping is None else _restrict(problem, dropping.kept)
    steps = BEST_STEPS * count_steps(len(rest.S))
    found = search_bound(rest.S, rest.budgets, clock, steps=steps, tell=show)
    certificate = wrap_bound(rest, found.multipliers, clock)
    if dropping is None:
        return certificate
    if can_branch(len(rest.S), rest.budgets) and not clock.expired:
        certificate = min(certificate, _prove_cases(rest, found, clock), key=_measure_gap)
    return _lift(problem, dropping, certificate)


def _restrict(problem: BoundProblem, kept: Indices) -> BoundProblem:
    """Return the problem on some of the features, which its vectors do not leave."""
    return replace(
        problem, S=problem.S[np.ix_(kept, kept)], vectors=sparse.csc_array(as_columns(problem.vectors)[kept])
    )


def _lift(problem: BoundProblem, dropping: Dropping, certificate: Certificate) -> Certificate:
    """Return a certificate of the kept features as one of all, with what proves the others useless."""
    vectors = as_columns(certificate.vectors)
    n, p = len(problem.S), vectors.shape[1]
    whole = sparse.csc_array((vectors.data, dropping.kept[vectors.indices], vectors.indptr), shape=(n, p))
    others = dropping.prove(problem.S) / problem.factor
    return replace(
        certificate,
        bound=min(certificate.bound, others) if problem.factor < 0.0 else max(certificate.bound, others),
        vectors=whole,
        fingerprint=take_fingerprint(problem.S / problem.factor),
        dropping=dropping.times(1.0 / abs(problem.factor)),
    )


def as_columns(vectors: sparse.csc_array | None) -> sparse.csc_array:
    """Return vectors that are known to be there."""
    if vectors is None:
        raise AssertionError("a search for better vectors finds some")
    return vectors


def _improve_vectors(problem: BoundProblem, bound: float, seeds: int, clock: Clock) -> BoundProblem:
    """Return the problem with the best vectors that refinement finds, from several seeds, in a share of the time."""
    for seed in range(seeds):
        left = None if clock.limit is None else VECTORS_SHARE * (clock.limit - clock.seconds)
        if _is_proved(problem, bound) or clock.expired:
            break
        vectors = _refine_from(problem, seed, left)
        captured = captured_variance(problem.S, vectors)
        if problem.captured is None or captured > problem.captured:
            problem = replace(problem, vectors=vectors, captured=captured)
    return problem


def _is_proved(problem: BoundProblem, bound: float) -> bool:
    """Whether the vectors are as good as optimal already."""
    return problem.captured is not None and bound - problem.captured <= 0.5 * PROVED * abs(problem.captured)


def _refine_from(problem: BoundProblem, seed: int, time_limit: float | None) -> sparse.csc_array:
    """Refine the best vectors known, or unit vectors where there are none."""
    S, budgets = problem.S, problem.budgets
    largest = np.argsort(-S.diagonal())[: budgets.n_components]
    start = sparse.csc_array(np.eye(len(S))[:, largest]) if problem.vectors is None else problem.vectors
    found = refine_source(
        DenseRows(S), start, np.ones(budgets.n_components), factor=1.0, whole=len(S), nonzeros=budgets.largest_union,
        max_nonzeros=budgets.max_nonzeros, orthonormal=not budgets.free, effort="best", time_limit=time_limit,
        rng=np.random.default_rng(seed),
    )  # fmt: skip
    return found.vectors


def _measure_gap(certificate: Certificate) -> float:
    return float("inf") if certificate.gap is None else certificate.gap


def wrap_bound(problem: BoundProblem, multipliers: Multipliers, clock: Clock) -> Certificate:
    """Make a certificate whose bound is the one that its multipliers prove."""
    bound = prove_bound(problem.S, problem.budgets, multipliers)
    return _make(problem, clock, bound, _name_kind(multipliers), multipliers)


def _wrap_cases(problem: BoundProblem, found: Branched, clock: Clock) -> Certificate:
    """Make a certificate by cases, whose bound is the one that its covers prove."""
    n, p = len(problem.S), problem.budgets.n_components
    bound = prove_by_cases(problem.S, p, problem.budgets.max_nonzeros, found.covers, found.s, found.bound)
    prices = replace(Multipliers.trivial(n, 0.0), s=found.s)
    return _make(problem, clock, bound, "supports", prices, covers=found.covers / abs(problem.factor))


def _make(
    problem: BoundProblem, clock: Clock, bound: float, kind: str, multipliers: Multipliers, **more: Any
) -> Certificate:
    """Return the certificate of the matrix given, whose problem is `factor` times as large."""
    factor, given = problem.factor, multipliers.times(1.0 / abs(problem.factor))
    return Certificate(
        bound=bound / factor,
        captured=None if problem.captured is None else problem.captured / factor,
        seconds=clock.seconds,
        kind=kind,
        budgets=problem.budgets,
        which="SA" if factor < 0.0 else "LA",
        vectors=problem.vectors,
        fingerprint=take_fingerprint(problem.S / factor),
        **{name: getattr(given, name) for name in PROOF},
        **more,
    )


def _name_kind(multipliers: Multipliers) -> str:
    if multipliers.Z.any():
        return "pairs" if multipliers.Q is None else "features"
    return "union" if multipliers.Q is not None or multipliers.s.any() else "spectrum"
