"""The views of parties in a saved run, and the leakage that follows from these views.

A view is the messages that a party saw or opened, and the rows that it links to people.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET

from ....analysis.trust import Received, minimal
from ....errors import ParameterError, UnknownParty
from ....protocol.board.board import Board, replay
from ....protocol.knowledge.transcript import Transcript
from ....protocol.knowledge.view import View, ViewedRun
from ....protocol.wire import parties
from ...lab.scoring.coalitions import learnt, view_leakage
from ...programs.capabilities import LocalNoise
from ...programs.coalitions import coalitions, party_names
from ...programs.registry import announced_names, capability
from ...programs.topology import topology_of
from ..run_folder import Run

if TYPE_CHECKING:
    from ....protocol.peers.view import PeerRecord

UNIFORM, MARGINALS = PRIORS = ("uniform", "marginals")


def present(run: Run) -> tuple[str, ...]:
    """Return the parties of a run except its users, and the network as a listener."""
    names = party_names(run.scenario)
    return (*names, parties.NETWORK)


def person_of(run: Run) -> Callable[[int], str]:
    """Return the function that names a person of a run (a user, or a peer) from its index."""
    return topology_of(run.scenario).person


def people_named(run: Run) -> str:
    """Return the range of names of the people of a run, such as `user-1 to user-20`."""
    name = person_of(run)
    last = run.result.users - 1
    return name(0) if not last else f"{name(0)} to {name(last)}"


def view_of(run: Run, members: Iterable[str]) -> View:
    """Return the pooled view of a coalition; UnknownParty for a party that is not in the run.

    members: the names of the coalition's parties.
    """
    scenario, users, members = run.scenario, run.result.users, tuple(members)
    names = topology_of(scenario).names(scenario, scenario.mix.shufflers, users)
    for party in members:
        if party not in names:
            raise UnknownParty(names.refusal(party, "this run has"))
    return record_of(run).view(members)


def record_of(run: Run) -> "ViewedRun | PeerRecord":
    """Return a run's messages and board, in a form that computes the views of coalitions fast."""
    return topology_of(run.scenario).record(run.scenario, run.result, recorded(run))


def learnt_in(run: Run, prior: str = UNIFORM) -> tuple[Received, ...]:
    """Return the leakage to every coalition of a run, from the views of its members.

    prior: the attacker's knowledge before the run. `uniform`: all tables are equally likely.
    `marginals`: the share of each value among the people of the run is public.
    """
    record = record_of(run)
    leakage = information(run)
    known_shares = shares(record, run) if prior == MARGINALS else None
    return learnt(
        coalitions(run.scenario),
        record.view,
        run.sizes,
        noise=capability(run.scenario, LocalNoise),
        several=run.scenario.population.rows,
        information=leakage,
        truth=record.truth,
        prior=known_shares,
    )


def scored(run: Run, view: View) -> Received:
    """Return the leakage of a single view of a run, with all tables equally likely beforehand."""
    truth = record_of(run).truth
    return view_leakage(
        capability(run.scenario, LocalNoise),
        run.scenario.population.rows,
        view,
        run.sizes,
        information(run),
        truth,
    )


def shares(record: "ViewedRun | PeerRecord", run: Run) -> list[dict[str, float]]:
    """Return, for each column, the share of each value among the people of the run.

    A prior takes the shares as public knowledge. The shares are computed from the sealed answers.
    A transcript in summary form (of a large run) lacks them, so the counts of round 1 are used.
    """
    counts: list[Counter[str]] = [Counter() for _ in run.result.features]
    for row in record.truth.values():
        for column, value in row.items():
            counts[column][value] += 1
    if not record.truth:
        counts = [Counter(run.result.marginals[name]) for name in run.result.features]
    return [
        {value: people / count.total() for value, people in sorted(count.items())}
        for count in counts
    ]


def information(run: Run) -> float | None:
    """Return the bits of a person's noisy reports about its values; None without reports."""
    findings = run.result.findings
    return None if findings is UNSET else findings.bits


def columns(run: Run) -> tuple[str, ...]:
    """Return the names of the columns that people were asked for: features, or noisy reports."""
    return announced_names(run.scenario, run.result.features)


def breaking(views: Sequence[Received]) -> list[tuple[str, ...]]:
    """Return the smallest coalitions without people that link a person to its values.

    Coalitions with people are left out, because every person links itself. views: the leakage to
    each coalition.
    """
    people = (parties.Role.USER, parties.Role.PEER)
    return minimal(
        {
            view.parties: view.linked
            for view in views
            if not any(parties.role(party) in people for party in view.parties)
        }
    )


def recorded(run: Run) -> Transcript:
    """Return the transcript; ParameterError for an ideal run, which has no messages."""
    if run.transcript is None:
        raise ParameterError(
            f"{run.folder}: an ideal run, in which nobody sends or sees a message; play the "
            "scenario with --mode real"
        )
    return run.transcript


def board(run: Run) -> Board:
    """Return the bulletin board that a run's posts form.

    Raises Refused if a post is not legal, and ParameterError for a run of peers, which has no
    central parties.
    """
    if untold := topology_of(run.scenario).untold:
        raise ParameterError(f"{run.folder}: {untold}")
    return replay(recorded(run).posts)
