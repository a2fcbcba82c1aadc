"""Detection of a header: the first line of a table names its columns, or is a person already.

The first line is a person if a column holds only numbers, in the first line too; and in a table
without numbers, if most columns have the first line's value again further down. A line of distinct
texts above columns of numbers is a header.
"""

import re
from collections.abc import Sequence

NUMBER = re.compile(r"[+-]?\d[\d.,]*([eE][+-]?\d+)?%?")
LOOKED_AT = 200  # lines that are examined; more would not change the result
UNKNOWN = frozenset(("", "?", "na", "n/a", "nan", "null", "none", "-"))


def names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows[0] is a header. rows: the first lines of a table."""
    if len(rows) < 2:
        return True
    first = [cell.strip() for cell in rows[0]]
    if "" in first or len(set(first)) < len(first):
        return not are_numbers(first)  # a faulty header, unless all its cells are numbers
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
    """Whether cells are numbers, apart from texts that mean unknown.

    A single number is enough.
    """
    known_cells = [cell for cell in cells if cell.casefold() not in UNKNOWN]
    return bool(known_cells) and all(NUMBER.fullmatch(cell) for cell in known_cells)


def numbered(width: int) -> tuple[str, ...]:
    """Return names for the columns of a table without a header: c1, c2, ..."""
    return tuple(f"c{place + 1}" for place in range(width))
