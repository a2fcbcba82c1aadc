"""A second reader of the sealed bytes, written from docs/wire.md and the standards it names.

Imports nothing from veilmix: libsodium's sealed box through PyNaCl, AEAD, X25519 and ML-KEM from
pyca/cryptography, hashes from the standard library. HPKE (RFC 9180, base mode) and X-Wing are
spelt out by hand. `read(kind, inputs)` gives the result of a vector or raises `Rejected`.
"""

import hashlib
import hmac
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from nacl.bindings import crypto_box, crypto_box_seal_open, crypto_scalarmult_base
from nacl.exceptions import CryptoError

CODES = {"sealedbox": 0x01, "hpke-x25519": 0x02, "hpke-pq": 0x03, "textbook": 0xFF}
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493  # the order of X25519's base point
LOW = {
    0,
    1,
    P - 1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
}


class Rejected(Exception):
    """The bytes are refused; the argument is the reason's name."""


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Rejected(reason)


def is_point(data: bytes) -> bool:
    u = int.from_bytes(data, "little")
    return len(data) == 32 and u < P and u not in LOW


# Keys


def public_of(suite: str, secret: bytes) -> bytes:
    """Compute the raw public key of a secret key of 32 bytes."""
    if suite != "hpke-pq":
        return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
    lattice, curve = xwing_expand(secret)
    return lattice.public_key().public_bytes_raw() + curve.public_key().public_bytes_raw()


def xwing_expand(seed: bytes) -> tuple[MLKEM768PrivateKey, X25519PrivateKey]:
    expanded = hashlib.shake_256(seed).digest(96)
    lattice = MLKEM768PrivateKey.from_seed_bytes(expanded[:64])
    return lattice, X25519PrivateKey.from_private_bytes(expanded[64:])


def decode_key(encoded: bytes) -> dict[str, str]:
    names = {code: name for name, code in CODES.items()}
    require(bool(encoded) and encoded[0] in names, "malformed")
    name, raw = names[encoded[0]], encoded[1:]
    lattice = 1184 if name == "hpke-pq" else 0
    require(len(raw) == lattice + 32 and is_point(raw[lattice:]), "malformed")
    for i in range(0, lattice - 32, 3):  # two coefficients of 12 bits each; the last 32 are rho
        pair = int.from_bytes(raw[i : i + 3], "little")
        require(pair & 0xFFF < 3329 and pair >> 12 < 3329, "malformed")
    digest = hashlib.blake2b(encoded, digest_size=8, person=b"veilmix.print").hexdigest()
    return {"suite": name, "raw": raw.hex(), "fingerprint": f"{name}:{digest}"}


# Seeded entropy


