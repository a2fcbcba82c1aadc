"""Explanations of the knowledge of a coalition of peers: the route of each onion, step by step.

Every message is on the board, so all peers see which peer hands an onion to which. The derivation
finds the sender of an onion (protocol/peers/routes.py), and the content of a ballot once all
secrets of the round are known.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ....number_text import joined
from ....protocol.knowledge.transcript import Row, split_names
from ....protocol.peers.routes import Route, RouteHop, RouteRule, trail
from ....protocol.peers.view import PeerRecord
from ....protocol.wire import parties
from .reasons import DerivationStep, Explanation


class Layer(NamedTuple):
    """A sealed layer of an onion: its sender and its place on the onion's route.

    Attributes:
        origin: the peer that sealed the onion, an index from 0.
        round: the number of the round.
        step: the step of the round, from 1, in which the layer's opener receives the layer.
    """

    origin: int
    round: int
    step: int


class PeerExplainer:
    """A translator of the routes of onions into sentences about a coalition's knowledge.

    Attributes:
        names: the names (beginnings of hashes) of all sealed layers.
    """

    def __init__(self, record: PeerRecord, members: Sequence[str], columns: Sequence[str]) -> None:
        """Prepare the explanations.

        record: the run. members: the parties of the coalition. columns: the names of all columns.
        """
        self.record = record
        self.columns = columns
        peers = (party for party in members if parties.role(party) is parties.Role.PEER)
        self.members = frozenset(map(parties.index, peers))
        self.coalition_name = " + ".join(sorted(set(members))) or "anybody"
        self.names: Collection[bytes] = self._layers
        self._steps: list[DerivationStep] = []

    @cached_property
    def _layers(self) -> dict[bytes, Layer]:
        """All sealed layers, by the layer's name (the beginning of its hash)."""
        path = self.record.board.agreement.path
        return {
            name: Layer(message.user, message.round, at % path + 1)
            for message in self.record.transcript.sealed_answers
            for at, name in enumerate(split_names(message.names))
        }

    def _write(self, rule: str, text: str, *premises: int) -> int:
        """Add a step to the derivation, unless its text is there already; return the step's number.

        rule: the inference rule. text: the conclusion. premises: the numbers of the steps that it
        needs.
        """
        for step in self._steps:
            if step.text == text:
                return step.number
        self._steps.append(DerivationStep(len(self._steps) + 1, rule, text, premises))
        return len(self._steps)

    def person(self, person: int) -> Explanation:
        """Return an explanation of the coalition's knowledge about a peer, given by index.

        If the coalition does not link the peer, the explanation ends where the coalition loses the
        peer's onions.
        """
        about, linked = (
            parties.peer(person),
            f"{parties.peer(person)} is linked by {self.coalition_name}",
        )
        if person in self.members:
            for number, rows in sorted(self.record.rows_by_round.items()):
                if person in rows:
                    self._write_own_row(number, person, rows[person])
            return Explanation(about, tuple(self._steps), linked)
        readable = {n for n in self.record.routes if self.record.readable(n, self.members)}
        ends = [(n, place, self._end(n, place)) for n, place in self._answers(person)]
        places = [(n, place) for n, place, lost_at in ends if lost_at is None and n in readable]
        for number, place in places or [(n, place) for n, place, _ in ends]:
            self._follow(number, place, is_named=bool(places))
        if places:
            return Explanation(about, tuple(self._steps), linked)
        ending, missing = self._ending(about, [(n, lost_at) for n, _, lost_at in ends])
        return Explanation(about, tuple(self._steps), ending, missing)

    def _answers(self, person: int) -> Iterator[tuple[int, int]]:
        """Yield (round, index of the onion's route) for each onion of a peer that holds an answer.

        person: the index of the peer. The index of a route counts all onions of the round, from 0.
        """
        for number, routes in sorted(self.record.routes.items()):
            for place, route in enumerate(routes):
                if route.origin == person and route.answer is not None:
                    yield number, place

    def _end(self, number: int, place: int) -> int | None:
        """Return the peer at which the coalition loses track of an onion; None if it never does.

        number: the round. place: the index of the onion among the round's routes.
        """
        last = trail(self.record.routes[number], self.members, place)[-1]
        return last.peer if last.rule is RouteRule.LOST else None

    def message(self, name: bytes) -> Explanation:
        """Return an explanation of the coalition's knowledge about a layer and its sender.

        name: the beginning of the layer's hash.
        """
        layer, about = self._layers[name], name.hex()
        sealed = self.record.routes.get(layer.round, ())
        place = next((at for at, item in enumerate(sealed) if name in item.names), None)
        if layer.origin in self.members:
            text = f"{about} was sealed by {parties.peer(layer.origin)}, a member"
            step = DerivationStep(1, "own", text, ())
            return Explanation(
                about, (step,), f"its sender and its content are known to {self.coalition_name}"
            )
        if place is None:
            return Explanation(about, (), f"the onion of {about} was stopped on its way")
        route, hops = sealed[place], trail(sealed, self.members, place)
        opener, ends, missing = route.stops[layer.step - 1], list[str](), tuple[str, ...]()
        if followed := len(hops) >= layer.step:
            fact = self._posted(layer.round, route)
            for hop in hops[: layer.step - 1]:
                fact = self._past(layer.round, route, hop, fact)
        else:
            fact = self._handed(layer, route)
        if opener in self.members:
            self._opened(layer, route, fact)
        else:
            missing = (parties.peer(opener),)
            ends.append(f"it does not open without the key of {parties.peer(opener)}")
        if not followed:
            ends.append("its sender is not known")
        ending = "; ".join(ends) or f"its sender and its content are known to {self.coalition_name}"
        return Explanation(about, tuple(self._steps), ending, missing)

    def _handed(self, layer: Layer, route: Route) -> int:
        """Write the step in which a layer is posted for its opener; return the step's number.

        layer: the layer's place on its route. route: the route of its onion.
        """
        giver, taker = (parties.peer(route.stops[layer.step - at]) for at in (2, 1))
        return self._write(
            "saw",
            f"everybody saw {giver} post {route.names[layer.step - 1].hex()} for {taker}, in step "
            f"{layer.step} of round {layer.round}",
        )

    def _opened(self, layer: Layer, route: Route, fact: int) -> None:
        """Write the step of the explanation in which a member of the coalition opens a layer.

        route: the route of the layer's onion. fact: the number of the explanation's step before it.
        """
        peer = parties.peer(route.stops[layer.step - 1])
        key = self._write("key", f"{peer} has its own key")
        text = f"so {peer} opens {route.names[layer.step - 1].hex()}: {_inside(route, layer.step)}"
        self._write("open", text, fact, key)

    def _write_own_row(self, number: int, person: int, row: Row) -> int:
        """Write the step of the explanation that a member knows its own answers; return its number.

        number: the round. person: the member. row: its answers.
        """
        row_text = " ".join(f"{self.columns[column]}={row[column]}" for column in sorted(row))
        return self._write(
            "own", f"{parties.peer(person)} said {row_text} itself in round {number}"
        )

    def _follow(self, number: int, place: int, *, is_named: bool) -> None:
        """Write the steps along an onion's route, up to the hop at which the coalition loses it.

        number: the round. place: the index of the onion among the round's routes. is_named: whether
        to write the content of its ballot, too.
        """
        routes = self.record.routes[number]
        route = routes[place]
        fact = self._posted(number, route)
        for hop in trail(routes, self.members, place):
            if hop.rule is not RouteRule.LOST:
                fact = self._past(number, route, hop, fact)
        if is_named:
            self._write_reader(number, route, fact)

    def _posted(self, number: int, route: Route) -> int:
        """Write the step in which a peer posts its own onion; return the step's number.

        number: the round. route: the route of the onion.
        """
        owner, first = parties.peer(route.origin), parties.peer(route.stops[0])
        return self._write(
            "sender",
            f"{route.names[0].hex()} is {owner}'s: everybody saw {owner} post it for {first}, in "
            f"step 1 of round {number}",
        )

    def _past(self, number: int, route: Route, hop: RouteHop, fact: int) -> int:
        """Write the step that follows an onion past a peer; return the number of the step.

        The coalition can follow it if the peer is a member, or if all onions of outsiders at the
        peer are from one sender. fact: the number of the step before.
        """
        owner, peer = parties.peer(route.origin), parties.peer(hop.peer)
        inside = _inside(route, hop.step)
        if hop.rule is RouteRule.OPEN:
            key = self._write("key", f"{peer} has its own key")
            text = f"so {peer} opens {hop.name.hex()}: {inside}, which is {owner}'s too"
            return self._write("open", text, fact, key)
        onions = f"one of {hop.onions} onions, all {owner}'s,"
        onion = "the only onion" if hop.onions == 1 else onions
        text = (
            f"{hop.name.hex()} is {onion} that {peer} opened in step {hop.step} of round {number}, "
            f"apart from members' own; so the layer inside is {owner}'s too: {inside}"
        )
        return self._write("alone", text, fact)

    def _write_reader(self, number: int, route: Route, fact: int) -> None:
        """Write the steps in which the round's secrets open a ballot.

        number: the round. route: the onion's route. fact: the number of the step before.
        """
        withholders = self._withheld(number)
        keys = (
            f"; {' + '.join(withholders)} {'has' if len(withholders) == 1 else 'have'} the rest"
            if withholders
            else ""
        )
        secrets = self._write(
            "key", f"secrets of round {number} are on the board{keys}: ballots open"
        )
        text = (
            f"so {parties.peer(route.origin)} said {self._answer(number, route)} in round {number}"
        )
        self._write("read", text, fact, secrets)

    def _withheld(self, number: int) -> list[str]:
        """Return the peers without a posted secret of a round; ballots open with all secrets.

        number: the round.
        """
        board = self.record.board
        return [
            parties.peer(peer - 1)
            for peer in board.shares(number).keys() - board.revealed_secrets(number).keys()
        ]

    def _answer(self, number: int, route: Route) -> str:
        """Return the answer inside an onion as text, such as "age=30 sex=f".

        number: the round. route: the onion's route.
        """
        if route.answer is None:
            return "nothing: it is blank"
        ask, values = route.answer
        columns = self.record.asks[number][ask]
        return " ".join(
            f"{self.columns[column]}={value}" for column, value in zip(columns, values, strict=True)
        )

    def _ending(
        self, about: str, ends: Sequence[tuple[int, int | None]]
    ) -> tuple[str, tuple[str, ...]]:
        """Return the reason why the coalition's knowledge ends, and the peers that could extend it.

        about: the person. ends: for each of the person's onions, the round, and the peer at which
        the coalition loses it (None: nowhere).
        """
        if not ends:
            return f"no onion of {about} has come to the end of its path", ()
        lost_names = tuple(
            dict.fromkeys(parties.peer(peer) for _, peer in ends if peer is not None)
        )
        if lost_names:
            trail = "which incoming onion became which outgoing onion"
            return (
                f"there the trail ends: {trail} is known to {joined(lost_names)} alone",
                lost_names,
            )
        closed = dict.fromkeys(name for number, _ in ends for name in self._withheld(number))
        sealed = "the secrets that open them were not shown"
        return f"{self.coalition_name} sees whose ballots they are; {sealed}", tuple(closed)


def _inside(route: Route, step: int) -> str:
    """Return the content of an onion's layer as text: a ballot, or the next layer and its opener.

    step: the number of the layer on its route, from 1.
    """
    if step == len(route.stops):
        return "a sealed ballot"
    return f"{route.names[step].hex()}, for {parties.peer(route.stops[step])}"
