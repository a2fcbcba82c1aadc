"""Random participation: the draw of each person, and the table of the submitted rows.

A person draws a random number of 32 bits and submits its row if the number is below the announced
rate times 2^32. Otherwise the person submits a cover: a message that looks like any other, but has
no row (protocol/rounds/threshold.py).
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
        """User: return the row to submit: the person's own, or a cover (an all-blank row).

        entropy: the person's own source of random bits for this round.
        """
        return row if drawn(entropy) < self.parts else cover(len(row))

    def submitted_table(
        self, table: PeopleTable, people: "npt.NDArray[np.intp]", entropy: "Entropy"
    ) -> PeopleTable:
        """Return the table of submitted rows of a run without messages.

        A person that does not take part has a cover: a row of blanks, which stands for a message
        without values. people: the indices of the persons behind the rows of `table`. With a seed,
        each person draws the same bits as in a real run.
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
    """User: draw the 32 uniform bits that decide whether the person submits its row.

    entropy: the person's own source of random bits.
    """
    return int.from_bytes(entropy.random(DRAW), "big")
