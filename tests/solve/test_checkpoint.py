"""Runs that are killed or interrupted go on from their checkpoint, to the same bits."""

import signal

import numpy as np
import pytest
from equality import assert_same, assert_same_sparse
from figures import record
from kills import RUNS, kill_and_resume, make_graph, solve
from matrices import generic

import jacobeig as je
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError
from jacobeig.results import checkpoints
from jacobeig.solve._problem import define_problem, open_source
from jacobeig.solve._sparse_driver import choose_run, resume_run
from jacobeig.solve.budget import set_budget

S = je.datasets.random_covariance(60, rng=0)


@pytest.fixture
def eager(monkeypatch):
    """Save at every occasion."""
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    monkeypatch.setattr(checkpoints, "SHARE", 1e9)


class KilledError(Exception):
    pass


def kill_at(occasion):
    """A callback that ends the run for good when it is called for the given time."""
    calls = []

    def call(progress):
        calls.append(progress)
        if len(calls) == occasion:
            raise KilledError

    return call


def assert_alike(a, b):
    """The same to the bit, with or without a chain."""
    if a.rotations is not None:
        return assert_same(a, b)
    assert_same_sparse(a.vectors, b.vectors)
    assert a.eigenvalues.tobytes() == b.eigenvalues.tobytes()
    assert (a.method, a.status, b.rotations) == (b.method, b.status, None)
    return None


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("pivot", ["gain", "gain_per_nonzero", "offdiagonal", "classic", "cyclic", "random"])
@pytest.mark.usefixtures("eager")
def test_a_killed_run_goes_on_to_the_same_bits(pivot, dtype, tmp_path):
    options = {"pivot": pivot, "target": "log", "n_rotations": 4000, "rng": 7}
    matrix = S.astype(dtype)
    with pytest.raises(KilledError):
        je.sparse_eigsh(matrix, 4, callback=kill_at(2), checkpoint=tmp_path / "run.npz", **options)
    seen = []
    resumed = je.sparse_eigsh(matrix, 4, callback=seen.append, checkpoint=tmp_path / "run.npz", **options)
    assert_same(resumed, je.sparse_eigsh(matrix, 4, **options))
    assert [progress.n_rotations for progress in seen][:1] in ([3000], [])


@pytest.mark.parametrize("budget", [{"density": 0.4}, {"max_nonzeros": 20}, {"tol": 1e-6}])
@pytest.mark.parametrize("options", [{}, {"polish": True}, {"refine": True, "polish": True}])
@pytest.mark.usefixtures("eager")
def test_a_run_that_is_done_is_not_done_again(budget, options, tmp_path):
    S = generic(16)
    first = je.sparse_eigsh(S, 3, checkpoint=tmp_path / "run.npz", **budget, **options)
    again = je.sparse_eigsh(S, 3, checkpoint=tmp_path / "run.npz", **budget, **options)
    assert_alike(again, first)
    assert_alike(first, je.sparse_eigsh(S, 3, **budget, **options))


@pytest.mark.parametrize(("effort", "stage"), [("quick", 1), ("quick", 3), ("best", 2), ("best", 12)])
@pytest.mark.usefixtures("eager")
def test_a_refinement_goes_on_from_the_stages_that_are_done(stage, effort, tmp_path):
    S = generic(16)
    run = je.sparse_eigsh(S, 3, density=0.2)
    options = {"density": 0.2, "effort": effort, "rng": 5}
    done, left = [], []
    with pytest.raises(KilledError):
        je.refine(S, run, callback=kill_at(stage), checkpoint=tmp_path / "run.npz", **options)
    whole = je.refine(S, run, callback=done.append, **options)
    resumed = je.refine(S, run, callback=left.append, checkpoint=tmp_path / "run.npz", **options)
    assert_alike(resumed, whole)
    assert [progress.captured for progress in left] == [progress.captured for progress in done]


