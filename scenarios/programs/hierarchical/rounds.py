"""The curator's knowledge after each round of `hierarchical`: the findings of this release program.

For each round they state the counted tables, the people in small classes, and the bits that the
curator received.
"""

from collections.abc import Sequence

from msgspec import field

from ....analysis.trust import received
from ....analysis.trust.certain_cells import Certain, Certainty
from ....analysis.trust.even_tables import even_bits
from ....analysis.trust.overlapping_counts import chained_bits
from ....analysis.trust.side import Side
from ....protocol.knowledge.run_record import CountsSeen
from ....protocol.knowledge.transcript import Transcript
from ....protocol.knowledge.view import View
from ....protocol.wire.hiding_rules import OTHER_VALUE, Mask
from ....protocol.wire.messages import Call, Counts
from ....protocol.wire.parties import CURATOR, Role
from ...serialization.record import Record
from ..findings import Findings


class RoundRecord(Record, frozen=True):
    """A round of the curator: its tables, and the knowledge of the curator after the round.

    Attributes:
        round: the number of the round, from 1.
        groups: the columns of each table, by name.
        masked: for each column with a mask, the number of its values that people no longer report
            by name.
        people: the number of respondents.
        counts: the number of nonzero counts, over all tables.
        masked_answers: the number of answers with a masked value.
        exposed: the number of people in a class smaller than k, in the table with the most such
            people; `other` counts as a value.
        certain: people that the curator knows for certain to be in a cell smaller than k, by all
            rounds up to this round (analysis/trust/certain_cells.py).
        bits_per_person: bits received in all rounds up to this round, divided by the number of
            people (analysis/trust/received_view.py, overlapping_counts.py, even_tables.py).
        exact: whether the bits are the exact value.
        bits_are: whether the bits are exact, a lower or an upper bound.
        promised: upper bound on exposed people in a release of all columns, as far as proved after
            this round; None in a record of an earlier version.
    """

    round: int
    groups: tuple[tuple[str, ...], ...]
    masked: dict[str, int]
    people: int
    counts: int
    masked_answers: int = field(name="answers_with_other")
    exposed: int
    certain: Certain
    bits_per_person: float
    exact: bool
    bits_are: Side
    promised: int | None = None


class Rounds(Findings, frozen=True, tag="hierarchical"):
    """The findings of the release program `hierarchical`: the curator's knowledge, round by round.

    Attributes:
        rounds: a record for each round that the curator read.
    """

    rounds: tuple[RoundRecord, ...]

    @property
    def counted(self) -> tuple[int, ...]:
        """The number of respondents of each round that the curator read."""
        return tuple(record.people for record in self.rounds)


def _bits(view: View, sizes: Sequence[int]) -> tuple[float, Side]:
    """Return the bits that a view received about people, and whether they are exact or a bound.

    sizes: the number of values of each column. If only lower bounds are known, the largest of them
    is returned.
    """
    chained = chained_bits(view.counted, sizes, view.users)
    if chained is not None and chained[1]:
        return chained[0], Side.EXACT
    learnt = received(view, sizes)
    if learnt.bits_are is not Side.AT_LEAST:
        return learnt.bits, learnt.bits_are
    even_bound = even_bits(view.counted, sizes, view.users)
    return max(learnt.bits, chained[0] if chained else 0.0, even_bound or 0.0), Side.AT_LEAST


def round_records(
    calls: Sequence[Call],
    tallies: Sequence[tuple[Counts, ...]],
    names: Sequence[str],
    sizes: Sequence[int],
    k: int,
    standing: Sequence[Certainty],
) -> tuple[RoundRecord, ...]:
    """Return the record of each round that the curator read.

    calls, tallies: the answered queries with their counts. standing: after each of these rounds,
    the number of people known to be in cells smaller than k, and the exposure bound.
    """
    records: list[RoundRecord] = []
    counts_seen: list[CountsSeen] = []
    for call, tally in zip(calls, tallies, strict=True):
        if call.reader is not Role.CURATOR:
            continue
        counts_seen += [
            CountsSeen(call.round, columns, counts, call.hidden)
            for columns, counts in zip(call.asks, tally, strict=True)
        ]
        people = max(sum(counts.values()) for counts in tally)
        view = View(
            parties=frozenset({CURATOR}),
            users=max(view.people for view in counts_seen),
            fixed=True,
            by_round={},
            counted=tuple(counts_seen),
            opened={},
            linked_columns={},
            transcript=Transcript(people, summary=True),
        )
        bits, side = _bits(view, sizes)
        records.append(
            RoundRecord(
                call.round,
                tuple(tuple(names[column] for column in columns) for columns in call.asks),
                {
                    names[rule.column]: sizes[rule.column] - len(rule.named_values)
                    for rule in call.hidden
                    if isinstance(rule, Mask)
                },
                people,
                sum(len(counts) for counts in tally),
                sum(n for counts in tally for cell, n in counts.items() if OTHER_VALUE in cell),
                max(sum(n for n in counts.values() if n < k) for counts in tally),
                standing[len(records)].now,
                bits / people if people else 0.0,
                side is Side.EXACT,
                side,
                standing[len(records)].promised,
            )
        )
    return tuple(records)
