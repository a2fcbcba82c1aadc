"""The cost of a round of a verified mix: bytes, and scalar multiplications of group elements.

The table counts multiplications for each user and query. For decryption shares and shuffles it
counts them for each row of w ciphertexts (w = 1 in most lists). The keyholders of a round are m
shufflers and its reader (docs/verified.md):

    make a ballot 3      check it 2: by the keyholder that posts it, then by each keyholder
    for two readers 5    check it 4
    re-encrypt 2 w       prove the shuffle 6 + 2 w         check it 4 + 4 w, by each keyholder
    make shares 2 w      check them 2 w; a reader that keeps its share private makes it with w

In a secret round only the reader checks the shufflers' shares. In a public round the reader checks
the shufflers' shares, and the other reader checks all shuffles and all shares. Shufflers check all
shares before the next round, so not after the release.

If users submit once, round 2 has no keys, no ballots and a single list of rows. The analyst then
first checks the ballots of round 1. A simulation checks each statement once for all parties;
separate machines each check it.
"""

from time import perf_counter

from ....crypto.entropy import OSEntropy
from ....crypto.signing import SIGNATURE
from ....crypto.verified.group import RISTRETTO255
from ....crypto.verified.keys import KEY_SIZE, make_key
from ....crypto.verified.rows import ballot_rows, remix
from ....crypto.verified.shuffle_checker import check_shuffle
from ....crypto.verified.shuffle_prover import prove_shuffle
from ....crypto.verified.transcript import ProofContext
from ....protocol.board.verified_posts import (
    PAIR,
    PROOF_HEAD,
    PROOF_PAIR,
    PROOF_ROW,
    ROWS_HEAD,
    SHARE,
    SHARES_HEAD,
)
from ....protocol.rounds.round_context import Round
from ....protocol.rounds.verified_round import keys_due, row_width
from ....protocol.wire.frames import HEADER
from ....protocol.wire.messages import WITNESS
from ....protocol.wire.parties import Role

# The numbers below count scalar multiplications of group elements for each step of a verified mix.
BALLOT, BALLOT_CHECK = 3, 2  # to make and to check a ballot
ONCE, ONCE_CHECK = 5, 4  # to make and to check a ballot for two readers
# for each ciphertext: REMIX re-encrypts it, SHARES makes a party's decryption share, SHARES_CHECK
# checks a share, OWN_SHARE applies the reader's own secret share, which is not posted
REMIX, SHARES, SHARES_CHECK, OWN_SHARE = 2, 2, 2, 1
PROVE, PROVE_PAIR, CHECK, CHECK_PAIR = (
    6,
    2,
    4,
    4,
)  # PROVE and CHECK for each row; PROVE_PAIR and CHECK_PAIR for each ciphertext in the row
LENGTH = 4  # bytes of the length prefix of each field: envelope, signature, board digest
TRIED, ATTEMPTS = 8, 3  # rows of the timed shuffle, and number of timings (the fastest counts)


def multiplications(plan: Round, people: int) -> int:
    """Return the number of scalar multiplications of all parties, if each party checks for itself.

    plan: the round. people: the number of users.
    """
    a_row = row_width(plan) * (REMIX + PROVE_PAIR) + PROVE
    check = row_width(plan) * CHECK_PAIR + CHECK
    followers = len(plan.openers) + plan.is_public
    shuffles = (len(plan.openers) - 1) * (a_row + followers * check)
    lists = shuffles + row_width(plan) * _shares(plan)
    return people * (_ballots(plan) + len(plan.call.asks) * lists)


def checks(plan: Round, people: int) -> int:
    """Return the scalar multiplications of a party that checks all ballots, shuffles and shares.

    The party checks every posted statement of the round once, as in
    `protocol/board/verified_record.py`. plan: the round. people: the number of users.
    """
    width, keyholders = row_width(plan), len(plan.openers)
    givers = keyholders if plan.is_public else keyholders - 1
    of_lists = (keyholders - 1) * (width * CHECK_PAIR + CHECK) + givers * width * SHARES_CHECK
    of_ballot = 0 if plan.reuses_ballots else ONCE_CHECK if plan.once else BALLOT_CHECK
    return people * len(plan.call.asks) * (of_ballot + of_lists)


def _ballots(plan: Round) -> int:
    """Return the scalar multiplications for one user's ballots: to make them, and to check them."""
    # only the analyst checks the ballots, because it took no part in round 1
    if plan.reuses_ballots:
        return len(plan.announcement.schema.features) * ONCE_CHECK
    making_cost, checked = (ONCE, ONCE_CHECK) if plan.once else (BALLOT, BALLOT_CHECK)
    return len(plan.call.asks) * (making_cost + (1 + len(plan.openers)) * checked)


def _shares(plan: Round) -> int:
    """Return the multiplications to make and to check one ciphertext's decryption shares."""
    keyholders = len(plan.openers)
    shufflers = keyholders - 1
    if not plan.is_public:
        return shufflers * (SHARES + SHARES_CHECK) + OWN_SHARE
    by_shufflers = 0 if plan.call.reader is Role.ANALYST else shufflers * keyholders
    checked = shufflers + keyholders + by_shufflers
    return keyholders * SHARES + checked * SHARES_CHECK


def bytes_of(plan: Round, people: int) -> tuple[int, int]:
    """Return the bytes that a user sends, and the bytes of all parties in a round.

    Headers of the keyholders' posts are left out. plan: the round. people: the number of users.
    """
    keyholders, asks, width = len(plan.openers), len(plan.call.asks), row_width(plan)
    letter = handed = 0
    if not plan.reuses_ballots:
        letter = HEADER + 3 * LENGTH + plan.envelope + SIGNATURE + WITNESS
        handed = people * (LENGTH + plan.envelope + SIGNATURE)
    keys = KEY_SIZE * sum(len(keys_due(plan, party)) for party in plan.key_owners)
    rows = ROWS_HEAD + people * PAIR * width
    proofs = PROOF_HEAD + PROOF_PAIR * width + people * PROOF_ROW
    shares = SHARES_HEAD + people * SHARE * width
    givers = keyholders if plan.is_public else keyholders - 1
    posts = keys + handed + asks * ((keyholders - 1) * (rows + proofs) + givers * shares)
    return keyholders * letter, people * keyholders * letter + posts


def measure_multiplication() -> float:
    """Return the seconds of a scalar multiplication of a group element, measured now.

    The time of a small shuffle, with its proof and check, is divided by its number of
    multiplications. So the figure contains a share of the additions and hashing. The shortest of
    several times counts.
    """
    entropy, context = OSEntropy(), ProofContext(RISTRETTO255, bytes(32), 1, 0, b"cost")
    key = make_key(context, entropy).public
    old = ballot_rows([[(key, key)]] * TRIED)
    best_time = float("inf")
    for _ in range(ATTEMPTS):
        started = perf_counter()
        mixed = remix(context, key, old, entropy)
        proof = prove_shuffle(context, key, old, mixed, entropy)
        check_shuffle(context, key, old, mixed.rows, proof, entropy)
        best_time = min(best_time, perf_counter() - started)
    return best_time / (TRIED * (REMIX + PROVE + PROVE_PAIR + CHECK + CHECK_PAIR))
