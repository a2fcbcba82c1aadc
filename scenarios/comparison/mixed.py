"""The programs of the mix itself, measured as they are: every one that this version runs.

    program             kind of policy
    two-round           the scenario's own: exposure, fixed or all (exposure, where it has another)
    hierarchical        hierarchical
    local-suppression   local-suppression
    threshold           threshold, with whole rows and with prefixes; and of people who take part
                        at random, where the scenario has them do so
    randomized          histogram, for each budget

Bytes are those of the messages that users send; seconds of CPU run from the first message of a
session to the last. Where only samples of the people send messages, the release is that of the
ideal functionality, which gives the same.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from msgspec.structs import replace as changed

from ...analysis.trust import Received
from ...protocol.parties import Role, role
from ...roles.instruments import Instrument
from ..play.run import run
from ..programs.randomized.privacy import ADJACENCY
from ..programs.randomized.questions import Question
from ..programs.registry import PROGRAMS, program_of
from ..programs.two_round.program import TWO_ROUND
from ..schema.model import Expect, Kind, Local, Policy, Scenario
from ..scoring.outcome import Outcome
from ..studies.cheating import SEED, measure
from ..studies.cheating_file import unmeasured
from ..studies.cheating_result import CheatingStudy
from ..validation.load import check
from .case import SAMPLE, SAMPLES, Case, scaled
from .local import draws, epsilons, features, tell, with_noise
from .result import Compared, Cost, Privacy, Trust, Utility
from .utility import estimated, nothing, released, utility

if TYPE_CHECKING:
    from ...protocol.board import Entry

LAST = "randomized"  # of the rows: it has one for each budget


def available() -> tuple[str, ...]:
    """The rows of programs that this version plays through the mix, in the order of the tables."""
    rows = dict.fromkeys(p.compared for p in PROGRAMS.values() if p.compared)
    return tuple(sorted(rows, key=lambda row: row == LAST))  # stable: else as they are registered


def played(row: str) -> Kind:
    """The kind of policy that a row stands for: the first that is compared under its name."""
    return next(kind for kind, program in PROGRAMS.items() if program.compared == row)


def own(scenario: Scenario) -> Kind:
    """The kind of the row two-round: the scenario's own, or where it has another, its usual one."""
    mine = program_of(scenario).compared == TWO_ROUND
    return scenario.policy.kind if mine else played(TWO_ROUND)