@pytest.mark.usefixtures("eager")
def test_a_search_on_working_sets_reads_no_block_again(tmp_path):
    class Counting:
        def __init__(self, matrix):
            self.matrix, self.shape, self.dtype, self.blocks = matrix, matrix.shape, matrix.dtype, 0

        def diagonal(self):
            return self.matrix.diagonal()

        def rows(self, indices):
            return self.matrix[indices]

        def block(self, indices):
            self.blocks += 1
            return self.matrix[np.ix_(indices, indices)]

    source = Counting(je.datasets.random_covariance(1100, rng=0))
    options = {"density": 0.005, "refine": True}
    whole = je.sparse_eigsh(source, 3, checkpoint=tmp_path / "run.npz", **options)
    source.blocks = 0
    assert_alike(je.sparse_eigsh(source, 3, checkpoint=tmp_path / "run.npz", **options), whole)
    assert source.blocks == 0


@pytest.mark.usefixtures("eager")
def test_sparse_rows_go_on_and_hand_over_to_dense_ones(tmp_path):
    L = make_graph()
    options = {"which": "SA", "n_rotations": 7000}
    whole = je.sparse_eigsh(L, 6, **options)
    for occasion in (1, 5):
        with pytest.raises(KilledError):
            je.sparse_eigsh(L, 6, callback=kill_at(occasion), checkpoint=tmp_path / f"{occasion}.npz", **options)
        assert_same(je.sparse_eigsh(L, 6, checkpoint=tmp_path / f"{occasion}.npz", **options), whole)


def test_a_finished_run_is_taken_further_by_more_rotations(tmp_path):
    path = tmp_path / "run.npz"
    je.sparse_eigsh(S, 4, n_rotations=500, checkpoint=path)
    assert_same(je.sparse_eigsh(S, 4, n_rotations=900, checkpoint=path), je.sparse_eigsh(S, 4, n_rotations=900))
    with pytest.raises(InvalidInputError, match=r"n_rotations is 100, but the run in .* has 900 rotations already"):
        je.sparse_eigsh(S, 4, n_rotations=100, checkpoint=path)


def test_random_pivots_without_a_seed_go_on_with_the_seed_that_they_had(tmp_path):
    path = tmp_path / "run.npz"
    first = je.sparse_eigsh(S, 4, pivot="random", n_rotations=300, checkpoint=path)
    again = je.sparse_eigsh(S, 4, pivot="random", n_rotations=600, checkpoint=path)
    assert again.method.seed == first.method.seed
    np.testing.assert_array_equal(again.rotations.pivots[:300], first.rotations.pivots)


def correlate(matrix):
    scale = 1 / np.sqrt(matrix.diagonal())
    return matrix * scale * scale[:, None]


@pytest.mark.parametrize(
    ("matrix", "options", "said"),
    [
        (correlate(S), {"density": 0.2}, "density was 0.1 and is 0.2"),
        (correlate(S), {"density": 0.1, "which": "SA"}, "which was 'LA' and is 'SA'"),
        (correlate(S), {"density": 0.1, "target": [2.0, 1.0, 1.0]}, r"target was 'ones' and is \[2.0, 1.0, 1.0\]"),
        (correlate(S)[:50, :50], {"density": 0.1}, "n was 60 and is 50"),
        (correlate(S).astype(np.float32), {"density": 0.1}, "dtype was 'float64' and is 'float32'"),
        (correlate(je.datasets.random_covariance(60, rng=1)), {"density": 0.1}, "the matrix is another one"),
    ],
)
def test_the_file_of_another_run_is_refused_and_left_alone(matrix, options, said, tmp_path):
    path = tmp_path / "run.npz"
    je.sparse_eigsh(correlate(S), 3, density=0.1, checkpoint=path)
    before = path.read_bytes()
    with pytest.raises(InvalidInputError, match=said):
        je.sparse_eigsh(matrix, 3, checkpoint=path, **options)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"x,y\n1,2\n", b"PK\x03\x04 and so on", b"\x93NUMPY"])
def test_what_is_no_checkpoint_is_refused_and_left_alone(content, tmp_path):
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="checkpoint is not a checkpoint to go on from") as refused:
        je.sparse_eigsh(S, 3, checkpoint=path)
    assert str(refused.value).endswith("; name a file that is not there yet, to start again.")
    assert "model.npz" not in str(refused.value)
    assert path.read_bytes() == content


