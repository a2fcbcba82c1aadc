"""What was recorded, what a coalition learns from it, and that no secret is among it."""

import pickle
from collections import Counter
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import ParameterError
from veilmix.protocol.board.phases import BOARD
from veilmix.protocol.knowledge import transcript
from veilmix.protocol.knowledge.transcript import Transcript, name_of, names_of, split_names
from veilmix.protocol.knowledge.view import view
from veilmix.protocol.rounds.round_context import sealing
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import AnnouncedPolicy
from veilmix.protocol.wire.messages import Kind

ROWS = KIT.people(9)
FAULTS = {"user_2": "absent", "user_4": "duplicate", "user_6": "malformed", "user_8": ("late", [2])}
RUNS = {m: KIT.run(ROWS, shufflers=m) for m in (1, 2, 3)}
FAULTY = KIT.run(
    KIT.people(20), shufflers=2, faults=KIT.attack(**FAULTS), rules=KIT.Rules(min_dropout=1)
)


def names(shufflers: int) -> list[str]:
    return [*(parties.shuffler(hop + 1) for hop in range(shufflers)), "curator", "analyst"]


def coalitions(shufflers: int) -> list[frozenset[str]]:
    everybody = [*names(shufflers), "network"]
    sizes = range(len(everybody) + 1)
    return [frozenset(members) for members in chain(*(combinations(everybody, n) for n in sizes))]


# Sightings


@pytest.mark.parametrize("run", [*RUNS.values(), FAULTY], ids=["1", "2", "3", "faulty"])
def test_every_party_sees_an_event_once_or_not_at_all(run: Any) -> None:
    events = run.transcript.events
    assert [event.number for event in events] == list(range(len(events)))
    seen = {
        party: [event.number for event in run.transcript.events if event.seen_by(party)]
        for party in ("curator", "analyst", "shuffler-1", "user-1", "user-2", "network")
    }
    for party, numbers in seen.items():
        assert len(set(numbers)) == len(numbers), party
        for event in events:
            to_it = party in (event.sender, event.receiver, "network") or event.receiver == BOARD
            assert (event.number in numbers) is (to_it or party == "network")
    assert seen["network"] == list(range(len(events)))


def test_a_user_sees_the_board_and_its_own_envelopes_only() -> None:
    run = RUNS[2]
    kinds = Counter(event.kind for event in run.transcript.events if event.seen_by("user-5"))
    assert kinds[Kind.SUBMISSION] == 2
    assert kinds[Kind.BATCH] == 0
    assert sum(kinds.values()) == 2 + len(run.board.entries)


def test_ciphertexts_have_one_name_wherever_they_are_seen() -> None:
    """The layers that users sealed are the ones that the shufflers sent on."""
    run = RUNS[2]
    sealed = {name for made in run.transcript.sealed_answers for name in split_names(made.names)}
    for event in run.transcript.events:
        if event.kind in (Kind.SUBMISSION, Kind.BATCH):
            layers = split_names(event.names)
            assert layers
            assert set(layers) <= sealed
        else:
            assert not event.names
    assert names_of([b"a", b"b"]) == name_of(b"a") + name_of(b"b")
    assert len(sealed) == 9 * (1 + 3 * 2) + 9 * (1 + 2)


def test_traffic_counts_messages_and_bytes() -> None:
    run = RUNS[1]
    traffic = run.transcript.traffic()
    assert sum(count for count, _ in traffic.values()) == len(run.transcript.events)
    assert sum(size for _, size in traffic.values()) == sum(e.size for e in run.transcript.events)
    assert traffic[Kind.SUBMISSION, 1][0] == len(ROWS)
    sizes = {e.size for e in run.transcript.events if (e.kind, e.round) == (Kind.SUBMISSION, 1)}
    assert len(sizes) == 1


def test_noise_on_a_wire_is_an_event_without_a_kind() -> None:
    record = Transcript(3)
    for data in (b"", b"noise", b"vm\x01\x63" + bytes(40), b"vn\x01\x05" + bytes(40)):
        record.carried(1.0, "user-1", "shuffler-1", data)
    batch = b"vm\x01\x06" + bytes(32) + b"\1" + b"\xff" * 8
    record.carried(2.0, "shuffler-1", "curator", batch)
    assert [event.kind for event in record.events] == [None] * 4 + [Kind.BATCH]
    assert record.events[1].names == name_of(b"noise")
    assert record.events[4].names == name_of(batch)


