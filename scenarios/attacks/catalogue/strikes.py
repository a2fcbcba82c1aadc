"""The attacks that users commit, indexed by user and then by round.

A scenario plans them in its entries `[[fault]]`, each with the name of an attack. In the record of
a poll, missing or unreadable submissions have the same form, without an entry. Attacks by servers,
such as shufflers, are not in this index.
"""

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
