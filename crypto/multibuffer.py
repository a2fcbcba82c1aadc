"""Cryptography with eight keys at a time, if the processor and an optional library can do that.

Intel's Cryptography Primitives Library multiplies eight points at once on processors with AVX-512
IFMA, in constant time: for X25519, and for Ed25519 (RFC 8032). The package `ipp-crypto` brings it,
and `intel-cmplr-lib-rt` the libraries that it needs; both come with the extra `fast`. At the first
request with many keys, Intel's library is loaded and compared with libsodium. It is used only if
both give the same bytes. Otherwise libsodium is used, key by key: results are the same, and
so are refusals (docs/adr/0061).

Lists of keys are concatenated bytes, 32 for each key. Values computed from secrets are overwritten
after use. Intel's library alone does not decide the validity of signatures (`signing.py`).
"""

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha512
from importlib import metadata
from typing import Any, final

import numpy as np
from nacl.bindings import (
    crypto_box_beforenm,
    crypto_scalarmult_base,
    crypto_sign,
    crypto_sign_BYTES,
    crypto_sign_seed_keypair,
)
from numpy.typing import NDArray

from ..errors import ParameterError
from .x25519 import X25519_SIZE

LANES = 8  # number of keys that one call of Intel's library processes
SWITCH = "VEILMIX_ENGINE"  # environment variable; its value `libsodium` turns Intel's library off

PACKAGE = "ipp-crypto"
PACKAGES = ("intel-cmplr-lib-rt", PACKAGE)
LIBRARY = "libcrypto_mb.so.13"
# Libraries that Intel's library depends on, each listed after its own dependencies.
NEEDS = ("libintlc.so.5", "libimf.so", "libirng.so", "libsvml.so")
_STATUS = 4  # bits of a call's status for each key; 0 means success
_HALF = crypto_sign_BYTES // 2  # bytes of a signature's point, and of its scalar
_CONSTANT = np.frombuffer(b"expand 32-byte k", dtype="<u4")
_OUT = (
    (0, 0),
    (0, 1),
    (0, 2),
    (0, 3),
    (3, 2),
    (2, 3),
    (2, 0),
    (1, 1),
    # HSalsa20 returns the words 0 5 10 15 6 7 8 9 of its state. `hsalsa20_all` arranges the state
    # as four diagonals; a pair is the diagonal of a word and its index there.
)


