"""The space of deviations of a coalition, derived from the messages of an honest session.

The deviations of a member follow from its posts and letters, its inputs and openings, and the table
of legal moves (phases.py). Sets of people: the target; all others; the target and another person;
the target and the people of the coalition. Rounds: each, and both.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ..messages import Body, Cause, Kind
from ..parties import NETWORK, Role, role, shuffler
from ..phases import BOARD, MOVES
from .changes import CHANGES, changes_of
from .deviation import ON_BALLOTS, OWN_KEYS, Action, Deviation
from .said import SessionMessages, sort_messages
from .view import SearchEvent

LATE = 1.05  # deadlines: after the collection, before the next step gives up
LATER = (0.55, 1.1)  # deadlines, of letters: within the collection, and after it
ALONE = {"doubled": Kind.EVALUATED}  # change -> the one message in which it is tried
ONE = (0,)  # the first ballot of a batch, for members that do not know the senders
REACTIONS = (Kind.BURNED, Kind.ALARM)  # posts that are made only with a cause
Aim = tuple[tuple[str, ...], bool]  # people, and whether all but these are meant


@dataclass(frozen=True, slots=True)
class SpaceSetting:
    """The parameters of a space of deviations.

    Attributes:
        members: the coalition.
        honest: the people outside the coalition, by name; the first is the target.
        rows: all rows that can be submitted.
        registered: whether only registered people may send.
        alone: whether a person can change its row without other messages (tokens, locks).
        deepens: whether the curator has further calls, by its counts.
        opens: whether only k people open a row: then every row is worth a guess.
        signed: whether posts are signed, so that only their authors can change them.
    """

    members: tuple[str, ...]
    honest: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    registered: bool
    alone: bool
    deepens: bool = False
    opens: bool = False
    signed: bool = True

    @property
    def friends(self) -> tuple[str, ...]:
        """The people of the coalition."""
        return tuple(member for member in self.members if role(member) is Role.USER)

    @property
    def aims(self) -> tuple[Aim, ...]:
        """The sets of people that deviations mean."""
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
        """The sets with an honest person in them: attacks on friends alone are not tried."""
        return tuple(aim for aim in self.aims if aim[1] or not set(aim[0]) <= set(self.friends))


def space(setting: SpaceSetting, events: Sequence[SearchEvent]) -> tuple[Deviation, ...]:
    """Return all single deviations of a coalition, each once, in a fixed order."""
    said = sort_messages(events)
    found = dict[Deviation, None]()
    for member in setting.members:
        found |= dict.fromkeys(_member_deviations(setting, said, member))
    if NETWORK in setting.members:
        found |= dict.fromkeys(_board_deviations(setting, said))
    if Role.CURATOR in setting.members:
        found |= dict.fromkeys(_announcement_deviations(setting, said))
    return tuple(found)


def _member_deviations(
    setting: SpaceSetting, said: SessionMessages, member: str
) -> Iterator[Deviation]:
    match role(member):
        case Role.USER:
            yield from _person_deviations(setting, said, member)
        case Role.NETWORK:
            yield from _network_deviations(setting, said)
        case _:
            yield from _post_deviations(said, member, setting)
            yield from _letter_deviations(setting, said, member)
            yield from _ignored_letters(setting, said, member)
            if role(member) is Role.SHUFFLER:
                yield from _ballot_deviations(setting, said, member)
            if role(member) is Role.CURATOR and setting.deepens:
                yield from _call_deviations(said, member)
            yield from _without_cause(said, member)


def _person_deviations(
    setting: SpaceSetting, said: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a person of the coalition: silence, or another row."""
    kinds = dict.fromkeys(
        kind for sender, kind, *_ in (*said.letters, *said.posts) if sender == member
    )
    for kind, rounds in product(kinds, said.periods):
        yield Deviation(by=member, do=Action.OMIT, message=kind, rounds=rounds)
    if setting.alone:
        said_rows = setting.rows if setting.opens else (setting.rows[0], setting.rows[-1])
        for row, rounds in product(said_rows, said.periods):
            yield Deviation(by=member, do=Action.SAY, row=row, rounds=rounds)


