"""Ballots, envelopes, batches and tallies: one size, no order, and nothing wrong stops the rest."""

from collections import Counter
from dataclasses import replace
from typing import Any

import protocol_kit as KIT
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.layer import seal_layer
from veilmix.crypto.padding import pad
from veilmix.crypto.suites import SUITES
from veilmix.errors import ParameterError, Reason, Refused
from veilmix.protocol.rounds.ballots import (
    Ballot,
    answers,
    read_ballot,
    salts,
    seal_ballot,
    seal_envelope,
    submit,
    write_ballot,
)
from veilmix.protocol.rounds.mixing import (
    arrange,
    batch_digest,
    check_accounted,
    check_batch,
    open_envelope,
    open_envelopes,
    open_layers,
)
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.rounds.tallying import BallotReading, marginals, read_ballots
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.messages import Call, Mixed
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.wire import Writer

HELD = KIT.session(2)
PLAN: Round = HELD.plan()
FIRST, SECOND, CURATOR = (HELD.keys[p].secret for p in ("shuffler-1", "shuffler-2", "curator"))
LOOSE = Rules(padded=False, salted=False, ordered=False, lesson=True)


@st.composite
def asked(draw: Any) -> tuple[Any, Call, list[tuple[str, ...]]]:
    """Give a schema, a call over it, and a few rows."""
    schema = draw(KIT.schemas())
    columns = st.integers(0, len(schema.features) - 1)
    sets = st.sets(columns, min_size=1).map(lambda ask: tuple(sorted(ask)))
    asks = tuple(draw(st.lists(sets, min_size=1, max_size=4, unique=True)))
    call = Call(
        draw(st.integers(1, 255)), draw(st.sampled_from([Role.CURATOR, Role.ANALYST])), asks
    )
    values = [
        st.sampled_from(feature.values)
        if feature.values
        else KIT.WORDS.map(lambda text, f=feature: cut(text, f.width))
        for feature in schema.features
    ]
    return schema, call, draw(st.lists(st.tuples(*values), min_size=2, max_size=4))


def cut(text: str, width: int) -> str:
    """Shorten text to so many bytes, whole characters; at least one."""
    return text.encode()[:width].decode(errors="ignore").strip() or "x"


@settings(max_examples=25, deadline=None)
@given(asked(), st.integers(1, 3), st.sampled_from(sorted(SUITES)))
def test_sizes_are_the_same_whatever_the_row(case: Any, shufflers: int, name: str) -> None:
    schema, call, rows = case
    held = KIT.session(shufflers, name, schema)
    plan = held.plan(call)
    for sealed in KIT.seal(plan, rows):
        assert len(sealed.envelope) == plan.envelope
        assert len(sealed.onions) == plan.slots
        for layers in sealed.onions:
            assert [len(layer) for layer in layers] == list(plan.inner[2:])
    plaintexts = KIT.mix(held, plan, [sealed.envelope for sealed in KIT.seal(plan, rows)])
    assert {len(plaintext) for plaintext in plaintexts} == {plan.ballot}
    expected = [Counter(tuple(row[c] for c in ask) for row in rows) for ask in call.asks]
    assert read_ballots(plan, plaintexts).counts == expected


@settings(max_examples=25, deadline=None)
@given(asked())
def test_a_ballot_comes_back_as_it_was(case: Any) -> None:
    schema, call, rows = case
    plan = KIT.session(1, schema=schema).plan(call)
    for ballot in answers(plan, rows[0]):
        plaintext = write_ballot(ballot, bytes(16), plan.ballot)
        assert len(plaintext) == plan.ballot
        assert read_ballot(plan, plaintext) == ballot


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_an_arbitrary_plaintext_is_refused_or_a_ballot_of_the_domain(data: bytes) -> None:
    for plaintext in (data, data + b"\x80", b"\x01" + bytes(16) + data + b"\x80"):
        try:
            ballot = read_ballot(PLAN, plaintext)
        except Refused as refusal:
            reason = refusal.reason
        else:
            reason = None
            (column,) = PLAN.call.asks[ballot.ask]
            assert KIT.SCHEMA.features[column].admits(ballot.values[0])
        assert reason in (None, Reason.MALFORMED, Reason.OUTSIDE_DOMAIN)


