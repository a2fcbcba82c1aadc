"""The attacks that people commit: the entries of `[[fault]]` by user and round."""

from collections.abc import Mapping
from typing import NamedTuple

UNPLANNED = -1  # index of an act that no `[[fault]]` entry planned, such as absence from a poll


class Strike(NamedTuple):
    """An attack that a person commits in a round.

    Attributes:
        attack: the name of the attack.
        entry: the place of its entry of `[[fault]]` in the file.
    """

    attack: str
    entry: int


Faults = Mapping[int, Mapping[int, Strike]]  # user index -> round -> attack
