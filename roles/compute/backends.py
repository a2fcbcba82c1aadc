"""Workplaces by name: they do the long lists of work inside a run, or of one party.

The names are as in executors.py, which is loaded only for another name than that of this process or
its threads.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...errors import ParameterError
from .backend import LOCAL_WORKPLACE, Helpers, WorkerLost, Workplace

if TYPE_CHECKING:
    from concurrent.futures import BrokenExecutor, Executor


@contextmanager
def workplace(name: str, workers: int | None = None) -> Iterator[Workplace]:
    """Give the workplace of a name, and close it.

    Arguments and errors as of `executor`. workers: of an executor from another package, about how
    many it has; None: as many as this process has processors.
    """
    match name:
        case "process":
            yield LOCAL_WORKPLACE
        case "thread":
            yield Workplace(copies=False)
        case _:
            from .dask_cluster import DaskCluster
            from .executors import executor, processors

            make, _ = executor(name, workers)
            with make() as pool:
                any_helpers = _SharedHelpers(f"--executor {name}", workers or processors(), pool)
                yield Workplace(helpers=pool if isinstance(pool, DaskCluster) else any_helpers)


@contextmanager
def own_workplace(
    name: str, party: str, report: Callable[..., None] = lambda *_: None
) -> Iterator[Workplace]:
    """Give the workplace of one party, the only party in this process.

    Arguments and errors as of `executor`; ParameterError also if all workers declare other parties.
    report: called with (`executor`, a sentence) at the beginning, to name the helpers that the
    party trusts, and when they are lost. Then the party does the work itself: other parties wait
    for it, and cannot begin again.
    """
    with workplace(name) as place:
        if place.helpers is not None and place.helpers.executor_for(party) is None:
            raise ParameterError(
                f"{place.helpers.name}: its workers declare whose they are, and none is {party}'s; "
                f'start one with `dask worker ... --resources "{party}=1"`'
            )
        if place.helpers is not None:
            role_text = f"works for {party}: whoever runs it can read what {party} can"
            report("executor", f"{place.helpers.name} {role_text}")
            yield replace(place, helpers=_PartyHelpers(place.helpers, report))
        else:
            yield place


@dataclass(frozen=True, slots=True)
class _SharedHelpers:
    """An executor from another package, which works for every party.

    Attributes:
        name: as messages call it.
        workers: about how many there are.
        executor: does the work.
    """

    name: str
    workers: int
    executor: "Executor"

    @property
    def trust(self) -> str:
        """A sentence: the parties that the executor works for, and the data that it could read."""
        return (
            f"{self.name} did everybody's work: a simulation, as whoever runs it could read what "
            "all parties together can"
        )

    def executor_for(self, party: str) -> "Executor | None":  # noqa: ARG002 - everybody's
        """Return the executor, the same for every party."""
        return self.executor

    def broken(self, why: "BrokenExecutor | WorkerLost") -> None:
        """Do nothing: the workplace does unfinished work in this process."""


class _PartyHelpers:
    """The helpers of the only party in this process, until they break."""

    def __init__(self, helpers: Helpers, report: Callable[..., None]) -> None:
        self.name, self.workers, self.trust = helpers.name, helpers.workers, helpers.trust
        self._helpers = helpers
        self._report = report
        self._is_lost = False

    def executor_for(self, party: str) -> "Executor | None":
        """Return the helpers of the party; None once they have broken."""
        return None if self._is_lost else self._helpers.executor_for(party)

    def broken(self, why: "BrokenExecutor | WorkerLost") -> None:
        """Report the loss: the party does its work itself from now on."""
        self._is_lost = True
        reason_text = (
            "the scheduler was lost" if isinstance(why, WorkerLost) else "it does not work any more"
        )
        self._report("executor", f"{self.name}: {reason_text}; its work is done here from now on")