# Slots


def test_the_order_of_slots_says_nothing_about_the_questions() -> None:
    """Over 60 people every question is found in every slot, and slots always ascend."""
    places: set[tuple[int, int]] = set()
    for sealed in KIT.seal(PLAN, KIT.ROWS * 20):
        slots = open_envelope(PLAN, FIRST, sealed.envelope)
        assert slots == sorted(slots)
        places |= {(ask, slots.index(layers[0])) for ask, layers in enumerate(sealed.onions)}
    assert places == {(ask, slot) for ask in range(3) for slot in range(3)}


def onions(row: int = 0) -> list[bytes]:
    return [layers[0] for layers in KIT.seal(PLAN)[row].onions]


def envelope(slots: list[bytes], ordered: bool = True, plan: Round = PLAN) -> bytes:
    if ordered:
        return seal_envelope(plan, slots, OSEntropy())
    bundle = Writer().items(slots).finish()
    hop = plan.hops[0]
    return seal_layer(plan.suite, hop.public, bundle, hop.context, OSEntropy())


def turned(data: bytes) -> bytes:
    """Turn the last bit over."""
    return data[:-1] + bytes([data[-1] ^ 1])


ONE, TWO, THREE = sorted(onions())
ENVELOPES = {
    "slot-missing": (envelope([ONE, TWO]), Reason.WRONG_SIZE),
    "slot-extra": (envelope([*onions(), onions(1)[0]]), Reason.WRONG_SIZE),
    "slot-doubled": (envelope([ONE, ONE, TWO], ordered=False), Reason.MALFORMED),
    "slots-descending": (envelope([THREE, TWO, ONE], ordered=False), Reason.MALFORMED),
    "slot-of-another-size": (
        envelope([ONE + b"!", TWO[:-1], THREE], ordered=False),
        Reason.WRONG_SIZE,  # lengths that differ are spelt out, so the envelope is longer
    ),
    "shortened": (envelope(onions())[:-1], Reason.WRONG_SIZE),
    "lengthened": (envelope(onions()) + b"!", Reason.WRONG_SIZE),
    "empty": (b"", Reason.WRONG_SIZE),
    "changed": (turned(envelope(onions())), Reason.DOES_NOT_OPEN),
    "noise": (bytes(PLAN.envelope), Reason.DOES_NOT_OPEN),
    "of-another-size-inside": (
        envelope([ONE[:-4] + bytes([n]) for n in range(3)], ordered=False)[:-9],
        Reason.WRONG_SIZE,
    ),
}


@pytest.mark.parametrize("name", ENVELOPES)
def test_an_envelope_that_is_wrong_is_refused(name: str) -> None:
    data, reason = ENVELOPES[name]
    with pytest.raises(Refused) as caught:
        open_envelope(PLAN, FIRST, data)
    assert caught.value.reason is reason


def test_a_slot_of_another_size_is_refused_in_an_envelope_of_the_right_size() -> None:
    """Sizes that are spelt out take 12 bytes more than one size of all."""
    room, right = len(Writer().items(onions()).finish()) - 8, PLAN.inner[2]
    others = ((1, 1, room - 2 - 12), (room - 12 - 2, 1, 1), (4, 5, room - 9 - 12))
    for sizes in (*others, (right, right - 12, right)):
        slots = [bytes([n]) * size for n, size in enumerate(sizes)]
        data = envelope(slots, ordered=False)
        assert len(data) == PLAN.envelope
        with pytest.raises(Refused) as caught:
            open_envelope(PLAN, FIRST, data)
        assert caught.value.reason is Reason.WRONG_SIZE