def _post_deviations(
    said: SessionMessages, member: str, setting: SpaceSetting
) -> Iterator[Deviation]:
    """Yield the deviations of a member on its posts: omission, delay, a changed field."""
    for (author, kind, number), body in said.posts.items():
        if author != member:
            continue
        one = Deviation(by=member, do=Action.OMIT, message=kind, rounds=(number,))
        yield one
        yield replace(one, do=Action.DELAY, deadlines=LATE)
        yield from _changed(setting, one, body)


def _changed(setting: SpaceSetting, one: Deviation, body: Body) -> Iterator[Deviation]:
    """Yield every change of every field, for every set of people or rows that it can mean."""
    for path, change in changes_of(body):
        other = replace(one, do=Action.CHANGE, field=path, change=change)
        if not CHANGES[change].aimed:
            yield other
        elif _is_of_bytes(body, path):
            yield from (replace(other, row=row) for row in setting.rows)
        else:
            yield from (_on(other, aim) for aim in setting.aims)


def _on(one: Deviation, aim: Aim) -> Deviation:
    return replace(one, people=aim[0], all_but=aim[1])


def _is_of_bytes(body: Body, path: str) -> bool:
    values: Sequence[object] = getattr(body, path, ())
    return bool(values) and isinstance(values[0], bytes)


