"""Workplaces: this process, or helper processes, do the long lists of work of parties."""

from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from typing import Protocol

from ...errors import LocalError


class WorkerLost(LocalError):
    """An executor with a worker that does not answer any more."""


class Helpers(Protocol):
    """Helper processes or machines that work for parties."""

    @property
    def name(self) -> str:
        """The helpers' name in messages."""
        ...

    @property
    def workers(self) -> int:
        """The approximate number of workers."""
        ...

    @property
    def trust(self) -> str:
        """A sentence for reports: the parties they work for, and the data that they could read."""
        ...

    def executor_for(self, party: str) -> Executor | None:
        """Return the executor that works for a party; None: the party works alone."""
        ...

    def broken(self, why: BrokenExecutor | WorkerLost) -> None:
        """Note that the helpers stopped; this process does their work, unless this call raises."""
        ...


@dataclass(frozen=True, slots=True)
class Workplace:
    """The place where long lists of work are done.

    Attributes:
        copies: whether copies of this process may do it.
        helpers: the helpers that work for parties; None: there are no helpers.
    """

    copies: bool = True
    helpers: Helpers | None = None


LOCAL_WORKPLACE = Workplace()
