"""The space of deviations of a coalition, derived from the messages of an honest session.

The deviations of a member follow from its posts, its direct messages, its inputs, the layers that
it opens, and the table of legal moves (phases.py). A deviation may affect these sets of people: the
target; all other people; the target and another person; the target and the people of the coalition.
It takes place in one round, or in all rounds.
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

# delay of a post, or of a letter of a keyholder, in deadlines: it comes after users' time to
# submit, but before the next party stops waiting
LATE = 1.05
LETTER_DELAYS = (0.55, 1.1)  # in deadlines: delays within users' time to submit, and beyond it
# For a change of a message to people (changes.py): the only kind of message in which it is tried.
# `doubled` imitates a second key of `randomness`, so it is tried in the answers of `randomness`.
CHANGE_MESSAGE = {"doubled": Kind.EVALUATED}
# index of the changed ballot at a later shuffler, which cannot know whose ballot it is
FIRST_PLACE = (0,)
REACTIONS = (Kind.BURNED, Kind.ALARM)  # posts that honest parties make only after an error
Aim = tuple[tuple[str, ...], bool]  # (names of people, whether all people except these are meant)


@dataclass(frozen=True, slots=True)
class SpaceSetting:
    """The coalition and the session for which possible deviations are listed.

    Attributes:
        members: the parties of the coalition.
        honest: the people outside the coalition, by name; the first is the target.
        rows: all rows that can be submitted.
        registered: whether only registered people may submit.
        has_free_rows: whether a person can change its row without other messages (tokens, locks).
        deepens: whether the curator may post further calls, which depend on its counts.
        opens: whether a row opens only if k people share it; then every possible row is tried.
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
        """The members of the coalition that are users, by name."""
        return tuple(member for member in self.members if role(member) is Role.USER)

    @property
    def aims(self) -> tuple[Aim, ...]:
        """The sets of people that deviations may affect.

        Each is (names, whether all people except these).
        """
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
        """The sets of people that deviations may affect, with a person outside the coalition.

        Each is (names, whether all people except these). Deviations that affect only the
        coalition's own users are not tried.
        """
        return tuple(aim for aim in self.aims if aim[1] or not set(aim[0]) <= set(self.friends))


def space(setting: SpaceSetting, events: Sequence[SearchEvent]) -> tuple[Deviation, ...]:
    """Return all single deviations of a coalition, each once, in a fixed order.

    events: the messages of an honest session.
    """
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
    """Yield the deviations of one member of the coalition, by its role.

    messages: the messages of an honest session. member: the member's name.
    """
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
    """Yield the deviations of a user in the coalition: silence, or another row.

    messages: the messages of an honest session. member: the user's name.
    """
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
    """Yield the deviations of a member on its posts: omission, delay, a changed field.

    messages: the messages of an honest session. member: the member's name.
    """
    for (author, kind, number), body in messages.posts.items():
        if author != member:
            continue
        deviation = Deviation(by=member, do=Action.OMIT, message=kind, rounds=(number,))
        yield deviation
        yield replace(deviation, do=Action.DELAY, deadlines=LATE)
        yield from _changed(setting, deviation, body)


def _changed(setting: SpaceSetting, deviation: Deviation, body: Body) -> Iterator[Deviation]:
    """Yield a deviation for every change of every field of a message.

    If a change affects selected entries of a list, there is a deviation for each possible
    selection: a set of people or, in a list of byte strings, the row of one person.
    """
    for path, change in changes_of(body):
        variant = replace(deviation, do=Action.CHANGE, field=path, change=change)
        if not CHANGES[change].aimed:
            yield variant
        elif _is_of_bytes(body, path):
            yield from (replace(variant, row=row) for row in setting.rows)
        else:
            yield from (_on(variant, aim) for aim in setting.aims)


def _on(deviation: Deviation, aim: Aim) -> Deviation:
    """Return the deviation, limited to a set of people.

    aim: (names, whether all people except these are affected).
    """
    return replace(deviation, people=aim[0], all_but=aim[1])


def _is_of_bytes(body: Body, path: str) -> bool:
    """Whether a field of a message is a list of byte strings."""
    values: Sequence[object] = getattr(body, path, ())
    return bool(values) and isinstance(values[0], bytes)


