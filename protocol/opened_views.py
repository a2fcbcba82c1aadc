"""What coalitions see of rows that open for k people: the released prefixes, or all of them.

Who follows a ballot from its sender to its reader has a message, and of it what was opened. Reader
and `randomness` together need nobody else to open all: they compute the function of every row there
may be, and compare. What that takes is a domain that can be listed, or guesses; here every row is
taken to be among them.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Protocol

from . import parties
from .hiding import BLANK
from .opened_prefixes import prefix_of, shown_of
from .record import CountsSeen
from .transcript import Row

Links = Mapping[int, Mapping[int, Row]]


class PersonalRecord(Protocol):
    """A run in which single people are recorded, with messages or without."""

    @property
    def rows_by_round(self) -> Mapping[int, Mapping[int, Row]]:
        """Per round and person what it said."""
        ...

    @property
    def came(self) -> Mapping[tuple[int, tuple[int, ...]], frozenset[int]]:
        """Per round and question the people whose answers reached the reader."""
        ...


def tries_all(coalition: frozenset[str]) -> bool:
    """Whether parties can open every message by trying rows."""
    return coalition.issuperset((parties.ANALYST, parties.RANDOMNESS))


def as_opened(
    record: PersonalRecord,
    coalition: frozenset[str],
    linked: Links,
    counted: tuple[CountsSeen, ...],
) -> tuple[Links, tuple[CountsSeen, ...]]:
    """What these parties link and count, as far as it is open to them."""
    if tries_all(coalition):
        return linked, (*counted, *(_all_of(record, seen) for seen in counted))
    own = {
        parties.index(member) for member in coalition if parties.role(member) is parties.Role.USER
    }
    open_ = {seen.round: set(map(prefix_of, seen.counts)) for seen in counted}
    return {
        number: {
            person: row if person in own else shown_of(row, open_.get(number, ()))
            for person, row in people.items()
        }
        for number, people in linked.items()
    }, counted


def _all_of(record: PersonalRecord, seen: CountsSeen) -> CountsSeen:
    """The counts of whole rows in a round, of those whose message reached the reader."""
    if not any(BLANK in cell for cell in seen.counts):
        return seen
    here = record.came.get((seen.round, seen.columns), frozenset())
    rows = record.rows_by_round[seen.round]
    counts = Counter(tuple(rows[user][j] for j in seen.columns) for user in here if user in rows)
    return CountsSeen(seen.round, seen.columns, counts)
