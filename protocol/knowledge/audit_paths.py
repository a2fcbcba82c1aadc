"""Leakage of audits about senders: followed messages, and crowds that a coalition distinguishes.

An audit opens half of the layers of every pair of hops in public (audit.py). So a coalition follows
a message through a hop if the hop's shuffler is a member, or if that layer was opened. Each message
has a closed hop in each pair. So a coalition with neither shuffler of a pair follows no message
through the pair. A coalition with one of the two follows the messages that the other shuffler had
to open, about half.

At a hop of another party, a coalition cannot follow the messages with unopened layers. Their
senders form a group (a block): the coalition distinguishes the group from all other senders, and
counts its answers separately. Groups of two hops may overlap in part. Then they are merged here,
although the coalition also has probabilities of membership. These are not computed
(`AnswerCrowds.whole` is False).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..board.board import Board
from .run_record import CountsSeen, RunRecord
from .transcript import Row, Transcript, name_of, split_names

# names (hashes) of an answer's layers at every shuffler, the envelope first
Way = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class AnswerCrowds:
    """The groups of people (crowds) that a coalition can separate among the answers to a query.

    Attributes:
        blocks: people in each crowd, by index; a person in no block is followed individually.
        whole: whether the blocks are all that the coalition knows; False: it also has probabilities
            of membership, because groups overlap.
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

    ways: for one query, by person, the names (hashes) of the answer's layers at every shuffler.
    closed: indices of shufflers outside the coalition, from 0. opened_layers: names of the layers
    opened in public.
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
        """By audited round, hashes of layers opened in public; empty without records of people."""
        return {} if self.transcript.summary else shown_layers(self.board)

    @cached_property
    def ways(self) -> Mapping[tuple[int, int], Mapping[int, Way]]:
        """By audited round and query, the names of each user's layers, in the shufflers' order.

        A name is a hash. The envelope is first.
        """
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
        """Whether the curator or analyst needs only its own key to open a round's ballots.

        False while the ballots are locked (sealed to a joint key), until all shufflers have
        revealed their shares of the key. number: the round.
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

        A message is followed past a shuffler that is a member, or that had to open this message's
        layer in an audit. number: the round.
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
        """Yield the counts of each group of people that a coalition can count separately.

        They exist only if the coalition includes the round's curator or analyst. A group has the
        senders of messages that an audit left closed at the same shuffler. read: the counts that
        the coalition has read. members: the coalition.
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
        """Whether audits tell a coalition more about senders than is computed here.

        An audit splits the senders of a shuffler's inputs into two groups, by opened and unopened
        layers. A coalition with the round's curator or analyst counts these groups separately. If
        groups of two shufflers overlap, the coalition also has probabilities of membership, which
        are not computed. number: the round.
        """
        if number not in self.opened_layers or self.openers[number][-1] not in members:
            return False
        asks = range(len(self.calls[number].asks))
        return not all(self.crowds_of(number, ask, members).whole for ask in asks)
