r"""The curator's commitment: a certificate is fixed before round 2 and opened with the release.

A certificate is the proof of a decision's bound on exposed people. Its numbers are computed from
counts that may be secret. Then the curator posts the columns of the release, and of the certificate
only

    commitment = SHA-256("veilmix certificate 1\0" || session || blind || decision)
    sealed     = layer for the analyst ( pad( blind || certificate ) )
    its context  SHA-256("veilmix certificate for the analyst 1\0" || session || commitment)

where `decision` is the body of the open message (messages.py), and `blind` is 32 random bytes. The
padded plaintext has 4,096 bytes, or the next power of two.

* The analyst opens the layer before it reads the release. It burns (aborts) the round if the
  certificate does not fit the commitment, the post or the announcement. It never compares the
  certificate with its own counts. Otherwise an attacker could replace a user's row by a guess in
  one round, and learn from an abort that the guess is wrong.
* The curator opens the commitment on the board if the whole certificate follows from the release:
  the users are the same in all rounds, and no value is hidden. The commitment stays closed after an
  abort, with dropouts, in the statistical setting, and with suppressed values.

If the marginals are public, or if no round was counted, the certificate is posted with the
decision.
"""

import hashlib
from collections.abc import Iterable, Sequence
from math import floor

from ...crypto.entropy import Entropy
from ...crypto.keys import SecretKey
from ...crypto.layer import layer_size, open_layer, seal_layer
from ...crypto.padding import pad, unpad
from ...crypto.suites import suite_by_code
from ...errors import Reason, Refused, RoundBurned
from .announcement import UNPROMISED, AnnouncedPolicy, Announcement, Setting
from .hiding_rules import Hiding, Redact
from .messages import (
    BLIND,
    STATE,
    CommittedDecision,
    Decision,
    DecisionCertificate,
    OpenedCertificate,
)
from .wire import Writer, decode

COMMITMENT_LABEL = b"veilmix certificate 1\0"
SEALED_LABEL = b"veilmix certificate for the analyst 1\0"
# bytes of the smallest plaintext that is sealed for the analyst; the others are powers of two
MIN_PLAINTEXT = 4096
MAX_PLAINTEXT = 1 << 24  # bytes of the largest plaintext that is sealed for the analyst
COMMITTED = "committed"  # the rule of a certificate that is not opened yet


def commitment(session: bytes, blind: bytes, decision: Decision) -> bytes:
    """Return the hash (32 bytes) that commits to a decision and its certificate.

    blind: random bytes that hide the content; without them it could be guessed and checked.
    """
    out = Writer()
    decision.write(out)
    return hashlib.sha256(COMMITMENT_LABEL + session + blind + out.finish()).digest()


def commit(
    announced: Announcement, session: bytes, decision: Decision, entropy: Entropy
) -> tuple[CommittedDecision, OpenedCertificate]:
    """Curator: commit to a decision; return the post, and the opening of the commitment.

    session: the digest of the announcement. entropy: randomness for this commitment alone.
    """
    opened = OpenedCertificate(entropy.fork("blind").random(BLIND), decision.certificate)
    digest = commitment(session, opened.blind, decision)
    suite = suite_by_code(announced.suite, lesson=announced.rules.lesson)
    out = Writer()
    opened.write(out)
    plain = out.finish()
    size = MIN_PLAINTEXT
    while len(plain) >= size:
        size *= 2
    context = _context(session, digest)
    padded, fresh = pad(plain, size), entropy.fork("sealed")
    sealed = seal_layer(suite, announced.analyst, padded, context, fresh)
    fields = (
        decision.kept,
        decision.certificate.n,
        _delta(decision),
        decision.hidden,
        digest,
        sealed,
    )
    return CommittedDecision(*fields), opened


def is_sealed_size(announced: Announcement, size: int) -> bool:
    """Whether a layer for the analyst that holds a padded opening can have this size.

    size: bytes of the layer. The opening is the certificate with the random bytes of the
    commitment.
    """
    suite, plain = suite_by_code(announced.suite, lesson=announced.rules.lesson), MIN_PLAINTEXT
    while plain < MAX_PLAINTEXT and layer_size(suite, plain) < size:
        plain *= 2
    return size == layer_size(suite, plain)


def commits(policy: AnnouncedPolicy, decision: Decision) -> bool:
    """Whether the board shows a commitment (a hash) in place of the certificate of a decision.

    The curator commits if the counts behind the decision are secret. A certificate that counts no
    people needs no commitment.
    """
    return not policy.publish_marginals and decision.certificate.n > 0


