"""Views of coalitions on rows that open for k people: the released prefixes, or all rows.

A coalition that follows a ballot from its sender to its reader has a message and its opened part.
Reader and `randomness` together can open all messages: they evaluate the oblivious function on
every possible row, and compare. This needs a domain that can be listed, or guesses; here every row
is assumed to be among them. A user that helps the reader opens all levels that are equal to its own
row: the seed of a level (a prefix of the row) opens that level of every message that has it.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..rounds.opened_prefixes import (
    Cell,
    by_prefixes,
    closes_further,
    is_cover,
    opened,
    prefix_of,
    shown_of,
)
from ..wire import parties
from ..wire.announcement import AnnouncedPolicy
from ..wire.hiding_rules import BLANK
from .run_record import CountsSeen
from .transcript import Row

Links = Mapping[int, Mapping[int, Row]]


@dataclass(frozen=True, slots=True)
class PersonalRecord:
    """The answers of all rounds, person by person, of a real or an ideal run.

    Attributes:
        rows_by_round: per round and person, by index, the values that the person sealed.
        respondents: per round and query, the people with answers that reached the reader.
    """

    rows_by_round: Mapping[int, Mapping[int, Row]]
    respondents: Mapping[tuple[int, tuple[int, ...]], frozenset[int]]


def tries_all(coalition: frozenset[str]) -> bool:
    """Whether parties hold the keys to open every message by trying all possible rows."""
    return coalition.issuperset((parties.ANALYST, parties.RANDOMNESS))


def as_opened(
    record: PersonalRecord,
    coalition: frozenset[str],
    linked: Links,
    counted: tuple[CountsSeen, ...],
    policy: AnnouncedPolicy,
) -> tuple[Links, tuple[CountsSeen, ...]]:
    """Return a coalition's links and counts, reduced to the values that really opened.

    A person with a message that is followed to its reader and stays closed is linked to no value. A
    reader that publishes less than it opens has seen all opened cells. policy: the announced rule.
    """
    if tries_all(coalition):
        return linked, (*counted, *(_all_of(record, counts_seen) for counts_seen in counted))
    member_users = {
        parties.index(member) for member in coalition if parties.role(member) is parties.Role.USER
    }
    if parties.ANALYST in coalition and (closes_further(policy.rule) or member_users):
        counted = tuple(
            _opened_of(record, counts_seen, policy, member_users) for counts_seen in counted
        )
    open_ = {counts_seen.round: set(map(prefix_of, counts_seen.counts)) for counts_seen in counted}
    return {
        number: {
            person: opened_row
            for person, row in people.items()
            if (
                opened_row := row
                if person in member_users
                else shown_of(row, open_.get(number, ()))
            )
        }
        for number, people in linked.items()
    }, counted


def _opened_of(
    record: PersonalRecord,
    counts_seen: CountsSeen,
    policy: AnnouncedPolicy,
    member_users: Collection[int],
) -> CountsSeen:
    """Return the counts of cells that opened for a round's reader, before it closes further groups.

    member_users: users of the coalition. The seed of a user's row opens every equal level for the
    reader.
    """
    whole, rows = _all_of(record, counts_seen), record.rows_by_round[counts_seen.round]
    if whole.people != counts_seen.people:
        return counts_seen
    known_rows = [
        tuple(rows[user][j] for j in counts_seen.columns) for user in member_users if user in rows
    ]
    return opened_counts(whole, policy, [row for row in known_rows if not is_cover(row)])


def opened_counts(
    whole: CountsSeen, policy: AnnouncedPolicy, known_rows: Collection[Cell] = ()
) -> CountsSeen:
    """Return the counts of cells that open for k people, from the counts of whole rows.

    Further closing against exclusion is not applied. known_rows: rows that open without k people.
    """
    counts = opened(
        whole.counts, policy.k, prefixes=by_prefixes(policy.rule), known_rows=known_rows
    )
    return CountsSeen(whole.round, whole.columns, counts)


def _all_of(record: PersonalRecord, counts_seen: CountsSeen) -> CountsSeen:
    """Return the counts of a round's whole rows, of people with messages at the reader.

    This is the view of a coalition that opens every message.
    """
    if not any(BLANK in cell for cell in counts_seen.counts):
        return counts_seen
    respondents = record.respondents.get((counts_seen.round, counts_seen.columns), frozenset())
    rows = record.rows_by_round[counts_seen.round]
    counts = Counter(
        tuple(rows[user][j] for j in counts_seen.columns) for user in respondents if user in rows
    )
    return CountsSeen(counts_seen.round, counts_seen.columns, counts)
