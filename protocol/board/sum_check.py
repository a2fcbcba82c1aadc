"""Check that the counts of a release do not contradict the counts of earlier rounds.

If the rounds ask the same people, the people of the release are the people counted before, less
the dropouts. So no combination of values has more people in the release than before, except for
people with answers that were lost in the earlier round:

    excess of a query   sum over its cells of max(0, people in the release - people counted)
    lost                people of that round - answers to that query     (0 unless some were lost)
    agrees              excess <= lost

The curator or analyst may falsify counts so that they look safe: then some equivalence classes of a
column are too large, and others too small. The release has more people of the small classes than
were counted. Suppressed values of a release are in no sum. A person with different answers in two
rounds is also an excess of one, and aborts the round (docs/adr/0031).

If a person has several rows, it is counted in several cells, and two other tests apply. First, no
cell of the release may have more people than were counted with its value. The excess of each value
is taken from its largest cell. Dummies, the unused ballots, count as a value. Second, each person
with a value is in some cell with this value. So the sum of these cells is smaller than the number
of persons by at most the ballots that are missing in the release. If several columns are released,
the two tests do not find every exchange of a person's ballots.
"""

from collections.abc import Sequence

from ...errors import RoundBurned
from ..rounds.tallying import summed
from ..wire.hiding_rules import HIDDEN
from ..wire.messages import Call, Counts
from ..wire.rows_per_person import people_among, without_dummies
from .strategies import RoundResult


def disagreement(
    result: RoundResult, call: Call, joint: Counts, rows: int = 1
) -> tuple[int, ...] | None:
    """Any party with both counts: return the first query that a release contradicts; None: it fits.

    result: an earlier round with its counts. call, joint: the query of the release (one set of
    columns), and its counts. A query is skipped if the release lacks one of its columns, or if
    hidden values were answered. rows: ballots of a person to each query.
    """
    if rows > 1:
        return _disagreement_of_persons(result, call, joint, rows)
    (released,) = call.asks
    people = max((sum(count.values()) for count in result.counts), default=0)
    ruled = {rule.column for rule in result.call.hidden}
    for ask, counted in zip(result.call.asks, result.counts, strict=True):
        if not set(ask) <= set(released) or ruled & set(ask):
            continue
        sums = summed(joint, [released.index(column) for column in ask])
        excess = sum(
            max(0, cell_count - counted.get(cell, 0))
            for cell, cell_count in sums.items()
            if not any(value in HIDDEN for value in cell)
        )
        if excess > people - sum(counted.values()):
            return ask
    return None


def _disagreement_of_persons(
    result: RoundResult, call: Call, joint: Counts, rows: int
) -> tuple[int, ...] | None:
    """Return the first query that a release contradicts, if a person may be in several cells.

    A query is a set of columns that an earlier round counted; a cell is a combination of released
    values. A cell may have at most as many persons as were counted with its values in the query's
    columns. All cells with equal values there must together have at least as many. Differences up
    to the number of missing ballots are allowed.

    rows: the number of ballots of each person to each query. None: no contradiction.
    """
    (released,) = call.asks
    people = max(people_among(sum(count.values()), rows) for count in result.counts)
    for ask, counted in zip(result.call.asks, result.counts, strict=True):
        if not set(ask) <= set(released):
            continue
        places, largest = [released.index(column) for column in ask], dict[tuple[str, ...], int]()
        for cell, cell_count in joint.items():
            values = tuple(cell[place] for place in places)
            largest[values] = max(largest.get(values, 0), cell_count)
        excess = sum(
            max(0, cell_count - counted.get(cell, 0)) for cell, cell_count in largest.items()
        )
        if excess > rows * people - sum(counted.values()):
            return ask
        sums = summed(joint, places)
        values_counted = without_dummies(counted).items()
        short = sum(max(0, cell_count - sums.get(cell, 0)) for cell, cell_count in values_counted)
        if short > rows * people - sum(joint.values()):
            return ask
    return None


def check_sums(
    round_results: Sequence[RoundResult], call: Call, joint: Counts, rows: int = 1
) -> None:
    """Analyst: RoundBurned unless a release's counts fit the counts of every earlier round.

    round_results: the earlier rounds with their counts. call, joint: the query of the release, and
    its counts. rows: ballots of a person to each query. The message of the abort is public. The
    message names no column, because an attacker that replaces answers by guesses would learn
    whether a guess is right. The message names no party, because a shuffler may have replaced
    answers.
    """
    for result in round_results:
        if disagreement(result, call, joint, rows):
            raise RoundBurned(
                f"the release does not fit what was counted in round {result.call.round}: answers "
                "were changed between people and a reader, a reader counts otherwise than it "
                "read, or people said two things"
            )
