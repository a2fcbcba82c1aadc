"""The checker of a shuffle proof (`shuffle.py` has the record): five kinds of equations.

    t1   t1 + c (sum C - sum H_i) = s1 G               the rows of the committed matrix sum to 1
    t2   t2 + c (K_n - (prod u) H) = s2 G              the exponents have the right product
    t3   t3 + c sum u_j C_j = s3 G + sum su_i H_i      they are the exponents committed to by C
    t4   t4 + c sum u_j (A_j, B_j) = sum su_i (A'_i, B'_i) - s4 (G, Y)       the rows are the same
    T    T_i + c K_i = sk_i G + su_i K_(i-1), each i   the chain multiplies the exponents

From the proof come the commitments C (to the permutation), K (a chain, with the product of the
exponents) and t, T (to random scalars), and the responses s, sk and su. c is the challenge, u_j the
pseudorandom exponent of old row j. (A_j, B_j) are ciphertexts of old row j, (A'_i, B'_i) of new row
i. G is the generator, H and H_i are further generators, Y is the joint key, and n counts the rows.

The equations of T are checked as a single sum, with weights of 128 bits. The weights follow from
fresh randomness of the checker and from the whole statement and proof. So a proof cannot be fitted
to them even if the randomness is known beforehand, as in a seeded run.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...errors import ParameterError, VerificationError
from ..entropy import Entropy
from .generators import generators
from .group import inner_product
from .rows import CiphertextRows
from .shuffle import ShuffleProof, ShuffleStatement, final_challenge, row_exponents
from .transcript import ProofContext

# random bytes of the checker, so that a prover cannot foresee the weights of the equation T
_FRESH = 32

Equation = tuple[str, bytes, bytes]  # an equation of group elements: name, left side, right side


def check_shuffle(
    context: ProofContext,
    key: bytes,
    old: CiphertextRows,
    new: CiphertextRows,
    proof: ShuffleProof,
    entropy: Entropy,
) -> None:
    """Check a shuffler's proof that new rows are the old rows, re-encrypted, in another order.

    Args:
        context: session, round, question and shuffler, to which the proof is bound.
        key: the joint key.
        old: the rows before.
        new: the rows after.
        proof: the shuffler's proof.
        entropy: randomness of the checker.

    Raises:
        VerificationError: the numbers of rows or ciphertexts differ, or an equation does not hold.
    """
    try:
        shape = proof.shape
    except ParameterError as fault:
        raise VerificationError(f"shuffle at {context.party}: {fault}") from None
    shapes = {(rows.count, rows.width) for rows in (old, new)}
    if shapes != {shape}:
        raise VerificationError(
            f"shuffle at {context.party}: the lists and the proof differ in shape (numbers of rows "
            "and ciphertexts)"
        )
    statement = ShuffleStatement(context, key, old, new)
    for name, left_side, right in equations(statement, proof, entropy):
        if left_side != right:
            raise VerificationError(f"shuffle at {context.party}: equation {name} does not hold")


def equations(
    statement: ShuffleStatement, proof: ShuffleProof, entropy: Entropy
) -> Iterator[Equation]:
    """Yield the equations of group elements that a valid shuffle proof fulfils.

    Each is (name, left side, right side). The names t1 to t4 and T denote the prover's
    commitments in `shuffle.py`. entropy: randomness of the checker, for the weights of the equation
    T.
    """
    group, count = statement.group, statement.old.count
    transcript = statement.transcript()
    exponents = row_exponents(transcript, proof.commitments)
    challenge = final_challenge(group, transcript, proof.chain, proof.masks, proof.chain_masks)
    table = generators(group)
    product = 1
    for exponent in exponents:
        product = product * exponent % group.order

    def masked(mask: bytes, element: bytes) -> bytes:
        """Return the left side of an equation: a commitment plus the challenge times an element.

        mask: the commitment to the prover's random scalar, such as t1.
        """
        return group.sums([mask], group.multiples([challenge], [element]))[0]

    total = group.total(proof.commitments)
    (order_sum,) = group.differences([total], [table.row_sum(count)])
    (end,) = group.differences([proof.chain[-1]], group.multiples([product], [table.base]))
    bases = group.base_multiples(proof.sums)
    weighed = group.weighted_sum(exponents, proof.commitments)
    rows = group.weighted_sum(proof.exponent_responses, table.rows(count))
    yield "t1", masked(proof.masks[0], order_sum), bases[0]
    yield "t2", masked(proof.masks[1], end), bases[1]
    yield "t3", masked(proof.masks[2], weighed), group.sums([bases[2]], [rows])[0]
    yield from _column_equations(statement, proof, exponents, challenge)
    transcript.absorb(proof.encode(group), entropy.random(_FRESH))
    weights = transcript.exponents(b"weights", count)
    yield _chain_equation(statement, proof, challenge, weights)


def _column_equations(
    statement: ShuffleStatement, proof: ShuffleProof, exponents: Sequence[int], challenge: int
) -> Iterator[Equation]:
    """Yield equations that hold only if new rows have the contents of the old rows.

    They are the equation t4 of the shuffle proof, for the first and for the second element of each
    ciphertext in a row. exponents: the pseudorandom exponents of the old rows. challenge: the
    scalar to which the proof responds.
    """
    group, key = statement.group, statement.key
    olds, news, masks = statement.old.columns, statement.new.columns, proof.masks[3:]
    for at, response in enumerate(proof.salt_responses):
        salt = [*group.base_multiples([response]), *group.multiples([response], [key])]
        pair = slice(2 * at, 2 * at + 2)
        old_sums = [group.weighted_sum(exponents, column) for column in olds[pair]]
        new_sums = [group.weighted_sum(proof.exponent_responses, column) for column in news[pair]]
        left_side = group.sums(masks[pair], group.multiples([challenge] * 2, old_sums))
        right = group.differences(new_sums, salt)
        yield f"t4 (A of ciphertext {at})", left_side[0], right[0]
        yield f"t4 (B of ciphertext {at})", left_side[1], right[1]


def _chain_equation(
    statement: ShuffleStatement, proof: ShuffleProof, challenge: int, weights: Sequence[int]
) -> Equation:
    """Return a weighted sum of the chain equations, to check all of them at once.

    In the notation of `shuffle.py`, the equation of row i is T_i + c K_i = sk_i G + su_i K_(i-1).
    K_i are the chain's commitments and T_i the commitments to random scalars; sk_i and su_i are
    responses to the challenge c. With random weights z_i the sum is

        sum z_i (T_i + c K_i - su_i K_(i-1)) = (sum z_i sk_i) G

    K_i occurs twice: in the equation of row i, and in that of row i + 1. weights: the z_i.
    """
    group = statement.group
    by = [
        weight * response
        for weight, response in zip(weights, proof.exponent_responses, strict=True)
    ]
    factors = [
        (challenge * weight - following) % group.order
        for weight, (_, following) in zip(weights, pairwise([*by, 0]), strict=True)
    ]
    left_side = group.sums(
        [group.weighted_sum(weights, proof.chain_masks)],
        [group.weighted_sum(factors, proof.chain)],
    )
    responses = group.base_multiples([inner_product(group, weights, proof.chain_responses)])
    first = group.multiples([by[0] % group.order], [generators(group).base])
    return "T", left_side[0], group.sums(responses, first)[0]
