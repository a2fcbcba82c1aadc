"""The play of a scenario with central parties, with every message through the mix."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ....crypto.entropy import entropy_of
from ....protocol.board.alarms import borne_out
from ....protocol.board.board import Board
from ....protocol.board.strategies import Strategy
from ....protocol.history.shuffler_history import History
from ....protocol.knowledge.transcript import Read, Transcript
from ....protocol.wire.messages import Counts
from ....protocol.wire.parties import CURATOR, Role, role
from ....roles.cast import Cast
from ....roles.network.instruments import Instrument, TranscriptRecorder
from ....roles.session import Stage, play
from ...attacks.catalogue.commit import commit, earlier_sessions, next_session, sequels
from ...attacks.catalogue.deviations import unmet_deviations
from ...attacks.catalogue.occasions import Ended, unmet
from ...populations import Population
from ...programs.interface import Played, Raised, Report
from ...programs.noisy_questions import Question, Randomization, randomization
from .outcomes import Achieved, played_of
from .session_plan import SessionPlan

if TYPE_CHECKING:
    from ....roles.adversary_record import AdversaryRecord

# an earlier session: its messages, its board, and the attackers' record
_Earlier = tuple[Transcript, Board, "AdversaryRecord | None"]


@dataclass(slots=True)
class CuratorCounts(Instrument):
    """An instrument that keeps the curator's counts of round 1, for a ledger in this process.

    The ledger's rule needs the counts of groups of people that sums and differences of releases
    reveal. A first shuffler knows the participants and no counts; the curator knows counts and no
    participants. So the shuffler names the sessions to add or subtract. The curator computes the
    counts and decides whether the promised exposure can be proved. In one process this instrument
    replaces their messages. Between machines there are no such messages: a shuffler has only the
    board's counts (scenarios/deployment/ledger.py).

    Attributes:
        counts: the counts of each column; None: the curator has not read them.
    """

    counts: Sequence[Counts] | None = None

    def read(self, read: Read) -> None:
        """Keep the counts if the curator has read them in round 1.

        read: the counts that a party has read.
        """
        if read.reader == CURATOR and read.round == 1:
            self.counts = read.counts

    def first(self) -> Sequence[Counts] | None:
        """Return the counts of each column in round 1; None before the curator reads them."""
        return self.counts


def cast_of(plan: SessionPlan, seed: int | None) -> Cast:
    """Return the inputs of a session's parties, with faults and countermeasures."""
    crowd, people = plan.crowd, plan.crowd.people
    cast = Cast(
        plan.name,
        plan.schema,
        plan.policy,
        plan.rules,
        plan.mix.suite,
        plan.mix.shufflers,
        people.n,
        people.exact_values,
        plan.strategy,
        entropy_of(seed),
        crowd.rounds,
        program=plan.queries,
        randomize=(
            randomization(plan.questions, people.schema) if plan.questions else plan.participation
        ),
    )
    return commit(plan.attacks, cast, crowd, plan.faults, seed)


def _remembering(
    questions: Sequence[Question], people: Population, memory: Callable[[int], bytes]
) -> Callable[[int], Randomization]:
    """Return a function from a person's index to the person's randomization with memoized noise.

    memory: returns the secret that seeds a person's memoized noise, by index.
    """
    return lambda index: randomization(questions, people.schema, memory(index))


def play_real(
    plan: SessionPlan,
    seed: int | None,
    instruments: Sequence[Instrument] = (),
    report: Report = lambda _: None,
    history: History | None = None,
    stage: Stage = play,
    memory: Callable[[int], bytes] | None = None,
) -> Played:
    """Return the outcome of a session in which every message goes through the mix.

    history: the first shuffler's record of earlier sessions. stage: the function that runs the
    parties. memory: returns a secret of each person, by index, that seeds noise which is equal in
    all runs.
    """
    cast = cast_of(plan, seed)
    if memory is not None and cast.randomize is not None:
        cast = replace(cast, remembering=_remembering(plan.questions, plan.crowd.people, memory))
    if history is not None:
        cast = replace(cast, guards=replace(cast.guards, history=history))
    earlier: list[_Earlier] = []
    first = cast
    for first in earlier_sessions(plan.attacks, cast):
        old = Transcript.sized(first.people)
        adversaries = [first.adversary] if first.adversary else []
        earlier.append(
            (old, stage(first, [TranscriptRecorder(old), *adversaries], report), first.adversary)
        )
    if earlier:
        cast = next_session(plan.attacks, cast, plan.crowd, first, earlier[-1][1])
    transcript = Transcript.sized(cast.people)
    adversaries = [cast.adversary] if cast.adversary else []
    board = stage(cast, [TranscriptRecorder(transcript), *adversaries, *instruments], report)
    effects = _effects(plan, cast, board, transcript, seed, earlier)
    unmet_faults = _unmet(plan, cast, board, earlier)
    missed = (*unmet_faults, *unmet_deviations(plan.attacks.deviations, cast))
    return played_of(transcript, board, effects, _raised(plan.strategy, board), missed)


def _unmet(
    plan: SessionPlan, cast: Cast, board: Board, earlier: "Sequence[_Earlier]"
) -> tuple[str, ...]:
    """Return a sentence for each attack that could not act in this session.

    earlier: the earlier sessions that the attackers use, with their messages, boards and records.
    """
    entries = plan.attacks.entries
    if cast.adversary is None or not entries:
        return ()
    earlier_occasions = {
        place for *_, record in earlier for place in (record.occasions if record else ())
    }
    acted = cast.adversary.occasions | earlier_occasions & {place for *_, place in sequels(entries)}
    answered = any(role(letter.sender) is Role.USER for letter in cast.adversary.letters)
    ended = Ended(len(board.calls), board.burned, answered)
    return unmet(plan.attacks, plan.faults, acted, ended)


def _raised(strategy: Strategy, board: Board) -> tuple[Raised, ...]:
    """Return the alarms of the parties, each with whether the board confirms the alarm."""
    raised = (
        (party, alarm.round, alarm.cause.value, borne_out(board, alarm, strategy))
        for party, alarm in board.alarms
    )
    return tuple(Raised(*alarm) for alarm in sorted(raised))


def _effects(
    plan: SessionPlan,
    cast: Cast,
    board: Board,
    transcript: Transcript,
    seed: int | None,
    earlier: "Sequence[_Earlier]",
) -> Achieved:
    """Return the measured effects of the attacks.

    Empty if the transcript does not record single people.

    earlier: the sessions before this one, for attacks over several sessions.
    """
    if cast.adversary is None or transcript.summary:
        return Achieved()
    from ...attacks.catalogue.effects import measure, measure_rows
    from ...attacks.catalogue.scene import Earlier, Scene

    sessions_before = tuple(Earlier(*session) for session in earlier)
    people, strikes = plan.crowd.people, plan.faults
    scene = Scene(
        plan.attacks, people, board, transcript, cast.adversary, seed, sessions_before, strikes
    )
    effects = measure(scene)
    return Achieved(effects, partial(measure_rows, scene, effects))
