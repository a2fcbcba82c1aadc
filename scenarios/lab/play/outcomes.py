"""The outcome of a run of any release program: counts, views, findings and scores."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
from ...populations.samples import Samples
from ...programs.capabilities import LocalNoise
from ...programs.interface import (
    Effect,
    Played,
    Raised,
    Scored,
    ScoringSettings,
    Session,
)
from ...programs.registry import people_source
from ...schema.model import Scenario
from ..scoring.coalitions import learnt
from ..scoring.outcome import Curated, Outcome, ScenarioRun
from ..scoring.person_rounds import SeveralRows
from ..scoring.policy import measure
from ..scoring.reidentification import in_release
from ..scoring.rows_per_person import measure_persons, reidentified

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..scoring.reidentification import Reidentified


@dataclass(frozen=True, slots=True)
class Achieved:
    """The measured effects of the attacks of a session.

    Attributes:
        effects: the effect of each attack.
        rows_read: returns, for each attack, the number of rows that it reads; None: not measured.
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
    """Return the result of a session with messages, before it is scored.

    transcript: the record of the messages. achieved: the effects of attacks. raised: the alarms of
    parties. unmet: a sentence for each attack that could not act in this session.
    """
    achieved = achieved or Achieved()
    answered = len(board.tallies)  # an aborted round has no counts on the board
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


def outcome_of(session: Session, run: ScenarioRun, worst_case_nodes: int | None) -> Outcome:
    """Return the outcome of a run with its scores.

    A solver in a second thread searches for the worst case: the table with the released marginals
    that exposes most people. Meanwhile the release program and the coalitions are scored.

    session: the played session. run: the scenario with seed, mode and duration. worst_case_nodes:
    the maximum number of nodes of each search tree; 0: no search; None: the default.
    """
    settings, crowd, played = session.settings, session.crowd, session.played
    people, sizes, rows = crowd.people, settings.sizes, settings.rows
    noise = settings.program.capability(LocalNoise)
    several = SeveralRows.from_tallies(rows, played.tallies) if rows else None
    with ThreadPoolExecutor(1) as executor:
        exposure = None
        if people.several is not None:
            exposure = executor.submit(measure_persons, session)
        elif noise is None:
            exposure = executor.submit(measure, settings, played, crowd, worst_case_nodes)
        scored = settings.program.score(session)
        coalitions = learnt(
            settings.coalitions,
            played.look,
            sizes,
            noise=noise,
            several=rows,
            information=scored.information,
            truth=played.truth,
        )
        if people.several is not None:
            identified = reidentified(session)
        else:
            identified = _identified(settings, crowd, played, session.present, scored)
        curated = None
        if exposure is not None:
            curated = Curated(
                _first_counts(played, several),
                played.decision,
                scored.considered,
                scored.dropped,
                exposure.result(),
            )
    return Outcome(
        scenario=run.scenario,
        seed=run.seed,
        mode=run.mode,
        users=people.n,
        schema=people.schema,
        sizes=sizes,
        burned=played.burned,
        release=scored.release if noise else _persons(played.release, several),
        coalitions=coalitions,
        refused=played.refused,
        digest=played.digest.hex(),
        seconds=run.seconds,
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
    """Return counts without dummies (ballots without an answer), if persons have several rows.

    several: the persons and dummies of each round; None: each person has one row.
    """
    return counts if several is None or counts is None else without_dummies(counts)


def columns_of(scenario: Scenario, people: Population) -> tuple[int, ...]:
    """Return the number of values of each column of the people.

    If people answer with sets of elements, each possible element is a column with two values.
    """
    return people_source(scenario).sizes(people)


def _first_counts(played: Played, several: SeveralRows | None) -> tuple[Counts, ...] | None:
    """Return the curator's counts of round 1, without dummies (ballots without an answer).

    None if round 1 was aborted, or if the analyst reads round 1, so that its counts are the
    release. several: the persons and dummies of each round, if persons have several rows; else
    None.
    """
    if not played.tallies or played.calls[0].reader is not Role.CURATOR:
        return None
    first = played.tallies[0]
    return first if several is None else tuple(map(without_dummies, first))


def _identified(
    settings: ScoringSettings,
    crowd: Samples,
    played: Played,
    present: "Callable[[int], npt.NDArray[np.intp]]",
    scored: Scored,
) -> "Reidentified | None":
    """Return the re-identification scores of the release, or of the counted noisy reports.

    None without a release and without reports. present: returns the indices of a round's
    respondents.
    """
    if settings.questions:
        if crowd.people.answered or not scored.findings:
            return None  # without true values the likelihood of a report cannot be computed
        from ..scoring.report_reidentification import in_reports

        return in_reports(settings.questions, settings.knows, crowd, present(1))
    released_columns = played.decision.kept if played.decision else ()
    present_people = present(len(played.calls))
    hidden = played.calls[-1].hidden if released_columns and played.calls else ()
    return in_release(settings, crowd, present_people, released_columns, played.release, hidden)
