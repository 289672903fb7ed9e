"""Drive a run to the first budget that is met, telling and saving on the way."""

from jacobeig._kernels.state import Outcome
from jacobeig.errors import InvalidInputError
from jacobeig.results.checkpoints import Checkpoint
from jacobeig.results.progress import asks_to_stop, progress_bar
from jacobeig.results.result import EigenResult, Status
from jacobeig.solve._dense_driver import Run
from jacobeig.solve._sparse_driver import resume_run

# The kernel comes back this often: for progress, callbacks, checkpoints.
CHUNK = 1000
LOOK = 1000  # multiples at which it is seen whether a run has settled, however it got there
NOTE = "rotations"


def drive(run: Run, checkpoint: Checkpoint) -> EigenResult:
    """Run to the first budget that is met, from where the checkpoint stands, and wrap what was reached."""
    return _Drive(run, checkpoint).go()


class _Drive:
    """A run on its way; another kernel may take over from the one that it began with."""

    def __init__(self, run: Run, checkpoint: Checkpoint) -> None:
        saved, wanted = checkpoint.find(NOTE), run.budget.n_rotations
        self.run = run if saved is None else resume_run(run, saved)
        if self.run.n_rotations > wanted:
            raise InvalidInputError(
                f"is {wanted}, but the run in {checkpoint.path} has {self.run.n_rotations:,} rotations already",
                argument="n_rotations",
                advice="give at least as many, or another checkpoint.",
            )
        self.checkpoint = checkpoint
        checkpoint.forget(NOTE)  # its arrays are the run's own now

    def go(self) -> EigenResult:
        """Rotate until something ends it; save what was reached, and wrap it."""
        try:
            status = self._rotate()
        except KeyboardInterrupt:
            self._save()
            if not self.checkpoint.returns:
                raise self.checkpoint.explain_interrupt(f"after {self.run.n_rotations:,} rotations") from None
            status = Status.INTERRUPTED
        return self.run.result(status or self.run.explain_end())

    def _rotate(self) -> Status | None:
        """Rotate until a budget is met or the callback asks to stop; None when no pair is left."""
        budget = self.run.budget
        allowed = budget.count_allowed(self.run.problem.n_components)
        what, total = ("rotations", budget.n_rotations) if allowed is None else ("nonzeros", allowed)
        # Nonzeros say nothing about the time left: the last of them may take most of it.
        with progress_bar(what, total, enabled=budget.progress, timed=allowed is None) as show:
            while self.run.n_rotations < budget.n_rotations:
                k = self.run.n_rotations
                if k % LOOK == 0 and self.run.has_settled():
                    self._save()
                    return None
                outcome = self.run.advance(min(k + CHUNK, LOOK * (k // LOOK + 1), budget.n_rotations))
                if budget.progress:
                    show(self.run.n_rotations if allowed is None else self.run.progress().nonzeros)
                if outcome != Outcome.CHUNK_DONE:
                    self._save()
                    return Status.DENSITY if outcome == Outcome.DENSITY else None
                if self.checkpoint.due:
                    self._save()
                if budget.callback is not None and asks_to_stop(budget.callback(self.run.progress())):
                    self._save()
                    return Status.CALLBACK
                if self.run.n_rotations < budget.n_rotations:
                    self.run = self.run.successor()
        self._save()
        return Status.ROTATIONS

    def _save(self) -> None:
        """Save the state: at the end too, so that the same call finds everything done."""
        if self.checkpoint.path is not None and self.run.can_go_on:
            self.checkpoint.save(NOTE, self.run.capture())
