r"""Check by whole numbers alone that few people are exposed, whatever joint their columns have.

Two sentences are the proof. Give every value of a column a price of either sign, and every block (a
set of values in each column) a price of at least 0: then for every table with these columns the
exposed people are at most the sum of people times prices of their values, less each block's price
times the cells in it that cannot all be exposed, plus what is left of each cell. What is left of a
cell is at most the largest of these three:

    u max(0, 1 - p)    0 to u people, all of them exposed
    r - k p            k people, none of them exposed        \  only where a cell can hold k people
    r - cap p          as many as there can be, none exposed /  without one being exposed

p adds the prices of the cell's values, r those of the blocks that it lies in, cap is the least
count of its values and u = min(cap, k - 1). Values of fewer than k people are one value, the last:
whoever has one is exposed, so u = cap there. The others are numbered from the most frequent down:
whatever they are called, tables with the same counts are as bad. A block with value sets A_i holds
at least

    L = sum_i count(A_i) - (m - 1) n

people (m columns restricted), and where that is more than its cells' u together, `need` of its
cells are not exposed: as many as it takes of the largest cap - u. Prices are whole multiples of
1 / SCALE. Nothing here is shared with the search that finds prices (margins_bound.py).
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

from ...errors import VerificationError
from ...strict_text import Unreadable, from_json

SCALE = 1 << 32
MOST_CELLS = 1_000_000  # that a check goes through
MOST_BLOCKS = 10_000
LARGEST = 1 << 96  # of a price, in multiples of 1 / SCALE

Cell = tuple[int, ...]


def check_margins(counts: Sequence[Sequence[int]], k: int, people: int, proof: bytes) -> None:
    """Anybody: check that at most so many people are exposed, by what a certificate holds.

    Args:
        counts: people by value, for each column.
        k: people in the smallest crowd in which nobody is exposed, at least 1.
        people: what is claimed.
        proof: JSON: `prices`, a list for each column with one price for each value that k people or
            more have, and one more if others occur; `blocks`, of [price, value sets], of which each
            names a column and numbers of its values.

    Raises VerificationError if the proof is none, or proves less.
    """
    proved = proved_people(counts, k, proof)
    if proved > people:
        raise VerificationError(f"margins: claims {people:,} people; its prices prove {proved:,}")


def proved_people(counts: Sequence[Sequence[int]], k: int, proof: bytes) -> int:
    """Anybody: how many people at most are exposed, by these prices; VerificationError for none."""
    columns = [_merged(column, k) for column in counts]
    if not columns or len({sum(values) for values, _ in columns}) != 1:
        raise VerificationError("margins: columns of different people, or none")
    n, cells = sum(columns[0][0]), 1
    for values, _ in columns:
        cells *= len(values)
    if cells > MOST_CELLS:
        raise VerificationError(f"margins: {cells:,} cells; at most {MOST_CELLS:,} are checked")
    prices, blocks = _read(proof, [len(values) for values, _ in columns])
    caps, exposed = {}, {}
    for cell in product(*(range(len(values)) for values, _ in columns)):
        cap = min(values[at] for (values, _), at in zip(columns, cell, strict=True))
        rare = any(at == last for (_, last), at in zip(columns, cell, strict=True))
        caps[cell], exposed[cell] = cap, cap if rare else min(cap, k - 1)
    total = sum(
        price * value
        for column, (values, _) in zip(prices, columns, strict=True)
        for price, value in zip(column, values, strict=True)
    )
    rewards = dict.fromkeys(caps, 0)
    for price, sets in blocks:
        inside, need = _needed(columns, n, caps, exposed, sets)
        total -= price * need
        for cell in inside:
            rewards[cell] += price
    for cell, cap in caps.items():
        price = sum(column[at] for column, at in zip(prices, cell, strict=True))
        most = exposed[cell] * max(0, SCALE - price)
        if exposed[cell] < cap:
            most = max(most, rewards[cell] - k * price, rewards[cell] - cap * price)
        total += most
    return min(total // SCALE, n)


def _merged(column: Sequence[int], k: int) -> tuple[list[int], int | None]:
    """People by value, most first, rare values as one, the last; and its number, if any."""
    kept = sorted((people for people in column if people >= k), reverse=True)
    rare = sum(people for people in column if people < k)
    return ([*kept, rare], len(kept)) if rare else (kept, None)


def _needed(
    columns: Sequence[tuple[list[int], int | None]],
    n: int,
    caps: dict[Cell, int],
    exposed: dict[Cell, int],
    sets: dict[int, set[int]],
) -> tuple[list[Cell], int]:
    """The cells of a block that can be other than exposed, and how many of them must be."""
    least = n + sum(sum(columns[j][0][at] for at in values) - n for j, values in sets.items())
    inside = [cell for cell in caps if all(cell[j] in values for j, values in sets.items())]
    missing = least - sum(exposed[cell] for cell in inside)
    useful = [cell for cell in inside if caps[cell] > exposed[cell]]
    need = 0
    for gain in sorted((caps[cell] - exposed[cell] for cell in useful), reverse=True):
        if missing <= 0:
            break
        missing -= gain
        need += 1
    return useful, need


def _read(
    proof: bytes, sizes: Sequence[int]
) -> tuple[list[list[int]], list[tuple[int, dict[int, set[int]]]]]:
    """Prices of all values, and of blocks; VerificationError for what is of another form."""
    try:
        parsed = from_json(proof)
    except Unreadable as bad:
        raise VerificationError(f"margins: the proof is no JSON: {bad.why}") from None
    if not (isinstance(parsed, dict) and set(parsed) == {"prices", "blocks"}):
        raise VerificationError("margins: the proof has prices and blocks, and nothing else")
    prices, blocks = parsed["prices"], parsed["blocks"]
    if not (isinstance(prices, list) and [_length(price) for price in prices] == list(sizes)):
        raise VerificationError("margins: one price for each value is accepted")
    if not all(_is_price(price) for column in prices for price in column):
        raise VerificationError(f"margins: prices are whole numbers of at most {LARGEST:.0e}")
    if not (isinstance(blocks, list) and len(blocks) <= MOST_BLOCKS):
        raise VerificationError(f"margins: at most {MOST_BLOCKS:,} blocks are accepted")
    return prices, [_block(block, sizes) for block in blocks]


def _block(block: Any, sizes: Sequence[int]) -> tuple[int, dict[int, set[int]]]:
    """A block's price, and its value sets by column."""
    if not (
        _length(block) == 2 and _is_price(block[0]) and block[0] >= 0 and _length(block[1]) >= 0
    ):
        raise VerificationError("margins: a block is a price of at least 0 and value sets")
    sets: dict[int, set[int]] = {}
    for part in block[1]:
        if _length(part) != 2 or type(part[0]) is not int or not 0 <= part[0] < len(sizes):
            raise VerificationError("margins: a value set has a column and values")
        column, values = part
        right = _length(values) >= 0 and all(type(at) is int for at in values)
        if not right or column in sets or not set(values) <= set(range(sizes[column])):
            raise VerificationError("margins: a value set names values of a column, once")
        sets[column] = set(values)
    return block[0], sets


def _is_price(price: Any) -> bool:
    return type(price) is int and abs(price) <= LARGEST


def _length(values: Any) -> int:
    return len(values) if isinstance(values, list) else -1
