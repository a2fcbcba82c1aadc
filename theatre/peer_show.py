"""A run among peers, read out from its posts as if it were played again."""

from ..languages.language import Language
from ..protocol.knowledge.transcript import Transcript
from ..protocol.peers.agreement import Agreement
from ..protocol.peers.board import PeerBoard
from ..scenarios.programs.interface import ConsideredColumns
from ..scenarios.programs.registry import options, program_of, strategy
from ..scenarios.schema.model import Scenario
from .moves import MoveHandler
from .peer_recorder import PeerRecorder


def read_out_peers(
    transcript: Transcript,
    scenario: Scenario,
    agreement: str,
    emit_move: MoveHandler,
    language: Language | None = None,
) -> tuple[ConsideredColumns, ...]:
    """Record every move; return the options for a release. Refused if a post is not legal.

    agreement: its encoding, in hex. language: of the captions; None: English.
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
