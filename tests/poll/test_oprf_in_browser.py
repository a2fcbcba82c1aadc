"""The oblivious function in a browser: RFC 9497's vectors, Python's, and all that is refused."""

from collections.abc import Callable
from typing import Any

import oprf_kit as RFC
import pytest
from veilmix.crypto import ristretto
from veilmix.crypto.entropy import Drawn, SeededEntropy
from veilmix.crypto.voprf import OprfKey, blinded_by, finalize, hashed
from veilmix.errors import Refused

pytestmark = pytest.mark.slow

ENTROPY = SeededEntropy(74)
KEY, OTHER = OprfKey(ENTROPY.fork("key"), b"round"), OprfKey(ENTROPY.fork("other"), b"round")
INPUTS = [b"", b"one", "Zürich".encode() * 40]
FACTORS = [ristretto.scalar(ENTROPY.fork(f"factor {i}").random(64)) for i in range(len(INPUTS))]
ASKED = blinded_by(FACTORS, INPUTS)
GIVEN, PROOF = KEY.evaluate(ASKED.elements, ENTROPY.fork("nonce"))

Answer = tuple[list[bytes], bytes, bytes]  # elements, proof, the key that is known


def hexed(parts: Any) -> list[str]:
    return [part.hex() for part in parts]


def here(given: list[bytes], proof: bytes, public: bytes) -> dict[str, Any]:
    """What Python makes of an answer."""
    try:
        return {"result": hexed(finalize(ASKED, given, proof, public))}
    except Refused as refusal:
        return {"refused": refusal.reason.value}


def there(phone: Any, given: list[bytes], proof: bytes, public: bytes) -> Any:
    """What the page makes of it."""
    told = hexed(INPUTS), hexed(FACTORS), hexed(given), proof.hex(), public.hex()
    return phone.call("finalized", *told)


@pytest.mark.parametrize("vector", RFC.VECTORS, ids=["A", "B", "A and B"])
def test_the_vectors_of_rfc_9497(phone: Any, vector: Any) -> None:
    inputs, factors, asked, given, _, proof, outputs = vector
    assert phone.call("blinded", hexed(inputs), hexed(factors)) == {"result": hexed(asked)}
    assert phone.call("evaluated", RFC.SECRET.hex(), hexed(asked)) == {"result": hexed(given)}
    told = hexed(inputs), hexed(factors), hexed(given), proof.hex(), RFC.PUBLIC.hex()
    assert phone.call("finalized", *told) == {"result": hexed(outputs)}


def test_hashes_and_blinding_are_those_of_python(phone: Any) -> None:
    inputs = [*INPUTS, bytes(300), ENTROPY.fork("long").random(5000)]
    assert phone.call("hashes", hexed(inputs)) == {"result": hexed(map(hashed, inputs))}
    result = phone.call("blinded", hexed(INPUTS), hexed(FACTORS))
    assert result == {"result": hexed(ASKED.elements)}
    assert there(phone, GIVEN, PROOF, KEY.public) == {"result": hexed(map(KEY.output, INPUTS))}


def test_the_phone_draws_scalars_that_differ(phone: Any) -> None:
    drawn = phone.call("factors", 200)["result"]
    assert len(set(drawn)) == 200
    numbers = [int.from_bytes(bytes.fromhex(scalar), "little") for scalar in drawn]
    assert all(0 < number < ristretto.ORDER for number in numbers)
    assert sum(number > ristretto.ORDER // 2 for number in numbers) in range(50, 150)  # 7 sigma


def marked(proof: bytes) -> Answer:
    """One element of another key: this person's output could be told from all others'."""
    (second,), _ = OTHER.evaluate([ASKED.elements[1]], ENTROPY.fork("n"))
    return [GIVEN[0], second, GIVEN[2]], proof, KEY.public


def proved() -> Answer:
    """The same, with a proof made for it by the one key."""
    given, _, public = marked(PROOF)
    return given, KEY._prove(ASKED.elements, given, RFC.SECOND), public


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]


def beyond(data: bytes) -> bytes:
    """A scalar in another spelling, where there is one of 32 bytes."""
    return (int.from_bytes(data, "little") + ristretto.ORDER).to_bytes(32, "little")


