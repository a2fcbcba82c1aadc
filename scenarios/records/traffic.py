"""The traffic of a run: messages and bytes by kind and round, and the lengths of messages.

All submissions of a round must have the same length, because a different length would tell senders
apart. The sizes of submissions are therefore counted singly.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from ...protocol.knowledge.transcript import Transcript
from ...protocol.wire.messages import Kind

UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Flow:
    """The messages of one kind in one round: number and sizes.

    Attributes:
        kind: the kind of the messages.
        round: the number of the round, from 1; 0 outside rounds.
        messages: the number of messages.
        size: total bytes.
        smallest: bytes of the shortest message.
        largest: bytes of the longest message.
    """

    kind: str
    round: int
    messages: int
    size: int
    smallest: int
    largest: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """The messages of a run, by round and kind.

    The summary form of a transcript records only the number and the total size of a group of
    messages. The messages of a group are then counted as equally long.

    Attributes:
        flows: number and sizes of messages, by round, in the order of the protocol.
        sizes: round -> bytes of a submission -> number of submissions.
        messages: the number of all messages.
        size: total bytes.
    """

    flows: tuple[Flow, ...]
    sizes: dict[int, dict[int, int]]
    messages: int
    size: int


def traffic(transcript: Transcript | None) -> Traffic | None:
    """Return the traffic of a transcript; None for an ideal run, which sends no messages."""
    if transcript is None:
        return None
    lengths: dict[tuple[int, int, str], Counter[int]] = defaultdict(Counter)
    sums: Counter[tuple[int, int, str]] = Counter()
    for event in transcript.events:
        order, name = (int(event.kind), event.kind.name.lower()) if event.kind else (0, UNREADABLE)
        key = event.round, order, name
        lengths[key][event.size // event.messages] += event.messages
        sums[key] += event.size
    flows = tuple(
        Flow(key[2], key[0], each.total(), sums[key], min(each), max(each))
        for key, each in sorted(lengths.items())
    )
    submission = Kind.SUBMISSION.name.lower()
    sizes = {
        key[0]: dict(sorted(each.items())) for key, each in lengths.items() if key[2] == submission
    }
    return Traffic(flows, sizes, sum(f.messages for f in flows), sum(f.size for f in flows))
