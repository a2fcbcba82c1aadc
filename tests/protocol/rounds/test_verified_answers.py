"""Answers as elements of a verified mix: each has one, and what is none is counted as refused."""

from typing import Any

import protocol_kit as KIT
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.crypto.verified.values import ValueElements
from veilmix.errors import ParameterError, Reason
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.rounds.verified_answers import AnswerElements, answer_size, place_size
from veilmix.protocol.rounds.verified_round import GROUP
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Announcement, Rules
from veilmix.protocol.wire.hiding_rules import BLANK, OTHER_VALUE, Mask, Redact
from veilmix.protocol.wire.messages import Call
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema

LONG = "Llanfairpwllgwyngyllgogerychwyrndrobwll"
FEATURES = (
    Feature("grown", ("yes", "no")),
    Feature("town", None, 12),
    Feature("village", (LONG, "Ely")),
    Feature("class", ("1st", "2nd", "3rd")),
)


def plan(asks: tuple[tuple[int, ...], ...], *hidden: Any, features: Any = FEATURES) -> Round:
    told = Announcement(
        *("t", bytes(16), Schema(features), AnnouncedPolicy(2, 0.5), Rules(verified=True)),
        tuple(KIT.pair(f"shuffler-{hop}").public for hop in (1, 2)),
        KIT.pair("curator").public,
        KIT.pair("analyst").public,
        registry=bytes(32),
    )
    return open_round(told, told.digest(), Call(2, Role.CURATOR, asks, hidden))


VALUES = {0: ("yes", "no"), 1: ("Ur", "Zürich", "x" * 12), 2: (LONG, "Ely"), 3: ("1st", "3rd")}


@settings(max_examples=40, deadline=None)
@given(st.sets(st.sampled_from(range(4)), min_size=1), st.data())
def test_every_answer_is_read_as_it_was_said(columns: set[int], data: Any) -> None:
    asked = tuple(sorted(columns))
    said = tuple(data.draw(st.sampled_from(VALUES[column])) for column in asked)
    elements = AnswerElements(plan((asked,)))
    element = elements.encode(0, said)
    reading = elements.count([[element, element]])
    assert reading.counts == [{said: 2}]
    assert not reading.refused


def test_no_two_answers_have_one_element() -> None:
    elements = AnswerElements(plan(((0, 2, 3),)))
    pairs = [(g, v, c) for g in VALUES[0] for v in VALUES[2] for c in ("1st", "2nd", "3rd")]
    assert len({elements.encode(0, pair) for pair in pairs}) == len(pairs) == 12


def test_hidden_values_have_elements_of_their_own() -> None:
    rules = Redact(0, ("no",), 0), Redact(2, ("Ely",), 0)
    elements = AnswerElements(plan(((0,), (0, 2)), *rules))
    for ask, said in ((0, (BLANK,)), (1, (BLANK, LONG)), (1, ("yes", BLANK))):
        other: list[list[bytes]] = [[], []]
        other[ask] = [elements.encode(ask, said)]
        assert elements.count(other).counts[ask] == {said: 1}


VALUE = ValueElements(GROUP)
MALFORMED = {
    "a place beyond the last": ((0, 3), b"\6"),
    "nothing": ((0, 3), b""),
    "a byte too many": ((0, 3), b"\0\0"),
    "a place and no value": ((0, 1), b"\0"),
    "a value shorter than it says": ((0, 1), b"\0\3Ur"),
    "a value and a byte": ((0, 1), b"\0\2Ur!"),
    "no text": ((0, 1), b"\0\1\xff"),
    "no text alone": ((1,), b"\xff"),
}
OUTSIDE = {
    "a value of no domain": ((0,), b"maybe"),
    "an empty value": ((1,), b""),
    "a value too wide": ((1,), b"x" * 13),
    "spaces around": ((1,), b" Ur"),
    "a value too wide beside another": ((0, 1), b"\0\x0d" + b"x" * 13),
    "a value too wide before another": ((1, 3), b"\0\x0d" + b"x" * 13),
}


@pytest.mark.parametrize("name", [*MALFORMED, *OUTSIDE])
def test_what_is_no_answer_is_refused(name: str) -> None:
    columns, said = (MALFORMED | OUTSIDE)[name]
    reading = AnswerElements(plan((columns,))).count([[VALUE.encode(said)]])
    reason = Reason.MALFORMED if name in MALFORMED else Reason.OUTSIDE_DOMAIN
    assert reading.refused == {reason: 1}
    assert reading.totals == (0,)


def test_what_a_mask_hides_is_outside() -> None:
    elements = AnswerElements(plan(((3,),), Mask(3, ("1st",))))
    assert elements.count([[elements.encode(0, (OTHER_VALUE,))]]).counts == [{(OTHER_VALUE,): 1}]
    assert elements.count([[elements.encode(0, ("2nd",))]]).refused == {Reason.OUTSIDE_DOMAIN: 1}


def test_what_is_no_value_of_an_element_is_malformed() -> None:
    stranger = GROUP.hash_to_element(bytes(64))
    reading = AnswerElements(plan(((0,),))).count([[stranger]])
    assert reading.refused == {Reason.MALFORMED: 1}


@pytest.mark.parametrize(
    ("columns", "features", "size"),
    [
        ((0,), (Feature("a", None, 30),), 30),
        ((0, 1), (Feature("a", None, 14), Feature("b", None, 14)), 30),
        ((0, 1), (Feature("a", ("x", "y")), Feature("b", None, 28)), 30),
    ],
)
def test_answers_that_may_be_too_long_are_refused(columns: Any, features: Any, size: int) -> None:
    with pytest.raises(ParameterError, match=f"up to {size} bytes; at most 29 are accepted"):
        AnswerElements(plan((columns,), features=features))


def test_an_answer_is_as_long_as_its_places() -> None:
    assert [place_size(many) for many in (1, 2, 256, 257, 65_536, 65_537)] == [0, 1, 1, 2, 2, 3]
    assert answer_size((2, 3, None), (9, 9, 4)) == 6
    assert answer_size((None,), (7,)) == 7
    assert answer_size((2,), (99,)) == 29
