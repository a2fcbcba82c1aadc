"""Registry, alarms: the pure steps of the defences that a session may add."""

from dataclasses import replace
from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.merkle import EMPTY_ROOT
from veilmix.crypto.signing import Signer
from veilmix.errors import ParameterError, Reason, VerificationError
from veilmix.protocol.board.alarms import check_alarm, seen_wrong
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.strategies import strategy_of
from veilmix.protocol.rounds.mixing import batch_digest
from veilmix.protocol.rounds.registered_users import check_senders, registry_root, submission
from veilmix.protocol.rounds.tallying import read_ballots
from veilmix.protocol.wire.announcement import Flaw, Rules
from veilmix.protocol.wire.messages import (
    Alarm,
    Cause,
    Decision,
    DecisionCertificate,
    Mixed,
    Registry,
    Roster,
    Submission,
    Tally,
)
from veilmix.protocol.wire.schema import Schema
from veilmix.protocol.wire.signed_posts import sign_head, witness_of
from veilmix.protocol.wire.wire import Writer

HELD = KIT.session(2, registry=KIT.ROOT)
PLAN = HELD.plan()


# Registered users


def test_what_a_registered_user_signed_is_taken() -> None:
    sent = submission(PLAN, b"an envelope", KIT.SIGNERS[1])
    assert check_senders(PLAN, KIT.REGISTRY, [("user-2", sent)]) == [None]
    assert submission(KIT.session(2).plan(), b"an envelope", KIT.SIGNERS[1]) == Submission(
        b"an envelope"
    )


