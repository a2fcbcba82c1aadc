"""The bases of a scenario in words: the scenarios that its file extends."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...scenarios.schema.model import About


def bases_text(about: "About") -> str:
    """Return the bases of a scenario that extends some, the nearest first."""
    return ", which extends ".join(about.extended or ())
