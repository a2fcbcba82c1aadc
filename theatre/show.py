"""A run as the page receives it: its facts, all events, and the curator's options.

The options are the column sets that the curator considered for release.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import ParameterError
from ..languages.language import Language
from ..protocol.board.board import replay
from ..protocol.knowledge.transcript import Transcript
from ..protocol.peers.agreement import Agreement
from ..protocol.peers.board import PeerBoard
from ..scenarios.lab.scoring.outcome import Outcome
from ..scenarios.programs.interface import ConsideredColumns
from ..scenarios.programs.registry import announced_names, options, program_of, strategy
from ..scenarios.programs.topology import CENTRAL, PEERS, topology_of
from ..scenarios.records.run_folder import Run
from ..scenarios.records.verification.damaged_record import diagnose_record
from ..scenarios.records.verification.deviations import deviations
from ..scenarios.records.verification.views import columns, recorded
from ..scenarios.schema.model import Scenario
from ..scenarios.serialization.record import plain
from ..scenarios.serialization.transcripts import ordered
from ..scenarios.studies.cheating.cheating_file import read_study as cheating_study
from ..scenarios.studies.cheating.cheating_result import CheatingStudy
from .language import theatre_sentences
from .move_recorder import MoveRecorder
from .moves import MoveHandler, StageMove
from .page_data import choices, page_data
from .peer_recorder import PeerRecorder
from .recorded import read_out
from .verified_recorder import ProvedRecorder

# largest number of people on a page, because a larger page would have megabytes and be hard to
# follow
MAX_PEOPLE = 5_000


def run_data(run: Run, language: Language | None = None) -> dict[str, Any]:
    """Return a recorded run as data for the page.

    Raises ParameterError for a run without messages, or with too many people; StorageError for a
    damaged record. language: language of the sentences; None: English.
    """
    words = theatre_sentences(language)
    transcript = recorded(run)
    with diagnose_record(run):
        peers = run.result.peers
        run_facts = (columns(run), run.sizes, run.result.seed)
        agreement = peers.agreement if peers else ""
        deviated = deviations(run.scenario, run.result.attacks, run.result.alarms, words)
        study = cheating_study(run)
        return show(transcript, run.scenario, *run_facts, agreement, study, deviated, language)


def outcome_data(outcome: Outcome, language: Language | None = None) -> dict[str, Any]:
    """Return a run that has just been played as data for the page.

    Raises ParameterError for a run without messages, or with too many people. language: language of
    the sentences; None: English.
    """
    if outcome.transcript is None:
        raise ParameterError(
            "an ideal run has no messages to show; a run with messages is accepted"
        )
    names = announced_names(outcome.scenario, outcome.schema.names)
    run_facts = (names, outcome.sizes, outcome.seed)
    agreement = outcome.peers.agreement if outcome.peers else ""
    words = theatre_sentences(language)
    deviated = deviations(outcome.scenario, outcome.attacks, outcome.alarms, words)
    return show(
        outcome.transcript, outcome.scenario, *run_facts, agreement, None, deviated, language
    )


def show(
    transcript: Transcript,
    scenario: Scenario,
    names: Sequence[str],
    sizes: Sequence[int],
    seed: int | None,
    agreement: str = "",
    cheating: CheatingStudy | None = None,
    deviated: Sequence[str] = (),
    language: Language | None = None,
) -> dict[str, Any]:
    """Return a run as the page receives it: its facts, all events, and the curator's options.

    Events of one moment are in the order of their senders, as in a run folder, so that a run with a
    seed gives the same page each time.

    Args:
        transcript: the messages of the run.
        scenario: the scenario of the run.
        names: the names of the requested columns.
        sizes: the number of values of each column of the people's table.
        seed: the seed of the run; None: it is secret.
        agreement: the encoding of the peers' agreement, in hex; "" without peers.
        cheating: the study of malicious coalitions that was saved with the run; None: no study.
        deviated: a sentence for each deviation in the run.
        language: language of the sentences; None: English.
    """
    check_size(transcript.users)
    transcript = ordered(transcript)
    moves: list[StageMove] = []
    read = READ[topology_of(scenario).name]
    game = read(transcript, scenario, agreement, moves.append, language)
    return {
        "bill": page_data(
            *(scenario, transcript.users, names, sizes, seed, cheating, deviated), language
        ),
        "moves": [plain(move) for move in moves],
        "choices": choices(game, language),
    }


def check_size(people: int) -> None:
    """Raise ParameterError for more people than a page can show."""
    if people > MAX_PEOPLE:
        raise ParameterError(
            f"{people:,} people; the theatre shows at most {MAX_PEOPLE:,}: lower population.users, "
            "or "
            "look with `veilmix show`"
        )


def _read_out(
    transcript: Transcript,
    scenario: Scenario,
    _agreement: str,
    emit_move: MoveHandler,
    language: Language | None,
) -> tuple[ConsideredColumns, ...]:
    """Pass the events of a run with shufflers to `emit_move`; return the column sets considered.

    The curator considered these sets for release; () without a decision.
    """
    recorder = ProvedRecorder if scenario.mix.kind == "verified" else MoveRecorder
    read_out(transcript, recorder(program_of(scenario), emit_move, language))
    board = replay(transcript.posts)
    if board.announcement is None or board.decision is None:
        return ()
    tally = next((read.counts for read in transcript.reads if read.round == 1), None)
    statistical = scenario.population.setting != "fixed"
    round2_users = scenario.population.round2_users if statistical else None
    schema = board.announcement.schema
    return options(scenario, schema, tally, round2_users)


Options = tuple[ConsideredColumns, ...]


def read_out_peers(
    transcript: Transcript,
    scenario: Scenario,
    agreement: str,
    emit_move: MoveHandler,
    language: Language | None = None,
) -> tuple[ConsideredColumns, ...]:
    """Pass the events of a run among peers to `emit_move`; return the column sets considered.

    The peers considered these sets for release. agreement: the encoding of the
    peers' agreement on the session's parameters, in hex. language: language of the captions; None:
    English. Raises Refused for a post that breaks the protocol.
    """
    terms = Agreement.decode(bytes.fromhex(agreement))
    recorder = PeerRecorder(program_of(scenario), terms, strategy(scenario), emit_move, language)
    for sealed_answers in transcript.sealed_answers:
        recorder.sealed(sealed_answers)
    board = PeerBoard(terms)
    for event, (author, data) in zip(transcript.events, transcript.posts, strict=True):
        recorder.posted(event.time, board.post(author, data))
    reckoning = recorder.finish()
    counts = reckoning.tallies[0] if reckoning.tallies else None
    return options(scenario, terms.schema, counts)


READ: Mapping[str, Callable[[Transcript, Scenario, str, MoveHandler, Language | None], Options]] = {
    CENTRAL.name: _read_out,
    PEERS.name: read_out_peers,
}  # topology -> function that passes the events of a transcript on, and returns the options
