"""The view of a coalition as a graph: two sessions with equal graphs are indistinguishable.

Nodes are messages and byte strings. A message that a member sent, received or overheard, and a post
on the board, has a label: sender, receiver, kind, round, half of the deadline, numbers and texts.
With `times` the label of a post has its exact time instead. A byte string has no label: only its
equality with other byte strings counts.

Edges are fields, and derivations of byte strings (knowledge.py). The order of a list counts only if
batches keep their order and the coalition saw the order of sending. Otherwise it follows from
random bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import NamedTuple

from ...crypto.joint_key import OVERHEAD
from ...errors import Refused
from ..board.phases import BOARD
from ..knowledge.adversary_view import AdversaryView
from ..rounds.mixing import batch_digest
from ..rounds.round_context import Round
from ..wire.audit_messages import HASH
from ..wire.frames import Message, decode_message
from ..wire.messages import Alarm, Batch, Submission
from ..wire.parties import NETWORK, shuffler
from .graph import Graph
from .knowledge import closure

# These fields are random, or follow from other fields: they add no information.
UNREAD = frozenset(
    {"signature", "witness", "session", "nonce", "proof", "root", "state", "seal", "place"}
)
# In bytes. Strings of this length or longer (keys, hashes, ciphertexts) are random, so only their
# equality counts. Shorter strings are compared by content.
LONG = 16
LENGTH = 4  # bytes of the length field before a byte string
# A deadline is the seconds that users have to submit. Users submit at random times in it, so
# letters in the same half of a deadline count as simultaneous.
PARTS = 2
DIGITS = 6  # decimals to which exact times are rounded; the unit of time is the deadline


class SearchEvent(NamedTuple):
    """A message on its way between two parties, or a post on the board.

    Attributes:
        time: seconds since the start of the session.
        sender: the party in whose name it was sent.
        receiver: the receiving party; `board` for a post.
        data: the bytes of the message.
    """

    time: float
    sender: str
    receiver: str
    data: bytes


def seen_by(events: Iterable[SearchEvent], members: Sequence[str]) -> Iterator[SearchEvent]:
    """Yield the posts, and the direct messages that a coalition sent, received or overheard.

    members: the parties of the coalition; `network` overhears all messages.
    """
    wires = NETWORK in members
    for event in events:
        is_member_letter = event.sender in members or event.receiver in members
        if is_member_letter or wires or event.receiver == BOARD:
            yield event


def canonical_view(
    view: AdversaryView,
    events: Iterable[SearchEvent],
    members: Sequence[str],
    member_ballots: Iterable[Sequence[bytes]] = (),
    other_views: Iterable[AdversaryView] = (),
    *,
    times: bool = False,
) -> str:
    """Return the hash of a coalition's view, equal for views that it cannot distinguish.

    view: the board and the members' keys.
    members: the parties of the coalition.
    member_ballots: the layers of each ballot that a member made itself, outermost first.
    other_views: the other boards that the coalition has shown to a party, with its keys on them.
    times: whether posts have their exact times.
    """
    return view_graph(view, events, members, member_ballots, other_views, times=times).canonical()


def view_graph(
    view: AdversaryView,
    events: Iterable[SearchEvent],
    members: Sequence[str],
    member_ballots: Iterable[Sequence[bytes]] = (),
    other_views: Iterable[AdversaryView] = (),
    *,
    times: bool = False,
) -> Graph:
    """Return a coalition's view as a graph of messages and byte strings.

    view: the board and the members' keys.
    events: the messages and posts of the session.
    members: the parties of the coalition.
    member_ballots: the layers of each ballot that a member made itself, outermost first.
    other_views: the other boards that the coalition has shown to a party, with its keys on them.
    times: whether posts have their exact times.
    """
    graph = _observed(view, events, members, times=times)
    for layers in member_ballots:
        ballot_node = graph.node("own ballot")
        for layer in layers:
            graph.edge(ballot_node, "layer", graph.atom(layer))
    knowledge = closure(view, graph.atoms, other_views)
    for start, rule, end in knowledge.links:
        graph.edge(graph.atom(start), rule, graph.atom(end))
    for ballot, answer in knowledge.answers.items():
        graph.edge(graph.atom(ballot), "says", graph.node(answer))
    return graph


def known_values(
    view: AdversaryView, events: Iterable[SearchEvent], members: Sequence[str]
) -> Mapping[bytes, Mapping[int, str]]:
    """Return, by byte string, the values that a coalition knows of the ballot linked to it.

    A ballot is linked to its hash and to its layers. The inner mapping is column -> value. view:
    the board and the members' keys. events: the messages of the session. members: the coalition.
    """
    knowledge = closure(view, _observed(view, events, members).atoms)
    values = dict[bytes, Mapping[int, str]]()
    for data, (number, answer) in knowledge.traced().items():
        if not isinstance(answer, str):
            ask, answer_values = answer
            columns = view.board.calls[number - 1].asks[ask]
            # A prefix of a row may open although the rest stays closed, so there may be fewer
            # values than columns.
            values[data] = dict(zip(columns, answer_values, strict=False))
    return values


def _observed(
    view: AdversaryView,
    events: Iterable[SearchEvent],
    members: Sequence[str],
    *,
    times: bool = False,
) -> Graph:
    """Return the graph of the messages that a coalition saw.

    The graph lacks byte strings that the coalition can derive by opening or hashing. members: the
    parties of the coalition. times: whether posts have their exact times.
    """
    graph = Graph()
    builder = _Builder(graph, view, members, times=times)
    for event in seen_by(events, members):
        builder.event(event)
    return graph


class _Builder:
    """A builder that adds the events of a session to the graph of a coalition's view."""

    def __init__(
        self, graph: Graph, view: AdversaryView, members: Sequence[str], *, times: bool
    ) -> None:
        """Prepare for a coalition's view.

        members: the parties of the coalition. times: whether posts have their exact times.
        """
        self._graph = graph
        self._times = times
        self._orders = NETWORK in members or shuffler(1) in members
        announced = view.board.announcement
        self._deadline = announced.rules.deadline if announced is not None else 1
        self._ordered = announced is None or announced.rules.ordered
        self._sizes = {size for plan in _plans(view) for size in (plan.envelope, *plan.inner)}
        self._sizes |= {plan.ballot + plan.token + OVERHEAD for plan in _plans(view)}
        self._arrived: dict[tuple[str, int], int] = {}

    def event(self, event: SearchEvent) -> None:
        """Add a message to the graph: a node with a label, and edges to its byte strings."""
        try:
            message = decode_message(event.data)
        except Refused:
            return
        node = self._graph.node(None)
        labels = list(self._fields(node, "", message.body))
        place = event.sender, event.receiver, message.kind.name, message.round, self._when(event)
        rank = self._rank(event, message)
        self._graph.labels[node] = (*place, *rank, *sorted(map(str, labels)))
        if isinstance(message.body, Batch):
            digest = batch_digest(message.body.layers)
            if digest in self._graph.atoms:
                self._graph.edge(node, "digest", self._graph.atom(digest))

    def _when(self, event: SearchEvent) -> float:
        """Return the time for an event's label, in deadlines (users' time to submit).

        Exact for posts with `times`, else by halves of a deadline. Users send at random times, so
        exact times of their messages would differ by chance between equal sessions.
        """
        deadlines = event.time / self._deadline
        is_exact = self._times and event.receiver == BOARD
        return round(deadlines, DIGITS) if is_exact else int(PARTS * deadlines)

    def _rank(self, event: SearchEvent, message: Message) -> tuple[int, ...]:
        """Return the order of arrival of a user's submission, if batches keep it; otherwise ()."""
        if self._ordered or not isinstance(message.body, Submission):
            return ()
        key = event.receiver, message.round
        self._arrived[key] = self._arrived.get(key, -1) + 1
        return (self._arrived[key],)

    def _fields(self, node: int, path: str, value: object) -> Iterator[object]:
        """Yield the labels of a field's value, and add edges to the byte strings in it.

        node: the number of the message's node in the graph. path: the name of the field.
        """
        match value:
            case Alarm(evidence=evidence):
                yield f"{path}.cause", value.cause.value
                yield f"{path}.round", value.round
                yield from self._evidence(node, evidence)
            case bytes():
                yield from self._bytes(node, path, value)
            case tuple():
                yield from self._list(node, path, value)
            case Mapping():
                yield path, sorted((str(key), str(count)) for key, count in value.items())
            case _ if is_dataclass(value):
                for field in fields(value):
                    if field.name not in UNREAD:
                        yield from self._fields(
                            node, f"{path}.{field.name}", getattr(value, field.name)
                        )
            case _:
                yield path, str(value)

    def _bytes(self, node: int, path: str, value: bytes) -> Iterator[object]:
        """Add an edge to a long byte string; yield a short byte string as part of the label."""
        if len(value) >= LONG:
            self._graph.edge(node, path, self._graph.atom(value))
        else:
            yield path, value.hex()

    def _list(self, node: int, path: str, values: tuple[object, ...]) -> Iterator[object]:
        """Yield the labels of a list, and add its byte strings and messages to the graph.

        The position of a byte string counts only in one case: shufflers keep the order of arrival,
        and the coalition saw in which order users submitted. node: the number of the message's
        node. path: the name of the field.
        """
        yield path, len(values)
        if all(isinstance(value, bytes) for value in values):
            placed = self._orders and not self._ordered and not _is_ascending(values)
            for place, value in enumerate(values):
                name = f"{path}[{place}]" if placed else f"{path}[]"
                assert isinstance(value, bytes)  # noqa: S101 - looked at above
                yield from self._bytes(node, name, value)
        elif any(is_dataclass(value) for value in values):
            for value in values:
                inner = self._graph.node(None)
                self._graph.labels[inner] = tuple(sorted(map(str, self._fields(inner, "", value))))
                self._graph.edge(node, f"{path}[]", inner)
        else:
            yield path, str(values)

    def _evidence(self, node: int, evidence: bytes) -> Iterator[object]:
        """Add the byte strings in the evidence of an alarm: a single hash, or parts of a message.

        Parts are recognized by their sizes, which are those of a round's envelopes, layers or
        ballots.
        """
        if len(evidence) == HASH:
            self._graph.edge(node, "evidence", self._graph.atom(evidence))
            return
        yield "evidence", len(evidence)
        for at in range(len(evidence) - LENGTH):
            size = int.from_bytes(evidence[at : at + LENGTH], "big")
            part = evidence[at + LENGTH : at + LENGTH + size]
            if size in self._sizes and size >= LONG and len(part) == size:
                self._graph.edge(node, "evidence", self._graph.atom(part))


def _plans(view: AdversaryView) -> Iterator[Round]:
    """Yield the rounds of a session, as the coalition derives them from the board."""
    for number in range(1, len(view.board.calls) + 1):
        plan = view.plan(number)
        if plan is not None:
            yield plan


def _is_ascending(values: Sequence[object]) -> bool:
    """Whether the values are in strictly ascending order."""
    return all(a < b for a, b in pairwise(values))  # type: ignore[operator]
