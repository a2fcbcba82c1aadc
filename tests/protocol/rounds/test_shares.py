"""Two-party shares: what they add up to, what one alone says, and what one bad person can do."""

import hashlib
import struct
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.suites import suite
from veilmix.errors import IllegalMove, ParameterError, Reason, RoundBurned
from veilmix.protocol.rounds import shares
from veilmix.protocol.wire.announcement import NONCE, AnnouncedPolicy, Announcement, Rules
from veilmix.protocol.wire.schema import Feature, Schema

SCHEMA = Schema((Feature("blood", ("A", "B", "0")), Feature("rhesus", ("+", "-"))))
ROWS = [("A", "+"), ("A", "-"), ("0", "+"), ("A", "+"), ("B", "+")]


def announced(schema: Schema = SCHEMA, least: int = 2, seed: int = 1) -> tuple:
    """An announcement, and the key pairs of the two aggregators."""
    scheme, entropy = suite("sealedbox"), SeededEntropy(seed)
    keys = [scheme.keypair(entropy.fork(str(i))) for i in range(5)]
    made = Announcement(
        "shares", bytes(NONCE), schema, AnnouncedPolicy(2, 0.1), Rules(min_batch=least),
        (keys[0].public,), keys[1].public, keys[2].public,
    )  # fmt: skip
    return made, keys[3:]


def opened(
    least: int = 2,
) -> tuple[shares.ShareSession, tuple[shares.ShareAccumulator, shares.ShareAccumulator]]:
    """A session of shares, and both aggregators."""
    made, keys = announced(least=least)
    plan = shares.open_sharing(made, (keys[0].public, keys[1].public))
    piles = [
        shares.ShareAccumulator(plan, i, pair.secret) for i, pair in zip((1, 2), keys, strict=True)
    ]
    return plan, (piles[0], piles[1])


def hand_in(plan, piles, user: int, made: shares.SealedShares) -> None:
    for pile, layer in zip(piles, made.layers, strict=True):
        pile.add_share(user, layer)


def everybody(plan, piles, rows=ROWS) -> None:
    for user, row in enumerate(rows):
        hand_in(plan, piles, user, shares.share(plan, user, row, SeededEntropy(user)))


def counted(plan, piles):
    users = shares.agreed(*piles)
    total = shares.add(*(pile.subtotal(users) for pile in piles))
    return shares.count(plan, total, len(users))


def test_the_sums_of_both_are_the_counts() -> None:
    plan, piles = opened()
    everybody(plan, piles)
    for column, counts in enumerate(counted(plan, piles)):
        assert counts == Counter((row[column],) for row in ROWS)


@given(st.lists(st.tuples(st.sampled_from("AB0"), st.sampled_from("+-")), min_size=2, max_size=9))
def test_any_rows_add_up(rows: list[tuple[str, str]]) -> None:
    plan, _ = opened()
    split = [
        shares.split(shares.one_hot(plan, row), SeededEntropy(i)) for i, row in enumerate(rows)
    ]
    total = (0,) * plan.length
    for share, two in split:
        total = shares.add(total, shares.add(share, two))
    counts = shares.count(plan, total, len(rows))
    assert counts[0] == Counter((row[0],) for row in rows)


def test_the_first_share_is_the_same_whatever_the_row_is() -> None:
    plan, _ = opened()
    vectors = [shares.one_hot(plan, row) for row in (("A", "+"), ("0", "-"))]
    assert vectors[0] != vectors[1]
    assert len({shares.split(vector, SeededEntropy(3))[0] for vector in vectors}) == 1


def test_shares_are_spread_over_all_numbers() -> None:
    plan, _ = opened()
    vector = shares.one_hot(plan, ("A", "+"))
    drawn = [shares.split(vector, SeededEntropy(i)) for i in range(400)]
    for which in (0, 1):
        tops = Counter(share[which][0] >> 30 for share in drawn)
        assert sorted(tops) == [0, 1, 2, 3]
        assert all(60 < many < 140 for many in tops.values())  # 100 +- 4.6 standard deviations


def test_both_aggregators_together_link_everybody_and_one_nobody() -> None:
    plan, piles = opened()
    everybody(plan, piles)
    halves, two = (pile.shares for pile in piles)
    assert [shares.row_of(plan, halves[i], two[i]) for i in range(len(ROWS))] == ROWS
    nothing = (0,) * plan.length
    assert all(shares.row_of(plan, halves[i], nothing) is None for i in range(len(ROWS)))


