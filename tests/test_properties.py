"""What must hold for every matrix: checked against the reference and against the definitions."""

import numpy as np
import pytest
import tolerances
from equality import assert_same
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matrices import GENERIC, SEEDS, SPECIAL, matrices, starts, targets
from reference import RULES, Reference

import jacobeig as je

WHICH = ("LA", "SA", "BE")
TARGETS = ("ones", "log", "adaptive", "array")
# These stop at the first pivot that would pass a density; "gain_per_nonzero" passes it over.
PREFIX_RULES = ("gain", "offdiagonal", "classic", "cyclic", "random")

# For tests that are run for every combination of rules and targets.
few = settings(max_examples=settings().max_examples // 4)


@st.composite
def cases(draw, which, target, kinds=GENERIC + SPECIAL):
    """A matrix and the options of a run on it."""
    S = draw(matrices(kinds))
    p = draw(st.integers(1, len(S)))
    options = {"which": which, "target": draw(targets(p, which, target)), "start": draw(starts(len(S), p))}
    return S, p, options


any_case = st.sampled_from([(w, t) for w in WHICH for t in TARGETS]).flatmap(lambda wt: cases(*wt))
generic_case = st.sampled_from([(w, t) for w in WHICH for t in TARGETS]).flatmap(lambda wt: cases(*wt, kinds=GENERIC))


def reference_of(S, p, result, pivot, options):
    """The reference of a run; pivoted Cholesky, which has its own test, gives it the seeds."""
    start = result.trail.seeds.tolist() if options["start"] == "cholesky" else options["start"]
    return Reference(S, p, pivot=pivot, which=options["which"], target=options["target"], start=start)


def slack(reference, score, steps):
    """How far below the best a chosen score may be: a tie, or the rounding of the entries it is made of."""
    entry = tolerances.rounding(reference.U, steps) * np.abs(reference.S).max()
    weights = 1.0 if reference.pivot in ("offdiagonal", "classic") else np.ptp(np.append(reference.A, 0.0))
    return tolerances.TIE * score + entry * weights


def skipped_pairs(reference, before, chosen):
    """The pairs that a cyclic sweep passes between two pivots."""
    pairs = reference.pairs()
    begin = 0 if before is None else pairs.index(before) + 1
    ring = pairs[begin:] + pairs[:begin]
    return ring[: ring.index(chosen)]


def check_choice(reference, pair, before, steps):
    """The pivot is one that the rule allows."""
    scores = reference.scores()
    assert pair in scores
    top = max(scores.values())
    if reference.pivot == "random":
        assert scores[pair] > -slack(reference, top, steps)
    elif reference.pivot == "cyclic":
        passed = [scores[other] for other in skipped_pairs(reference, before, pair)]
        assert max(passed, default=0.0) <= slack(reference, top, steps)
    else:
        assert scores[pair] >= top - slack(reference, top, steps)


def follow(reference, result):
    """Lead the reference along the library's pivots, checking every choice; its gains.

    Where nothing but rounding noise is left, the supports that it makes may differ, and so what a nonzero costs.
    """
    gains, before, noise = [], None, False
    for step, pair in enumerate(map(tuple, result.rotations.pivots.tolist())):
        noise = noise or reference.best()[1] <= slack(reference, 0.0, step)
        if not (noise and reference.pivot == "gain_per_nonzero"):
            check_choice(reference, pair, before, step)
        raised = pair[0] if result.trail.shifts[step] > 0 else pair[1]
        gains.append(reference.rotate(*pair, raised))
        before = pair
    return np.array(gains)


@pytest.mark.parametrize("pivot", RULES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("which", WHICH)
def test_every_pivot_gain_and_eigenvalue_is_that_of_the_reference(which, target, pivot):
    @few
    @given(case=cases(which, target), k=st.integers(0, 40), rng=SEEDS)
    def check(case, k, rng):
        S, p, options = case
        result = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, rng=rng, **options)
        reference = reference_of(S, p, result, pivot, options)
        gains = follow(reference, result)
        error = tolerances.rounding(S, k)
        largest_weight = max(1.0, np.abs(reference.alpha).max(), np.abs(reference.A).max())
        if pivot != "classic":
            np.testing.assert_allclose(result.gains, gains, rtol=tolerances.TIE, atol=error * largest_weight)
        values = np.sort(np.diag(reference.S).real[reference.coordinates()])
        np.testing.assert_allclose(np.sort(result.eigenvalues), values, rtol=0, atol=error)
        if result.n_rotations < k:
            assert result.status is je.Status.CONVERGED
            reference.pivot = "gain" if pivot == "gain_per_nonzero" else pivot
            top = max(reference.scores().values(), default=0.0)
            assert top <= slack(reference, top, k)

    check()


@pytest.mark.parametrize("pivot", RULES)
def test_the_vectors_of_generic_matrices_are_those_of_the_reference_up_to_phase(pivot):
    @given(case=generic_case, k=st.integers(0, 12), rng=SEEDS)
    def check(case, k, rng):
        S, p, options = case
        result = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, rng=rng, **options)
        reference = reference_of(S, p, result, pivot, options)
        follow(reference, result)
        if result.status is je.Status.CONVERGED:
            return  # the last angles are rounding noise
        expected = reference.U[:, result.rotations.coordinates]
        overlap = np.abs(np.sum(expected.conj() * result.vectors.toarray(), axis=0))
        np.testing.assert_allclose(overlap, 1.0, rtol=0, atol=1e-10)

    check()


