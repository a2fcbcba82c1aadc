"""An announcement: one encoding, one digest, and layers that open nowhere else."""

import hashlib
from dataclasses import fields, replace
from typing import Any

import protocol_kit as KIT
import pytest
from hypothesis import given, settings
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.joint_key import make_share
from veilmix.crypto.suites import SUITES
from veilmix.errors import ParameterError, Reason, Refused
from veilmix.protocol.rounds.mixing import open_envelope, open_layers
from veilmix.protocol.rounds.round_context import layer_context, open_round
from veilmix.protocol.wire.announcement import (
    AnnouncedPolicy,
    Announcement,
    Flaw,
    Program,
    Rules,
    Setting,
    decode_announcement,
)
from veilmix.protocol.wire.messages import Call, Registry
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.wire import Writer, decode

TOLD: Announcement = KIT.session(2).announcement
NEW_KEY = KIT.pair("somebody else").public
FIRST = TOLD.schema.features[0]


def schema(*features: Feature) -> Announcement:
    return replace(TOLD, schema=Schema(features))


CHANGES = {
    "title": replace(TOLD, title="another test"),
    "program": replace(TOLD, program=Program.RANDOMIZED),
    "nonce": replace(TOLD, nonce=bytes(16)),
    "feature-name": schema(replace(FIRST, name="color"), *TOLD.schema.features[1:]),
    "feature-width": schema(replace(FIRST, width=6), *TOLD.schema.features[1:]),
    "feature-value": schema(
        replace(FIRST, values=("red", "green", "brown")), *TOLD.schema.features[1:]
    ),
    "order-of-values": schema(
        replace(FIRST, values=("green", "red", "blue")), *TOLD.schema.features[1:]
    ),
    "feature-left-out": schema(*TOLD.schema.features[1:]),
    "order-of-features": schema(*reversed(TOLD.schema.features)),
    "open-domain": schema(Feature("colour", None, 5), *TOLD.schema.features[1:]),
    "order-of-shufflers": replace(TOLD, shufflers=TOLD.shufflers[::-1]),
    "shuffler-left-out": replace(TOLD, shufflers=TOLD.shufflers[:1]),
    "curator": replace(TOLD, curator=NEW_KEY),
    "analyst": replace(TOLD, analyst=NEW_KEY),
    "curator-and-analyst": replace(TOLD, curator=TOLD.analyst, analyst=TOLD.curator),
    "k": replace(TOLD, policy=replace(TOLD.policy, k=3)),
    "max_exposure": replace(TOLD, policy=replace(TOLD.policy, max_exposure=0.6)),
    "rule": replace(TOLD, policy=replace(TOLD.policy, rule="fixed")),
    "publish_marginals": replace(TOLD, policy=replace(TOLD.policy, publish_marginals=True)),
    "setting": replace(TOLD, policy=replace(TOLD.policy, setting=Setting.STATISTICAL, delta=0.1)),
    "delta": replace(TOLD, policy=replace(TOLD.policy, setting=Setting.STATISTICAL, delta=0.2)),
    "deadline": replace(TOLD, rules=replace(TOLD.rules, deadline=61)),
    "min_batch": replace(TOLD, rules=replace(TOLD.rules, min_batch=3)),
    "min_dropout": replace(TOLD, rules=replace(TOLD.rules, min_dropout=3)),
    "padded": replace(TOLD, rules=replace(TOLD.rules, padded=False)),
    "salted": replace(TOLD, rules=replace(TOLD.rules, salted=False)),
    "ordered": replace(TOLD, rules=replace(TOLD.rules, ordered=False)),
    "lesson": replace(TOLD, rules=replace(TOLD.rules, lesson=True)),
    "tokens": replace(TOLD, rules=replace(TOLD.rules, tokens=True), registry=bytes(32)),
    "challenge": replace(TOLD, rules=replace(TOLD.rules, challenge=True), registry=bytes(32)),
    "audit": replace(
        TOLD,
        rules=replace(TOLD.rules, audit=True),
        registry=bytes(32),
        shufflers=(*TOLD.shufflers, NEW_KEY),
    ),
    "verified": replace(
        TOLD,
        rules=replace(TOLD.rules, verified=True),
        registry=bytes(32),
        shufflers=(*TOLD.shufflers, NEW_KEY),
    ),
    "flaws": replace(TOLD, rules=replace(TOLD.rules, lesson=True, flaws=(Flaw.BUNDLED,))),
    "rows": replace(TOLD, rules=replace(TOLD.rules, rows=6)),
    "other-rows": replace(TOLD, rules=replace(TOLD.rules, rows=1_000)),
    "other-flaws": replace(TOLD, rules=replace(TOLD.rules, lesson=True, flaws=(Flaw.ONE_KEY,))),
    "registry": replace(TOLD, registry=bytes(32)),
}


