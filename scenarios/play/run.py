"""Playing a scenario: people, parties and a decision rule in; an outcome out.

`run` is the one entry. `mode="real"` sends every message through the mix; `mode="ideal"` answers
the same questions without any (protocol/ideal.py) and gives the same marginals, decision and
release.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...crypto.entropy import Entropy, SeededEntropy, SystemEntropy
from ...errors import ParameterError
from ...protocol.board import Board
from ...protocol.hiding import COVERS, Redact, cover_draws
from ...protocol.history import History
from ...protocol.ideal import (
    Ideal,
    Table,
    hide_table,
    ideal_view,
    randomized,
    released,
    run_through,
)
from ...protocol.messages import Call
from ...protocol.parties import user
from ...protocol.transcript import Transcript
from ...protocol.view import Record
from ...roles.instruments import Instrument, Recorder
from ...roles.session import Cast, play
from ..catalogue.commit import after, before, commit
from ..populations import Population
from ..populations.samples import Samples
from ..programs.interface import Mode, Played, Raised, Report
from ..programs.randomized.questions import (
    announced_names,
    announced_schema,
    ideal_reports,
    lie,
    program,
    reports,
)
from ..programs.registry import asked, samples, strategy
from ..schema.kinds import KIND, RANDOMIZED, SETS
from ..schema.model import Scenario
from ..scoring.coalitions import learnt
from ..scoring.outcome import Outcome
from ..scoring.policy import considered, dropped, expectations, heard, measure
from ..scoring.reidentification import in_release
from ..scoring.report_reidentification import in_reports
from ..validation.load import load, resolve
from .announcement import Faults, announced_policy, announced_rules, draw_faults, present

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..ledger.book import Ledger
    from ..programs.hierarchical.rounds import Asked
    from ..programs.interface import Effect
    from ..programs.local_suppression.score import Blanks


_Found = dict[str, Any]  # fields of an Outcome


def run(
    scenario: Scenario | str | Path,
    seed: int | None = None,
    mode: Mode = "real",
    *,
    instruments: Sequence[Instrument] = (),
    report: Report = lambda _: None,
    worst_case_seconds: float = 2.0,
    ledger: "Ledger | None" = None,
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
        ledger: what was released of whom before; what this run does is added to it (real mode).

    Raises:
        ScenarioError, DataError: the scenario or its data cannot be used.
    """
    if mode not in ("real", "ideal"):
        raise ParameterError(f"mode: found {mode!r}; real or ideal is accepted")
    chosen = scenario if isinstance(scenario, Scenario) else load(scenario)
    seed = chosen.scenario.seed if seed is None else seed
    crowd = samples(chosen, seed)
    asked_for = chosen
    chosen = resolve(chosen, crowd.first, crowd.people.schema.names, crowd.others)
    faults = draw_faults(chosen, crowd.people.n, seed)
    kept = None
    started = time.perf_counter()
    if ledger is not None:
        from ..ledger.keep import check_suited, keep

        check_suited(chosen, mode)
        session = partial(play_real, chosen, crowd, faults, seed, instruments, report)
        played, kept = keep(ledger, asked_for, crowd, seed, session)
    elif chosen.mix.peers:
        from .peers import play_peers

        played = play_peers(chosen, crowd, faults, seed, mode, instruments, report)
    elif mode == "real":
        played = play_real(chosen, crowd, faults, seed, instruments, report)
    else:
        played = play_ideal(chosen, crowd, faults, seed)
    seconds = time.perf_counter() - started
    if chosen.policy.kind == KIND:
        found = _randomized(chosen, crowd, played, faults)
    elif chosen.policy.kind == SETS:
        found = _counted(chosen, crowd, played, faults)
    else:
        found = _decided(chosen, crowd, played, faults, worst_case_seconds)
    return _outcome(chosen, crowd, seed, mode, played, seconds, ledger=kept, **found)


def cast_of(scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None) -> Cast:
    """Everything a session of this scenario starts from."""
    people = crowd.people
    questions = asked(scenario, people)
    cast = Cast(
        scenario.scenario.name,
        announced_schema(scenario, people.schema),
        announced_policy(scenario),
        announced_rules(scenario),
        scenario.mix.suite,
        scenario.mix.shufflers,
        people.n,
        people.row,
        strategy(scenario, crowd.others),
        _entropy(seed),
        crowd.rounds,
        program=program(scenario),
        lie=lie(questions) if questions else None,
    )
    return commit(scenario, cast, crowd, faults, seed)


