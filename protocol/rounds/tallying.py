"""The work of curator or analyst: read the opened ballots, and count them.

Counts are kept for each queried set of columns. A malicious user may fill its envelope with two
answers to a query and no answer to another, so the totals of queries differ. `marginals` then
counts each missing answer as a person with a unique value. This can only raise the certified bound
on exposure.
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
    """The ballots read so far: counts per column set, refusals by reason.

    Attributes:
        counts: for each queried column set, the number of people by combination of values.
        refused: the number of ballots that did not count, by reason.
        spent: the salts of ballots with a token (blind credential), in rounds with tokens.
        sealed: messages that the analyst can open only in groups of k people, not yet opened
            (threshold.py).
        closed: the number of groups that did not open, by number of people.
        astray: the number of people with messages that opened in part, because the next part is
            invalid. They count with the opened values, and belong to no closed group.
    """

    counts: list[Counter[tuple[str, ...]]]
    refused: Counter[Reason] = field(default_factory=Counter)
    spent: list[bytes] = field(default_factory=list)
    sealed: list[bytes] = field(default_factory=list)
    closed: Counter[int] = field(default_factory=Counter)
    astray: int = 0

    def add(self, part: "BallotReading") -> None:
        """Add the counts, refusals and messages of another part of the batch to this reading."""
        for mine, theirs in zip(self.counts, part.counts, strict=True):
            mine.update(theirs)
        self.refused.update(part.refused)
        self.spent += part.spent
        self.sealed += part.sealed

    @property
    def repeats(self) -> bool:
        """Whether two counted ballots have the same token (blind credential)."""
        return len(set(self.spent)) < len(self.spent)

    @property
    def totals(self) -> tuple[int, ...]:
        """The number of counted ballots for each queried column set."""
        return tuple(count.total() for count in self.counts)


def read_ballots(plan: Round, plaintexts: Iterable[bytes]) -> BallotReading:
    """Curator or analyst: count opened ballots; an invalid ballot is refused and counted by reason.

    Ballots that differ only in their salts are decoded once, because validity does not depend on
    salts.
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
    """Curator or analyst: count ballots if each plaintext holds all answers of one person.

    Such plaintexts link a person's answers: a deliberate weakness that demonstrates an attack in
    class. reading: the reading to which counts are added and which is returned.
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

    counts: for each column, the number of people by value. n is the largest total. If a column has
    fewer ballots, each missing ballot counts as a person with a unique value: the most exposed
    case.
    """
    totals = [sum(count.values()) for count in counts]
    n = max(totals, default=0)
    return [
        sorted([*count.values(), *[1] * (n - total)], reverse=True)
        for count, total in zip(counts, totals, strict=True)
    ], n


def summed(joint: Counts, places: Sequence[int]) -> dict[tuple[str, ...], int]:
    """Any party: return the marginal counts of a table over some of its columns.

    joint: the number of people by combination of values. places: the indices of the kept columns.
    """
    sums: Counter[tuple[str, ...]] = Counter()
    for cell, people in joint.items():
        sums[tuple(cell[place] for place in places)] += people
    return dict(sums)
