"""The strategy of a coalition in a session, and the record of the coalition's view.

The strategy is a list of deviations (protocol/search/deviation.py). They are derived from the
protocol's messages, not from known attacks. deviant_place.py carries out the deviations of members;
deviant_wire.py carries out the deviations in transit.
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
    """The record of the coalition's view, with times, from which the attack search infers values.

    Attributes:
        events: messages and posts, in order.
        own_layers: the layers of each ballot that members made, outermost first.
        other_sessions: for each forged board or announcement that a party was shown, a function. It
            turns the coalition's view into its view of the forged session.
    """

    events: list[SearchEvent] = field(default_factory=list)
    own_layers: list[tuple[bytes, ...]] = field(default_factory=list)
    other_sessions: list[OtherSession] = field(default_factory=list)

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Record a message that the network carried. time: seconds since the session began."""
        self.events.append(SearchEvent(time, sender, receiver, data))
        AdversaryRecord.carried(self, time, sender, receiver, data)

    def keep_layers(self, sealed: Sealed) -> None:
        """Keep the layers of ballots that a member of the coalition made itself."""
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
        deviant_rounds: the rounds in which the curator's query broke its announced rule.
        consulted: rows for which members know the key material that the party `randomness`
            computes.
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
        """The names of all members, sorted: deviating parties, and parties that only pool views."""
        return tuple(sorted({*self.members, *(deviation.by for deviation in self.strategy)}))

    def deviations_by(self, member: str, *kinds: Action) -> Iterator[Deviation]:
        """Yield the deviations of a member that have a given kind."""
        return (
            deviation
            for deviation in self.strategy
            if deviation.by == member and deviation.do in kinds
        )

    def note(self, deviation: Deviation, instruments: Instruments) -> None:
        """Record that a deviation was carried out, for each of its positions in the strategy.

        instruments: the observers that receive the record.
        """
        for place, candidate in enumerate(self.strategy):
            if candidate == deviation:
                note_of(place)(instruments)

    def entry_test(self, deviation: Deviation, board: Board) -> TargetTest:
        """Return a test: whether an entry of a list in a message is a target of a deviation.

        An entry is recognized by its person. If the deviation names a row, an encrypted ballot is
        recognized by its values, as far as the coalition knows them.
        """
        values_by_ballot = self._rows(board) if deviation.row else {}

        def is_target(entry: object) -> bool:
            """Whether a list entry of a message is a target of the deviation.

            entry: an encrypted ballot, a person's index, or a record with the field `person`.
            """
            if isinstance(entry, bytes):
                return entry in values_by_ballot and _is_part(
                    values_by_ballot[entry], deviation.row
                )
            index = entry if isinstance(entry, int) else getattr(entry, "person", -1)
            return isinstance(index, int) and deviation.means(parties.user(index))

        return is_target

    def _rows(self, board: Board) -> Mapping[bytes, Mapping[int, str]]:
        """Return the values (column -> value) that the coalition knows of each encrypted ballot.

        board: the bulletin board of the session.
        """
        record, members = self.record, self.coalition
        return known_values(record.loot(board, members), record.events, members)

    def sealed(self, plan: Round, row: Sequence[str], label: str) -> Sealed:
        """Return a sealed answer with a row, made by the coalition.

        plan: the round. label: distinguishes the coalition's answers in one round.
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
        """Return the function from rows to key material, as far as the coalition can compute it.

        Only the party `randomness` knows this secret function. If it is no member, the coalition
        knows the outputs for the rows that members requested.
        """
        function = self.record.functions.get(plan.call.round)
        if function is None or RANDOMNESS in self.coalition:
            return function or KnownOutputs({})
        return KnownOutputs(row_outputs(plan, function, self.consulted))

    def outputs(self, board: Board) -> Mapping[int, Mapping[bytes, bytes]]:
        """Return the key material that members requested for rows, by round and by input.

        The party `randomness` computes it with a secret function. The input is made from a row.
        """
        outputs_by_round = dict[int, Mapping[bytes, bytes]]()
        for number, function in self.record.functions.items():
            plan = self.record.loot(board, ()).plan(number)
            if plan is not None:
                outputs_by_round[number] = row_outputs(plan, function, self.consulted)
        return outputs_by_round


def _is_part(ballot_values: Mapping[int, str], row: Sequence[str]) -> bool:
    """Whether the known values of a ballot (column -> value) all agree with a row."""
    return all(row[column] == value for column, value in ballot_values.items())


def is_person(party: str) -> bool:
    """Whether a party's name is the name of a user."""
    return party != BOARD and role(party) is Role.USER


def deadline_of(network: Network) -> int:
    """Return the announced time to collect ballots, in seconds; 1 before the announcement."""
    announced = network.board.announcement
    return announced.rules.deadline if announced is not None else 1
