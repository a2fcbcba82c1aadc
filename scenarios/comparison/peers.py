"""The same release among peers: no party in the middle, and everybody reads all that is said.

Single parties and coalitions are peers, the first of those who keep to the protocol. What each
received is worked out from what its members saw, their own rows included; `linked` counts others
alone. Counts of single columns are public to all. Reading the board is played once for everybody,
so seconds of CPU leave out that every peer does it.
"""

from collections.abc import Iterator
from dataclasses import replace

from msgspec.structs import replace as changed

from ...analysis.trust import Received
from ...errors import ParameterError
from ...protocol.parties import peer
from ..play.run import run
from ..programs.peers.check import FIXED
from ..programs.peers.found import OfSize
from ..programs.peers.score import sizes_of
from ..schema.model import Coalition, Defence, Fault, Mix, Scenario
from ..scoring.outcome import Outcome
from ..validation.load import check
from .case import Case
from .mixed import Meter, cheated, own, privacy_of, rounds, variant, worth_of
from .result import Compared, Cost, Trust

FEW = 300  # people; with more, their messages take too long
USER, PEER = "user-", "peer-"


def central(scenario: Scenario) -> Scenario:
    """A scenario among peers as the other programs play it: path and cover are not read.

    Raises ParameterError where a peer does what only peers can.
    """
    for fault in scenario.fault:
        if fault.attack != "absent":
            raise ParameterError(
                f"{scenario.scenario.name}: only peers can {fault.attack}; programs are compared "
                "where people do the same in all of them: leave that [[fault]] out"
            )
    mix = changed(scenario.mix, peers=False)
    faults = tuple(_by(fault, PEER, USER) for fault in scenario.fault)
    return changed(scenario, mix=mix, fault=faults, coalition=())


def among(case: Case) -> Scenario:
    """The scenario among peers, with coalitions of all sizes that are told of.

    Raises ScenarioError where peers cannot run it.
    """
    scenario = case.scenario
    kind = own(scenario)
    usual = Mix()
    mix = changed(scenario.mix, peers=True, **{key: getattr(usual, key) for key in FIXED})
    names = [peer(index) for index in range(case.n) if index not in case.faults]
    sizes = sorted(size for size in {mix.path, *sizes_of(case.n)} if size <= len(names))
    scenario = changed(
        variant(scenario, kind),
        mix=mix,
        defence=Defence(),
        fault=tuple(_by(fault, USER, PEER) for fault in scenario.fault),
        coalition=tuple(
            Coalition(name=f"peers: {size}", parties=tuple(names[:size])) for size in sizes
        ),
    )
    check(scenario)
    return scenario


def peers(case: Case) -> Iterator[Compared]:
    """Everybody is user, shuffler, curator and analyst. Raises LocalError where it cannot be."""
    if case.n > FEW or not case.messages:
        raise ParameterError(
            f"what peers learn is measured on the messages of all of them, up to {FEW} people"
        )
    scenario, meter = among(case), Meter()
    outcome = run(scenario, case.seed, "real", instruments=(meter,), worst_case_nodes=0)
    public = changed(case.scenario.policy, publish_marginals=True)
    seen = replace(case, scenario=changed(case.scenario, policy=public))
    yield Compared(
        "peers",
        "mix",
        _note(scenario, outcome),
        outcome.burned,
        dict(outcome.refused),
        Trust.of(
            [_of_others(view) for view in outcome.coalitions], cheated(case, scenario, outcome)
        ),
        privacy_of(outcome, None),
        worth_of(seen, outcome, (), 0.0),
        Cost(meter.seconds, None, case.n, 1, meter.sent / case.n, rounds(outcome)),
    )


def _by(fault: Fault, before: str, after: str) -> Fault:
    """The same person by its other name."""
    if fault.by is None or not fault.by.startswith(before):
        return fault
    return changed(fault, by=after + fault.by.removeprefix(before))


def _of_others(view: Received) -> Received:
    """Members know themselves, which links nobody."""
    own = len(view.parties)
    sets = [(people, many - own * (people == 1)) for people, many in view.sets]
    crowd = min((people for people, many in sets if many > 0), default=view.users)
    return replace(view, linked=max(0, view.linked - own), crowd=crowd)


def _note(scenario: Scenario, outcome: Outcome) -> str:
    """What a single peer follows, and what half of them do: means over coalitions drawn."""
    among = outcome.peers
    said = f"paths of {scenario.mix.path}, {scenario.mix.cover} blanks each"
    if among is None or not among.sizes:
        return said
    half = min(among.sizes, key=lambda size: abs(2 * size.size - among.peers))
    followed = ", ".join(_followed(size) for size in (among.sizes[0], half))
    return (
        f"{said}; of others' messages {followed}; {half.size:,} link {half.people.mean:.1f} of "
        f"{among.peers - half.size:,} others (95 %: {half.people.low:.1f} to "
        f"{half.people.high:.1f}; {half.tried} coalitions)"
    )


def _followed(size: OfSize) -> str:
    return (
        f"{size.size:,} peer{'s follow' if size.size > 1 else ' follows'} {size.onions.mean:.1%} "
        f"(expected {size.expected:.1%})"
    )