@pytest.mark.parametrize(
    ("slots", "reason"),
    [
        ([], Reason.MALFORMED),
        ([b"a", b"c", b"b"], Reason.MALFORMED),
        ([b"a", b"b"], Reason.MALFORMED),
        ([b"a", b"b", b"c", b"d"], Reason.MALFORMED),
        ([b"a", b"b", b"b"], Reason.MALFORMED),
        ([b"b", b"a", b"c"], Reason.MALFORMED),
    ],
)
def test_slots_are_counted_where_padding_is_off(slots: list[bytes], reason: Reason) -> None:
    held = KIT.session(2, rules=LOOSE)
    plan = held.plan()
    with pytest.raises(Refused) as caught:
        open_envelope(plan, held.keys["shuffler-1"].secret, envelope(slots, False, plan))
    assert caught.value.reason is reason


def test_one_bad_envelope_never_stops_the_others() -> None:
    good = [sealed.envelope for sealed in KIT.seal(PLAN)]
    bad = [data for data, _ in ENVELOPES.values()]
    mixed = [x for pair in zip(bad[:3], good, strict=True) for x in pair] + bad[3:]
    results = open_envelopes(PLAN, FIRST, mixed)
    reasons = [reason for _, reason in ENVELOPES.values()]
    assert [r for r in results if isinstance(r, Reason)] == reasons
    assert [r for r in results if not isinstance(r, Reason)] == [
        open_envelope(PLAN, FIRST, data) for data in good
    ]


# Batches


def test_a_batch_leaves_in_the_order_of_its_bytes_without_repeats() -> None:
    layers = [onion for row in range(3) for onion in onions(row)]
    batch, repeats = arrange(PLAN, [*layers, layers[0], layers[4], layers[0]])
    assert batch == tuple(sorted(layers))
    assert repeats == 3
    check_batch(PLAN, batch)


@pytest.mark.parametrize(
    "layers",
    [[b"b", b"a"], [b"a", b"a"], [b"a", b"c", b"b"], [b"b", b"a", b"c"]],
    ids=["swapped", "twice", "end", "beginning"],
)
def test_a_batch_out_of_order_is_refused(layers: list[bytes]) -> None:
    with pytest.raises(Refused) as caught:
        check_batch(PLAN, layers)
    assert caught.value.reason is Reason.MALFORMED
    loose = KIT.session(2, rules=LOOSE).plan()
    check_batch(loose, layers)  # the lesson that switches the order off
    assert arrange(loose, layers)[0] == tuple(dict.fromkeys(layers))


def test_layers_that_are_wrong_are_counted_and_the_rest_goes_on() -> None:
    good = [onion for row in range(3) for onion in onions(row)]
    hop = PLAN.hops[1]
    seal = lambda inside: seal_layer(  # noqa: E731
        PLAN.suite, hop.public, inside, hop.context, OSEntropy()
    )
    bad = {
        Reason.WRONG_SIZE: [b"", good[0][:-1], good[0] + b"!", seal(b"short")],
        Reason.DOES_NOT_OPEN: [bytes(PLAN.inner[2]), turned(good[0]), good[0][1:] + b"\x01"],
    }
    batch = [*bad[Reason.WRONG_SIZE], *good, *bad[Reason.DOES_NOT_OPEN]]
    opened = open_layers(PLAN, 2, SECOND, batch)
    assert opened.refused == {reason: len(layers) for reason, layers in bad.items()}
    assert opened.inside == open_layers(PLAN, 2, SECOND, good).inside
    assert {len(inside) for inside in opened.inside} == {PLAN.inner[3]}


@pytest.mark.parametrize("at", [0, 15, 16, 31])
def test_a_batch_is_the_accounted_one_to_the_last_byte_of_its_digest(at: int) -> None:
    layers = [b"a", b"b"]
    digest = batch_digest(layers)
    account = Mixed(1, 2, 2, 2, {}, digest)
    check_accounted(account, layers)
    other = digest[:at] + bytes([digest[at] ^ 1]) + digest[at + 1 :]
    for wrong in (replace(account, digest=other), None):
        with pytest.raises(Refused, match="unexpected"):
            check_accounted(wrong, layers)