BAD = {
    "a bit turned over": (lambda layer: layer[:-1] + bytes([layer[-1] ^ 1]), Reason.DOES_NOT_OPEN),
    "cut short": (lambda layer: layer[:-1], Reason.WRONG_SIZE),
    "nothing": (lambda _: b"", Reason.WRONG_SIZE),
    "one number more": (lambda layer: layer + bytes(4), Reason.WRONG_SIZE),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("victim", [0, 1])
def test_a_malformed_share_is_refused_and_its_sender_left_out(name: str, victim: int) -> None:
    change, reason = BAD[name]
    plan, piles = opened()
    everybody(plan, piles[:2], ROWS[:4])
    layers = list(shares.share(plan, 4, ROWS[4], SeededEntropy(4)).layers)
    layers[victim] = change(layers[victim])
    hand_in(plan, piles, 4, shares.SealedShares((layers[0], layers[1])))
    assert piles[victim].refused == {reason: 1}
    assert shares.agreed(*piles) == [0, 1, 2, 3]
    assert counted(plan, piles)[0] == Counter((row[0],) for row in ROWS[:4])


def test_a_share_opens_for_its_person_its_aggregator_and_its_session_only() -> None:
    plan, piles = opened()
    other_plan = shares.open_sharing(announced(least=3)[0], plan.keys)
    made = shares.share(plan, 0, ROWS[0], SeededEntropy(0))
    piles[0].add_share(1, made.layers[0])  # somebody else hands in a copy
    piles[0].add_share(0, made.layers[1])  # the other aggregator's
    shares.ShareAccumulator(other_plan, 1, piles[0].secret).add_share(0, made.layers[0])
    assert piles[0].refused == {Reason.DOES_NOT_OPEN: 2}
    other = shares.ShareAccumulator(other_plan, 1, piles[0].secret)
    other.add_share(0, made.layers[0])
    assert other.refused == {Reason.DOES_NOT_OPEN: 1}


def test_the_first_of_two_shares_counts() -> None:
    plan, piles = opened()
    everybody(plan, piles)
    hand_in(plan, piles, 0, shares.share(plan, 0, ("B", "-"), SeededEntropy(99)))
    assert [pile.refused for pile in piles] == [{Reason.DUPLICATE: 1}] * 2
    assert counted(plan, piles)[0] == Counter((row[0],) for row in ROWS)


def test_too_few_people_burn_the_round() -> None:
    plan, piles = opened(least=6)
    everybody(plan, piles)
    with pytest.raises(RoundBurned, match="5 people's shares arrived at both aggregators"):
        counted(plan, piles)


def test_a_sum_is_told_once() -> None:
    """Sums over a crowd and over the crowd less one person differ by that person's row."""
    plan, piles = opened()
    everybody(plan, piles)
    counted(plan, piles)
    with pytest.raises(IllegalMove, match="already revealed"):
        piles[0].subtotal(range(4))


@pytest.mark.parametrize("moved", [1, 2, 3])
def test_one_bad_person_moves_others_and_nobody_notices(moved: int) -> None:
    """The price of shares: no limit on what one person adds, as long as it could be true."""
    plan, piles = opened()
    everybody(plan, piles, ROWS[:4])
    vector = list(shares.one_hot(plan, ("A", "+")))
    vector[0] -= moved  # A loses, 0 gains
    vector[2] += moved
    bad = shares.split([x % shares.MODULUS for x in vector], SeededEntropy(4))
    hand_in(plan, piles, 4, shares.seal_shares(plan, 4, bad, SeededEntropy(5)))
    assert not any(pile.refused for pile in piles)
    counts = counted(plan, piles)[0]
    assert counts.get(("A",), 0) == 4 - moved  # the bad person said A itself
    assert counts[("0",)] == 1 + moved


@pytest.mark.parametrize("change", [(5, 0), (-5, 5), (1, 0), (-1, 0), (1 << 31, 0)])
def test_counts_that_cannot_be_true_burn_the_round(change: tuple[int, int]) -> None:
    assert_burned(dict(enumerate(change)))


def test_counts_of_the_last_feature_that_cannot_be_true_burn_the_round() -> None:
    assert_burned({-1: 1})


def assert_burned(change: Mapping[int, int]) -> None:
    """Require that the round burns if one of five people adds so much to places of its vector."""
    plan, piles = opened()
    everybody(plan, piles, ROWS[:4])
    vector = list(shares.one_hot(plan, ("A", "+")))
    for place, more in change.items():
        vector[place] += more
    bad = shares.split([x % shares.MODULUS for x in vector], SeededEntropy(4))
    hand_in(plan, piles, 4, shares.seal_shares(plan, 4, bad, SeededEntropy(5)))
    with pytest.raises(RoundBurned, match="cannot be those of 5 people"):
        counted(plan, piles)


def test_open_domains_cannot_be_shared() -> None:
    made, keys = announced(Schema((Feature("word", None, 8),)))
    with pytest.raises(ParameterError, match="only public domains"):
        shares.open_sharing(made, (keys[0].public, keys[1].public))


def test_every_share_of_a_session_has_one_size() -> None:
    plan, _ = opened()
    layers = [
        layer
        for user, row in enumerate(ROWS)
        for layer in shares.share(plan, user, row, SeededEntropy(user)).layers
    ]
    assert {len(layer) for layer in layers} == {plan.size}
    assert plan.size == 81 + 4 * 5


def test_a_share_is_numbers_in_network_order() -> None:
    """Layout, read without the module."""
    plan, piles = opened()
    made = shares.share(plan, 0, ROWS[0], SeededEntropy(0))
    for pile, layer in zip(piles, made.layers, strict=True):
        pile.add_share(0, layer)
    from veilmix.crypto.layer import open_layer

    plain = open_layer(piles[0].secret, made.layers[0], plan.context(1, 0))
    assert struct.unpack(">5I", plain) == piles[0].shares[0]


def test_a_row_outside_the_domain_is_the_callers_mistake() -> None:
    plan, _ = opened()
    with pytest.raises(ParameterError, match="not in its domain"):
        shares.one_hot(plan, ("C", "+"))
    with pytest.raises(ParameterError, match="1 values"):
        shares.one_hot(plan, ("A",))


def test_each_user_and_aggregator_has_its_own_context() -> None:
    plan, _ = opened()
    contexts = sorted(plan.context(i, user) for i in (1, 2) for user in range(20))
    assert all(a != b for a, b in pairwise(contexts))


def test_contexts_are_those_of_the_document() -> None:
    """The docstring of the module, read without its code."""
    made, keys = announced()
    plan = shares.open_sharing(made, (keys[0].public, keys[1].public))
    encoded = b"".join(bytes([key.public.suite]) + key.public.raw for key in keys)
    session = hashlib.sha256(b"veilmix sharing 1\0" + made.digest() + encoded).digest()
    context = hashlib.sha256(b"veilmix share 1\0" + session + b"\x02" + (7).to_bytes(4, "big"))
    assert plan.session == session
    assert plan.context(2, 7) == context.digest()
