"""The reading of a transcript to a recorder, as if the run were played again.

A transcript holds the messages in order, and local events, which only one party knows: answers that
a person sealed, counts that a reader opened, messages that a party refused. Each local event is
passed on at its place in the run:

    sealed answers   after the call
    counts           before the reader's post with them, or before the end of the round or session
    refusals         before the party's post that reports them (for a keyholder of a verified mix,
                     before its post of ballots); if no post does, at the end
"""

from collections import Counter
from collections.abc import Mapping

from ..errors import Reason
from ..protocol.board.board import Board
from ..protocol.board.phases import BOARD
from ..protocol.knowledge.transcript import Read, Refusal, SealedAnswers, Transcript
from ..protocol.wire.messages import Burned, Call, Closed, Mixed, Tally
from ..protocol.wire.verified_messages import HandedBallots
from .move_recorder import MoveRecorder


def read_out(transcript: Transcript, recorder: MoveRecorder) -> None:
    """Pass all events of a transcript, in the order of the run, to a recorder.

    Raises Refused for a post that is not legal.
    """
    board, local_events, posts = Board(), _LocalEvents(transcript), iter(transcript.posts)
    for event in transcript.events:
        if event.receiver != BOARD:
            recorder.message(event)
            continue
        entry = board.post(*next(posts))
        body = entry.message.body
        if isinstance(body, Mixed | Tally):
            local_events.refusals(entry.author, event.round, body.refused, recorder)
        if isinstance(body, HandedBallots):
            local_events.refused_by(entry.author, event.round, recorder)
        if isinstance(body, Tally):
            local_events.counted(recorder, entry.author, event.round)
        if isinstance(body, Burned | Closed):
            local_events.counted(recorder)
        recorder.posted(event.time, entry)
        if isinstance(body, Call):
            local_events.sealed(body.round, recorder)
    local_events.rest(recorder)


class _LocalEvents:
    """The local events of a transcript that have not been passed on yet: answers, counts, refusals.

    A local event is known to a single party only.
    """

    def __init__(self, transcript: Transcript) -> None:
        """Start with all local events of a transcript."""
        self._sealed_answers: dict[int, list[SealedAnswers]] = {}
        for sealed_answers in transcript.sealed_answers:
            self._sealed_answers.setdefault(sealed_answers.round, []).append(sealed_answers)
        self._reads: dict[tuple[str, int], Read] = {
            (read.reader, read.round): read for read in transcript.reads
        }
        self._refused: Counter[tuple[str, int, Reason]] = Counter()
        for refusal in transcript.refusals:
            self._refused[refusal.party, refusal.round, refusal.reason] += refusal.count

    def sealed(self, number: int, recorder: MoveRecorder) -> None:
        """Pass on the answers that people sealed in a round. number: the number of the round."""
        for sealed_answers in self._sealed_answers.pop(number, ()):
            recorder.sealed(sealed_answers)

    def counted(self, recorder: MoveRecorder, reader: str = "", number: int = 0) -> None:
        """Pass on a reader's counts of a round; without a reader, all remaining counts.

        number: the number of the round.
        """
        for place in [(reader, number)] if reader else list(self._reads):
            if read := self._reads.pop(place, None):
                recorder.read(read)

    def refusals(
        self, party: str, number: int, reported_counts: Mapping[Reason, int], recorder: MoveRecorder
    ) -> None:
        """Pass on refused messages that a party's post reports.

        number: the round. reported_counts: reason -> number of refused messages in the post.
        """
        for reason, count in reported_counts.items():
            recorded_count = min(count, self._refused[party, number, reason])
            self._refused[party, number, reason] -= recorded_count
            if recorded_count:
                recorder.refused(Refusal(party, number, reason, recorded_count))

    def refused_by(self, party: str, number: int, recorder: MoveRecorder) -> None:
        """Pass on all of a party's refused messages in a round, if its post has no such counts.

        number: the round.
        """
        for place, count in self._refused.items():
            if place[:2] == (party, number) and count:
                self._refused[place] = 0
                recorder.refused(Refusal(*place, count))

    def rest(self, recorder: MoveRecorder) -> None:
        """Pass on the remaining refused messages, which no party's post has reported."""
        for (party, number, reason), count in self._refused.items():
            if count:
                recorder.refused(Refusal(party, number, reason, count))
