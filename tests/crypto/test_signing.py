"""Signatures: RFC 8032's first vectors, and nothing accepted but what was signed."""

import pickle
from collections.abc import Callable
from hashlib import sha512

import numpy as np
import pytest
from nacl.bindings import (
    crypto_core_ed25519_add,
    crypto_scalarmult_ed25519_base_noclamp,
    crypto_sign_open,
)
from nacl.exceptions import CryptoError
from veilmix.crypto import signing
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.multibuffer import multibuffer
from veilmix.crypto.ristretto import ORDER
from veilmix.crypto.signing import (
    SIGNATURE,
    SIGNING_KEY,
    Signer,
    make_signers,
    sign_all,
    valid_signatures,
    verify_signature,
)
from veilmix.errors import ParameterError, Reason, Refused

# RFC 8032, section 7.1, tests 1 to 3: secret, public, message, signature
RFC8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


class Fixed:
    """An entropy that gives one secret key."""

    def __init__(self, secret: str) -> None:
        self.secret = bytes.fromhex(secret)

    def random(self, n: int) -> bytes:
        assert n == len(self.secret)
        return self.secret


@pytest.mark.parametrize(("secret", "public", "message", "signature"), RFC8032)
def test_keys_and_signatures_are_those_of_rfc_8032(
    secret: str, public: str, message: str, signature: str
) -> None:
    signer = Signer(Fixed(secret))  # type: ignore[arg-type]
    assert signer.public.hex() == public
    assert signer.sign(bytes.fromhex(message)).hex() == signature
    verify_signature(signer.public, bytes.fromhex(message), bytes.fromhex(signature))


def test_any_changed_bit_is_refused() -> None:
    signer = Signer(SeededEntropy(1))
    signature = signer.sign(b"a vote")
    for at in range(SIGNATURE):
        changed = bytearray(signature)
        changed[at] ^= 1
        with pytest.raises(Refused) as caught:
            verify_signature(signer.public, b"a vote", bytes(changed))
        assert caught.value.reason is Reason.UNREGISTERED


@pytest.mark.parametrize("signature", [b"", bytes(SIGNATURE - 1), bytes(SIGNATURE + 1)])
def test_what_has_another_size_is_no_signature(signature: bytes) -> None:
    with pytest.raises(Refused, match="unregistered"):
        verify_signature(Signer(SeededEntropy(1)).public, b"a vote", signature)


def test_another_key_or_message_is_refused() -> None:
    signer, two = Signer(SeededEntropy(1)), Signer(SeededEntropy(2))
    for public, message in ((two.public, b"a vote"), (signer.public, b"another")):
        with pytest.raises(Refused):
            verify_signature(public, message, signer.sign(b"a vote"))
    with pytest.raises(ParameterError, match="33 bytes"):
        verify_signature(signer.public + b"\0", b"a vote", signer.sign(b"a vote"))


def test_a_signer_does_not_show_or_copy_its_secret() -> None:
    signer = Signer(SeededEntropy(1))
    assert len(signer.public) == SIGNING_KEY
    assert repr(signer) == str(signer) == "Signer(secret hidden)"
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(signer)


MANY = 40  # more than the engine asks for
SIGNERS = [Signer(SeededEntropy(at)) for at in range(MANY)]
TEXTS = [b"a vote" * at for at in range(MANY)]
P = 2**255 - 19


@pytest.mark.usefixtures("engine")
def test_signers_and_signatures_are_the_same_together_and_alone() -> None:
    together = make_signers([SeededEntropy(at) for at in range(MANY)])
    assert [signer.public for signer in together] == [signer.public for signer in SIGNERS]
    signed = [signer.sign(text) for signer, text in zip(SIGNERS, TEXTS, strict=True)]
    assert sign_all(together, TEXTS) == signed
    publics = [signer.public for signer in together]
    assert valid_signatures(publics, TEXTS, signed) == [True] * MANY
    assert valid_signatures(publics, TEXTS[::-1], signed) == [False] * MANY
    assert (make_signers([]), sign_all([], []), valid_signatures([], [], [])) == ([], [], [])


def libsodium(public: bytes, text: bytes, signature: bytes) -> bool:
    """What libsodium says of a signature, by itself."""
    try:
        crypto_sign_open(signature + text, public)
    except (CryptoError, ValueError):
        return False
    return len(signature) == SIGNATURE


Triple = tuple[bytes, bytes, bytes]
SECRET = int.from_bytes(SeededEntropy(3).random(32), "little") % ORDER
PUBLIC = crypto_scalarmult_ed25519_base_noclamp(SECRET.to_bytes(32, "little"))
ORDER_8 = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")


def made(
    public: bytes, text: bytes, nonce: int = 7, times: int = 0, secret: int = SECRET
) -> Triple:
    """A signature by a secret; times: how often the order is added to what should be below it."""
    point = crypto_scalarmult_ed25519_base_noclamp(nonce.to_bytes(32, "little"))
    told = int.from_bytes(sha512(point + public + text).digest(), "little")
    scalar = (nonce + told * secret) % ORDER + times * ORDER
    return public, text, point + scalar.to_bytes(32, "little")