def entropy(seed: int, path: list[str], size: int) -> bytes:
    """Compute the first bytes of the stream at a path of fork labels below a seed."""
    key = hashlib.blake2b(
        seed.to_bytes(8, "little"), digest_size=32, person=b"veilmix.seed"
    ).digest()
    for label in path:
        key = hashlib.blake2b(
            label.encode(), digest_size=32, key=key, person=b"veilmix.fork"
        ).digest()
    blocks = (
        hashlib.blake2b(i.to_bytes(8, "little"), key=key, person=b"veilmix.stream").digest()
        for i in range(-(-size // 64))
    )
    return b"".join(blocks)[:size]


# Sealed boxes


def seal_box(
    recipient: bytes, message: bytes, ephemeral: bytes, spelling: bytes | None = None
) -> bytes:
    """Make a sealed box; `spelling` writes the ephemeral point in another way."""
    point = spelling or crypto_scalarmult_base(ephemeral)
    nonce = hashlib.blake2b(point + recipient, digest_size=24).digest()
    return point + crypto_box(message, nonce, recipient, ephemeral)


def open_box(secret: bytes, sealed: bytes, context: bytes) -> bytes:
    require(len(sealed) >= 80 and is_point(sealed[:32]), "does-not-open")
    try:
        message = crypto_box_seal_open(sealed, crypto_scalarmult_base(secret), secret)
    except CryptoError:
        raise Rejected("does-not-open") from None
    require(message[:32] == context, "does-not-open")
    return message[32:]


def textbook_ephemeral(recipient: bytes, message: bytes) -> bytes:
    return hashlib.blake2b(
        message, digest_size=32, key=recipient, person=b"veilmix.textbook"
    ).digest()


# HPKE, RFC 9180: base mode, HKDF-SHA256, ChaCha20-Poly1305

X25519_KEM, XWING_KEM, HKDF_SHA256, CHACHA20 = 0x0020, 0x647A, 0x0001, 0x0003


def extract(suite_id: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite_id + label + ikm, "sha256")


def expand(suite_id: bytes, prk: bytes, label: bytes, info: bytes, size: int) -> bytes:
    labeled = size.to_bytes(2, "big") + b"HPKE-v1" + suite_id + label + info
    return hmac.digest(prk, labeled + b"\x01", "sha256")[:size]  # one block: size <= 32


def dhkem_secret(dh: bytes, enc: bytes, recipient: bytes) -> bytes:
    suite_id = b"KEM" + X25519_KEM.to_bytes(2, "big")
    prk = extract(suite_id, b"", b"eae_prk", dh)
    return expand(suite_id, prk, b"shared_secret", enc + recipient, 32)


def xwing_secret(lattice: bytes, curve: bytes, point: bytes, recipient: bytes) -> bytes:
    return hashlib.sha3_256(lattice + curve + point + recipient[1184:] + rb"\.//^" + b"\\").digest()


def key_schedule(kem: int, shared: bytes, info: bytes) -> tuple[bytes, bytes]:
    """Derive the key and the first nonce."""
    suite_id = b"HPKE" + b"".join(x.to_bytes(2, "big") for x in (kem, HKDF_SHA256, CHACHA20))
    hashes = [
        extract(suite_id, b"", b"psk_id_hash", b""),
        extract(suite_id, b"", b"info_hash", info),
    ]
    context = b"\x00" + b"".join(hashes)
    secret = extract(suite_id, shared, b"secret", b"")
    return (
        expand(suite_id, secret, b"key", context, 32),
        expand(suite_id, secret, b"base_nonce", context, 12),
    )


def hpke_seal(
    kem: int, shared: bytes, enc: bytes, info: bytes, plaintext: bytes, aad: bytes = b""
) -> bytes:
    key, nonce = key_schedule(kem, shared, info)
    return enc + ChaCha20Poly1305(key).encrypt(nonce, plaintext, aad)


def hpke_x25519_seal(
    recipient: bytes,
    ephemeral: bytes,
    info: bytes,
    plaintext: bytes,
    aad: bytes = b"",
    spelling: bytes | None = None,
) -> bytes:
    own = X25519PrivateKey.from_private_bytes(ephemeral)
    enc = spelling or own.public_key().public_bytes_raw()
    shared = dhkem_secret(
        own.exchange(X25519PublicKey.from_public_bytes(recipient)), enc, recipient
    )
    return hpke_seal(X25519_KEM, shared, enc, info, plaintext, aad)


def hpke_pq_seal(
    recipient: bytes,
    ephemeral: bytes,
    info: bytes,
    plaintext: bytes,
    spelling: bytes | None = None,
) -> bytes:
    own = X25519PrivateKey.from_private_bytes(ephemeral)
    point = spelling or own.public_key().public_bytes_raw()
    curve = own.exchange(X25519PublicKey.from_public_bytes(recipient[1184:]))
    lattice, ciphertext = MLKEM768PublicKey.from_public_bytes(recipient[:1184]).encapsulate()
    shared = xwing_secret(lattice, curve, point, recipient)
    return hpke_seal(XWING_KEM, shared, ciphertext + point, info, plaintext)


def hpke_open(suite: str, secret: bytes, sealed: bytes, info: bytes, aad: bytes = b"") -> bytes:
    pq = suite == "hpke-pq"
    size = 1120 if pq else 32
    enc, point, recipient = sealed[:size], sealed[size - 32 : size], public_of(suite, secret)
    require(len(sealed) >= size + 16 and is_point(point), "does-not-open")
    their = X25519PublicKey.from_public_bytes(point)
    if pq:
        lattice, own = xwing_expand(secret)
        shared = xwing_secret(
            lattice.decapsulate(enc[:1088]), own.exchange(their), point, recipient
        )
    else:
        own = X25519PrivateKey.from_private_bytes(secret)
        shared = dhkem_secret(own.exchange(their), enc, recipient)
    key, nonce = key_schedule(XWING_KEM if pq else X25519_KEM, shared, info)
    try:
        return ChaCha20Poly1305(key).decrypt(nonce, sealed[size:], aad)
    except InvalidTag:
        raise Rejected("does-not-open") from None


# Layers, onions, padding


def open_layer(suite: str, secret: bytes, layer: bytes, context: bytes) -> bytes:
    require(layer[:1] == bytes((CODES[suite],)), "does-not-open")
    if suite in ("sealedbox", "textbook"):
        return open_box(secret, layer[1:], context)
    return hpke_open(suite, secret, layer[1:], b"veilmix layer" + context)


def make_layer(suite: str, public: bytes, plaintext: bytes, context: bytes, drawn: bytes) -> bytes:
    """Make the layer of a reproducible suite from the 32 bytes that its entropy gave."""
    message = context + plaintext
    ephemeral = textbook_ephemeral(public, message) if suite == "textbook" else drawn
    return bytes((CODES[suite],)) + seal_box(public, message, ephemeral)


def unpad(padded: bytes) -> bytes:
    end = len(padded)
    while end and padded[end - 1] == 0:
        end -= 1
    require(end > 0 and padded[end - 1] == 0x80, "malformed")
    return padded[: end - 1]


# Merkle trees, RFC 6962, section 2.1: recursive, from the definition


def leaf(entry: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry).digest()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def split(size: int) -> int:
    k = 1
    while 2 * k < size:
        k *= 2
    return k


def mth(entries: list[bytes]) -> bytes:
    if not entries:
        return hashlib.sha256(b"").digest()
    if len(entries) == 1:
        return leaf(entries[0])
    k = split(len(entries))
    return node(mth(entries[:k]), mth(entries[k:]))


# Vectors


def read(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """Give the result of a vector of that kind.

    Raises:
        Rejected: with the reason that the vector expects.
    """
    return READERS[kind](inputs)


def _h(value: str) -> bytes:
    return bytes.fromhex(value)


def _read_layer(inputs: dict[str, Any]) -> dict[str, Any]:
    suite, secret, context = inputs["suite"], _h(inputs["secret"]), _h(inputs["context"])
    plaintext = open_layer(suite, secret, _h(inputs["layer"]), context)
    if "seed" in inputs:
        drawn = entropy(inputs["seed"], inputs["path"], 32)
        made = make_layer(suite, public_of(suite, secret), plaintext, context, drawn)
        assert made.hex() == inputs["layer"], "made anew, this layer has other bytes"
    return {"plaintext": plaintext.hex()}


def _read_onion(inputs: dict[str, Any]) -> dict[str, Any]:
    onion = _h(inputs["onion"])
    layers = []
    for hop in inputs["hops"]:
        onion = open_layer(inputs["suite"], _h(hop["secret"]), onion, _h(hop["context"]))
        layers.append(onion.hex())
    return {"peeled": layers}


def _read_padding(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"data": unpad(_h(inputs["padded"])).hex()}


def _read_key(inputs: dict[str, Any]) -> dict[str, Any]:
    key = decode_key(_h(inputs["encoded"]))
    if "secret" in inputs:
        assert public_of(key["suite"], _h(inputs["secret"])).hex() == key["raw"]
    return key


def _read_entropy(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"stream": entropy(inputs["seed"], inputs["path"], inputs["size"]).hex()}


def _read_root(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"root": mth([_h(e) for e in inputs["entries"]]).hex()}


READERS = {
    "layer": _read_layer,
    "onion": _read_onion,
    "padding": _read_padding,
    "key": _read_key,
    "entropy": _read_entropy,
    "root": _read_root,
}
