"""What follows from an earlier release may be released again, and nothing else."""

from typing import Any

import pytest
from veilmix.protocol.history.release_safety import Release, implies, unsafe
from veilmix.protocol.wire.hiding_rules import Mask, Redact

WHO, FEW, OTHERS = frozenset("abcdef"), frozenset("abc"), frozenset("xyz")


def release(names: str, people: frozenset[str] = WHO, **more: Any) -> Release:
    return Release(people, frozenset(names), **more)


BLANK = {"p": Redact(0, ("rare",), 0)}
BLANKER = {"p": Redact(0, ("rare", "scarce"), 0)}
COVERED = {"p": Redact(0, ("rare",), 9)}
MASKED = {"p": Mask(0, ("more", "much"))}
NARROW = {"p": Mask(0, ("much",))}
# before -> now, whether it follows
FOLLOWS: dict[str, tuple[Release, Release, bool]] = {
    "the same": (release("pq"), release("pq"), True),
    "fewer columns": (release("pq"), release("p"), True),
    "another column": (release("pq"), release("pr"), False),
    "blanks of what was named": (release("pq"), release("pq", hidden=COVERED), True),
    "a name for a blank": (release("pq", hidden=BLANK), release("pq"), False),
    "a blank elsewhere": (release("pq", hidden=BLANK), release("q"), True),
    "more blanks": (release("p", hidden=BLANK), release("p", hidden=BLANKER), True),
    "fewer blanks": (release("p", hidden=BLANKER), release("p", hidden=BLANK), False),
    "a cover over blanks": (release("p", hidden=BLANK), release("p", hidden=COVERED), True),
    "blanks without the cover": (release("p", hidden=COVERED), release("p", hidden=BLANK), False),
    "another draw": (
        release("p", hidden=COVERED, coins="1"),
        release("p", hidden=COVERED, coins="2"),
        False,
    ),
    "a draw nobody can make": (release("p", hidden=COVERED), release("p", hidden=COVERED), False),
    "the same draw": (
        release("p", hidden=COVERED, coins="1"),
        release("p", hidden=COVERED, coins="1"),
        True,
    ),
    "the same draw of others": (
        release("p", hidden=COVERED, coins="1"),
        release("p", FEW, hidden=COVERED, coins="1"),
        False,
    ),
    "the same draw for more blanks": (
        release("p", hidden=COVERED, coins="1"),
        release("p", hidden={"p": Redact(0, ("rare", "scarce"), 9)}, coins="1"),
        False,
    ),
    "a narrower mask": (release("p", hidden=MASKED), release("p", hidden=NARROW), True),
    "a wider mask": (release("p", hidden=NARROW), release("p", hidden=MASKED), False),
    "no mask": (release("p", hidden=MASKED), release("p"), False),
    "a blank for a mask": (release("p", hidden=MASKED), release("p", hidden=BLANK), False),
}


@pytest.mark.parametrize("name", FOLLOWS)
def test_what_follows_from_what(name: str) -> None:
    before, now, follows = FOLLOWS[name]
    assert implies(before, now) == follows


CURATOR: dict[str, Any] = {"public": False}
# sessions before -> now, what it is refused for (None: it is not)
SEQUENCES: dict[str, tuple[list[list[Release]], Release, str | None]] = {
    "the first": ([], release("pq"), None),
    "other columns": ([[release("p")]], release("q"), "1 columns more"),
    "other columns of others": ([[release("p", OTHERS)]], release("q"), None),
    "other columns of some": ([[release("p")]], release("q", FEW), "1 columns more"),
    "a part of some": ([[release("pq")]], release("q", FEW), None),
    "told by one session only": (
        [[release("pq")], [release("p", FEW)]],
        release("pq", frozenset("ab")),
        "1 columns more",
    ),
    "told by these very people": ([[release("p", FEW)], [release("pq")]], release("pq"), None),
    "a part told again hinders nothing": (
        [[release("pq")], [release("p")]],
        release("q", FEW),
        None,
    ),
    "single columns of a curator": ([[release("p", **CURATOR)]], release("q"), None),
    "a curator's pair, then another": (
        [[release("pq", **CURATOR)]],
        release("qr", **CURATOR),
        "to the curator",
    ),
    "a curator's pair, then a release": (
        [[release("pq", **CURATOR)]],
        release("qr"),
        "to the curator",
    ),
    "a pair released that the curator has": ([[release("pq", **CURATOR)]], release("pq"), None),
    "pairs known to the curator, one to the public": (
        [[release("pq", **CURATOR), release("qr", **CURATOR), release("pq")]],
        release("qr"),
        "to the public",
    ),
    "a name for a blank": ([[release("pq", hidden=COVERED)]], release("pq"), "column p: says"),
    "another cover": (
        [[release("p", hidden=COVERED)]],
        release("p", hidden=COVERED),
        "column p: left blank with other coins",
    ),
    "covers of what was named": (
        [[release("p")], [release("p", hidden=COVERED)]],
        release("p", hidden=COVERED),
        None,
    ),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_which_release_may_follow(name: str) -> None:
    before, now, why = SEQUENCES[name]
    reason = unsafe(before, now)
    assert (reason is None) == (why is None)
    assert why is None or why in (reason or "")
