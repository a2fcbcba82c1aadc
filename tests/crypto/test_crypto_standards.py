"""Both ways with other implementations: libsodium's sealed box, RFC 9180, X-Wing, bad points."""

from typing import Any

import pytest
from nacl.bindings import crypto_box_keypair, crypto_box_seal, crypto_box_seal_open
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.keys import KeyPair
from veilmix.crypto.layer import open_layer, seal_layer
from veilmix.crypto.suites import Suite, suite
from veilmix.crypto.x25519 import is_public_key
from veilmix.errors import Refused

CONTEXT = bytes(range(32))
SYSTEM = OSEntropy()
RAW = SeededEntropy(4).random(32)
P = 2**255 - 19
NINE_AGAIN = (P + 9).to_bytes(32, "little")  # another spelling of the base point


def parts(name: str) -> tuple[Suite, KeyPair]:
    s = suite(name, lesson=True)
    return s, s.keypair_from(RAW)


@pytest.mark.parametrize("entropy", [SYSTEM, SeededEntropy(1)], ids=repr)
@pytest.mark.parametrize("name", ["sealedbox", "textbook"])
def test_libsodium_opens_what_veilmix_seals(name: str, entropy: Any) -> None:
    s, pair = parts(name)
    layer = seal_layer(s, pair.public, b"value", CONTEXT, entropy)
    assert crypto_box_seal_open(layer[1:], pair.public.raw, RAW) == CONTEXT + b"value"


@pytest.mark.parametrize("name", ["sealedbox", "textbook"])
def test_veilmix_opens_what_libsodium_seals(name: str) -> None:
    s, pair = parts(name)
    sealed = crypto_box_seal(CONTEXT + b"value", pair.public.raw)
    assert open_layer(pair.secret, s.prefix + sealed, CONTEXT) == b"value"


def test_a_key_pair_of_libsodium_is_a_key_pair_here() -> None:
    public, secret = crypto_box_keypair()
    assert suite().keypair_from(secret).public.raw == public


@pytest.mark.parametrize("name", ["hpke-x25519", "hpke-pq"])
def test_hpke_by_hand_and_veilmix_open_each_others_layers(name: str, reader: Any) -> None:
    s, pair = parts(name)
    layer = seal_layer(s, pair.public, b"value", CONTEXT, SYSTEM)
    assert reader.open_layer(name, RAW, layer, CONTEXT) == b"value"
    seal = reader.hpke_x25519_seal if name == "hpke-x25519" else reader.hpke_pq_seal
    by_hand = seal(pair.public.raw, SYSTEM.random(32), b"veilmix layer" + CONTEXT, b"value")
    assert open_layer(pair.secret, s.prefix + by_hand, CONTEXT) == b"value"


def test_hpke_by_hand_is_rfc_9180(reader: Any) -> None:
    """RFC 9180, appendix A.2.1 (base mode, ChaCha20-Poly1305), the first message."""
    h = bytes.fromhex
    recipient = h("8057991eef8f1f1af18f4a9491d16a1ce333f695d4db8e38da75975c4478e0fb")
    public = h("4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a")
    ephemeral = h("f4ec9b33b792c372c1d2c2063507b684ef925b8c75a42dbcbf57d63ccd381600")
    enc = "1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a"
    ciphertext = (
        "1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce81883d2dd1b51a28"
    )
    info, aad = b"Ode on a Grecian Urn", b"Count-0"
    plaintext = b"Beauty is truth, truth beauty"
    sealed = reader.hpke_x25519_seal(public, ephemeral, info, plaintext, aad)
    assert sealed.hex() == enc + ciphertext
    assert reader.hpke_open("hpke-x25519", recipient, sealed, info, aad) == plaintext


def test_a_post_quantum_secret_key_is_an_x_wing_seed() -> None:
    """draft-connolly-cfrg-xwing-kem-08, appendix C, first vector: both ends of the public key."""
    seed = bytes.fromhex("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26")
    public = suite("hpke-pq").keypair_from(seed).public.raw.hex()
    assert public.startswith("e2236b35a8c24b39b10aa1323a96a919a2ced88400633a7b07131713fc14b2b5")
    assert public.endswith("859edb06eff389b27dce59844570216223593d4ba32d9abac8cd049040ef6534")


def forged(name: str, pair: KeyPair, spelling: bytes | None, reader: Any) -> Any:
    """Seal with the ephemeral key whose public key is 9, spelt in one of two ways."""
    ephemeral = (5 * reader.L - 1).to_bytes(32, "little")
    info, public = b"veilmix layer" + CONTEXT, pair.public.raw
    match name:
        case "hpke-x25519":
            return reader.hpke_x25519_seal(public, ephemeral, info, b"A", spelling=spelling)
        case "hpke-pq":
            return reader.hpke_pq_seal(public, ephemeral, info, b"A", spelling)
        case _:
            return reader.seal_box(public, CONTEXT + b"A", ephemeral, spelling)


@pytest.mark.parametrize("name", ["sealedbox", "textbook", "hpke-x25519", "hpke-pq"])
@pytest.mark.parametrize("spelling", [NINE_AGAIN, (2**255 + 9).to_bytes(32, "little")])
def test_a_second_spelling_that_the_library_opens_is_refused(
    name: str, spelling: bytes, reader: Any
) -> None:
    s, pair = parts(name)
    plain = forged(name, pair, None, reader)
    twin = forged(name, pair, spelling, reader)
    assert open_layer(pair.secret, s.prefix + plain, CONTEXT) == b"A"
    assert opened_by_library(name, s, pair, twin) == b"A"  # so the refusal is ours alone
    with pytest.raises(Refused):
        open_layer(pair.secret, s.prefix + twin, CONTEXT)


def opened_by_library(name: str, s: Any, pair: KeyPair, sealed: bytes) -> bytes:
    if name in ("sealedbox", "textbook"):
        return crypto_box_seal_open(sealed, pair.public.raw, RAW)[32:]
    opened: bytes = s._library.decrypt(sealed, pair.secret._handle, info=b"veilmix layer" + CONTEXT)
    return opened


def test_points_of_low_order_are_no_public_keys(reader: Any) -> None:
    """Multiplied by any clamped scalar they give zero; their second spellings are out as well."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    own = X25519PrivateKey.from_private_bytes(RAW)
    for u in sorted(reader.LOW):
        point = u.to_bytes(32, "little")
        with pytest.raises(ValueError, match="shared key"):
            own.exchange(X25519PublicKey.from_public_bytes(point))
        assert not is_public_key(point)
    assert is_public_key((9).to_bytes(32, "little"))
    assert is_public_key((P - 2).to_bytes(32, "little"))
    for u in (P, P + 9, 2**255 - 1, 2**255 + 9, 2**256 - 1):
        assert not is_public_key(u.to_bytes(32, "little"))
