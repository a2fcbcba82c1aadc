"""Random participation: the draw of each person, and the table of the submitted rows.

A person draws 32 bits of its own for the round and submits its row if they are below the announced
rate; else it submits a cover, a message that fits no other (protocol/rounds/threshold.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...protocol.ideal import PeopleTable
from ...protocol.rounds.opened_prefixes import PARTS, cover
from ...protocol.wire.hiding_rules import BLANK
from ...protocol.wire.parties import user

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...crypto.entropy import Entropy

DRAW = 4  # bytes of the random number that decides whether a person takes part


@dataclass(frozen=True, slots=True)
class Participation:
    """The rate at which people take part at random, and the draw of each person.

    Attributes:
        parts: the rate times 2^32: a person takes part if its draw of 32 bits is smaller.
    """

    parts: int

    def __call__(self, row: Sequence[str], entropy: "Entropy") -> Sequence[str]:
        """User: return the row to submit: the person's own, or a cover."""
        return row if drawn(entropy) < self.parts else cover(len(row))

    def submitted_table(
        self, table: PeopleTable, people: "npt.NDArray[np.intp]", entropy: "Entropy"
    ) -> PeopleTable:
        """Return the table of submitted rows, covers included, without messages.

        people: the indices of the persons behind the rows of `table`. With a seed, each person
        draws the same bits as in a real run.
        """
        import numpy as np

        if entropy.seeded:
            mine = (entropy.fork(user(i)).fork("round-1").fork("lie") for i in people.tolist())
            draws = np.array([drawn(person) for person in mine], dtype=np.uint64)
        else:
            draws = np.random.default_rng().integers(0, PARTS, len(people), dtype=np.uint64)
        codes = table.codes.astype(np.int64)
        codes[draws >= self.parts] = [len(texts) for texts in table.values]
        return PeopleTable(tuple((*texts, BLANK) for texts in table.values), codes)


def drawn(entropy: "Entropy") -> int:
    """User: draw 32 uniform bits from its own entropy."""
    return int.from_bytes(entropy.random(DRAW), "big")
