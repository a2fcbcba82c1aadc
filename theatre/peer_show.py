"""A run among peers, read out from its posts as if it were played again."""

from ..languages.language import Language
from ..protocol.peers.agreement import Agreement
from ..protocol.peers.board import PeerBoard
from ..protocol.transcript import Transcript
from ..scenarios.programs.interface import ConsideredColumns
from ..scenarios.programs.registry import program_of, strategy
from ..scenarios.schema.model import Scenario
from .moves import Tell
from .peer_recorder import PeerRecorder


def read_out_peers(
    transcript: Transcript,
    scenario: Scenario,
    agreement: str,
    tell: Tell,
    language: Language | None = None,
) -> tuple[ConsideredColumns, ...]:
    """Record every move; return the options for a release. Refused if a post is not legal.

    agreement: its encoding, in hex. language: of the captions; None: English.
    """
    terms = Agreement.decode(bytes.fromhex(agreement))
    recorder = PeerRecorder(program_of(scenario), terms, strategy(scenario), tell, language)
    for made in transcript.made:
        recorder.sealed(made)
    board = PeerBoard(terms)
    for event, (author, data) in zip(transcript.events, transcript.posts, strict=True):
        recorder.posted(event.time, board.post(author, data))
    seen = recorder.finish()
    counts = seen.tallies[0] if seen.tallies else None
    return program_of(scenario).options(scenario.policy, terms.schema, counts, None)