# RFC 9496, A.3: no spelling of a field element, negative, no square, of the wrong sign, y is 0.
NO_ELEMENTS = {
    "not reduced": "ed" + "ff" * 30 + "7f",
    "top bit": "00" + "ff" * 31,
    "identity, not reduced": "f3" + "ff" * 30 + "7f",
    "negative": "01" + "00" * 31,
    "no square": "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
    "xy negative": "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
    "y is 0": "ec" + "ff" * 30 + "7f",
    "identity": "00" * 32,
    "too short": "02" * 31,
    "too long": KEY.public.hex() + "00",
    "nothing": "",
}
WRONG: dict[str, Answer] = {
    "one of another key": marked(PROOF),
    "one of another key, proved": proved(),
    "all of another key": (*OTHER.evaluate(ASKED.elements, ENTROPY.fork("n")), KEY.public),
    "known by another key": (GIVEN, PROOF, OTHER.public),
    "places changed": ([GIVEN[1], GIVEN[0], GIVEN[2]], PROOF, KEY.public),
    "challenge": (GIVEN, flipped(PROOF, 3), KEY.public),
    "response": (GIVEN, flipped(PROOF, 40), KEY.public),
    "challenge spelt otherwise": (GIVEN, beyond(PROOF[:32]) + PROOF[32:], KEY.public),
    "response spelt otherwise": (GIVEN, PROOF[:32] + beyond(PROOF[32:]), KEY.public),
    "proof cut": (GIVEN, PROOF[:-1], KEY.public),
    "proof and more": (GIVEN, PROOF + b"\0", KEY.public),
    "no proof": (GIVEN, b"", KEY.public),
    "one missing": (GIVEN[:2], PROOF, KEY.public),
    "one more": ([*GIVEN, GIVEN[0]], PROOF, KEY.public),
    "none": ([], PROOF, KEY.public),
    "all identities": ([ristretto.IDENTITY] * 3, PROOF, ristretto.IDENTITY),
    **{f"given: {name}": ([GIVEN[0], GIVEN[1], bytes.fromhex(no_element)], PROOF, KEY.public)
       for name, no_element in NO_ELEMENTS.items()},
    **{f"known: {name}": (GIVEN, PROOF, bytes.fromhex(no_element))
       for name, no_element in NO_ELEMENTS.items()},
}  # fmt: skip


def test_what_python_refuses_the_phone_refuses_for_the_same_reason(phone: Any) -> None:
    wrong = {}
    for name, answer in WRONG.items():
        due, result = here(*answer), there(phone, *answer)
        assert "refused" in due, name
        if result != due:
            wrong[name] = result, due
    assert not wrong


def test_the_key_holder_would_refuse_what_is_no_element(phone: Any) -> None:
    for no_element in NO_ELEMENTS.values():
        result = phone.call("evaluated", RFC.SECRET.hex(), [no_element])
        assert result == {"refused": "malformed"}


def forged() -> Answer:
    """A right proof of which the challenge is spelt otherwise: it passes unless spelling counts."""
    for number in range(10_000):
        given, proof = KEY.evaluate(ASKED.elements, ENTROPY.fork(f"nonce {number}"))
        if int.from_bytes(proof[32:], "little") + ristretto.ORDER < 2**255:
            return given, proof[:32] + beyond(proof[32:]), KEY.public
    raise AssertionError("no response is so small")


def of_zero() -> Answer:
    """An answer of a key holder whose key is 0: everybody's outputs are known to all."""
    zero = OprfKey(Drawn(bytes(32)))
    zero._secret, zero.public = bytes(32), ristretto.IDENTITY
    given = [ristretto.IDENTITY] * 3
    return given, zero._prove(ASKED.elements, given, RFC.SECOND), zero.public


GUARDS: dict[str, tuple[str, str, str, Callable[[], Answer]]] = {
    "the proof": (
        "voprf.js", 'required(sodium.memcmp(challenge, due), "does-not-open");', "", proved,
    ),
    "the number of elements": (
        "voprf.js", "evaluated.length === blinded.length && ", "", lambda: WRONG["one more"],
    ),
    "the identity": (
        "group.js", "required(data.length === ELEMENT && !isNothing(data));", "", of_zero,
    ),
    "the spelling of scalars": (
        "group.js",
        "required(data.length === SCALAR && hex(scalar(joined(data, HALF))) === hex(data));",
        "",
        forged,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GUARDS)
def test_without_a_guard_the_phone_would_take_it(
    phone: Any, phone_without: Callable[[str, str, str], Any], name: str
) -> None:
    module, text, becomes, made = GUARDS[name]
    answer = made()
    assert "refused" in here(*answer)
    assert "refused" in there(phone, *answer)
    without = phone_without(module, text, becomes)
    if name == "the number of elements":  # nothing would be counted wrong, but the page would fall
        with pytest.raises(Exception, match="TypeError"):
            there(without, *answer)
    else:
        assert "result" in there(without, *answer)
