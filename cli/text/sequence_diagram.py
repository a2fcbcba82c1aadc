"""The messages in a coalition's view in groups, for `veilmix show`, and as a sequence diagram.

A group has consecutive messages of one kind, from senders with one role, to one party.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ...protocol.knowledge.transcript import NAME, Event

# most similar messages that are shown one by one; more are shown as one flow with their number
MAX_SEPARATE = 6


@dataclass(frozen=True, slots=True)
class DiagramFlow:
    """A message, or a group of similar messages that are shown together.

    Attributes:
        time: seconds since the session began.
        sender: the party, or the first and last of several parties.
        receiver: the party that receives the messages.
        kind: kind of the messages.
        round: number of the round, from 1.
        messages: number of messages.
        smallest, largest: bytes of the smallest and of the largest message.
        name: name of the ciphertext, if the flow is a single message with a single ciphertext.
    """

    time: float
    sender: str
    receiver: str
    kind: str
    round: int
    messages: int
    smallest: int
    largest: int
    name: str = ""


def flows(events: Iterable[Event], *, each: bool = False) -> list[DiagramFlow]:
    """Return the messages of a coalition's view in groups; messages of a small group singly.

    A group has consecutive messages of one kind, from senders with one role, to one party. each:
    return every message by itself.
    """
    arrows: list[DiagramFlow] = []
    for _, group in groupby(events, _event_key):
        similar_events = list(group)
        one_by_one = each or len(similar_events) <= MAX_SEPARATE
        arrows += (
            [_flow([event]) for event in similar_events] if one_by_one else [_flow(similar_events)]
        )
    return arrows


def _event_key(event: Event) -> tuple[object, ...]:
    """Return the key by which messages are grouped: time, sender's role, receiver, kind, round."""
    role = event.sender.partition("-")[0]
    return event.time, role, event.receiver, event.kind, event.round


def _flow(similar_events: Sequence[Event]) -> DiagramFlow:
    """Return a group of similar messages as a flow, with their number and the range of sizes."""
    first, last = similar_events[0], similar_events[-1]
    sender = first.sender
    if len(similar_events) > 1:
        sender = f"{first.sender} ... {last.sender}"
    sizes = [event.size // event.messages for event in similar_events]
    kind = first.kind.name.lower() if first.kind else "not a message"
    messages = sum(event.messages for event in similar_events)
    place = first.time, sender, first.receiver, kind, first.round
    named = first.names.hex() if messages == 1 and len(first.names) == NAME else ""
    return DiagramFlow(*place, messages, min(sizes), max(sizes), named)


def mermaid(diagram_flows: Sequence[DiagramFlow]) -> str:
    """Return the text of a Mermaid sequence diagram. All users share a lifeline; so do peers."""
    names = dict.fromkeys(
        _lifeline(name) for flow in diagram_flows for name in (flow.sender, flow.receiver)
    )
    order = sorted(names, key=_rank)
    lines = ["sequenceDiagram", *(f"    participant {_id(n)} as {n}" for n in order)]
    number = 0
    for flow in diagram_flows:
        if flow.round > number:
            number = flow.round
            lines.append(f"    Note over {_id(order[0])},{_id(order[-1])}: round {number}")
        times = f"{flow.messages:,} x " if flow.messages > 1 else ""
        arrow = f"{_id(_lifeline(flow.sender))}->>{_id(_lifeline(flow.receiver))}"
        lines.append(f"    {arrow}: {times}{flow.kind}")
    return "\n".join(lines)


def _lifeline(name: str) -> str:
    """Return the name of the lifeline of a party: `users` or `peers` for a member of a group."""
    if " ... " in name or name == "user-*":
        return "peers" if name.startswith("peer-") else "users"
    return name


def _id(name: str) -> str:
    """Return the identifier of a participant in Mermaid, without hyphens."""
    return name.replace("-", "_")


def _rank(name: str) -> tuple[int, str]:
    """Return the sort key of a participant: users, shufflers, curator, analyst, then the board."""
    order = ("user", "shuffler", "curator", "analyst", "board")
    role = next((place for place, start in enumerate(order) if name.startswith(start)), len(order))
    return role, f"{name:>16}"