@final
class MultiBuffer:
    """The engine: Intel's loaded library, which computes for eight keys at a time.

    The engine computes public keys, Diffie-Hellman points and signatures. Its calls release the
    interpreter's lock, as calls of libsodium do.

    Args:
        library: `libcrypto_mb`, as ctypes has loaded it.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        """Declare the library's functions to ctypes."""
        self._base = _typed(library.mbx_x25519_public_key_mb8, 2)
        self._product = _typed(library.mbx_x25519_mb8, 3)
        self._verifying = _typed(library.mbx_ed25519_public_key_mb8, 2)
        self._sign = _typed(library.mbx_ed25519_sign_mb8, 6)
        self._verify = _typed(library.mbx_ed25519_verify_mb8, 5)

    def public_keys(self, secrets: bytes) -> bytes:
        """Return the X25519 public key of each secret key.

        Secret keys, and public keys, are concatenated. Each result is that of
        `crypto_scalarmult_base`.
        """
        secret = np.frombuffer(secrets, dtype=np.uint8)
        public = np.zeros(len(secrets), dtype=np.uint8)
        self._in_eights(self._base, len(secrets) // X25519_SIZE, _rows(public), _rows(secret))
        return public.tobytes()

    def box_keys(self, secrets: bytes, points: bytes) -> bytes:
        """Return the symmetric key of each box, like `crypto_box_beforenm`.

        A key is HSalsa20 of the Diffie-Hellman point of a secret key and a public key.

        Args:
            secrets: concatenated secret keys, as many as there are points; or a single key for all
                points.
            points: concatenated public keys, at least one, without points of low order
                (`x25519.is_public_key`); or a single key for all secrets.
        """
        shared = self.shared_points(secrets, points)
        keys = hsalsa20_all(shared)
        shared.fill(0)
        return keys

    def shared_points(self, secrets: bytes, points: bytes) -> NDArray[np.uint8]:
        """Return the Diffie-Hellman points of secret and public keys, like `crypto_scalarmult`.

        The caller overwrites the points after use, because they are secret.

        Args:
            secrets: concatenated secret keys, as many as there are points; or a single key for all
                points.
            points: concatenated public keys, at least one, without points of low order
                (`x25519.is_public_key`); or a single key for all secrets.
        """
        secret = np.frombuffer(secrets, dtype=np.uint8)
        point = np.frombuffer(points, dtype=np.uint8)
        shared = np.zeros(max(len(secrets), len(points)), dtype=np.uint8)
        count = len(shared) // X25519_SIZE
        self._in_eights(self._product, count, _rows(shared), _rows(secret), _rows(point))
        return shared

    def verifying_keys(self, seeds: bytes) -> bytes:
        """Return the Ed25519 public key of each secret seed of 32 bytes.

        Seeds, and public keys, are concatenated. Each result is that of `crypto_sign_seed_keypair`.
        """
        seed = np.frombuffer(seeds, dtype=np.uint8)
        public = np.zeros(len(seeds), dtype=np.uint8)
        self._in_eights(self._verifying, len(seeds) // _HALF, _rows(public), _rows(seed))
        return public.tobytes()

    def signatures(self, seeds: bytes, publics: bytes, messages: Sequence[bytes]) -> list[bytes]:
        """Return the Ed25519 signature of each message, made with the seed of the same index.

        Args:
            seeds: concatenated secret seeds of 32 bytes, as many as there are messages, at least
                one.
            publics: the public key of each seed, concatenated.
            messages: of any lengths.
        """
        seed, public = (np.frombuffer(keys, dtype=np.uint8) for keys in (seeds, publics))
        text, starts, sizes = _texts(messages)
        signed = np.zeros(len(messages) * crypto_sign_BYTES, dtype=np.uint8)
        points, scalars = _halves(signed)
        self._in_eights(
            *(self._sign, len(messages), points, scalars, starts),
            *(sizes, _rows(seed), _rows(public)),
        )
        raw = signed.tobytes()
        del text  # the buffer had to live until here: `starts` are addresses in it
        return [raw[at : at + crypto_sign_BYTES] for at in range(0, len(raw), crypto_sign_BYTES)]

    def seem_valid(
        self, publics: bytes, messages: Sequence[bytes], signatures: bytes
    ) -> NDArray[np.bool_]:
        """Return a bool array: whether each signature of a message satisfies Ed25519's equation.

        The equation is R = s B - h A for a signature (R, s) by the key A, with B the base point and
        h the hash of R, A and the message. Libsodium also refuses points of low order, and scalars
        that are not below the group's order. This method may give True for such signatures.
        """
        public, signed = (np.frombuffer(each, dtype=np.uint8) for each in (publics, signatures))
        text, starts, sizes = _texts(messages)
        points, scalars = _halves(signed)
        packed_status = self._in_eights(
            self._verify, len(messages), points, scalars, starts, sizes, _rows(public)
        )
        del text
        lanes = np.arange(LANES, dtype=np.uint32) * _STATUS
        status = (packed_status[:, None] >> lanes) & ((1 << _STATUS) - 1)
        valid: NDArray[np.bool_] = status.ravel()[: len(messages)] == 0
        return valid

    @staticmethod
    def _in_eights(
        function: Callable[..., int], count: int, *rows: NDArray[np.uint64] | NDArray[np.uint32]
    ) -> NDArray[np.uint32]:
        """Call a function of Intel's library on eight items at a time; return the statuses.

        rows: for each argument of the function, the addresses (or lengths) of all items. count:
        number of items. The last item is repeated to fill the last eight. The statuses of X25519
        report points of low order, which callers have refused before.
        """
        whole = -(-count // LANES) * LANES
        places = np.minimum(np.arange(whole), count - 1)
        full = [each[places] if len(each) > 1 else np.repeat(each, whole) for each in rows]
        steps = [(each.ctypes.data, each.itemsize) for each in full]
        return np.array(
            [
                function(*[start + at * size for start, size in steps])
                for at in range(0, whole, LANES)
            ],
            dtype=np.uint32,
        )


def _typed(function: Any, pointers: int) -> Callable[..., int]:
    """Return a library function declared to ctypes: it takes pointers and returns a 32-bit status.

    pointers: number of pointers. The status covers all eight keys of a call.
    """
    function.argtypes, function.restype = [ctypes.c_void_p] * pointers, ctypes.c_uint32
    typed: Callable[..., int] = function
    return typed


def _rows(array: NDArray[np.uint8], size: int = X25519_SIZE, start: int = 0) -> NDArray[np.uint64]:
    """Return the addresses of consecutive pieces of an array, of `size` bytes each.

    start: offset in bytes of the first piece.
    """
    count = len(array) // size
    return array.ctypes.data + start + np.arange(count, dtype=np.uint64) * np.uint64(size)


def _halves(signed: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the addresses of both halves of concatenated signatures.

    The first half of a signature is its point R, the second half its scalar s.
    """
    return _rows(signed, crypto_sign_BYTES), _rows(signed, crypto_sign_BYTES, _HALF)


def _texts(
    messages: Sequence[bytes],
) -> tuple[bytes, NDArray[np.uint64], NDArray[np.uint32]]:
    """Return messages concatenated, and the address and the length of each."""
    # An empty array has no address, so at least one byte is needed.
    text = b"".join(messages) or b"\0"
    sizes = np.array([len(message) for message in messages], dtype=np.uint32)
    array = np.frombuffer(text, dtype=np.uint8)
    ends = np.cumsum(sizes, dtype=np.uint64)
    return text, array.ctypes.data + ends - sizes, sizes


@cache
def multibuffer() -> MultiBuffer | None:
    """Return the engine, Intel's library for eight keys at a time; None if it cannot be used.

    It must be installed, run on this processor, and agree with libsodium.

    Raises:
        ParameterError: the environment variable VEILMIX_ENGINE has an unknown value.
    """
    choice = os.environ.get(SWITCH, "")
    if choice not in ("", "auto", "libsodium"):
        raise ParameterError(f"{SWITCH}: got {choice!r}, accepted: auto, libsodium")
    if choice == "libsodium":
        return None
    library = _load()
    ours = library and MultiBuffer(library)
    return ours if ours and _agrees(ours) else None


def engine_name() -> str:
    """Return the name of the library that encrypts and decrypts many layers, for people to read.

    Records of runs and `veilmix doctor` show it. It is libsodium, with Intel's library for eight
    keys at a time if that can be used.
    """
    if multibuffer() is None:
        return "libsodium"
    return f"libsodium; eight keys at a time, {PACKAGE} {metadata.version(PACKAGE)}"


def _load() -> ctypes.CDLL | None:
    """Return Intel's library, loaded only from its path in pip's packages.

    None if the library is not installed or cannot run on this processor.
    """
    try:
        files = {name.name: name for package in PACKAGES for name in metadata.files(package) or ()}
        for name in NEEDS:
            ctypes.CDLL(str(files[name].locate()), mode=ctypes.RTLD_GLOBAL)
        library = ctypes.CDLL(str(files[LIBRARY].locate()))
        can = library.mbx_is_crypto_mb_applicable
    except (metadata.PackageNotFoundError, KeyError, OSError, AttributeError):
        return None
    can.argtypes, can.restype = [ctypes.c_uint64], ctypes.c_int
    return library if can(0) else None


def _agrees(library: MultiBuffer) -> bool:
    """Whether Intel's library gives libsodium's results for nine test keys.

    Nine keys are more than a call takes, so two calls are tested.
    """
    secrets = [sha512(bytes((at,))).digest()[:X25519_SIZE] for at in range(LANES + 1)]
    return _curves_agree(library, secrets) and _signatures_agree(library, secrets)


def _curves_agree(library: MultiBuffer, secrets: Sequence[bytes]) -> bool:
    """Whether Intel's library gives libsodium's public keys and symmetric keys of boxes."""
    points = [crypto_scalarmult_base(secret) for secret in secrets]
    first, in_a_row = secrets[0], b"".join(points)
    return (
        library.public_keys(b"".join(secrets)) == in_a_row
        and library.box_keys(first, in_a_row)
        == b"".join(crypto_box_beforenm(point, first) for point in points)
        and library.box_keys(b"".join(secrets), points[0])
        == b"".join(crypto_box_beforenm(points[0], secret) for secret in secrets)
    )


def _signatures_agree(library: MultiBuffer, seeds: Sequence[bytes]) -> bool:
    """Whether Intel's library makes libsodium's signatures, and refuses wrong signatures.

    Signatures are wrong if they are of other messages.
    """
    pairs = [crypto_sign_seed_keypair(seed) for seed in seeds]
    publics, texts = b"".join([public for public, _ in pairs]), [b"m" * at for at in range(9)]
    signed = [
        crypto_sign(text, secret)[:crypto_sign_BYTES]
        for (_, secret), text in zip(pairs, texts, strict=True)
    ]
    altered_texts = [text if at % 2 else text + b"!" for at, text in enumerate(texts)]
    verdicts = library.seem_valid(publics, altered_texts, b"".join(signed)).tolist()
    return (
        library.verifying_keys(b"".join(seeds)) == publics
        and library.signatures(b"".join(seeds), publics, texts) == signed
        and verdicts == [at % 2 == 1 for at in range(LANES + 1)]
    )


def hsalsa20_all(keys: NDArray[np.uint8]) -> bytes:
    """Return HSalsa20 of 16 zero bytes under each key, concatenated (Bernstein).

    The words of the cipher's state are arranged as four diagonals, so that each step works on four
    words of every key. Between the rounds over columns and over rows the diagonals are rotated.
    """
    words = keys.view("<u4").reshape(-1, 8).T
    count = words.shape[1]
    a = np.repeat(_CONSTANT[:, None], count, axis=1)
    b = np.empty_like(a)
    c = np.zeros_like(a)
    d = np.empty_like(a)
    # second diagonal: words 4 9 14 3 of the state
    b[0], b[1], b[2], b[3] = words[3], 0, words[7], words[2]
    c[0], c[1], c[2], c[3] = 0, words[6], words[1], 0  # third diagonal: words 8 13 2 7
    d[0], d[1], d[2], d[3] = words[5], words[0], 0, words[4]  # fourth diagonal: words 12 1 6 11
    t, u = np.empty_like(a), np.empty_like(a)
    for _ in range(10):
        for _ in ("columns", "rows"):
            for target, first, second, turn in (
                (b, a, d, 7),
                (c, b, a, 9),
                (d, c, b, 13),
                (a, d, c, 18),
            ):
                np.add(first, second, out=t)
                np.left_shift(t, turn, out=u)
                np.right_shift(t, 32 - turn, out=t)
                np.bitwise_or(t, u, out=t)
                np.bitwise_xor(target, t, out=target)
            b, c, d = d[[1, 2, 3, 0]], c[[2, 3, 0, 1]], b[[3, 0, 1, 2]]
    state = (a, b, c, d)
    return np.stack([state[row][at] for row, at in _OUT], axis=1).tobytes()
