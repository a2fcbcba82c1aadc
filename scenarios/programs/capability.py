"""A part of a release program: the base of the parts in capabilities.py."""

from typing import TypeVar


class Capability:
    """A part of a release program.

    Attributes:
        keys: the keys of [policy] that only programs with this part read.
    """

    keys: tuple[str, ...] = ()


C = TypeVar("C", bound=Capability)
