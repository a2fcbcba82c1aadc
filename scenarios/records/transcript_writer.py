"""The writer of a transcript's text in a second process while its run is scored, to save time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from ...protocol.knowledge.transcript import Transcript
from ..serialization.transcripts import encode

LONG = 10_000  # messages from which a copy of the process saves time


class TranscriptWriter:
    """The writer of a run's transcript, which starts while the run is scored.

    Attributes:
        text: returns the bytes, after waiting for them; None: no run is recorded yet.
    """

    def __init__(self, copies: ExitStack, *, able: bool) -> None:
        """Prepare the writer.

        copies: ends the copies (forks) of this process. able: whether copies may be made.
        """
        self._copies = copies
        self._able = able
        self.text: Callable[[], bytes] | None = None

    def begin(self, transcript: Transcript | None, users: int, sizes: Sequence[int]) -> None:
        """Take the recorded transcript; if it is long, encode it in a copy of the process."""
        self.text = partial(encode, transcript, users, sizes)
        if self._able and transcript is not None and len(transcript.events) > LONG:
            from ...roles.compute.forked_workers import forked_call

            self.text = self._copies.enter_context(forked_call(self.text))


@contextmanager
def writing_ahead(*, copies: bool) -> Iterator[TranscriptWriter]:
    """Provide a transcript writer for this block, and end its process afterwards.

    copies: whether a copy of this process may encode the transcript.
    """
    with ExitStack() as stack:
        yield TranscriptWriter(stack, able=copies)
