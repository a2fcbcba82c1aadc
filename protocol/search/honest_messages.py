"""The messages of an honest session, an example of each sort, which the search then changes."""

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
    """The messages of an honest session, an example of each sort.

    The search for attacks changes them.

    Letters are direct messages; posts are messages on the board.

    Attributes:
        letters: (sender, kind, receiver's role, round) -> the first such letter. All users count as
            one receiver; the letter to each is its own.
        posts: (author, kind, round) -> the first such post.
        user_letters: (receiver, kind) of the letters that users send.
        order: (kind, author, round) of the posts, in the order of the session.
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
    """Return the messages of an honest session, one example of each sort.

    A sort is the kind, the sender, the round and, for a letter, the receiver's role.
    """
    messages = SessionMessages()
    for event in events:
        try:
            message = decode_message(event.data)
        except Refused:
            continue
        _sort(messages, event, message)
    return messages


def _sort(messages: SessionMessages, event: SearchEvent, message: Message) -> None:
    """Add a message to the posts or letters of a session, if it is the first of its sort.

    event: the sender, the receiver and the bytes of the message.
    """
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
