"""The scenarios that a scenario's file extends, in words."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...scenarios.schema.model import About


def bases_text(about: "About") -> str:
    """Return the names of the scenarios that a scenario extends, the nearest first.

    As "A, which extends B". Empty if it extends no scenario.
    """
    return ", which extends ".join(about.extended or ())
