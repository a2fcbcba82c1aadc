"""The two topologies, ways to carry messages: with central parties, or among peers.

    central   shufflers, a curator and an analyst stand between people and the release
    peers     each participant has all of these roles (programs/peers)

Only this module distinguishes the two topologies. Other modules ask `topology_of` for the
differences, or have a table with an entry for each topology. Such tables hold players (play),
record checks (verification), stages (theatre) and role cards (report).
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import ParameterError
from ...protocol.wire import parties
from ...protocol.wire.parties import ANALYST, CURATOR, paired
from ..schema.model import Defence, Mix, Policy, Scenario
from ..schema.parties import PartyNames, central_names, peer_names
from .capabilities import ThresholdOpening

if TYPE_CHECKING:
    from ...protocol.knowledge.transcript import Transcript
    from ...protocol.knowledge.view import ViewedRun
    from ...protocol.peers.view import PeerRecord
    from ...protocol.wire.schema import Schema
    from .evidence import Claims

# largest number of peers whose single views are scored; the views of further peers are left out,
# because all peers have the same role and learn alike
MAX_SINGLE_PEERS = 16


@dataclass(frozen=True, slots=True)
class Topology:
    """A way to carry messages: the parties of its sessions, and the functions that differ by it.

    Attributes:
        name: central or peers.
        person: returns the name of a person, from its index.
        member: the noun for a participant, with its plural.
        reader: the party that reads round 1 and decides, before a verb in the singular.
        handlers: returns the parties that handle other people's messages, in the order in which
            tables of results list them.
        single_parties: returns the parties whose single views are scored to measure an attack,
            from the scenario and the number of people.
        names: returns the names of all parties, from the numbers of shufflers and of people; None
            is an unknown number.
        reaches: whether a coalition has the members that it needs to link people to values.
        public: whether all parties read the counts of round 1.
        record: returns the record of a run from which views are computed, from its scenario,
            result.json and transcript.
        agreed: returns the features from result.json, if people agree on them beforehand; None if a
            party announces them.
        example: a coalition for examples in commands and pages.
        is_symmetric: whether all participants have all roles, so that a fault is a participant's
            fault.
        unkept: the kind of mix that keeps no ledger, in words; None if a first shuffler keeps it.
        untold: the reason why there is no central party to report on; None if there is.
    """

    name: str
    person: Callable[[int], str]
    member: tuple[str, str]
    reader: str
    handlers: Callable[[Scenario], tuple[str, ...]]
    single_parties: Callable[[Scenario, int], tuple[str, ...]]
    names: Callable[[Scenario, int | None, int | None], PartyNames]
    reaches: Callable[[Mix, Defence, Collection[str]], bool]
    public: Callable[[Policy], bool]
    record: "Callable[[Scenario, Claims, Transcript], ViewedRun | PeerRecord]"
    example: str
    agreed: "Callable[[Claims], Schema] | None" = None
    is_symmetric: bool = False
    unkept: str | None = None
    untold: str | None = None


def _shufflers(mix: Mix) -> tuple[str, ...]:
    """Return the names of the shufflers, in the order of the mix."""
    return tuple(parties.shuffler(hop + 1) for hop in range(mix.shufflers))


def _handlers(scenario: Scenario) -> tuple[str, ...]:
    """Return the central parties that handle people's messages.

    The order is that of result tables: curator, analyst, shufflers, further parties of the release
    program.
    """
    return (CURATOR, ANALYST, *_shufflers(scenario.mix), *further_parties(scenario))


def further_parties(scenario: Scenario) -> tuple[str, ...]:
    """Return the central parties of a release program besides shufflers, curator and analyst."""
    from .registry import capability

    opening = capability(scenario, ThresholdOpening)
    return opening.parties if opening else ()


def _central_names(scenario: Scenario, shufflers: int | None, people: int | None) -> PartyNames:
    """Return the names of all parties of a central session.

    shufflers, people: the numbers of shufflers and of users; None: unknown.
    """
    return central_names(shufflers, people, randomness=bool(further_parties(scenario)))


def links(mix: Mix, defence: Defence) -> tuple[frozenset[str], ...]:
    """Return sets of shufflers; a coalition that links people needs a member of every set.

    Each shuffler is a set of its own, except in an audited pair. Audited pairs open half of their
    layers in public. Either shuffler of such a pair suffices, so the pair is a single set.
    """
    hops = _shufflers(mix)
    pairs = paired(len(hops)) if defence.audit else 0
    audited_pairs = [frozenset(hops[at : at + 2]) for at in range(0, pairs, 2)]
    return (*audited_pairs, *(frozenset({hop}) for hop in hops[pairs:]))


def _central_reaches(mix: Mix, defence: Defence, members: Collection[str]) -> bool:
    """Whether a coalition has the members needed to link people to values.

    In a verified mix all shufflers are needed. In an onion mix a coalition needs a reader (curator
    or analyst), every shuffler that is not audited, and a shuffler of each audited pair.
    """
    coalition = frozenset(members)
    if mix.kind == "verified":
        return coalition.issuperset(_shufflers(mix))
    return bool({CURATOR, ANALYST} & coalition) and all(
        hops & coalition for hops in links(mix, defence)
    )


def _central_record(
    _scenario: Scenario, _result: "Claims", transcript: "Transcript"
) -> "ViewedRun":
    """Return the record of a central run: its messages, and its board rebuilt from the posts."""
    from ...protocol.board.board import replay
    from ...protocol.knowledge.view import ViewedRun

    return ViewedRun(transcript, replay(transcript.posts))


def _peer_record(scenario: Scenario, result: "Claims", transcript: "Transcript") -> "PeerRecord":
    """Return the record of a run among peers: its messages, and the results of its posts.

    The results are the counts, the decision and the misbehaving peers that every reader of the
    board computes.
    """
    from ...protocol.peers.view import PeerRecord
    from .peers.record import agreement_of, reckoned

    reckoning = reckoned(scenario, agreement_of(result), transcript.posts)
    return PeerRecord(transcript, reckoning)


def _peer_schema(result: "Claims") -> "Schema":
    """Return the features of a run among peers, from the peers' agreement in result.json."""
    from ...protocol.peers.agreement import Agreement
    from .peers.record import agreement_of

    return Agreement.decode(bytes.fromhex(agreement_of(result))).schema