def may_open(policy: AnnouncedPolicy, hidden: Sequence[Hiding], totals: Iterable[int]) -> bool:
    """Whether the curator may open its commitment, as the release implies its certificate.

    The certificate follows if all rounds have the same users, and no value of the release is
    hidden.

    hidden: the hiding rules of the release. totals: the number of ballots to each question of all
    rounds.
    """
    return policy.setting is Setting.FIXED and not hidden and len(set(totals)) == 1


def public_decision(policy: AnnouncedPolicy, committed: CommittedDecision) -> Decision:
    """Return the decision that the board shows before the commitment is opened.

    In place of the certificate, it states the announced bound on exposed people.
    """
    n, max_exposed = committed.n, committed.n
    if policy.rule not in UNPROMISED:
        max_exposed = floor(policy.max_exposure * n)
        max_exposed += max_exposed < n and (max_exposed + 1) / n <= policy.max_exposure
    certificate = DecisionCertificate(
        COMMITTED, policy.k, n, max_exposed, (), None, committed.delta
    )
    return Decision(committed.kept, certificate, committed.hidden)


def public_part(policy: AnnouncedPolicy, decision: Decision) -> Decision:
    """Return the decision as the board shows it before the commitment is opened.

    In place of the certificate, it states the announced bound on exposed people.
    """
    n, delta = decision.certificate.n, _delta(decision)
    committed = CommittedDecision(decision.kept, n, delta, decision.hidden, bytes(STATE), b"")
    return public_decision(policy, committed)


def open_commitment(
    session: bytes, committed: CommittedDecision, opened: OpenedCertificate
) -> Decision:
    """Return the decision with its certificate; Refused if it does not fit the commitment.

    session: the digest of the announcement. committed: the posted commitment. opened: its opening.
    """
    decision = Decision(committed.kept, opened.certificate, committed.hidden)
    if commitment(session, opened.blind, decision) != committed.digest:
        raise Refused(Reason.UNEXPECTED)
    return decision


def unsealed(session: bytes, committed: CommittedDecision, secret: SecretKey) -> OpenedCertificate:
    """Analyst: decrypt the opening of a commitment: the certificate and its random bytes.

    Refused if it is invalid. session: the digest of the announcement. committed: the curator's
    posted commitment. secret: the analyst's private key.
    """
    padded = open_layer(secret, committed.sealed, _context(session, committed.digest))
    return decode(unpad(padded), OpenedCertificate.read)


def open_sealed(
    announced: Announcement, session: bytes, committed: CommittedDecision, secret: SecretKey
) -> OpenedCertificate:
    """Analyst: return the decrypted and checked certificate; RoundBurned if any check fails.

    session: the digest of the announcement. committed: the curator's posted commitment. secret: the
    analyst's private key.
    """
    try:
        opened = unsealed(session, committed, secret)
    except Refused:
        raise RoundBurned("curator sealed no certificate that the analyst can read") from None
    try:
        decision = open_commitment(session, committed, opened)
    except Refused:
        why = "curator committed to another certificate than it sealed for the analyst"
        raise RoundBurned(why) from None
    _check_claims(announced.policy, committed, decision)
    return opened


def _check_claims(
    policy: AnnouncedPolicy, committed: CommittedDecision, decision: Decision
) -> None:
    """RoundBurned unless the certificate fits the posted commitment and the announced bound."""
    certificate = decision.certificate
    if (certificate.k, certificate.n, _delta(decision)) != (policy.k, committed.n, committed.delta):
        raise RoundBurned(
            f"curator's certificate is about {certificate.n:,} people and k = {certificate.k:,}; "
            f"posted and announced were {committed.n:,} people and k = {policy.k:,}"
        )
    if policy.rule not in UNPROMISED and certificate.value > policy.max_exposure:
        raise RoundBurned(
            f"curator's certificate lets {100 * certificate.value:.4g} % of the people be exposed; "
            f"at most {100 * policy.max_exposure:.4g} % was announced"
        )


def _delta(decision: Decision) -> float | None:
    """Return the probability that a column has fewer than k suppressed values; None without covers.

    Covers are suppressed values that users choose at random, to hide which values were suppressed
    for a reason.
    """
    covers = any(isinstance(rule, Redact) and rule.cover for rule in decision.hidden)
    return decision.certificate.slack if covers else None


def _context(session: bytes, digest: bytes) -> bytes:
    """Return the context to which the sealed certificate is bound.

    digest: the commitment, 32 bytes.
    """
    return hashlib.sha256(SEALED_LABEL + session + digest).digest()
