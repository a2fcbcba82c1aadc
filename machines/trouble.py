"""The reason why a process of a session does not reach another: found, stored, logged once.

Three causes can break a connection: no process listens at the address, another party
listens there, or the other process does not accept the certificate of this process. Waiting
helps only against the first, so the other two are logged at once. A missing answer is
logged when the waits between tries are at their longest, because the processes of a
session start at different times.
"""

import os
import ssl
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from socket import gaierror

import trio

from ..crypto.identity import NEAR_END, certificate_facts, fingerprint_of_digest
from ..errors import ParameterError, VerificationError
from . import tls
from .directory import SessionPlace

# most refused connections that are logged, so that a flood fills no disk; further ones are only
# counted
MOST_REASONS = 100

DATES = "sessions go on, as veilmix compares no date; a proxy or an auditor may"


class TroubleKind(StrEnum):
    """The kind of reason why a process of a session does not reach another."""

    NO_ANSWER = "nobody answers"
    SOMEBODY_ELSE = "another certificate answers"
    NOT_ACCEPTED = "our certificate is not accepted"
    BROKEN = "the connection broke"


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reason why another process of the session (a place) is not reached.

    Attributes:
        kind: the kind of the reason.
        text: the reason, with address and fingerprints, in one line.
    """

    kind: TroubleKind
    text: str


async def diagnose(
    place: SessionPlace, error: BaseException, names_by_digest: Mapping[bytes, str]
) -> Trouble:
    """Return the reason why a place (a process of the session) was not reached.

    If another party seems to answer, connect once more, without an own certificate, to name
    that party. names_by_digest: names of the session's processes by the digest of their
    certificates (tls.names).
    """
    where = f"{place.name} at {place.host}:{place.port}"
    causes = list(_causes(error))
    if any(isinstance(each, (ssl.SSLCertVerificationError, VerificationError)) for each in causes):
        return await _somebody_else(where, place, names_by_digest)
    alerts = [each for each in causes if isinstance(each, ssl.SSLError)]
    if any("ALERT" in str(each.reason or "") for each in alerts):
        return Trouble(
            TroubleKind.NOT_ACCEPTED,
            f"{where} does not accept our certificate: its session file has another one for us",
        )
    if alerts:
        return Trouble(
            TroubleKind.BROKEN, f"{where} does not speak TLS as a place does: {alerts[-1]}"
        )
    refused = [each for each in causes if isinstance(each, OSError) and each.errno]
    if refused:
        return Trouble(
            TroubleKind.NO_ANSWER, f"{where} does not answer: {_error_text(refused[-1])}"
        )
    return Trouble(TroubleKind.BROKEN, f"{where}: {error or type(error).__name__}")


def _error_text(error: OSError) -> str:
    """Return the system's text of an error, without the address, which trio adds."""
    return str(error.strerror) if isinstance(error, gaierror) else os.strerror(error.errno or 0)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and the chain of its causes; of a group, each member."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for each in error.exceptions:
                yield from _causes(each)
        error = error.__cause__


async def _somebody_else(
    where: str, place: SessionPlace, names_by_digest: Mapping[bytes, str]
) -> Trouble:
    """Return the trouble that the address of a process shows another certificate than expected.

    where: the process's name and address, for the text. place: the process. names_by_digest:
    names of the session's processes by the digest of their certificates.
    """
    expected = f"{fingerprint_of_digest(tls.digest(place.certificate))} is expected"
    try:
        certificate = await tls.server_certificate(place.host, place.port)
    except (OSError, trio.BrokenResourceError):
        certificate = None
    description = (
        "a certificate that it shows nobody else"
        if certificate is None
        else _certificate_owner(certificate, names_by_digest)
    )
    return Trouble(
        TroubleKind.SOMEBODY_ELSE, f"{where}: somebody else answers, {description}; {expected}"
    )


