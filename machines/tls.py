"""TLS between parties: TLS 1.3, and each knows the other's certificate beforehand.

A peer is identified by the digest of its certificate alone. Names and dates in a
certificate are not checked (docs/adr/0107). Any client may read a board (`strangers`),
but each writer needs a certificate of the session.
"""

import hashlib
import os
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

import trio

from .. import systems
from ..crypto.identity import Identity
from ..errors import VerificationError
from ..temporary_files import private_folder, set_aside

# OpenSSL's flag X509_V_FLAG_NO_CHECK_TIME, for which `ssl` has no name: validity dates are not
# checked
NO_DATES = 0x200000
UNKNOWN = "its certificate is of no place of this session"
NO_HANDSHAKE = "no TLS handshake"
PIECE = 1 << 16  # largest number of bytes read at once
FAREWELL = 1.0  # seconds for a client to read the reason of a refusal
HANDSHAKE = 10.0  # seconds for a handshake; then the connection is closed


def server_context(
    identity: Identity, certificates: Mapping[str, str], *, strangers: bool = False
) -> ssl.SSLContext:
    """Return the TLS settings of a server.

    certificates: certificates (PEM) of the allowed clients, by name. strangers: whether clients
    without a certificate are allowed, too.
    """
    context = _context(ssl.PROTOCOL_TLS_SERVER, identity, certificates.values())
    context.verify_mode = ssl.CERT_OPTIONAL if strangers else ssl.CERT_REQUIRED
    return context


def client_context(identity: Identity | None, server: str) -> ssl.SSLContext:
    """Return the TLS settings of a client that accepts only one server certificate (PEM)."""
    return _context(ssl.PROTOCOL_TLS_CLIENT, identity, (server,))


def _context(kind: int, identity: Identity | None, trusted: Iterable[str]) -> ssl.SSLContext:
    """Return TLS 1.3 settings that trust only the given certificates, and show an identity's.

    kind: server or client, a constant of `ssl`. identity: key and certificate to show;
    None: no certificate. trusted: certificates (PEM) of accepted peers.
    """
    context = ssl.SSLContext(kind)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # peers are identified by certificates, not by host names
    context.verify_mode = ssl.CERT_REQUIRED
    context.verify_flags |= NO_DATES
    if pems := "".join(trusted):
        context.load_verify_locations(cadata=pems)
    if identity is not None:
        with _as_file((identity.tls_key + identity.public.certificate).encode()) as path:
            context.load_cert_chain(path)
    return context


@contextmanager
def _as_file(secret: bytes) -> Iterator[str]:
    """Context manager: give a path from which a library can read a secret.

    The file lies in memory if the system supports that; otherwise in a private folder.
    """
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
    """Return the SHA-256 of a certificate in PEM, which identifies its holder."""
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).digest()


def names(certificates: Mapping[str, str]) -> Mapping[bytes, str]:
    """Return names by the digest (SHA-256) of their certificates. certificates: PEM, by name."""
    return {digest(certificate): name for name, certificate in certificates.items()}


async def server_certificate(host: str, port: int) -> bytes | None:
    """Return the certificate, in DER, that a server shows in a handshake; None: no certificate.

    Raises:
        OSError: no server answers.
        trio.BrokenResourceError: no handshake, or too late.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with trio.move_on_after(HANDSHAKE):
        secured = trio.SSLStream(await trio.open_tcp_stream(host, port), context)
        try:
            await secured.do_handshake()
            der: bytes | None = secured.getpeercert(binary_form=True)
            return der
        finally:
            await trio.aclose_forcefully(secured)
    raise trio.BrokenResourceError(NO_HANDSHAKE)


async def accepted(
    stream: trio.abc.Stream, context: ssl.SSLContext, names_by_digest: Mapping[bytes, str]
) -> tuple[trio.SSLStream[trio.abc.Stream], str]:
    """Server: make the TLS handshake; return the stream and the peer's name, "" for a stranger.

    names_by_digest: names of the session's processes by the digest of their certificates.

    Raises:
        trio.BrokenResourceError: no handshake, or too late.
    """
    secured = trio.SSLStream(stream, context, server_side=True, https_compatible=True)
    with trio.move_on_after(HANDSHAKE):
        try:
            await secured.do_handshake()
        except trio.BrokenResourceError:
            await _tell_why(stream, secured)
            raise
        certificate = secured.getpeercert(binary_form=True)
        return secured, names_by_digest.get(
            hashlib.sha256(certificate).digest(), ""
        ) if certificate else ""
    await stream.aclose()
    raise trio.BrokenResourceError(f"{NO_HANDSHAKE} in time")


async def _tell_why(stream: trio.abc.Stream, secured: "trio.SSLStream[trio.abc.Stream]") -> None:
    """Send the alert of a handshake that failed, so that the client knows the reason.

    trio's SSLStream (0.35) leaves the alert in its private buffer. The client's further
    bytes are read, because closing with unread bytes would reset the connection and lose
    the alert.
    """
    alert = getattr(secured, "_outgoing", None)
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError), trio.move_on_after(FAREWELL):
        if alert is not None and (data := alert.read()):
            await stream.send_all(data)
        if isinstance(stream, trio.abc.HalfCloseableStream):
            await stream.send_eof()
        while await stream.receive_some(PIECE):
            pass


async def connected(
    stream: trio.abc.Stream, context: ssl.SSLContext, server: bytes
) -> trio.SSLStream[trio.abc.Stream]:
    """Client: make a handshake with a server; return the secured stream.

    server: the digest of the certificate that the server must hold.

    Raises:
        trio.BrokenResourceError: no handshake, or too late.
        VerificationError: the server holds another certificate.
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
    """Return the stream after a handshake with the expected server.

    server: the SHA-256 digest of the certificate that the server must hold.
    BrokenResourceError if no handshake is made in time; VerificationError if the server
    holds another certificate.
    """
    with trio.move_on_after(HANDSHAKE):
        await secured.do_handshake()
        certificate = secured.getpeercert(binary_form=True)
        if certificate is None or hashlib.sha256(certificate).digest() != server:
            raise VerificationError("the server holds another certificate than was agreed on")
        return secured
    raise trio.BrokenResourceError(f"{NO_HANDSHAKE} in time")
