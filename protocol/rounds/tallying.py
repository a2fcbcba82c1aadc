"""The work of a reader: read the opened ballots, and count them.

A count is kept per column set. A malicious user that fills the slots of an envelope with two
answers to one query and no answer to another makes totals differ; `marginals` then counts the
missing answers of a column as people with a value of their own, which can only raise the certified
bound.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...errors import Reason, Refused
from ..wire.messages import Counts
from .ballots import NO_SALT, VALUES, read_ballot, read_bundle
from .round_context import Round


@dataclass(slots=True)
class BallotReading:
    """The ballots that a reader has read so far: counts per column set, refusals by reason.

    Attributes:
        counts: people by combination, for each column set.
        refused: ballots that did not count, by reason.
        spent: the salts of ballots with a token, in rounds with tokens.
        sealed: messages that only k people open together, before opening (threshold.py).
        closed: the number of groups that did not open, by size.
        astray: the number of people that are counted as far as they opened, and are in no closed
            group, because the rest of their message is junk.
    """

    counts: list[Counter[tuple[str, ...]]]
    refused: Counter[Reason] = field(default_factory=Counter)
    spent: list[bytes] = field(default_factory=list)
    sealed: list[bytes] = field(default_factory=list)
    closed: Counter[int] = field(default_factory=Counter)
    astray: int = 0

    def add(self, part: "BallotReading") -> None:
        """Add the counts of another part of the same batch to this reading."""
        for mine, theirs in zip(self.counts, part.counts, strict=True):
            mine.update(theirs)
        self.refused.update(part.refused)
        self.spent += part.spent
        self.sealed += part.sealed

    @property
    def repeats(self) -> bool:
        """Whether a token (blind credential) was spent twice."""
        return len(set(self.spent)) < len(self.spent)

    @property
    def totals(self) -> tuple[int, ...]:
        """The number of ballots for each column set."""
        return tuple(count.total() for count in self.counts)


def read_ballots(plan: Round, plaintexts: Iterable[bytes]) -> BallotReading:
    """Reader: count opened ballots; an invalid ballot is refused and counted by reason.

    Ballots that differ only in their salts are decoded once: validity does not depend on the salt.
    """
    reading = BallotReading([Counter() for _ in plan.call.asks])
    if plan.bundled:
        return _read_each(plan, plaintexts, reading)
    plaintext_counts = Counter([plaintext[:1] + plaintext[VALUES:] for plaintext in plaintexts])
    for unsalted_plaintext, people in plaintext_counts.items():
        try:
            ballot = read_ballot(plan, unsalted_plaintext[:1] + NO_SALT + unsalted_plaintext[1:])
        except Refused as refusal:
            reading.refused[refusal.reason] += people
        else:
            reading.counts[ballot.ask][ballot.values] += people
    return reading


def _read_each(plan: Round, plaintexts: Iterable[bytes], reading: BallotReading) -> BallotReading:
    """Reader: count the ballots of a person from one plaintext (a design error, for a lesson).

    reading: the reading to which counts are added and which is returned.
    """
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
    """Curator: return the counts of each column, as a descending list, and the number n of people.

    n is the largest total. If a column has fewer ballots, each missing ballot counts as a person
    with a unique value: the most exposed case.
    """
    totals = [sum(count.values()) for count in counts]
    n = max(totals, default=0)
    return [
        sorted([*count.values(), *[1] * (n - total)], reverse=True)
        for count, total in zip(counts, totals, strict=True)
    ], n


def summed(joint: Counts, places: Sequence[int]) -> dict[tuple[str, ...], int]:
    """Any party: return the counts of a table's cells over some of their places (a marginal)."""
    sums: Counter[tuple[str, ...]] = Counter()
    for cell, people in joint.items():
        sums[tuple(cell[place] for place in places)] += people
    return dict(sums)
