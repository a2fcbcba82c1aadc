"""The release programs that run through the mix, each as a row of a comparison.

    program             kind of policy
    exposure            the scenario's own: exposure, fixed, all, pairs or informative (exposure for
                        any other kind)
    hierarchical        hierarchical
    local-suppression   local-suppression
    threshold           threshold, with whole rows and with prefixes; and with people who take
                        part at random, if the scenario samples people
    histogram           histogram, for each epsilon
    verified            that of the program exposure, with a verified mix

Bytes are counted on the messages that users send; seconds of CPU run from the first message of a
session to the last. If only samples of the people send messages, the release is that of the ideal
functionality, which gives the same counts.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from msgspec.structs import replace as changed

from ....analysis.trust import Received
from ....protocol.wire.parties import Role, role
from ....roles.network.instruments import Instrument
from ...lab.play.run import run
from ...lab.scoring.outcome import Outcome
from ...lab.validation.load import check
from ...programs.capabilities import ThresholdOpening
from ...programs.capability import AnswerKind
from ...programs.curated.program import ROW
from ...programs.noisy_questions import Question
from ...programs.randomized.privacy import ADJACENCY
from ...programs.registry import PROGRAMS, answers_for, program_of
from ...schema.kinds import KIND
from ...schema.model import Expect, Kind, Local, Policy, Scenario, Submit
from ..cheating.cheating_file import unmeasured
from ..cheating.cheating_result import CheatingStudy
from ..cheating.coalition_study import SEED, measure
from .case import SAMPLE, SAMPLES, Case, scaled
from .local import draws, epsilons, features, report_leakage, with_noise
from .result import Compared, Privacy, ProgramCost, Trust, Utility
from .utility import empty_utility, estimated, released, utility

if TYPE_CHECKING:
    from ....protocol.board.board import Entry

LAST = KIND  # release program in the last rows of tables, because it has a row for each epsilon
VERIFIED = "verified"
VERIFIED_NOTE = (
    "the release of the row before, by mix.kind = verified; CPU: each proof is checked once"
)
ONCE_NOTE = (
    "; mix.submit = once: users submit once, and all shufflers with the analyst hold keys to "
    "unreleased columns"
)
PROOF_PARTIES = "all shufflers but one, both readers, board, network, any people"


def available() -> tuple[str, ...]:
    """Return the names of the release programs with a mix, in the order of result tables."""
    rows = dict.fromkeys(p.compared for p in PROGRAMS.values() if p.compared)
    return tuple(
        sorted(rows, key=lambda row: row == LAST)
    )  # a stable sort keeps the order of all other release programs


def played(row: str) -> Kind:
    """Return the first kind of policy that a comparison shows under a release program's name.

    row: the name of the program in result tables.
    """
    return next(kind for kind, program in PROGRAMS.items() if program.compared == row)


def exposure_kind(scenario: Scenario) -> Kind:
    """Return the kind of policy that the release program `exposure` of a comparison plays.

    The result is the scenario's own kind, if that is `exposure`, `fixed`, `all`, `pairs` or
    `informative`; otherwise `exposure`.
    """
    mine = program_of(scenario).compared == ROW
    return scenario.policy.kind if mine else played(ROW)


@dataclass(slots=True)
class Meter(Instrument):
    """An instrument that measures the bytes that parties send, and the CPU time of a session.

    Attributes:
        user_bytes: bytes that people have sent so far.
        total: bytes that all parties have sent so far; a post counts once.
        first: CPU seconds at the first message; None before that.
        last: CPU seconds at the last message.
    """

    user_bytes: int = 0
    total: int = 0
    first: float | None = None
    last: float = 0.0

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Count the bytes of a message between two parties, and note the CPU time."""
        self._note_time()
        self.total += len(data)
        if role(sender) in (Role.USER, Role.PEER):
            self.user_bytes += len(data)

    def posted(self, time: float, entry: "Entry") -> None:  # noqa: ARG002
        """Note the CPU time of a post; a session's last post is its last message."""
        self._note_time()

    @property
    def seconds(self) -> float:
        """CPU seconds from the session's first message to its last message so far."""
        return 0.0 if self.first is None else self.last - self.first

    def _note_time(self) -> None:
        """Note the CPU time now as that of the last message, and of a session's first message."""
        self.last = time.process_time()
        if self.first is None:
            self.first = self.last


