"""The cost of a round of a verified mix: bytes, and multiplications of group elements.

With n people, q questions, m shufflers and K = m + 1 keyholders, by ciphertext (docs/verified.md):

    make a ballot 3      check it 2, by each keyholder
    re-encrypt 2         prove the shuffle 8         check it 8, by each keyholder
    make shares 2        check them 2; a reader that keeps its share private makes it with 1

Shares of a public round are checked by all keyholders, those of a secret round by its reader. A
simulation checks each statement once for all keyholders; machines of their own check it each.
"""

from time import perf_counter

from ...crypto.entropy import SystemEntropy
from ...crypto.signing import SIGNATURE
from ...crypto.verified.group import RISTRETTO255
from ...crypto.verified.keys import make_key
from ...crypto.verified.rows import ballot_rows, remix
from ...crypto.verified.shuffle_checker import check_shuffle
from ...crypto.verified.shuffle_prover import prove_shuffle
from ...crypto.verified.transcript import ProofContext
from ...protocol.bodies import WITNESS
from ...protocol.frames import HEADER
from ...protocol.session import Round
from ...protocol.verified_posts import PROOF_HEAD, PROOF_ROW, ROW, ROWS_HEAD, SHARE, SHARES_HEAD
from ...protocol.verified_round import is_public

BALLOT, BALLOT_CHECK, REMIX, PROVE, CHECK = 3, 2, 2, 8, 8  # multiplications of a ciphertext
SHARES, SHARES_CHECK, OWN_SHARE = 2, 2, 1
LENGTH = 4  # bytes of a number before an envelope, a signature or a head
TRIED, ATTEMPTS = 8, 3  # rows of the shuffle that is timed, and how often


def multiplications(plan: Round, people: int) -> int:
    """Return the number of multiplications of all parties, if each keyholder checks for itself."""
    shufflers = len(plan.openers) - 1
    keyholders = shufflers + 1
    ballots = BALLOT + keyholders * BALLOT_CHECK
    shuffles = shufflers * (REMIX + PROVE + keyholders * CHECK)
    if is_public(plan):
        shares = keyholders * (SHARES + keyholders * SHARES_CHECK)
    else:
        shares = shufflers * (SHARES + SHARES_CHECK) + OWN_SHARE
    return people * len(plan.call.asks) * (ballots + shuffles + shares)


def bytes_of(plan: Round, people: int) -> tuple[int, int]:
    """Return the bytes that a user sends, and the bytes of all parties, without heads of posts."""
    keyholders, asks = len(plan.openers), len(plan.call.asks)
    letter = HEADER + 3 * LENGTH + plan.envelope + SIGNATURE + WITNESS
    handed = people * (LENGTH + plan.envelope + SIGNATURE)
    lists = ROWS_HEAD + PROOF_HEAD + people * (ROW + PROOF_ROW)
    shares = SHARES_HEAD + people * SHARE
    givers = keyholders if is_public(plan) else keyholders - 1
    posts = handed + asks * ((keyholders - 1) * lists + givers * shares)
    return keyholders * letter, people * keyholders * letter + posts


def measure_multiplication() -> float:
    """Return the seconds of one multiplication in a shuffle that is proved and checked, now.

    Additions and hashing beside it are in it. The least of some attempts counts.
    """
    entropy, context = SystemEntropy(), ProofContext(RISTRETTO255, bytes(32), 1, 0, b"cost")
    key = make_key(context, entropy).public
    old = ballot_rows([[(key, key)]] * TRIED)
    least = float("inf")
    for _ in range(ATTEMPTS):
        started = perf_counter()
        mixed = remix(context, key, old, entropy)
        proof = prove_shuffle(context, key, old, mixed, entropy)
        check_shuffle(context, key, old, mixed.rows, proof, entropy)
        least = min(least, perf_counter() - started)
    return least / (TRIED * (REMIX + PROVE + CHECK))
