"""The browser reads the published vectors as Python does, and makes what Python opens."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.suites import suite
from veilmix.protocol.rounds.ballots import read_ballot
from veilmix.protocol.rounds.mixing import open_envelope, open_layers
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire.announcement import Rules, decode_announcement
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.hiding_rules import Mask, Redact
from veilmix.protocol.wire.messages import Call
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
FOLDERS = (TESTS / "crypto" / "vectors", TESTS / "protocol" / "vectors")
# Kinds that a phone has nothing to do with, and why.
NOT_HERE = {
    "committed": "only the analyst has the key of what is sealed",
    "peers": "peers have no page",
    "peer-layer": "peers have no page",
    "peer-share": "peers have no page",
    "peer-ballot": "peers have no page",
    "agree": "peers have no page",
}
OTHER_SUITES = ("hpke-x25519", "hpke-pq", "textbook")
PUBLIC = Schema(
    (
        Feature("colour", ("red", "green", "blue")),
        Feature("city", ("Oslo", "Zürich", "x")),
        Feature("late", ("yes", "no")),
    )
)


def vectors() -> Iterator[tuple[Path, Any]]:
    for folder in FOLDERS:
        for path in sorted(folder.glob("*.json")):
            yield path, json.loads(path.read_text("utf-8"))


def given(vector: Any) -> Any:
    """What a vector gives; a seed as text, for not every one is a number of JavaScript."""
    inputs = vector["input"]
    return {**inputs, "seed": str(inputs["seed"])} if "seed" in inputs else inputs


def of_another_suite(vector: Any) -> bool:
    """Whether a layer, an onion or a key is of a suite that the browser has not."""
    return vector["kind"] in ("layer", "onion") and vector["input"]["suite"] in OTHER_SUITES


def test_every_vector_of_what_a_phone_handles_is_read_alike(phone: Any) -> None:
    """Positive and negative: the same result, or a refusal for the same reason."""
    wrong, read = [], 0
    for path, vector in vectors():
        if vector["kind"] in NOT_HERE or of_another_suite(vector):
            continue
        result = phone.call("read", vector["kind"], given(vector))
        read += 1
        if result != vector["expect"]:
            wrong.append((path.stem, result, vector["expect"]))
    assert not wrong
    assert read > 450


def test_layers_of_suites_that_are_not_here_do_not_open(phone: Any) -> None:
    """Also those that a holder of the other suite opens.

    Some vectors say that a key of another suite opens no layer that is marked as a sealed box; a
    page has no key of another suite.
    """
    some = [vector for _, vector in vectors() if of_another_suite(vector)]
    assert {vector["input"]["suite"] for vector in some} == set(OTHER_SUITES)
    for vector in some:
        layer = vector["input"]["layer" if vector["kind"] == "layer" else "onion"]
        if not layer.startswith("01"):
            result = phone.call("read", vector["kind"], given(vector))
            assert result == {"refused": "does-not-open"}, vector["title"]


@pytest.mark.parametrize("name", OTHER_SUITES)
def test_a_session_of_another_suite_is_refused_in_words(phone: Any, name: str) -> None:
    held = KIT.session(1, name, PUBLIC)
    said = phone.call("unable", held.announcement.encode().hex())
    assert name in said
    assert "libsodium's sealed box" in said
    called = Message(held.announcement.digest(), 1, KIT.SINGLES).encode().hex()
    with pytest.raises(Exception, match=name):
        phone.call("seal", held.announcement.encode().hex(), called, ["red", "Oslo", "yes"])


def test_a_session_with_an_open_question_is_refused_in_words(phone: Any) -> None:
    said = phone.call("unable", KIT.session(2).announcement.encode().hex())
    assert "a question is open" in said
    assert phone.call("unable", KIT.session(2, schema=PUBLIC).announcement.encode().hex()) == ""


def test_a_session_of_persons_with_several_rows_is_refused_in_words(phone: Any) -> None:
    held = KIT.session(2, schema=PUBLIC, rules=Rules(rows=6))
    assert "several rows" in phone.call("unable", held.announcement.encode().hex())


def secret_of(party: str) -> bytes:
    """The secret key of a party of KIT's sessions, which no key object shows."""
    secret = SeededEntropy(7).fork(party).random(32)
    assert suite().keypair_from(secret).public == KIT.pair(party).public
    return secret


