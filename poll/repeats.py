"""The rule for repeating a session that has ended (docs/adr/0123).

Two sessions with nearly the same people must not both be counted. The difference of the two counts
would be the answer of a person that is missing in one session, or that answered differently. So a
session is repeated only if no party has passed an answer on. The rule reads the messages that were
carried, and not the result: a reader may hold counts that the board does not show.

    sender and receiver         messages that leave answers sealed
    a party, to the board       keys, announcement, consent, calls (queries of rounds), signed tree
                                heads, the end; in a verified mix also ballots and their checks
    a user, to a party          submissions, and blinded queries to the party `randomness`
    `randomness`, to a user     replies to these queries

A message of another kind forbids the repeat. So of several attempts only the last can be counted,
and its promise is about one release.
"""

from collections.abc import Iterable

from ..protocol.board.phases import BOARD
from ..protocol.knowledge.transcript import Event
from ..protocol.wire import parties
from ..protocol.wire.messages import Kind
from ..scenarios.schema.model import Scenario
from .class_settings import ClassTerms

RETURN_SECONDS = 12.0  # seconds to wait for phones to come back; they ask for news every 8 seconds

POSTS = frozenset(
    {
        *(Kind.ROSTER, Kind.KEY, Kind.REGISTRY, Kind.ANNOUNCEMENT, Kind.CONSENT, Kind.CALL),
        *(Kind.HEAD, Kind.MINT, Kind.KEYS, Kind.HANDED, Kind.CHECKED, Kind.BURNED, Kind.CLOSED),
    }
)
OF_PEOPLE = frozenset({Kind.SUBMISSION, Kind.QUERY})


def stays_sealed(event: Event) -> bool:
    """Whether a message leaves the answers of people sealed; otherwise a repeat is not safe."""
    if event.receiver == BOARD:
        return event.kind in POSTS or (event.kind is Kind.DECISION and event.round == 0)
    if parties.role(event.sender) is parties.Role.USER:
        return event.kind in OF_PEOPLE
    replies = event.sender == parties.RANDOMNESS and event.kind is Kind.EVALUATED
    return replies and parties.role(event.receiver) is parties.Role.USER


def reason_against(
    scenario: Scenario, terms: ClassTerms, events: Iterable[Event], posts: int, *, led: bool
) -> str:
    """Return the key of the sentence why the session cannot be repeated; "" if it can be repeated.

    Args:
        scenario: the scenario of the session.
        terms: the settings of the class.
        events: the messages of the session, which is over.
        posts: number of posts on the session's board. If fewer of `events` are posts, events are
            missing, and the session is not repeated.
        led: whether a teacher sits at the terminal.
    """
    carried = list(events)
    if not led:
        return "teacher-repeat-alone"
    if terms.has_remote_shufflers:
        return "teacher-repeat-others"
    if scenario.fault:
        return "teacher-repeat-cheat"
    complete = sum(event.receiver == BOARD for event in carried) == posts
    if not complete or not all(map(stays_sealed, carried)):
        return "teacher-repeat-counted"
    if scenario.local.epsilon is not None and any(event.kind is Kind.CALL for event in carried):
        return "teacher-repeat-noise"
    return ""
