"""Detection of a header: whether the first line of a table names the columns or is a person.

The first line is a person if the columns of numbers have a number in this line too. In a table
without numbers it is a person if most of its values occur again in lower lines. Otherwise it is a
header.
"""

import re
from collections.abc import Sequence

NUMBER = re.compile(r"[+-]?\d[\d.,]*([eE][+-]?\d+)?%?")
LOOKED_AT = 200  # number of lines that are examined; more lines would not change the result
UNKNOWN = frozenset(("", "?", "na", "n/a", "nan", "null", "none", "-"))


def names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line of a table is a header. rows: the cells of the first lines."""
    if len(rows) < 2:
        return True
    first = [cell.strip() for cell in rows[0]]
    if "" in first or len(set(first)) < len(first):
        # a header with a missing or repeated name, unless all its cells are numbers
        return not are_numbers(first)
    width = len(first)
    full = [row for row in rows[1 : LOOKED_AT + 1] if len(row) == width]
    columns = [[row[j].strip() for row in full] for j in range(width)]
    numeric = [j for j in range(width) if are_numbers(columns[j])]
    if numeric:
        return not all(NUMBER.fullmatch(first[j]) for j in numeric)
    if len(full) < 3:
        return True
    repeated_values = sum(first[j] in columns[j] for j in range(width))
    return repeated_values * 2 <= width


def are_numbers(cells: Sequence[str]) -> bool:
    """Whether cells are numbers, apart from texts that mean unknown; a single number is enough."""
    known_cells = [cell for cell in cells if cell.casefold() not in UNKNOWN]
    return bool(known_cells) and all(NUMBER.fullmatch(cell) for cell in known_cells)


def numbered(width: int) -> tuple[str, ...]:
    """Return names for the columns of a table without a header: c1, c2, ...

    width: the number of columns.
    """
    return tuple(f"c{place + 1}" for place in range(width))
