"""Other legal values of the fields of messages."""

from dataclasses import replace

import pytest
from veilmix.crypto.ristretto import base_times, plus
from veilmix.crypto.verified.rows import ballot_rows
from veilmix.protocol.search.changes import CHANGES, changed, changes_of, parsed, written
from veilmix.protocol.wire.messages import (
    Accepted,
    BallotMarks,
    Body,
    Call,
    Decision,
    DecisionCertificate,
    Envelope,
    Tally,
)
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.token_messages import Evaluated, Issued, Mint, Roll
from veilmix.protocol.wire.verified_messages import OpeningShares, ShuffledLists

CALL = Call(1, Role.CURATOR, ((0,), (1,)))
ROLL = Roll((0, 1, 5))
HASHES = (bytes(32), b"\1" * 32, b"\2" * 32)
MARKS = BallotMarks(HASHES)
MINT = Mint(b"\1" * 32)
TALLY = Tally((3,), {}, ({("a",): 2, ("b",): 1},))
DECISION = Decision((0, 1), DecisionCertificate("fixed", 1, 6, 2))
ACCEPTED = Accepted(tuple(Envelope(person, bytes(32), bytes(64)) for person in (0, 3)))

OUTPUTS = Evaluated(tuple(base_times(bytes((n, *bytes(31)))) for n in (1, 2)), bytes(64))
ELEMENTS = [base_times(bytes((n, *bytes(31)))) for n in range(1, 13)]
ROWS = [((a, b), (c, d)) for a, b, c, d in zip(*[iter(ELEMENTS)] * 4, strict=True)]
SHUFFLED = ShuffledLists(1, (ballot_rows(ROWS).encode(),), (b"proof",))
SHARED = OpeningShares((b"\0\0\0\2" + ELEMENTS[0] + ELEMENTS[1] + bytes(64),))


def nobody(_entry: object) -> bool:
    return False


@pytest.mark.parametrize(
    ("body", "field", "change", "other"),
    [
        (Issued(6), "people", "one more", Issued(7)),
        (Issued(0), "people", "one fewer", Issued(0)),
        (CALL, "asks", "joined", replace(CALL, asks=((0, 1),))),
        (CALL, "asks", "without the first", replace(CALL, asks=((1,),))),
        (CALL, "reader", "another", replace(CALL, reader=Role.ANALYST)),
        (MARKS, "hashes", "empty", BallotMarks(())),
        (MARKS, "hashes", "without the last", BallotMarks(HASHES[:2])),
        (MINT, "key", "zeros", Mint(bytes(32))),
        (TALLY, "counts[0]", "moved", replace(TALLY, counts=({("a",): 1, ("b",): 2},))),
        (TALLY, "counts[0]", "empty", Tally((0,), {}, ({},))),
        (
            DECISION,
            "certificate.people",
            "one fewer",
            Decision((0, 1), DecisionCertificate("fixed", 1, 6, 1)),
        ),
    ],
)
def test_a_change_makes_another_message(
    body: Body, field: str, change: str, other: Body | None
) -> None:
    assert changed(body, field, change, nobody) == other


def test_what_follows_from_a_field_is_worked_out_again() -> None:
    other = changed(TALLY, "counts[0]", "empty", nobody)
    assert isinstance(other, Tally)
    assert other.totals == (0,) != TALLY.totals


def test_entries_that_are_meant_are_removed() -> None:
    assert changed(ROLL, "people", "less", lambda entry: entry in (0, 5)) == Roll((1,))
    fewer = changed(MARKS, "hashes", "less", lambda entry: entry == HASHES[1])
    assert fewer == BallotMarks((HASHES[0], HASHES[2]))
    other = changed(ACCEPTED, "people", "less", lambda entry: getattr(entry, "person", 0) == 3)
    assert other == Accepted(ACCEPTED.people[:1])


@pytest.mark.parametrize(
    ("field", "change"), [("", "empty"), ("folks", "empty"), ("asks[7]", "empty")]
)
def test_a_field_that_is_not_there_makes_no_message(field: str, change: str) -> None:
    assert changed(CALL, field, change, nobody) is None


def test_no_illegal_message_is_made() -> None:
    assert changed(CALL, "asks", "empty", nobody) is None
    assert changed(replace(CALL, round=255), "round", "one more", nobody) is None


def test_every_field_is_changed_in_every_way_that_fits() -> None:
    changes = set(changes_of(CALL))
    assert {
        ("round", "one more"),
        ("round", "one fewer"),
        ("reader", "another"),
        ("asks", "joined"),
        ("asks", "empty"),
        ("asks[0]", "without the last"),
    } <= changes
    assert ("certificate.k", "one more") in set(changes_of(DECISION))
    assert ("people", "less") in set(changes_of(ROLL))
    assert ("asks[0]", "less") not in changes  # columns are no people


def test_doubled_elements_are_of_another_key() -> None:
    """Twice the output is the output by twice the key; the proof stays that of the one key."""
    other = changed(OUTPUTS, "elements", "doubled", nobody)
    assert other == replace(OUTPUTS, elements=tuple(plus(one, one) for one in OUTPUTS.elements))


def test_rows_of_a_verified_mix_are_exchanged_and_repeated_whole() -> None:
    """Of three rows of two ciphertexts the last is then the first, or the first holds more."""
    other = changed(SHUFFLED, "lists", "repeated", nobody)
    assert other == replace(SHUFFLED, lists=(ballot_rows([*ROWS[:2], ROWS[0]]).encode(),))
    (first, last), second = ROWS[0][0], ROWS[0][1]
    richer = ballot_rows([((first, plus(last, last)), second), *ROWS[1:]]).encode()
    assert changed(SHUFFLED, "lists", "exchanged", nobody) == replace(SHUFFLED, lists=(richer,))


def test_shares_are_those_of_another_key() -> None:
    twice = plus(ELEMENTS[0], ELEMENTS[0])
    other = OpeningShares((b"\0\0\0\2" + twice + ELEMENTS[1] + bytes(64),))
    assert changed(SHARED, "shares", "other key", nobody) == other


def test_every_kind_of_change_fits_some_field() -> None:
    bodies = (CALL, ROLL, MARKS, MINT, TALLY, DECISION, ACCEPTED, OUTPUTS, SHUFFLED, SHARED)
    fits = {change for body in bodies for _, change in changes_of(body)}
    assert set(CHANGES) - fits == {"turned"}


@pytest.mark.parametrize("text", ["people", "certificate.k", "asks[0]", "links[0].place"])
def test_paths_are_read_as_they_are_written(text: str) -> None:
    path = parsed(text)
    assert path is not None
    assert written(path) == text


@pytest.mark.parametrize("text", ["", "[", "a[", "A", "a b"])
def test_what_is_no_path_is_none(text: str) -> None:
    assert parsed(text) is None
