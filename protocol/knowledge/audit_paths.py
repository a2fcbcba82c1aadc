"""Leakage of audits about senders: followed messages, and crowds that a coalition distinguishes.

An audit opens half of the layers of every pair of hops in public (audit.py). So a coalition follows
a message through a hop if the hop's shuffler is a member, or if that layer was opened. Each message
has a closed hop in each pair. So a coalition with neither shuffler of a pair follows no message
through it; a coalition with one of them follows the messages that the other had to open, about
half.

Behind a hop that it does not follow, a coalition distinguishes the closed messages there (a block)
from all others, and can count the answers of each block separately. Blocks of two hops that overlap
in part are merged here: the coalition then also has probabilities of membership, which is reported
(`AnswerCrowds.whole`) and not counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..board.board import Board
from .run_record import CountsSeen, RunRecord
from .transcript import Row, Transcript, name_of, split_names

Way = tuple[bytes, ...]  # names of an answer's layers at every hop, the envelope first


@dataclass(frozen=True, slots=True)
class AnswerCrowds:
    """The groups of people (crowds) that a coalition can separate among the answers to a query.

    Attributes:
        blocks: people in each crowd, by index; a person in no block is followed individually.
        whole: whether the blocks are all of the coalition's knowledge.
    """

    blocks: tuple[frozenset[int], ...]
    whole: bool


def shown_layers(board: Board) -> Mapping[int, frozenset[bytes]]:
    """Any party: return, by audited round, the names (hashes) of the layers opened in public."""
    return {
        number: frozenset(name_of(link.layer) for body in hops.values() for link in body.links)
        for number, hops in board.audited.opened.items()
    }


def crowds(
    ways: Mapping[int, Way], closed: Sequence[int], opened_layers: frozenset[bytes]
) -> AnswerCrowds:
    """Any party: return the groups of people that a coalition can separate after an audit.

    ways: for a query, by person, the names of its layers at every hop. closed: hops of non-members,
    from 0. opened_layers: names of the layers opened in public.
    """
    blocks = [
        block
        for hop in closed
        if (block := frozenset(user for user, way in ways.items() if way[hop] not in opened_layers))
    ]
    joined: list[frozenset[int]] = []
    for block in blocks:
        disjoint_crowds = [crowd for crowd in joined if not crowd & block]
        joined = [*disjoint_crowds, block.union(*(crowd for crowd in joined if crowd & block))]
    return AnswerCrowds(tuple(joined), all(crowd in blocks for crowd in joined))


class AuditedRecord(RunRecord):
    """The record of a run that includes the layers opened in audits, for views of any coalition."""

    def __init__(self, transcript: Transcript, board: Board) -> None:
        """Start from a transcript and the board of a run."""
        super().__init__(transcript, board)
        self._crowd_cache: dict[tuple[int, int, tuple[int, ...]], AnswerCrowds] = {}

    @cached_property
    def opened_layers(self) -> Mapping[int, frozenset[bytes]]:
        """By audited round, the names of layers opened in public; empty in a summary."""
        return {} if self.transcript.summary else shown_layers(self.board)

    @cached_property
    def ways(self) -> Mapping[tuple[int, int], Mapping[int, Way]]:
        """By audited round and query, the names of the layers of a user's answer, in hop order."""
        by_question: dict[tuple[int, int], dict[int, Way]] = {}
        for user_answers in self.transcript.sealed_answers:
            if (
                user_answers.round not in self.opened_layers
                or user_answers.user not in self.submitted[user_answers.round]
            ):
                continue
            names, hops = split_names(user_answers.names), len(self.openers[user_answers.round]) - 1
            for place, (ask, _) in enumerate(user_answers.answers):
                onion = names[1 + place * hops :][: hops - 1]
                by_question.setdefault((user_answers.round, ask), {})[user_answers.user] = (
                    names[0],
                    *onion,
                )
        return by_question

    def readable(self, number: int) -> bool:
        """Whether a reader needs only its own key for a round's ballots: they have no closed lock.

        number: the round.
        """
        announcement = self.board.announcement
        locked = announcement is not None and announcement.rules.challenge
        return not locked or self.board.challenged.unlocked(number, self.openers[number])

    def crowds_of(self, number: int, ask: int, members: frozenset[str]) -> AnswerCrowds:
        """Return the groups of people that a coalition can separate in the answers to a query.

        number: the round. ask: the number of the query. members: the coalition.
        """
        hops = self.openers[number][:-1]
        closed = tuple(at for at, party in enumerate(hops) if party not in members)
        key = number, ask, closed
        if key not in self._crowd_cache:
            ways = self.ways.get((number, ask), {})
            respondents = self.respondents.get((number, self.calls[number].asks[ask]), frozenset())
            respondent_ways = {user: way for user, way in ways.items() if user in respondents}
            self._crowd_cache[key] = crowds(respondent_ways, closed, self.opened_layers[number])
        return self._crowd_cache[key]

    def followed(self, number: int, members: frozenset[str]) -> Mapping[int, Row]:
        """Return, by person, the values that a coalition reads by following messages.

        A message is followed past a hop of a member, or a hop that an audit opened. number: the
        round.
        """
        *hops, reader = self.openers[number]
        if number not in self.opened_layers or reader not in members or not self.readable(number):
            return {}
        closed = [at for at, party in enumerate(hops) if party not in members]
        rows: dict[int, dict[int, str]] = {}
        for ask, columns in enumerate(self.calls[number].asks):
            for user, way in self.ways.get((number, ask), {}).items():
                if all(way[at] in self.opened_layers[number] for at in closed):
                    column_values = zip(columns, self.answers[number, user, ask], strict=True)
                    rows.setdefault(user, {}).update(column_values)
        return rows

    def separate_counts(
        self, read: Iterable[CountsSeen], members: frozenset[str]
    ) -> Iterator[CountsSeen]:
        """Yield the counts of each group of people that a coalition's reader can count separately.

        read: the counts that the coalition has read.
        """
        for counts_seen in read:
            if counts_seen.round not in self.opened_layers:
                continue
            ask = self.calls[counts_seen.round].asks.index(counts_seen.columns)
            for block in self.crowds_of(counts_seen.round, ask, members).blocks:
                if len(block) < counts_seen.people:
                    answers = (self.answers[counts_seen.round, user, ask] for user in sorted(block))
                    yield replace(counts_seen, counts=Counter(answers), among=block)

    def reveals_more(self, number: int, members: frozenset[str]) -> bool:
        """Whether audits reveal more to a round's reader than the counts of separable groups.

        Then overlapping groups give probabilities, which are not computed.
        """
        if number not in self.opened_layers or self.openers[number][-1] not in members:
            return False
        asks = range(len(self.calls[number].asks))
        return not all(self.crowds_of(number, ask, members).whole for ask in asks)
