"""The prover of a shuffle; symbols and equations are in `shuffle.py`.

Each commitment K_i of the chain is defined by the commitment before. But the prover computes K_i =
a_i G + b_i H directly, with scalars a_i and b_i and the generators G and H. So no group element has
to wait for the element before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..entropy import Entropy
from .generators import generators
from .group import PrimeGroup, draw_scalars, inner_product
from .rows import CiphertextRows, Remix
from .shuffle import ShuffleProof, ShuffleStatement, final_challenge, row_exponents
from .transcript import ProofContext, ProofTranscript


@dataclass(frozen=True, slots=True)
class OrderCommitment:
    """The commitments to the order of a shuffle, with the secrets that open them.

    Attributes:
        transcript: the hash state of the proof, with the statement and the commitments.
        commitments: C, a commitment for each old row.
        blinds: rc, the random scalars in C.
        exponents: u, the pseudorandom exponent of each old row.
        permuted: v, these exponents in the new order.
    """

    transcript: ProofTranscript
    commitments: tuple[bytes, ...]
    blinds: Sequence[int] = field(repr=False)
    exponents: Sequence[int]
    permuted: Sequence[int] = field(repr=False)


def prove_shuffle(
    context: ProofContext, key: bytes, old: CiphertextRows, mixed: Remix, entropy: Entropy
) -> ShuffleProof:
    """Return a shuffler's proof that it only re-encrypted rows and changed their order.

    Args:
        context: session, round, question and shuffler, to which the proof is bound.
        key: the joint key.
        old: the rows before.
        mixed: the rows after, with the secret order and salts.
        entropy: randomness of this proof.
    """
    statement = ShuffleStatement(context, key, old, mixed.rows)
    forked = statement.transcript().fork_entropy(entropy)
    committed = commit_order(statement, mixed.order, forked)
    return answer(statement, committed, mixed.salts, forked)


def commit_order(
    statement: ShuffleStatement, order: Sequence[int], entropy: Entropy
) -> OrderCommitment:
    """Return commitments to the order of a shuffle, and the pseudorandom exponents of the rows.

    statement: the claim that is proved, with the old and the new rows. order: for each new row,
    the index of the old row. entropy: the source of the commitments' random scalars.
    """
    group, count = statement.group, len(order)
    blinds = draw_scalars(group, entropy, count)
    places = [0] * count
    for new_place, old_place in enumerate(order):
        places[old_place] = new_place
    rows = generators(group).rows(count)
    commitments = tuple(group.sums(group.base_multiples(blinds), [rows[place] for place in places]))
    transcript = statement.transcript()
    exponents = row_exponents(transcript, commitments)
    permuted = [exponents[place] for place in order]
    return OrderCommitment(transcript, commitments, blinds, exponents, permuted)


def answer(
    statement: ShuffleStatement,
    committed: OrderCommitment,
    salts: Sequence[Sequence[int]],
    entropy: Entropy,
) -> ShuffleProof:
    """Return the shuffle proof, from the commitments to the order and the salts of the shuffle.

    statement: the claim that is proved. committed: the commitments with their secrets. salts: for
    each ciphertext in a row, and each new row, the random scalar of the re-encryption. entropy: the
    source of the proof's nonces.
    """
    group, permuted = statement.group, committed.permuted
    count, base = len(permuted), generators(group).base
    links, link_nonces, nonces = (draw_scalars(group, entropy, count) for _ in range(3))
    ends, products = unrolled_chain(group, links, permuted)
    end_masks = [
        (nonce + by * end) % group.order
        for nonce, by, end in zip(link_nonces, nonces, [0, *ends], strict=False)
    ]
    product_masks = [
        by * product % group.order for by, product in zip(nonces, [1, *products], strict=False)
    ]
    chain, chain_masks = (
        tuple(group.sums(group.base_multiples(scalars), group.multiples(factors, [base] * count)))
        for scalars, factors in ((ends, products), (end_masks, product_masks))
    )
    sum_nonces = draw_scalars(group, entropy, 3)
    salt_nonces = draw_scalars(group, entropy, len(salts))
    masks = _masks(statement, sum_nonces, salt_nonces, nonces)
    challenge = final_challenge(group, committed.transcript, chain, masks, chain_masks)

    def responses(drawn: Sequence[int], secrets: Sequence[int]) -> tuple[int, ...]:
        """Return the responses nonce + challenge * secret of a Schnorr proof, for each secret."""
        return tuple(
            (nonce + challenge * secret) % group.order
            for nonce, secret in zip(drawn, secrets, strict=True)
        )

    blinds = committed.blinds
    sums = sum(blinds), ends[-1], inner_product(group, blinds, committed.exponents)
    salt_sums = [inner_product(group, column, permuted) for column in salts]
    return ShuffleProof(
        committed.commitments,
        chain,
        chain_masks,
        masks,
        responses(sum_nonces, sums),
        responses(salt_nonces, salt_sums),
        responses(link_nonces, links),
        responses(nonces, permuted),
    )


def unrolled_chain(
    group: PrimeGroup, links: Sequence[int], exponents: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the scalars a_i and b_i of the chain commitments K_i = a_i G + b_i H.

    The chain is K_i = k_i G + v_i K_(i-1) with K_0 = H; G and H are generators. links: the random
    scalars k_i. exponents: the permuted exponents v_i of the rows.
    """
    ends, products = list[int](), list[int]()
    end, product = 0, 1
    for link, exponent in zip(links, exponents, strict=True):
        end = (link + exponent * end) % group.order
        product = exponent * product % group.order
        ends.append(end)
        products.append(product)
    return ends, products


def _masks(
    statement: ShuffleStatement,
    sum_nonces: Sequence[int],
    salt_nonces: Sequence[int],
    nonces: Sequence[int],
) -> tuple[bytes, ...]:
    """Return the commitments to the prover's nonces: t1, t2, t3, and two elements t4 a ciphertext.

    Each is a term of an equation in `shuffle.py`. sum_nonces: the nonces for t1, t2 and t3.
    salt_nonces: a nonce of the salt response for each ciphertext in a row. nonces: a nonce of the
    exponent response for each row.
    """
    group, key = statement.group, statement.key
    masks = group.base_multiples(sum_nonces)
    rows = generators(group).rows(len(nonces))
    masks[2:] = group.sums(masks[2:], [group.weighted_sum(nonces, rows)])
    columns = iter(statement.new.columns)
    for nonce, base_mask in zip(salt_nonces, group.base_multiples(salt_nonces), strict=True):
        sums = [group.weighted_sum(nonces, next(columns)) for _ in range(2)]
        masks += group.differences(sums, [base_mask, *group.multiples([nonce], [key])])
    return tuple(masks)
