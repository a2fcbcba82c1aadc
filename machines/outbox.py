"""The queue of the outputs of a process for another process: resent until the other has them.

Connections break and machines restart. Every message and post has an id (inputs.py), so
that an output that arrives twice is processed once. While a sender gets no answer, it
waits longer between tries.
"""

import ssl
from collections import deque
from collections.abc import Awaitable, Callable, Sequence, Set
from dataclasses import replace

import trio

from ..errors import Reason, VerificationError
from ..protocol.wire.wire import Reader
from .directory import SessionPlace
from .http import Client
from .inputs import Declined, Parcel, PostInput
from .trouble import Troubles

PARCEL = 1 << 20  # largest number of bytes of messages in a request
SOONEST, LATEST = 0.05, 2.0  # seconds (real) between two tries: shortest and longest wait
TROUBLE = (
    *(OSError, ssl.SSLError, VerificationError),
    *(trio.BrokenResourceError, trio.ClosedResourceError),
)

Reach = Callable[[SessionPlace], Awaitable[Client]]


class Outbox:
    """The queue of outputs for another process, and the task that sends them.

    declined: called with a post that the board refused, and the board's number of entries.
    report_loss: called with the reason and the number of messages that the other process
    will never accept. troubles: records why the other process is not reached. now: returns
    the seconds of this process's clock; a post is dropped once its latest time to send has
    passed.
    """

    def __init__(
        self,
        place: SessionPlace,
        reach: Reach,
        declined: Callable[[int, Declined], None],
        report_loss: Callable[[str, int], None],
        troubles: Troubles,
        now: Callable[[], float] = trio.current_time,
    ) -> None:
        """Start with no outputs.

        place: the process that receives the outputs, with its address. reach: connects to that
        process. declined, report_loss: called for a refused post and for lost messages. troubles:
        records why that process is not reached. now: returns the seconds of this process's clock.
        """
        # number of messages and posts for the other process, without dropped ones
        self.sent_count = 0
        self._place = place
        self._reach = reach
        self._declined = declined
        self._report_loss = report_loss
        self._now = now
        self._troubles = troubles
        self._queue: deque[Parcel | PostInput] = deque()
        self._news = trio.Event()
        self.acknowledged: Callable[[Sequence[bytes]], None] = lambda _: None
        self.emptied: Callable[[], None] = lambda: None

    @property
    def empty(self) -> bool:
        """Whether the other process has received all outputs."""
        return not self._queue

    def put(self, output: Parcel | PostInput, acknowledged_ids: Set[bytes] = frozenset()) -> None:
        """Add an output, without the messages that the other process has already.

        acknowledged_ids: the ids of the messages that the other process has confirmed.
        """
        self.sent_count += len(ids_of(output))
        if isinstance(output, Parcel):
            letters = tuple(
                letter for letter in output.letters if letter.id not in acknowledged_ids
            )
            output = replace(output, letters=letters)
        if not set(ids_of(output)) <= acknowledged_ids:
            self._queue.append(output)
            self._news.set()

    async def run(self) -> None:
        """Send the outputs in order, until cancelled; after a failure, wait and send again."""
        client: Client | None = None
        wait = SOONEST
        try:
            while True:
                if not self._queue:
                    self._news = trio.Event()
                    await self._news.wait()
                try:
                    client = client or await self._reach(self._place)
                    if not self._drop():
                        await self._say(client, self._next_outputs())
                    wait = SOONEST
                    self._troubles.reached(self._place.name)
                except TROUBLE as wrong:
                    if client is not None:
                        await client.close()
                    client = None
                    await self._troubles.failed(self._place, wrong, long=wait >= LATEST)
                    await trio.sleep(wait)
                    wait = min(2 * wait, LATEST)
        finally:
            if client is not None:
                await client.close()

    def _drop(self) -> bool:
        """Drop the first post of the queue if its time to send has passed.

        Returns:
            Whether a post was dropped.
        """
        first = self._queue[0]
        if not isinstance(first, PostInput) or self._now() < first.until:
            return False
        self.sent_count -= 1
        self._report_loss(f"a post could not be brought to {self._place.name} in time", 1)
        self._queue.popleft()
        if not self._queue:
            self.emptied()
        return True

    def _next_outputs(self) -> list[Parcel | PostInput]:
        """Return the next outputs to send: one post, or as many messages to one party as fit."""
        first = self._queue[0]
        if isinstance(first, PostInput):
            return [first]
        bundle: list[Parcel | PostInput] = []
        size = 0
        for queued in self._queue:
            if not isinstance(queued, Parcel) or queued.receiver != first.receiver:
                break
            size += sum(letter.size for letter in queued.letters)
            if bundle and size > PARCEL:
                break
            bundle.append(queued)
        return bundle

    async def _say(self, client: Client, outputs: list[Parcel | PostInput]) -> None:
        """Send outputs in one request, and handle the response.

        BrokenResourceError if the receiver asks to try again later.
        """
        first = outputs[0]
        if isinstance(first, PostInput):
            status, reply = await client.ask("POST", "/posts", first.encode())
            if status == 409:
                read = Reader(reply)
                self._declined(read.u32(), Declined(first.id, Reason(read.text())))
        else:
            parcels = [output for output in outputs if isinstance(output, Parcel)]
            letters = tuple(letter for parcel in parcels for letter in parcel.letters)
            last = parcels[-1]
            whole = Parcel(
                last.receiver, max(parcel.entry_count for parcel in parcels), last.time, letters
            )
            status, reply = await client.ask("POST", "/letters", whole.encode())
        if status in (429, 500, 503):
            raise trio.BrokenResourceError("the receiver is busy, and asks to try again later")
        if status not in (200, 204, 409):
            dropped_count = sum(
                len(output.letters) if isinstance(output, Parcel) else 1 for output in outputs
            )
            # Otherwise the reports of idle processes would count these messages as on their way for
            # ever.
            self.sent_count -= dropped_count
            self._report_loss(f"{self._place.name} answers {status}: {reply[:80]!r}", dropped_count)
        for _ in outputs:
            self._queue.popleft()
        # a refused post is acknowledged only when its author knows of the refusal
        if status != 409:
            self.acknowledged([letter for each in outputs for letter in ids_of(each)])
        if not self._queue:
            self.emptied()


def ids_of(output: Parcel | PostInput) -> tuple[bytes, ...]:
    """Return the ids of the messages in an output, or the id of a post."""
    if isinstance(output, Parcel):
        return tuple(letter.id for letter in output.letters)
    return (output.id,)
