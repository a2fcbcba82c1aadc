"""Rows of ciphertexts under one key, and their re-encryption in random order.

row           w ciphertexts (A, B) = (r G, M + r Y)
re-encrypted  (A + s G, B + s Y), s fresh for each ciphertext; rows in random order
record        count u32 || width u8 || row after row, of each A_1 || B_1 || .. || A_w || B_w

A row is the ballot of one person, with w values. G is the generator, Y the joint key, M the group
element of a value, and r and s are random salts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Self

from ...errors import ParameterError
from ..entropy import Entropy
from .group import PrimeGroup, draw_scalars
from .layout import COUNT, RecordReader, check_shape
from .transcript import ProofContext

_DRAWN = 24  # random bytes drawn for each swap of a permutation: the bias is below 2^-160


@dataclass(frozen=True, slots=True)
class CiphertextRows:
    """Rows of ElGamal ciphertexts: a row is the encrypted ballot of one person.

    They are stored by columns, because proofs work on columns.

    Attributes:
        columns: the first and second elements A_1, B_1, .., A_w, B_w of the w ciphertexts in a row;
            each of these columns has one element for each row.
    """

    columns: tuple[tuple[bytes, ...], ...]

    def __post_init__(self) -> None:
        """Check that the columns come in pairs and have equal lengths."""
        lengths = {len(column) for column in self.columns}
        if len(self.columns) % 2 or len(lengths) != 1:
            raise ParameterError(
                f"columns: found {len(self.columns)}, with {len(lengths)} different lengths; two "
                "columns for each ciphertext of a row are accepted, all of equal length"
            )
        check_shape(self.count, self.width)

    @property
    def count(self) -> int:
        """The number of rows: encrypted ballots in the list."""
        return len(self.columns[0])

    @property
    def width(self) -> int:
        """The number of ciphertexts in a row."""
        return len(self.columns) // 2

    @property
    def firsts(self) -> list[bytes]:
        """The first elements A = r G of all ciphertexts, column after column.

        G is the generator and r the salt of the ciphertext.
        """
        return list(chain(*self.columns[::2]))

    @property
    def seconds(self) -> list[bytes]:
        """The second elements B = M + r Y of all ElGamal ciphertexts, column after column.

        M is the group element of the value, r the salt, Y the joint key.
        """
        return list(chain(*self.columns[1::2]))

    def encode(self) -> bytes:
        """Return the rows as a record of bytes."""
        head = self.count.to_bytes(COUNT, "big") + self.width.to_bytes(1, "big")
        return head + b"".join(chain(*zip(*self.columns, strict=True)))

    @classmethod
    def decode(cls, group: PrimeGroup, data: bytes) -> Self:
        """Return the rows in a record of bytes.

        Raises:
            Refused: (MALFORMED) wrong length, no element, or the identity.
        """
        reader = RecordReader(group, data, "rows")
        count, width = reader.number(COUNT), reader.number(1)
        elements = reader.elements(count * width * 2)
        reader.end()
        return cls(tuple(elements[at :: 2 * width] for at in range(2 * width)))


@dataclass(frozen=True, slots=True)
class Remix:
    """Rows that a shuffler has re-encrypted and permuted, with the secrets of its permutation.

    Attributes:
        rows: the new rows, for the bulletin board.
        order: for each new row, the index of the old row.
        salts: for each ciphertext in a row, and each new row, the random scalar of the
            re-encryption.
    """

    rows: CiphertextRows
    order: tuple[int, ...] = field(repr=False)
    salts: tuple[tuple[int, ...], ...] = field(repr=False)


def remix(context: ProofContext, key: bytes, old: CiphertextRows, entropy: Entropy) -> Remix:
    """Return rows in random order, each ciphertext re-encrypted with a fresh salt.

    Order and salts depend on this list of rows, even if `entropy` is the same after a restart: the
    same order for two lists would link their rows.

    context: session, round, question and shuffler. key: the joint key. old: the rows before.
    """
    group = context.group
    transcript = context.transcript(b"remix")
    transcript.absorb(key, old.encode())
    forked = transcript.fork_entropy(entropy)
    order = random_order(old.count, forked)
    columns, salts = list[tuple[bytes, ...]](), list[tuple[int, ...]]()
    for firsts, seconds in zip(old.columns[::2], old.columns[1::2], strict=True):
        drawn = draw_scalars(group, forked, old.count)
        added = group.base_multiples(drawn), group.multiples(drawn, [key] * old.count)
        for column, masks in zip((firsts, seconds), added, strict=True):
            columns.append(tuple(group.sums([column[place] for place in order], masks)))
        salts.append(tuple(drawn))
    return Remix(CiphertextRows(tuple(columns)), tuple(order), tuple(salts))


def random_order(count: int, entropy: Entropy) -> list[int]:
    """Return the numbers from 0 to count - 1 in random order, by Fisher and Yates' shuffle."""
    order = list(range(count))
    drawn = entropy.random(_DRAWN * count)
    for last in range(count - 1, 0, -1):
        number = int.from_bytes(drawn[last * _DRAWN : (last + 1) * _DRAWN], "little")
        swap_index = number % (last + 1)
        order[last], order[swap_index] = order[swap_index], order[last]
    return order


def ballot_rows(ballots: Sequence[Sequence[tuple[bytes, bytes]]]) -> CiphertextRows:
    """Return the rows of ballots; each ballot holds the ciphertexts (A, B) of one person."""
    return CiphertextRows(
        tuple(zip(*(tuple(chain(*ciphertexts)) for ciphertexts in ballots), strict=True))
    )
