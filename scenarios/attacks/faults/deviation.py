"""The strategy of a coalition in a session, and the record of the coalition's view.

A deviation is data (protocol/search/deviation.py), derived from the protocol and from no known
attack. deviant_place.py carries deviations out at members, deviant_wire.py in transit.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....crypto.entropy import Entropy
from ....protocol.board.board import Board
from ....protocol.board.phases import BOARD
from ....protocol.knowledge.adversary_view import AdversaryView
from ....protocol.knowledge.opened_exploits import Function
from ....protocol.rounds.ballots import Sealed, answers, coarsened_row, enclose
from ....protocol.rounds.round_context import Round, sealing
from ....protocol.search.changes import TargetTest
from ....protocol.search.deviation import Action, Deviation
from ....protocol.search.opened_groups import KnownOutputs
from ....protocol.search.view import SearchEvent, known_values
from ....protocol.wire import parties
from ....protocol.wire.parties import RANDOMNESS, Role, role
from ....roles.adversary_record import AdversaryRecord
from ....roles.network.instruments import Instruments
from ....roles.network.memory_network import Network
from ....roles.occasions import note_of
from .member_levels import Row, row_outputs, seal_own

OtherSession = Callable[[AdversaryView], AdversaryView]


@dataclass(slots=True)
class DeviationRecord(AdversaryRecord):
    """The record of the coalition's view, with times, for inferences by the attack search.

    Attributes:
        events: messages and posts, in order.
        own_layers: the layers of each ballot that members made, outermost first.
        other_sessions: functions from the coalition's view to its view of a session that was shown
            to a single party.
    """

    events: list[SearchEvent] = field(default_factory=list)
    own_layers: list[tuple[bytes, ...]] = field(default_factory=list)
    other_sessions: list[OtherSession] = field(default_factory=list)

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Record a message that the network carried, and its time, in seconds of the session."""
        self.events.append(SearchEvent(time, sender, receiver, data))
        AdversaryRecord.carried(self, time, sender, receiver, data)

    def keep_layers(self, sealed: Sealed) -> None:
        """Keep the layers of ballots that a member made itself."""
        self.own_layers += sealed.onions


@dataclass(frozen=True, slots=True)
class Deviations:
    """A coalition's strategy, and the data to carry it out in a session.

    Attributes:
        strategy: the deviations.
        members: the coalition, if further parties pool their views.
        entropy: the sealing randomness of the coalition's answers.
        people: the number of users.
        record: the record of the coalition's view.
        deviant_rounds: the rounds in which the curator's call deviated from its rule.
        consulted: the rows of which members have the outputs of `randomness`.
    """

    strategy: tuple[Deviation, ...]
    entropy: Entropy
    people: int
    members: tuple[str, ...] = ()
    record: DeviationRecord = field(default_factory=DeviationRecord)
    deviant_rounds: set[int] = field(default_factory=set)
    consulted: set[Row] = field(default_factory=set)

    @property
    def coalition(self) -> tuple[str, ...]:
        """The names of all members, in order: deviating parties and parties that pool views."""
        return tuple(sorted({*self.members, *(deviation.by for deviation in self.strategy)}))

    def deviations_by(self, member: str, *kinds: Action) -> Iterator[Deviation]:
        """Yield the deviations of a member, of some kinds."""
        return (
            deviation
            for deviation in self.strategy
            if deviation.by == member and deviation.do in kinds
        )

    def note(self, deviation: Deviation, instruments: Instruments) -> None:
        """Record that a deviation was carried out, for each of its places in the strategy."""
        for place, candidate in enumerate(self.strategy):
            if candidate == deviation:
                note_of(place)(instruments)

    def entry_test(self, deviation: Deviation, board: Board) -> TargetTest:
        """Return a test: whether an entry of a list in a message is a target of a deviation.

        An entry is recognized by its person, or by the row of its ballot if the coalition knows the
        row.
        """
        values_by_ballot = self._rows(board) if deviation.row else {}

        def is_target(entry: object) -> bool:
            """Whether an entry is a target: a ballot, a person's index, or a person's record."""
            if isinstance(entry, bytes):
                return entry in values_by_ballot and _is_part(
                    values_by_ballot[entry], deviation.row
                )
            index = entry if isinstance(entry, int) else getattr(entry, "person", -1)
            return isinstance(index, int) and deviation.means(parties.user(index))

        return is_target

    def _rows(self, board: Board) -> Mapping[bytes, Mapping[int, str]]:
        """Return the values (column -> value) that the coalition knows of each encrypted ballot."""
        record, members = self.record, self.coalition
        return known_values(record.loot(board, members), record.events, members)

    def sealed(self, plan: Round, row: Sequence[str], label: str) -> Sealed:
        """Return a sealed answer of the coalition with a row.

        label: distinguishes the coalition's answers in one round.
        """
        fresh = self.entropy.fork(f"{label} {plan.call.round}")
        if plan.shape is not None:
            member_function = self._member_function(plan)
            sealed = seal_own(plan, row, member_function, self.entropy.fork("own seeds"), fresh)
        else:
            ballots = answers(plan, coarsened_row(plan, row))
            sealed = enclose(plan, ballots, sealing(fresh, plan.session))
        self.record.keep_layers(sealed)
        return sealed

    def _member_function(self, plan: Round) -> Function:
        """Return the secret function of `randomness` for a round, as far as members can compute it.

        Without `randomness` in the coalition, only outputs for consulted rows are known.
        """
        function = self.record.functions.get(plan.call.round)
        if function is None or RANDOMNESS in self.coalition:
            return function or KnownOutputs({})
        return KnownOutputs(row_outputs(plan, function, self.consulted))

    def outputs(self, board: Board) -> Mapping[int, Mapping[bytes, bytes]]:
        """Return the outputs that `randomness` gave to members, by round and input."""
        outputs_by_round = dict[int, Mapping[bytes, bytes]]()
        for number, function in self.record.functions.items():
            plan = self.record.loot(board, ()).plan(number)
            if plan is not None:
                outputs_by_round[number] = row_outputs(plan, function, self.consulted)
        return outputs_by_round


def _is_part(ballot_values: Mapping[int, str], row: Sequence[str]) -> bool:
    """Whether the known values of a ballot (column -> value) agree with a row."""
    return all(row[column] == value for column, value in ballot_values.items())


def is_person(party: str) -> bool:
    """Whether a party's name is the name of a user."""
    return party != BOARD and role(party) is Role.USER


def deadline_of(network: Network) -> int:
    """Return the announced deadline of a collection, in seconds; 1 before the announcement."""
    announced = network.board.announcement
    return announced.rules.deadline if announced is not None else 1
