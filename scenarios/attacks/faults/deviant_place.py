"""The network access of a coalition member, which changes the honest role's messages and posts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import trio

from ....crypto.signing import Signer
from ....errors import Reason
from ....protocol.board.phases import BOARD
from ....protocol.rounds.registered_users import submission
from ....protocol.rounds.round_context import Round
from ....protocol.search.changes import changed
from ....protocol.search.deviation import Action, Deviation
from ....protocol.wire import parties
from ....protocol.wire.announcement import Announcement
from ....protocol.wire.bodies import KINDS
from ....protocol.wire.messages import Alarm, Body, Burned, Call, Cause, Kind, Submission
from ....roles.network.board_stream import Hold, PausedStream
from ....roles.network.memory_network import EVERY_ROUND, Endpoint, Fault, Network
from .batch_door import BatchDoor, Layers, Turn
from .deviation import Deviations, deadline_of, is_person
from .shuffler import covering_rows
from .substitute_board import is_shown_to, misled, retell

GROUNDLESS = "a round is burned without a cause"
PROVED = (Kind.KEYS, Kind.HANDED, Kind.CHECKED, Kind.SHUFFLED, Kind.SHARED)
MESSAGE_ACTIONS = (Action.OMIT, Action.DELAY, Action.CHANGE)
IN_BATCH = (Action.DROP, Action.DOUBLE, Action.REPLACE)


class DeviantPlace(Endpoint):
    """The network access of a coalition member, which changes the honest role's messages and posts.

    deviations: the strategy of the coalition.
    """

    def __init__(self, deviations: Deviations, network: Network, party: str) -> None:
        """Join the network as a member of the coalition with this strategy."""
        super().__init__(network, party)
        self.deviations = deviations

    def _round_deviations(self, number: int, *kinds: Action) -> Iterator[Deviation]:
        """Yield this member's deviations that have a given kind and apply in a round."""
        return (
            deviation
            for deviation in self.deviations.deviations_by(self.party, *kinds)
            if deviation.is_in(number)
        )

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send a message as this member's deviations demand: other row, changed, late, or not."""
        number = plan.call.round
        for deviation in self._round_deviations(number, Action.SAY):
            if isinstance(body, Submission):
                self.deviations.note(deviation, self.network.instruments)
                # If `plan.shape` is set (release program `threshold`), deviant_cast.py has given
                # the honest role this row as its own, so the submission needs no change.
                if plan.shape is None:
                    body = self._submission(plan, deviation.row, self.signer)
        replacement = await self._passed(number, receiver, body)
        if replacement is not None:
            await super().send(plan, receiver, replacement)

    async def post(self, body: Body) -> None:
        """Post a message as the deviations change it, after any groundless alarm or abort."""
        number = body.round if isinstance(body, Call) else len(self.network.board.calls)
        kind = KINDS[type(body)]
        if kind is Kind.BURNED and self._changes_proved_posts():
            await trio.lowlevel.checkpoint()
            return
        for deviation in self._round_deviations(number, Action.REACT):
            if deviation.until is kind:
                self.deviations.note(deviation, self.network.instruments)
                await super().post(_reaction(deviation, number))
        for deviation in self._round_deviations(number, Action.ASK):
            if isinstance(body, Call) and number in self.deviations.deviant_rounds:
                self.deviations.note(deviation, self.network.instruments)
        replacement = await self._passed(number, BOARD, body)
        if replacement is not None:
            await super().post(replacement)
        for deviation in self._round_deviations(number, Action.SHOW):
            if isinstance(replacement, Announcement):
                retell(self.deviations, deviation, self.network, replacement)

    def _changes_proved_posts(self) -> bool:
        """Whether this party deviates in posts of a verified mix, which carry a proof.

        Then its honest role tries to abort the round, because the board shows posts that the role
        has not made.
        """
        return any(
            deviation.message in PROVED
            for deviation in self._round_deviations(len(self.network.board.calls), *MESSAGE_ACTIONS)
        )

    async def _passed(self, number: int, receiver: str, body: Body) -> Body | None:
        """Return the message as it leaves, unchanged or changed; None if a deviation omits it.

        A delay is waited for here. number: the round. receiver: a party, or the board for a post.
        """
        kind = KINDS[type(body)]
        for deviation in self._round_deviations(number, Action.OMIT, Action.DELAY, Action.CHANGE):
            if deviation.message is not kind or (
                is_person(receiver) and not deviation.means(receiver)
            ):
                continue
            self.deviations.note(deviation, self.network.instruments)
            match deviation.do:
                case Action.OMIT:
                    await trio.lowlevel.checkpoint()
                    return None
                case Action.DELAY:
                    await trio.sleep(deviation.deadlines * deadline_of(self.network))
                case _:
                    is_target = self.deviations.entry_test(deviation, self.network.board)
                    body = changed(body, deviation.field, deviation.change, is_target) or body
        return body

    def _submission(self, plan: Round, row: Sequence[str], signer: Signer | None) -> Submission:
        """Return a submission of this user with another row, sealed for the round.

        signer: the signing key of a registered user; None if users are not registered.
        """
        sealed = self.deviations.sealed(plan, row, f"say {self.party}")
        return submission(plan, sealed.envelope, signer)


