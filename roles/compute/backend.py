"""The workers for long jobs: this process, its copies, or an executor of `concurrent.futures`."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from ...errors import LocalError

T = TypeVar("T")
R = TypeVar("R")


class WorkerLost(LocalError):
    """The error that an executor's workers do not answer any more."""


@dataclass(slots=True)
class Helpers:
    """Processes or machines that work for parties, behind a `concurrent.futures.Executor`.

    Attributes:
        name: the helpers' name in messages.
        workers: the approximate number of workers.
        executor: does the work of every party, unless workers are reserved for parties
            (`declared`).
        declared: by party, the executor of the workers that are reserved for it; empty: no worker
            is reserved.
        place: the helpers' name in the sentence `trust`; empty: `name`.
        report: called with (`executor`, a sentence) at the loss of the helpers; then this process
            does their work. None: a lost scheduler ends the run, a broken executor does not.
        known_keys: by party, the public keys of processes that work for it; secrets are encrypted
            to these keys.
        is_lost: whether the helpers have stopped; then this process does their work.
    """

    name: str
    workers: int
    executor: Executor
    declared: Mapping[str, Executor] = field(default_factory=dict)
    place: str = ""
    report: Callable[[str, str], None] | None = None
    known_keys: defaultdict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    is_lost: bool = False

    @property
    def trust(self) -> str:
        """A sentence for reports: the parties that helpers work for, and the data they may see."""
        place = self.place or self.name
        if not self.declared:
            return (
                f"{place} did everybody's work: a simulation, as whoever runs it could read what "
                "all parties together can"
            )
        parties = ", ".join(sorted(self.declared))
        return f"{place}, each for the party it declares ({parties}) and no other"

    def executor_for(self, party: str) -> Executor | None:
        """Return the executor that works for a party; None: the party works alone."""
        if self.is_lost:
            return None
        return self.declared.get(party) if self.declared else self.executor

    def broken(self, why: BrokenExecutor | WorkerLost) -> None:
        """Note that the helpers stopped: from now on this process does their work.

        Raises WorkerLost if the scheduler is lost and no `report` is set.
        """
        is_scheduler = isinstance(why, WorkerLost)
        if self.report is None:
            if is_scheduler:
                raise why
        elif not self.is_lost:
            self.is_lost = True
            reason = "the scheduler was lost" if is_scheduler else "it does not work any more"
            self.report("executor", f"{self.name}: {reason}; its work is done here from now on")


@dataclass(frozen=True, slots=True)
class Workplace:
    """The workers that do long lists of jobs.

    Attributes:
        copies: whether copies of this process may do such work.
        helpers: the helpers that work for parties; None: there are no helpers.
    """

    copies: bool = True
    helpers: Helpers | None = None


LOCAL_WORKPLACE = Workplace()


def results(
    executor: Executor | None, work: Callable[[T], R], jobs: Sequence[T], chunk: int = 1
) -> Iterator[R]:
    """Yield the results of `work` for each job, in the order of the jobs.

    Without an executor, and after it has broken, this process does the jobs. chunk: the number of
    jobs that a worker gets at a time.
    """
    finished = 0
    with suppress(BrokenExecutor):
        for result in executor.map(work, jobs, chunksize=chunk) if executor else ():
            finished += 1
            yield result
    yield from map(work, jobs[finished:])