CALLS = (
    KIT.SINGLES,
    KIT.JOINT,
    Call(3, Role.CURATOR, ((0, 1), (0, 2), (1, 2))),
    Call(2, Role.ANALYST, ((0, 1),), (Mask(0, ("red",)), Mask(1, ("x",)))),
    Call(2, Role.ANALYST, ((0, 1),), (Redact(1, ("Zürich",), 0),)),
)


def opened(held: Any, plan: Round, envelope: bytes) -> list[Any]:
    """What an envelope says, as the parties open it in turn."""
    layers = open_envelope(plan, held.keys["shuffler-1"].secret, envelope)
    for hop in range(2, len(plan.hops) + 1):
        name = plan.openers[hop - 1]
        result = open_layers(plan, hop, held.keys[name].secret, layers)
        assert not result.refused
        layers = result.inside
    return sorted(read_ballot(plan, layer) for layer in layers)


@pytest.mark.parametrize("shufflers", [1, 2, 3])
@pytest.mark.parametrize("call", CALLS, ids=["singles", "joint", "pairs", "masked", "redacted"])
def test_an_envelope_made_in_the_browser_opens_in_python(
    phone: Any, shufflers: int, call: Call
) -> None:
    held = KIT.session(shufflers, schema=PUBLIC)
    plan = held.plan(call)
    encoded = held.announcement.encode()
    assert decode_announcement(encoded) == held.announcement
    row = ("green", "Zürich", "yes")
    called = Message(held.announcement.digest(), call.round, call).encode()
    made = phone.call("seal", encoded.hex(), called.hex(), row)
    said = opened(held, plan, bytes.fromhex(made["envelope"]))
    rules = {rule.column: rule for rule in call.hidden}
    expected = []
    for ask, columns in enumerate(call.asks):
        words = [
            " other"
            if isinstance(rules.get(column), Mask)
            else " blank"
            if column in rules
            and isinstance(rule := rules[column], Redact)
            and row[column] in rule.values
            else row[column]
            for column in columns
        ]
        expected.append((ask, tuple(words)))
    assert [(ballot.ask, ballot.values) for ballot in said] == expected
    other = phone.call("seal", encoded.hex(), called.hex(), row)["envelope"]
    assert len(other) == len(made["envelope"])
    assert other != made["envelope"]


@pytest.mark.parametrize("shufflers", [1, 2])
def test_an_envelope_made_in_python_opens_in_the_browser(phone: Any, shufflers: int) -> None:
    held = KIT.session(shufflers, schema=PUBLIC)
    plan = held.plan(KIT.SINGLES)
    rows = [("red", "Oslo", "yes"), ("green", "Zürich", "no")]
    called = Message(held.announcement.digest(), 1, KIT.SINGLES).encode().hex()
    secrets = [secret_of(name).hex() for name in plan.openers]
    for row, sealed in zip(rows, KIT.seal(plan, rows), strict=True):
        told = held.announcement.encode().hex(), called, secrets, sealed.envelope.hex()
        ballots = phone.call("open", *told)
        said = sorted((ballot["ask"], *ballot["values"]) for ballot in ballots)
        assert said == [(ask, value) for ask, value in enumerate(row)]


def test_an_answer_outside_the_domain_is_not_sealed(phone: Any) -> None:
    held = KIT.session(1, schema=PUBLIC)
    called = Message(held.announcement.digest(), 1, KIT.SINGLES).encode().hex()
    with pytest.raises(Exception, match="outside-domain"):
        phone.call("seal", held.announcement.encode().hex(), called, ["mauve", "Oslo", "yes"])
