"""The encoder of a transcript, which saves time in a second process while the run is scored."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from ...protocol.knowledge.transcript import Transcript
from ..serialization.transcripts import encode

# messages; a longer transcript is encoded in a copy of the process, which then saves time
LONG = 10_000


class TranscriptWriter:
    """The encoder of a run's transcript, which works while the run is scored.

    Attributes:
        text: returns the encoded bytes, and waits until they are complete; None before `begin`.
    """

    def __init__(self, copies: ExitStack, *, able: bool) -> None:
        """Prepare the encoder.

        copies: the exit stack that ends the copies (forks) of this process. able: whether this
        process may be copied.
        """
        self._copies = copies
        self._able = able
        self.text: Callable[[], bytes] | None = None

    def begin(self, transcript: Transcript | None, users: int, sizes: Sequence[int]) -> None:
        """Take the recorded transcript; if it is long, start to encode it in a copy of the process.

        users: the number of people. sizes: the number of values of each column.
        """
        self.text = partial(encode, transcript, users, sizes)
        if self._able and transcript is not None and len(transcript.events) > LONG:
            from ...roles.compute.forked_workers import forked_call

            self.text = self._copies.enter_context(forked_call(self.text))


@contextmanager
def writing_ahead(*, copies: bool) -> Iterator[TranscriptWriter]:
    """Provide an encoder of a run's transcript for this block, and end its process afterwards.

    copies: whether a copy of this process may encode the transcript.
    """
    with ExitStack() as stack:
        yield TranscriptWriter(stack, able=copies)
