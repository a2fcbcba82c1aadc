"""Who carries messages: the one place that asks whether a scenario has central parties or peers.

    central   shufflers, a curator and an analyst stand between people and the release
    peers     everybody who takes part is all of them (programs/peers)

Everybody else asks `topology_of` for what differs, or has a table by its name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import ParameterError
from ...protocol import parties
from ..schema.model import Scenario
from ..schema.parties import exists

if TYPE_CHECKING:
    from ...protocol.peers.view import PeerRecord
    from ...protocol.transcript import Transcript
    from ...protocol.view import Record
    from .interface import Claims


@dataclass(frozen=True, slots=True)
class Topology:
    """One way to carry messages.

    Attributes:
        name: central or peers.
        person: the name of a person, by its index.
        handlers: the parties that handle other people's messages, in the order of the tables.
        exists: whether there is a party, among so many shufflers and people.
        record: a run ready to be looked at, from its scenario, result.json and transcript.
        example: a coalition to look through.
        unkept: what a ledger is not kept in, in words; None where a first shuffler keeps it.
        untold: why nothing can be told of a central party; None where there are some.
    """

    name: str
    person: Callable[[int], str]
    handlers: Callable[[Scenario], tuple[str, ...]]
    exists: Callable[[str, int | None, int | None], bool]
    record: "Callable[[Scenario, Claims, Transcript], Record | PeerRecord]"
    example: str
    unkept: str | None = None
    untold: str | None = None


def _handlers(scenario: Scenario) -> tuple[str, ...]:
    shufflers = (parties.shuffler(hop + 1) for hop in range(scenario.mix.shufflers))
    return (parties.CURATOR, parties.ANALYST, *shufflers)


def _record(_scenario: Scenario, _result: "Claims", transcript: "Transcript") -> "Record":
    from ...protocol.board import replay
    from ...protocol.view import Record

    return Record(transcript, replay(transcript.posts))


def _of_peers(scenario: Scenario, result: "Claims", transcript: "Transcript") -> "PeerRecord":
    from ...protocol.peers.view import PeerRecord
    from .peers.record import agreement_of, reckoned

    found = reckoned(scenario, agreement_of(result), transcript.posts)
    return PeerRecord(transcript, found)


CENTRAL = Topology(
    "central",
    parties.user,
    _handlers,
    exists,
    _record,
    "curator+shuffler-1",
)
PEERS = Topology(
    "peers",
    parties.peer,
    lambda _scenario: (),
    lambda party, _shufflers, people: exists(party, None, people, peers=True),
    _of_peers,
    "peer-1+peer-2",
    "a mix of peers",
    "a run of peers, which has no curator and no shufflers to tell of; it is told by show, leak "
    "and verify",
)


def topology_of(scenario: Scenario) -> Topology:
    """How the messages of a scenario are carried."""
    return PEERS if scenario.mix.peers else CENTRAL


def central_only(scenario: Scenario, what: str) -> None:
    """ParameterError for a scenario among peers, which has nothing of what is told of."""
    if topology_of(scenario).untold:
        raise ParameterError(
            f"{scenario.scenario.name}: peers have no curator and no shufflers, of which {what} "
            "tells; check, run, show, leak and verify tell of peers"
        )
