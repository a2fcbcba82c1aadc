"""The group refuses what is no element or scalar, and its functions follow the laws of a group."""

from collections.abc import Callable

import pytest
import verified_kit as kit
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.crypto.ristretto import ORDER
from veilmix.crypto.verified.generators import Generators, generators
from veilmix.crypto.verified.group import draw_scalars
from veilmix.errors import Refused

GROUP = kit.GROUP
IDENTITY = GROUP.identity
SCALARS = st.integers(0, ORDER - 1)
# Of RFC 9496, A.1 and A.3: multiples of the generator, and encodings that are none.
MULTIPLES = {
    1: "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
    2: "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
    15: "e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e",
}
BAD_ENCODINGS = {
    "not reduced": "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "negative": "0100000000000000000000000000000000000000000000000000000000000000",
    "no square": "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
    "identity": IDENTITY.hex(),
    "short": MULTIPLES[1][:-2],
    "long": MULTIPLES[1] + "00",
    "empty": "",
}


def test_multiples_of_the_generator_are_those_of_the_standard() -> None:
    assert [element.hex() for element in GROUP.base_multiples(MULTIPLES)] == [*MULTIPLES.values()]
    assert [GROUP.decode(bytes.fromhex(text)).hex() for text in MULTIPLES.values()] == [
        *MULTIPLES.values()
    ]


@pytest.mark.parametrize("name", BAD_ENCODINGS)
def test_what_is_no_element_is_refused(name: str) -> None:
    with pytest.raises(Refused):
        GROUP.decode(bytes.fromhex(BAD_ENCODINGS[name]))


@pytest.mark.parametrize(
    "data", [ORDER.to_bytes(32, "little"), b"\xff" * 32, bytes(31), bytes(33)], ids=len
)
def test_what_is_no_scalar_is_refused(data: bytes) -> None:
    with pytest.raises(Refused):
        GROUP.decode_scalar(data)


@pytest.mark.parametrize("scalar", [0, 1, 256, ORDER - 1])
def test_a_scalar_in_range_is_read_back(scalar: int) -> None:
    assert GROUP.decode_scalar(GROUP.encode_scalar(scalar)) == scalar


def test_products_by_0_and_of_the_identity_are_the_identity() -> None:
    """The library refuses both."""
    assert GROUP.base_multiples([0]) == [IDENTITY]
    assert GROUP.multiples([0, 5], [kit.GENERATOR, IDENTITY]) == [IDENTITY] * 2
    assert GROUP.weighted_sum([0, 5], [kit.GENERATOR, IDENTITY]) == IDENTITY
    assert GROUP.total([]) == GROUP.weighted_sum([], []) == IDENTITY


@settings(max_examples=10)
@given(a=SCALARS, b=SCALARS, c=SCALARS)
def test_functions_follow_the_laws_of_a_group(a: int, b: int, c: int) -> None:
    A, B, both = GROUP.base_multiples([a, b, (a + b) % ORDER])
    assert GROUP.sums([A], [B]) == [both] == [GROUP.total([A, B])]
    assert GROUP.differences([both], [B]) == [A]
    assert GROUP.multiples([c], [A]) == GROUP.base_multiples([a * c % ORDER])
    assert GROUP.weighted_sum([c, a], [A, B]) == GROUP.base_multiples([a * (b + c) % ORDER])[0]


@pytest.mark.parametrize("call", [GROUP.sums, GROUP.differences])
def test_lists_of_different_lengths_are_a_mistake(
    call: Callable[[list[bytes], list[bytes]], list[bytes]],
) -> None:
    with pytest.raises(ValueError, match="shorter"):
        call([kit.GENERATOR], [])
    for weighed in (GROUP.multiples, GROUP.weighted_sum):
        with pytest.raises(ValueError, match="shorter"):
            weighed([1, 2], [kit.GENERATOR])


def test_drawn_scalars_are_below_the_order_and_follow_from_the_seed() -> None:
    drawn = draw_scalars(GROUP, kit.entropy("draw"), 50)
    assert drawn == draw_scalars(GROUP, kit.entropy("draw"), 50)
    assert len(set(drawn)) == 50
    assert all(0 <= scalar < ORDER for scalar in drawn)
    assert min(drawn) < ORDER // 4
    assert max(drawn) > ORDER // 4 * 3


def test_generators_are_the_same_in_whatever_pieces_they_are_asked_for() -> None:
    pieces, known = Generators(GROUP), generators(GROUP)
    assert pieces.row_sum(0) == IDENTITY
    assert [*pieces.rows(2)] == known.rows(5)[:2]
    assert pieces.rows(5) == known.rows(5)
    assert pieces.row_sum(5) == GROUP.total(known.rows(5))
    assert len({known.base, kit.GENERATOR, *known.rows(5)}) == 7