# Views


@pytest.mark.parametrize("shufflers", [1, 2, 3])
def test_only_all_shufflers_with_a_reader_pin_anybody(shufflers: int) -> None:
    run = RUNS[shufflers]
    mixes = {parties.shuffler(hop + 1) for hop in range(shufflers)}
    breaking = []
    for coalition in coalitions(shufflers):
        knowledge = view(run.transcript, coalition)
        expected: dict[int, dict[int, str]] = {}
        for index, row in enumerate(ROWS):
            known: dict[int, str] = {}
            if mixes | {"curator"} <= coalition:
                known |= dict(enumerate(row))
            if mixes | {"analyst"} <= coalition:
                known |= {0: row[0], 2: row[2]}
            if known:
                expected[index] = known
        assert knowledge.pinned == expected
        assert not knowledge.linked_columns
        if knowledge.pinned:
            breaking.append(coalition)
    minimal = {members for members in breaking if not any(other < members for other in breaking)}
    assert minimal == {frozenset(mixes | {reader}) for reader in ("curator", "analyst")}


def test_nobody_knows_what_the_board_shows() -> None:
    run = RUNS[2]
    knowledge = view(run.transcript, ())
    assert knowledge.parties == frozenset()
    assert not knowledge.pinned
    assert {event.receiver for event in knowledge.events} == {BOARD}
    assert len(knowledge.events) == len(run.board.entries)
    assert [(count.round, count.columns) for count in knowledge.counted] == [(2, (0, 2))]
    assert set(knowledge.opened.values()) == {(0, 3)}


def test_published_marginals_are_known_to_nobody_in_particular() -> None:
    run = KIT.run(ROWS, policy=AnnouncedPolicy(2, 1.0, publish_marginals=True))
    for coalition in ((), ("user-1",), ("curator", "analyst")):
        knowledge = view(run.transcript, coalition)
        assert [count.columns for count in knowledge.counted] == [(0,), (1,), (2,), (0, 2)]
        assert sum(knowledge.counted[0].counts.values()) == len(ROWS)


def test_a_reader_knows_its_counts_and_nobody_elses_rows() -> None:
    knowledge = view(RUNS[1].transcript, ["curator"])
    assert [count.columns for count in knowledge.counted] == [(0,), (1,), (2,), (0, 2)]
    assert not knowledge.pinned
    assert [count.columns for count in view(RUNS[1].transcript, ["analyst"]).counted] == [(0, 2)]


@pytest.mark.parametrize("others", [(), ("curator", "analyst"), ("network",), ("user-3",)])
def test_a_user_in_the_coalition_pins_its_own_row(others: tuple[str, ...]) -> None:
    knowledge = view(RUNS[1].transcript, ["user-5", *others])
    own = {4: dict(enumerate(ROWS[4]))}
    if "user-3" in others:
        own[2] = dict(enumerate(ROWS[2]))
    assert knowledge.pinned == own


@pytest.mark.parametrize(
    ("members", "opened"),
    [
        (["shuffler-1"], 1),
        (["shuffler-2", "curator"], 0),
        (["shuffler-1", "shuffler-2"], 2),
        (["shuffler-1", "shuffler-2", "shuffler-3", "curator"], 4),
    ],
)
def test_layers_are_opened_from_the_outside(members: list[str], opened: int) -> None:
    assert view(RUNS[3].transcript, members).opened[1] == (opened, 4)


def test_who_did_not_take_part_is_not_pinned_and_who_was_late_is() -> None:
    """An envelope that came late was refused, but who holds the keys can still open it."""
    rows = KIT.people(20)
    knowledge = view(FAULTY.transcript, ["shuffler-1", "shuffler-2", "curator", "analyst"])
    assert set(range(20)) - set(knowledge.pinned) == {1, 5}
    assert knowledge.pinned[7] == dict(enumerate(rows[7]))
    only_release = view(FAULTY.transcript, ["shuffler-1", "shuffler-2", "analyst"])
    assert only_release.pinned[7] == {0: rows[7][0], 2: rows[7][2]}


def test_an_unknown_party_has_no_view() -> None:
    with pytest.raises(ParameterError, match="no party can be called"):
        view(RUNS[1].transcript, ["mallory"])


# The summary form


