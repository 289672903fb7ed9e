"""What once went wrong."""

import numpy as np
import pytest
import tolerances
from equality import assert_same
from matrices import generic, integers, projection
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import jacobeig as je
from jacobeig.results.result import Status


def test_the_active_rows_are_kept_in_c_order():
    """rows[:, order] comes out in Fortran order, so that every row was strided."""
    from jacobeig.solve._dense_driver import Run
    from jacobeig.solve._problem import define_problem, open_source
    from jacobeig.solve.budget import set_budget

    for matrix in (generic(9), np.asfortranarray(generic(9))):
        problem = define_problem(open_source(matrix), 3, "LA", "ones", "gain", "natural", None)
        run = Run(problem, set_budget(problem.n, problem.n_components, n_rotations=5))
        assert run.state.active.flags.c_contiguous


@pytest.mark.compiled
def test_one_dtype_needs_one_compilation():
    """A writable empty matrix, or an enum member for a rule, made Numba compile the row kernel again."""
    from jacobeig._kernels.advance import advance_by_gain, advance_by_price, advance_in_turn

    kernels = advance_by_gain, advance_by_price, advance_in_turn
    S = generic(20)
    je.sparse_eigsh(S, 3, density=0.5, n_rotations=9)
    je.extend(S, je.sparse_eigsh(S, 3, n_rotations=9), n_rotations=20)
    before = [len(kernel.loaded) for kernel in kernels]
    strided = np.zeros((40, 40))
    strided[::2, ::2] = S
    for matrix in (np.asfortranarray(S), strided[::2, ::2], S.astype(np.int64)):
        for p in (1, 3):
            je.sparse_eigsh((matrix + matrix.T) / 2, p, density=0.5, tol=0, n_rotations=9)
            je.extend(matrix, je.sparse_eigsh(matrix, p, n_rotations=9, pivot="random"), n_rotations=20)
    assert [len(kernel.loaded) for kernel in kernels] == before


def test_noise_between_equal_eigenvalues_is_not_rotated_for_ever():
    """Entries of eps times the largest entry were taken for more than noise, though eigenvalues are larger."""
    for S in (projection(4), projection(4, np.complex128), np.kron(np.eye(2), np.ones((50, 50)))):
        for p in (1, 2, 3):
            result = je.sparse_eigsh(S, p, n_rotations=20_000)
            assert result.status is Status.CONVERGED
            assert result.eigenvalues.max() <= np.linalg.eigvalsh(S)[-1] + tolerances.rayleigh(S)


@pytest.mark.parametrize("pivot", ["cyclic", "random"])
def test_a_truncated_run_is_extended_from_where_it_was_cut(pivot):
    """The cursor of the longer run stayed in the truncated one."""
    S = generic(8)
    long = je.sparse_eigsh(S, 2, pivot=pivot, n_rotations=30, rng=1)
    assert_same(je.extend(S, long.truncate(11), n_rotations=30), long)


@pytest.mark.parametrize("pivot", ["cyclic", "random"])
def test_a_run_extended_twice_with_a_lower_tol_is_the_run_extended_once(pivot):
    S = generic(8)
    first = je.sparse_eigsh(S, 2, pivot=pivot, tol=0.3, rng=1)
    assert first.status is Status.TOLERANCE
    k = first.n_rotations
    once = je.extend(S, first, tol=0.001, n_rotations=k + 12)
    twice = je.extend(S, je.extend(S, first, tol=0.001, n_rotations=k + 5), tol=0.001, n_rotations=k + 12)
    assert_same(once, twice)


@pytest.mark.parametrize("pivot", ["cyclic", "random"])
def test_rules_without_scores_tell_tolerance_from_convergence(pivot):
    S = generic(8)
    assert je.sparse_eigsh(S, 2, pivot=pivot, tol=0.3, rng=1).status is Status.TOLERANCE
    assert je.sparse_eigsh(S, 2, pivot=pivot, n_rotations=50_000, rng=1).status is Status.CONVERGED


