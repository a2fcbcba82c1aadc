r"""Check, in whole numbers alone, a bound on the people exposed in any joint of some columns.

A cell of the joint is exposed if it holds fewer than k people. The proof gives every value of a
column a price of either sign, and every block a price of at least 0. A block is the set of cells
with values in given sets; at least `need` of its cells cannot be exposed. (Good prices are the
multipliers of a linear program; a bound follows from any prices.) For every table with these column
counts, the exposed people are at most

    sum of people x price, of each value  -  sum of price x need, of each block
    +  the rest of each cell

The rest of a cell is at most the largest of three terms:

    u max(0, 1 - p)    0 to u people, all of them exposed
    r - k p            k people, all of them unexposed         \  only if a cell can hold k people
    r - cap p          the most people, all of them unexposed  /  without exposing them

p adds the prices of the cell's values, r the prices of its blocks. cap is the most people that the
cell can hold, the least count of its values; u = min(cap, k - 1) is the most while it is exposed.
Values of fewer than k people are merged into one value, the last of its column. They are always
exposed, so u = cap in its cells. Other values are numbered from the most frequent down.

A block with sets A_i of values of m columns holds at least

    L = sum_i count(A_i) - (m - 1) n

of the n people. If that is more than its cells' u together, `need` of its cells are not exposed:
the least number of largest cap - u that reaches the difference. Prices are whole multiples of 1 /
SCALE. No code is shared with the search that finds prices (margins_bound.py).
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

from ...errors import VerificationError
from ...strict_text import Unreadable, from_json

SCALE = 1 << 32
MOST_CELLS = 1_000_000  # a proof about columns with more combinations of values (cells) is refused
MOST_BLOCKS = 10_000
# a proof with a price (multiplier) beyond +- LARGEST multiples of 1 / SCALE is refused
LARGEST = 1 << 96

Cell = tuple[int, ...]


def check_margins(counts: Sequence[Sequence[int]], k: int, people: int, proof: bytes) -> None:
    """Raise VerificationError unless a proof bounds the exposed people by `people`.

    Any party with the column counts can check it.

    Args:
        counts: people by value, for each column.
        k: people in the smallest crowd in which no person is exposed, at least 1.
        people: the claimed upper bound.
        proof: JSON with `prices` and `blocks`. A price is a multiplier in the bound. `prices` has a
            list for each column: a price for each value of k people or more, and a last price for
            all other values together, if any. `blocks` has [price, value sets] for each block, the
            cells with values in these sets, of which some cannot be exposed. A value set is a
            column with a list of values.

    Raises VerificationError if the proof is invalid, or proves less.
    """
    proved = proved_people(counts, k, proof)
    if proved > people:
        raise VerificationError(
            f"margins: claims at most {people:,} exposed people; the proof gives {proved:,}"
        )


# Three functions bound a cell's term of the dual bound, so that a mistake in one shows against the
# others. The term is implemented again, on purpose, in contingency/dual_bound.py _brackets
# (optimised), composition/check_cases.py leaf_people (verified).
def proved_people(counts: Sequence[Sequence[int]], k: int, proof: bytes) -> int:
    """Return the upper bound on exposed people that the multipliers (prices) of a proof give.

    Prices are multipliers of the values' counts and of inequalities about unexposed cells.

    Args:
        counts: people by value, for each column.
        k: people in the smallest crowd in which no person is exposed, at least 1.
        proof: the prices in JSON, in the form of `check_margins`.

    Raises VerificationError for an invalid proof.
    """
    columns = [_merged(column, k) for column in counts]
    if not columns or len({sum(values) for values, _ in columns}) != 1:
        raise VerificationError(
            "margins: needs at least one column, and columns whose counts have equal sums"
        )
    n, cells = sum(columns[0][0]), 1
    for values, _ in columns:
        cells *= len(values)
    if cells > MOST_CELLS:
        raise VerificationError(
            f"margins: found {cells:,} cells (combinations of values); at most {MOST_CELLS:,} "
            "are checked"
        )
    prices, blocks = _parse_proof(proof, [len(values) for values, _ in columns])
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
        greatest = exposed[cell] * max(0, SCALE - price)
        if exposed[cell] < cap:
            greatest = max(greatest, rewards[cell] - k * price, rewards[cell] - cap * price)
        total += greatest
    return min(total // SCALE, n)


def _merged(column: Sequence[int], k: int) -> tuple[list[int], int | None]:
    """Return a column's counts with rare values merged, and the index of the merged value.

    Values of fewer than k people are rare. They become the last entry. The index is None if there
    are no rare values.
    """
    frequent = sorted((people for people in column if people >= k), reverse=True)
    rare = sum(people for people in column if people < k)
    return ([*frequent, rare], len(frequent)) if rare else (frequent, None)


# Three functions compute the least number of unexposed cells (of k people or more) in a block, a
# set of cells, so that a mistake in one shows against the others. It is implemented again, on
# purpose, in contingency/cuts.py _measure (optimised), composition/check_cases.py needed
# (verified).
def _needed(
    columns: Sequence[tuple[list[int], int | None]],
    n: int,
    caps: dict[Cell, int],
    exposed: dict[Cell, int],
    sets: dict[int, set[int]],
) -> tuple[list[Cell], int]:
    """Return the cells of a block that may be unexposed, and the least number of unexposed cells.

    A block is the set of cells with values in given sets; an unexposed cell holds k people or more.

    Args:
        columns: for each column its counts, with rare values merged, and the index of the merged
            value.
        n: people in the table.
        caps: for each cell, the most people that it can hold.
        exposed: for each cell, the most people that it can hold while they are exposed.
        sets: the values of the block, for each restricted column.
    """
    lower_bound = n + sum(sum(columns[j][0][at] for at in values) - n for j, values in sets.items())
    inside = [cell for cell in caps if all(cell[j] in values for j, values in sets.items())]
    missing = lower_bound - sum(exposed[cell] for cell in inside)
    useful = [cell for cell in inside if caps[cell] > exposed[cell]]
    need = 0
    for gain in sorted((caps[cell] - exposed[cell] for cell in useful), reverse=True):
        if missing <= 0:
            break
        missing -= gain
        need += 1
    return useful, need


def _parse_proof(
    proof: bytes, sizes: Sequence[int]
) -> tuple[list[list[int]], list[tuple[int, dict[int, set[int]]]]]:
    """Return the prices of each column's values, and the blocks, from a proof in JSON.

    A price is a multiplier in the bound. A block has a price and sets of values; some cells with
    these values cannot be exposed.

    sizes: the number of values of each column. Raises VerificationError for another form.
    """
    try:
        parsed = from_json(proof)
    except Unreadable as bad:
        raise VerificationError(f"margins: the proof is no JSON: {bad.why}") from None
    if not (isinstance(parsed, dict) and set(parsed) == {"prices", "blocks"}):
        raise VerificationError(
            "margins: the proof needs the keys prices and blocks, and no others"
        )
    prices, blocks = parsed["prices"], parsed["blocks"]
    if not (isinstance(prices, list) and [_length(price) for price in prices] == list(sizes)):
        raise VerificationError("margins: the proof needs one price for each value of each column")
    if not all(_is_price(price) for column in prices for price in column):
        raise VerificationError(
            f"margins: a price in the proof is no whole number from -{LARGEST:.0e} to {LARGEST:.0e}"
        )
    if not (isinstance(blocks, list) and len(blocks) <= MOST_BLOCKS):
        raise VerificationError(
            f"margins: the proof needs a list of at most {MOST_BLOCKS:,} blocks"
        )
    return prices, [_block(block, sizes) for block in blocks]


def _block(block: Any, sizes: Sequence[int]) -> tuple[int, dict[int, set[int]]]:
    """Return the price of a block and its value sets by column; VerificationError if invalid.

    A block is the set of cells with values in these sets. By their counts, some of the cells hold k
    people or more, so they cannot be exposed; the price is the multiplier of this inequality.

    sizes: the number of values of each column.
    """
    if not (
        _length(block) == 2 and _is_price(block[0]) and block[0] >= 0 and _length(block[1]) >= 0
    ):
        raise VerificationError(
            "margins: a block of the proof (an inequality about a set of cells) is invalid; needs "
            "[multiplier of at least 0, lists of values by column]"
        )
    sets: dict[int, set[int]] = {}
    for part in block[1]:
        if _length(part) != 2 or type(part[0]) is not int or not 0 <= part[0] < len(sizes):
            raise VerificationError(
                "margins: a value set of a block is invalid; needs [column, list of values]"
            )
        column, values = part
        right = _length(values) >= 0 and all(type(at) is int for at in values)
        if not right or column in sets or not set(values) <= set(range(sizes[column])):
            raise VerificationError(
                "margins: a value set of a block is invalid; needs values of a column that has "
                "no other set in the block"
            )
        sets[column] = set(values)
    return block[0], sets


def _is_price(price: Any) -> bool:
    """Whether an entry of a proof is a valid price (multiplier): a whole number within a limit."""
    return type(price) is int and abs(price) <= LARGEST


def _length(values: Any) -> int:
    """Return the length of a list; -1 for any other type."""
    return len(values) if isinstance(values, list) else -1
