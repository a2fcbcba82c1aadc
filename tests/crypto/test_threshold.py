"""A group opens for k right shares, whatever junk lies among them, and for no fewer."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.ristretto import ELEMENT, ORDER
from veilmix.crypto.threshold import (
    SEED,
    TAG,
    OpenedMessages,
    Sealer,
    Shape,
    TextLevel,
    open_groups,
)
from veilmix.crypto.verifiable_sharing import SHARE, SharePoint, commitments, polynomial, share_at
from veilmix.errors import ParameterError, Reason

NESTED, WHOLE = Shape(3, (1, 1, 1)), Shape(3, (3,))


def levels(shape: Shape, row: bytes) -> list[TextLevel]:
    """What a person seals, with a hash in the place of the oblivious function."""
    ends = list(accumulate(shape.widths))
    return [
        TextLevel(sha256(row[:end]).digest(), row[end - width : end])
        for end, width in zip(ends, shape.widths, strict=True)
    ]


def sealed(shape: Shape, rows: Sequence[bytes], seed: int = 0) -> list[bytes]:
    entropy, sealer = SeededEntropy(seed), Sealer(shape)
    return [sealer.seal(levels(shape, row), entropy.fork(str(i))) for i, row in enumerate(rows)]


def texts(opened: OpenedMessages) -> list[bytes]:
    return [b"".join(parts) for parts in opened.texts]


def longest(shape: Shape, rows: Sequence[bytes]) -> list[bytes]:
    """What should open of each row, by counting."""
    ends = [0, *accumulate(shape.widths)]
    return [
        max(
            (row[:end] for end in ends if sum(o[:end] == row[:end] for o in rows) >= shape.needed),
            key=len,
            default=b"",
        )
        for row in rows
    ]


ROWS = st.lists(
    st.binary(min_size=3, max_size=3).map(lambda b: bytes(c % 2 for c in b)), max_size=12
)


@settings(max_examples=25, deadline=None)
@given(ROWS, st.sampled_from([NESTED, WHOLE]))
def test_what_k_people_share_opens_and_nothing_else(rows: list[bytes], shape: Shape) -> None:
    opened = open_groups(shape, sealed(shape, rows))
    assert texts(opened) == longest(shape, rows)
    assert not opened.refused
    inside = sum(count for around, count in opened.closed if len(around) < len(shape.widths))
    assert inside == sum(len(text) < 3 for text in texts(opened))


def test_messages_are_of_one_size_and_nobodys_are_alike() -> None:
    for shape in (NESTED, WHOLE):
        envelopes = sealed(shape, [b"abc", b"abc", b"xyz"])
        assert {len(envelope) for envelope in envelopes} == {shape.size()}
        assert len(set(envelopes)) == 3
        body = shape.body(0)
        assert envelopes[0][:body] == envelopes[1][:body] != envelopes[2][:body]
    assert WHOLE.size() == 3 * ELEMENT + 3 + SEED + TAG + SHARE


def test_an_inner_group_is_not_seen_before_the_outer_opens() -> None:
    two = sealed(NESTED, [b"abc", b"abc"])
    end = NESTED.body(0) + SHARE
    assert two[0][end:] != two[1][end:]
    assert open_groups(NESTED, two).closed == [((), 2)]


def test_less_than_k_messages_hold_no_text_that_opens() -> None:
    opened = open_groups(WHOLE, sealed(WHOLE, [b"abc"] * 2 + [b"abd"] * 2))
    assert texts(opened) == [b""] * 4
    assert sorted(opened.closed) == [((), 2), ((), 2)]


def share_of(row: bytes, shape: Shape, x: int) -> SharePoint:
    return share_at(polynomial(levels(shape, row)[0].seed, shape.needed), x)


def junk(message: bytes, shape: Shape, share: SharePoint) -> bytes:
    """The same message with another share at its first level."""
    end = shape.body(0)
    return message[:end] + share.encode() + message[end + SHARE :]


@pytest.mark.parametrize("shape", [NESTED, WHOLE])
@pytest.mark.parametrize("many", [1, 2, 7])
def test_junk_among_k_right_shares_keeps_nothing_closed(shape: Shape, many: int) -> None:
    right = sealed(shape, [b"abc"] * 3)
    bad = [junk(right[0], shape, SharePoint(1000 + i, i)) for i in range(many)]
    for messages in (bad + right, right + bad, [*bad[:1], *right, *bad[1:]]):
        opened = open_groups(shape, messages)
        assert sorted(texts(opened)) == [b""] * many + [b"abc"] * 3
        assert sorted(opened.refused.values()) == [(0, Reason.DOES_NOT_OPEN)] * many


def test_junk_at_the_place_of_a_right_share_keeps_nothing_closed() -> None:
    right = sealed(WHOLE, [b"abc"] * 3)
    x = int.from_bytes(right[0][WHOLE.body(0) :][:32], "little")
    bad = junk(right[1], WHOLE, SharePoint(x, 5))
    for messages in ([bad, *right], [*right, bad]):
        opened = open_groups(WHOLE, messages)
        assert sorted(texts(opened)) == [b"", b"abc", b"abc", b"abc"]
        assert len(opened.refused) == 1


def test_junk_does_not_stand_in_for_a_share() -> None:
    right = sealed(WHOLE, [b"abc"] * 2)
    opened = open_groups(
        WHOLE, [*right, *(junk(right[0], WHOLE, SharePoint(i, i)) for i in (1, 2))]
    )
    assert texts(opened) == [b""] * 4
    assert opened.closed == [((), 2)]


def test_a_share_that_comes_twice_counts_once() -> None:
    right = sealed(WHOLE, [b"abc"] * 2)
    opened = open_groups(WHOLE, [*right, right[0]])
    assert texts(opened) == [b""] * 3
    assert opened.refused == {2: (0, Reason.DUPLICATE)}


@pytest.mark.parametrize("many", [1, 2])
def test_people_who_know_the_polynomial_open_nothing_with_shares_of_another(many: int) -> None:
    """Three who share the seed send points of another polynomial with the same secret."""
    secret = polynomial(levels(WHOLE, b"abc")[0].seed, 3)[0]
    right = sealed(WHOLE, [b"abc"] * many)
    other = [junk(right[0], WHOLE, share_at([secret, 1, 1], x)) for x in (1, 2, 3)]
    opened = open_groups(WHOLE, [*other, *right])
    assert texts(opened) == [b""] * (3 + many)
    assert sorted(opened.refused) == [0, 1, 2]
    assert opened.closed == [((), many)]


def test_a_body_that_was_not_made_from_its_text_is_refused() -> None:
    """Three people agree on a polynomial of their own, or seal another text than the seed's."""
    forged = []
    for x in (1, 2, 3):
        row = sealed(WHOLE, [b"abc"])[0]
        spoiled = row[: 3 * ELEMENT] + bytes(3 + SEED + TAG) + row[WHOLE.body(0) :]
        forged.append(junk(spoiled, WHOLE, share_of(b"abc", WHOLE, x)))
    opened = open_groups(WHOLE, forged)
    assert texts(opened) == [b""] * 3
    assert set(opened.refused.values()) == {(0, Reason.DOES_NOT_OPEN)}