def test_offdiagonal_does_not_blame_a_budget_where_only_swaps_are_left():
    result = je.sparse_eigsh(np.diag([1.0, 2.0, 3.0]), 1, pivot="offdiagonal", start="natural")
    assert result.status is Status.CONVERGED


def test_adaptive_targets_of_the_identity_have_the_sign_that_is_wanted():
    assert (je.sparse_eigsh(np.eye(4), 2, which="SA", target="adaptive").target < 0).all()
    assert (je.sparse_eigsh(-np.eye(4), 2, which="LA", target="adaptive").target > 0).all()


def test_adaptive_gains_of_float32_may_overflow_without_a_warning():
    S = (generic(8) * 1e30).astype(np.float32)
    assert np.isfinite(je.sparse_eigsh(S, 2, target="adaptive").eigenvalues).all()


def test_equal_runs_have_equal_methods():
    """The seed was drawn afresh for rules that need none."""
    S = integers(8)
    assert je.sparse_eigsh(S, 2).method == je.sparse_eigsh(S, 2).method


def test_a_damaged_file_is_closed(tmp_path):
    """np.load leaves it open, of which Python warns, and warnings are errors here."""
    path = tmp_path / "result.npz"
    je.sparse_eigsh(integers(6), 2).save(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(je.errors.FileFormatError):
        je.load(path)
    path.unlink()


def test_a_damaged_sparse_matrix_is_refused_before_scipy_follows_it():
    damaged = sparse.csr_array(np.eye(5))
    damaged.indices = damaged.indices.copy()
    damaged.indices[0] = 50
    with pytest.raises(je.errors.InvalidInputError, match="matrix is a damaged csr matrix"):
        je.sparse_eigsh(damaged, 2)


def test_lists_of_unequal_lengths_get_our_own_error():
    with pytest.raises(je.errors.InvalidTypeError, match="matrix does not form an array"):
        je.sparse_eigsh([[1, 2], [3]], 1)


def test_vectors_of_single_complex_precision_can_be_refined():
    S = generic(9, np.complex64)
    run = je.sparse_eigsh(S, 3, density=0.5)
    assert je.refine(S, run).eigenvalues.sum() >= run.eigenvalues.sum() * (1 - 1e-5)


@pytest.mark.parametrize("scale", [1e-25, 1e19, 1e30])
def test_operators_of_any_scale_are_checked_and_bounded(scale):
    S = (generic(9) * scale).astype(np.float32)
    assert np.isfinite(je.sparse_eigsh(aslinearoperator(S), 2, target="adaptive", n_rotations=20).eigenvalues).all()
    with pytest.raises(je.errors.InvalidInputError, match="must be symmetric"):
        je.sparse_eigsh(aslinearoperator(np.triu(S)), 2)


def test_a_free_basis_of_all_directions_is_found_without_overflow():
    X = np.random.default_rng(0).standard_normal((6, 4)) @ np.diag([1e-3, 10.0, 100.0, 0.1])
    assert je.JacobiPCA(4, orthonormal=False, center=False).fit(X).total_explained_variance_ratio_ <= 1.0


@pytest.mark.parametrize("center", [True, False])
def test_squares_that_overflow_in_single_precision_are_named_for_what_they_are(center):
    """Sums are taken in double precision, where they are finite: it was said that the data are not."""
    X = (np.random.default_rng(0).standard_normal((5, 3)) * 1e20).astype(np.float32)
    with pytest.raises(je.errors.InvalidInputError, match="X is too large"):
        je.sources.GramRows(X, center=center)


@pytest.mark.parametrize("shape", [None, 3, (3.0, 3.0), (-3, -3), [3, 3]])
def test_a_source_without_a_shape_gets_our_own_error(shape):
    class Rows:
        dtype = np.dtype(np.float64)

        def diagonal(self):
            return np.ones(3)

        def rows(self, indices):
            return np.eye(3)[indices]

    source = Rows()
    source.shape = shape
    with pytest.raises(je.errors.InvalidTypeError, match=r"Rows\.shape is .* two whole numbers"):
        je.sparse_eigsh(source, 1)
