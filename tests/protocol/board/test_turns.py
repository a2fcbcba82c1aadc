"""The table of turns: which parties post what in a round, once, and after which other posts."""

from types import SimpleNamespace
from typing import Any

import pytest
from veilmix.errors import Reason, Refused
from veilmix.protocol.board.audit_posts import Audited
from veilmix.protocol.board.phases import BOARD, MOVES, TURNS, Phase, Progress
from veilmix.protocol.board.post_content import CHECKS
from veilmix.protocol.rounds.audit import coin_of
from veilmix.protocol.wire.announcement import Program
from veilmix.protocol.wire.audit_messages import Coin, Toss
from veilmix.protocol.wire.messages import Kind
from veilmix.protocol.wire.parties import Role

OPENERS = ("shuffler-1", "shuffler-2", "shuffler-3", "analyst")
STRANGERS = ("shuffler-4", "shuffler-12", "curator", "user-1", "randomness", "board")

# Written down a second time: kind, a rule that it needs, its parties in order, the kinds before.
TABLE = """
mint      tokens     analyst                                       -
mint      threshold  randomness                                    -
issued    tokens     analyst                                       mint
share     challenge  shuffler-1 shuffler-2 shuffler-3 analyst      -
coin      audit      shuffler-1 shuffler-2 shuffler-3 analyst      -
accepted  challenge  shuffler-1                                    -
accepted  audit      shuffler-1                                    -
mixed     audit      shuffler-1 > shuffler-2 > shuffler-3          coin accepted
mixed     challenge  shuffler-1 > shuffler-2 > shuffler-3          accepted
traced    audit      shuffler-1 shuffler-2                         -
toss      audit      shuffler-1 shuffler-2 shuffler-3 analyst      mixed traced
opened    audit      shuffler-1 shuffler-2                         toss
heard     challenge  analyst                                       mixed
shown     challenge  shuffler-1 shuffler-2 shuffler-3              -
keys      verified   shuffler-1 shuffler-2 shuffler-3 analyst      -
handed    verified   analyst > shuffler-1 > shuffler-2 > shuffler-3  keys
checked   verified   shuffler-1 shuffler-2 shuffler-3 analyst      handed
shuffled  verified   shuffler-1 > shuffler-2 > shuffler-3          checked
shared    verified   shuffler-1 shuffler-2 shuffler-3 analyst      shuffled
tally     tokens     analyst                                       mixed issued
tally     challenge  analyst                                       mixed shown
tally     audit      analyst                                       mixed opened
tally     verified   analyst                                       shared
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]


def row(line: list[str]) -> tuple[Kind, str, tuple[str, ...], tuple[Kind, ...], bool]:
    """Return the kind, the rule, the parties, the kinds before, and whether parties wait."""
    kind, rule, *rest = line
    names = [name for name in rest if "-" in name or name in ("analyst", "randomness")]
    due = tuple(name for name in names if name != "-")
    before = tuple(Kind[name.upper()] for name in rest if name.upper() in Kind.__members__)
    return Kind[kind.upper()], rule, due, before, ">" in rest


def progress(kind: Kind, rule: str = "", **changes: Any) -> Progress:
    """A session in a phase that allows the kind: round 2, with one rule on, nothing posted yet."""
    rules = dict.fromkeys(("tokens", "challenge", "audit", "verified"), False) | {rule: True}
    program = Program.THRESHOLD if rule == "threshold" else Program.TWO_ROUND
    announcement: Any = SimpleNamespace(rules=SimpleNamespace(**rules), program=program)
    plan: Any = SimpleNamespace(
        call=SimpleNamespace(round=2),
        openers=OPENERS,
        shape=object() if rule == "threshold" else None,
        key_owners=OPENERS,
        doors=(OPENERS[-1], *OPENERS[:-1]),
        is_public=changes.get("is_public", True),
    )
    phase = next(phase for phase, moves in MOVES.items() if kind in moves)
    return Progress(phase=phase, announcement=announcement, plan=plan)


def posted(at: Progress, kind: Kind, *parties: str, number: int = 2) -> Progress:
    for party in parties:
        at.advance(party, kind, number, at.phase)
    return at


def may(at: Progress, author: str, kind: Kind) -> bool:
    """Whether the tables allow a post now; every other post is unexpected."""
    try:
        at.next_phase(author, kind)
    except Refused as refusal:
        return refusal.reason is not Reason.UNEXPECTED
    return True


def ready(line: list[str]) -> Progress:
    """The session of a row, in which all that comes before has been posted."""
    kind, rule, _, before, _ = row(line)
    at = progress(kind, rule)
    for earlier in before:
        due = next(row(other)[2] for other in ROWS if row(other)[0] is earlier)
        posted(at, earlier, *due)
    return at


def test_every_post_has_a_turn() -> None:
    kinds = {kind for moves in MOVES.values() for kind, move in moves.items()}
    posts = {
        kind for moves in MOVES.values() for kind, move in moves.items() if BOARD in move.hearers
    }
    assert set(TURNS) == posts
    assert set(CHECKS) < posts < kinds


@pytest.mark.parametrize("line", ROWS, ids=lambda line: f"{line[0]}-{line[1]}")
def test_the_parties_of_a_kind_post_it_once_and_no_other_party(line: list[str]) -> None:
    kind, _, due, _, in_order = row(line)
    at = ready(line)
    for place, party in enumerate(due):
        for other in {*OPENERS, *STRANGERS} - {party}:
            allowed = not in_order and other in due[place:]
            assert may(at, other, kind) is allowed, other
        assert may(at, party, kind)
        posted(at, kind, party)
    for party in due:  # whoever posted after it
        assert not may(at, party, kind)


@pytest.mark.parametrize("line", ROWS, ids=lambda line: f"{line[0]}-{line[1]}")
def test_a_kind_waits_for_all_posts_before_it(line: list[str]) -> None:
    kind, _, due, before, _ = row(line)
    for earlier in before:
        for party in ready(line).authors[2, earlier]:
            at = ready(line)
            at.authors[2, earlier].remove(party)
            assert not may(at, due[0], kind), (earlier, party)


@pytest.mark.parametrize("line", ROWS, ids=lambda line: f"{line[0]}-{line[1]}")
def test_a_session_without_the_rule_has_no_such_post(line: list[str]) -> None:
    kind, rule, due, _, _ = row(line)
    if kind in (Kind.MIXED, Kind.TALLY):
        return
    other = "verified" if rule != "verified" else "audit"
    at = ready(line)
    at.announcement = progress(kind, other).announcement
    assert not any(may(at, party, kind) for party in due)


def test_a_verified_mix_has_no_accounts_of_shufflers() -> None:
    assert may(progress(Kind.MIXED), "shuffler-1", Kind.MIXED)
    assert not may(progress(Kind.MIXED, "verified"), "shuffler-1", Kind.MIXED)


def test_a_reader_of_secret_counts_gives_no_shares_and_is_not_awaited() -> None:
    at = progress(Kind.SHARED, "verified", is_public=False)
    posted(at, Kind.SHUFFLED, *OPENERS[:-1])
    assert not may(at, "analyst", Kind.SHARED)
    posted(at, Kind.SHARED, *OPENERS[:-1])
    assert may(at, "analyst", Kind.TALLY)


def test_posts_of_an_earlier_round_count_for_nothing() -> None:
    at = posted(progress(Kind.COIN, "audit"), Kind.COIN, *OPENERS, number=1)
    assert may(at, "analyst", Kind.COIN)
    posted(at, Kind.ACCEPTED, "shuffler-1")
    assert not may(at, "shuffler-1", Kind.MIXED)


def test_requests_and_answers_follow_the_key_of_tokens() -> None:
    at = progress(Kind.ASK, "tokens")
    assert not may(at, "user-1", Kind.ASK)
    assert not may(at, "analyst", Kind.GRANTED)
    posted(at, Kind.MINT, "analyst")
    posted(at, Kind.ASK, "user-2", "user-12")
    assert may(at, "user-1", Kind.ASK)
    assert not may(at, "user-2", Kind.ASK)
    assert not may(at, "curator", Kind.GRANTED)
    posted(at, Kind.GRANTED, "analyst")
    assert may(at, "analyst", Kind.GRANTED)


def test_keyholders_alone_consent_burn_and_raise_alarms() -> None:
    at = Progress()
    for party in ("shuffler-1", "analyst"):
        assert may(at, party, Kind.KEY)
        assert not may(at, party, Kind.BURNED)
        posted(at, Kind.KEY, party, number=0)
        assert not may(at, party, Kind.KEY)
        assert may(at, party, Kind.BURNED)
    at.phase = Phase.ANNOUNCED
    assert may(at, "analyst", Kind.CONSENT)
    assert not may(at, "shuffler-12", Kind.CONSENT)
    for party in ("curator", "analyst", "user-7"):
        assert may(at, party, Kind.ALARM)
    for party in ("shuffler-12", "randomness"):
        assert not may(at, party, Kind.ALARM)
    posted(at, Kind.CONSENT, "analyst", number=0)
    assert not may(at, "curator", Kind.CALL)
    posted(at, Kind.CONSENT, "shuffler-1", number=0)
    assert may(at, "curator", Kind.CALL)


def test_roles_of_the_moves_still_hold() -> None:
    assert {role for move in MOVES[Phase.MIXING].values() for role in move.speakers} <= set(Role)
    at = posted(progress(Kind.MIXED), Kind.KEY, "shuffler-1", number=0)
    assert not may(at, "shuffler-1", Kind.TALLY)


TOSS = Toss(bytes(32))


@pytest.mark.parametrize("changed", [0, 15, 16, 31])
def test_a_toss_is_that_of_its_coin_to_the_last_byte(changed: int) -> None:
    coin = coin_of(bytes(32), 2, "shuffler-1", TOSS)
    digest = bytearray(coin.digest)
    audited = Audited(coins={2: {"shuffler-1": coin}})
    board: Any = SimpleNamespace(session=bytes(32), number=2, audited=audited)
    assert CHECKS[Kind.TOSS](board, "shuffler-1", TOSS)
    digest[changed] ^= 1
    audited.coins[2]["shuffler-1"] = Coin(bytes(digest))
    with pytest.raises(Refused, match="malformed"):
        CHECKS[Kind.TOSS](board, "shuffler-1", TOSS)
