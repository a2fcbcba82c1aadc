"""What audits tell of who said what: ways that are open, and crowds that are told apart.

An audit opens half of the layers of every pair of hops before everybody (audit.py). So a coalition
follows a message through a hop if the hop's shuffler is a member, or if that very layer was opened.
Of a pair one hop is closed for every message, so that who has neither of its shufflers follows
nobody through it; who has one follows those for whom the other had to open, about a half.

Behind a hop that it does not follow, a coalition tells those that were closed there (a block) from
all others. What it reads at the end it can count for each block by itself. Blocks of two hops that
overlap in part are one crowd here: more is known then, of who is likelier in which, which is said
(`Crowds.whole`) and not counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from .board import Board
from .record import CountsSeen, RunRecord
from .transcript import Row, Transcript, name_of, split_names

Way = tuple[bytes, ...]  # the name of one answer's layer at every hop, the envelope first


@dataclass(frozen=True, slots=True)
class Crowds:
    """What a coalition tells apart of the answers to one question.

    Attributes:
        blocks: people in each crowd, by index; whoever is in none is followed.
        whole: whether that is all it can tell.
    """

    blocks: tuple[frozenset[int], ...]
    whole: bool


def shown_layers(board: Board) -> Mapping[int, frozenset[bytes]]:
    """Anybody: per audited round, the names of the layers that were opened before everybody."""
    return {
        number: frozenset(name_of(link.layer) for body in hops.values() for link in body.links)
        for number, hops in board.audited.opened.items()
    }


def crowds(ways: Mapping[int, Way], closed: Sequence[int], shown: frozenset[bytes]) -> Crowds:
    """Anybody: which people are told apart, at the hops of no member (`closed`, from 0).

    ways: of one question, by person. shown: the layers that were opened.
    """
    blocks = [
        block
        for hop in closed
        if (block := frozenset(user for user, way in ways.items() if way[hop] not in shown))
    ]
    joined: list[frozenset[int]] = []
    for block in blocks:
        apart = [crowd for crowd in joined if not crowd & block]
        joined = [*apart, block.union(*(crowd for crowd in joined if crowd & block))]
    return Crowds(tuple(joined), all(crowd in blocks for crowd in joined))


class AuditedRecord(RunRecord):
    """A run, with what its audits opened."""

    def __init__(self, transcript: Transcript, board: Board) -> None:
        super().__init__(transcript, board)
        self._found: dict[tuple[int, int, tuple[int, ...]], Crowds] = {}

    @cached_property
    def shown(self) -> Mapping[int, frozenset[bytes]]:
        """Per audited round, the names of layers opened before everybody; none in a summary."""
        return {} if self.transcript.summary else shown_layers(self.board)

    @cached_property
    def ways(self) -> Mapping[tuple[int, int], Mapping[int, Way]]:
        """Per audited round and question, whose answer was handed in, and its way."""
        by_question: dict[tuple[int, int], dict[int, Way]] = {}
        for made in self.transcript.made:
            if made.round not in self.shown or made.user not in self.submitted[made.round]:
                continue
            names, hops = split_names(made.names), len(self.openers[made.round]) - 1
            for place, (ask, _) in enumerate(made.answers):
                onion = names[1 + place * hops :][: hops - 1]
                by_question.setdefault((made.round, ask), {})[made.user] = (names[0], *onion)
        return by_question

    def readable(self, number: int) -> bool:
        """Whether a reader can read a round without all keys: no lock is left on it."""
        told = self.board.announcement
        locked = told is not None and told.rules.challenge
        return not locked or self.board.challenged.unlocked(number, self.openers[number])

    def crowds_of(self, number: int, ask: int, members: frozenset[str]) -> Crowds:
        """What a coalition tells apart of the answers to a question of an audited round."""
        hops = self.openers[number][:-1]
        closed = tuple(at for at, party in enumerate(hops) if party not in members)
        key = number, ask, closed
        if key not in self._found:
            ways = self.ways.get((number, ask), {})
            came = self.came.get((number, self.calls[number].asks[ask]), frozenset())
            there = {user: way for user, way in ways.items() if user in came}
            self._found[key] = crowds(there, closed, self.shown[number])
        return self._found[key]

    def followed(self, number: int, members: frozenset[str]) -> Mapping[int, Row]:
        """Per person what a coalition reads at the end of a way that it follows in a round."""
        *hops, reader = self.openers[number]
        if number not in self.shown or reader not in members or not self.readable(number):
            return {}
        closed = [at for at, party in enumerate(hops) if party not in members]
        rows: dict[int, dict[int, str]] = {}
        for ask, columns in enumerate(self.calls[number].asks):
            for user, way in self.ways.get((number, ask), {}).items():
                if all(way[at] in self.shown[number] for at in closed):
                    said = zip(columns, self.answers[number, user, ask], strict=True)
                    rows.setdefault(user, {}).update(said)
        return rows

    def apart(self, read: Iterable[CountsSeen], members: frozenset[str]) -> Iterator[CountsSeen]:
        """What a coalition's reader counts of each crowd by itself, of what it has read in all."""
        for seen in read:
            if seen.round not in self.shown:
                continue
            ask = self.calls[seen.round].asks.index(seen.columns)
            for block in self.crowds_of(seen.round, ask, members).blocks:
                if len(block) < seen.people:
                    said = (self.answers[seen.round, user, ask] for user in sorted(block))
                    yield replace(seen, counts=Counter(said), among=block)

    def tells_more(self, number: int, members: frozenset[str]) -> bool:
        """Whether audits tell the reader of a round more than `apart` counts."""
        if number not in self.shown or self.openers[number][-1] not in members:
            return False
        asks = range(len(self.calls[number].asks))
        return not all(self.crowds_of(number, ask, members).whole for ask in asks)
