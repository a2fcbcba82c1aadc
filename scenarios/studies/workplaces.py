"""Who does the long lists of work inside a run, or of one party: by name, as of executors.py.

`executor` there is loaded where somebody else than this process is named.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...errors import ParameterError
from ...roles.workplace import HERE, Helpers, Lost, Workplace

if TYPE_CHECKING:
    from concurrent.futures import BrokenExecutor, Executor


@contextmanager
def workplace(name: str, workers: int | None = None) -> Iterator[Workplace]:
    """Give who does the long lists of work inside a run, and close it.

    Arguments and errors as of `executor`. workers: of somebody else's executor how many it has,
    about; None: one a processor here.
    """
    match name:
        case "process":
            yield HERE
        case "thread":
            yield Workplace(copies=False)
        case _:
            from .dask_cluster import Cluster
            from .executors import executor, processors

            make, _ = executor(name, workers)
            with make() as made:
                anybody = _Anybody(f"--executor {name}", workers or processors(), made)
                yield Workplace(helpers=made if isinstance(made, Cluster) else anybody)


@contextmanager
def own_workplace(
    name: str, party: str, tell: Callable[..., None] = lambda *_: None
) -> Iterator[Workplace]:
    """Give who does the long lists of work of one party, which is all there is of it here.

    Arguments and errors as of `executor`; ParameterError also where all workers are others'.
    tell: told (`executor`, a sentence) whom the party trusts that has others work for it, and when
    they are lost. Then it goes on without them: others wait for it, and cannot begin again.
    """
    with workplace(name) as place:
        if place.helpers is not None and place.helpers.of(party) is None:
            raise ParameterError(
                f"{place.helpers.name}: its workers declare whose they are, and none is {party}'s; "
                f'start one with `dask worker ... --resources "{party}=1"`'
            )
        if place.helpers is not None:
            said = f"works for {party}: whoever runs it can read what {party} can"
            tell("executor", f"{place.helpers.name} {said}")
            yield replace(place, helpers=_Own(place.helpers, tell))
        else:
            yield place


@dataclass(frozen=True, slots=True)
class _Anybody:
    """Somebody else's executor, which works for everybody.

    Attributes:
        name: as messages call it.
        workers: how many there are, about.
        executor: who works.
    """

    name: str
    workers: int
    executor: "Executor"

    @property
    def trust(self) -> str:
        """In a sentence: whose work it does, and what it could read."""
        return (
            f"{self.name} did everybody's work: a simulation, as whoever runs it could read what "
            "all parties together can"
        )

    def of(self, party: str) -> "Executor | None":  # noqa: ARG002 - everybody's
        """The same for every party."""
        return self.executor

    def broken(self, why: "BrokenExecutor | Lost") -> None:
        """What is undone is done here."""


class _Own:
    """Those who work for the one party that is here, until they break."""

    def __init__(self, helpers: Helpers, tell: Callable[..., None]) -> None:
        self.name, self.workers, self.trust = helpers.name, helpers.workers, helpers.trust
        self._helpers = helpers
        self._tell = tell
        self._gone = False

    def of(self, party: str) -> "Executor | None":
        """Those who work for the party; None once they have broken."""
        return None if self._gone else self._helpers.of(party)

    def broken(self, why: "BrokenExecutor | Lost") -> None:
        """Say so: the party does its work itself from now on."""
        self._gone = True
        what = "the scheduler was lost" if isinstance(why, Lost) else "it does not work any more"
        self._tell("executor", f"{self.name}: {what}; its work is done here from now on")