def play_real(
    scenario: Scenario,
    crowd: Samples,
    faults: Faults,
    seed: int | None,
    instruments: Sequence[Instrument] = (),
    report: Report = lambda _: None,
    history: History | None = None,
) -> Played:
    """Send every message through the mix. history: what the first shuffler remembers."""
    cast = cast_of(scenario, crowd, faults, seed)
    if history is not None:
        cast = replace(cast, guards=replace(cast.guards, history=history))
    earlier = None
    if first := before(scenario, cast):
        old = Transcript.sized(first.people)
        earlier = old, play(first, [Recorder(old)], report)
        cast = after(scenario, cast, crowd, first, earlier[1])
    transcript = Transcript.sized(cast.people)
    spying = [cast.spy] if cast.spy else []
    board = play(cast, [Recorder(transcript), *spying, *instruments], report)
    raised = [(party, one.round, one.cause.value) for party, one in board.alarms]
    refused: Counter[str] = Counter()
    for refusal in transcript.refusals:
        refused[refusal.reason.value] += refusal.count
    answered = len(board.tallies)  # what was burned is no result
    calls = tuple(board.calls[:answered])
    tallies = tuple(read.counts for read in transcript.reads)[:answered]
    record = Record(transcript, board)
    return Played(
        calls,
        tallies,
        board.decision,
        released(calls, tallies, board.decision),
        board.burned,
        dict(sorted(refused.items())),
        board.digest(),
        record.view,
        transcript,
        record.truth,
        _effects(scenario, crowd, cast, board, transcript, seed, earlier),
        tuple(Raised(*one) for one in sorted(raised)),
    )


def _effects(
    scenario: Scenario,
    crowd: Samples,
    cast: Cast,
    board: Board,
    transcript: Transcript,
    seed: int | None,
    earlier: tuple[Transcript, Board] | None,
) -> "tuple[Effect, ...]":
    """What the attacks have achieved; not told of randomized reports, nor of a summary."""
    if cast.spy is None or scenario.policy.kind in RANDOMIZED or transcript.summary:
        return ()
    from ..catalogue.effects import measure
    from ..catalogue.scene import Scene

    return measure(Scene(scenario, crowd.people, board, transcript, cast.spy, seed, earlier))


def _entropy(seed: int | None) -> Entropy:
    return SystemEntropy() if seed is None else SeededEntropy(seed)


def play_ideal(
    scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None = None
) -> Played:
    """Answer the same questions without a message.

    seed: of the noise that people add and of the values that they leave blank to cover others.
    """
    policy = announced_policy(scenario)
    ideal = _ideal(scenario, crowd, faults, seed)
    digest = hashlib.sha256(repr((ideal.tallies, ideal.decision, ideal.burned)).encode())
    return Played(
        ideal.calls,
        ideal.tallies,
        ideal.decision,
        ideal.release,
        ideal.burned,
        {},
        digest.digest(),
        lambda members: ideal_view(crowd.people.n, ideal, policy, scenario.mix.shufflers, *members),
    )


def _ideal(scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None) -> Ideal:
    people, rules = crowd.people, announced_rules(scenario)
    if questions := asked(scenario, people):
        reports = ideal_reports(questions, people, present(crowd, faults, 1), _entropy(seed))
        return randomized(announced_schema(scenario, people.schema), reports, rules)

    def answering(call: Call) -> Table:
        here = present(crowd, faults, call.round)
        everybody = len(here) == people.n
        table = Table(people.values, people.codes if everybody else people.codes[here])
        return hide_table(table, call.hidden, _covers(call, here, _entropy(seed)))

    return run_through(
        program(scenario),
        people.schema,
        answering,
        announced_policy(scenario),
        rules,
        strategy(scenario, crowd.others),
        proving=scenario.defence.promise,
    )


def _covers(call: Call, here: "npt.NDArray[np.intp]", entropy: Entropy) -> "npt.ArrayLike":
    """What the people with these indices draw for a call's rules: seeded, as in a real run."""
    import numpy as np

    shape = len(here), len(call.hidden)
    if not any(isinstance(rule, Redact) for rule in call.hidden):
        return np.zeros(shape, dtype=np.uint64)
    if not entropy.seeded:
        return np.random.default_rng().integers(0, COVERS, shape, dtype=np.uint64)
    drawn = [
        cover_draws(call.hidden, entropy.fork(user(i)).fork(f"round-{call.round}"))
        for i in here.tolist()
    ]
    return np.array(drawn, dtype=np.uint64).reshape(shape)


