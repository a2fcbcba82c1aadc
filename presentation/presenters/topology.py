"""The texts about a topology (the paths of messages): mixing, trust, message lengths, peers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...number_text import plural
from ...protocol.wire.parties import paired
from ...scenarios.programs.topology import topology_of
from .registry import presenter_of

if TYPE_CHECKING:
    from ...protocol.knowledge.transcript import Transcript
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.programs.evidence import Claims
    from ...scenarios.records.result_file import Run
    from ...scenarios.schema.model import Scenario
    from ..blocks import Section, VerdictAnswer


@dataclass(frozen=True, slots=True)
class TopologyPresenter:
    """The texts about a topology, each a function of a scenario or result.

    Attributes:
        mixing: the parties that mix messages, in a phrase.
        line: the parties that a coalition needs to link people (the trust line), in a phrase.
        lengths: the leakage through message lengths, in a sentence.
        trust: the answer on parties to trust; None if the figures of coalitions give the answer.
        section: sections on the topology for the page of a run; the transcript is None in an ideal
            run.
    """

    mixing: "Callable[[Scenario], str]"
    line: "Callable[[Scenario], str]"
    lengths: str
    trust: "Callable[[Claims], VerdictAnswer | None]"
    section: "Callable[[Scenario, Claims, Transcript | None], Iterator[Section]]"


def _central_line(scenario: "Scenario") -> str:
    """Return the parties that a coalition needs to link people in a mix with shufflers."""
    # in a verified mix the shufflers need no reader, because it posts its decryption shares
    if scenario.mix.kind == "verified":
        return "all shufflers"
    if not scenario.defence.audit:
        return "all shufflers and a reader"
    odd = scenario.mix.shufflers > paired(scenario.mix.shufflers)
    return f"a shuffler of every audited pair{', the last one' if odd else ''} and a reader"


def _peer_trust(result: "Claims") -> "VerdictAnswer | None":
    """Return the answer on parties to trust among peers; None without messages."""
    from .peers import answer

    return answer(result.peers) if result.peers else None


def _peer_section(
    scenario: "Scenario", result: "Claims", transcript: "Transcript | None"
) -> "Iterator[Section]":
    """Yield the section on peers, if the run recorded messages."""
    from ...protocol.peers.view import PeerRecord
    from .peers import section

    if transcript is not None and result.peers:
        record = topology_of(scenario).record(scenario, result, transcript)
        if isinstance(record, PeerRecord):
            yield section(result.peers, record)


PRESENTERS: Mapping[str, TopologyPresenter] = {
    "central": TopologyPresenter(
        mixing=lambda scenario: plural(scenario.mix.shufflers, "shuffler"),
        line=_central_line,
        lengths=(
            "Every submission of a round must be equally long: a length that differs tells who "
            "said what."
        ),
        trust=lambda _result: None,
        section=lambda *_: iter(()),
    ),
    "peers": TopologyPresenter(
        mixing=lambda scenario: f"paths of {plural(scenario.mix.path, 'peer')}",
        line=lambda scenario: f"{scenario.mix.path} peers, as many as a path has",
        lengths=(
            "Everything is posted, for all to read. The layers of one step are equally long; how "
            "many a peer hands on, and to whom, everybody sees."
        ),
        trust=_peer_trust,
        section=_peer_section,
    ),
}  # name of a topology -> the texts about it


def topology_words(scenario: "Scenario") -> TopologyPresenter:
    """Return the texts about a scenario's topology: shufflers, or peers that mix for each other."""
    return PRESENTERS[topology_of(scenario).name]


def run_facts(run: "Outcome | Run") -> tuple[str, ...]:
    """Return the people, the columns, the mix and the randomness of a run, in phrases."""
    scenario = run.scenario
    return (
        _people(run),
        plural(len(run.sizes), presenter_of(scenario).unit),
        topology_words(scenario).mixing(scenario),
        "system randomness"
        if run.seed is None
        else f"seed {run.seed} (seeded: reproducible, not secret)",
    )


def _people(run: "Outcome | Run") -> str:
    """Return the number of people of a run, in words.

    If other people take part in round 2, the text also has the number for each round.
    """
    people_text = plural(run.users, *presenter_of(run.scenario).member)
    first, second = people_asked(run)
    if run.users == first:
        return people_text
    return f"{people_text} ({first:,} in round 1, {second:,} others in round 2)"


def people_asked(run: "Outcome | Run") -> tuple[int, int]:
    """Return the number of people asked in round 1 and in round 2.

    In the setting `fixed` both rounds ask the same people, else different people.
    """
    section = run.scenario.population
    first = section.users or run.users
    fixed = section.setting == "fixed"
    return (run.users, run.users) if fixed else (first, run.users - first)
