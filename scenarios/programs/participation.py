"""Who takes part at random: a person's draw, and what everybody together says then.

A person draws 32 bits of its own for the round and says its row if they are below the announced
rate; else it says nothing, in a message that fits no other (protocol/threshold.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...protocol.hiding import BLANK
from ...protocol.ideal import Table
from ...protocol.opened_prefixes import PARTS, cover
from ...protocol.parties import user

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...crypto.entropy import Entropy

DRAW = 4  # bytes of a draw


@dataclass(frozen=True, slots=True)
class Participation:
    """A rate at which people take part.

    Attributes:
        parts: of 2^32 draws, those with which somebody does.
    """

    parts: int

    def __call__(self, row: Sequence[str], entropy: "Entropy") -> Sequence[str]:
        """User: what a person says: its row, or nothing."""
        return row if drawn(entropy) < self.parts else cover(len(row))

    def said(self, table: Table, people: "npt.NDArray[np.intp]", entropy: "Entropy") -> Table:
        """Everybody, without a message: the table as it is said. people: whose rows these are.

        Seeded: each draws what it draws in a real run.
        """
        import numpy as np

        if entropy.seeded:
            mine = (entropy.fork(user(i)).fork("round-1").fork("lie") for i in people.tolist())
            draws = np.array([drawn(person) for person in mine], dtype=np.uint64)
        else:
            draws = np.random.default_rng().integers(0, PARTS, len(people), dtype=np.uint64)
        codes = table.codes.astype(np.int64)
        codes[draws >= self.parts] = [len(texts) for texts in table.values]
        return Table(tuple((*texts, BLANK) for texts in table.values), codes)


def drawn(entropy: "Entropy") -> int:
    """User: 32 bits of its own, uniform."""
    return int.from_bytes(entropy.random(DRAW), "big")
