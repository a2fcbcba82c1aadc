"""TLS between parties: TLS 1.3, and each knows the other's certificate beforehand.

Who talks is told by the digest of its certificate and by nothing else. A board may be read by
anybody (`strangers`), but nobody writes anywhere without a certificate of the session.
"""

import hashlib
import os
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import trio

from .. import systems
from ..crypto.identity import Identity
from ..errors import VerificationError
from ..temporary_files import private_folder, set_aside

HANDSHAKE = 10.0  # seconds for a handshake: half an open door is closed


def server_context(
    own: Identity, others: Mapping[str, str], *, strangers: bool = False
) -> ssl.SSLContext:
    """Give the context of a server. others: certificates (PEM) by name. strangers: may come too."""
    context = _context(ssl.PROTOCOL_TLS_SERVER, own, others.values())
    context.verify_mode = ssl.CERT_OPTIONAL if strangers else ssl.CERT_REQUIRED
    return context


def client_context(own: Identity | None, server: str) -> ssl.SSLContext:
    """Give the context of a client that talks to the holder of one certificate (PEM) only."""
    return _context(ssl.PROTOCOL_TLS_CLIENT, own, (server,))


def _context(kind: int, own: Identity | None, trusted: Iterable[str]) -> ssl.SSLContext:
    context = ssl.SSLContext(kind)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # certificates are known, names and places are not
    context.verify_mode = ssl.CERT_REQUIRED
    if pems := "".join(trusted):
        context.load_verify_locations(cadata=pems)
    if own is not None:
        with _as_file((own.tls_key + own.public.certificate).encode()) as path:
            context.load_cert_chain(path)
    return context


@contextmanager
def _as_file(secret: bytes) -> Iterator[str]:
    """Give a path that a library can read a key from; in memory where the system can do that."""
    if systems.MEMORY_FILES:
        handle = os.memfd_create("key")
        try:
            os.write(handle, secret)
            yield f"/proc/self/fd/{handle}"
        finally:
            os.close(handle)
        return
    with private_folder("the key of a connection") as folder:
        path = folder / "key.pem"
        with set_aside("the key of a connection"):
            path.touch(mode=0o600)
            path.write_bytes(secret)
        yield str(path)


def digest(certificate: str) -> bytes:
    """Give the SHA-256 of a certificate in PEM: what its holder is known by."""
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).digest()


def names(certificates: Mapping[str, str]) -> Mapping[bytes, str]:
    """Give names by the digest of their certificates."""
    return {digest(certificate): name for name, certificate in certificates.items()}


async def accepted(
    stream: trio.abc.Stream, context: ssl.SSLContext, known: Mapping[bytes, str]
) -> tuple[trio.SSLStream[trio.abc.Stream], str]:
    """Server: shake hands; gives the stream and who it is, "" for a stranger.

    Raises:
        trio.BrokenResourceError: no handshake, or none in time.
    """
    secured = trio.SSLStream(stream, context, server_side=True, https_compatible=True)
    with trio.move_on_after(HANDSHAKE):
        await secured.do_handshake()
        shown = secured.getpeercert(binary_form=True)
        return secured, known.get(hashlib.sha256(shown).digest(), "") if shown else ""
    await stream.aclose()
    raise trio.BrokenResourceError("no handshake in time")


async def connected(
    stream: trio.abc.Stream, context: ssl.SSLContext, server: bytes
) -> trio.SSLStream[trio.abc.Stream]:
    """Client: shake hands with the holder of a certificate (its digest).

    Raises:
        trio.BrokenResourceError: no handshake, or none in time.
        VerificationError: it is somebody else.
    """
    secured = trio.SSLStream(stream, context, server_hostname="veilmix", https_compatible=True)
    try:
        return await _checked(secured, server)
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise


async def _checked(
    secured: "trio.SSLStream[trio.abc.Stream]", server: bytes
) -> "trio.SSLStream[trio.abc.Stream]":
    with trio.move_on_after(HANDSHAKE):
        await secured.do_handshake()
        shown = secured.getpeercert(binary_form=True)
        if shown is None or hashlib.sha256(shown).digest() != server:
            raise VerificationError("the server holds another certificate than was agreed on")
        return secured
    raise trio.BrokenResourceError("no handshake in time")
