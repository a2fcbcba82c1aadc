"""Tokens are what RFC 9497 gives, and nobody is given one of another key without noticing."""

from collections.abc import Callable, Sequence
from hashlib import sha512

import pytest
from veilmix.crypto import tokens
from veilmix.crypto.entropy import SeededEntropy, SystemEntropy
from veilmix.crypto.ristretto import IDENTITY, SCALAR, base_times, difference, plus, times
from veilmix.crypto.voprf import OprfKey
from veilmix.errors import ParameterError, Reason, Refused

KEY, OTHER = OprfKey(SeededEntropy(1)), OprfKey(SeededEntropy(2))
INPUTS = [b"one", b"two", b"three"]
MINUS_ONE = difference(bytes(SCALAR), (1).to_bytes(SCALAR, "little"))
Answer = tuple[tuple[bytes, ...], bytes]


def answered(key: OprfKey = KEY) -> tuple[tokens.BlindedInputs, Answer]:
    asked = tokens.ask(INPUTS, SystemEntropy())
    return asked, tokens.grant(key, asked.elements)


@pytest.mark.parametrize("many", [1, 2, 3])
def test_tokens_are_the_outputs_of_the_function_cut(many: int) -> None:
    asked = tokens.ask(INPUTS[:many], SystemEntropy())
    outputs = tokens.tokens(asked, *tokens.grant(KEY, asked.elements), KEY.public)
    assert outputs == [KEY.output(data)[: tokens.TOKEN] for data in INPUTS[:many]]
    for data, token in zip(INPUTS, outputs, strict=False):
        assert tokens.accepts(KEY, data, token)
        assert not tokens.accepts(OTHER, data, token)
        assert not tokens.accepts(KEY, data + b"!", token)


def test_what_is_sent_is_new_each_time_and_says_nothing_of_the_inputs() -> None:
    request, other = (tokens.ask([b"one", b"one"], SystemEntropy()) for _ in range(2))
    assert len({*request.elements, *other.elements}) == 6
    assert "one" not in repr(request)


def shifted(element: bytes, by: bytes) -> bytes:
    return plus(element, by)


def for_one(place: int) -> Callable[[tokens.BlindedInputs], Answer]:
    """Another key for one of the inputs alone."""

    def answer(asked: tokens.BlindedInputs) -> Answer:
        (mine, check), (theirs, _) = (tokens.grant(k, asked.elements) for k in (KEY, OTHER))
        return (*mine[:place], theirs[place], *mine[place + 1 :]), check

    return answer


def cancelling(asked: tokens.BlindedInputs) -> Answer:
    """Two deviations that add up to nothing."""
    mine, check = tokens.grant(KEY, asked.elements)
    extra = base_times(b"\x05" + bytes(31))
    return (plus(mine[0], extra), plus(mine[1], times(MINUS_ONE, extra)), mine[2]), check


def guessing(asked: tokens.BlindedInputs) -> Answer:
    """A deviation, and a check that would fit if the first input were not blinded at all."""
    mine, _ = tokens.grant(KEY, asked.elements)
    extra = base_times(b"\x05" + bytes(31))
    shown = plus(KEY.times(asked.elements[-1]), extra)
    label = b"veilmix token check 1\0"
    check = sha512(label + asked.elements[-1] + shown).digest()[: tokens.CHECK]
    return (plus(mine[0], extra), *mine[1:]), check


def exchanged(asked: tokens.BlindedInputs) -> Answer:
    mine, check = tokens.grant(KEY, asked.elements)
    return (mine[1], mine[0], mine[2]), check


def wholly(asked: tokens.BlindedInputs) -> Answer:
    """Another key for everything of this person."""
    return tokens.grant(OTHER, asked.elements)


@pytest.mark.parametrize(
    "answer", [for_one(0), for_one(2), cancelling, guessing, exchanged, wholly]
)
def test_whoever_is_given_tokens_of_another_key_refuses_all(
    answer: Callable[[tokens.BlindedInputs], Answer],
) -> None:
    asked = tokens.ask(INPUTS, SystemEntropy())
    with pytest.raises(Refused) as caught:
        tokens.tokens(asked, *answer(asked), KEY.public)
    assert caught.value.reason is Reason.DOES_NOT_OPEN


def test_the_element_for_the_check_is_not_answered_as_a_token() -> None:
    """Else whoever asks for n tokens would have n + 1: the answer to it is a hash."""
    asked = tokens.ask(INPUTS, SystemEntropy())
    evaluated, check = tokens.grant(KEY, asked.elements)
    assert len(evaluated) == len(INPUTS)
    assert check != KEY.times(asked.elements[-1])


BAD: dict[str, Sequence[bytes]] = {
    "none": [],
    "one alone": [KEY.public],
    "identity": [KEY.public, IDENTITY],
    "no element": [KEY.public, b"\xff" * 32],
    "short": [KEY.public, b"\x00" * 31],
    "too many": [KEY.public] * (tokens.MOST_ASKED + 2),
}


@pytest.mark.parametrize("name", BAD)
def test_a_request_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(Refused) as caught:
        tokens.grant(KEY, BAD[name])
    assert caught.value.reason is Reason.MALFORMED


@pytest.mark.parametrize("change", ["fewer", "more", "identity", "no element"])
def test_an_answer_that_is_none_is_refused(change: str) -> None:
    asked, (evaluated, check) = answered()
    changed = {
        "fewer": evaluated[:-1],
        "more": (*evaluated, KEY.public),
        "identity": (IDENTITY, *evaluated[1:]),
        "no element": (b"\xff" * 32, *evaluated[1:]),
    }[change]
    with pytest.raises(Refused) as caught:
        tokens.tokens(asked, changed, check, KEY.public)
    assert caught.value.reason is Reason.MALFORMED


@pytest.mark.parametrize("many", [0, tokens.MOST_ASKED + 1])
def test_nobody_asks_for_none_or_too_many(many: int) -> None:
    with pytest.raises(ParameterError):
        tokens.ask([b"x"] * many, SystemEntropy())