CENTRAL = Topology(
    name="central",
    person=parties.user,
    member=("person", "people"),
    reader="the curator",
    handlers=_handlers,
    single_parties=lambda scenario, _people: _handlers(scenario),
    names=_central_names,
    reaches=_central_reaches,
    public=lambda policy: policy.publish_marginals,
    record=_central_record,
    example="curator+shuffler-1",
)
PEERS = Topology(
    name="peers",
    person=parties.peer,
    member=("peer", "peers"),
    reader="everybody",
    handlers=lambda _scenario: (),
    single_parties=lambda _scenario, people: tuple(
        map(parties.peer, range(min(people, MAX_SINGLE_PEERS)))
    ),
    names=lambda _scenario, _shufflers, people: peer_names(people),
    reaches=lambda mix, _defence, members: len(members) >= mix.path,
    public=lambda _policy: True,
    record=_peer_record,
    example="peer-1+peer-2",
    agreed=_peer_schema,
    is_symmetric=True,
    unkept="a mix of peers",
    untold="a run among peers, which has no curator and no shufflers",
)


def topology_of(scenario: Scenario) -> Topology:
    """Return the topology of a scenario: central parties, or peers."""
    return PEERS if scenario.mix.peers else CENTRAL


_INSTEAD = (
    "instead, docs/verified.md has a proof sketch of what a malicious coalition learns, and names "
    "the attacks in eight shipped scenarios such as verified-exchange"
)
INSTEAD = {
    "the attack matrix": _INSTEAD,
    "the study of cheating": _INSTEAD,
    "the search for deviations": _INSTEAD,
}  # feature that needs an onion mix -> its replacement in a verified mix


def onions_only(scenario: Scenario, subject: str) -> None:
    """Raise ParameterError if a scenario has a verified mix and a feature needs an onion mix.

    subject: the feature, as the message names it.
    """
    if scenario.mix.kind == "verified":
        raise ParameterError(
            f'{scenario.scenario.name}: {subject} needs an onion mix, and mix.kind = "verified" is '
            f"set; {INSTEAD.get(subject, 'leave mix.kind out')}"
        )


def central_only(scenario: Scenario, subject: str) -> None:
    """Raise ParameterError if people are peers and a feature needs shufflers, curator and analyst.

    subject: the feature, as the message names it, a plural.
    """
    if topology_of(scenario).untold:
        raise ParameterError(
            f"{scenario.scenario.name}: peers have no curator and no shufflers, which {subject} "
            "need; take a scenario without peers"
        )