@pytest.mark.parametrize("pivot", RULES)
def test_each_gain_is_the_rise_of_the_weighted_trace(pivot):
    @given(case=any_case, k=st.integers(1, 25), rng=SEEDS)
    def check(case, k, rng):
        S, p, options = case
        result = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, rng=rng, **options)
        for q in range(result.n_rotations):
            before, after = result.truncate(q), result.truncate(q + 1)
            if pivot == "classic":  # the weights go to the best columns, whichever they are
                rise = weighted_trace(S, after, after.target) - weighted_trace(S, before, before.target)
            else:
                weights = dict(zip(before.rotations.coordinates, before.target, strict=True))
                same = [weights[c] for c in after.rotations.coordinates]
                rise = weighted_trace(S, after, same) - weighted_trace(S, before, before.target)
            scale = max(1.0, np.abs(before.target).max()) * tolerances.norm_of(S)
            assert abs(result.gains[q] - rise) <= tolerances.GAIN * scale

    check()


def weighted_trace(S, result, weights):
    """tr(A U^H S U), from the vectors alone."""
    U = result.vectors.toarray()
    return float(np.sum(np.asarray(weights) * np.sum(U.conj() * (S @ U), axis=0).real))


@pytest.mark.parametrize("pivot", RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_vectors_are_orthonormal_and_eigenvalues_are_their_rayleigh_quotients_in_order(pivot, dtype):
    @few
    @given(case=any_case, k=st.integers(0, 60), rng=SEEDS)
    def check(case, k, rng):
        S, p, options = case
        S = (S if np.dtype(dtype).kind == "c" else S.real).astype(dtype)
        result = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, rng=rng, **options)
        U = result.vectors.toarray().astype(np.result_type(dtype, np.float64))
        assert je.metrics.orthonormality_error(U) <= tolerances.orthonormality(dtype)
        quotients = np.sum(U.conj() * (S.astype(U.dtype) @ U), axis=0).real
        np.testing.assert_allclose(result.eigenvalues, quotients, rtol=0, atol=tolerances.rayleigh(S, dtype))
        order = result.eigenvalues if options["which"] == "SA" else -result.eigenvalues
        assert (np.diff(order) >= 0).all()

    check()


@pytest.mark.parametrize("pivot", RULES)
def test_nonzeros_are_those_counted_in_the_vectors_after_each_rotation(pivot):
    @given(case=generic_case, k=st.integers(1, 40), rng=SEEDS)
    def check(case, k, rng):
        S, p, options = case
        result = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, rng=rng, **options)
        counted = [result.truncate(q + 1).vectors.count_nonzero() for q in range(result.n_rotations)]
        assert result.nonzeros.tolist() == counted

    check()


@pytest.mark.parametrize("pivot", RULES)
def test_nonzeros_are_never_fewer_than_those_counted_where_entries_cancel(pivot):
    @given(case=any_case, k=st.integers(1, 40), rng=SEEDS)
    def check(case, k, rng):
        S, p, options = case
        result = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, rng=rng, **options)
        counted = [result.truncate(q + 1).vectors.count_nonzero() for q in range(result.n_rotations)]
        assert (result.nonzeros >= counted).all()
        assert (result.nonzeros <= p * len(S)).all()

    check()


