"""Names that were replaced: the old name is understood, and answered with the new name.

A public name that changes is listed where it is read, as a `Replaced`. Its old spelling goes on
working for at least one minor version, and says so: a `DeprecationWarning` from Python, a line on
stderr from a command, an entry in CHANGELOG.md under the version that replaced it.
docs/stability.md has the policy. It imports no other part of the package: any room may use it.

>>> from veilmix.deprecated import Replaced, find
>>> OLD = (Replaced("two-round", "exposure", "0.2.0", "0.4.0"),)
>>> replaced = find("two-round", OLD)
>>> print(replaced and replaced.sentence)
'two-round' is now 'exposure' (since 0.2.0; the old name is accepted until 0.4.0)
>>> print(find("exposure", OLD))
None
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replaced:
    """A name that was replaced.

    Attributes:
        old: the name of before.
        new: the name of now.
        since: the version that has the new name first.
        until: the version that no longer accepts the old name.
    """

    old: str
    new: str
    since: str
    until: str

    @property
    def sentence(self) -> str:
        """The old name, the new name, and both versions."""
        return (
            f"{self.old!r} is now {self.new!r} (since {self.since}; the old name is accepted "
            f"until {self.until})"
        )

    def warn(self, level: int = 2) -> None:
        """Give a DeprecationWarning. level: of the caller who wrote the name (`stacklevel`)."""
        warnings.warn(self.sentence, DeprecationWarning, stacklevel=level + 1)


def find(name: str, replaced: Iterable[Replaced]) -> Replaced | None:
    """Return the entry of an old name; None for any other name."""
    return next((entry for entry in replaced if entry.old == name), None)
