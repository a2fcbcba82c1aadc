"""Tokens are outputs of one key, and nobody is given one of another key without noticing."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha512

import pytest
from veilmix.crypto import montgomery, tokens
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.montgomery import base_multiples, multiples, multiplier
from veilmix.crypto.ristretto import ORDER, times
from veilmix.crypto.tokens import BlindedInputs, Granted, TokenKey
from veilmix.crypto.voprf import hashed
from veilmix.errors import ParameterError, Reason, Refused

KEY, OTHER = TokenKey(SeededEntropy(1)), TokenKey(SeededEntropy(2))
INPUTS = [b"one", b"two", b"three"]
P = 2**255 - 19
MANY = 12  # people of 3 inputs: more than the engine asks for
Answer = Callable[[BlindedInputs], Granted]


def ask(many: int = 1, inputs: Sequence[bytes] = INPUTS) -> list[BlindedInputs]:
    return tokens.ask([inputs] * many, [OSEntropy()] * many)


def honest(asked: BlindedInputs, key: TokenKey = KEY) -> Granted:
    (given,) = tokens.grant(key, [asked.elements])
    assert isinstance(given, Granted)
    return given


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("people", [1, MANY])
@pytest.mark.parametrize("many", [1, 2, 3])
def test_tokens_are_outputs_of_the_one_key(many: int, people: int) -> None:
    asked = ask(people, INPUTS[:many])
    given = tokens.grant(KEY, [each.elements for each in asked])
    assert all(isinstance(each, Granted) for each in given)
    for outputs in tokens.tokens(asked, given, KEY.public):  # type: ignore[arg-type]
        assert not isinstance(outputs, Reason)
        assert [len(token) for token in outputs] == [tokens.TOKEN] * many
        assert tokens.accepts(KEY, INPUTS[:many], outputs) == [True] * many
        assert tokens.accepts(OTHER, INPUTS[:many], outputs) == [False] * many
        assert tokens.accepts(KEY, INPUTS[1 : many + 1], outputs[:2]) == [False] * min(many, 2)


def test_they_are_the_same_together_and_alone(engine: str) -> None:
    """Whatever multiplies: what is seeded has the same bytes."""
    sources = [SeededEntropy(at) for at in range(MANY)]
    together = tokens.ask([INPUTS] * MANY, sources)
    alone = [tokens.ask([INPUTS], [SeededEntropy(at)])[0] for at in range(MANY)]
    assert together == alone, engine
    given = tokens.grant(KEY, [asked.elements for asked in together])
    assert given == [honest(asked) for asked in alone]


def test_an_output_is_written_as_the_documents_say() -> None:
    """By ristretto255's own multiplication, and the label; up to the sign of a point."""
    (asked,) = ask()
    (outputs,) = tokens.tokens([asked], [honest(asked)], KEY.public)
    by = (KEY._number % ORDER).to_bytes(32, "little")
    eight = (8).to_bytes(32, "little")
    for data, token in zip(INPUTS, outputs, strict=True):
        (own,) = KEY.times(montgomery.element_points([hashed(data)]))
        label = b"veilmix token output 1\0" + len(data).to_bytes(2, "big")
        assert token == sha512(label + data + own).digest()[:16]
        element = montgomery.element_points([times(by, hashed(data))])  # plus a point of order 4
        assert multiples([eight], [own]) == multiples([eight], element)


def test_what_is_sent_is_new_each_time_and_says_nothing_of_the_inputs() -> None:
    request, other = ask(2, [b"one", b"one"])
    assert len({*request.elements, *other.elements}) == 4
    assert "one" not in repr(request)


def for_one(place: int) -> Answer:
    """Another key for one of the inputs alone, and the honest proof."""

    def answer(asked: BlindedInputs) -> Granted:
        mine, theirs = (honest(asked, key) for key in (KEY, OTHER))
        elements = list(mine.elements)
        elements[place] = theirs.elements[place]
        return replace(mine, elements=tuple(elements))

    return answer