def test_the_digest_changes_with_every_field() -> None:
    digests = {name: told.digest() for name, told in CHANGES.items()} | {"": TOLD.digest()}
    assert len(set(digests.values())) == len(digests)
    named = {field.name for kind in (AnnouncedPolicy, Rules) for field in fields(kind)}
    assert named <= CHANGES.keys()


def test_the_digest_is_a_hash_of_the_encoding() -> None:
    whole = b"veilmix announcement 1\0" + TOLD.encode()
    assert TOLD.digest() == hashlib.sha256(whole).digest()
    assert replace(TOLD).digest() == TOLD.digest()


@settings(max_examples=60, deadline=None)
@given(KIT.announcements())
def test_an_announcement_comes_back_as_it_was(told: Announcement) -> None:
    announcement = decode_announcement(told.encode())
    assert announcement == told
    assert announcement.digest() == told.digest()


@pytest.mark.parametrize("name", CHANGES)
def test_an_envelope_made_for_another_announcement_does_not_open(name: str) -> None:
    """Whoever was told something else is absent, not identified."""
    held = KIT.session(2)
    lie = KIT.Session(CHANGES[name], held.keys)
    call = Call(1, Role.CURATOR, ((0,), (1,)))
    row = ("green", "yes", "yes") if name == "order-of-features" else ("green", "no", "yes")
    domains = CHANGES[name].schema.features
    row = tuple(
        value if feature.admits(value) else (feature.values or ("x",))[0]
        for feature, value in zip(domains, row, strict=False)
    )
    plan = lie.plan(call)
    if plan.announcement.rules.challenge:  # people seal when they have seen the shares of its lock
        plan = replace(plan, lock=make_share(SeededEntropy(1), b"").public)
    (sealed,) = KIT.seal(plan, [row if plan.rows == 1 else (row,)])
    with pytest.raises(Refused) as caught:
        open_envelope(held.plan(call), held.keys["shuffler-1"].secret, sealed.envelope)
    assert caught.value.reason in (Reason.DOES_NOT_OPEN, Reason.WRONG_SIZE)


HERE: Any = KIT.session(2)
CALL = Call(2, Role.CURATOR, ((0,), (1,)))
ELSEWHERE: dict[str, tuple[Any, Call, int]] = {
    "another-session": (KIT.session(2, nonce=bytes(16)), CALL, 0),
    "another-round": (HERE, replace(CALL, round=3), 0),
    "another-reader": (HERE, replace(CALL, reader=Role.ANALYST), 0),
    "another-question": (HERE, replace(CALL, asks=((0,), (2,))), 0),
    "questions-in-another-order": (HERE, replace(CALL, asks=((1,), (0,))), 0),
    "another-hop": (HERE, CALL, 1),
}


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_layer_opens_in_one_place_only(name: str, suite: str) -> None:
    where, call, aside = ELSEWHERE[name]
    here = KIT.session(2, suite)
    there = KIT.session(2, suite, nonce=where.announcement.nonce)
    plan, secret = here.plan(CALL), here.keys["shuffler-2"].secret
    own = [sealed.onions[0][0] for sealed in KIT.seal(plan)]
    assert not open_layers(plan, 2, secret, own).refused
    alien = there.plan(call)
    if aside:  # the key of this hop, the context of the next
        hops = (plan.hops[0], replace(plan.hops[1], context=plan.hops[2].context), plan.hops[2])
        alien = replace(plan, hops=hops)
    layers = [sealed.onions[0][0] for sealed in KIT.seal(alien)]
    opened = open_layers(replace(plan, inner=alien.inner), 2, secret, layers)
    assert not opened.inside
    assert opened.refused == {Reason.DOES_NOT_OPEN: len(layers)}