def _certificate_owner(certificate: bytes, names_by_digest: Mapping[bytes, str]) -> str:
    """Return the name of a certificate's owner, or the facts that the certificate states.

    certificate: DER. names_by_digest: names of the session's processes by the digest of
    their certificates.
    """
    digest = sha256(certificate).digest()
    if digest in names_by_digest:
        return f"the certificate of {names_by_digest[digest]}"
    try:
        facts = certificate_facts(certificate)
    except ParameterError:
        return "with bytes that are no certificate"
    dates = f"from {facts.begins:%Y-%m-%d} to {facts.ends:%Y-%m-%d}"
    calls = f"calls itself {facts.name!r:.80}, {dates}"
    return f"certificate {fingerprint_of_digest(digest)} ({calls})"


def near_their_end(certificates: Mapping[str, str], now: datetime) -> Iterator[str]:
    """Yield a sentence on each certificate that ends within 30 days, has ended, or has not begun.

    certificates: PEM, by name of the owner.
    """
    for name, certificate in sorted(certificates.items()):
        facts = certificate_facts(ssl.PEM_cert_to_DER_cert(certificate))
        if not facts.begins <= now <= facts.ends - NEAR_END:
            dates = f"from {facts.begins:%Y-%m-%d} to {facts.ends:%Y-%m-%d}"
            clock = f"this clock says {now:%Y-%m-%d}"
            yield f"the certificate of {name} is {dates}, {clock}; {DATES}"


class Troubles:
    """The present reasons why this process does not reach other processes (places) of a session.

    Attributes:
        now: by name of a place that is not reached, the reason.
        turned_away: the number of incoming connections that failed the handshake, by
            reason.
    """

    def __init__(self, log: Callable[[str], None], certificates: Mapping[str, str]) -> None:
        """Start without troubles.

        log: called with a line about each trouble. certificates: the TLS certificate (PEM) of
        every process of the session, by name.
        """
        self.now: dict[str, Trouble] = {}
        self.turned_away: Counter[str] = Counter()
        self._log = log
        self._certificates = certificates
        self._logged: dict[str, str] = {}
        self._strangers: set[tuple[str, str]] = set()

    async def failed(self, place: SessionPlace, error: BaseException, *, long: bool) -> None:
        """Find and keep the reason why a process was not reached; log it if waiting will not help.

        place: the name, address and certificate of that process. long: whether the waits
        between tries are already the longest.
        """
        trouble = await diagnose(place, error, tls.names(self._certificates))
        self.now[place.name] = trouble
        if trouble.kind in (TroubleKind.NO_ANSWER, TroubleKind.BROKEN) and not long:
            return
        if self._logged.get(place.name) != trouble.text:
            self._logged[place.name] = trouble.text
            self._log(trouble.text)

    def reached(self, name: str) -> None:
        """Forget the trouble with a process that is reached again, and log that."""
        self.now.pop(name, None)
        if self._logged.pop(name, None):
            self._log(f"{name} is reached again")

    def turn_away(self, host: str, error: BaseException) -> None:
        """Count and log an incoming connection without a valid handshake.

        host: the sender's network address. error: the failure.
        """
        is_unknown = any(isinstance(each, ssl.SSLCertVerificationError) for each in _causes(error))
        why = tls.UNKNOWN if is_unknown else tls.NO_HANDSHAKE
        self.turned_away[why] += 1
        if (host, why) not in self._strangers and len(self._strangers) < MOST_REASONS:
            self._strangers.add((host, why))
            self._log(f"a connection from {host} was refused: {why}")

    def by_kind(self) -> dict[str, int]:
        """Return the number of processes (places) that are not reached, by the kind of reason."""
        return dict(Counter(trouble.kind.value for trouble in self.now.values()))

    def text(self) -> dict[str, str]:
        """Return the present reasons in words, by name of the process, for a status report."""
        return {name: trouble.text for name, trouble in self.now.items()}
