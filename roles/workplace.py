"""Where long lists of work are done: here, or by others who work for parties."""

from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from typing import Protocol

from ..errors import LocalError


class Lost(LocalError):
    """An executor that nobody answers for any more."""


class Helpers(Protocol):
    """Others who work for parties."""

    @property
    def name(self) -> str:
        """What they are called in messages."""
        ...

    @property
    def workers(self) -> int:
        """How many there are, about."""
        ...

    @property
    def trust(self) -> str:
        """In a sentence: whose work they do, and what they could read."""
        ...

    def of(self, party: str) -> Executor | None:
        """Those who work for a party; None: nobody but itself."""
        ...

    def broken(self, why: BrokenExecutor | Lost) -> None:
        """Hear that they do not work any more; what they had is done here, unless this raises."""
        ...


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where long lists of work are done.

    Attributes:
        copies: whether copies of this process may do it.
        helpers: who else works for parties; None: nobody.
    """

    copies: bool = True
    helpers: Helpers | None = None


HERE = Workplace()
