"""The signing keys of a machine's people; a session lists these keys beforehand.

    NAME.people.toml    name = "hall"
                        keys = ["<64 hexadecimal digits>", ...]    each person's, in order
                        signature = "<by the machine's identity, over name and keys>"

Each person signs with a key of its own. The secret keys are derived from the seed of the machine's
identity (NAME.key.toml), so no further file must be kept. A hash of this seed, keyed for this
purpose, seeds a random generator:

    source = generator seeded with BLAKE2b(seed, personalisation "veilmix.people")
    secret key of person i = drawn from the branch "person-i" of the source (i from 1)
"""

from hashlib import blake2b
from pathlib import Path
from typing import Annotated

import msgspec

from ...crypto.entropy import SeededEntropy
from ...crypto.identity import Identity, PublicIdentity
from ...crypto.signing import Signer, verify_signature
from ...errors import Refused, StorageError
from ...strict_text import Unreadable, from_toml
from ..serialization.atomic_file import write_whole
from ..serialization.bounded_file import read_bounded

SUFFIX = ".people.toml"
LABEL = b"veilmix people 1\0"
MAX_PEOPLE = 1_000_000  # largest number of people that one machine answers for
# bytes; larger files are refused, because a person's key takes fewer than 80 bytes
LARGEST = 80 * MAX_PEOPLE

# BLAKE2b personalization: separates this hash from other hashes of the seed
_PERSON = b"veilmix.people"
_Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a file of people's keys.

    Attributes:
        name: the name of the machine (place) that answers for the people.
        keys: the public key of each person, in hexadecimal.
        signature: the signature of the machine's identity, in hexadecimal.
    """

    name: str
    keys: Annotated[tuple[_Hex, ...], msgspec.Meta(min_length=1, max_length=MAX_PEOPLE)]
    signature: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{128}$")]


def signers_of(identity: Identity, people_count: int) -> list[Signer]:
    """Return the signing keys of a machine's people, in order, derived from its identity's seed.

    identity: the identity of the machine.
    """
    secret = blake2b(identity.seed, digest_size=32, person=_PERSON).digest()
    source = SeededEntropy.from_secret(secret)
    return [Signer(source.fork(f"person-{number + 1}")) for number in range(people_count)]


def create_people(folder: Path, identity: Identity, people_count: int) -> Path:
    """Write the public keys of a machine's people to a signed file, and return its path.

    folder: the folder of the file. identity: the identity of the machine, which signs.
    people_count: the number of people. Raises StorageError if the file exists already, or cannot be
    written.
    """
    name = identity.public.name
    keys = [signer.public for signer in signers_of(identity, people_count)]
    signature = identity.signer.sign(_signed(name, keys))
    lines = "".join(f'  "{key.hex()}",\n' for key in keys)
    path = folder / (name + SUFFIX)
    text = (
        f"# {people_count} people who answer from {name}: public, to be given to others\n"
        f'name = "{name}"\nkeys = [\n{lines}]\nsignature = "{signature.hex()}"\n'
    )
    write_whole(path, text, force=False, lasting=True)
    return path


def read_people(path: Path, identity: PublicIdentity) -> tuple[bytes, ...]:
    """Return the public keys of a machine's people from a file, after checking its signature.

    identity: the machine's identity. StorageError if the file has another form, or the machine has
    not signed it.
    """
    data = read_bounded(path, LARGEST, "keys of people")
    try:
        content = from_toml(data, _File)
    except Unreadable as bad:
        raise StorageError(f"{path}:{bad.line}: not a file of people's keys: {bad.why}") from None
    keys = tuple(bytes.fromhex(key) for key in content.keys)
    try:
        verify_signature(
            identity.key, _signed(content.name, keys), bytes.fromhex(content.signature)
        )
    except Refused:
        raise StorageError(f"{path}: was not signed by {identity.name}") from None
    if content.name != identity.name:
        raise StorageError(f"{path}: holds the people of {content.name}, not of {identity.name}")
    return keys


def _signed(name: str, keys: "list[bytes] | tuple[bytes, ...]") -> bytes:
    """Return the bytes that the machine signs: a label, its name, and all public keys."""
    return LABEL + name.encode() + b"\0" + b"".join(keys)
