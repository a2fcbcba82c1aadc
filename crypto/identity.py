r"""Identities: a party's long-term key, known to other parties from session to session.

An identity is an Ed25519 key for posts on the bulletin board, and a TLS key (P-256) with a
self-signed certificate. The identity key also proves the certificate:

    binding = Ed25519("veilmix identity 1\0" || name || 0 || certificate in DER)

so a certificate may be renewed while the identity stays. No authority vouches for the name: a key
is a person's because the person handed it over, or read out its fingerprint.
"""

import datetime as dt
import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Never, final

from ..errors import ParameterError, Refused
from .entropy import Drawn, Entropy, OSEntropy
from .signing import SIGNING_KEY, Signer, verify_signature

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

LABEL = b"veilmix identity 1\0"
SEED = 32  # bytes of the seed of an identity key
YEARS = 10  # years for which a new certificate is valid
# bytes of PEM; a longer text is refused. A certificate of veilmix has some 700.
LARGEST_CERTIFICATE = 8192
NEAR_END = dt.timedelta(days=30)  # veilmix warns so long before a certificate expires
SLACK = dt.timedelta(days=1)  # a new certificate is valid even if a clock is so much behind

# uses of the TLS key that the certificate forbids, because TLS 1.3 needs only its signatures
UNUSED = (
    "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "crl_sign",
    "encipher_only", "decipher_only",
)  # fmt: skip

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
# BLAKE2b personalisation, so that no other hash of a key in veilmix equals a fingerprint
_PRINT = b"veilmix.identity"
_PRINT_SIZE = 16  # bytes of a fingerprint: a second key with a given fingerprint cannot be found


def check_name(name: str) -> str:
    """Return `name` if it is accepted as the name of an identity, else raise ParameterError."""
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise ParameterError(
            f"name: found {str(name)[:80]!r}; 1 to 64 letters, digits, dots, dashes and "
            "underscores are accepted, beginning and ending with a letter or a digit"
        )
    return name


def fingerprint(key: bytes) -> str:
    """Return 128 bits of a hash of an identity key as eight groups of hex digits.

    People read it out to compare keys.
    """
    return _in_groups(blake2b(key, digest_size=_PRINT_SIZE, person=_PRINT).hexdigest())


def fingerprint_of_digest(digest: bytes) -> str:
    """Return the first 128 bits of a certificate's SHA-256 as eight groups of hex digits."""
    return _in_groups(digest[:_PRINT_SIZE].hex())


def _in_groups(text: str) -> str:
    """Return a text cut into groups of four characters with spaces between."""
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


@final
@dataclass(frozen=True, slots=True)
class PublicIdentity:
    """The public part of a party's identity, which other parties store.

    Attributes:
        name: name chosen by its holder.
        key: the Ed25519 public key, 32 bytes.
        certificate: the TLS certificate, in PEM; empty: there is none.
        binding: the holder's signature of name and certificate; empty without a certificate.

    Raises:
        ParameterError: a field is malformed, or the holder has not signed this name and
            certificate.
    """

    name: str
    key: bytes
    certificate: str = ""
    binding: bytes = b""

    def __post_init__(self) -> None:
        """Check name, key length and the holder's signature of name and certificate."""
        check_name(self.name)
        if len(self.key) != SIGNING_KEY:
            raise ParameterError(
                f"{self.name}: key: found {len(self.key)} bytes; {SIGNING_KEY} are accepted"
            )
        if not self.certificate and not self.binding:
            return
        signed = _bound(self.name, _der(self.name, self.certificate))
        try:
            verify_signature(self.key, signed, self.binding)
        except Refused:
            raise ParameterError(
                f"{self.name}: its holder has not signed this name and certificate"
            ) from None

    @property
    def fingerprint(self) -> str:
        """The fingerprint that people compare: 128 bits of a hash of the key, as hex digits."""
        return fingerprint(self.key)


