"""Identity files: a secret file that its holder keeps, and a public file to hand out.

    NAME.key.toml    the whole identity; only its owner may read it (mode 0600)
    NAME.pub.toml    the public part, one table `[[identity]]`

    [[identity]]
    name = "ada"
    key = "<64 hexadecimal digits: the Ed25519 public key>"
    certificate = '''<TLS certificate, PEM>'''
    binding = "<128 hexadecimal digits: the holder's signature of name and certificate>"

The secret file has two more keys: `seed` (64 hexadecimal digits) and `tls_key` (PEM). Public files
may be concatenated into a single file of known identities. TLS libraries look for PEM and skip
other text, so they read identity files directly: `load_cert_chain(NAME.key.toml)` and
`load_verify_locations(KNOWN)`, where KNOWN is the file of known identities.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import systems
from ...crypto.identity import Identity, PublicIdentity, check_name, make_identity
from ...errors import ParameterError, StorageError
from ...strict_text import Unreadable, from_toml
from ..serialization.atomic_file import write_whole
from ..serialization.bounded_file import read_bounded

SECRET, PUBLIC = ".key.toml", ".pub.toml"
LARGEST = 1 << 22  # bytes: larger files are refused; room for some thousand identities

_FIELDS = {"name", "key", "certificate", "binding"}
_SECRETS = {"seed", "tls_key"}


def create(folder: str | os.PathLike[str], name: str) -> tuple[Path, Path]:
    """Make an identity and write its two files into a folder; return their paths: secret, public.

    StorageError if either file exists already: an identity is never replaced. ParameterError for a
    name that is not allowed.
    """
    folder = Path(folder)
    check_name(name)
    secret, public = folder / (name + SECRET), folder / (name + PUBLIC)
    for path in (secret, public):
        if os.path.lexists(path):
            raise StorageError(
                f"{path}: is there already, and identities are never overwritten; give another "
                "name, or remove the file yourself"
            )
    identity = make_identity(name)
    write_whole(secret, _secret_text(identity), force=False, private=True, lasting=True)
    try:
        write_whole(public, public_text(identity.public), force=False, lasting=True)
    except BaseException:
        secret.unlink()  # without its public file, the secret file would make the next attempt fail
        raise
    return secret, public


def read_identity(path: str | os.PathLike[str]) -> Identity:
    """Return an identity with its secrets, from its secret file.

    StorageError if the file holds no identity, or if other users than its owner may read it. Error
    messages hold no secret.
    """
    path = Path(path)
    _check_private(path)
    tables = _tables(path)
    if len(tables) != 1 or not tables[0].keys() >= _SECRETS:
        raise StorageError(f"{path}: holds no secret identity; a file NAME{SECRET} is needed")
    table = tables[0]
    try:
        return Identity(_public(table), bytes.fromhex(table["seed"]), table["tls_key"])
    except ParameterError as wrong:
        raise StorageError(f"{path}: {wrong}") from None
    except ValueError:
        raise StorageError(f"{path}: seed: only hexadecimal digits are accepted") from None


def read_known(path: str | os.PathLike[str]) -> dict[str, PublicIdentity]:
    """Return the public identities of a file, by name; of a secret file, its public part.

    StorageError if the file holds no valid identities, or two of the same name.
    """
    path = Path(path)
    identities: dict[str, PublicIdentity] = {}
    for table in _tables(path):
        try:
            identity = _public(table)
        except ParameterError as wrong:
            raise StorageError(f"{path}: {wrong}") from None
        if identity.name in identities:
            raise StorageError(
                f"{path}: two identities are called {identity.name}; each needs its own name"
            )
        identities[identity.name] = identity
    return identities


def read_one(path: str | os.PathLike[str], owner: str) -> PublicIdentity:
    """Return the public identity of a file with a single identity.

    owner: the owner of the identity, in words for the error. Raises StorageError if the file holds
    no valid identity, or several.
    """
    identities = list(read_known(path).values())
    if len(identities) != 1:
        raise StorageError(
            f"{path}: holds {len(identities)} identities; only that of {owner} is needed"
        )
    return identities[0]


def public_text(identity: PublicIdentity) -> str:
    """Return the text of the public file of an identity."""
    return (
        f"# {identity.name}: public, to be given to others. "
        "Fingerprint, to be read out and compared:\n"
        f"# {identity.fingerprint}\n{_table(identity)}"
    )


def _secret_text(identity: Identity) -> str:
    """Return the text of the secret file of an identity."""
    return (
        f"# {identity.public.name}: SECRET. "
        f"Whoever has this file can sign as {identity.public.name}.\n"
        f"{_table(identity.public)}"
        f'seed = "{identity.seed.hex()}"\n'
        f"tls_key = '''\n{identity.tls_key}'''\n"
    )


def _table(identity: PublicIdentity) -> str:
    """Return the table `[[identity]]` with the public part of an identity, as TOML."""
    return (
        f'[[identity]]\nname = "{identity.name}"\nkey = "{identity.key.hex()}"\n'
        f"certificate = '''\n{identity.certificate}'''\n"
        f'binding = "{identity.binding.hex()}"\n'
    )


def _public(table: Mapping[str, Any]) -> PublicIdentity:
    """Return the public identity in a parsed table; ParameterError if it is not valid."""
    name = check_name(table["name"])
    try:
        key, binding = bytes.fromhex(table["key"]), bytes.fromhex(table.get("binding", ""))
    except ValueError:
        raise ParameterError(
            f"{name}: key, binding: only hexadecimal digits are accepted"
        ) from None
    return PublicIdentity(name, key, table.get("certificate", ""), binding)


def _tables(path: Path) -> Sequence[Mapping[str, str]]:
    """Return the parsed tables `[[identity]]` of a file.

    StorageError if a table has unknown keys or values that are no texts.
    """
    data = read_bounded(path, LARGEST, "file of identities")
    try:
        content = from_toml(data)
    # the message does not quote the file, because its text may hold a secret
    except Unreadable as bad:
        why = "not TOML in UTF-8; `veilmix keys` writes such files"
        raise StorageError(f"{path}:{bad.line}: {why}") from None
    tables = content.get("identity")
    if content.keys() != {"identity"} or not isinstance(tables, list):
        raise StorageError(f"{path}: only tables [[identity]] are accepted")
    for table in tables:
        right = isinstance(table, dict) and {"name", "key"} <= table.keys() <= _FIELDS | _SECRETS
        if not right or not all(isinstance(value, str) for value in table.values()):
            raise StorageError(
                f"{path}: an identity has the texts name and key, and may have certificate "
                "and binding"
            )
    return tables


def _check_private(path: Path) -> None:
    """Raise StorageError if other users than its owner may read a file."""
    try:
        mode = path.stat().st_mode
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror or bad}") from None
    if systems.OWNER_MODES and mode & 0o077:
        raise StorageError(
            f"{path}: other users may read it (mode {mode & 0o777:o}), and may know its secrets: "
            f"make a new identity, or if no other user has read it, run: chmod 600 {path}"
        )