def variant(scenario: Scenario, kind: Kind) -> Scenario:
    """Return the scenario with another release program that counts true values.

    All people take part. A reader that decrypts only rows of k people publishes less than it
    decrypts, so that no other party knows a person by exclusion. Raises ScenarioError if this
    release program cannot run the scenario.
    """
    exact_policy = {"sample": None, "epsilon": None, "close": "published"}
    return checked_copy(scenario, changed(scenario.policy, kind=kind, **exact_policy))


def noisy_variant(scenario: Scenario, kind: Kind, epsilon: float) -> Scenario:
    """Return the scenario with a release program of noisy reports, without a column rule.

    kind: the kind of policy of the program. epsilon: the epsilon of a person's whole answer, in
    nats. Raises ScenarioError if this program cannot run the scenario.
    """
    return checked_copy(scenario, Policy(kind=kind), with_noise(scenario, epsilon).local)


def checked_copy(scenario: Scenario, policy: Policy, local: Local = Local()) -> Scenario:  # noqa: B008 - frozen
    """Return the scenario with another policy and noise, without [expect] and named coalitions.

    Raises ScenarioError if the policy cannot be played on the scenario.
    """
    copy = changed(scenario, expect=Expect(), coalition=(), sweep={}, policy=policy, local=local)
    check(copy)
    return copy


def mixed(case: Case, program: str) -> Iterator[Compared]:
    """Yield the results of a release program of the mix, for every epsilon if it adds noise.

    Raises ScenarioError if the program cannot run the scenario.
    """
    kind = played(program)
    # several kinds of policy share the program name `exposure`: results show the scenario's own
    # kind
    if program == ROW:
        program = kind = exposure_kind(case.scenario)
    if opening := PROGRAMS[kind].capability(ThresholdOpening):
        for ending, policy in opening.variants(case.scenario.policy):
            scenario = checked_copy(case.scenario, changed(policy, kind=kind))
            yield play_variant(case, program + ending, scenario, None)
        return
    if answers_for(PROGRAMS[kind]) is not AnswerKind.REPORTS:
        yield play_variant(case, program, variant(case.scenario, kind), None)
        return
    for epsilon in epsilons(case.scenario):
        noisy = noisy_variant(case.scenario, kind, epsilon)
        yield play_variant(case, program, noisy, epsilon)


def verified(case: Case) -> Iterator[Compared]:
    """Yield the results of the release program `exposure` with a verified mix (docs/verified.md).

    People and release are the same as with an onion mix. Leakage to honest-but-curious coalitions
    is measured. Secrecy against malicious coalitions has only a proof sketch, which is cited.

    Raises ScenarioError if the program or a guard of the scenario needs an onion mix.
    """
    scenario = variant(case.scenario, exposure_kind(case.scenario))
    submit: Submit = "once" if case.once else "each-round"
    scenario = changed(scenario, mix=changed(scenario.mix, kind="verified", submit=submit))
    check(scenario)
    row = play_variant(case, VERIFIED, scenario, None)
    note = VERIFIED_NOTE + ONCE_NOTE * case.once
    yield replace(row, note=note, trust=replace(row.trust, proof=PROOF_PARTIES))


def play_variant(case: Case, program: str, scenario: Scenario, epsilon: float | None) -> Compared:
    """Return the results of a release program on a scenario that has the program's policy.

    If all people send messages (`case.messages`), the session is played with messages. Else a run
    without messages (ideal) gives the counts, and the cost is measured on samples of the people.
    program: the name of the release program in result tables. epsilon: the epsilon of the noise
    that users add; None without noise.
    """
    meter = Meter()
    # An ideal run with noise needs no seed: its release is not used, and seeded noise, which is
    # drawn for each person, is slow.
    outcome = (
        run(scenario, case.seed, "real", instruments=(meter,), worst_case_nodes=0)
        if case.messages
        else run(scenario, None if epsilon else case.seed, "ideal", worst_case_nodes=0)
    )
    price = (
        ProgramCost(
            cpu=meter.seconds,
            cpu_limits=None,
            people=case.n,
            samples=1,
            bytes=meter.user_bytes / case.n,
            rounds=rounds(outcome),
            total=meter.total / case.n,
        )
        if case.messages
        else sample(case, scenario, outcome)
    )
    questions = () if epsilon is None else features(case, epsilon)
    leakage = report_leakage(case, "features", questions) if questions else 0.0
    return Compared(
        program if epsilon is None else f"{program} e={epsilon:g}",
        "mix",
        program_of(scenario).note,
        outcome.burned,
        dict(outcome.refused),
        Trust.from_received(
            _received(outcome, leakage) if questions else outcome.coalitions,
            cheated(case, scenario, outcome),
        ),
        privacy_of(outcome, epsilon),
        worth_of(case, outcome, questions, leakage),
        price,
    )


