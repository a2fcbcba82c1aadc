r"""The seal of a run folder: the hashes of its files as written, and the recorder's signature.

    seal.json   {"schema": 1, "files": {name: SHA-256}, "recorder": null or {"name", "key",
                "signature"}}
    signature   Ed25519("veilmix folder 1\0" || for every file by name: name || 0 || its SHA-256)

The recorder is the person or program that ran the session and wrote the folder. Hashes alone show
that no file changed by mistake, because an attacker that changes a file can change its hash too. A
signature shows that the recorder wrote the folder, to readers that know the recorder's key. Neither
shows that the record is true: only the parties' own signatures on their posts can show that.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from ...crypto.identity import Identity
from ...crypto.signing import SIGNATURE, SIGNING_KEY, verify_signature
from ...errors import Refused, StorageError, VerificationError
from ...strict_text import Unreadable, from_json
from ..serialization.bounded_file import read_bounded
from ..serialization.json_text import pretty
from ..serialization.record import Record, plain

SEAL = "seal.json"
SCHEMA = 1
LABEL = b"veilmix folder 1\0"
LARGEST = 1 << 16  # bytes: larger seal files are refused


class Recorder(Record, frozen=True):
    """The recorder of a run folder: the identity that signed the folder's file hashes.

    Attributes:
        name: the name of the identity.
        key: the public key, 32 bytes in hexadecimal.
        signature: the signature over the hashes of all files, 64 bytes in hexadecimal.
    """

    name: str
    key: str
    signature: str


class FolderSeal(Record, frozen=True):
    """The content of seal.json: the hash of every file, and the recorder that signed these hashes.

    Attributes:
        schema: the version number of this format.
        files: name -> SHA-256, in hexadecimal.
        recorder: the signer; None: unsigned.
    """

    schema: int
    files: Mapping[str, str]
    recorder: Recorder | None

    def check(self, digests: Mapping[str, str]) -> None:
        """Raise VerificationError unless the files are as sealed and any signature is valid.

        digests: the present hash of every file in the folder, by name.
        """
        for name in sorted(self.files.keys() | digests.keys()):
            if name not in digests:
                raise VerificationError(
                    f"{name} is missing, and was there when the folder was written"
                )
            if name not in self.files:
                raise VerificationError(f"{name} was not there when the folder was written")
            if digests[name] != self.files[name]:
                raise VerificationError(f"{name} was changed since the folder was written")
        if self.recorder is not None:
            self._check_signature(self.recorder)

    def _check_signature(self, recorder: Recorder) -> None:
        """Raise VerificationError unless the recorder's signature over the file hashes is valid."""
        try:
            key, signature = bytes.fromhex(recorder.key), bytes.fromhex(recorder.signature)
            if (len(key), len(signature)) != (SIGNING_KEY, SIGNATURE):
                raise ValueError  # noqa: TRY301 - one message for all that is no signature
            verify_signature(key, _signed(self.files), signature)
        except (Refused, ValueError):
            raise VerificationError(f"{recorder.name} has not signed this folder") from None


def seal_of(files: Mapping[str, str], recorder: Identity | None = None) -> bytes:
    """Return the bytes of the seal file of a run folder.

    files: name -> hash of the file. recorder: the identity that signs; None: unsigned.
    """
    signed = None
    if recorder is not None:
        public, signature = recorder.public, recorder.signer.sign(_signed(files))
        signed = Recorder(public.name, public.key.hex(), signature.hex())
    return pretty(plain(FolderSeal(SCHEMA, dict(sorted(files.items())), signed))).encode()


def hash_of(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def read_seal(folder: Path) -> FolderSeal | None:
    """Return a folder's seal; None if it has no seal. StorageError if it is damaged."""
    path = folder / SEAL
    if not path.is_file():
        return None
    data = read_bounded(path, LARGEST, "seal of a run folder")
    try:
        seal = from_json(data, FolderSeal)
    except Unreadable as bad:
        why = f"damaged: {bad.why}; copy the run folder anew"
        raise StorageError(f"{path}:{bad.line}: {why}") from None
    if seal.schema != SCHEMA:
        raise StorageError(f"{path}: schema {seal.schema}; this version reads {SCHEMA}")
    return seal


def hashes(folder: Path, names: tuple[str, ...]) -> Mapping[str, str]:
    """Return the hashes of a folder's files, by name; files that the folder lacks are left out."""
    present_names = [name for name in names if (folder / name).is_file()]
    return {name: hash_of((folder / name).read_bytes()) for name in present_names}


def _signed(files: Mapping[str, str]) -> bytes:
    """Return the bytes that the recorder signs: a label, and the name and hash of each file.

    files: name -> hash of the file.
    """
    parts = (name.encode() + b"\0" + bytes.fromhex(files[name]) for name in sorted(files))
    return LABEL + b"".join(parts)
