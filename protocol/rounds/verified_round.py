r"""A round of a verified mix (every step is proved): the steps and checks of each keyholder.

    context       announcement digest, round, query, and the name of the party that proves
    closed list   per user the ballots that keyholders have posted; if they differ, the ballots
                  with the smallest SHA-256
    digest        SHA-256("veilmix closed list 1\0" || session || round
                          || for each user, ascending: u32 place || SHA-256(ballots))

Keyholders are the shufflers and the reader (curator or analyst). The place is a user's index in the
registry. A keyholder checks the closed list, then every shuffle, and only then gives a decryption
share. A post with an invalid proof burns (aborts) the round, and its author is named. All checks
use only public bytes. One step does not: if the counts of a round are secret, the reader opens the
answers with a decryption share that it never posts.

If users submit once (`Program.TWO_ROUND_ONCE`), round 1 has a further joint key, of the shufflers
and the analyst. Each ballot holds its value for both readers (`crypto/verified/submit_once.py`).
The release has no keys and no ballots of its own. It mixes the analyst's ciphertexts in the ballots
of round 1: a row for each user, with the released columns.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...crypto.entropy import Entropy
from ...crypto.joint_key import KeyShare
from ...crypto.verified.ballots import BALLOT_SIZE, check_ballot, decode_ballot, make_ballot
from ...crypto.verified.group import RISTRETTO255
from ...crypto.verified.keys import OwnedKey, decode_key, joint_key, make_key
from ...crypto.verified.rows import CiphertextRows, ballot_rows, remix
from ...crypto.verified.shares import (
    DecryptionShares,
    check_shares,
    make_shares,
    opened_elements,
    partial_decryptions,
)
from ...crypto.verified.shuffle import ShuffleProof
from ...crypto.verified.shuffle_checker import check_shuffle
from ...crypto.verified.shuffle_prover import prove_shuffle
from ...crypto.verified.submit_once import ONCE_SIZE, ReaderKeys, check_once, decode_once, make_once
from ...crypto.verified.transcript import ProofContext
from ...errors import Reason, Refused, RoundBurned, VerificationError
from ..wire import parties
from ..wire.announcement import Setting
from ..wire.messages import Registry, Submission
from ..wire.verified_messages import BallotKeys, HandedBallot, OpeningShares, ShuffledLists
from .ballots import answers
from .registered_users import signed_by, signed_digest
from .round_context import Round
from .tallying import BallotReading
from .verified_answers import AnswerElements, count_rows

LIST_LABEL = b"veilmix closed list 1\0"
GROUP = RISTRETTO255
Lists = tuple[CiphertextRows, ...]  # for each query, its ciphertexts
ClosedList = Mapping[int, bytes]  # user's index in the registry, ascending -> its ballots


def context_of(plan: Round, question: int, party: str) -> ProofContext:
    """Return the context (session, round, query, party) to which a party's proof is bound.

    question: the number of the query, from 0. party: the name of the party that proves.
    """
    return ProofContext(GROUP, plan.session, plan.call.round, question, party.encode())


def release_keyholders(plan: Round) -> tuple[str, ...]:
    """Return the parties that must open the release together: all shufflers, and the analyst."""
    return *plan.openers[:-1], parties.ANALYST


def key_round(plan: Round) -> int:
    """Return the number of the round in which this round's keys are posted.

    It is 1 for a release that mixes the ballots of round 1 again: the keys of both are posted in
    round 1.
    """
    return 1 if plan.reuses_ballots else plan.call.round


def keys_due(plan: Round, party: str) -> range:
    """Return the numbers of the keys that a party must post in a round: a number for each query.

    If users submit once for both rounds, shufflers and analyst also post a key for the release.
    """
    queries = len(plan.call.asks)
    if not plan.once:
        return range(queries)
    first = queries if party == parties.ANALYST else 0
    return range(first, queries + (party in release_keyholders(plan)))


@dataclass(frozen=True, slots=True)
class RoundKeys:
    """The public joint keys of a round, as every party derives them from the posted keys.

    Attributes:
        joint: the joint key of each query, to which ballots are encrypted.
        publics: by party, its public key for each query.
        release: the joint key of the release, if users submit once for both rounds and this is
            round 1; else empty.
    """

    joint: tuple[bytes, ...]
    publics: Mapping[str, tuple[bytes, ...]]
    release: bytes = b""


def draw_keys(plan: Round, party: str, entropy: Entropy) -> tuple[KeyShare, ...]:
    """Shuffler, curator or analyst: draw its key pairs of a round.

    There is a key pair for each query. If users submit once for both rounds, shufflers and analyst
    also draw a key pair for the release. entropy: randomness of this round alone.
    """
    return tuple(
        make_key(context_of(plan, number, party), entropy) for number in keys_due(plan, party)
    )


def posted_keys(shares: Sequence[KeyShare]) -> BallotKeys:
    """Keyholder: return the post with its public keys and the proofs that it owns them."""
    return BallotKeys(tuple(OwnedKey(key.public, key.proof).encode() for key in shares))


def joint_keys(plan: Round, posted: Mapping[str, BallotKeys]) -> RoundKeys:
    """Return the joint keys of a round, after checking the keys that the parties posted.

    Each shuffler, and the curator or analyst, posts a public key for every query. The joint key
    of a query is the sum of these keys; the ballots to the query are encrypted to it.

    posted: by party, its post with its public keys and their proofs.

    Raises:
        VerificationError: a proof of ownership does not hold, or the keys add up to the identity
            (then the joint key hides no answer).
        Refused: (MALFORMED) a record of a key is malformed.
    """
    size = GROUP.element_size
    if plan.reuses_ballots:
        last = {party: (posted[party].keys[-1][:size],) for party in plan.openers}
        return RoundKeys((_release_key(plan, posted),), last)
    joint = list[bytes]()
    for question in range(len(plan.call.asks)):
        contexts = [context_of(plan, question, party) for party in plan.openers]
        records = [posted[party].keys[question] for party in plan.openers]
        joint.append(_joint_key(contexts, records))
    publics = {party: tuple([key[:size] for key in posted[party].keys]) for party in plan.openers}
    release = _release_key(plan, posted) if plan.once else b""
    return RoundKeys(tuple(joint), publics, release)


def _release_key(plan: Round, posted: Mapping[str, BallotKeys]) -> bytes:
    """Return the joint key of the release, from the last key that each of its keyholders posted.

    Its keyholders are the shufflers and the analyst.
    """
    number, owners = len(plan.announcement.schema.features), release_keyholders(plan)
    contexts = [ProofContext(GROUP, plan.session, 1, number, party.encode()) for party in owners]
    return _joint_key(contexts, [posted[party].keys[-1] for party in owners])


def _joint_key(contexts: Sequence[ProofContext], records: Sequence[bytes]) -> bytes:
    """Return the joint key of several parties, after checking that each owns its key.

    contexts: for each party, the context to which its proof is bound. records: for each party, its
    encoded key with the proof of ownership.
    """
    owned = [decode_key(*pair) for pair in zip(contexts, records, strict=True)]
    return joint_key(contexts, owned)


def make_ballots(
    plan: Round,
    keys: RoundKeys,
    elements: AnswerElements,
    person: int,
    row: Sequence[str],
    entropy: Entropy,
) -> bytes:
    """User: return its encrypted ballots with their proofs, concatenated over all queries.

    elements: the encoding of answers as group elements. person: the user's index in the registry.
    row: the values as submitted.
    """
    encoding = bytearray()
    for ballot in answers(plan, row):
        context = context_of(plan, ballot.ask, parties.user(person))
        element, key = elements.encode(ballot.ask, ballot.values), keys.joint[ballot.ask]
        if plan.once:
            both = ReaderKeys(key, keys.release)
            encoding += make_once(context, both, element, entropy).ballot.encode(GROUP)
        else:
            encoding += make_ballot(context, key, element, entropy).ballot.encode(GROUP)
    return bytes(encoding)


def check_handed(
    plan: Round, keys: RoundKeys, registry: Registry, handed: Sequence[HandedBallot]
) -> list[Reason | None]:
    """Keyholder: check users' ballots; return, by user, None or the reason why they do not count.

    UNREGISTERED: the user has not signed the ballots. MALFORMED: a record is malformed, or the
    user's proof that it knows the content of its ballot fails. handed: ballots of the right size,
    by user.
    """
    claims = [
        (
            handed_ballot.person,
            signed_digest(plan, hashlib.sha256(handed_ballot.ballots).digest()),
            handed_ballot.signature,
        )
        for handed_ballot in handed
    ]
    verdicts = list[Reason | None]()
    for handed_ballot, signed in zip(handed, signed_by(registry, claims), strict=True):
        verdict = None if signed else Reason.UNREGISTERED
        try:
            if signed:
                _check_proofs(plan, keys, handed_ballot)
        except (Refused, VerificationError):
            verdict = Reason.MALFORMED
        verdicts.append(verdict)
    return verdicts


def _check_proofs(plan: Round, keys: RoundKeys, handed: HandedBallot) -> None:
    """Raise an error unless the user proves that it knows the content of each of its ballots.

    Raises:
        VerificationError: a proof does not hold.
        Refused: a ballot is malformed.
    """
    for question, record in enumerate(split_ballots(plan, handed.ballots)):
        context = context_of(plan, question, parties.user(handed.person))
        if plan.once:
            both = ReaderKeys(keys.joint[question], keys.release)
            check_once(context, both, decode_once(GROUP, record))
        else:
            check_ballot(context, keys.joint[question], decode_ballot(GROUP, record))


def split_ballots(plan: Round, records: bytes) -> list[bytes]:
    """Split the concatenated ballots of a user into one record for each query."""
    size = ONCE_SIZE if plan.once else BALLOT_SIZE
    return [records[at : at + size] for at in range(0, len(records), size)]


def chosen(candidates: Sequence[HandedBallot]) -> HandedBallot:
    """Return the ballots of a user that count, if parties posted different ballots of this user.

    A fixed rule decides: the smallest SHA-256. candidates: the posted ballots of the user.
    """
    return min(candidates, key=lambda handed: hashlib.sha256(handed.ballots).digest())


def handed_of(person: int, submission: Submission) -> HandedBallot:
    """Keyholder: return the entry of its post for the ballots that a user has submitted to it.

    person: the user's index in the registry.
    """
    return HandedBallot(person, submission.envelope, submission.signature)


def closed_digest(plan: Round, closed: ClosedList) -> bytes:
    """Return the digest (32 bytes) of a closed list, the ballots that count, by user.

    All parties with a key (shufflers, and curator or analyst) confirm the digest before the mix.
    """
    digest = hashlib.sha256(LIST_LABEL + plan.session + bytes([plan.call.round]))
    for person, ballots in closed.items():
        digest.update(person.to_bytes(4, "big") + hashlib.sha256(ballots).digest())
    return digest.digest()


def is_invited(plan: Round, person: int, earlier_lists: Sequence[ClosedList]) -> bool:
    """Whether a user may answer a round.

    In the fixed setting, all users may answer round 1, and the respondents of the round before may
    answer a later round. In the statistical setting, rounds have different people: a user may
    answer only if it answered no earlier round. person: the user's index in the registry.
    earlier_lists: the closed list (the ballots that count, by user) of each earlier round.
    """
    if plan.announcement.policy.setting is Setting.STATISTICAL:
        return not any(person in closed for closed in earlier_lists)
    return not earlier_lists or person in earlier_lists[-1]


def row_width(plan: Round) -> int:
    """Return the number of ciphertexts of a user that are shuffled together as a row.

    1, or the number of released columns if the ballots of round 1 are mixed again.
    """
    return len(plan.call.asks[0]) if plan.reuses_ballots else 1


def first_lists(plan: Round, closed: ClosedList) -> Lists:
    """Return the ciphertexts that enter the mix, a list for each query.

    If the ballots of round 1 are mixed again, there is a single list, with a row for each user: the
    analyst's ciphertext of each released column. closed: the ballots that count, by user.
    """
    ballots = [split_ballots(plan, records) for records in closed.values()]
    size = GROUP.element_size
    if plan.reuses_ballots:
        (columns,) = plan.call.asks
        pairs = [
            [(user_ballots[at][:size], user_ballots[at][2 * size : 3 * size]) for at in columns]
            for user_ballots in ballots
        ]
        return (ballot_rows(pairs),)
    return tuple(
        ballot_rows(
            [
                ((user_ballots[question][:size], user_ballots[question][size : 2 * size]),)
                for user_ballots in ballots
            ]
        )
        for question in range(len(plan.call.asks))
    )


def shuffle(
    plan: Round, party: str, keys: RoundKeys, old: Lists, entropy: Entropy
) -> ShuffledLists:
    """Shuffler: re-encrypt and permute the lists; return them with proofs of a correct shuffle.

    old: the lists of ciphertexts before this shuffle, by query.
    """
    lists, proofs = list[bytes](), list[bytes]()
    for question, rows in enumerate(old):
        context, key = context_of(plan, question, party), keys.joint[question]
        mixed = remix(context, key, rows, entropy)
        proof = prove_shuffle(context, key, rows, mixed, entropy)
        lists.append(mixed.rows.encode())
        proofs.append(proof.encode(GROUP))
    return ShuffledLists(parties.index(party) + 1, tuple(lists), tuple(proofs))


def check_shuffled(
    plan: Round, keys: RoundKeys, old: Lists, posted: ShuffledLists, entropy: Entropy
) -> Lists:
    """Keyholder: check a shuffler's proofs, and return its lists of ciphertexts.

    RoundBurned unless each list is proved to be a shuffle of the list before.

    old: the lists before this shuffle, by query. posted: the shuffler's post: lists and proofs.
    entropy: the checker's randomness, for batch verification.
    """
    party, lists = parties.shuffler(posted.hop), list[CiphertextRows]()
    for question, rows in enumerate(old):
        context = context_of(plan, question, party)
        try:
            new = CiphertextRows.decode(GROUP, posted.lists[question])
            proof = ShuffleProof.decode(GROUP, posted.proofs[question])
            check_shuffle(context, keys.joint[question], rows, new, proof, entropy)
        except (Refused, VerificationError) as fault:
            raise RoundBurned(
                f"the shuffle of {party} does not check (question {question + 1}): {fault}"
            ) from None
        lists.append(new)
    return tuple(lists)


def give_shares(
    plan: Round, party: str, keys: Sequence[KeyShare], lists: Lists, entropy: Entropy
) -> OpeningShares:
    """Keyholder: return its decryption shares of the final lists of ciphertexts, with proofs.

    keys: the party's key for each query. A release that mixes the ballots of round 1 again has a
    single key.
    """
    return OpeningShares(
        tuple(
            make_shares(context_of(plan, question, party), key, rows.firsts, entropy).encode(GROUP)
            for question, (key, rows) in enumerate(zip(keys, lists, strict=True))
        )
    )


def check_opening(
    plan: Round, party: str, keys: RoundKeys, lists: Lists, posted: OpeningShares
) -> list[tuple[bytes, ...]]:
    """Keyholder: return the decryption shares of another keyholder, after checking their proofs.

    RoundBurned unless the shares were made with the key that `party` posted.
    """
    opened = list[tuple[bytes, ...]]()
    for question, rows in enumerate(lists):
        context = context_of(plan, question, party)
        try:
            shares = DecryptionShares.decode(GROUP, posted.shares[question])
            check_shares(context, keys.publics[party][question], rows.firsts, shares)
        except (Refused, VerificationError) as fault:
            raise RoundBurned(
                f"the decryption shares of {party} do not check (question {question + 1}): {fault}"
            ) from None
        opened.append(shares.elements)
    return opened


def share_elements(posted: OpeningShares) -> list[tuple[bytes, ...]]:
    """Return posted decryption shares by query, without a check of proofs; Refused if malformed."""
    return [DecryptionShares.decode(GROUP, record).elements for record in posted.shares]


def own_decryptions(keys: Sequence[KeyShare], lists: Lists) -> list[tuple[bytes, ...]]:
    """Curator or analyst: return its unposted decryption shares of a round with secret counts.

    keys: its key for each query. lists: the ciphertexts of each query after the last shuffle.
    """
    pairs = zip(keys, lists, strict=True)
    return [tuple(partial_decryptions(GROUP, key, rows.firsts)) for key, rows in pairs]


def read_opened(
    plan: Round, lists: Lists, shares: Sequence[Sequence[Sequence[bytes]]]
) -> BallotReading:
    """Return the counts of the answers that the decryption shares of all parties open.

    lists: the ciphertexts after the last shuffle. shares: for each shuffler, and the curator or
    analyst, its decryption shares by query and ciphertext.
    """
    opened = [
        opened_elements(GROUP, rows.seconds, [party_shares[question] for party_shares in shares])
        for question, rows in enumerate(lists)
    ]
    if plan.reuses_ballots:
        (cells,), count = opened, lists[0].count  # shape of cells: columns x users, flattened
        columns = [cells[at : at + count] for at in range(0, len(cells), count)]
        return count_rows(plan, zip(*columns, strict=True))
    return AnswerElements(plan).count(opened)