def _received(outcome: Outcome, leakage: float) -> list[Received]:
    """Return the leakage to coalitions, if a report with a name gives `leakage` bits."""
    return [replace(view, bits=view.linked * leakage) for view in outcome.coalitions]


def cheated(case: Case, scenario: Scenario, outcome: Outcome) -> CheatingStudy | None:
    """Return the study of malicious coalitions; None if it is not measured.

    With more than 400 people, the study plays a sample of 400. scenario: the scenario of the
    release program. outcome: a run of that scenario.
    """
    if not case.cheating or unmeasured(scenario):
        return None
    part = scenario if case.n <= SAMPLE else _sample(scenario, SAMPLE, outcome)
    return measure(part, SEED if case.seed is None else case.seed, case.cheating)


def privacy_of(outcome: Outcome, epsilon: float | None) -> Privacy:
    """Return the true and the promised exposure of a run, or the epsilon of its noise.

    If rows stay encrypted, the numbers of people known by exclusion are added. epsilon: the epsilon
    of the noise that users add; None without noise.
    """
    if epsilon is not None:
        return Privacy(0.0, None, epsilon, adjacency=ADJACENCY)
    promised = outcome.exposure.promised if outcome.decision else None
    excluded = outcome.findings.by_exclusion if outcome.findings else None
    return Privacy(outcome.exposure.true, promised, None, *(excluded or (None, None)))


def worth_of(
    case: Case, outcome: Outcome, questions: Sequence[Question], leakage: float
) -> Utility:
    """Return the utility of a run's release for the analyst.

    questions: the questions of a program with noisy reports; () for a program without noise.
    leakage: bits of information in all noisy reports of one person; unused without noise.
    """
    if not outcome.released:
        return empty_utility(case)
    if questions:
        errors = draws(case, "features", questions)
        return estimated(case, errors, leakage, tuple(range(len(case.sizes))))
    decision = outcome.decision
    if decision is None:
        return empty_utility(case)
    release, findings = outcome.release or {}, outcome.findings
    if findings and (whole := findings.scale_release(release)):
        estimates, share_reported = whole
        return replace(
            utility(case, released(case, estimates, decision.kept)), cells=share_reported
        )
    return utility(case, released(case, release, decision.kept), decision.hidden)


def rounds(outcome: Outcome) -> int:
    """Return the number of rounds in which people answer: the curator's rounds, and the release.

    outcome: the run. A release program without a curator has a single round.
    """
    if outcome.curated is None:
        return 1
    return len(outcome.counted) - (outcome.release is None)


def sample(case: Case, scenario: Scenario, outcome: Outcome) -> ProgramCost:
    """Return the cost of a release program, estimated from samples of people with equal questions.

    outcome: the run of all people. A program of two rounds releases the same columns from each
    sample.
    """
    people = min(SAMPLE, case.n)
    part = _sample(scenario, people, outcome)
    seconds, bytes_sent, totals = [], [], []
    for number in range(SAMPLES):
        meter = Meter()
        run(part, number, "real", instruments=(meter,), worst_case_nodes=0)
        seconds.append(meter.seconds * case.n / people)
        bytes_sent.append(meter.user_bytes / people)
        totals.append(meter.total / people)
    price = scaled(seconds, bytes_sent, people, rounds(outcome))
    return replace(price, total=sum(totals) / SAMPLES)


def _sample(scenario: Scenario, people: int, outcome: Outcome) -> Scenario:
    """Return the scenario for a sample of `people` people, without faults.

    A release program of two rounds releases the columns of `outcome`, the run of all people.
    """
    policy = changed(scenario.policy, k=min(scenario.policy.k, people))
    two_round = program_of(scenario).compared == ROW
    if two_round and outcome.released_columns:
        policy = changed(
            policy, kind="fixed", keep=outcome.released_columns, required=(), forbidden=()
        )
    elif two_round:
        policy = changed(policy, kind="exposure", required=(), forbidden=outcome.schema.names)
    return changed(
        scenario,
        policy=policy,
        population=changed(scenario.population, users=people),
        mix=changed(scenario.mix, min_batch=1),
        fault=(),
    )