def cheating(asked: BlindedInputs, place: int, base: TokenKey, fits: bool) -> Granted:
    """Another key for one input, and a proof that is right of all else.

    fits: the commitment of that input is the other key's, so that it fails nowhere but between the
    inputs; else it is the key's own.
    """
    elements = list(honest(asked, base).elements)
    elements[place] = honest(asked, OTHER).elements[place]
    nonce = 5 + 2**200
    commitments = [
        *base_multiples([multiplier(nonce)]),
        *multiples([multiplier(nonce)] * len(elements), asked.elements),
    ]
    challenge = tokens._challenge(KEY.public, asked.elements, elements, commitments)
    used = OTHER if fits else base
    return Granted(tuple(elements), tuple(commitments), used.response(nonce, challenge))


def proved_for_one(asked: BlindedInputs) -> Granted:
    return cheating(asked, 1, KEY, fits=False)


def proved_of_the_other(asked: BlindedInputs) -> Granted:
    return cheating(asked, 1, KEY, fits=True)


def wholly(asked: BlindedInputs) -> Granted:
    """Another key for everything of this person, with that key's own proof."""
    return honest(asked, OTHER)


def wholly_here(asked: BlindedInputs) -> Granted:
    """The same, and the challenge is taken of the key that all see."""
    return cheating(asked, 0, OTHER, fits=True)


def exchanged(asked: BlindedInputs) -> Granted:
    given = honest(asked)
    return replace(given, elements=(given.elements[1], given.elements[0], given.elements[2]))


def another_commitment(place: int) -> Answer:
    def answer(asked: BlindedInputs) -> Granted:
        given = honest(asked)
        others = list(given.commitments)
        others[place] = KEY.public
        return replace(given, commitments=tuple(others))

    return answer


def another_response(asked: BlindedInputs) -> Granted:
    given = honest(asked)
    response = (int.from_bytes(given.response, "little") + 1) % ORDER
    return replace(given, response=response.to_bytes(32, "little"))


FALSE: dict[str, Answer] = {
    "one-of-another-key": for_one(0),
    "the-last-of-another-key": for_one(2),
    "proved-for-the-others": proved_for_one,
    "proved-for-that-one": proved_of_the_other,
    "all-of-another-key": wholly,
    "all-of-another-key-here": wholly_here,
    "exchanged": exchanged,
    "another-commitment-of-the-key": another_commitment(0),
    "another-commitment": another_commitment(2),
    "another-response": another_response,
}


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("name", FALSE)
@pytest.mark.parametrize("people", [1, MANY])
def test_whoever_is_given_tokens_of_another_key_refuses_all(name: str, people: int) -> None:
    """And whoever else was given some together with it does not."""
    asked = ask(people)
    answers = [FALSE[name](asked[0]), *map(honest, asked[1:])]
    first, *others = tokens.tokens(asked, answers, KEY.public)
    assert first is Reason.DOES_NOT_OPEN
    assert all(len(given) == 3 and not isinstance(given, Reason) for given in others)


@pytest.mark.usefixtures("engine")
def test_a_proof_that_was_made_backwards_proves_nothing() -> None:
    """Commitments chosen after the challenge: it hangs on them."""
    (asked,) = ask()
    (first,) = base_multiples([multiplier(3)])
    response, elements = (5).to_bytes(32, "little"), honest(asked, OTHER).elements
    by, challenge = multiplier(5), tokens._challenge(KEY.public, asked.elements, elements, ())
    given = Granted(elements, (first, *elements), response)
    assert tokens.tokens([asked], [given], KEY.public) == [Reason.DOES_NOT_OPEN]
    pairs = [
        (base_multiples([by])[0], multiples([multiplier(challenge)], [KEY.public])[0]),
        *zip(
            multiples([by] * 3, asked.elements),
            multiples([multiplier(challenge)] * 3, elements),
            strict=True,
        ),
    ]
    backwards = Granted(elements, tuple(root(*pair) for pair in pairs), response)
    assert tokens.tokens([asked], [backwards], KEY.public) == [Reason.DOES_NOT_OPEN]