def test_commitments_to_another_polynomial_are_refused() -> None:
    """Three who share a seed commit to another polynomial with the same secret."""
    coefficients = polynomial(levels(WHOLE, b"abc")[0].seed, 3)
    other = commitments([coefficients[0], 5, 7])
    forged = [
        other + envelope[3 * ELEMENT : WHOLE.body(0)] + envelope[WHOLE.body(0) :]
        for envelope in sealed(WHOLE, [b"abc"] * 3)
    ]
    shares = [share_at(coefficients, x) for x in (1, 2, 3)]
    opened = open_groups(
        WHOLE,
        [junk(envelope, WHOLE, share) for envelope, share in zip(forged, shares, strict=True)],
    )
    assert texts(opened) == [b""] * 3
    assert set(opened.refused.values()) == {(0, Reason.DOES_NOT_OPEN)}


@pytest.mark.parametrize("part", [1, 2, 3])
def test_every_commitment_is_looked_at(part: int) -> None:
    """Four commit to a polynomial that differs in one place, at the beginning or the end."""
    shape = Shape(4, (1,))
    coefficients = polynomial(levels(shape, b"a")[0].seed, 4)
    other = [5 if at == part else scalar for at, scalar in enumerate(coefficients)]
    forged = [
        commitments(other) + envelope[4 * ELEMENT :] for envelope in sealed(shape, [b"a"] * 4)
    ]
    opened = open_groups(
        shape,
        [junk(m, shape, share_at(coefficients, x)) for x, m in enumerate(forged, start=1)],
    )
    assert texts(opened) == [b""] * 4
    assert set(opened.refused.values()) == {(0, Reason.DOES_NOT_OPEN)}


def test_who_seals_junk_inside_is_lost_from_there_on_alone() -> None:
    messages = sealed(NESTED, [b"abc"] * 4)
    messages[1] = messages[1][:-1] + bytes((messages[1][-1] ^ 1,))
    opened = open_groups(NESTED, messages)
    assert texts(opened) == [b"abc", b"a", b"abc", b"abc"]
    assert opened.refused == {1: (1, Reason.DOES_NOT_OPEN)}


@pytest.mark.parametrize("change", [lambda m: m[:-1], lambda m: m + b"\0", lambda _: b""])
def test_another_size_is_refused(change: object) -> None:
    messages = sealed(NESTED, [b"abc"] * 4)
    messages[2] = change(messages[2])  # type: ignore[operator]
    opened = open_groups(NESTED, messages)
    assert opened.refused == {2: (0, Reason.MALFORMED)}
    assert texts(opened) == [b"abc", b"abc", b"", b"abc"]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_one_changed_message_costs_its_sender_alone(data: st.DataObject) -> None:
    """However one message of five is changed, the other four open."""
    messages = sealed(NESTED, [b"abc"] * 5)
    at = data.draw(st.integers(0, len(messages[0]) - 1))
    byte = data.draw(st.integers(1, 255))
    spoiled = bytearray(messages[0])
    spoiled[at] ^= byte
    opened = open_groups(NESTED, [bytes(spoiled), *messages[1:]])
    assert texts(opened)[1:] == [b"abc"] * 4
    assert texts(opened)[0] in (b"", b"a", b"ab", b"abc")


def test_texts_of_other_widths_and_shapes_of_none_are_refused() -> None:
    with pytest.raises(ParameterError, match="levels"):
        Sealer(NESTED).seal(levels(WHOLE, b"abc"), SeededEntropy(1))
    with pytest.raises(ParameterError, match="widths"):
        Shape(3, ())
    with pytest.raises(ParameterError, match="needed"):
        Shape(0, (1,))
    with pytest.raises(ParameterError, match="seed"):
        Sealer(WHOLE).seal([TextLevel(b"short", b"abc")], SeededEntropy(1))


def test_seeds_and_texts_do_not_show() -> None:
    level = levels(WHOLE, b"abc")[0]
    assert "abc" not in repr(level)
    assert level.seed.hex() not in repr(level)
    assert ORDER > 2**252
