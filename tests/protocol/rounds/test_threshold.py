"""Messages of the program `threshold`: asked for, sealed, read and opened, without a network."""

from collections import Counter

import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.padding import pad, unpad
from veilmix.crypto.suites import suite
from veilmix.crypto.threshold import Sealer
from veilmix.crypto.voprf import OprfKey
from veilmix.errors import ParameterError, Reason, Refused
from veilmix.protocol.board.strategies import first_call
from veilmix.protocol.rounds import threshold
from veilmix.protocol.rounds.opened_prefixes import PREFIXES, WHOLE
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Announcement, Flaw, Program, Rules
from veilmix.protocol.wire.hiding_rules import BLANK
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.token_messages import Query

ENTROPY = SeededEntropy(3)
SCHEMA = Schema((Feature("colour", ("red", "green")), Feature("city", None, 8)))
KEY = OprfKey(ENTROPY.fork("key"))
PAIRS = [suite().keypair(ENTROPY.fork(name)).public for name in ("one", "curator", "analyst")]


def announced(rule: str = PREFIXES, rules: Rules | None = None) -> Announcement:
    return Announcement(
        *("a test", bytes(16), SCHEMA, AnnouncedPolicy(2, 0.0, rule), rules or Rules()),
        *(tuple(PAIRS[:1]), *PAIRS[1:], Program.THRESHOLD),
    )


def plan(rule: str = PREFIXES) -> Round:
    told = announced(rule)
    return open_round(told, told.digest(), first_call(told.program, SCHEMA))


def ballots(at: Round, rows: list[tuple[str, str]]) -> list[bytes]:
    assert at.shape
    sealer, messages = Sealer(at.shape), []
    for number, row in enumerate(rows):
        mine = ENTROPY.fork(str(number))
        asking = threshold.ask(at, row, mine.fork("ask"))
        answer = threshold.evaluate(at, KEY, asking.body, mine.fork("proof"))
        levels = threshold.make_levels(at, asking, answer, KEY.public)
        messages.append(threshold.write(at, sealer, levels, bytes(16), mine))
    return messages


ROWS = [("red", "Ur"), ("red", "Ur"), ("red", "Rome"), ("green", "Ur")]


@pytest.mark.parametrize("rule", [PREFIXES, WHOLE])
def test_what_two_people_share_is_read(rule: str) -> None:
    at = plan(rule)
    written = ballots(at, ROWS)
    assert {len(ballot) for ballot in written} == {at.ballot}
    reading = threshold.open_rows(at, threshold.read_sealed(at, written))
    rest = {("red", BLANK): 1, (BLANK, BLANK): 1} if rule == PREFIXES else {(BLANK, BLANK): 2}
    assert reading.counts == [Counter({("red", "Ur"): 2} | rest)]
    assert not reading.refused
    assert reading.totals == (4,)


def test_a_value_that_nobody_could_say_is_not_read() -> None:
    """Two people agree on a value outside its domain."""
    at = plan()
    reading = threshold.open_rows(at, threshold.read_sealed(at, ballots(at, [("blue", "Ur")] * 2)))
    assert reading.counts == [Counter({(BLANK, BLANK): 2})]


def test_a_ballot_that_holds_no_message_is_refused() -> None:
    at = plan()
    good = ballots(at, ROWS[:1])[0]
    other = bytes((1,)) + good[1:]
    short = pad(b"\0" * 30, at.ballot)
    long = pad(unpad(good) + b"!", at.ballot + 1)
    for wrong in (other, short, long, bytes(at.ballot)):
        reading = threshold.read_sealed(at, [wrong])
        assert (reading.refused, reading.sealed) == ({Reason.MALFORMED: 1}, [])
    assert len(threshold.read_sealed(at, [good]).sealed) == 1


def test_a_person_is_answered_for_its_levels_and_no_more() -> None:
    at = plan()
    elements = threshold.ask(at, ROWS[0], ENTROPY).body.elements
    for wrong in (elements[:1], (*elements, elements[0])):
        with pytest.raises(Refused) as refusal:
            threshold.evaluate(at, KEY, Query(wrong), ENTROPY)
        assert refusal.value.reason is Reason.MALFORMED


def test_an_answer_with_another_key_is_refused() -> None:
    at = plan()
    asking = threshold.ask(at, ROWS[0], ENTROPY)
    answer = threshold.evaluate(at, OprfKey(SeededEntropy(9)), asking.body, ENTROPY)
    with pytest.raises(Refused) as refusal:
        threshold.make_levels(at, asking, answer, KEY.public)
    assert refusal.value.reason is Reason.DOES_NOT_OPEN


@pytest.mark.parametrize(
    "rules",
    [Rules(padded=False), Rules(salted=False), Rules(lesson=True, flaws=(Flaw.REPEATS,))],
)
def test_rows_are_sealed_with_care_or_not_announced(rules: Rules) -> None:
    with pytest.raises(ParameterError, match="threshold: "):
        announced(rules=rules)