@dataclass(slots=True)
class Meter(Instrument):
    """Counts what people send, in bytes, and the CPU between the first message and the last.

    Attributes:
        sent: bytes so far.
        first: CPU seconds when the first message was sent; None before that.
        last: CPU seconds when the last one was.
    """

    sent: int = 0
    first: float | None = None
    last: float = 0.0

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Count a message."""
        self._now()
        if role(sender) in (Role.USER, Role.PEER):
            self.sent += len(data)

    def posted(self, time: float, entry: "Entry") -> None:  # noqa: ARG002
        """Note the time of a post, the last of which closes the session."""
        self._now()

    @property
    def seconds(self) -> float:
        """CPU seconds so far."""
        return 0.0 if self.first is None else self.last - self.first

    def _now(self) -> None:
        self.last = time.process_time()
        if self.first is None:
            self.first = self.last


def variant(
    scenario: Scenario,
    kind: Kind,
    epsilon: float | None = None,
    *,
    prefixes: bool = False,
    sampled: bool = False,
) -> Scenario:
    """The scenario as another program; [expect] and named coalitions are the original's alone.

    prefixes: whether a program that opens rows opens their prefixes too. sampled: whether people
    take part in it as the scenario says, and not all.

    Raises ScenarioError where this program cannot run it.
    """
    quiet = changed(scenario, expect=Expect(), coalition=(), sweep={}, local=Local())
    if epsilon is None and PROGRAMS[kind].opens:  # nothing is chosen or counted beforehand
        mine = scenario.policy
        policy = Policy(kind=kind, k=mine.k, prefixes=prefixes)
        if sampled:
            policy = changed(policy, sample=mine.sample, epsilon=mine.epsilon)
        other = changed(quiet, policy=policy)
    elif epsilon is None:
        one = {"sample": None, "epsilon": None, "close": "published"}
        policy = changed(scenario.policy, kind=kind, **one)
        other = changed(quiet, policy=policy)
    else:  # it chooses nothing, so it reads nothing of how to choose
        quiet = changed(quiet, policy=Policy(kind=kind), local=scenario.local)
        other = with_noise(quiet, epsilon)
    check(other)
    return other


def mixed(case: Case, program: str) -> Iterator[Compared]:
    """One program of the mix, for every budget if it has one. Raises ScenarioError."""
    kind = own(case.scenario) if program == TWO_ROUND else played(program)
    if PROGRAMS[kind].opens:
        for prefixes in (False, True):
            name = f"{program} prefixes" if prefixes else program
            yield _played(case, name, variant(case.scenario, kind, prefixes=prefixes), None)
        if case.scenario.policy.sample is not None:
            part = variant(case.scenario, kind, sampled=True)
            yield _played(case, f"{program} sampled", part, None)
        return
    if not PROGRAMS[kind].reports:
        yield _played(case, program, variant(case.scenario, kind), None)
        return
    for epsilon in epsilons(case.scenario):
        yield _played(case, program, variant(case.scenario, kind, epsilon), epsilon)


def _played(case: Case, program: str, scenario: Scenario, epsilon: float | None) -> Compared:
    meter = Meter()
    outcome = (
        run(scenario, case.seed, "real", instruments=(meter,), worst_case_nodes=0)
        if case.messages
        else run(scenario, None if epsilon else case.seed, "ideal", worst_case_nodes=0)
    )  # noise of a seed is drawn person by person, which takes long; here its release is not used
    price = (
        Cost(meter.seconds, None, case.n, 1, meter.sent / case.n, rounds(outcome))
        if case.messages
        else sample(case, scenario, outcome)
    )
    asked = () if epsilon is None else features(case, epsilon)
    told = tell(case, "features", asked) if asked else 0.0
    return Compared(
        program if epsilon is None else f"{program} e={epsilon:g}",
        "mix",
        program_of(scenario).note,
        outcome.burned,
        dict(outcome.refused),
        Trust.of(
            _received(outcome, told) if asked else outcome.coalitions,
            cheated(case, scenario, outcome),
        ),
        privacy_of(outcome, epsilon),
        worth_of(case, outcome, asked, told),
        price,
    )


def _received(outcome: Outcome, told: float) -> list[Received]:
    """What coalitions received, by the same reading of a report as without a mix."""
    return [replace(view, bits=view.linked * told) for view in outcome.coalitions]


def cheated(case: Case, scenario: Scenario, outcome: Outcome) -> CheatingStudy | None:
    """What coalitions learn that cheat, in the scenario or a sample of it; None: not measured."""
    if not case.cheating or unmeasured(scenario):
        return None
    part = scenario if case.n <= SAMPLE else _sample(scenario, SAMPLE, outcome)
    return measure(part, SEED if case.seed is None else case.seed, case.cheating)


def privacy_of(outcome: Outcome, epsilon: float | None) -> Privacy:
    """What a run shows and promises; epsilon: of noise, else None."""
    if epsilon is not None:
        return Privacy(0.0, None, epsilon, adjacency=ADJACENCY)
    promised = outcome.exposure.promised if outcome.decision else None
    known = outcome.findings.by_exclusion if outcome.findings else None
    return Privacy(outcome.exposure.true, promised, None, *(known or (None, None)))


def worth_of(case: Case, outcome: Outcome, asked: Sequence[Question], told: float) -> Utility:
    """What a run gives the analyst. asked, told: of noise, the questions and a report's bits."""
    if not outcome.released:
        return nothing(case)
    if asked:
        errors = draws(case, "features", asked)
        return estimated(case, errors, told, tuple(range(len(case.sizes))))
    decision = outcome.decision
    if decision is None:
        return nothing(case)
    release, findings = outcome.release or {}, outcome.findings
    if findings and (whole := findings.of_everybody(release)):
        estimates, said = whole
        return replace(utility(case, released(case, estimates, decision.kept)), cells=said)
    return utility(case, released(case, release, decision.kept), decision.hidden)


def rounds(outcome: Outcome) -> int:
    """Rounds in which people were asked something: those for the curator, and the release."""
    if outcome.curated is None:
        return 1
    return len(outcome.counted) - (outcome.release is None)


def sample(case: Case, scenario: Scenario, outcome: Outcome) -> Cost:
    """The cost, from samples of the people who are asked the same questions.

    In a sample two-round releases the columns that it releases of everybody.
    """
    people = min(SAMPLE, case.n)
    part = _sample(scenario, people, outcome)
    seconds, sent = [], []
    for number in range(SAMPLES):
        meter = Meter()
        run(part, number, "real", instruments=(meter,), worst_case_nodes=0)
        seconds.append(meter.seconds * case.n / people)
        sent.append(meter.sent / people)
    return scaled(seconds, sent, people, rounds(outcome))


def _sample(scenario: Scenario, people: int, outcome: Outcome) -> Scenario:
    policy = changed(scenario.policy, k=min(scenario.policy.k, people))
    two_round = program_of(scenario).compared == TWO_ROUND
    if two_round and outcome.kept:
        policy = changed(policy, kind="fixed", keep=outcome.kept, required=(), forbidden=())
    elif two_round:
        policy = changed(policy, kind="exposure", required=(), forbidden=outcome.schema.names)
    return changed(
        scenario,
        policy=policy,
        population=changed(scenario.population, users=people),
        mix=changed(scenario.mix, min_batch=1),
        fault=(),
    )
