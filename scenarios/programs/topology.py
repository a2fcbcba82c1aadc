"""Who carries messages: the one place that asks whether a scenario has central parties or peers.

    central   shufflers, a curator and an analyst stand between people and the release
    peers     everybody who takes part is all of them (programs/peers)

Everybody else asks `topology_of` for what differs, or has a table by its name: of what plays a
session (play), what checks its record (verification), what shows it on a stage (theatre), what
makes its role cards (report).
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import ParameterError
from ...protocol import parties
from ...protocol.parties import ANALYST, CURATOR, paired
from ..schema.model import Scenario
from ..schema.parties import exists
from ..wording import many

if TYPE_CHECKING:
    from ...protocol.peers.view import PeerRecord
    from ...protocol.schema import Schema
    from ...protocol.transcript import Transcript
    from ...protocol.view import Record
    from ..pages.pieces import Answer, Section
    from .evidence import Claims

ALONE = 16  # peers; all are alike
FEW = 6  # shufflers that a message names one by one


@dataclass(frozen=True, slots=True)
class Topology:
    """One way to carry messages.

    Attributes:
        name: central or peers.
        person: the name of a person, by its index.
        member: what one is called, with its plural.
        reader: who reads round 1 and decides, before a verb in the singular.
        handlers: the parties that handle other people's messages, in the order of the tables.
        alone: the parties whose own views an attack is judged by, among so many people.
        exists: whether there is a party, among so many shufflers and people.
        roll: all parties in words, and names that somebody may have meant; None: unknown how many.
        mixing: what mixes messages, in a phrase.
        line: what a coalition needs to link people, in a phrase: the trust line.
        reaches: whether a coalition has what it needs.
        lengths: what the lengths of messages tell, in a sentence.
        public: whether everybody reads the counts of round 1.
        record: a run ready to be looked at, from its scenario, result.json and transcript.
        trust: whom one must trust, from result.json; None where the coalitions scored say it.
        section: its parts of the page of a run, from the same; the transcript of an ideal run is
            None.
        agreed: the features, where they are agreed on beforehand and nobody announces them: from
            result.json.
        example: a coalition to look through.
        alike: whether everybody does everything, so that a fault is a person's whoever commits it.
        unkept: what a ledger is not kept in, in words; None where a first shuffler keeps it.
        untold: why nothing can be told of a central party; None where there are some.
    """

    name: str
    person: Callable[[int], str]
    member: tuple[str, str]
    reader: str
    handlers: Callable[[Scenario], tuple[str, ...]]
    alone: Callable[[Scenario, int], tuple[str, ...]]
    exists: Callable[[str, int | None, int | None], bool]
    roll: Callable[[int | None, int | None], tuple[str, tuple[str, ...]]]
    mixing: Callable[[Scenario], str]
    line: Callable[[Scenario], str]
    reaches: Callable[[Scenario, Collection[str]], bool]
    lengths: str
    public: Callable[[Scenario], bool]
    record: "Callable[[Scenario, Claims, Transcript], Record | PeerRecord]"
    trust: "Callable[[Claims], Answer | None]"
    section: "Callable[[Scenario, Claims, Transcript | None], Iterator[Section]]"
    example: str
    agreed: "Callable[[Claims], Schema] | None" = None
    alike: bool = False
    unkept: str | None = None
    untold: str | None = None


def _shufflers(scenario: Scenario) -> tuple[str, ...]:
    return tuple(parties.shuffler(hop + 1) for hop in range(scenario.mix.shufflers))


def _handlers(scenario: Scenario) -> tuple[str, ...]:
    from .registry import program_of

    more = (parties.RANDOMNESS,) if program_of(scenario).opens else ()
    return (CURATOR, ANALYST, *_shufflers(scenario), *more)


def _central_roll(shufflers: int | None, people: int | None) -> tuple[str, tuple[str, ...]]:
    mixes = [parties.shuffler(hop + 1) for hop in range(shufflers or 0)] or ["shufflers"]
    if len(mixes) > FEW:
        mixes = [f"{mixes[0]} to {mixes[-1]}"]
    names = (ANALYST, CURATOR, *mixes, parties.NETWORK)
    users = "users" if people is None else f"users 1-{people}"
    return f"{', '.join(names)} and {users}", (*names, parties.user(0))


def links(scenario: Scenario) -> tuple[frozenset[str], ...]:
    """Shufflers of whom one of each set has to be in a coalition that links anybody by watching.

    By themselves each; where pairs are audited, a pair: one hop of it opens what the other needs.
    """
    hops = _shufflers(scenario)
    pairs = paired(len(hops)) if scenario.defence.audit else 0
    together = [frozenset(hops[at : at + 2]) for at in range(0, pairs, 2)]
    return (*together, *(frozenset({hop}) for hop in hops[pairs:]))


def _central_line(scenario: Scenario) -> str:
    if not scenario.defence.audit:
        return "all shufflers and a reader"
    odd = scenario.mix.shufflers > paired(scenario.mix.shufflers)
    return f"a shuffler of every audited pair{', the last one' if odd else ''} and a reader"


def _central_reaches(scenario: Scenario, members: Collection[str]) -> bool:
    some = frozenset(members)
    return bool({CURATOR, ANALYST} & some) and all(hops & some for hops in links(scenario))


def _central_record(_scenario: Scenario, _result: "Claims", transcript: "Transcript") -> "Record":
    from ...protocol.board import replay
    from ...protocol.view import Record

    return Record(transcript, replay(transcript.posts))


def _peer_roll(_shufflers: int | None, people: int | None) -> tuple[str, tuple[str, ...]]:
    last = "..." if people is None else parties.peer(people - 1)
    return f"{parties.peer(0)} to {last}", (parties.peer(0),)


def _peer_record(scenario: Scenario, result: "Claims", transcript: "Transcript") -> "PeerRecord":
    from ...protocol.peers.view import PeerRecord
    from .peers.record import agreement_of, reckoned

    reckoning = reckoned(scenario, agreement_of(result), transcript.posts)
    return PeerRecord(transcript, reckoning)


def _peer_schema(result: "Claims") -> "Schema":
    from ...protocol.peers.agreement import Agreement
    from .peers.record import agreement_of

    return Agreement.decode(bytes.fromhex(agreement_of(result))).schema


def _peer_trust(result: "Claims") -> "Answer | None":
    from .peers.section import answer

    return answer(result.peers) if result.peers else None


def _peer_section(
    scenario: Scenario, result: "Claims", transcript: "Transcript | None"
) -> "Iterator[Section]":
    from .peers.section import section

    if transcript is not None and result.peers:
        yield section(result.peers, _peer_record(scenario, result, transcript))


CENTRAL = Topology(
    name="central",
    person=parties.user,
    member=("person", "people"),
    reader="the curator",
    handlers=_handlers,
    alone=lambda scenario, _people: _handlers(scenario),
    exists=exists,
    roll=_central_roll,
    mixing=lambda scenario: many(scenario.mix.shufflers, "shuffler"),
    line=_central_line,
    reaches=_central_reaches,
    lengths=(
        "Every submission of a round must be equally long: a length that differs tells who said "
        "what."
    ),
    public=lambda scenario: scenario.policy.publish_marginals,
    record=_central_record,
    trust=lambda _result: None,
    section=lambda *_: iter(()),
    example="curator+shuffler-1",
)
PEERS = Topology(
    name="peers",
    person=parties.peer,
    member=("peer", "peers"),
    reader="everybody",
    handlers=lambda _scenario: (),
    alone=lambda _scenario, people: tuple(map(parties.peer, range(min(people, ALONE)))),
    exists=lambda party, _shufflers, people: exists(party, None, people, peers=True),
    roll=_peer_roll,
    mixing=lambda scenario: f"paths of {many(scenario.mix.path, 'peer')}",
    line=lambda scenario: f"{scenario.mix.path} peers, as many as a path has",
    reaches=lambda scenario, members: len(members) >= scenario.mix.path,
    lengths=(
        "Everything is posted, for all to read. The layers of one step are equally long; how many "
        "a peer hands on, and to whom, everybody sees."
    ),
    public=lambda _scenario: True,
    record=_peer_record,
    trust=_peer_trust,
    section=_peer_section,
    example="peer-1+peer-2",
    agreed=_peer_schema,
    alike=True,
    unkept="a mix of peers",
    untold="a run of peers, which has no curator and no shufflers to tell of",
)


def topology_of(scenario: Scenario) -> Topology:
    """How the messages of a scenario are carried."""
    return PEERS if scenario.mix.peers else CENTRAL


def central_only(scenario: Scenario, what: str) -> None:
    """ParameterError for a scenario among peers, which have no parties for `what`, a plural."""
    if topology_of(scenario).untold:
        raise ParameterError(
            f"{scenario.scenario.name}: peers have no curator and no shufflers, which {what} are "
            "for; take a scenario without peers"
        )