ELSEWHERE: dict[str, tuple[Any, str, Any]] = {
    "another-user": (PLAN, "user-1", None),
    "a-stranger": (PLAN, "user-4", None),
    "another-round": (HELD.plan(KIT.JOINT), "user-2", None),
    "another-session": (KIT.session(1, registry=bytes(32)).plan(), "user-2", None),
    "another-envelope": (PLAN, "user-2", b"An envelope"),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_signature_counts_once_in_one_place(name: str) -> None:
    plan, sender, envelope = ELSEWHERE[name]
    sent = submission(PLAN, b"an envelope", KIT.SIGNERS[1])
    sent = replace(sent, envelope=envelope or sent.envelope)
    assert check_senders(plan, KIT.REGISTRY, [(sender, sent)]) == [Reason.UNREGISTERED]


def test_a_registry_has_whole_keys_once_each() -> None:
    with pytest.raises(ParameterError, match="32 bytes"):
        Registry((b"short",))
    with pytest.raises(ParameterError, match="none twice"):
        Registry((bytes(32), bytes(32)))
    assert registry_root(None) == b""
    assert registry_root(Registry(())) == EMPTY_ROOT


# Alarms


def board(**changes: Any) -> Board:
    """A board on which round 1 of three people and three questions has been tallied."""
    announcement = KIT.session(2, rules=changes.pop("rules", None) or Rules()).announcement
    mixed = [
        Mixed(1, 3, 3, 9, {}, batch_digest([b"one", b"two"])),
        Mixed(2, 0, 9, 9, {}, batch_digest([b"two", b"one"])),
    ]
    counts = ({("red",): 3}, {("x",): 3}, {("yes",): 3})
    fields: dict[str, Any] = {
        "announcement": announcement,
        "session": announcement.digest(),
        "calls": [KIT.SINGLES],
        "mixed": mixed,
        "tallies": [Tally((3, 3, 3), {}, counts)],
        "decision": Decision((0,), DecisionCertificate("fixed", 2, 3, 0)),
    }
    return Board(**fields | changes)


def decide(_schema: Schema, marginals: Any, n: int) -> Decision:
    assert (marginals, n) == ([[3], [3], [3]], 3)
    return Decision((0,), DecisionCertificate("fixed", 2, 3, 0))


STRATEGY = strategy_of(decide)
OTHER = KIT.session(1).announcement.encode()
SAME = KIT.session(2).announcement.encode()
RETITLED = replace(KIT.session(2).announcement, title="another").encode()
BATCH = Writer().items([b"two", b"one"]).finish()
SENT = batch_digest([b"two", b"one"])
LIE = Decision((0, 1), DecisionCertificate("fixed", 2, 3, 0))
LOST = [Mixed(1, 3, 3, 9, {}, bytes(32)), Mixed(2, 0, 9, 8, {}, bytes(32))]
GAP = [Mixed(1, 3, 3, 9, {}, bytes(32)), Mixed(2, 0, 8, 8, {}, bytes(32))]
SWAPPED = [Mixed(1, 3, 3, 8, {Reason.DUPLICATE: 1}, bytes(32)), Mixed(2, 0, 9, 9, {}, bytes(32))]
UNREAD = [Tally((3, 3, 2), {})]
MORE_READ = [Tally((3, 3, 4), {})]
INVENTED = [Mixed(1, 3, 3, 9, {}, bytes(32)), Mixed(2, 0, 9, 10, {}, bytes(32))]
# name -> (board, alarm, whether it is justified)
BOARD_KEY, ANYBODY = Signer(SeededEntropy(1)), Signer(SeededEntropy(2))
ROSTER = Roster(bytes(16), BOARD_KEY.public, b"c" * 32, b"a" * 32, (b"s" * 32,))
HEAD = sign_head(ROSTER, 1, bytes(32), BOARD_KEY)
OTHER_HEAD = witness_of(sign_head(ROSTER, 1, b"x" * 32, BOARD_KEY))
STRANGE_HEAD = witness_of(sign_head(ROSTER, 1, b"x" * 32, ANYBODY))


def signed(**changes: Any) -> Board:
    signed_board = board()
    signed_board.roster, signed_board.heads = ROSTER, changes.get("heads", {1: HEAD})
    return signed_board


ALARMS: dict[str, tuple[Board, Alarm, bool]] = {
    "balance": (board(tallies=UNREAD), Alarm(1, Cause.BALANCE), True),
    "balance-though-even": (board(), Alarm(1, Cause.BALANCE), False),
    "balance-untallied": (board(tallies=[]), Alarm(1, Cause.BALANCE), False),
    "accounts-lost": (board(mixed=LOST), Alarm(1, Cause.ACCOUNTS), True),
    "accounts-between": (board(mixed=GAP), Alarm(1, Cause.ACCOUNTS), True),
    "accounts-received-more-than-was-sent": (board(mixed=SWAPPED), Alarm(1, Cause.ACCOUNTS), True),
    "accounts-invented": (board(mixed=INVENTED, tallies=[]), Alarm(1, Cause.ACCOUNTS), True),
    "accounts-reader-of-more": (board(tallies=MORE_READ), Alarm(1, Cause.ACCOUNTS), True),
    "accounts-before-there-was-a-round": (board(), Alarm(-1, Cause.ACCOUNTS), False),
    "accounts-reader": (board(tallies=UNREAD), Alarm(1, Cause.ACCOUNTS), True),
    "accounts-though-right": (board(), Alarm(1, Cause.ACCOUNTS), False),
    "accounts-refused": (
        board(mixed=[LOST[0], Mixed(2, 0, 9, 8, {Reason.DUPLICATE: 1}, bytes(32))], tallies=[]),
        Alarm(1, Cause.ACCOUNTS),
        False,
    ),
    "order": (board(), Alarm(1, Cause.ORDER, BATCH), True),
    "order-of-no-batch-sent": (
        board(),
        Alarm(1, Cause.ORDER, Writer().items([b"b", b"a"]).finish()),
        False,
    ),
    "order-of-a-batch-whose-digest-begins-alike": (
        board(mixed=[Mixed(1, 3, 3, 9, {}, SENT[:-1] + bytes([SENT[-1] ^ 1]))]),
        Alarm(1, Cause.ORDER, BATCH),
        False,
    ),
    "order-though-ascending": (
        board(),
        Alarm(1, Cause.ORDER, Writer().items([b"one", b"two"]).finish()),
        False,
    ),
    "order-where-there-is-none": (
        board(rules=Rules(ordered=False)),
        Alarm(1, Cause.ORDER, BATCH),
        False,
    ),
    "order-before-there-is-an-announcement": (Board(), Alarm(0, Cause.ORDER, BATCH), False),
    "order-no-batch": (board(), Alarm(1, Cause.ORDER, b"?"), False),
    "decision": (board(decision=LIE), Alarm(1, Cause.DECISION), True),
    "decision-though-right": (board(), Alarm(1, Cause.DECISION), False),
    "decision-in-a-round-to-come": (board(decision=LIE), Alarm(2, Cause.DECISION), False),
    "decision-unseen": (
        board(decision=LIE, tallies=[Tally((3, 3, 3), {})]),
        Alarm(1, Cause.DECISION),
        False,
    ),
    "announcement": (board(), Alarm(0, Cause.ANNOUNCEMENT, OTHER), False),
    "announcement-with-another-title": (board(), Alarm(0, Cause.ANNOUNCEMENT, RETITLED), False),
    "announcement-though-the-same": (board(), Alarm(0, Cause.ANNOUNCEMENT, SAME), False),
    "announcement-of-nothing": (board(), Alarm(0, Cause.ANNOUNCEMENT, b"?"), False),
    "announcement-in-a-round-to-come": (board(), Alarm(2, Cause.ANNOUNCEMENT, OTHER), False),
    "announcement-before-there-was-one": (board(), Alarm(-1, Cause.ANNOUNCEMENT, OTHER), False),
    "of-a-round-to-come": (board(), Alarm(2, Cause.BALANCE), False),
    "split": (signed(), Alarm(1, Cause.SPLIT, OTHER_HEAD), True),
    "split-though-the-same": (signed(), Alarm(1, Cause.SPLIT, witness_of(HEAD)), False),
    "split-by-another-board": (signed(), Alarm(1, Cause.SPLIT, STRANGE_HEAD), False),
    "split-of-another-place": (signed(heads={2: HEAD}), Alarm(1, Cause.SPLIT, OTHER_HEAD), False),
    "split-where-nothing-is-signed": (board(), Alarm(1, Cause.SPLIT, OTHER_HEAD), False),
    "split-of-no-head": (signed(), Alarm(1, Cause.SPLIT, b"?"), False),
}


@pytest.mark.parametrize("name", ALARMS)
def test_only_a_justified_alarm_passes(name: str) -> None:
    where, alarm, justified = ALARMS[name]
    if justified:
        check_alarm(where, alarm, STRATEGY)
        return
    with pytest.raises(VerificationError, match=alarm.cause.value):
        check_alarm(where, alarm, STRATEGY)


def test_a_watcher_sees_what_the_board_shows() -> None:
    assert list(seen_wrong(board(), 1, STRATEGY)) == []
    wrong = board(mixed=LOST, decision=LIE, tallies=[Tally((3, 3, 2), {}, None)])
    assert {alarm.cause for alarm in seen_wrong(wrong, 1, STRATEGY)} == {
        Cause.BALANCE,
        Cause.ACCOUNTS,
    }
    assert [alarm.cause for alarm in seen_wrong(board(decision=LIE), 1, STRATEGY)] == [
        Cause.DECISION
    ]
    assert list(seen_wrong(board(decision=LIE), 1, None)) == []


def test_every_alarm_of_every_cause_is_tried_both_ways() -> None:
    """But of a changed ballot, which needs a session (tests/roles/test_challenge.py).

    Of another announcement nothing can be proved, whatever its evidence is.
    """
    tried = {(alarm.cause, justified) for _, alarm, justified in ALARMS.values()}
    causes = set(Cause) - {Cause.CHANGED}
    both = {(cause, justified) for cause in causes for justified in (True, False)}
    assert tried == both - {(Cause.ANNOUNCEMENT, True)}


def test_what_cannot_be_proved_says_so() -> None:
    with pytest.raises(VerificationError, match="signed by no party"):
        check_alarm(board(), Alarm(0, Cause.ANNOUNCEMENT, RETITLED), STRATEGY)


# Design errors are for lessons


def test_flaws_belong_to_lessons() -> None:
    with pytest.raises(ParameterError, match="deliberate weaknesses are accepted only in a lesson"):
        Rules(flaws=(Flaw.ONE_KEY,))
    with pytest.raises(ParameterError, match="in this order"):
        Rules(lesson=True, flaws=(Flaw.ONE_KEY, Flaw.UNBOUND))


@pytest.mark.parametrize("padded", [True, False])
def test_a_bundle_is_counted_like_single_ballots(padded: bool) -> None:
    rules = Rules(lesson=True, flaws=(Flaw.BUNDLED,), padded=padded)
    held, plain = KIT.session(2, rules=rules), KIT.session(2)
    counted = []
    for session in (held, plain):
        plan = session.plan()
        opened = KIT.mix(session, plan, [envelope.envelope for envelope in KIT.seal(plan)])
        counted.append(read_ballots(plan, opened).counts)
        assert len(opened) == len(KIT.ROWS) * plan.slots
    assert counted[0] == counted[1]


def test_a_broken_bundle_is_refused_whole() -> None:
    rules = Rules(lesson=True, flaws=(Flaw.BUNDLED,), padded=False)
    plan = KIT.session(1, rules=rules).plan()
    reading = read_ballots(plan, [b"", b"\0\0\0\1!", bytes(40)])
    assert reading.refused == {Reason.MALFORMED: 3}
    assert reading.totals == (0, 0, 0)
