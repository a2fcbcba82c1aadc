"""One forged proof for each equation of a shuffle, by a prover that lies in one place."""

from collections.abc import Callable, Sequence

import pytest
import verified_kit as kit
from veilmix.crypto.verified import shuffle_prover
from veilmix.crypto.verified.generators import generators
from veilmix.crypto.verified.group import PrimeGroup, draw_scalars
from veilmix.crypto.verified.rows import CiphertextRows
from veilmix.crypto.verified.shuffle import ShuffleProof, ShuffleStatement, row_exponents
from veilmix.crypto.verified.shuffle_prover import OrderCommitment, answer

COUNT = 4
GROUP, KEY = kit.GROUP, kit.reader().public
HALF, THIRD = pow(2, -1, GROUP.order), pow(3, -1, GROUP.order)
Matrix = list[list[int]]
Forgery = tuple[ShuffleStatement, ShuffleProof]


def with_corner(a: int, b: int, c: int, d: int) -> Matrix:
    """Return the identity matrix with another corner of two rows."""
    matrix = [[int(i == j) for j in range(COUNT)] for i in range(COUNT)]
    matrix[0][:2], matrix[1][:2] = [a, b], [c, d]
    return matrix


IDENTITY = with_corner(1, 0, 0, 1)
# What is committed to and used for the exponents, and the inverse of its transpose for the rows.
SCALED = with_corner(2, 0, 0, HALF), with_corner(HALF, 0, 0, 2)
MIXING = with_corner(2, -1, -1, 2), with_corner(2 * THIRD, THIRD, THIRD, 2 * THIRD)


def product(matrix: Matrix, vector: Sequence[int]) -> list[int]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) % GROUP.order for row in matrix]


def mixed(matrix: Matrix, old: Sequence[bytes], masks: Sequence[bytes]) -> tuple[bytes, ...]:
    return tuple(
        kit.add(mask, GROUP.weighted_sum([entry % GROUP.order for entry in row], old))
        for row, mask in zip(matrix, masks, strict=True)
    )


def forged(
    committed: Matrix, used: Matrix, inverse: Matrix, shift: tuple[bytes, bytes] | None = None
) -> Forgery:
    """Make rows by a matrix that is no permutation, or shift the first row, and prove it."""
    old, own = kit.rows(COUNT), kit.entropy("forgery")
    salts, blinds = draw_scalars(GROUP, own, COUNT), draw_scalars(GROUP, own, COUNT)
    masks = GROUP.base_multiples(salts), GROUP.multiples(salts, [KEY] * COUNT)
    columns = [mixed(inverse, *pair) for pair in zip(old.columns, masks, strict=True)]
    for column, added in enumerate(shift or ()):
        columns[column] = (kit.add(columns[column][0], added), *columns[column][1:])
    statement = ShuffleStatement(kit.HOP, KEY, old, CiphertextRows(tuple(columns)))
    transposed = [list(row) for row in zip(*committed, strict=True)]
    rows = generators(GROUP).rows(COUNT)
    commitments = mixed(transposed, rows, GROUP.base_multiples(blinds))
    transcript = statement.transcript()
    exponents = row_exponents(transcript, commitments)
    commitment = OrderCommitment(
        transcript, commitments, blinds, exponents, product(used, exponents)
    )
    return statement, answer(statement, commitment, [salts], own)


def scale_two_ballots() -> Forgery:
    """Multiply two ballots by 2 and 1/2: the product of the exponents is right."""
    return forged(SCALED[0], *SCALED)


def mix_two_ballots() -> Forgery:
    """Make (2a + b)/3 and (a + 2b)/3 of two ballots: the sums of the commitments are right."""
    return forged(MIXING[0], *MIXING)


def break_the_chain() -> Forgery:
    """Mix two ballots, with a chain that jumps to the right product."""
    honest = shuffle_prover.unrolled_chain

    def jumping(
        group: PrimeGroup, links: Sequence[int], exponents: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        ends, products = honest(group, links, exponents)
        right = product(MIXING[1], exponents)  # u of v
        for exponent, before in zip(exponents, right, strict=True):
            products[-1] = products[-1] * before % group.order
            products[-1] = products[-1] * pow(exponent, -1, group.order) % group.order
        return ends, products

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffle_prover, "unrolled_chain", jumping)
        return mix_two_ballots()


def use_other_exponents() -> Forgery:
    """Commit to a permutation, and use exponents of a matrix that is none."""
    return forged(IDENTITY, *SCALED)


def shift_the_first_half() -> Forgery:
    return forged(IDENTITY, IDENTITY, IDENTITY, (kit.GENERATOR, GROUP.identity))


def shift_the_second_half() -> Forgery:
    return forged(IDENTITY, IDENTITY, IDENTITY, (GROUP.identity, kit.GENERATOR))


FORGERIES: dict[str, Callable[[], Forgery]] = {
    "t1": scale_two_ballots,
    "t2": mix_two_ballots,
    "T": break_the_chain,
    "t3": use_other_exponents,
    "t4 (A of ciphertext 0)": shift_the_first_half,
    "t4 (B of ciphertext 0)": shift_the_second_half,
}