def test_a_result_is_no_checkpoint(tmp_path):
    je.sparse_eigsh(S, 3, n_rotations=5).save(tmp_path / "result.npz")
    with pytest.raises(FileFormatError, match="holds an EigenResult; expected Checkpoint"):
        je.sparse_eigsh(S, 3, checkpoint=tmp_path / "result.npz")


def test_odd_paths_are_answered_before_the_work(tmp_path):
    with pytest.raises(InvalidTypeError, match="checkpoint is an int"):
        je.sparse_eigsh(S, 3, checkpoint=5)
    with pytest.raises(InvalidInputError, match="a folder"):
        je.sparse_eigsh(S, 3, checkpoint=tmp_path)
    with pytest.raises(FileNotFoundError, match="a checkpoint cannot be written here"):
        je.sparse_eigsh(S, 3, checkpoint=tmp_path / "none" / "run.npz")
    with pytest.raises(InvalidInputError, match="on_interrupt is 'stop'"):
        je.sparse_eigsh(S, 3, on_interrupt="stop")


@pytest.mark.usefixtures("eager")
def test_a_full_disk_ends_the_run_and_leaves_the_checkpoint_before_it(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    with pytest.raises(KilledError):
        je.sparse_eigsh(S, 4, n_rotations=6000, callback=kill_at(2), checkpoint=path)
    before = path.read_bytes()

    def fill(*arguments, **arrays):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(np.lib.format, "write_array", fill)
        with pytest.raises(OSError, match=r"the checkpoint could not be saved \(No space left on device\)") as caught:
            je.sparse_eigsh(S, 4, n_rotations=6000, checkpoint=path)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.npz"]
    assert_same(je.sparse_eigsh(S, 4, n_rotations=6000, checkpoint=path), je.sparse_eigsh(S, 4, n_rotations=6000))


def capture_run(matrix, **options):
    """What a run of 600 rotations has reached, a run of the same problem at its beginning, and how to go on."""
    problem = define_problem(open_source(matrix), 4, "LA", "log", "gain", "cholesky", None)
    budget = set_budget(problem.n, 4, n_rotations=600, **options)

    def begin():
        return choose_run(problem, budget)

    run = begin()
    run.advance(600)
    return {name: array.copy() for name, array in run.capture().items()}, begin


@pytest.mark.parametrize("make", [lambda: S, make_graph], ids=["dense", "sparse"])
def test_a_changed_state_is_refused_and_never_reaches_compiled_code(make):
    arrays, begin = capture_run(make())
    names = [name for name, array in arrays.items() if array.dtype.kind in "iu"]
    assert len(names) > 9
    for name in names:
        huge = arrays[name].copy()
        huge.flat[:] = np.iinfo(huge.dtype).max - 7
        for changed in (huge, arrays[name].astype(np.float64), arrays[name][None]):
            with pytest.raises(FileFormatError, match="checkpoint holds no state of this run"):
                resume_run(begin(), arrays | {name: changed})
        with pytest.raises(FileFormatError, match=f"lacks {name.rpartition('.')[-1]}"):
            resume_run(begin(), {other: array for other, array in arrays.items() if other != name})
    for name in ("active", "cosines", "weights", "best", "sizes", "diagonal", "units", "scalars"):
        with pytest.raises(FileFormatError, match="checkpoint holds no state of this run"):
            resume_run(begin(), arrays | {name: arrays[name][:-1]})


def interrupt_at(occasion):
    """A callback that presses Ctrl-C when it is called for the given time."""
    calls = []

    def call(progress):
        calls.append(progress)
        if len(calls) == occasion:
            signal.raise_signal(signal.SIGINT)

    return call


@pytest.fixture
def keyboard():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("keyboard")
def test_an_interrupt_saves_everything_and_says_where(tmp_path):
    path = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt, match=r"after 2,000 rotations; the same call goes on from .*run.npz"):
        je.sparse_eigsh(S, 4, n_rotations=6000, callback=interrupt_at(2), checkpoint=path)
    seen = []
    resumed = je.sparse_eigsh(S, 4, n_rotations=6000, callback=seen.append, checkpoint=path)
    assert seen[0].n_rotations == 3000
    assert_same(resumed, je.sparse_eigsh(S, 4, n_rotations=6000))