def test_the_digest_of_a_batch_depends_on_where_layers_end() -> None:
    batches = [[b"ab", b"c"], [b"a", b"bc"], [b"abc"], [b"c", b"ab"], [b"ab", b"c", b""], []]
    digests = [batch_digest(batch) for batch in batches]
    assert len(set(digests)) == len(batches)
    assert batch_digest(iter(batches[0])) == digests[0]


# Salt


def test_equal_answers_look_unequal() -> None:
    """Two people who say the same share no layer, with a salt and without."""
    for rules in (Rules(), Rules(salted=False, lesson=True)):
        plan = KIT.session(1, rules=rules).plan()
        left, right = KIT.seal(plan, [KIT.ROWS[0]] * 2)
        layers = [
            layer for submission in (left, right) for onion in submission.onions for layer in onion
        ]
        assert len(set(layers)) == len(layers)


def test_every_ballot_has_a_fresh_salt() -> None:
    for entropy in (OSEntropy(), SeededEntropy(1)):
        drawn = salts(PLAN, entropy) + salts(PLAN, entropy)
        assert len(set(drawn)) == 6
        assert {len(salt) for salt in drawn} == {16}
    unsalted = KIT.session(1, rules=Rules(salted=False, lesson=True)).plan()
    assert salts(unsalted, OSEntropy()) == [bytes(16)] * 3


def test_the_salt_is_what_hides_a_deterministic_suite() -> None:
    """`textbook`: without salt equal answers give equal layers; with salt they do not."""
    for salted, shared in ((False, 3), (True, 0)):
        rules = Rules(salted=salted, lesson=True)
        plan = KIT.session(1, "textbook", rules=rules).plan()
        submission, other = KIT.seal(plan, [KIT.ROWS[0]] * 2)
        assert len(set(submission.onions) & set(other.onions)) == shared


# Reading


def plaintext(ask: int, *values: str) -> bytes:
    return write_ballot(Ballot(ask, values), bytes(16), PLAN.ballot)


WRONG_BALLOTS = {
    "question-unknown": (plaintext(3, "red"), Reason.MALFORMED),
    "question-far-unknown": (plaintext(4, "red"), Reason.MALFORMED),
    "not-listed": (plaintext(0, "Red"), Reason.OUTSIDE_DOMAIN),
    "of-another-question": (plaintext(2, "red"), Reason.OUTSIDE_DOMAIN),
    "empty": (plaintext(1, ""), Reason.OUTSIDE_DOMAIN),
    "no-value": (plaintext(0), Reason.MALFORMED),
    "not-text": (plaintext(1, "Ur").replace(b"Ur", b"\xff\xfe"), Reason.MALFORMED),
    "two-values": (plaintext(0, "red", "red"), Reason.MALFORMED),
    "no-padding": (plaintext(0, "red").rstrip(b"\0")[:-1], Reason.MALFORMED),
    "nothing": (b"", Reason.MALFORMED),
    "a-value-that-is-cut": (
        pad(bytes([0]) + bytes(16) + b"\0\4red", PLAN.ballot),
        Reason.MALFORMED,
    ),
}


@pytest.mark.parametrize("name", WRONG_BALLOTS)
def test_a_ballot_that_is_wrong_is_refused(name: str) -> None:
    data, reason = WRONG_BALLOTS[name]
    with pytest.raises(Refused) as caught:
        read_ballot(PLAN, data)
    assert caught.value.reason is reason


