"""Playing a scenario with central parties: every message goes through the mix."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ....crypto.entropy import entropy_of
from ....protocol.board.alarms import borne_out
from ....protocol.board.board import Board
from ....protocol.history.shuffler_history import History
from ....protocol.knowledge.transcript import Transcript
from ....protocol.wire.parties import Role, role
from ....roles.cast import Cast
from ....roles.network.instruments import Instrument, TranscriptRecorder
from ....roles.session import Stage, play
from ...attacks.catalogue.commit import commit, earlier_sessions, next_session, sequels
from ...attacks.catalogue.deviations import unmet_deviations
from ...attacks.catalogue.occasions import Ended, unmet
from ...attacks.catalogue.strikes import Faults
from ...populations import Population
from ...populations.samples import Samples
from ...programs.interface import Played, Raised, Report
from ...programs.noisy_questions import Randomization, randomization
from ...programs.registry import announced_schema, noisy_questions, participation, strategy, wire
from ...schema.model import Scenario
from .announcement import announced_policy, announced_rules
from .outcomes import Achieved, played_of

if TYPE_CHECKING:
    from ....roles.adversary_record import AdversaryRecord

_Earlier = tuple[Transcript, Board, "AdversaryRecord | None"]  # an earlier session


def cast_of(scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None) -> Cast:
    """Return the input of a session of this scenario."""
    people = crowd.people
    questions = noisy_questions(scenario, people)
    cast = Cast(
        scenario.scenario.name,
        announced_schema(scenario, people.schema),
        announced_policy(scenario),
        announced_rules(scenario),
        scenario.mix.suite,
        scenario.mix.shufflers,
        people.n,
        people.exact_values,
        strategy(scenario, crowd.round2_people),
        entropy_of(seed),
        crowd.rounds,
        program=wire(scenario),
        randomize=(
            randomization(questions, people.schema) if questions else participation(scenario)
        ),
    )
    return commit(scenario, cast, crowd, faults, seed)


def _remembering(
    scenario: Scenario, people: Population, memory: Callable[[int], bytes]
) -> Callable[[int], Randomization]:
    """Return the randomization of each person, by index, with the noise that it keeps."""
    questions = noisy_questions(scenario, people)
    return lambda index: randomization(questions, people.schema, memory(index))


def play_real(
    scenario: Scenario,
    crowd: Samples,
    faults: Faults,
    seed: int | None,
    instruments: Sequence[Instrument] = (),
    report: Report = lambda _: None,
    history: History | None = None,
    stage: Stage = play,
    memory: Callable[[int], bytes] | None = None,
) -> Played:
    """Send every message through the mix.

    history: the memory of the first shuffler. stage: the runner of the parties. memory: a secret of
    each person, by index, that seeds the noise it keeps from run to run.
    """
    cast = cast_of(scenario, crowd, faults, seed)
    if memory is not None and cast.randomize is not None:
        cast = replace(cast, remembering=_remembering(scenario, crowd.people, memory))
    if history is not None:
        cast = replace(cast, guards=replace(cast.guards, history=history))
    earlier: list[_Earlier] = []
    first = cast
    for first in earlier_sessions(scenario, cast):
        old = Transcript.sized(first.people)
        adversaries = [first.adversary] if first.adversary else []
        earlier.append(
            (old, stage(first, [TranscriptRecorder(old), *adversaries], report), first.adversary)
        )
    if earlier:
        cast = next_session(scenario, cast, crowd, first, earlier[-1][1])
    transcript = Transcript.sized(cast.people)
    adversaries = [cast.adversary] if cast.adversary else []
    board = stage(cast, [TranscriptRecorder(transcript), *adversaries, *instruments], report)
    effects = _effects(scenario, crowd, cast, board, transcript, seed, earlier, faults)
    missed = (*_unmet(scenario, cast, board, faults, earlier), *unmet_deviations(scenario, cast))
    return played_of(transcript, board, effects, _raised(scenario, crowd, board), missed)


def _unmet(
    scenario: Scenario, cast: Cast, board: Board, faults: Faults, earlier: "Sequence[_Earlier]"
) -> tuple[str, ...]:
    """Return the attacks that found no occasion, a sentence each."""
    if cast.adversary is None or not scenario.fault:
        return ()
    earlier_occasions = {
        place for *_, record in earlier for place in (record.occasions if record else ())
    }
    acted = cast.adversary.occasions | earlier_occasions & {
        place for *_, place in sequels(scenario)
    }
    answered = any(role(letter.sender) is Role.USER for letter in cast.adversary.letters)
    return unmet(scenario, faults, acted, Ended(len(board.calls), board.burned, answered))


def _raised(scenario: Scenario, crowd: Samples, board: Board) -> tuple[Raised, ...]:
    """Return the alarms, each with the board's verdict."""
    rule = strategy(scenario, crowd.round2_people) if board.alarms else None
    raised = (
        (party, alarm.round, alarm.cause.value, borne_out(board, alarm, rule))
        for party, alarm in board.alarms
    )
    return tuple(Raised(*alarm) for alarm in sorted(raised))


def _effects(
    scenario: Scenario,
    crowd: Samples,
    cast: Cast,
    board: Board,
    transcript: Transcript,
    seed: int | None,
    earlier: "Sequence[_Earlier]",
    faults: Faults,
) -> Achieved:
    """Return the effects of the attacks; empty for a summary transcript."""
    if cast.adversary is None or transcript.summary:
        return Achieved()
    from ...attacks.catalogue.effects import measure, measure_rows
    from ...attacks.catalogue.scene import Earlier, Scene

    earlier_plays = tuple(Earlier(*session) for session in earlier)
    scene = Scene(
        scenario, crowd.people, board, transcript, cast.adversary, seed, earlier_plays, faults
    )
    effects = measure(scene)
    return Achieved(effects, partial(measure_rows, scene, effects))