def test_every_context_of_a_session_is_its_own() -> None:
    contexts = [
        layer_context(session, call, hop)
        for session in (bytes(32), TOLD.digest())
        for call in (CALL, KIT.SINGLES, KIT.JOINT, replace(CALL, round=3))
        for hop in range(1, 6)
    ]
    assert len(set(contexts)) == len(contexts)
    assert {len(context) for context in contexts} == {32}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"nonce": b""}, "nonce: found 0 bytes"),
        ({"shufflers": ()}, "shufflers: found 0"),
        ({"shufflers": (NEW_KEY,) * 65}, "shufflers: found 65"),
        ({"analyst": TOLD.curator}, "same key"),
        ({"analyst": KIT.pair("analyst", "hpke-x25519").public}, "different suites"),
    ],
)
def test_an_impossible_announcement_is_not_made(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        replace(TOLD, **change)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: AnnouncedPolicy(0, 0.5), "k: found 0"),
        (lambda: AnnouncedPolicy(2**31, 0.5), "k: found"),
        (lambda: AnnouncedPolicy(2, 1.01), "max_exposure: found 1.01"),
        (lambda: AnnouncedPolicy(2, -0.01), "max_exposure: found -0.01"),
        (lambda: AnnouncedPolicy(2, float("nan")), "max_exposure: found nan"),
        (lambda: AnnouncedPolicy(2, 0.5, delta=0.1), "delta: found 0.1 in the fixed setting"),
        (lambda: AnnouncedPolicy(2, 0.5, setting=Setting.STATISTICAL), "delta: found 0.0"),
        (
            lambda: AnnouncedPolicy(2, 0.5, setting=Setting.STATISTICAL, delta=1.0),
            "delta: found 1.0",
        ),
        (lambda: Rules(deadline=0), "deadline: found 0"),
        (lambda: Rules(min_batch=0), "min_batch: found 0"),
        (lambda: Rules(min_dropout=2**31), "min_dropout: found"),
    ],
)
def test_policy_and_rules_have_ranges(make: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        make()


def test_keys_are_found_by_party() -> None:
    for party in ("curator", "analyst", "shuffler-1", "shuffler-2"):
        assert TOLD.key(party) == HERE.keys[party].public
    for party in ("shuffler-3", "user-1", "network"):
        with pytest.raises(ParameterError, match="has no key"):
            TOLD.key(party)


def test_a_call_for_columns_that_are_not_there_opens_no_round() -> None:
    with pytest.raises(ParameterError, match="column 3"):
        open_round(TOLD, TOLD.digest(), Call(1, Role.CURATOR, ((0, 3),)))


def test_a_feature_without_a_width_is_no_message() -> None:
    """A caller may leave it out; sent, it would be a second spelling of the same announcement."""
    said = Writer().text("colour").u16(0).flag(True).structures(("red",), Writer.text).finish()
    with pytest.raises(Refused, match="malformed"):
        decode(said, Feature.read)


def test_a_feature_of_no_known_kind_is_no_message() -> None:
    said = Writer().text("colour").u16(4).u8(4).finish()
    with pytest.raises(Refused, match="malformed"):
        decode(said, Feature.read)


def test_a_feature_that_is_made_coarser_has_a_rule() -> None:
    """Or one without rules would have two spellings."""
    said = Writer().text("colour").u16(4).u8(2).structures((), Writer.text).finish()
    with pytest.raises(Refused, match="malformed"):
        decode(said, Feature.read)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ((), "found 0; 1 to 65535 are accepted"),
        (("",), "text without surrounding spaces is accepted"),
        (("\ud800",), "lone surrogate"),
        (("y" * 2_000, "b"), "takes 2000 bytes of UTF-8"),
        (("red", "red"), "'red' occurs twice"),
    ],
)
def test_a_wrong_value_of_a_feature_is_named_and_not_its_width(
    values: tuple[str, ...], why: str
) -> None:
    with pytest.raises(ParameterError, match=f"feature 'x': values: .*{why}"):
        Feature("x", values)


def test_rows_of_a_person_say_that_one_is_accepted() -> None:
    with pytest.raises(ParameterError, match=r"rows: found 0; 2 to 1000 are accepted, or 1"):
        Rules(rows=0)


def test_a_long_list_with_the_last_entry_twice_is_refused_in_one_pass() -> None:
    """Each entry is compared by its hash: a party may post millions of them."""
    compared = 0

    class Counted(bytes):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return bytes.__eq__(self, other)  # type: ignore[arg-type]

        __hash__ = bytes.__hash__

    keys = [Counted(number.to_bytes(32, "big")) for number in range(20_000)]
    with pytest.raises(ParameterError, match="occurs twice"):
        Registry((*keys, keys[-1]))
    assert compared < 1_000
