"""The messages of an honest session, one message of each sort, as the base of deviations."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...errors import Refused
from ..board.phases import BOARD
from ..wire.frames import Message, decode_message
from ..wire.messages import Body, Kind
from ..wire.parties import Role, role
from .view import SearchEvent


@dataclass(slots=True)
class SessionMessages:
    """The messages of an honest session, one message of each sort, which deviations then change.

    Attributes:
        letters: (sender, kind, receiver's role, round) -> a message; to people it is personal.
        posts: (author, kind, round) -> a message.
        user_letters: (receiver, kind) of the letters of users.
        order: (kind, author, round) of the posts, in order.
        rounds: the number of rounds.
    """

    letters: dict[tuple[str, Kind, Role, int], Body] = field(default_factory=dict)
    posts: dict[tuple[str, Kind, int], Body] = field(default_factory=dict)
    user_letters: set[tuple[str, Kind]] = field(default_factory=set)
    order: list[tuple[Kind, str, int]] = field(default_factory=list)
    rounds: int = 0

    @property
    def periods(self) -> tuple[tuple[int, ...], ...]:
        """The sets of rounds in which a deviation may take place: each round, and all rounds."""
        single = [(number,) for number in range(1, self.rounds + 1)]
        return (*single, tuple(range(1, self.rounds + 1))) if self.rounds > 1 else tuple(single)


def sort_messages(events: Iterable[SearchEvent]) -> SessionMessages:
    """Return the messages of an honest session, a single message of each sort."""
    messages = SessionMessages()
    for event in events:
        try:
            message = decode_message(event.data)
        except Refused:
            continue
        _sort(messages, event, message)
    return messages


def _sort(messages: SessionMessages, event: SearchEvent, message: Message) -> None:
    """Add an event's message to the post or letter sorts of a session."""
    kind, number = message.kind, message.round
    messages.rounds = max(messages.rounds, number)
    if event.receiver == BOARD:
        messages.posts.setdefault((event.sender, kind, number), message.body)
        messages.order.append((kind, event.sender, number))
        return
    to = role(event.receiver)
    messages.letters.setdefault((event.sender, kind, to, number), message.body)
    if role(event.sender) is Role.USER:
        messages.user_letters.add((event.receiver, kind))