def test_a_value_of_an_open_domain_is_at_most_its_width() -> None:
    wide = KIT.session(1).plan(Call(1, Role.CURATOR, ((0, 1),)))
    assert read_ballot(wide, write_ballot(Ballot(0, ("red", "x" * 12)), bytes(16), wide.ballot))
    longer = pad(Writer().u8(0).raw(bytes(16)).text("red").text("x" * 13).finish(), wide.ballot + 1)
    with pytest.raises(Refused) as caught:
        read_ballot(wide, longer)
    assert caught.value.reason is Reason.OUTSIDE_DOMAIN


def test_wrong_ballots_are_counted_and_the_rest_is_read() -> None:
    good = [plaintext(0, "red"), plaintext(0, "red"), plaintext(1, "Oslo"), plaintext(2, "no")]
    reading = read_ballots(PLAN, [*(data for data, _ in WRONG_BALLOTS.values()), *good])
    assert reading.counts == [{("red",): 2}, {("Oslo",): 1}, {("no",): 1}]
    assert reading.refused == Counter(reason for _, reason in WRONG_BALLOTS.values())
    assert reading.totals == (2, 1, 1)


def test_readings_of_parts_add_up() -> None:
    good = [plaintext(0, "red"), plaintext(0, "blue"), plaintext(2, "no"), b""]
    whole = read_ballots(PLAN, good)
    parts = read_ballots(PLAN, good[:1])
    parts.add(read_ballots(PLAN, good[1:]))
    assert parts == whole
    assert isinstance(parts, BallotReading)


@pytest.mark.parametrize(
    "row", [("Red", "Oslo", "yes"), ("red", "", "yes"), ("red", "x" * 13, "yes")]
)
def test_a_row_that_cannot_be_said_is_the_callers_mistake(row: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError, match="is not in its domain"):
        submit(PLAN, row, OSEntropy())


@pytest.mark.parametrize("value", ["\x1b[2J", "a\nb", " a", "a\u2028b"])
def test_a_value_of_an_open_domain_cannot_harm_the_screen_it_is_shown_on(value: str) -> None:
    """A release is printed: a ballot could clear the reader's terminal, or forge a line."""
    with pytest.raises(Refused):
        read_ballot(PLAN, plaintext(1, value))


# Totals that differ


def test_missing_answers_count_as_people_with_a_value_of_their_own() -> None:
    counts: list[Any] = [{("a",): 6, ("b",): 5}, {("x",): 9}, {("u",): 10, ("v",): 1}]
    assert marginals(counts) == ([[6, 5], [9, 1, 1], [10, 1]], 11)
    assert marginals([]) == ([], 0)
    assert marginals([{}, {}]) == ([[], []], 0)


def test_a_voter_who_fills_two_slots_with_one_question_is_counted_conservatively() -> None:
    """Three honest people, and one who answers the first question twice and never the second."""
    rows = KIT.ROWS
    root = SeededEntropy(5)
    twice = [Ballot(0, ("red",)), Ballot(0, ("red",)), Ballot(2, ("no",))]
    slots = [seal_ballot(PLAN, ballot, root.random(16), root)[0] for ballot in twice]
    crooked = seal_envelope(PLAN, slots, root)
    sealed = [submission.envelope for submission in KIT.seal(PLAN, rows)]
    plaintexts = KIT.mix(HELD, PLAN, [*sealed, crooked])
    reading = read_ballots(PLAN, plaintexts)
    assert reading.totals == (5, 3, 4)
    counts, n = marginals(reading.counts)
    assert n == 5
    assert counts[1] == [1, 1, 1, 1, 1]
    assert [sum(column) for column in counts] == [5, 5, 5]


def test_sizes_are_zero_where_padding_is_off() -> None:
    held = KIT.session(2, rules=LOOSE)
    plan = held.plan()
    assert (plan.ballot, plan.envelope, set(plan.inner)) == (0, 0, {0})
    sealed = [submission.envelope for submission in KIT.seal(plan)]
    assert len({len(data) for data in sealed}) > 1  # the leak that padding closes
    reading = read_ballots(plan, KIT.mix(held, plan, sealed))
    assert reading.totals == (3, 3, 3)
    assert replace(plan) == plan