def _means(deviation: Deviation, place: int, senders: Sequence[str]) -> bool:
    """Whether a deviation affects the ballots at a place of the batch.

    senders: the users that sent the ballots, if they are known; otherwise the place decides.
    """
    return deviation.means(senders[place]) if senders else deviation.means_place(place)


def _by_name(senders: Sequence[str]) -> Callable[[int], int]:
    """Return a sort key for places in a batch that does not depend on the order of arrival.

    The key is the number of the user at this place. senders: the users; if empty, the key is the
    place.
    """
    return lambda place: parties.index(senders[place]) if senders else place


def _reaction(deviation: Deviation, number: int) -> Body:
    """Return the groundless post of a deviation: an abort, or an alarm. number: the round."""
    if deviation.message is Kind.BURNED:
        return Burned(GROUNDLESS)
    return Alarm(number, Cause(deviation.change))


class DeviantShuffler(DeviantPlace, BatchDoor):
    """The network access of a deviating shuffler, which changes ballots that it has opened."""

    def strikes(self, number: int) -> bool:
        """Whether a deviation changes ballots of a round, by its number."""
        return any(True for _ in self._round_deviations(number, *IN_BATCH))

    def change(self, turn: Turn) -> None:
        """Drop, double or replace ballots in a batch.

        The first shuffler selects ballots by user; a later shuffler selects them by place in the
        batch.
        """
        slots = turn.plan.slots if turn.senders else 1
        for deviation in self._round_deviations(turn.plan.call.round, *IN_BATCH):
            groups = [turn.layers[at : at + slots] for at in range(0, len(turn.layers), slots)]
            hit = [at for at in range(len(groups)) if _means(deviation, at, turn.senders)]
            ranks = {at: rank for rank, at in enumerate(sorted(hit, key=_by_name(turn.senders)))}
            turn.layers = [
                layer
                for at, group in enumerate(groups)
                for layer in (
                    self._instead(turn, deviation, ranks[at], group) if at in ranks else group
                )
            ]

    def _instead(self, turn: Turn, deviation: Deviation, rank: int, group: Layers) -> Layers:
        """Return the layers that replace a group of layers; dropped layers are counted as unopened.

        group: at the first shuffler, all layers of a user; elsewhere a single layer. rank: the
        position of this group among the affected groups. If the deviation gives no row, the
        replacement rows cycle through all possible rows, and `rank` selects one.
        """
        self.deviations.note(deviation, self.network.instruments)
        if deviation.do is Action.DROP:
            turn.refused[Reason.DOES_NOT_OPEN] += len(group)
            return []
        if deviation.do is Action.DOUBLE:
            return [*group, *group]
        row = deviation.row or covering_rows(turn.plan, rank + 1)[-1]
        own_answer = self.deviations.sealed(turn.plan, row, f"replace {self.party} {rank}")
        return [onion[self.hop - 1] for onion in own_answer.onions][: len(group)]


def places(deviations: Deviations) -> Mapping[str, Fault]:
    """Return the network access of each deviating member, and of deceived users, by party.

    A deceived user is honest, but sees the board with a delay, or a board with changed posts.
    """
    faults: dict[str, Fault] = {
        member: partial(_place(member), deviations)
        for member in {deviation.by for deviation in deviations.strategy}
        if member != parties.NETWORK
    }
    holds = list(deviations.deviations_by(parties.NETWORK, Action.HOLD))
    for person in map(parties.user, range(deviations.people)) if holds else ():
        mine = [hold for hold in holds if hold.means(person)]
        if mine and person not in faults and person not in deviations.members:
            faults[person] = partial(_withheld, deviations, mine)
    shows = list(deviations.deviations_by(parties.NETWORK, Action.SHOW))
    readers = {*map(parties.user, range(deviations.people)), *(p for s in shows for p in s.people)}
    for party in sorted(readers) if shows else ():
        party_shows = [show for show in shows if is_shown_to(show, party)]
        if party_shows and party not in faults and party not in deviations.members:
            faults[party] = partial(misled, deviations, party_shows)
    return faults


def _place(member: str) -> type[DeviantPlace]:
    """Return the class of a member's network access."""
    is_shuffler = parties.role(member) is parties.Role.SHUFFLER
    return DeviantShuffler if is_shuffler else DeviantPlace


def _withheld(
    deviations: Deviations, holds: Sequence[Deviation], network: Network, party: str
) -> Endpoint:
    """Return the network access of an honest user that sees the board with a delay.

    holds: the deviations that withhold posts from this user.
    """
    spans = [
        Hold(hold.message, hold.until, hold.until_by, hold.rounds or EVERY_ROUND)
        for hold in holds
        if hold.message is not None and hold.until is not None
    ]
    network.show(party, PausedStream(network.stream, spans))
    for hold in holds:
        deviations.note(hold, network.instruments)
    return Endpoint(network, party)
