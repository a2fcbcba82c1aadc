"""What a reader does: read the ballots it has opened, and count them.

A count is kept per column set. Somebody who fills the slots of an envelope with two answers to one
question and none to another leaves totals that differ; `marginals` then counts the missing answers
of a column as people with a value of their own, which can only raise what a bound promises.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import Reason, Refused
from .ballots import NO_SALT, VALUES, read_ballot, read_bundle
from .messages import Counts
from .session import Round


@dataclass(slots=True)
class Reading:
    """Ballots read so far: counts per column set, refusals by reason.

    Attributes:
        counts: people by combination, for each column set.
        refused: ballots that did not count, by reason.
        spent: the salts of ballots that carried a token, where they have to.
        sealed: messages that only k people open together, before they are (threshold.py).
        closed: of those that did not open, how many groups there are of each size.
        astray: people who are counted as far as they opened, and are in no group beyond, since what
            they sent there is junk.
    """

    counts: list[Counter[tuple[str, ...]]]
    refused: Counter[Reason] = field(default_factory=Counter)
    spent: list[bytes] = field(default_factory=list)
    sealed: list[bytes] = field(default_factory=list)
    closed: Counter[int] = field(default_factory=Counter)
    astray: int = 0

    def add(self, other: "Reading") -> None:
        """Count another part of the same batch in."""
        for mine, theirs in zip(self.counts, other.counts, strict=True):
            mine.update(theirs)
        self.refused.update(other.refused)
        self.spent += other.spent
        self.sealed += other.sealed

    @property
    def repeats(self) -> bool:
        """Whether a token was spent twice."""
        return len(set(self.spent)) < len(self.spent)

    @property
    def totals(self) -> tuple[int, ...]:
        """Ballots per column set."""
        return tuple(count.total() for count in self.counts)


def read_ballots(plan: Round, plaintexts: Iterable[bytes]) -> Reading:
    """Reader: decode and count opened ballots; a ballot that is wrong is refused and counted.

    Ballots that differ in their salts alone are decoded once: no salt makes a ballot right or
    wrong.
    """
    reading = Reading([Counter() for _ in plan.call.asks])
    if plan.bundled:
        return _read_each(plan, plaintexts, reading)
    alike = Counter([plaintext[:1] + plaintext[VALUES:] for plaintext in plaintexts])
    for said, people in alike.items():
        try:
            ballot = read_ballot(plan, said[:1] + NO_SALT + said[1:])
        except Refused as refusal:
            reading.refused[refusal.reason] += people
        else:
            reading.counts[ballot.ask][ballot.values] += people
    return reading


def _read_each(plan: Round, plaintexts: Iterable[bytes], reading: Reading) -> Reading:
    """Reader: decode all answers of a person at once (a design error, for a lesson)."""
    for plaintext in plaintexts:
        try:
            ballots = read_bundle(plan, plaintext)
        except Refused as refusal:
            reading.refused[refusal.reason] += 1
            continue
        for ballot in ballots:
            reading.counts[ballot.ask][ballot.values] += 1
    return reading


def marginals(counts: Sequence[Counts]) -> tuple[list[list[int]], int]:
    """Curator: the counts of single columns as one list of people per column, and the people n.

    n is the largest total. Where a column has fewer ballots, each missing one is counted as a
    person with a value nobody else has: the most exposed it can be.
    """
    totals = [sum(count.values()) for count in counts]
    n = max(totals, default=0)
    return [
        sorted([*count.values(), *[1] * (n - total)], reverse=True)
        for count, total in zip(counts, totals, strict=True)
    ], n


def summed(joint: Counts, places: Sequence[int]) -> dict[tuple[str, ...], int]:
    """Anybody: the counts of some places of the cells of a table, over all the others."""
    sums: Counter[tuple[str, ...]] = Counter()
    for cell, people in joint.items():
        sums[tuple(cell[place] for place in places)] += people
    return dict(sums)


def named(counts: Mapping[tuple[str, ...], int]) -> dict[str, int]:
    """The counts of one single column by value, the largest first."""
    return {
        values[0]: people
        for values, people in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    }
