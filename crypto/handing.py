"""Jobs for another process of the same party: the job's secrets are encrypted to that process.

A job is a Python object, such as a function with its arguments. Its secrets are secret keys and
seeded random streams.

    job     = a pickle with a number in place of every secret
    secrets = the 32 bytes of each secret, in the order of these numbers
    box     = libsodium's sealed box of the secrets, to a public key made by the other process

So no secret is in a pickle, on a command line or in a file. A relay of jobs, such as the scheduler
of a cluster, sees no secret. A process makes its key pair at the first request for the public key.
It keeps no secret of a job for longer than the job takes.
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
    """A job (a Python object) in two parts: a pickle without its secrets, and the secrets.

    The secrets, secret keys and seeded random streams, are never shown.

    Attributes:
        job: a pickle with a number in place of every secret.
    """

    __slots__ = ("_secrets", "job")

    def __init__(self, job: bytes, secrets: bytes) -> None:
        """Set the parts of the job.

        job: the pickle, with a number in place of each secret. secrets: the secrets, 32 bytes each,
        concatenated in the order of these numbers.
        """
        self.job = job
        self._secrets = secrets

    @property
    def secret(self) -> bool:
        """Whether the job has secrets; then they are sent beside it, encrypted by `sealed_to`."""
        return bool(self._secrets)

    def sealed_to(self, public: bytes) -> bytes:
        """Return the secrets encrypted to another process of the same party, as a sealed box.

        public: the X25519 public key of that process.
        """
        box: bytes = crypto_box_seal(self._secrets, public)
        return box

    def __repr__(self) -> str:
        return f"Packed({len(self.job)} bytes, secrets hidden)"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied: secrets leave the process encrypted, by `sealed_to`."""
        raise TypeError("a Packed is not pickled or copied; send its job and a box")


def pack(job: Any) -> Packed:
    """Return a job (a Python object) in two parts: a pickle without secrets, and the secrets.

    Secrets are secret keys and seeded random streams. Raises TypeError, AttributeError or
    PicklingError if the job cannot be pickled.
    """
    written = BytesIO()
    packer = _Packer(written, pickle.HIGHEST_PROTOCOL)
    packer.dump(job)
    return Packed(written.getvalue(), b"".join(packer.secrets))


def unpack(job: bytes, box: bytes | None) -> Any:
    """Return the job (a Python object) from its pickle and its encrypted secrets.

    Only the process to which the secrets were encrypted can do this. box: the sealed box of the
    secrets; None for a job without secrets.
    """
    public, secret = _process_pair()
    secrets = b"" if box is None else crypto_box_seal_open(box, public, secret)
    return _Unpacker(BytesIO(job), secrets).load()


def own_public() -> bytes:
    """Return the X25519 public key, 32 bytes, to which secrets for this process are sealed."""
    return _process_pair()[0]


@cache
def _process_pair() -> tuple[bytes, bytes]:
    """Return the key pair (public, secret) of this process, made at the first call."""
    public, secret = crypto_box_keypair()
    return public, secret


class _Packer(pickle.Pickler):
    """A pickler that writes a number in place of each secret, with the public key if it has one."""

    def __init__(self, file: BytesIO, protocol: int) -> None:
        """Begin without secrets, which are collected while a job is pickled to `file`."""
        super().__init__(file, protocol)
        self.secrets: list[bytes] = []
        self._numbers: dict[int, int] = {}

    def persistent_id(self, obj: Any) -> tuple[int, bytes] | None:
        """Return the number and public key by which the pickle replaces a secret.

        A random stream has an empty public key. None for an object that is no secret.
        """
        kind = type(obj)
        if kind is SecretKey:
            return self._number(obj, obj._raw), obj.public.encode()
        if kind is SeededEntropy:
            if obj._blocks:
                raise TypeError(
                    "a SeededEntropy from which bytes were read is not sent to another process; "
                    "fork it"
                )
            return self._number(obj, obj._key), b""
        return None

    def _number(self, secret: object, raw: bytes) -> int:
        """Return the number of a secret in the pickle; a new secret is appended to `secrets`.

        secret: the object. raw: the 32 secret bytes.
        """
        number = self._numbers.setdefault(id(secret), len(self.secrets))
        if number == len(self.secrets):
            self.secrets.append(raw)
        return number


class _Unpacker(pickle.Unpickler):
    """An unpickler that replaces the numbers in a job's pickle by the secrets of the job."""

    def __init__(self, file: BytesIO, secrets: bytes) -> None:
        """Set the secrets, 32 bytes each, in the order of their numbers in the pickle."""
        super().__init__(file)
        self._secrets = secrets
        self._keys_by_number: dict[int, SecretKey | SeededEntropy] = {}

    def persistent_load(self, pid: tuple[int, bytes]) -> SecretKey | SeededEntropy:
        """Return the secret key or random stream with the number in `pid`.

        pid: the number of the secret in the pickle, and its encoded public key; b"": a random
        stream.
        """
        number, public = pid
        if number not in self._keys_by_number:
            raw = self._secrets[number * SECRET_SIZE : (number + 1) * SECRET_SIZE]
            self._keys_by_number[number] = (
                _key(public, raw) if public else SeededEntropy.handed(raw)
            )
        return self._keys_by_number[number]


def _key(public: bytes, raw: bytes) -> SecretKey:
    """Return a secret key.

    public: its encoded public key, which names the suite. raw: the 32 bytes of the secret key.
    """
    suite = suite_by_code(PublicKey.decode(public).suite, lesson=True)
    return suite.keypair_from(raw).secret
