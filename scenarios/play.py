"""Playing a scenario: people, parties and a decision rule in; an outcome out.

`run` is the one entry. `mode="real"` sends every message through the mix; `mode="ideal"` answers
the same questions without any (protocol/ideal.py) and gives the same marginals, decision and
release.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..crypto.entropy import Entropy, SeededEntropy, SystemEntropy
from ..errors import ParameterError
from ..protocol.announcement import Policy, Rules, Setting
from ..protocol.ideal import Ideal, Table, calls_made, ideal_view, randomized, two_round
from ..protocol.messages import Counts, Decision
from ..protocol.parties import user
from ..protocol.transcript import Transcript
from ..protocol.view import View, view
from ..roles.faults import SILENCING, faulty
from ..roles.instruments import Instrument, Recorder
from ..roles.session import Cast, play
from .cast import struck
from .coalitions import learnt
from .decide import decision_rule
from .judge import considered, dropped, expectations, measure
from .load import load, resolve
from .local import (
    KIND,
    announced_names,
    announced_schema,
    asked,
    ideal_reports,
    lie,
    program,
    reports,
    rule,
)
from .model import Scenario
from .outcome import Exposure, Outcome
from .report_risks import in_reports
from .risks import in_release
from .samples import Samples, samples

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Mode = Literal["real", "ideal"]
Report = Callable[[str], None]
Faults = Mapping[int, Mapping[int, str]]  # user -> round -> attack

FAULT_STREAM = 0x6661756C  # keeps the draw of faulty users apart from other uses of the seed
ROUNDS = (1, 2)


@dataclass(frozen=True, slots=True)
class Played:
    """What either way of playing leaves: what was counted and decided, and who saw what."""

    tallies: tuple[tuple[Counts, ...], ...]
    decision: Decision | None
    release: Counts | None
    burned: str | None
    refused: Mapping[str, int]
    digest: bytes
    look: Callable[[tuple[str, ...]], View]
    transcript: Transcript | None = None


def run(
    scenario: Scenario | str | Path,
    seed: int | None = None,
    mode: Mode = "real",
    *,
    instruments: Sequence[Instrument] = (),
    report: Report = lambda _: None,
    worst_case_seconds: float = 2.0,
) -> Outcome:
    """Play a scenario once.

    Args:
        scenario: a scenario, the path of its file, or the name of a shipped one.
        seed: overrides the scenario's; None leaves it, and without any, randomness is the system's.
            A seeded run is reproducible and NOT secret.
        mode: `real` (every message) or `ideal` (the same questions without messages).
        instruments: watch the run (real mode).
        report: told, in one line each, of what an instrument or the data have to say.
        worst_case_seconds: for how long the exact worst case may be sought; 0 leaves it out.

    Raises:
        ScenarioError, DataError: the scenario or its data cannot be used.
    """
    if mode not in ("real", "ideal"):
        raise ParameterError(f"mode: found {mode!r}; real or ideal is accepted")
    chosen = scenario if isinstance(scenario, Scenario) else load(scenario)
    seed = chosen.scenario.seed if seed is None else seed
    crowd = samples(chosen, seed)
    chosen = resolve(chosen, crowd.first, crowd.people.schema.names, crowd.others)
    faults = draw_faults(chosen, crowd.people.n, seed)
    started = time.perf_counter()
    if mode == "real":
        played = play_real(chosen, crowd, faults, seed, instruments, report)
    else:
        played = play_ideal(chosen, crowd, faults, seed)
    seconds = time.perf_counter() - started
    if chosen.policy.kind == KIND:
        return _randomized(chosen, crowd, seed, mode, played, seconds, faults)
    outcome = _outcome(chosen, crowd, seed, mode, played, seconds, worst_case_seconds)
    kept = played.decision.kept if played.decision else ()
    found = in_release(chosen, crowd, _present(crowd, faults)[1], kept, played.release)
    return replace(outcome, found=found)


def draw_faults(scenario: Scenario, people: int, seed: int | None) -> Faults:
    """Draw who does what wrong in which round; of two faults of one user in a round, the last."""
    import numpy as np

    rng = np.random.default_rng(None if seed is None else [seed, FAULT_STREAM])
    faults: dict[int, dict[int, str]] = {}
    for one in scenario.fault:
        for index in struck(one, people, rng):
            rounds = ROUNDS if one.round is None else (one.round,)
            faults.setdefault(index, {}).update(dict.fromkeys(rounds, one.attack))
    return faults


def announced_policy(scenario: Scenario) -> Policy:
    """What the curator announces of a scenario's policy.

    In the program `randomized` it promises no crowd: the rule says what people do to their answers.
    """
    policy = scenario.policy
    if policy.kind == KIND:
        return Policy(1, 1.0, rule(scenario, len(scenario.feature)))
    named = policy.rule if policy.kind == "exposure" else policy.kind
    setting = Setting(scenario.population.setting)
    delta = policy.delta if setting is Setting.STATISTICAL else 0.0
    return Policy(policy.k, policy.max_exposure, named, policy.publish_marginals, setting, delta)


def announced_rules(scenario: Scenario) -> Rules:
    """What the curator announces of how messages travel."""
    mix = scenario.mix
    return Rules(
        deadline=mix.deadline,
        min_batch=mix.min_batch,
        min_dropout=scenario.defence.min_dropout,
        padded=mix.pad,
        salted=mix.salt,
        ordered=mix.order == "sorted",
        lesson=mix.lesson,
    )


def cast_of(scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None) -> Cast:
    """Everything a session of this scenario starts from."""
    people = crowd.people
    questions = asked(scenario, people)
    return Cast(
        scenario.scenario.name,
        announced_schema(scenario, people.schema),
        announced_policy(scenario),
        announced_rules(scenario),
        scenario.mix.suite,
        scenario.mix.shufflers,
        people.n,
        people.row,
        decision_rule(scenario.policy, crowd.others),
        _entropy(seed),
        crowd.rounds,
        {user(index): faulty(attacks) for index, attacks in faults.items()},
        program=program(scenario),
        lie=lie(questions) if questions else None,
    )


def play_real(
    scenario: Scenario,
    crowd: Samples,
    faults: Faults,
    seed: int | None,
    instruments: Sequence[Instrument] = (),
    report: Report = lambda _: None,
) -> Played:
    """Send every message through the mix."""
    transcript = Transcript.sized(crowd.people.n)
    cast = cast_of(scenario, crowd, faults, seed)
    board = play(cast, [Recorder(transcript), *instruments], report)
    refused: Counter[str] = Counter()
    for refusal in transcript.refusals:
        refused[refusal.reason.value] += refusal.count
    tallies = tuple(read.counts for read in transcript.reads)
    return Played(
        tallies,
        board.decision,
        tallies[1][0] if len(board.tallies) == 2 else None,  # what was burned is not released
        board.burned,
        dict(sorted(refused.items())),
        board.digest(),
        lambda members: view(transcript, members, board),
        transcript,
    )


def _entropy(seed: int | None) -> Entropy:
    return SystemEntropy() if seed is None else SeededEntropy(seed)


def play_ideal(
    scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None = None
) -> Played:
    """Answer the same questions without a message.

    seed: of the noise that people add in the program `randomized`; nothing else is drawn here.
    """
    policy = announced_policy(scenario)
    ideal = _ideal(scenario, crowd, faults, seed)
    schema = announced_schema(scenario, crowd.people.schema)
    calls = calls_made(program(scenario), schema, ideal)
    digest = hashlib.sha256(repr((ideal.tallies, ideal.decision, ideal.burned)).encode())
    return Played(
        ideal.tallies,
        ideal.decision,
        ideal.release,
        ideal.burned,
        {},
        digest.digest(),
        lambda members: ideal_view(
            crowd.people.n, ideal, calls, policy, scenario.mix.shufflers, *members
        ),
    )


def _ideal(scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None) -> Ideal:
    people, rules = crowd.people, announced_rules(scenario)
    first, second = _present(crowd, faults)
    if questions := asked(scenario, people):
        reports = ideal_reports(questions, people, first, _entropy(seed))
        return randomized(announced_schema(scenario, people.schema), reports, rules)
    rounds = tuple(
        Table(people.values, people.codes if len(here) == people.n else people.codes[here])
        for here in (first, second)
    )
    decide = decision_rule(scenario.policy, crowd.others)
    return two_round(
        people.schema, (rounds[0], rounds[1]), announced_policy(scenario), rules, decide
    )


def _present(crowd: Samples, faults: Faults) -> "tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]":
    """The indices of who answers in each round; in the fixed setting, round 2 only round 1's."""
    import numpy as np

    n, first = crowd.people.n, crowd.first
    asked = (slice(0, first), slice(0 if crowd.fixed else first, n))
    present = []
    silent: set[int] = set()
    for number, people in zip(ROUNDS, asked, strict=True):
        silenced = {i for i, attacks in faults.items() if attacks.get(number) in SILENCING}
        silent = silent | silenced if crowd.fixed else silenced
        here = np.zeros(n, dtype=bool)
        here[people] = True
        here[sorted(silent)] = False
        present.append(np.flatnonzero(here))
    return present[0], present[1]


