"""What the curator was given in each round: tables, counts, people in small crowds, bits."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ....analysis.trust.certain_cells import Certain
from ....analysis.trust.fiber import Side
from ....analysis.trust.overlapping_counts import chained_bits
from ....analysis.trust.received_view import received
from ....protocol.hiding import OTHER, Mask
from ....protocol.messages import Call, Counts
from ....protocol.parties import CURATOR, Role
from ....protocol.record import CountsSeen
from ....protocol.transcript import Transcript
from ....protocol.view import View


@dataclass(frozen=True, slots=True)
class Asked:
    """One round for the curator.

    groups: the columns of each table, by name. masked: per column with a mask, how many of its
    values are no longer said by name. counts: numbers that are not zero, over all tables. others:
    of the answers, how many hold an `other`. exposed: the most people of one of the tables who are
    in a crowd smaller than k there, other being a value. certain: people of whom the curator can be
    certain by all rounds up to this one (analysis/trust/certain_cells.py). bits: received in all
    rounds up to this one (analysis/trust/received_view.py, overlapping_counts.py), and what that is
    to the truth.
    """

    round: int
    groups: tuple[tuple[str, ...], ...]
    masked: dict[str, int]
    people: int
    counts: int
    others: int
    exposed: int
    certain: Certain
    bits: float
    bits_are: Side

    @property
    def exact(self) -> bool:
        """Whether the bits are neither more nor less."""
        return self.bits_are is Side.EXACT

    @property
    def bits_per_person(self) -> float:
        """Bits received up to this round, divided by the number of people."""
        return self.bits / self.people if self.people else 0.0

    def plain(self) -> dict[str, Any]:
        """As result.json writes it."""
        return {
            "round": self.round,
            "groups": [list(group) for group in self.groups],
            "masked": self.masked,
            "people": self.people,
            "counts": self.counts,
            "answers_with_other": self.others,
            "exposed": self.exposed,
            "certain": asdict(self.certain),
            "bits_per_person": self.bits_per_person,
            "exact": self.exact,
            "bits_are": self.bits_are.value,
        }


def _bits(view: View, sizes: Sequence[int]) -> tuple[float, Side]:
    """Bits received, and what they are: the larger of two figures that are at least so."""
    chained = chained_bits(view.counted, sizes, view.users)
    if chained is not None and chained[1]:
        return chained[0], Side.EXACT
    learnt = received(view, sizes)
    if learnt.bits_are is not Side.AT_LEAST or chained is None or chained[0] <= learnt.bits:
        return learnt.bits, learnt.bits_are
    return chained[0], Side.AT_LEAST


def asked(
    calls: Sequence[Call],
    tallies: Sequence[tuple[Counts, ...]],
    names: Sequence[str],
    sizes: Sequence[int],
    k: int,
    sure: Sequence[Certain],
) -> tuple[Asked, ...]:
    """What each round gave the curator. calls: those answered; tallies: the counts of each.

    sure: of how many people it can be certain after each round of its own.
    """
    found: list[Asked] = []
    seen: list[CountsSeen] = []
    for call, tally in zip(calls, tallies, strict=True):
        if call.reader is not Role.CURATOR:
            continue
        seen += [
            CountsSeen(call.round, columns, counts, call.hidden)
            for columns, counts in zip(call.asks, tally, strict=True)
        ]
        people = max(sum(counts.values()) for counts in tally)
        view = View(
            *(frozenset({CURATOR}), max(one.people for one in seen), True, {}, tuple(seen)),
            *({}, {}, Transcript(people, summary=True)),
        )
        bits, side = _bits(view, sizes)
        found.append(
            Asked(
                call.round,
                tuple(tuple(names[column] for column in columns) for columns in call.asks),
                {
                    names[rule.column]: sizes[rule.column] - len(rule.said)
                    for rule in call.hidden
                    if isinstance(rule, Mask)
                },
                people,
                sum(len(counts) for counts in tally),
                sum(n for counts in tally for cell, n in counts.items() if OTHER in cell),
                max(sum(n for n in counts.values() if n < k) for counts in tally),
                sure[len(found)],
                bits,
                side,
            )
        )
    return tuple(found)
