"""Views of coalitions on rows that open only for k people with equal values.

A coalition that follows a ballot from its sender to its reader has a message and the part of the
row that opened. The analyst and the party `randomness` together can open all messages: they
evaluate the oblivious function on every possible row, and compare. This needs a domain that can be
listed, or guesses; here every row is assumed to be among the guesses.

A row may open column by column: its first values form a prefix. A user knows the secret of each
prefix of its own row. Given to the analyst, this secret opens that prefix in every message that has
it.
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
        rows_by_round: by round and person's index, the values that the person sealed.
        respondents: by round and query, the people with answers that reached the analyst.
    """

    rows_by_round: Mapping[int, Mapping[int, Row]]
    respondents: Mapping[tuple[int, tuple[int, ...]], frozenset[int]]


def tries_all(coalition: frozenset[str]) -> bool:
    """Whether a coalition can open every message by trying all possible rows.

    It can if the analyst and the party `randomness`, which holds the oblivious function, are
    members.
    """
    return coalition.issuperset((parties.ANALYST, parties.RANDOMNESS))


def as_opened(
    record: PersonalRecord,
    coalition: frozenset[str],
    linked: Links,
    counted: tuple[CountsSeen, ...],
    policy: AnnouncedPolicy,
) -> tuple[Links, tuple[CountsSeen, ...]]:
    """Return a coalition's links and counts, reduced to the values that the analyst could open.

    A value opens only if k people share it. If a person's values stay closed, the coalition links
    no value to the person, even if it follows the person's message. A reader that publishes less
    than it opens has seen all opened cells. policy: the announced rule. linked: rows by round and
    person. counted: the counts in the coalition's view.
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
    """Return the counts of cells that opened for the analyst, published or not.

    The analyst may withhold opened groups, so that they do not reveal small groups by exclusion.
    member_users: users of the coalition. The secret of a user's row opens equal values in every
    message for the analyst.
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
    """Return the counts of the values that open because k people share them.

    Opened groups that the analyst withholds from its release are included. whole: the counts of
    whole rows. known_rows: rows with known secrets, which open without k people.
    """
    counts = opened(
        whole.counts, policy.k, prefixes=by_prefixes(policy.rule), known_rows=known_rows
    )
    return CountsSeen(whole.round, whole.columns, counts)


def _all_of(record: PersonalRecord, counts_seen: CountsSeen) -> CountsSeen:
    """Return the counts of a round's whole rows, known to a coalition that opens every message.

    counts_seen: the counts that the coalition has read. Counts without a blank value are whole
    already, and are returned. Otherwise the rows of the people with messages that reached the
    analyst are counted.
    """
    if not any(BLANK in cell for cell in counts_seen.counts):
        return counts_seen
    respondents = record.respondents.get((counts_seen.round, counts_seen.columns), frozenset())
    rows = record.rows_by_round[counts_seen.round]
    counts = Counter(
        tuple(rows[user][j] for j in counts_seen.columns) for user in respondents if user in rows
    )
    return CountsSeen(counts_seen.round, counts_seen.columns, counts)