def _letter_deviations(
    setting: SpaceSetting, messages: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a member on its direct messages: omission, delay, a changed field.

    A direct message to people may deviate for some sets of people only.
    """
    for (sender, kind, to, number), body in messages.letters.items():
        if sender != member:
            continue
        deviation = Deviation(by=member, do=Action.OMIT, message=kind, rounds=(number,))
        if to is not Role.USER:
            yield deviation
            yield replace(deviation, do=Action.DELAY, deadlines=LATE)
            # A batch is left out, because the shuffler deviates on the ballots in it
            # (_ballot_deviations).
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
    """Yield the deviations in which a member ignores the messages of some people, as if lost."""
    kinds = sorted(kind for receiver, kind in messages.user_letters if receiver == member)
    for kind, aim, rounds in product(kinds, setting.against, messages.periods):
        yield _on(Deviation(by=member, do=Action.IGNORE, message=kind, rounds=rounds), aim)


def _ballot_deviations(
    setting: SpaceSetting, messages: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a shuffler on opened ballots: drop, double, replace, add.

    messages: the messages of an honest session. member: the name of the shuffler.
    """
    for how, rounds in product(ON_BALLOTS, messages.periods):
        deviation = Deviation(by=member, do=how, rounds=rounds)
        # Only the first shuffler can invent people, because people submit to it.
        if how is Action.ADD:
            yield from (deviation,) if member == shuffler(1) else ()
        elif member != shuffler(1):
            yield replace(deviation, places=FIRST_PLACE)
            yield replace(deviation, places=FIRST_PLACE, all_but=True)
        else:
            yield from (_on(deviation, aim) for aim in setting.aims)


def _call_deviations(messages: SessionMessages, member: str) -> Iterator[Deviation]:
    """Yield the deviations of a curator that requests counts of more columns than its rule.

    They begin in a round after the first, and last for one or more rounds. messages: the messages
    of an honest session. member: the curator's name.
    """
    later_rounds = range(2, messages.rounds + 1)
    for first in later_rounds:
        for last in range(first, messages.rounds + 1):
            yield Deviation(by=member, do=Action.ASK, rounds=tuple(range(first, last + 1)))


def _without_cause(messages: SessionMessages, member: str) -> Iterator[Deviation]:
    """Yield a member's aborts and alarms without a cause, and its omissions of both."""
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
    """Yield the deviations of `network`: lost, late or replaced messages, and a withheld board."""
    kinds = {kind for _, kind in messages.user_letters}
    kinds |= {kind for _, kind, to, _ in messages.letters if to is Role.USER}
    for kind, aim, rounds in product(sorted(kinds), setting.against, messages.periods):
        deviation = _on(Deviation(by=NETWORK, do=Action.OMIT, message=kind, rounds=rounds), aim)
        yield deviation
        yield from (replace(deviation, do=Action.DELAY, deadlines=late) for late in LETTER_DELAYS)
        if kind is Kind.SUBMISSION and not setting.registered:
            yield replace(deviation, do=Action.REPLACE)
        # A request to `randomness` (Kind.QUERY) is unsigned, so `network` can replace it.
        if kind is Kind.QUERY:
            yield from (replace(deviation, do=Action.REPLACE, row=row) for row in setting.rows)
    yield from _holds(setting, messages)


def _holds(setting: SpaceSetting, messages: SessionMessages) -> Iterator[Deviation]:
    """Yield the deviations that withhold the board from the target or from all people.

    `network` withholds it from one post of a round until another. messages: the messages of an
    honest session.
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
    """Yield the deviations that show a party another board: the target, or an honest shuffler.

    On this board, the coalition's keys replace all keys; or a post is left out; or a post has a
    changed field. Only a member's posts are changed, or any post if posts are not signed. messages:
    the messages of an honest session.
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
    """Yield the deviations in which the curator shows the target another announcement.

    setting: the coalition; its first honest person is the target. messages: of an honest session.
    """
    announcement = messages.posts.get((Role.CURATOR, Kind.ANNOUNCEMENT, 0))
    deviation = Deviation(
        by=Role.CURATOR, do=Action.SHOW, message=Kind.ANNOUNCEMENT, people=setting.honest[:1]
    )
    if announcement is not None:
        yield replace(deviation, change=OWN_KEYS)
        yield from _field_changes(setting, deviation, announcement)


def _field_changes(setting: SpaceSetting, post: Deviation, body: Body) -> Iterator[Deviation]:
    """Yield a deviation for every change of every field of a post that a party is shown.

    If a change removes an entry from a list of people, it removes the entry of the party that is
    shown the post. post: the deviation that shows this post, without a change.
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

    The pairs are:
    - a deviation of a party, and a deviation of a user of the coalition;
    - a changed post, and the board withheld from this post on;
    - two deviations of one shuffler in different rounds, on its ballots or on the letters that it
      ignores.

    singles: the single deviations.
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