def nought(text: bytes) -> Triple:
    """A signature by the secret, with the nonce 0."""
    point = b"\1" + bytes(31)
    told = int.from_bytes(sha512(point + PUBLIC + text).digest(), "little")
    return PUBLIC, text, point + (told * SECRET % ORDER).to_bytes(32, "little")


def respelt(point: bytes, by: int) -> bytes:
    return (int.from_bytes(point, "little") + by).to_bytes(32, "little")


ODD: dict[str, Callable[[bytes], Triple]] = {
    "right": lambda text: made(PUBLIC, text),
    "of-another-text": lambda text: (PUBLIC, text + b"!", made(PUBLIC, text)[2]),
    **{
        f"not-reduced-{times}": lambda text, times=times: made(PUBLIC, text, times=times)
        for times in (1, 2, 7, 14)
    },
    "the-top-bit": lambda text: (
        *(PUBLIC, text),
        made(PUBLIC, text)[2][:63] + bytes([made(PUBLIC, text)[2][63] ^ 0x80]),
    ),
    **{
        f"a-key-of-low-order-{name}": lambda text, key=key: made(key, text, secret=0)
        for name, key in {
            "nought": bytes(32),
            "one": b"\1" + bytes(31),
            "one-with-a-sign": b"\1" + bytes(30) + b"\x80",
            "minus-one": respelt(bytes(32), P - 1),
            "eight": ORDER_8,
            "minus-eight": respelt(bytes(32), P - int.from_bytes(ORDER_8, "little")),
            "spelt-twice": respelt(bytes(32), P + 1),
            "nought-spelt-twice": respelt(bytes(32), P),
        }.items()
    },
    "a-key-and-something-of-order-8": lambda text: made(
        crypto_core_ed25519_add(PUBLIC, ORDER_8), text
    ),
    "a-key-that-is-no-point": lambda text: made(b"\2" + bytes(31), text),
    "a-key-spelt-twice": lambda text: made(respelt(bytes(32), P + 3), text),
    "a-point-that-is-nought": lambda text: nought(text),
    "a-point-of-order-8": lambda text: (PUBLIC, text, ORDER_8 + bytes(32)),
    "nothing": lambda text: (PUBLIC, text, b""),
    "a-byte-more": lambda text: (PUBLIC, text, made(PUBLIC, text)[2] + b"\0"),
    "all-ones": lambda text: (PUBLIC, text, b"\xff" * SIGNATURE),
}


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("name", ODD)
def test_together_just_those_are_taken_that_libsodium_takes(name: str) -> None:
    """Of a hundred texts: with some of them a key's part of order 8 makes no difference."""
    triples = [ODD[name](b"text %d" % at) for at in range(100)]
    expected = [libsodium(*triple) for triple in triples]
    assert valid_signatures(*map(list, zip(*triples, strict=True))) == expected  # type: ignore[arg-type]
    if name == "right":
        assert all(expected)
    elif name != "a-key-and-something-of-order-8":
        assert not any(expected)


def test_the_library_alone_would_take_what_is_not_reduced(engine: str) -> None:
    """Why it has not the last word: libsodium refuses this, as RFC 8032 asks."""
    library = multibuffer()
    if library is None:
        pytest.skip(f"with {engine} there is none to be asked")
    triples = [made(PUBLIC, b"text %d" % at, times=1) for at in range(MANY)]
    publics, texts, signatures = zip(*triples, strict=True)
    assert library.seem_valid(b"".join(publics), texts, b"".join(signatures)).any()
    assert not any(valid_signatures(publics, texts, signatures))


def test_what_is_of_low_order_is_listed_by_its_y() -> None:
    """Four of them are of order 8: twice the point is one of order 4, whose y is 0."""
    four = crypto_core_ed25519_add(ORDER_8, ORDER_8)
    assert int.from_bytes(four, "little") % 2**255 == 0
    assert int.from_bytes(ORDER_8, "little") in signing._LOW_ORDER
    assert len(signing._LOW_ORDER) == 5


class StubEngine:
    """In place of the library, which not every processor has. answer: of every signature."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer

    def seem_valid(self, _publics: bytes, messages: list[bytes], _signatures: bytes) -> np.ndarray:
        """Return the answer for each message."""
        return np.full(len(messages), self.answer)


NOT_ASKED = [
    name for name in ODD if name.startswith(("not-reduced", "a-key-of-low-order", "a-key-spelt"))
]


@pytest.mark.parametrize("name", [*NOT_ASKED, "a-point-of-order-8", "nothing", "a-byte-more"])
def test_the_library_is_not_asked_what_the_equation_does_not_decide(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing, "engine_for", lambda _: StubEngine(True))
    triples = [ODD[name](b"text %d" % at) for at in range(100)]
    assert not any(valid_signatures(*map(list, zip(*triples, strict=True))))  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "valid"), [("right", True), ("of-another-text", False)])
def test_a_signature_that_the_library_refuses_is_decided_by_libsodium(
    name: str, valid: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing, "engine_for", lambda _: StubEngine(False))
    assert valid_signatures(*map(list, zip(ODD[name](b"text"), strict=True))) == [valid]  # type: ignore[arg-type]


def test_keys_of_another_size_are_refused_together_too() -> None:
    with pytest.raises(ParameterError, match="33 bytes"):
        valid_signatures([SIGNERS[0].public + b"\0"] * MANY, TEXTS, [bytes(SIGNATURE)] * MANY)