def _letter_deviations(
    setting: SpaceSetting, said: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a member on its letters: of some people, if letters are personal."""
    for (sender, kind, to, number), body in said.letters.items():
        if sender != member:
            continue
        one = Deviation(by=member, do=Action.OMIT, message=kind, rounds=(number,))
        if to is not Role.USER:
            yield one
            yield replace(one, do=Action.DELAY, deadlines=LATE)
            if kind is not Kind.BATCH:  # its ballots change where they are opened
                yield from _changed(setting, one, body)
            continue
        paths = [
            (path, change)
            for path, change in changes_of(body)
            if not CHANGES[change].aimed and ALONE.get(change, kind) is kind
        ]
        for personal in (_on(one, aim) for aim in setting.against):
            yield personal
            for path, change in paths:
                yield replace(personal, do=Action.CHANGE, field=path, change=change)


def _ignored_letters(
    setting: SpaceSetting, said: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a member that ignores letters of people."""
    kinds = sorted(kind for receiver, kind in said.heard if receiver == member)
    for kind, aim, rounds in product(kinds, setting.against, said.periods):
        yield _on(Deviation(by=member, do=Action.IGNORE, message=kind, rounds=rounds), aim)


def _ballot_deviations(
    setting: SpaceSetting, said: SessionMessages, member: str
) -> Iterator[Deviation]:
    """Yield the deviations of a shuffler on opened ballots: drop, double, replace, add."""
    for how, rounds in product(ON_BALLOTS, said.periods):
        one = Deviation(by=member, do=how, rounds=rounds)
        if how is Action.ADD:  # invented people hand in to the first shuffler alone
            yield from (one,) if member == shuffler(1) else ()
        elif member != shuffler(1):
            yield replace(one, places=ONE)
            yield replace(one, places=ONE, all_but=True)
        else:
            yield from (_on(one, aim) for aim in setting.aims)


def _call_deviations(said: SessionMessages, member: str) -> Iterator[Deviation]:
    """Yield the wider calls of a curator, from a round on after the first, or in one round."""
    later = range(2, said.rounds + 1)
    for first in later:
        for last in range(first, said.rounds + 1):
            yield Deviation(by=member, do=Action.ASK, rounds=tuple(range(first, last + 1)))


def _without_cause(said: SessionMessages, member: str) -> Iterator[Deviation]:
    """Yield a member's burns and alarms without a cause, and its missing burns and alarms."""
    moves = [pair for phase in MOVES.values() for pair in phase.items()]
    may = {kind for kind, move in moves if role(member) in move.speakers and BOARD in move.hearers}
    own = [(kind, number) for author, kind, number in said.posts if author == member and number]
    for kind in (kind for kind in REACTIONS if kind in may):
        yield Deviation(by=member, do=Action.OMIT, message=kind)
        causes = [cause.value for cause in Cause] if kind is Kind.ALARM else [""]
        one = Deviation(by=member, do=Action.REACT, message=kind)
        for (before, number), cause in product(own, causes):
            yield replace(one, change=cause, until=before, rounds=(number,))


def _network_deviations(setting: SpaceSetting, said: SessionMessages) -> Iterator[Deviation]:
    """Yield the deviations of `network`: loses, delays or replaces letters, or holds the board."""
    kinds = {kind for _, kind in said.heard}
    kinds |= {kind for _, kind, to, _ in said.letters if to is Role.USER}
    for kind, aim, rounds in product(sorted(kinds), setting.against, said.periods):
        one = _on(Deviation(by=NETWORK, do=Action.OMIT, message=kind, rounds=rounds), aim)
        yield one
        yield from (replace(one, do=Action.DELAY, deadlines=late) for late in LATER)
        if kind is Kind.SUBMISSION and not setting.registered:
            yield replace(one, do=Action.REPLACE)
        if kind is Kind.QUERY:  # it has no signature
            yield from (replace(one, do=Action.REPLACE, row=row) for row in setting.rows)
    yield from _holds(setting, said)


def _holds(setting: SpaceSetting, said: SessionMessages) -> Iterator[Deviation]:
    """Yield the holds of the board, for the target or for all, from one kind of post to another."""
    for number in range(1, said.rounds + 1):
        order = [(kind, author) for kind, author, at in said.order if at == number]
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


def _board_deviations(setting: SpaceSetting, said: SessionMessages) -> Iterator[Deviation]:
    """Yield the other boards that the keeper shows to one party: the target, or a shuffler.

    All keys are own keys; a kind of post is left out; a post of a member, or any post if posts are
    not
    signed, has another field.
    """
    target = setting.honest[0]
    shufflers = {author for author, *_ in said.posts if author != BOARD and _is_shuffler(author)}
    readers = (target, *sorted(shufflers - set(setting.members)))
    for reader in readers:
        one = Deviation(by=NETWORK, do=Action.SHOW, people=(reader,))
        yield replace(one, change=OWN_KEYS)
        for (author, kind, number), body in said.posts.items():
            post = replace(one, message=kind, rounds=(number,))
            yield post
            if author in setting.members or not (setting.signed or kind is Kind.HEAD):
                yield from _field_changes(setting, post, body)


def _announcement_deviations(setting: SpaceSetting, said: SessionMessages) -> Iterator[Deviation]:
    """Yield the other announcements that the curator shows to the target."""
    told = said.posts.get((Role.CURATOR, Kind.ANNOUNCEMENT, 0))
    one = Deviation(
        by=Role.CURATOR, do=Action.SHOW, message=Kind.ANNOUNCEMENT, people=setting.honest[:1]
    )
    if told is not None:
        yield replace(one, change=OWN_KEYS)
        yield from _field_changes(setting, one, told)


def _field_changes(setting: SpaceSetting, post: Deviation, body: Body) -> Iterator[Deviation]:
    """Yield every change of every field of a post; removed entries of people are the reader's.

    post: the deviation that shows it.
    """
    for path, change in changes_of(body):
        other = replace(post, field=path, change=change)
        if CHANGES[change].aimed and _is_of_bytes(body, path):
            yield from (replace(other, row=row) for row in setting.rows)
        else:
            yield other


def _is_shuffler(party: str) -> bool:
    return role(party) is Role.SHUFFLER


def kinds_of(strategies: Iterable[Sequence[Deviation]]) -> tuple[str, ...]:
    """Return the kinds of deviations in strategies, for people: `omit ask`, `change roll`."""
    kinds = {
        " ".join(filter(None, (one.do.value, one.message.name.lower() if one.message else "")))
        for strategy in strategies
        for one in strategy
    }
    return tuple(sorted(kinds))
