"""The space of deviations of a coalition, derived from the messages of an honest session.

The deviations of a member follow from its posts and letters, its inputs and openings, and the table
of legal moves (phases.py). Sets of people: the target; all others; the target and another person;
the target and the people of the coalition. Rounds: each, and both.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from ..board.phases import BOARD, MOVES
from ..wire.messages import Body, Cause, Kind
from ..wire.parties import NETWORK, Role, role, shuffler
from .changes import CHANGES, changes_of
from .deviation import ON_BALLOTS, OWN_KEYS, Action, Deviation
from .honest_messages import SessionMessages, sort_messages
from .view import SearchEvent

LATE = 1.05  # in deadlines: after the collection, before the next party gives up
LETTER_DELAYS = (0.55, 1.1)  # in deadlines: delays of messages, within the collection and after it
# change -> the only kind of message in which it is tried
CHANGE_MESSAGE = {"doubled": Kind.EVALUATED}
FIRST_PLACE = (0,)  # place of the ballot that is changed if members do not know the senders
REACTIONS = (Kind.BURNED, Kind.ALARM)  # posts that honest parties make only after an error
Aim = tuple[tuple[str, ...], bool]  # names of people; True: all people except these


@dataclass(frozen=True, slots=True)
class SpaceSetting:
    """The coalition and the session for which possible deviations are listed.

    Attributes:
        members: the coalition.
        honest: the people outside the coalition, by name; the first is the target.
        rows: all rows that can be submitted.
        registered: whether only registered people may send.
        has_free_rows: whether a person can change its row without other messages (tokens, locks).
        deepens: whether the curator may post further calls, which depend on its counts.
        opens: whether only k people open a row: then every possible row is tried.
        signed: whether posts are signed, so that only their authors can change them.
    """

    members: tuple[str, ...]
    honest: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    registered: bool
    has_free_rows: bool
    deepens: bool = False
    opens: bool = False
    signed: bool = True

    @property
    def friends(self) -> tuple[str, ...]:
        """The members of the coalition that are users."""
        return tuple(member for member in self.members if role(member) is Role.USER)

    @property
    def aims(self) -> tuple[Aim, ...]:
        """The sets of people at which deviations aim: names; True: all people except these."""
        target, friends = self.honest[0], self.friends
        aims: list[Aim] = [
            ((target,), False),
            ((target, *friends), True),
            ((target, self.honest[1]), False),
        ]
        if friends:
            aims += [((target, *friends), False), (friends, False)]
        return tuple(dict.fromkeys(aims))

    @property
    def against(self) -> tuple[Aim, ...]:
        """The aims that include an honest person: attacks on own users alone are not tried."""
        return tuple(aim for aim in self.aims if aim[1] or not set(aim[0]) <= set(self.friends))


def space(setting: SpaceSetting, events: Sequence[SearchEvent]) -> tuple[Deviation, ...]:
    """Return all single deviations of a coalition, each once, in a fixed order."""
    messages = sort_messages(events)
    deviations = dict[Deviation, None]()
    for member in setting.members:
        deviations |= dict.fromkeys(_member_deviations(setting, messages, member))
    if NETWORK in setting.members:
        deviations |= dict.fromkeys(_board_deviations(setting, messages))
    if Role.CURATOR in setting.members:
        deviations |= dict.fromkeys(_announcement_deviations(setting, messages))
    return tuple(deviations)


def _member_deviations(
    setting: SpaceSetting, messages: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of one member of the coalition, by its role."""
    match role(member):
        case Role.USER:
            yield from _person_deviations(setting, messages, member)
        case Role.NETWORK:
            yield from _network_deviations(setting, messages)
        case _:
            yield from _post_deviations(messages, member, setting)
            yield from _letter_deviations(setting, messages, member)
            yield from _ignored_letters(setting, messages, member)
            if role(member) is Role.SHUFFLER:
                yield from _ballot_deviations(setting, messages, member)
            if role(member) is Role.CURATOR and setting.deepens:
                yield from _call_deviations(messages, member)
            yield from _without_cause(messages, member)


