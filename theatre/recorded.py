"""Reading a transcript out to the prompter, as if it were played again.

A transcript keeps the messages in order, and what parties did in their own heads beside them. It is
read out where it belongs: what a person sealed after the call, what a reader counted and a party
refused before the account that tells of it; what no account tells of, at the end.
"""

from collections import Counter
from collections.abc import Mapping

from ..errors import Reason
from ..protocol.board import Board
from ..protocol.messages import Burned, Call, Closed, Mixed, Tally
from ..protocol.phases import BOARD
from ..protocol.transcript import Made, Read, Refusal, Transcript
from .prompter import Prompter


def read_out(transcript: Transcript, prompter: Prompter) -> None:
    """Have the prompter hear a whole transcript, in its full form. Refused if it is not legal."""
    board, beside, posts = Board(), _Beside(transcript), iter(transcript.posts)
    for event in transcript.events:
        if event.receiver != BOARD:
            prompter.message(event)
            continue
        entry = board.post(*next(posts))
        body = entry.message.body
        if isinstance(body, Mixed | Tally):
            beside.refusals(entry.author, event.round, body.refused, prompter)
        if isinstance(body, Tally):
            beside.counted(prompter, entry.author, event.round)
        if isinstance(body, Burned | Closed):
            beside.counted(prompter)
        prompter.posted(event.time, entry)
        if isinstance(body, Call):
            beside.sealed(body.round, prompter)
    beside.rest(prompter)


class _Beside:
    """What a transcript keeps beside its messages, and has not been read out yet."""

    def __init__(self, transcript: Transcript) -> None:
        self._made: dict[int, list[Made]] = {}
        for made in transcript.made:
            self._made.setdefault(made.round, []).append(made)
        self._reads: dict[tuple[str, int], Read] = {
            (read.reader, read.round): read for read in transcript.reads
        }
        self._refused: Counter[tuple[str, int, Reason]] = Counter()
        for refusal in transcript.refusals:
            self._refused[refusal.party, refusal.round, refusal.reason] += refusal.count

    def sealed(self, number: int, prompter: Prompter) -> None:
        """Read out what people sealed in a round."""
        for made in self._made.pop(number, ()):
            prompter.sealed(made)

    def counted(self, prompter: Prompter, reader: str = "", number: int = 0) -> None:
        """Read out what a reader counted in a round; without one, what any has."""
        for place in [(reader, number)] if reader else list(self._reads):
            if read := self._reads.pop(place, None):
                prompter.read(read)

    def refusals(
        self, party: str, number: int, told: Mapping[Reason, int], prompter: Prompter
    ) -> None:
        """Read out the refusals that an account tells of."""
        for reason, count in told.items():
            known = min(count, self._refused[party, number, reason])
            self._refused[party, number, reason] -= known
            if known:
                prompter.refused(Refusal(party, number, reason, known))

    def rest(self, prompter: Prompter) -> None:
        """Read out the refusals that no account has told of."""
        for (party, number, reason), count in self._refused.items():
            if count:
                prompter.refused(Refusal(party, number, reason, count))
