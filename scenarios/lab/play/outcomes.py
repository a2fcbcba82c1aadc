"""The common outcome of all runs: counts, views, findings and scores."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....protocol.board.board import Board
from ....protocol.board.strategies import final_release
from ....protocol.knowledge.transcript import Transcript
from ....protocol.knowledge.view import ViewedRun
from ....protocol.wire.messages import Counts
from ....protocol.wire.parties import Role
from ....protocol.wire.rows_per_person import without_dummies
from ...populations import Population
from ...programs.capabilities import LocalNoise, ThresholdOpening
from ...programs.interface import Effect, Mode, Played, Raised, Scored, Session
from ...programs.registry import capability, people_source, strategy
from ...schema.model import Scenario
from ..scoring.coalitions import learnt
from ..scoring.outcome import Curated, Exposure, Outcome
from ..scoring.person_rounds import SeveralRows
from ..scoring.policy import measure
from ..scoring.reidentification import in_release
from ..scoring.rows_per_person import measure_persons, reidentified

if TYPE_CHECKING:
    from ..scoring.reidentification import Reidentified


@dataclass(frozen=True, slots=True)
class Achieved:
    """The effects of the attacks of a session.

    Attributes:
        effects: of each.
        rows_read: returns the rows each attack reads, as in `Played`.
    """

    effects: tuple[Effect, ...] = ()
    rows_read: Callable[[], tuple[Effect, ...]] | None = None


def played_of(
    transcript: Transcript,
    board: Board,
    achieved: "Achieved | None" = None,
    raised: tuple[Raised, ...] = (),
    unmet: tuple[str, ...] = (),
) -> Played:
    """Return the outcome of a session with messages.

    achieved: by attacks. raised: the alarms. unmet: attacks that found no occasion.
    """
    achieved = achieved or Achieved()
    answered = len(board.tallies)  # aborted rounds have no result
    calls = tuple(board.calls[:answered])
    tallies = tuple(read.counts for read in transcript.reads)[:answered]
    record = ViewedRun(transcript, board)
    return Played(
        calls,
        tallies,
        record.decision,
        None if board.burned else final_release(calls, tallies, board.decision),
        board.burned,
        _refused(transcript),
        board.digest(),
        record.view,
        transcript,
        record.truth,
        achieved.effects,
        raised,
        unmet=unmet,
        rows_read=achieved.rows_read,
    )


def _refused(transcript: Transcript) -> dict[str, int]:
    """Return the number of messages refused, by reason."""
    refused: Counter[str] = Counter()
    for refusal in transcript.refusals:
        refused[refusal.reason.value] += refusal.count
    return dict(sorted(refused.items()))


def outcome_of(
    session: Session,
    scored: Scored,
    seed: int | None,
    mode: Mode,
    seconds: float,
    worst_case_nodes: int | None,
) -> Outcome:
    """Return the outcome of a run with its scores. seconds: duration of the run.

    A solver in a thread searches for the worst case, while coalitions are scored.
    """
    scenario, played, people = session.scenario, session.played, session.crowd.people
    sizes, reports = columns_of(scenario, people), capability(scenario, LocalNoise)
    rows = scenario.population.rows
    several = SeveralRows.from_tallies(rows, played.tallies) if rows else None
    with ThreadPoolExecutor(1) as executor:
        exposure = None if reports else executor.submit(_exposure, session, worst_case_nodes)
        coalitions = learnt(scenario, played.look, sizes, scored.information, played.truth)
        identified = _identified(session, scored)
        curated = None if exposure is None else _curated(session, scored, exposure)
    return Outcome(
        scenario=scenario,
        seed=seed,
        mode=mode,
        users=people.n,
        schema=people.schema,
        sizes=sizes,
        burned=played.burned,
        release=scored.release if reports else _persons(played.release, several),
        coalitions=coalitions,
        refused=played.refused,
        digest=played.digest.hex(),
        seconds=seconds,
        curated=curated,
        findings=scored.findings,
        reidentification=identified,
        notes=(people.note, *people.warnings),
        transcript=played.transcript,
        attacks=played.attacks,
        alarms=played.alarms,
        peers=played.peers,
        several=several,
    )


def _persons(counts: Counts | None, several: SeveralRows | None) -> Counts | None:
    """Return counts without dummies, if persons have several rows."""
    return counts if several is None or counts is None else without_dummies(counts)


def columns_of(scenario: Scenario, people: Population) -> tuple[int, ...]:
    """Return the number of values of each column; of a set each position is a column of two."""
    return people_source(scenario).sizes(people)


def _identified(session: Session, scored: Scored) -> "Reidentified | None":
    """Score re-identification in the release, or in the counted reports; None without either."""
    scenario, crowd, played = session.scenario, session.crowd, session.played
    if crowd.people.several is not None:
        return reidentified(session)
    if capability(scenario, LocalNoise):
        if crowd.people.answered:
            return None  # the true values are unknown, and so the likelihood of reports
        from ..scoring.report_reidentification import in_reports

        present_people = session.present(1)
        return in_reports(scenario, crowd, present_people) if scored.findings else None
    released_columns = played.decision.kept if played.decision else ()
    present_people = session.present(len(played.calls))
    hidden = played.calls[-1].hidden if released_columns and played.calls else ()
    opened = capability(scenario, ThresholdOpening) is not None
    return in_release(
        scenario, crowd, present_people, released_columns, played.release, hidden, opened=opened
    )


def _exposure(session: Session, nodes: int | None) -> Exposure:
    """Measure the exposure of the release. nodes: of the search for the worst case."""
    scenario, crowd = session.scenario, session.crowd
    proving = strategy(scenario, crowd.round2_people) if scenario.defence.promise else None
    if crowd.people.several is not None:
        return measure_persons(session, proving)
    return measure(session.played, crowd, proving, nodes, scenario)


def _curated(session: Session, scored: Scored, exposure: Future[Exposure]) -> Curated:
    """Return the counts, alternatives and decision of the curator."""
    played = session.played
    first = played.tallies[0] if played.tallies and played.calls[0].reader is Role.CURATOR else None
    if first is not None and session.crowd.people.several is not None:
        first = tuple(map(without_dummies, first))
    return Curated(
        first,
        played.decision,
        scored.considered,
        scored.dropped,
        exposure.result(),
    )