@pytest.mark.parametrize("pivot", RULES)
def test_truncating_is_the_same_as_having_stopped_earlier_to_the_bit(pivot):
    @given(case=any_case, k=st.integers(1, 40), data=st.data(), rng=SEEDS)
    def check(case, k, data, rng):
        S, p, options = case
        long = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, rng=rng, **options)
        q = data.draw(st.integers(0, long.n_rotations))
        short = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=q, rng=rng, **options)
        if q < long.n_rotations:
            assert_same(long.truncate(q), short)
        else:
            assert_same(long.truncate(q), long)

    check()


@pytest.mark.parametrize("pivot", RULES)
def test_extending_is_the_same_as_one_longer_run_to_the_bit(pivot):
    @given(case=any_case, k=st.integers(0, 40), data=st.data(), rng=SEEDS)
    def check(case, k, data, rng):
        S, p, options = case
        q = data.draw(st.integers(0, k))
        long = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, rng=rng, **options)
        short = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=q, rng=rng, **options)
        extended = je.extend(S, short, n_rotations=k)
        if long.status is je.Status.CONVERGED and short.n_rotations == q == k:
            return
        assert_same(extended, long)
        cut = je.extend(S, long.truncate(min(q, long.n_rotations)), n_rotations=k)
        if q < long.n_rotations:
            assert_same(cut, long)

    check()


