"""The programs of the mix itself, measured as they are: every one that this version runs.

    program             kind of policy
    two-round           the scenario's own: exposure, fixed or all (exposure, where it has another)
    hierarchical        hierarchical
    local-suppression   local-suppression
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

from ...analysis.trust.received_view import Received
from ...protocol.parties import Role, role
from ...roles.instruments import Instrument
from ..play.run import run
from ..programs.randomized.questions import Question
from ..schema.model import Expect, Kind, Local, Policy, Scenario
from ..scoring.outcome import Outcome
from ..validation.load import check
from ..validation.supported import AVAILABLE
from .case import SAMPLE, SAMPLES, Case, scaled
from .local import draws, epsilons, features, tell, with_noise
from .result import Compared, Cost, Privacy, Trust, Utility
from .utility import estimated, nothing, released, utility

if TYPE_CHECKING:
    from ...protocol.board import Entry

PROGRAMS: dict[str, Kind] = {
    "two-round": "exposure",
    "hierarchical": "hierarchical",
    "local-suppression": "local-suppression",
    "randomized": "histogram",
}
OWN = ("exposure", "fixed", "all")  # kinds of policy that two-round itself has
NOTES = {
    "two-round": "columns chosen from the counts of single columns",
    "hierarchical": "columns chosen from the counts of groups asked before",
    "local-suppression": "rare values blanked by rule, with cover",
}


def available() -> tuple[str, ...]:
    """The programs of the mix that this version runs."""
    kinds = AVAILABLE["policy.kind"]
    return tuple(name for name, kind in PROGRAMS.items() if kind in kinds)


@dataclass(slots=True)
class Meter(Instrument):
    """Counts what people send, in bytes, and the CPU between the first message and the last."""

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


def variant(scenario: Scenario, kind: Kind, epsilon: float | None = None) -> Scenario:
    """The scenario as another program; [expect] and named coalitions are the original's alone.

    Raises ScenarioError where this program cannot run it.
    """
    quiet = changed(scenario, expect=Expect(), coalition=(), sweep={}, local=Local())
    if epsilon is None:
        other = changed(quiet, policy=changed(scenario.policy, kind=kind))
    else:  # it chooses nothing, so it reads nothing of how to choose
        quiet = changed(quiet, policy=Policy(kind=kind), local=scenario.local)
        other = with_noise(quiet, epsilon)
    check(other)
    return other


def mixed(case: Case, program: str) -> Iterator[Compared]:
    """One program of the mix, for every budget if it has one. Raises ScenarioError."""
    kind = PROGRAMS[program]
    if program == "two-round" and case.scenario.policy.kind in OWN:
        kind = case.scenario.policy.kind
    if program != "randomized":
        yield _played(case, program, variant(case.scenario, kind), None)
        return
    for epsilon in epsilons(case.scenario):
        yield _played(case, program, variant(case.scenario, kind, epsilon), epsilon)


def _played(case: Case, program: str, scenario: Scenario, epsilon: float | None) -> Compared:
    meter = Meter()
    outcome = (
        run(scenario, case.seed, "real", instruments=(meter,), worst_case_seconds=0)
        if case.messages
        else run(scenario, None if epsilon else case.seed, "ideal", worst_case_seconds=0)
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
        NOTES.get(program, "noise before sealing; two-way tables as if independent"),
        outcome.burned,
        dict(outcome.refused),
        Trust.of(_received(outcome, told) if asked else outcome.coalitions),
        privacy_of(outcome, epsilon),
        worth_of(case, outcome, asked, told),
        price,
    )


def _received(outcome: Outcome, told: float) -> list[Received]:
    """What coalitions received, by the same reading of a report as without a mix."""
    return [replace(one, bits=one.linked * told) for one in outcome.coalitions]


def privacy_of(outcome: Outcome, epsilon: float | None) -> Privacy:
    """What a run shows and promises; epsilon: of noise, else None."""
    if epsilon is not None:
        return Privacy(0.0, None, epsilon)
    promised = outcome.exposure.promised if outcome.decision else None
    return Privacy(outcome.exposure.true, promised)


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
    return utility(case, released(case, outcome.release, decision.kept), decision.hidden)


def rounds(outcome: Outcome) -> int:
    """Rounds in which people were asked something: those for the curator, and the release."""
    asked = max(1, len(outcome.rounds))
    return asked + (outcome.release is not None and not outcome.local)


def sample(case: Case, scenario: Scenario, outcome: Outcome) -> Cost:
    """The cost, from samples of the people who are asked the same questions.

    In a sample two-round releases the columns that it releases of everybody.
    """
    people = min(SAMPLE, case.n)
    part = _sample(scenario, people, outcome)
    seconds, sent = [], []
    for number in range(SAMPLES):
        meter = Meter()
        run(part, number, "real", instruments=(meter,), worst_case_seconds=0)
        seconds.append(meter.seconds * case.n / people)
        sent.append(meter.sent / people)
    return scaled(seconds, sent, people, rounds(outcome))


def _sample(scenario: Scenario, people: int, outcome: Outcome) -> Scenario:
    policy = changed(scenario.policy, k=min(scenario.policy.k, people))
    if policy.kind in OWN and outcome.kept:
        policy = changed(policy, kind="fixed", keep=outcome.kept, required=(), forbidden=())
    elif policy.kind in OWN:
        policy = changed(policy, kind="exposure", required=(), forbidden=outcome.schema.names)
    return changed(
        scenario,
        policy=policy,
        population=changed(scenario.population, users=people),
        mix=changed(scenario.mix, min_batch=1),
        fault=(),
    )
