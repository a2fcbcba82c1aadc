"""A job for another process of the same party: its secrets are sealed to that process.

    job     = a pickle with a number in place of every secret
    secrets = the 32 bytes of each, in the order of their numbers
    box     = libsodium's sealed box of the secrets, to a key made by the other process

So no key is in a pickle, on a command line or in a file. A relay of jobs, such as the scheduler of
a cluster, sees none. A process makes its key at the first request for it, and keeps no secret from
a box for longer than the job takes.
"""

import pickle
from functools import cache
from io import BytesIO
from typing import Any, Never, final

from nacl.bindings import crypto_box_keypair, crypto_box_seal, crypto_box_seal_open

from .entropy import SeededEntropy
from .keys import SECRET_SIZE, PublicKey, SecretKey
from .suites import suite_by_code


@final
class Packed:
    """A job as bytes, and separately its secrets, which are never shown.

    Attributes:
        job: a pickle without them.
    """

    __slots__ = ("_secrets", "job")

    def __init__(self, job: bytes, secrets: bytes) -> None:
        self.job = job
        self._secrets = secrets

    @property
    def secret(self) -> bool:
        """Whether any secret belongs to it."""
        return bool(self._secrets)

    def sealed_to(self, public: bytes) -> bytes:
        """Seal the secrets to another process of the party that owns them."""
        box: bytes = crypto_box_seal(self._secrets, public)
        return box

    def __repr__(self) -> str:
        return f"Packed({len(self.job)} bytes, secrets hidden)"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied: its secrets travel in boxes alone."""
        raise TypeError("a Packed is not pickled or copied; send its job and a box")


def pack(job: Any) -> Packed:
    """Write a job down. TypeError, AttributeError or PicklingError if it cannot be pickled."""
    written = BytesIO()
    packer = _Packer(written, pickle.HIGHEST_PROTOCOL)
    packer.dump(job)
    return Packed(written.getvalue(), b"".join(packer.secrets))


def unpack(job: bytes, box: bytes | None) -> Any:
    """Read a job in the process that made the key of its box; box None: no secrets."""
    public, secret = _process_pair()
    secrets = b"" if box is None else crypto_box_seal_open(box, public, secret)
    return _Unpacker(BytesIO(job), secrets).load()


def own_public() -> bytes:
    """Return the X25519 key, 32 bytes, to which secrets for this process are sealed."""
    return _process_pair()[0]


@cache
def _process_pair() -> tuple[bytes, bytes]:
    public, secret = crypto_box_keypair()
    return public, secret


class _Packer(pickle.Pickler):
    """Pickler that writes a number, and public data, in place of a secret."""

    def __init__(self, file: BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.secrets: list[bytes] = []
        self._numbers: dict[int, int] = {}

    def persistent_id(self, obj: Any) -> tuple[int, bytes] | None:
        """Return number and public key of a secret; for a stream of randomness the number alone."""
        kind = type(obj)
        if kind is SecretKey:
            return self._number(obj, obj._raw), obj.public.encode()
        if kind is SeededEntropy:
            if obj._blocks:
                raise TypeError("a SeededEntropy that was read from is not handed on; fork it")
            return self._number(obj, obj._key), b""
        return None

    def _number(self, secret: object, raw: bytes) -> int:
        number = self._numbers.setdefault(id(secret), len(self.secrets))
        if number == len(self.secrets):
            self.secrets.append(raw)
        return number


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: BytesIO, secrets: bytes) -> None:
        super().__init__(file)
        self._secrets = secrets
        self._keys_by_number: dict[int, SecretKey | SeededEntropy] = {}

    def persistent_load(self, pid: tuple[int, bytes]) -> SecretKey | SeededEntropy:
        """Give the secret of a number."""
        number, public = pid
        if number not in self._keys_by_number:
            raw = self._secrets[number * SECRET_SIZE : (number + 1) * SECRET_SIZE]
            self._keys_by_number[number] = (
                _key(public, raw) if public else SeededEntropy.handed(raw)
            )
        return self._keys_by_number[number]


def _key(public: bytes, raw: bytes) -> SecretKey:
    suite = suite_by_code(PublicKey.decode(public).suite, lesson=True)
    return suite.keypair_from(raw).secret
