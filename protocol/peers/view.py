"""The view of a coalition of peers: the onions that it follows from their senders to the ballots.

All onions are on the board, with senders and receivers; the opener of a layer knows its content. So
members know the way of an onion through themselves. At any other peer, an onion is lost among the
onions that the peer opened in that step. The members' own onions do not count, since members know
their way. If all remaining onions are of one sender, they are still known to be that sender's.
Therefore a coalition that has all peers of an onion's path follows it. It follows more if few
onions pass a peer in a step.

Only onions that are followed for certain are links. If onions of two senders pass a peer, their
probabilities are not counted. An onion that was stopped on its way counts as unread.

Ballots are sealed to a joint key; each peer has a secret share of it. A round that is aborted
before the shares are revealed is never read. A round that is aborted while they are revealed is
read by a coalition that has all missing shares. So an accusation, which is posted before the shares
are revealed and shows a layer of an onion, shows no answer.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from ..knowledge.run_record import CountsSeen
from ..knowledge.transcript import NAME, Row, SealedAnswers, Transcript, name_of, split_names
from ..knowledge.view import View
from ..wire import parties
from .accounting import Reckoning
from .board import PeerBoard
from .onions import BLANK
from .routes import Route, followed


class PeerRecord:
    """The record of a run of peers, from which the view of any coalition is derived."""

    def __init__(self, transcript: Transcript, reckoning: Reckoning) -> None:
        """Keep the transcript, and the state that follows from the board."""
        self.transcript = transcript
        self.board: PeerBoard = reckoning.board
        self.reckoning = reckoning

    @cached_property
    def routes(self) -> Mapping[int, tuple[Route, ...]]:
        """By round, the route of every onion that reached the end of its path."""
        return {
            number: tuple(self._routes(number))
            for number in sorted(
                {user_answers.round for user_answers in self.transcript.sealed_answers}
            )
        }

    def _routes(self, number: int) -> Iterable[Route]:
        """Yield the routes of a round's onions, by the layers on the board. number: the round."""
        steps = range(1, self.board.agreement.path + 1)
        handed = [
            {
                (author, name_of(layer)): receiver
                for author, relay in self.board.relays(number, step).items()
                for receiver, layers in relay.bags
                for layer in layers
            }
            for step in steps
        ]
        for user_answers in self.transcript.sealed_answers:
            if user_answers.round == number:
                yield from self._ways(user_answers, handed)

    def _ways(
        self, user_answers: SealedAnswers, handed: Sequence[Mapping[tuple[int, bytes], int]]
    ) -> Iterable[Route]:
        """Yield the routes of a sender's onions that reached the end of their paths.

        handed: by step, (holder, name of a layer) -> the peer that received the layer. A name is a
        hash.
        """
        size = len(handed) * NAME
        for place, (ask, values) in enumerate(user_answers.answers):
            names = user_answers.names[place * size : (place + 1) * size]
            holder, stops = user_answers.user + 1, list[int]()
            for step, receivers in enumerate(handed):
                holder = receivers.get((holder, names[step * NAME : (step + 1) * NAME]), 0)
                stops.append(holder - 1)
            if min(stops) >= 0:
                answer = None if ask == BLANK else (ask, values)
                yield Route(user_answers.user, tuple(stops), answer, tuple(split_names(names)))

    def linked(self, members: frozenset[int]) -> dict[int, dict[int, Row]]:
        """Return, by round and person, the values that a coalition links to other persons.

        members: the coalition of peers, by index.
        """
        rows: dict[int, dict[int, dict[int, str]]] = {}
        for number, routes in self.routes.items():
            if not self.readable(number, members):
                continue
            asks = self.asks[number]
            for place in followed(routes, members):
                route = routes[place]
                if route.answer is not None:
                    row_items = zip(asks[route.answer[0]], route.answer[1], strict=True)
                    rows.setdefault(number, {}).setdefault(route.origin, {}).update(row_items)
        return {number: dict(people) for number, people in rows.items()}

    @cached_property
    def asks(self) -> Mapping[int, tuple[tuple[int, ...], ...]]:
        """By round, the sets of columns of its query; also for an aborted round."""
        asks = {call.round: call.asks for call in self.reckoning.calls}
        columns = range(len(self.board.agreement.schema.features))
        asks.setdefault(1, tuple((column,) for column in columns))
        decision = self.reckoning.proposed
        if decision is not None and decision.kept:
            asks.setdefault(2, (decision.kept,))
        return asks

    @cached_property
    def rows_by_round(self) -> Mapping[int, Mapping[int, Row]]:
        """Per round and person, the submitted row."""
        rows: dict[int, dict[int, Row]] = {}
        for user_answers in self.transcript.sealed_answers:
            row: dict[int, str] = {}
            for ask, values in user_answers.answers:
                if ask != BLANK:
                    row.update(zip(self.asks[user_answers.round][ask], values, strict=True))
            rows.setdefault(user_answers.round, {})[user_answers.user] = row
        return rows

    @cached_property
    def truth(self) -> Mapping[int, Row]:
        """The values of every person, by column, as far as submitted; no party knows them all."""
        rows: dict[int, dict[int, str]] = {}
        for people in self.rows_by_round.values():
            for person, row in people.items():
                rows.setdefault(person, {}).update(row)
        return rows

    def readable(self, number: int, members: frozenset[int]) -> bool:
        """Whether a coalition of peers can open the ballots of a round.

        It can if all peers outside it have revealed their secret shares of the joint key. number:
        the round. members: the coalition, by index.
        """
        shares, path = self.board.shares(number), self.board.agreement.path
        unrevealed_peers = shares.keys() - self.board.revealed_secrets(number).keys()
        opening = number < self.board.place[0] or self.board.place[1] >= path + 4
        return bool(shares) and opening and all(peer - 1 in members for peer in unrevealed_peers)

    def _counted(self, members: frozenset[int]) -> Iterable[tuple[CountsSeen, frozenset[int]]]:
        """Yield the counts that a coalition of peers can read, each with the counted people.

        The counts of a completed round are on the board. Of an aborted round the coalition counts
        the ballots, if it can open them. members: the coalition, by index.
        """
        all_peers = frozenset(number - 1 for number in self.board.keys)
        agreed_rounds = len(self.reckoning.tallies)
        for number, tally in enumerate(self.reckoning.tallies, start=1):
            for columns, counts in zip(self.asks[number], tally, strict=True):
                yield CountsSeen(number, columns, counts), all_peers
        for number, routes in self.routes.items():
            if (
                number <= agreed_rounds
                or number not in self.asks
                or not self.readable(number, members)
            ):
                continue
            for ask, columns in enumerate(self.asks[number]):
                answers = [
                    (route.origin, route.answer[1])
                    for route in routes
                    if route.answer is not None and route.answer[0] == ask
                ]
                respondents = frozenset(origin for origin, _ in answers)
                # counted only if each respondent has one answer: otherwise the result would be no
                # count of people
                if respondents and len(respondents) == len(answers):
                    yield (
                        CountsSeen(number, columns, Counter(row for _, row in answers)),
                        respondents,
                    )

    def view(self, members: Iterable[str]) -> View:
        """Any party: return the joint view of a coalition.

        Members that are no peers see only the board. members: the names of the parties.
        """
        coalition = frozenset(members)
        roles = {party: parties.role(party) for party in coalition}
        inside = frozenset(
            parties.index(member) for member in coalition if roles[member] is parties.Role.PEER
        )
        pinned: dict[int, dict[int, Row]] = {**self.linked(inside)}
        for number, rows in self.rows_by_round.items():
            member_rows = {person: rows[person] for person in inside if person in rows}
            if member_rows:
                pinned[number] = {**pinned.get(number, {}), **member_rows}
        read = tuple(self._counted(inside))
        counted = tuple(counts_seen for counts_seen, _ in read)
        respondents = {
            (counts_seen.round, counts_seen.columns): people for counts_seen, people in read
        }
        users = self.transcript.users
        return View(
            coalition,
            users,
            True,
            pinned,
            counted,
            {},
            {},
            self.transcript,
            respondents,
            public=True,
        )