@final
class Identity:
    """An identity with its secrets, which are never shown, pickled or copied.

    Attributes:
        public: the public part.
        signer: signs posts on the bulletin board.
        tls_key: the secret TLS key, in PEM: only for the TLS library and the identity's own file.
        seed: seed of the Ed25519 identity key: only for the identity's own file.
    """

    __slots__ = ("public", "seed", "signer", "tls_key")

    def __init__(self, public: PublicIdentity, seed: bytes, tls_key: str) -> None:
        """Set the parts after a check that both secrets belong to the public part.

        Raises ParameterError if a secret does not.
        """
        if len(seed) != SEED:
            raise ParameterError(
                f"{public.name}: the identity's secret has {len(seed)} bytes, not {SEED} bytes"
            )
        self.signer = Signer(Drawn(seed))
        if self.signer.public != public.key:
            raise ParameterError(f"{public.name}: the secret belongs to another identity key")
        if bool(tls_key) != bool(public.certificate) or not _fits(tls_key, public):
            raise ParameterError(f"{public.name}: the TLS key belongs to another certificate")
        self.public, self.seed, self.tls_key = public, seed, tls_key

    def __repr__(self) -> str:
        return f"Identity({self.public.name}, {self.public.fingerprint}, secrets hidden)"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied."""
        raise TypeError("an Identity is not pickled or copied; read its file where it is needed")


@dataclass(frozen=True, slots=True)
class CertificateFacts:
    """The name and validity that a certificate states; nothing of it has been verified.

    Attributes:
        name: name of its holder; "" if it has none.
        begins, ends: the times, in UTC, between which it is valid.
    """

    name: str
    begins: dt.datetime
    ends: dt.datetime


def certificate_facts(der: bytes) -> CertificateFacts:
    """Return the name and validity that a certificate in DER states, without verification.

    Raises ParameterError if the bytes are no certificate.
    """
    from cryptography.x509 import NameOID, load_der_x509_certificate

    try:
        read = load_der_x509_certificate(der)
        names = read.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        name = str(names[0].value) if names else ""
        return CertificateFacts(name, read.not_valid_before_utc, read.not_valid_after_utc)
    except ValueError:
        raise ParameterError("certificate: found none in DER in the bytes") from None


def make_identity(name: str, entropy: Entropy | None = None) -> Identity:
    """Return a new identity, with a TLS key and a self-signed certificate.

    name: chosen by its holder, in the certificate. entropy: source of the identity key; None: the
    system's randomness. The TLS key always has randomness of the library.
    """
    check_name(name)
    seed = (entropy or OSEntropy()).random(SEED)
    signer = Signer(Drawn(seed))
    certificate, tls_key = _certificate(name)
    binding = signer.sign(_bound(name, _der(name, certificate)))
    return Identity(PublicIdentity(name, signer.public, certificate, binding), seed, tls_key)


def _certificate(name: str) -> tuple[str, str]:
    """Return a new self-signed certificate and its secret TLS key, both in PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    issue_time = dt.datetime.now(dt.UTC)
    usage = dict.fromkeys(UNUSED, False)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(issue_time - SLACK)
        .not_valid_after(issue_time + dt.timedelta(days=365 * YEARS))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.KeyUsage(digital_signature=True, key_cert_sign=True, **usage), critical=True
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), secret.decode()


def _bound(name: str, der: bytes) -> bytes:
    """Return the bytes that bind a name to a certificate when the identity key signs them."""
    return LABEL + name.encode() + b"\0" + der


def _der(name: str, certificate: str) -> bytes:
    """Return a PEM certificate in DER; `name` begins the message of a ParameterError."""
    from cryptography.hazmat.primitives.serialization import Encoding

    return _read(name, certificate).public_bytes(Encoding.DER)


def _read(name: str, certificate: str) -> "Certificate":
    """Return a PEM certificate as the library's object.

    ParameterError if it is too long or malformed.
    """
    from cryptography.x509 import load_pem_x509_certificate

    try:
        if len(certificate) > LARGEST_CERTIFICATE:
            raise ValueError  # noqa: TRY301 - a single message for every invalid certificate
        return load_pem_x509_certificate(certificate.encode())
    except ValueError:
        raise ParameterError(f"{name}: certificate: found none in PEM in the text") from None


def _fits(tls_key: str, public: PublicIdentity) -> bool:
    """Whether a secret TLS key in PEM belongs to the certificate; True for an empty key."""
    if not tls_key:
        return True
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        mine = load_pem_private_key(tls_key.encode(), None).public_key()
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return False
    return mine == _read(public.name, public.certificate).public_key()
