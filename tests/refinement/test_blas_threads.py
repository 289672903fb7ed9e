"""Refinement keeps BLAS to one thread while it runs, and gives the threads back."""

from threading import Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import jacobeig as je


@pytest.fixture(scope="module")
def problem():
    """A covariance, and the run to refine."""
    S = je.datasets.random_covariance(40, rng=0)
    return S, je.sparse_eigsh(S, 3, density=0.1)


def threads():
    return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")


@pytest.fixture
def three_threads():
    with threadpool_limits(limits=3, user_api="blas"):
        if threads() != 3:
            pytest.skip("this BLAS does not take a number of threads")
        yield


@pytest.mark.usefixtures("three_threads")
def test_refine_runs_on_one_thread_and_gives_the_others_back(problem):
    seen = []
    je.refine(*problem, callback=lambda progress: seen.append(threads()))
    assert set(seen) == {1}
    assert threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_an_exception_gives_the_threads_back(problem):
    def fail(progress):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        je.refine(*problem, callback=fail)
    assert threads() == 3


@pytest.mark.parametrize("first_to_end", [0, 1])
def test_refinements_that_overlap_give_the_threads_back(first_to_end, problem):
    before = threads()
    inside, leave = [Event(), Event()], [Event(), Event()]

    def work(which):
        def wait(progress):
            inside[which].set()
            leave[which].wait(30)

        je.refine(*problem, callback=wait)

    workers = [Thread(target=work, args=(which,)) for which in (0, 1)]
    for worker, entered in zip(workers, inside, strict=True):
        worker.start()
        assert entered.wait(60)
    for which in (first_to_end, 1 - first_to_end):
        leave[which].set()
        workers[which].join(60)
    assert threads() == before


@pytest.mark.compiled
@pytest.mark.usefixtures("three_threads")
def test_refine_gives_the_same_bits_whatever_the_number_of_threads():
    S = je.datasets.random_covariance(300, rng=0)
    run = je.sparse_eigsh(S, 8, density=0.1)
    several = je.refine(S, run)
    with threadpool_limits(limits=1, user_api="blas"):
        single = je.refine(S, run)
    np.testing.assert_array_equal(several.vectors.toarray(), single.vectors.toarray())