@pytest.mark.parametrize("shufflers", [1, 2])
def test_the_summary_agrees_on_who_is_linked(
    shufflers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = RUNS[shufflers]
    monkeypatch.setattr(transcript, "SUMMARY_ABOVE", 5)
    short = KIT.run(ROWS, shufflers=shufflers)
    assert short.transcript.summary
    assert not whole.transcript.summary
    assert short.board.digest() == whole.board.digest()
    assert short.transcript.traffic() == whole.transcript.traffic()
    assert not short.transcript.sealed_answers
    assert not any(event.names for event in short.transcript.events)
    assert len(short.transcript.events) < len(whole.transcript.events) - len(ROWS)
    for coalition in coalitions(shufflers):
        full, brief = (view(run.transcript, coalition) for run in (whole, short))
        columns = {column for pinned in brief.linked_columns.values() for column in pinned}
        linked = [columns] * len(ROWS) if columns else []
        assert [set(row) for row in full.pinned.values()] == linked
        assert full.counted == brief.counted
        assert full.opened == brief.opened


# Secrets


def secrets_of_a_seeded_run(seed: int, shufflers: int, session: bytes) -> dict[str, bytes]:
    root = SeededEntropy(seed)
    secrets = {party: root.fork(f"key of {party}").random(32) for party in names(shufflers)}
    for index in range(len(ROWS)):
        for number, slots in ((1, 3), (2, 1)):
            fresh = sealing(root.fork(parties.user(index)).fork(f"round-{number}"), session)
            stream = fresh.random(16 * slots)
            for slot in range(slots):
                secrets[f"salt {index} {number} {slot}"] = stream[16 * slot : 16 * slot + 16]
    return secrets


def test_no_secret_is_in_anything_recorded() -> None:
    run = KIT.run(ROWS, shufflers=2, seed=1)
    secrets = secrets_of_a_seeded_run(1, 2, run.board.session)
    recorded = [run.transcript, run.board, run.reports]
    texts = [repr(recorded), str(recorded)]
    data = pickle.dumps(recorded)
    public = run.board.announcement.curator.raw
    assert public in data  # the search finds what is there
    assert repr(public)[2:-1] in texts[0] or public.hex() in texts[0] or "sealedbox:" in texts[0]
    for name, secret in secrets.items():
        assert secret not in data, name
        for text in texts:
            assert secret.hex() not in text, name
            assert repr(secret)[2:-1] not in text, name


def test_the_salts_and_keys_searched_for_are_the_real_ones() -> None:
    """Remove the seed's stream from the search and the test above would prove nothing."""
    from veilmix.crypto.suites import suite
    from veilmix.protocol.rounds.ballots import submit
    from veilmix.protocol.rounds.mixing import open_envelope, open_layers
    from veilmix.protocol.rounds.round_context import open_round

    run = RUNS[1]
    secrets = secrets_of_a_seeded_run(1, 1, run.board.session)
    told = run.board.announcement
    for party in names(1):
        assert suite().keypair_from(secrets[party]).public == told.key(party)
    plan = open_round(told, run.board.session, run.board.calls[0])
    entropy = SeededEntropy(1).fork("user-1").fork("round-1")
    sealed = submit(plan, ROWS[0], entropy)
    assert name_of(sealed.envelope) in {made.envelope for made in run.transcript.sealed_answers}
    key = {party: suite().keypair_from(secrets[party]).secret for party in names(1)}
    onions = open_envelope(plan, key["shuffler-1"], sealed.envelope)
    ballots = open_layers(plan, 2, key["curator"], onions).inside
    assert {ballot[1:17] for ballot in ballots} == {secrets[f"salt 0 1 {i}"] for i in range(3)}


def test_what_the_parties_hold_does_not_show_its_secrets() -> None:
    from veilmix.crypto.suites import suite
    from veilmix.roles.keyholder import Keyholder
    from veilmix.roles.people import Person

    root = SeededEntropy(1)
    secret = root.fork("key of curator").random(32)
    keyholder = Keyholder(suite().keypair_from(secret))
    for shown in (repr(keyholder), repr(KIT.cast(ROWS)), repr(Person(3, ROWS[3], root))):
        assert secret.hex() not in shown
        assert repr(secret)[2:-1] not in shown
        assert "hidden" in shown or shown == "Person(3)"
    assert replace(keyholder) == keyholder