def _person_deviations(
    setting: SpaceSetting, messages: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a user in the coalition: silence, or another row."""
    kinds = dict.fromkeys(
        kind for sender, kind, *_ in (*messages.letters, *messages.posts) if sender == member
    )
    for kind, rounds in product(kinds, messages.periods):
        yield Deviation(by=member, do=Action.OMIT, message=kind, rounds=rounds)
    if setting.has_free_rows:
        said_rows = setting.rows if setting.opens else (setting.rows[0], setting.rows[-1])
        for row, rounds in product(said_rows, messages.periods):
            yield Deviation(by=member, do=Action.SAY, row=row, rounds=rounds)


def _post_deviations(
    messages: SessionMessages, member: str, setting: SpaceSetting
) -> Iterator[Deviation]:
    """Yield the deviations of a member on its posts: omission, delay, a changed field."""
    for (author, kind, number), body in messages.posts.items():
        if author != member:
            continue
        deviation = Deviation(by=member, do=Action.OMIT, message=kind, rounds=(number,))
        yield deviation
        yield replace(deviation, do=Action.DELAY, deadlines=LATE)
        yield from _changed(setting, deviation, body)


def _changed(setting: SpaceSetting, deviation: Deviation, body: Body) -> Iterator[Deviation]:
    """Yield a deviation for every change of every field of a message, and its every aim."""
    for path, change in changes_of(body):
        variant = replace(deviation, do=Action.CHANGE, field=path, change=change)
        if not CHANGES[change].aimed:
            yield variant
        elif _is_of_bytes(body, path):
            yield from (replace(variant, row=row) for row in setting.rows)
        else:
            yield from (_on(variant, aim) for aim in setting.aims)


def _on(deviation: Deviation, aim: Aim) -> Deviation:
    """Return the deviation, limited to an aim: these people, or all people except these."""
    return replace(deviation, people=aim[0], all_but=aim[1])


def _is_of_bytes(body: Body, path: str) -> bool:
    """Whether a field of a message is a list of byte strings."""
    values: Sequence[object] = getattr(body, path, ())
    return bool(values) and isinstance(values[0], bytes)


def _letter_deviations(
    setting: SpaceSetting, messages: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a member on its direct messages: omission, delay, a changed field.

    If messages to people are personal, they may aim at some people.
    """
    for (sender, kind, to, number), body in messages.letters.items():
        if sender != member:
            continue
        deviation = Deviation(by=member, do=Action.OMIT, message=kind, rounds=(number,))
        if to is not Role.USER:
            yield deviation
            yield replace(deviation, do=Action.DELAY, deadlines=LATE)
            # ballots of a batch are changed by the party that opens them
            if kind is not Kind.BATCH:
                yield from _changed(setting, deviation, body)
            continue
        paths = [
            (path, change)
            for path, change in changes_of(body)
            if not CHANGES[change].aimed and CHANGE_MESSAGE.get(change, kind) is kind
        ]
        for personal in (_on(deviation, aim) for aim in setting.against):
            yield personal
            for path, change in paths:
                yield replace(personal, do=Action.CHANGE, field=path, change=change)


def _ignored_letters(
    setting: SpaceSetting, messages: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a member that treats messages of some people as lost."""
    kinds = sorted(kind for receiver, kind in messages.user_letters if receiver == member)
    for kind, aim, rounds in product(kinds, setting.against, messages.periods):
        yield _on(Deviation(by=member, do=Action.IGNORE, message=kind, rounds=rounds), aim)


def _ballot_deviations(
    setting: SpaceSetting, messages: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a shuffler on opened ballots: drop, double, replace, add."""
    for how, rounds in product(ON_BALLOTS, messages.periods):
        deviation = Deviation(by=member, do=how, rounds=rounds)
        if how is Action.ADD:  # invented people submit to the first shuffler only
            yield from (deviation,) if member == shuffler(1) else ()
        elif member != shuffler(1):
            yield replace(deviation, places=FIRST_PLACE)
            yield replace(deviation, places=FIRST_PLACE, all_but=True)
        else:
            yield from (_on(deviation, aim) for aim in setting.aims)


def _call_deviations(messages: SessionMessages, member: str) -> Iterator[Deviation]:
    """Yield the deviations of a curator that requests wider groups of columns than its rule.

    They begin in a round after the first, and last for one or more rounds.
    """
    later_rounds = range(2, messages.rounds + 1)
    for first in later_rounds:
        for last in range(first, messages.rounds + 1):
            yield Deviation(by=member, do=Action.ASK, rounds=tuple(range(first, last + 1)))


def _without_cause(messages: SessionMessages, member: str) -> Iterator[Deviation]:
    """Yield a member's aborts and alarms without a cause, and omissions of aborts and alarms."""
    moves = [pair for phase in MOVES.values() for pair in phase.items()]
    may = {kind for kind, move in moves if role(member) in move.speakers and BOARD in move.hearers}
    member_posts = [
        (kind, number) for author, kind, number in messages.posts if author == member and number
    ]
    for kind in (kind for kind in REACTIONS if kind in may):
        yield Deviation(by=member, do=Action.OMIT, message=kind)
        causes = [cause.value for cause in Cause] if kind is Kind.ALARM else [""]
        deviation = Deviation(by=member, do=Action.REACT, message=kind)
        for (post_kind, number), cause in product(member_posts, causes):
            yield replace(deviation, change=cause, until=post_kind, rounds=(number,))


def _network_deviations(setting: SpaceSetting, messages: SessionMessages) -> Iterator[Deviation]:
    """Yield the deviations of `network`: lost, delayed or replaced messages; a withheld board."""
    kinds = {kind for _, kind in messages.user_letters}
    kinds |= {kind for _, kind, to, _ in messages.letters if to is Role.USER}
    for kind, aim, rounds in product(sorted(kinds), setting.against, messages.periods):
        deviation = _on(Deviation(by=NETWORK, do=Action.OMIT, message=kind, rounds=rounds), aim)
        yield deviation
        yield from (replace(deviation, do=Action.DELAY, deadlines=late) for late in LETTER_DELAYS)
        if kind is Kind.SUBMISSION and not setting.registered:
            yield replace(deviation, do=Action.REPLACE)
        if kind is Kind.QUERY:  # a query of this kind has no signature
            yield from (replace(deviation, do=Action.REPLACE, row=row) for row in setting.rows)
    yield from _holds(setting, messages)


def _holds(setting: SpaceSetting, messages: SessionMessages) -> Iterator[Deviation]:
    """Yield the deviations that withhold the board from the target or from all people.

    A hold lasts from one kind of post to another.
    """
    for number in range(1, messages.rounds + 1):
        order = [(kind, author) for kind, author, at in messages.order if at == number]
        first = {kind: order.index((kind, author)) for kind, author in reversed(order)}
        last = {kind: place for place, (kind, _) in enumerate(order)}
        for start, end in product(first, last):
            if first[start] > last[end]:
                continue
            for people in ((setting.honest[0],), ()):
                yield Deviation(
                    by=NETWORK,
                    do=Action.HOLD,
                    message=start,
                    people=people,
                    rounds=(number,),
                    until=end,
                    until_by=order[last[end]][1],
                )


def _board_deviations(setting: SpaceSetting, messages: SessionMessages) -> Iterator[Deviation]:
    """Yield the deviations that show a party another board: the target, or a shuffler.

    On it all keys are the coalition's; or a kind of post is left out; or a post of a member (any
    post if posts are not signed) has another field.
    """
    target = setting.honest[0]
    shufflers = {
        author for author, *_ in messages.posts if author != BOARD and _is_shuffler(author)
    }
    readers = (target, *sorted(shufflers - set(setting.members)))
    for reader in readers:
        deviation = Deviation(by=NETWORK, do=Action.SHOW, people=(reader,))
        yield replace(deviation, change=OWN_KEYS)
        for (author, kind, number), body in messages.posts.items():
            post = replace(deviation, message=kind, rounds=(number,))
            yield post
            if author in setting.members or not (setting.signed or kind is Kind.HEAD):
                yield from _field_changes(setting, post, body)


def _announcement_deviations(
    setting: SpaceSetting, messages: SessionMessages
) -> Iterator[Deviation]:
    """Yield the other announcements that the curator shows to the target."""
    announcement = messages.posts.get((Role.CURATOR, Kind.ANNOUNCEMENT, 0))
    deviation = Deviation(
        by=Role.CURATOR, do=Action.SHOW, message=Kind.ANNOUNCEMENT, people=setting.honest[:1]
    )
    if announcement is not None:
        yield replace(deviation, change=OWN_KEYS)
        yield from _field_changes(setting, deviation, announcement)


def _field_changes(setting: SpaceSetting, post: Deviation, body: Body) -> Iterator[Deviation]:
    """Yield a deviation for every change of every field of a post.

    A removed entry of people is the entry of the party that is shown the post. post: the deviation
    that shows it.
    """
    for path, change in changes_of(body):
        variant = replace(post, field=path, change=change)
        if CHANGES[change].aimed and _is_of_bytes(body, path):
            yield from (replace(variant, row=row) for row in setting.rows)
        else:
            yield variant


def _is_shuffler(party: str) -> bool:
    """Whether a party, by its name, is a shuffler."""
    return role(party) is Role.SHUFFLER


def kinds_of(strategies: Iterable[Sequence[Deviation]]) -> tuple[str, ...]:
    """Return the kinds of deviations in strategies, as short texts: `omit ask`, `change roll`."""
    kinds = {
        " ".join(
            filter(
                None,
                (deviation.do.value, deviation.message.name.lower() if deviation.message else ""),
            )
        )
        for strategy in strategies
        for deviation in strategy
    }
    return tuple(sorted(kinds))


def pairs(
    setting: SpaceSetting, singles: Sequence[Deviation]
) -> Iterator[tuple[Deviation, Deviation]]:
    """Yield the pairs of deviations to try.

    A party with a person of the coalition; a changed post with the board withheld from that post
    on; two deviations of the same shuffler on its ballots, or on the letters that it ignores.
    """
    friends, posts, ballots = set(setting.friends), list[Deviation](), list[Deviation]()
    holds = [deviation for deviation in singles if deviation.do is Action.HOLD]
    theirs = [deviation for deviation in singles if deviation.by in friends]
    for deviation in singles:
        if deviation.by not in friends and deviation.do is not Action.HOLD:
            posts.append(deviation)
            yield from ((deviation, friend_deviation) for friend_deviation in theirs)
        if deviation.do in (*ON_BALLOTS, Action.IGNORE) and role(deviation.by) is Role.SHUFFLER:
            ballots.append(deviation)
    for deviation in posts:
        if deviation.do is Action.CHANGE:
            yield from (
                (deviation, hold)
                for hold in holds
                if (hold.message, hold.rounds) == (deviation.message, deviation.rounds)
            )
    for deviation, two in combinations(ballots, 2):
        if deviation.by == two.by and not set(deviation.rounds) & set(two.rounds):
            yield deviation, two