@pytest.mark.parametrize("pivot", ["gain", "offdiagonal", "random"])
def test_block_runs_can_be_truncated_and_extended_to_the_bit(pivot):
    @given(S=matrices(least=2), which=st.sampled_from(["LA", "SA"]), data=st.data(), rng=SEEDS)
    def check(S, which, data, rng):
        p = data.draw(st.integers(1, len(S) // 2))
        k, start = data.draw(st.integers(0, 8)), data.draw(starts(len(S), p))
        options = {"which": which, "pivot": pivot, "start": start, "rng": rng}
        long = je.block_eigsh(S, p, k, **options)
        q = data.draw(st.integers(0, long.n_rotations))
        short = je.block_eigsh(S, p, q, **options)
        if q < long.n_rotations:
            assert_same(long.truncate(q), short)
            assert_same(je.extend(S, short, n_rotations=k), long)
            assert_same(je.extend(S, long.truncate(q), n_rotations=k), long)

    check()


@pytest.mark.parametrize("pivot", ["gain", "offdiagonal", "random"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_block_vectors_are_orthonormal_and_their_gains_and_eigenvalues_true(pivot, dtype):
    @few
    @given(S=matrices(least=2), which=st.sampled_from(["LA", "SA"]), data=st.data(), rng=SEEDS)
    def check(S, which, data, rng):
        S = (S if np.dtype(dtype).kind == "c" else S.real).astype(dtype)
        p = data.draw(st.integers(1, len(S) // 2))
        start = data.draw(starts(len(S), p))
        result = je.block_eigsh(S, p, 6, which=which, pivot=pivot, start=start, rng=rng)
        exact = S.astype(np.result_type(dtype, np.float64))
        error = tolerances.rayleigh(S, dtype)
        sign = 1.0 if which == "LA" else -1.0
        trace = sign * exact.real.diagonal()[result.trail.seeds].sum()
        for q in range(result.n_rotations + 1):
            part = result.truncate(q)
            U = part.vectors.toarray().astype(exact.dtype)
            assert je.metrics.orthonormality_error(U) <= tolerances.orthonormality(dtype)
            quotients = np.sum(U.conj() * (exact @ U), axis=0).real
            np.testing.assert_allclose(part.eigenvalues, quotients, rtol=0, atol=error)
            if q:
                assert part.nonzeros[-1] >= part.vectors.count_nonzero()
                assert abs(sign * quotients.sum() - trace - result.gains[q - 1]) <= len(S) * error
            trace = sign * quotients.sum()

    check()


@given(case=any_case, pivot=st.sampled_from(RULES), rng=SEEDS)
def test_runs_far_past_convergence_end_by_themselves_and_stay_sound(case, pivot, rng):
    S, p, options = case
    result = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=100_000, rng=rng, **options)
    assert result.status is je.Status.CONVERGED
    assert je.metrics.orthonormality_error(result.vectors) <= tolerances.orthonormality(np.float64)
    rule = "gain" if pivot == "gain_per_nonzero" else pivot
    reference = reference_of(S, p, result, rule, options)
    reference.S = result.rotations.with_coordinates(np.arange(len(S))).to_sparse().toarray()
    reference.S = reference.S.conj().T @ S @ reference.S
    reference.refresh()
    top = max(reference.scores().values(), default=0.0)
    weights = max(1.0, np.ptp(np.append(reference.A, 0.0)))
    assert top <= 1e-12 * weights * max(1.0, tolerances.norm_of(S)) * 10


# Of rank one: after a few rotations only rounding is left, on which a budget must not decide.
RANK_ONE = np.outer([-1.1, -0.73, -0.78, 0.27], [-1.1, -0.73, -0.78, 0.27])


@example(
    case=(RANK_ONE, 2, {"which": "LA", "target": "log", "start": "natural"}), pivot="cyclic", k=4, density=0.75, rng=0
)
@given(
    case=any_case, pivot=st.sampled_from(PREFIX_RULES), k=st.integers(1, 40), density=st.floats(0.05, 1.0), rng=SEEDS
)
def test_a_density_is_never_passed_and_gives_a_prefix_of_the_run_without_it(case, pivot, k, density, rng):
    S, p, options = case
    n = len(S)
    density = max(density, 1.0 / n)
    free = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, rng=rng, **options)
    bound = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, density=density, rng=rng, **options)
    allowed = int(density * n * p * (1 + 1e-12))
    assert (bound.nonzeros <= allowed).all()
    assert bound.density <= density * (1 + 1e-12)
    if bound.status is je.Status.DENSITY:
        assert bound.n_rotations < free.n_rotations
        assert free.nonzeros[bound.n_rotations] > allowed
    else:
        assert bound.n_rotations == free.n_rotations
    part = free.truncate(bound.n_rotations)
    assert part.gains.tobytes() == bound.gains.tobytes()
    assert part.vectors.data.tobytes() == bound.vectors.data.tobytes()


@pytest.mark.parametrize("which", WHICH)
def test_gain_per_nonzero_chooses_within_its_budgets_as_the_reference_does(which):
    @given(data=st.data(), k=st.integers(0, 40), total=st.floats(0.0, 1.0), most=st.none() | st.integers(1, 10))
    def check(data, k, total, most):
        S, p, options = data.draw(cases(which, data.draw(st.sampled_from(TARGETS))))
        n = len(S)
        density = max(total, 1.0 / n)
        options |= {"density": density, "max_nonzeros": most, "n_rotations": k, "pivot": "gain_per_nonzero"}
        result = je.sparse_eigsh(S, p, **options)
        reference = reference_of(S, p, result, "gain_per_nonzero", options)
        reference.total_nonzeros = int(density * n * p * (1 + 1e-12))
        reference.max_nonzeros = most or np.inf
        follow(reference, result)
        assert (result.nonzeros <= reference.total_nonzeros).all()
        for q in range(result.n_rotations + 1):
            assert (np.diff(result.truncate(q).vectors.indptr) <= reference.max_nonzeros).all()
        if result.status is not je.Status.ROTATIONS and result.nonzeros.tolist()[-1:] == [reference.nonzeros()]:
            assert reference.best()[1] <= slack(reference, 0.0, k)

    check()


@given(case=any_case, pivot=st.sampled_from(RULES), k=st.integers(1, 40), most=st.integers(1, 10), rng=SEEDS)
def test_no_vector_ever_has_more_than_max_nonzeros(case, pivot, k, most, rng):
    S, p, options = case
    result = je.sparse_eigsh(S, p, pivot=pivot, n_rotations=k, max_nonzeros=most, rng=rng, **options)
    for q in range(result.n_rotations + 1):
        assert (np.diff(result.truncate(q).vectors.indptr) <= most).all()
    assert result.status in (je.Status.ROTATIONS, je.Status.CONVERGED, je.Status.MAX_NONZEROS)
