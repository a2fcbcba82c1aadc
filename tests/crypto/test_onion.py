"""Onions: peeled in order by their hops, and only so."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.keys import SecretKey
from veilmix.crypto.onion import Hop, onion_size, peel, wrap
from veilmix.crypto.suites import SUITES, suite
from veilmix.errors import ParameterError, Refused

SYSTEM = OSEntropy()
NAMES = list(SUITES)


def route(name: str, count: int) -> tuple[list[SecretKey], list[Hop]]:
    s = suite(name, lesson=True)
    pairs = [s.keypair(SeededEntropy(2).fork(f"{name} {i}")) for i in range(count)]
    return [p.secret for p in pairs], [Hop(p.public, bytes((i,)) * 32) for i, p in enumerate(pairs)]


@pytest.mark.parametrize("name", NAMES)
@given(payload=st.binary(max_size=100), count=st.integers(1, 5))
def test_hops_peel_in_their_order(name: str, payload: bytes, count: int) -> None:
    s = suite(name, lesson=True)
    secrets, hops = route(name, count)
    layers = wrap(s, hops, payload, SYSTEM)
    assert [len(x) for x in layers] == [
        onion_size(s, len(payload), count - i) for i in range(count)
    ]
    onion = layers[0]
    for secret, hop, expected in zip(secrets, hops, (*layers[1:], payload), strict=True):
        onion = peel(secret, onion, hop.context)
        assert onion == expected


@pytest.mark.parametrize("name", NAMES)
def test_no_other_order_opens(name: str) -> None:
    s = suite(name, lesson=True)
    secrets, hops = route(name, 3)
    onion = wrap(s, hops, b"payload", SYSTEM)[0]
    opened = []
    for order in permutations(range(3)):
        data = onion
        try:
            for i in order:
                data = peel(secrets[i], data, hops[i].context)
        except Refused:
            continue
        opened.append((order, data))
    assert opened == [((0, 1, 2), b"payload")]


@pytest.mark.parametrize("name", NAMES)
def test_a_layer_is_bound_to_its_hop(name: str) -> None:
    """One party as two hops: the layer of one is not the layer of the other."""
    s = suite(name, lesson=True)
    secrets, hops = route(name, 1)
    hops = [hops[0], Hop(hops[0].public, b"\x07" * 32)]
    layers = wrap(s, hops, b"payload", SYSTEM)
    with pytest.raises(Refused):
        peel(secrets[0], layers[0], hops[1].context)
    with pytest.raises(Refused):
        peel(secrets[0], layers[1], hops[0].context)


def test_seeded_onions_are_reproducible_and_use_no_key_twice() -> None:
    s = suite()
    _, hops = route("sealedbox", 4)
    layers = wrap(s, hops, b"payload", SeededEntropy(8))
    assert layers == wrap(s, hops, b"payload", SeededEntropy(8))
    assert layers != wrap(s, hops, b"payload", SeededEntropy(9))
    assert len({layer[1:33] for layer in layers}) == 4


def test_each_hop_adds_the_overhead_of_the_suite() -> None:
    s = suite()
    sizes = [onion_size(s, 100, hops) for hops in range(6)]
    assert sizes[0] == 100
    assert {b - a for a, b in pairwise(sizes)} == {s.overhead}
    with pytest.raises(ParameterError, match="hops: got -1"):
        onion_size(s, 100, -1)


def test_an_onion_needs_a_hop() -> None:
    with pytest.raises(ParameterError, match="hops: got none, accepted: at least one"):
        wrap(suite(), [], b"payload", SYSTEM)