@pytest.mark.usefixtures("keyboard")
def test_an_interrupt_before_there_is_anything_to_save_says_so(tmp_path):
    told = set()
    for occasion in (1, 2):
        path = tmp_path / f"run-{occasion}.npz"
        with pytest.raises(KeyboardInterrupt) as stop:
            je.refine(S, je.sparse_eigsh(S, 4, density=0.2), callback=interrupt_at(occasion), checkpoint=path)
        assert ("goes on from" in str(stop.value)) == path.exists()
        assert ("before there was anything to keep" in str(stop.value)) != path.exists()
        told.add(path.exists())
    assert told == {True, False}


@pytest.mark.usefixtures("keyboard")
def test_an_interrupt_can_return_what_is_there():
    options = {"n_rotations": 6000, "on_interrupt": "return"}
    result = je.sparse_eigsh(S, 4, callback=interrupt_at(2), **options)
    assert result.status is je.Status.INTERRUPTED
    assert_same(result.truncate(1999), je.sparse_eigsh(S, 4, n_rotations=1999))
    longer = je.extend(S, result, n_rotations=6000)
    assert_same(longer, je.sparse_eigsh(S, 4, n_rotations=6000))
    assert je.extend(S, result, callback=interrupt_at(1), **options).n_rotations == 3000


@pytest.mark.parametrize("n", [60, 1100])
@pytest.mark.usefixtures("keyboard")
def test_an_interrupted_refinement_can_return_its_best_vectors(n):
    matrix = je.datasets.random_covariance(n, rng=0)
    run = je.sparse_eigsh(matrix, 3, density=0.05)
    for occasion in (1, 3):
        found = je.refine(matrix, run, callback=interrupt_at(occasion), on_interrupt="return")
        assert found.status is je.Status.INTERRUPTED
        assert found.eigenvalues.sum() >= run.eigenvalues.sum() * (1 - 1e-12)
        assert found.vectors.nnz <= run.vectors.nnz
        assert je.metrics.orthonormality_error(found.vectors) <= 1e-12
    with pytest.raises(KeyboardInterrupt):
        je.refine(matrix, run, callback=interrupt_at(1))


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", ["gain", "sparse rows", "refine best"])
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_a_run_survives_a_kill(name, tmp_path):
    result, kills = kill_and_resume(name, tmp_path, 1, np.random.default_rng(0), longest=0.02)
    assert kills == 1
    assert_alike(result, solve(name))


@pytest.mark.attack
@pytest.mark.parametrize("name", RUNS)
def test_runs_survive_two_kills_at_random_moments(name, tmp_path):
    """Ten runs, killed twice each: 20 kills."""
    result, kills = kill_and_resume(name, tmp_path, 2, np.random.default_rng(), longest=0.1)
    whole = solve(name)
    same = result.vectors.data.tobytes() == whole.vectors.data.tobytes()
    record("kills", run=name, kills=kills, survived=kills if same else 0)
    assert kills == 2
    assert_alike(result, whole)


def test_generators_of_every_kind_are_taken_up_where_they_were(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    run = je.sparse_eigsh(generic(9), 3, density=0.3)
    for kind in (np.random.PCG64, np.random.MT19937):
        path, results = tmp_path / f"{kind.__name__}.npz", []
        with pytest.raises(KilledError):
            je.refine(
                generic(9), run, rng=np.random.Generator(kind(1)), effort="best", callback=kill_at(4), checkpoint=path
            )
        for checkpoint in (path, None):
            rng = np.random.Generator(kind(1))
            results.append(je.refine(generic(9), run, rng=rng, effort="best", checkpoint=checkpoint))
        assert_alike(*results)
