"""The text of a transcript, written while its run is scored."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from ...protocol.knowledge.transcript import Transcript
from ..serialization.transcripts import encode

LONG = 10_000  # messages; to write fewer takes no longer than to make a copy of the process


class TranscriptWriter:
    """The writer of a run's transcript, which starts while the run is scored.

    Attributes:
        text: waits for the text; None: no run is recorded yet.
    """

    def __init__(self, copies: ExitStack, *, able: bool) -> None:
        """copies: ends the copies of this process. able: whether copies may be made."""
        self._copies = copies
        self._able = able
        self.text: Callable[[], bytes] | None = None

    def begin(self, transcript: Transcript | None, users: int, sizes: Sequence[int]) -> None:
        """Take the recorded transcript, and begin to write it if it is long (`encode`)."""
        self.text = partial(encode, transcript, users, sizes)
        if self._able and transcript is not None and len(transcript.events) > LONG:
            from ...roles.compute.forked_workers import forked_call

            self.text = self._copies.enter_context(forked_call(self.text))


@contextmanager
def writing_ahead(*, copies: bool) -> Iterator[TranscriptWriter]:
    """Write a transcript ahead, for as long as the block lasts.

    copies: whether a copy of this process may do it.
    """
    with ExitStack() as stack:
        yield TranscriptWriter(stack, able=copies)