def _outcome(
    scenario: Scenario,
    crowd: Samples,
    seed: int | None,
    mode: Mode,
    played: Played,
    seconds: float,
    **found: Any,
) -> Outcome:
    """What every program leaves, and what was found of this one; then what was expected."""
    people = crowd.people
    sizes = columns_of(scenario, people)
    local, sets = found.get("local"), found.get("incidence")
    told = local.told.information if local else sets.information if sets else None
    outcome = Outcome(
        scenario=scenario,
        seed=seed,
        mode=mode,
        users=people.n,
        schema=people.schema,
        sizes=sizes,
        decision=played.decision,
        burned=played.burned,
        coalitions=learnt(scenario, played.look, sizes, told, played.truth),
        refused=played.refused,
        digest=played.digest.hex(),
        seconds=seconds,
        notes=(people.note, *people.warnings),
        transcript=played.transcript,
        attacks=played.attacks,
        alarms=played.alarms,
        peers=played.peers,
        **found,
    )
    return expectations(outcome)


def columns_of(scenario: Scenario, people: Population) -> tuple[int, ...]:
    """The number of values of each column; of a set every position is one, with two values."""
    if scenario.policy.kind == SETS:
        from ..populations.sets import positions_of

        return (2,) * positions_of(people)
    return tuple(len(texts) for texts in people.values)


def _counted(scenario: Scenario, crowd: Samples, played: Played, faults: Faults) -> _Found:
    """What owners said of their sets."""
    from ..programs.incidence.score import score
    from ..scoring.report_reidentification import in_pieces, together

    tallies = () if played.burned else played.tallies
    here, people = present(crowd, faults, 1), crowd.people
    questions = asked(scenario, people)
    codes = people.codes[here]
    told = partial(together, questions, codes)
    incidence = score(scenario, people, questions, here, told, tallies)
    return {
        "release": reports(people.schema.names, tallies[0]) if tallies else None,
        "incidence": incidence,
        "found": in_pieces(questions, codes) if incidence else None,
    }


def _randomized(scenario: Scenario, crowd: Samples, played: Played, faults: Faults) -> _Found:
    """What people said who randomized it."""
    from ..programs.randomized.score import score

    tallies = () if played.burned else played.tallies
    columns = announced_names(scenario, crowd.people.schema.names)
    here = present(crowd, faults, 1)
    questions = asked(scenario, crowd.people)
    local = score(scenario, crowd.people, questions, here, tallies)
    return {
        "release": reports(columns, tallies[0]) if tallies else None,
        "local": local,
        "found": in_reports(scenario, crowd, here) if local else None,
    }


def _decided(
    scenario: Scenario, crowd: Samples, played: Played, faults: Faults, seconds: float
) -> _Found:
    """What the curator learnt and decided, and what was released. seconds: for the worst case."""
    marginals = played.tallies[0] if played.tallies else None
    kept = played.decision.kept if played.decision else ()
    here = present(crowd, faults, len(played.calls))
    proving = strategy(scenario, crowd.others) if scenario.defence.promise else None
    return {
        "marginals": marginals,
        "considered": considered(scenario, crowd, played),
        "dropped": dropped(scenario, crowd, played),
        "rounds": _asked(scenario, crowd, played),
        "blanks": _blanks(scenario, crowd, played, here),
        "release": played.release,
        "exposure": measure(played, crowd, proving, seconds),
        "found": in_release(
            scenario, crowd, here, kept, played.release, played.calls[-1].hidden if kept else ()
        ),
    }


def _asked(scenario: Scenario, crowd: Samples, played: Played) -> "tuple[Asked, ...]":
    """What the curator was given round by round, where it may ask more than once."""
    from ..programs.hierarchical.rounds import asked
    from ..programs.hierarchical.strategy import KIND, certainties

    if scenario.policy.kind != KIND:
        return ()
    people, k = crowd.people, scenario.policy.k
    sizes = tuple(len(texts) for texts in people.values)
    sure = certainties(people.schema, heard(played), k)
    return asked(played.calls, played.tallies, people.schema.names, sizes, k, sure)


def _blanks(
    scenario: Scenario, crowd: Samples, played: Played, here: "npt.NDArray[np.intp]"
) -> "Blanks | None":
    """What blanks hide and cost, where there may be some. here: who answered at last."""
    from ..programs.local_suppression.score import score

    if scenario.policy.kind != "local-suppression" or played.decision is None:
        return None
    schema, codes = crowd.people.schema, crowd.people.codes[here]
    first, release = played.tallies[0], played.release
    return score(scenario.policy, schema, first, played.decision, release, codes)