def root(one: bytes, other: bytes) -> bytes:
    """The sum or the difference of two points, by the square root that `meets` saves."""
    a, b = (int.from_bytes(each, "little") for each in (one, other))
    middle = (a * b + 1) * (a + b) + 2 * 486662 * a * b
    square = (middle**2 - ((a - b) * (a * b - 1)) ** 2) % P
    found = pow(square, (P + 3) // 8, P)
    if found**2 % P != square:
        found = found * pow(2, (P - 1) // 4, P) % P
    u = (middle + found) * pow((a - b) ** 2, -1, P) % P
    third = u.to_bytes(32, "little")
    assert montgomery.meets(one, other, third)
    return third


def test_a_key_of_the_twist_proves_nothing() -> None:
    """Points whose v is no number of the field: nothing that adds up with a multiple of G."""
    (asked,) = ask()
    twisted = next(
        u.to_bytes(32, "little")
        for u in range(2, 99)
        if pow(u**3 + 486662 * u**2 + u, (2**255 - 20) // 2, 2**255 - 19) != 1
    )
    assert tokens.tokens([asked], [honest(asked)], twisted) == [Reason.DOES_NOT_OPEN]


NO_POINT = {
    "of-no-order": bytes(32),
    "of-low-order": b"\1" + bytes(31),
    "spelt-twice": (P + 9).to_bytes(32, "little"),
    "spelt-with-a-top-bit": (2**255 + 9).to_bytes(32, "little"),
    "short": bytes(31),
}
BAD: dict[str, Sequence[bytes]] = {
    "none": [],
    "too-many": [KEY.public] * (tokens.MOST_ASKED + 1),
    **{name: [KEY.public, point] for name, point in NO_POINT.items()},
}


@pytest.mark.parametrize("name", BAD)
def test_a_request_that_is_none_is_refused(name: str) -> None:
    """And nobody else's."""
    (asked,) = ask()
    refused, given = tokens.grant(KEY, [BAD[name], asked.elements])
    assert refused is Reason.MALFORMED
    assert given == honest(asked)


CHANGES: dict[str, Callable[[Granted], Granted]] = {
    "fewer": lambda given: replace(given, elements=given.elements[:-1]),
    "more": lambda given: replace(given, elements=(*given.elements, KEY.public)),
    "fewer-commitments": lambda given: replace(given, commitments=given.commitments[:-1]),
    "more-commitments": lambda given: replace(given, commitments=(*given.commitments, KEY.public)),
    "no-response": lambda given: replace(given, response=bytes(32)),
    "another-spelling": lambda given: replace(
        given,
        response=(int.from_bytes(given.response, "little") + ORDER).to_bytes(32, "little"),
    ),
    **{
        f"element-{name}": lambda given, point=point: replace(
            given, elements=(point, *given.elements[1:])
        )
        for name, point in NO_POINT.items()
    },
    **{
        f"commitment-{name}": lambda given, point=point: replace(
            given, commitments=(point, *given.commitments[1:])
        )
        for name, point in NO_POINT.items()
    },
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_answer_that_is_none_is_refused(change: str) -> None:
    asked = ask(2)
    answers = [CHANGES[change](honest(asked[0])), honest(asked[1])]
    refused, given = tokens.tokens(asked, answers, KEY.public)
    assert refused is Reason.MALFORMED
    assert tokens.accepts(KEY, INPUTS, given) == [True] * 3


@pytest.mark.parametrize("many", [0, tokens.MOST_ASKED + 1])
def test_nobody_asks_for_none_or_too_many(many: int) -> None:
    with pytest.raises(ParameterError):
        ask(1, [b"x"] * many)


def test_a_key_shows_no_secret_and_is_not_copied() -> None:
    assert repr(KEY) == "TokenKey(secret hidden)"
    with pytest.raises(TypeError):
        KEY.__reduce_ex__(2)


@pytest.mark.parametrize("number", [0, ORDER, 8 * 2**252 % ORDER])  # the last: one too many
def test_nothing_multiplies_by_nought(number: int) -> None:
    with pytest.raises(Refused):
        multiplier(number)