def _randomized(
    scenario: Scenario,
    crowd: Samples,
    seed: int | None,
    mode: Mode,
    played: Played,
    seconds: float,
    faults: Faults,
) -> Outcome:
    """Score a run in which people randomized what they said."""
    from .local_score import score

    people = crowd.people
    columns = announced_names(scenario, people.schema.names)
    sizes = tuple(len(texts) for texts in people.values)
    tallies = () if played.burned else played.tallies
    present = _present(crowd, faults)[0]
    local = score(scenario, people, present, tallies)
    outcome = Outcome(
        scenario=scenario,
        seed=seed,
        mode=mode,
        users=people.n,
        schema=people.schema,
        sizes=sizes,
        marginals=None,
        decision=None,
        considered=(),
        dropped=(),
        release=reports(columns, tallies[0]) if tallies else None,
        burned=played.burned,
        exposure=Exposure(0.0, 0.0, None, 0),
        coalitions=learnt(scenario, played.look, sizes, local.told.information if local else None),
        refused=played.refused,
        digest=played.digest.hex(),
        seconds=seconds,
        notes=(people.note, *people.warnings),
        transcript=played.transcript,
        local=local,
        found=in_reports(scenario, crowd, present) if local else None,
    )
    return expectations(outcome)


def _outcome(
    scenario: Scenario,
    crowd: Samples,
    seed: int | None,
    mode: Mode,
    played: Played,
    seconds: float,
    worst_case_seconds: float,
) -> Outcome:
    """Score what was played."""
    people = crowd.people
    sizes = tuple(len(texts) for texts in people.values)
    marginals = played.tallies[0] if played.tallies else None
    outcome = Outcome(
        scenario=scenario,
        seed=seed,
        mode=mode,
        users=people.n,
        schema=people.schema,
        sizes=sizes,
        marginals=marginals,
        decision=played.decision,
        considered=considered(scenario, crowd, marginals),
        dropped=dropped(scenario, crowd, marginals),
        release=played.release,
        burned=played.burned,
        exposure=measure(played, crowd, worst_case_seconds),
        coalitions=learnt(scenario, played.look, sizes),
        refused=played.refused,
        digest=played.digest.hex(),
        seconds=seconds,
        notes=(people.note, *people.warnings),
        transcript=played.transcript,
    )
    return expectations(outcome)
