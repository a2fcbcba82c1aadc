"""Rows that k people open: what a phone asks, seals and refuses is what Python does."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.analysis.exposure.equal_people import shared_values
from veilmix.crypto import ristretto
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.threshold import Sealer, Shape, open_groups
from veilmix.crypto.voprf import OprfKey
from veilmix.protocol.rounds import threshold
from veilmix.protocol.rounds.exclusion import excluded
from veilmix.protocol.rounds.mixing import open_envelope, open_layers
from veilmix.protocol.rounds.opened_prefixes import PREFIXES, WHOLE, exposed, opened, sampled_rule
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Program
from veilmix.protocol.wire.frames import Message, Seal, decode_message
from veilmix.protocol.wire.hiding_rules import BLANK, HIDDEN
from veilmix.protocol.wire.messages import Call
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.token_messages import Evaluated, Issued, Query

pytestmark = pytest.mark.slow

VECTORS = sorted((Path(__file__).parents[1] / "crypto" / "threshold_vectors").glob("*.json"))
SCHEMA = Schema(
    (
        Feature("colour", ("red", "green", "blue")),
        Feature("city", ("Oslo", "Zürich", "x")),
        Feature("late", ("yes", "no")),
    )
)
ROW = ("green", "Zürich", "yes")
ALL = Call(1, Role.ANALYST, ((0, 1, 2),))
K = 3
RULES = (WHOLE, PREFIXES)


class Asked:
    """A session, its round, and what a phone is told of them."""

    def __init__(self, rule: str, shufflers: int = 2, k: int = K, seed: int = 7) -> None:
        policy = AnnouncedPolicy(k, 0.0, rule)
        self.held = KIT.session(
            shufflers, schema=SCHEMA, policy=policy, program=Program.THRESHOLD, seed=seed
        )
        self.plan: Round = self.held.plan(ALL)
        call = Message(self.plan.session, 1, ALL).encode()
        self.told = self.held.announcement.encode().hex(), call.hex()
        self.key = OprfKey(SeededEntropy(74).fork("key"), b"round")

    def asking(self, seed: int = 5) -> tuple[threshold.PendingOutputs, list[str]]:
        """What Python asks for the row, and its factors."""
        asking = threshold.ask(self.plan, ROW, SeededEntropy(seed))
        return asking, [factor.hex() for factor in asking.blinded_inputs.factors]

    def evaluated(self, asking: threshold.PendingOutputs) -> Evaluated:
        return threshold.evaluate(self.plan, self.key, asking.body, SeededEntropy(6))

    def letter(self, body: Any, number: int = 1, session: bytes = b"", **more: Any) -> bytes:
        return Message(session or self.plan.session, number, body, **more).encode()


def read_here(given: Any) -> Any:
    """What Python makes of a round of messages."""
    shape = Shape(given["needed"], tuple(given["widths"]))
    opening = open_groups(shape, [bytes.fromhex(message) for message in given["messages"]])
    return {
        "texts": [[text.hex() for text in texts] for texts in opening.texts],
        "refused": {str(i): [level, why.value] for i, (level, why) in opening.refused.items()},
        "closed": sorted(
            [[text.hex() for text in around], many] for around, many in opening.closed
        ),
    }


def read_there(phone: Any, given: Any) -> Any:
    """What the browser makes of it."""
    some = {key: given[key] for key in ("needed", "widths", "messages")}
    result = phone.call("openedRound", some)["result"]
    return {**result, "closed": sorted(result["closed"])}


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_published_rounds_are_read_alike(phone: Any, path: Path) -> None:
    vector = json.loads(path.read_text("utf-8"))
    expected = {key: vector[key] for key in ("texts", "refused", "closed")}
    assert read_there(phone, vector) == {**expected, "closed": sorted(expected["closed"])}


def test_rounds_with_a_changed_byte_are_read_alike(phone: Any) -> None:
    """In commitments, text, share, and what is inside; cut short, and longer."""
    vector = json.loads(
        next(vector for vector in VECTORS if vector.stem == "nested").read_text("utf-8")
    )
    whole = bytes.fromhex(vector["messages"][0])
    body = Shape(vector["needed"], tuple(vector["widths"])).body(0)
    for at in (0, body - 1, body, body + 31, body + 32, body + 63, body + 64, len(whole) - 1):
        changed = bytearray(whole)
        changed[at] ^= 1
        for message in (changed, whole[:at], whole + bytes(at + 1)):
            given = {**vector, "messages": [message.hex(), *vector["messages"][1:]]}
            assert read_there(phone, given) == read_here(given), at


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("k", [1, 3, 255])
def test_a_message_is_that_of_python_to_the_byte(phone: Any, rule: str, k: int) -> None:
    asked = Asked(rule, k=k)
    shape = asked.plan.shape
    assert shape is not None
    told = phone.call("shaped", *asked.told)["result"]
    assert (told["needed"], tuple(told["widths"]), told["size"]) == (k, shape.widths, shape.size())
    asking, _ = asked.asking()
    levels = threshold.make_levels(asked.plan, asking, asked.evaluated(asking), asked.key.public)
    made = Sealer(shape).seal(levels, SeededEntropy(8))
    drawn = SeededEntropy(8).random(ristretto.UNIFORM * len(levels))
    places = [
        int.from_bytes(drawn[at : at + 64], "little") % (ristretto.ORDER - 1) + 1
        for at in range(0, len(drawn), ristretto.UNIFORM)
    ]
    given = [level.seed.hex() for level in levels], [x.to_bytes(32, "little").hex() for x in places]
    assert phone.call("messaged", *asked.told, ROW, *given) == {"result": made.hex()}


@pytest.mark.parametrize("rule", RULES)
def test_a_question_is_that_of_python_and_its_answer_gives_the_same_seeds(
    phone: Any, rule: str
) -> None:
    asked = Asked(rule)
    asking, factors = asked.asking()
    assert phone.call("questioned", *asked.told, ROW, factors) == {
        "result": asked.letter(asking.body).hex()
    }
    answer = asked.letter(asked.evaluated(asking)).hex()
    reply = phone.call("seeded", *asked.told, ROW, factors, answer, asked.key.public.hex())
    levels = threshold.make_levels(asked.plan, asking, asked.evaluated(asking), asked.key.public)
    assert reply == {"result": [level.seed.hex() for level in levels]}
    blind = {phone.call("questioned", *asked.told, ROW)["result"] for _ in range(3)}
    assert len(blind) == 3  # equal rows, and nothing equal in what is asked
    for frame in blind:
        body = decode_message(bytes.fromhex(frame)).body
        assert isinstance(body, Query)
        assert asked.evaluated(threshold.PendingOutputs(ROW, asking.blinded_inputs, body))


def wrong_answers(asked: Asked) -> dict[str, tuple[bytes, bytes, str]]:
    """Per name a letter, the key on the board, and why it is refused."""
    asking, _ = asked.asking()
    good, key = asked.evaluated(asking), asked.key.public
    other = OprfKey(SeededEntropy(75).fork("key"), b"round")
    theirs = threshold.evaluate(asked.plan, other, asking.body, SeededEntropy(6))
    marked = Evaluated((theirs.elements[0], *good.elements[1:]), good.proof)
    fewer = Evaluated(good.elements[:-1], good.proof)
    sealed = asked.letter(good, seal=Seal(b"", bytes(64)))
    return {
        "of another key": (asked.letter(theirs), key, "does-not-open"),
        "one of another key": (asked.letter(marked), key, "does-not-open"),
        "another key on the board": (asked.letter(good), other.public, "does-not-open"),
        "one is missing": (asked.letter(fewer), key, "malformed"),
        "of another round": (asked.letter(good, 2), key, "unexpected"),
        "of another session": (asked.letter(good, session=bytes(32)), key, "unexpected"),
        "another message": (asked.letter(Issued(3)), key, "unexpected"),
        "a post": (sealed, key, "unexpected"),
        "cut": (asked.letter(good)[:-1], key, "malformed"),
        "nothing": (b"", key, "malformed"),
    }


def test_what_is_no_answer_of_the_one_key_is_refused(phone: Any) -> None:
    asked = Asked(PREFIXES)
    _, factors = asked.asking()
    for name, (letter, known, why) in wrong_answers(asked).items():
        reply = phone.call("seeded", *asked.told, ROW, factors, letter.hex(), known.hex())
        assert reply == {"refused": why}, name


def test_without_a_guard_a_letter_of_another_round_would_do(
    phone_without: Callable[[str, str, str], Any],
) -> None:
    asked = Asked(PREFIXES)
    _, factors = asked.asking()
    text = 'required(said.kind === "evaluated" && said.seal === null && here, "unexpected");'
    phone = phone_without("threshold.js", text, "")
    for name in ("of another round", "of another session", "a post"):
        letter, known, _ = wrong_answers(asked)[name]
        reply = phone.call("seeded", *asked.told, ROW, factors, letter.hex(), known.hex())
        assert "result" in reply, name


def opened_here(asked: Asked, envelope: bytes) -> list[bytes]:
    """What the reader finds in an envelope, as the parties open it in turn."""
    layers = open_envelope(asked.plan, asked.held.keys["shuffler-1"].secret, envelope)
    for hop in range(2, len(asked.plan.hops) + 1):
        name = asked.plan.openers[hop - 1]
        result = open_layers(asked.plan, hop, asked.held.keys[name].secret, layers)
        assert not result.refused
        layers = result.inside
    return list(layers)


@pytest.mark.parametrize("shufflers", [1, 3])
@pytest.mark.parametrize("rule", RULES)
def test_envelopes_made_in_the_browser_open_in_python_when_k_are_alike(
    phone: Any, rule: str, shufflers: int
) -> None:
    """And two that Python makes are of the same group."""
    asked = Asked(rule, shufflers)
    rows = [ROW, ROW, (*ROW[:2], "no"), ("red", "x", "no")]
    plains: list[bytes] = []
    for row in rows:
        frame = phone.call("question", *asked.told, row)
        body = decode_message(bytes.fromhex(frame["frame"])).body
        assert isinstance(body, Query)
        answer = threshold.evaluate(asked.plan, asked.key, body, SeededEntropy(6))
        told = frame["factors"], asked.letter(answer).hex(), asked.key.public.hex()
        seeds = phone.call("seeded", *asked.told, row, *told)["result"]
        made = phone.call("seal", *asked.told, row, seeds)
        assert len(made["envelope"]) == 2 * asked.plan.envelope
        (plain,) = opened_here(asked, bytes.fromhex(made["envelope"]))
        plains.append(plain)
    sealer = Sealer(asked.plan.shape)  # type: ignore[arg-type]
    for seed in (20, 21):
        asking, _ = asked.asking(seed)
        levels = threshold.make_levels(
            asked.plan, asking, asked.evaluated(asking), asked.key.public
        )
        fresh = SeededEntropy(seed)
        plains.append(threshold.write(asked.plan, sealer, levels, fresh.random(16), fresh))
    reading = threshold.open_rows(asked.plan, threshold.read_sealed(asked.plan, plains))
    everybody = Counter([*rows, ROW, ROW])
    assert reading.counts == [opened(everybody, K, prefixes=rule == PREFIXES)]
    assert not reading.refused


def test_what_python_seals_is_found_by_the_reader_in_the_browser(phone: Any) -> None:
    asked = Asked(PREFIXES, 1)
    assert asked.plan.shape is not None
    sealer, messages = Sealer(asked.plan.shape), []
    for seed in range(K):
        asking, _ = asked.asking(seed)
        levels = threshold.make_levels(
            asked.plan, asking, asked.evaluated(asking), asked.key.public
        )
        fresh = SeededEntropy(30 + seed)
        plain = threshold.write(asked.plan, sealer, levels, fresh.random(16), fresh)
        messages.append(plain[17 : 17 + asked.plan.shape.size()].hex())
    given = {"needed": K, "widths": list(asked.plan.shape.widths), "messages": messages}
    assert read_there(phone, given) == read_here(given)
    assert all(len(texts) == 3 for texts in read_here(given)["texts"])


def test_a_page_seals_no_row_by_itself(phone: Any) -> None:
    """Not without seeds; and nothing that nobody may answer."""
    asked = Asked(PREFIXES)
    with pytest.raises(Exception, match="seeds, where rows are opened"):
        phone.call("seal", *asked.told, ROW)
    seeds = [bytes(32).hex()] * 3
    with pytest.raises(Exception, match="outside-domain"):
        phone.call("seal", *asked.told, ["mauve", "Oslo", "yes"], seeds)


def test_what_a_page_cannot_seal_so_is_refused_in_words(phone: Any) -> None:
    assert phone.call("unable", Asked(PREFIXES).told[0]) == ""
    for rule, k, words in (
        (sampled_rule(1 << 31), 3, "the announced rule is threshold sample=2147483648/4294967296"),
        ("threshold of some", 3, "the announced rule is threshold of some"),
        ("margins", 3, "the announced rule is margins"),
    ):
        policy = AnnouncedPolicy(k, 0.0, rule)
        held = KIT.session(2, schema=SCHEMA, policy=policy, program=Program.THRESHOLD)
        assert words in phone.call("unable", held.announcement.encode().hex())
    policy = AnnouncedPolicy(256, 0.0, WHOLE)
    held = KIT.session(2, schema=SCHEMA, policy=policy, program=Program.THRESHOLD)
    assert "at most 255 can" in phone.call("unable", held.announcement.encode().hex())


def test_shares_are_read_at_places_that_differ(phone: Any) -> None:
    drawn = phone.call("places", 200)["result"]
    numbers = {int.from_bytes(bytes.fromhex(place), "little") for place in drawn}
    assert len(numbers) == 200
    assert all(0 < number < ristretto.ORDER for number in numbers)


def test_what_a_release_says_of_a_row_is_worked_out_as_python_does(phone: Any) -> None:
    honest = {("a", "b"): 3, ("a", BLANK): 2, (BLANK, BLANK): 4}
    greedy = {("a", "b"): 3, ("a", "c"): 1, ("d", BLANK): 2}
    for released in (honest, greedy):
        cells = [[list(cell), many] for cell, many in released.items()]
        for row, ends, own in (
            (["a", "b"], [1, 2], [["a", "b"], 3]),
            (["a", "x"], [1, 2], [["a"], sum(n for (c, _), n in released.items() if c == "a")]),
            (["a", "x"], [2], [[], 0]),
            (["e", "b"], [1, 2], [[], 0]),
        ):
            result = phone.call("released", cells, K, row, ends)["result"]
            assert result == [exposed(released, K), own]
    assert exposed(greedy, K) == 3


def test_what_a_release_says_of_people_who_are_alike_is_worked_out_as_python_does(
    phone: Any,
) -> None:
    names = ["A", "B"]
    for cells in (
        {("a", "b"): 8},
        {("a", "b"): 3, ("a", "c"): 5},
        {("a", "b"): 3, ("c", "b"): 2, ("d", "e"): 4},
        {("a", "b"): 3, ("a", "c"): 2, ("d", "b"): 4, ("d", "c"): 1},
        {("a", "b"): 3, ("a", BLANK): 2, (BLANK, BLANK): 4},
        {(BLANK, BLANK): 4},
    ):
        counts = [[list(cell), people] for cell, people in cells.items()]
        lines = phone.call("alikeIn", names, counts)["result"]
        found = shared_values(cells, HIDDEN)
        wanted = len(found.unanimous) if not found.is_whole else 1
        assert len(lines) == wanted + bool(found.followers)
        assert not found.is_whole or lines == [
            f"All {found.people} people answered the same: their answer is public now."
        ]
        if found.followers:
            assert lines[-1].startswith(f"Of {found.followers} of {found.people} people one answer")


def test_who_is_known_by_exclusion_is_worked_out_as_python_does(phone: Any) -> None:
    found = 0
    for cells in (
        {("a", "b"): 8, (BLANK, BLANK): 2},
        {("a", "b"): 8, ("a", "c"): 5, ("d", "b"): 5, (BLANK, BLANK): 8},
        {("a", "b"): 8, ("a", BLANK): 3, (BLANK, BLANK): 9},
        {("a", "b"): 8, ("a", BLANK): 6, (BLANK, BLANK): 5},
        {(BLANK, BLANK): 5},
        {("a", "b"): 8},
        {("a", BLANK): 5, ("d", BLANK): 7},
    ):
        counts = [[list(cell), people] for cell, people in cells.items()]
        for prefixes, closed in ((False, False), (False, True), (True, False), (True, True)):
            shape = {"prefixes": prefixes, "closes": closed}
            told = phone.call("excludedIn", counts, 5, [2, 2], shape)["result"]
            assert told == excluded(cells, 5, (2, 2), prefixes=prefixes, closed=closed).people
            found += bool(told)
    assert found > 5
