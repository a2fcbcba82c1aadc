"""The comparator `peers`: the same release without central parties; all peers read the whole board.

The scored coalitions are the first peers that follow the protocol, from a single peer on. The
leakage to a coalition follows from the views of its members, their own rows included; `linked`
counts other people only. Counts of single columns are public. A run reads the board once for all
peers, so the seconds of CPU leave out that every peer must read it.
"""

from collections.abc import Iterator
from dataclasses import replace

from msgspec.structs import replace as changed

from ....analysis.trust import Received
from ....errors import ParameterError
from ....protocol.wire.parties import peer
from ...lab.play.run import run
from ...lab.scoring.outcome import Outcome
from ...lab.validation.load import check
from ...programs.peer_findings import OfSize
from ...programs.peers.check import FIXED
from ...programs.peers.score import sizes_of
from ...schema.model import Coalition, Defence, Fault, Mix, Scenario
from .case import Case
from .mixed import Meter, cheated, exposure_kind, privacy_of, rounds, variant, worth_of
from .result import Compared, ProgramCost, Trust

# largest number of people; with more, ParameterError, because the messages of all peers take too
# long
MAX_PEOPLE = 300
USER, PEER = "user-", "peer-"


def central(scenario: Scenario) -> Scenario:
    """Return a scenario among peers as one with central parties, for the other release programs.

    Programs with central parties ignore `mix.path` and `mix.cover`, which shape only the routes
    and dummy messages of peers. Raises ParameterError for a fault that only peers can commit.
    """
    for fault in scenario.fault:
        if fault.attack != "absent":
            raise ParameterError(
                f"{scenario.scenario.name}: only peers can commit {fault.attack}, and compared "
                "programs need the same faults: leave that [[fault]] out"
            )
    mix = changed(scenario.mix, peers=False)
    faults = tuple(_by(fault, PEER, USER) for fault in scenario.fault)
    return changed(scenario, mix=mix, fault=faults, coalition=())


def among(case: Case) -> Scenario:
    """Return the scenario among peers, with a coalition for each size whose leakage is scored.

    Raises ScenarioError if peers cannot run the scenario.
    """
    scenario = case.scenario
    kind = exposure_kind(scenario)
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
    """Yield the results of a session of peers: each is user, shuffler, curator and analyst.

    Raises ParameterError if there are too many people or not all messages are sent. Raises
    ScenarioError if peers cannot run the scenario.
    """
    if case.n > MAX_PEOPLE or not case.messages:
        raise ParameterError(
            f"leakage to peers needs the messages of all people, and is measured for at most "
            f"{MAX_PEOPLE} people"
        )
    scenario, meter = among(case), Meter()
    outcome = run(scenario, case.seed, "real", instruments=(meter,), worst_case_nodes=0)
    public = changed(case.scenario.policy, publish_marginals=True)
    public_case = replace(case, scenario=changed(case.scenario, policy=public))
    yield Compared(
        "peers",
        "mix",
        _note(scenario, outcome),
        outcome.burned,
        dict(outcome.refused),
        Trust.from_received(
            [_without_members(view) for view in outcome.coalitions],
            cheated(case, scenario, outcome),
        ),
        privacy_of(outcome, None),
        worth_of(public_case, outcome, (), 0.0),
        ProgramCost(meter.seconds, None, case.n, 1, meter.user_bytes / case.n, rounds(outcome)),
    )


def _by(fault: Fault, old_prefix: str, new_prefix: str) -> Fault:
    """Return a fault whose person has another name: a user becomes a peer, or a peer a user.

    old_prefix, new_prefix: the beginnings of the names, such as `user-` and `peer-`.
    """
    if fault.by is None or not fault.by.startswith(old_prefix):
        return fault
    return changed(fault, by=new_prefix + fault.by.removeprefix(old_prefix))


def _without_members(view: Received) -> Received:
    """Return the leakage to a coalition of peers about other people, without the members' rows."""
    own_rows = len(view.parties)
    sets = [(people, times - own_rows * (people == 1)) for people, times in view.sets]
    crowd = min((people for people, times in sets if times > 0), default=view.users)
    return replace(view, linked=max(0, view.linked - own_rows), crowd=crowd)


def _note(scenario: Scenario, outcome: Outcome) -> str:
    """Return in words the share of messages that a peer, and half of all peers, can follow.

    To follow a message is to trace it from its sender to its opened ballot.
    """
    peer_result = outcome.peers
    mix_text = f"paths of {scenario.mix.path}, {scenario.mix.cover} blanks each"
    if peer_result is None or not peer_result.sizes:
        return mix_text
    half = min(peer_result.sizes, key=lambda size: abs(2 * size.size - peer_result.peers))
    followed = ", ".join(_followed(size) for size in (peer_result.sizes[0], half))
    return (
        f"{mix_text}; of others' messages {followed}; {half.size:,} link {half.people.mean:.1f} of "
        f"{peer_result.peers - half.size:,} others (95 %: {half.people.low:.1f} to "
        f"{half.people.high:.1f}; {half.tried} coalitions)"
    )


def _followed(size: OfSize) -> str:
    """Return in words the mean share of messages that coalitions of a size can trace."""
    return (
        f"{size.size:,} peer{'s follow' if size.size > 1 else ' follows'} {size.onions.mean:.1%} "
        f"(expected {size.expected:.1%})"
    )
