"""A deviation: an act of a malicious party, or of a person of its coalition, against the rules.

omit      a message is not sent (`network`: is lost)
delay     a message is sent later, by some deadlines (periods in which users may submit)
change    a field of a message has another legal value (changes.py)
ignore    a letter (direct message) is treated as if it had not arrived
drop, double, replace, add
          a shuffler loses, repeats or replaces ballots that it has opened, or adds its own
          ballots; `network` replaces a sealed envelope, or a request to the party `randomness`,
          by its own
hold      `network` hides the board from people, from one kind of post until another
say       a person of the coalition answers another row
react     a party posts an abort or alarm without cause; honest parties post both only for cause
ask       the curator asks the widest groups of columns that the board accepts, against its rule
show      `network`, which keeps the board, shows one party another board: a post is left out or
          has another field, or the coalition's keys replace all keys. Or the curator shows a
          person another announcement than that on the board
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..wire.messages import Kind


class Action(StrEnum):
    """The kind of a deviation: how a malicious party departs from the protocol."""

    OMIT = "omit"
    DELAY = "delay"
    CHANGE = "change"
    IGNORE = "ignore"
    DROP = "drop"
    DOUBLE = "double"
    REPLACE = "replace"
    ADD = "add"
    HOLD = "hold"
    SAY = "say"
    REACT = "react"
    ASK = "ask"
    SHOW = "show"


# A change for the action `show`: on the board or announcement that a party is shown, the
# coalition's keys replace the public keys of all parties.
OWN_KEYS = "own keys"
LONGEST = 32  # characters of a printed value; longer values are shortened
BEGINNING = 4  # number of a shortened value's first characters that are printed
# the kinds of deviations by which a shuffler changes the ballots that it has opened
ON_BALLOTS = (Action.DROP, Action.DOUBLE, Action.REPLACE, Action.ADD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """A deviation from the protocol by a member of a malicious coalition.

    Attributes:
        by: the member, by name.
        do: the kind of the deviation.
        message: the kind of message. For `hold`, the first post that is withheld. For `show`, the
            post that is shown with a changed field or, if no field is given, left out. None: every
            post.
        field: the field that changes, such as `people` or `asks[0]`.
        change: the change of that field; for `react`, the cause of an alarm.
        people: the people with affected letters, ballots or names; for `show`, the parties that
            read the other board; empty: all.
        all_but: whether all people except `people` are affected.
        rounds: the rounds in which the deviation takes place; empty: all.
        row: for `say`, the row that is answered; for a removed or replaced entry of a list, the row
            of its person.
        places: for a shuffler after the first, the affected ballots, by position in its batch, from
            0; empty: all.
        until: for `hold`, the kind of post at which the board is shown again; for `react`, the kind
            of the party's own post before which it acts.
        until_by: for `hold`, the author of that post.
        deadlines: for `delay`, the length of the delay, in deadlines of the session.
    """

    by: str
    do: Action
    message: Kind | None = None
    field: str = ""
    change: str = ""
    people: tuple[str, ...] = ()
    all_but: bool = False
    rounds: tuple[int, ...] = ()
    row: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    until: Kind | None = None
    until_by: str = ""
    deadlines: float = 0.0

    def is_in(self, number: int) -> bool:
        """Whether the deviation takes place in this round."""
        return not self.rounds or number in self.rounds

    def means(self, person: str) -> bool:
        """Whether the deviation affects this person.

        It affects the people that it names (with `all_but`, all others); if it names none, all
        people.
        """
        return not self.people or (person in self.people) != self.all_but

    def means_place(self, place: int) -> bool:
        """Whether the deviation affects the ballot at this index in a batch."""
        return not self.places or (place in self.places) != self.all_but

    def __str__(self) -> str:
        """Return the deviation in words: its party, then its act."""
        return f"{self.by}: {' '.join(_words(self))}"


def _words(deviation: Deviation) -> Iterator[str]:
    """Yield the parts of a deviation's description: `roll.people less user-1 in round 1`."""
    name = deviation.message.name.lower() if deviation.message is not None else ""
    if deviation.do is Action.SHOW:
        yield from _board_words(deviation, name)
    elif deviation.do is Action.CHANGE:
        yield f"{name}.{deviation.field}"
        yield deviation.change
    elif deviation.do is Action.ASK:
        yield "ask the widest groups"
    else:
        yield deviation.do.value
        yield from [word for word in (name, deviation.change) if word]
    if deviation.row:
        yield f"({', '.join(map(_short, deviation.row))})"
    if deviation.do is not Action.SHOW:
        yield from _target_words(deviation)
    if deviation.until is not None:
        by = f" of {deviation.until_by}" if deviation.until_by else ""
        preposition = "until" if deviation.do is Action.HOLD else "before"
        yield f"{preposition} {deviation.until.name.lower()}{by}"
    if deviation.deadlines:
        yield f"by {deviation.deadlines:g} deadlines"
    yield _when(deviation.rounds)


def _short(value: str) -> str:
    """Return a short value as it is, or the beginning of a long value, with its length."""
    return value if len(value) <= LONGEST else f"{value[:BEGINNING]}.. of {len(value):,} characters"


def _board_words(deviation: Deviation, name: str) -> Iterator[str]:
    """Yield the description of the action `show`, in which a party is shown another board.

    Examples: `show user-1 no tally` (a post is left out), `show user-1 call.asks joined` (a field
    of a post is changed). name: the kind of the post, as text.
    """
    readers = ", ".join(deviation.people) or "all"
    yield f"show all but {readers}" if deviation.all_but else f"show {readers}"
    if deviation.field:
        yield f"{name}.{deviation.field} {deviation.change}"
    elif deviation.change:
        yield " of ".join(filter(None, (deviation.change, name)))
    else:
        yield f"no {name}"


def _target_words(deviation: Deviation) -> Iterator[str]:
    """Yield the people, or indices of messages, that a deviation affects, in words."""
    if deviation.people:
        named = ", ".join(deviation.people)
        if deviation.change == "less":
            yield f"all but {named}" if deviation.all_but else named
        else:
            yield f"of all but {named}" if deviation.all_but else f"of {named}"
    if deviation.places:
        named = ", ".join(str(place + 1) for place in deviation.places)
        yield f"at all places but {named}" if deviation.all_but else f"at place {named}"


def _when(rounds: Sequence[int]) -> str:
    """Return the rounds of a deviation in words, such as `in rounds 1 and 2`.

    rounds: numbers of the rounds; empty: `in every round`.
    """
    if not rounds:
        return "in every round"
    named = " and ".join(map(str, rounds))
    return f"in round {named}" if len(rounds) == 1 else f"in rounds {named}"


def text_of(strategy: Collection[Deviation]) -> str:
    """Return a malicious strategy in words: its deviations, separated by semicolons."""
    return "; ".join(map(str, strategy))
