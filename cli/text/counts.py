"""The output of `veilmix counts` for people: tables of counts with suppressed or rounded cells.

A suppressed count is printed as "closed". Further cells are suppressed too, so that no small count
follows from printed totals.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...presentation.text_blocks import Grid, Line

if TYPE_CHECKING:
    from ...own_data.count_tables import ClosedTables, PrintedCell, RoundedTables
    from ...presentation.blocks import Block

MOST_ACROSS = 12  # most values of a column that are printed beside each other, not in rows

Values = tuple[str | None, ...]


def closed_blocks(closed: "ClosedTables") -> Iterator["Block"]:
    """Yield tables with small counts suppressed (printed as "closed"), and their protection."""
    yield from _print_tables(closed)
    if closed.closed:
        yield Grid(("closed cells", "value", "meaning"), [*_closed_rows(closed)], (1,))
        yield Line()
    yield from map(Line, _protection(closed))


def rounded_blocks(rounded: "RoundedTables") -> Iterator["Block"]:
    """Yield tables of rounded counts, and the conclusions that a reader can still draw."""
    yield from _print_tables(rounded)
    ends = [(cell.low, cell.high) for cell in rounded.cells]
    widths = [high - low for low, high in ends if low is not None and high is not None]
    meaning = "persons between the least and the most of a cell"
    narrowest = [("narrowest interval", min(widths), meaning)] if widths else []
    cells = "cells" if rounded.adds_up else "cells and groups"
    rows = [
        ("base", f"{rounded.base:,}", _base_meaning(rounded)),
        ("largest change", *_largest_change(rounded)),
        *narrowest,
        (
            "known to be small",
            rounded.known_small,
            f"{cells} that an outsider knows to have 1 to {rounded.k - 1} persons",
        ),
    ]
    yield Grid(("rounded counts", "value", "meaning"), rows, (1,))
    yield Line()
    yield from map(Line, _not_covered(rounded))


def _base_meaning(rounded: "RoundedTables") -> str:
    """Return a sentence: how rounded counts and totals relate to the base of the rounding.

    The base is the number of which every printed count is a multiple.
    """
    if rounded.adds_up:
        return "every count is a multiple, and totals are sums of their cells"
    return "every count is the nearest multiple; persons are in several cells, and no totals add up"


def _largest_change(rounded: "RoundedTables") -> tuple[str, str]:
    """Return the largest change of a count by rounding, and its meaning in words."""
    meaning = "persons between a printed count and the truth"
    if not rounded.adds_up:
        return f"{rounded.base // 2}", meaning
    best = (
        "proved, no such rounding changes less in all"
        if rounded.is_best
        else "another rounding may change less in all"
    )
    return f"< {rounded.base * rounded.reach}", f"{meaning}; {best}"


def _print_tables(printed: "ClosedTables | RoundedTables") -> Iterator["Block"]:
    """Yield a line on the source of the counts, and then each table."""
    from ...own_data.count_tables import total_mark

    yield Line(f"{printed.source}  {_persons(printed)} ({printed.person}), k = {printed.k}\n")
    total = total_mark(printed)
    for table in printed.tables:
        yield _grid(table, printed.columns, printed.cells, total)
        yield Line()


def _persons(printed: "ClosedTables | RoundedTables") -> str:
    """Return the number of persons in words; in rounded tables this number is rounded too."""
    from ...own_data.count_tables import RoundedTables

    rounded = " after rounding" if isinstance(printed, RoundedTables) else ""
    return f"{printed.persons:,} persons{rounded}"


def _grid(
    table: Sequence[str], columns: Sequence[str], cells: Sequence["PrintedCell"], total: str
) -> Grid:
    """Return a printed table of counts; values of its last column are headings, if they are few.

    table: names of the table's columns. columns: names of all columns, in the order of each cell's
    values. cells: the cells and totals of all tables. total: the word for a total.
    """
    places = [columns.index(name) for name in table]
    rest = [place for place in range(len(columns)) if place not in places]
    counts = {
        tuple(cell.values[place] for place in places): _count(cell)
        for cell in cells
        if all(cell.values[place] is None for place in rest)
    }
    orders = [_values(place, cells) for place in places]
    keys = sorted(counts, key=lambda key: [o.index(v) for o, v in zip(orders, key, strict=True)])
    across = orders[-1]
    if len(table) == 1 or len(across) > MOST_ACROSS + 1:
        rows = [[*_texts(key, total), counts[key]] for key in keys]
        return Grid((*table, "persons"), rows, (len(table),))
    lines = list(dict.fromkeys(key[:-1] for key in keys))
    headings = [total if value is None else f"{table[-1]}: {value}" for value in across]
    body = [
        [*_texts(line, total), *(counts.get((*line, value), "0") for value in across)]
        for line in lines
    ]
    right = tuple(range(len(table) - 1, len(table) - 1 + len(across)))
    return Grid((*table[:-1], *headings), body, right)


def _values(place: int, cells: Sequence["PrintedCell"]) -> list[str | None]:
    """Return the values of a column in their printed order, then None for the total.

    place: index of the column in each cell's values. cells: the cells and totals of all tables.
    """
    values = [
        cell.values[place]
        for cell in cells
        if all((value is None) != (at == place) for at, value in enumerate(cell.values))
    ]
    return [*values, None]


def _texts(values: Values, total: str) -> list[str]:
    """Return the values of a row or column heading as texts; None stands for a total.

    total: the word that is printed for a total.
    """
    return [total if value is None else value for value in values]


def _count(cell: "PrintedCell") -> str:
    """Return the count of a cell as text, "closed" if it is not printed."""
    return "closed" if cell.people is None else f"{cell.people:,}"


def _closed_rows(closed: "ClosedTables") -> Iterator[tuple[object, ...]]:
    """Yield rows (subject, value, meaning): the number of suppressed counts, narrowest interval.

    A reader of the tables can bound each suppressed count by additions and subtractions. The
    narrowest interval is the smallest width of these bounds, in persons.
    """
    fewest = 0 if closed.closes_empty else 1
    loss_unit = "persons" if closed.loss == "people" else "cells"
    yield (
        "closed",
        f"{closed.closed:,}",
        f"cells of {fewest} to {closed.k - 1} persons, and others besides, so that no addition or "
        "subtraction opens a small cell; "
        + (
            f"proved, no choice loses fewer {loss_unit}"
            if closed.is_best
            else f"another choice may lose fewer {loss_unit} (--steps searches longer)"
        ),
    )
    if closed.narrowest is not None:
        yield (
            "narrowest interval",
            f"{'' if closed.narrowest_is_exact else 'at least '}{closed.narrowest:,}",
            "persons between the least and the most that an outsider can conclude of a closed cell",
        )


def _protection(closed: "ClosedTables") -> Iterator[str]:
    """Yield sentences: conclusions against which suppressed counts protect, and limits."""
    if not closed.closed:
        yield f"No printed cell has 1 to {closed.k - 1} persons."
    else:
        reader = (
            "No reader of the tables, a person of them included,"
            if closed.members
            else ("No reader outside the tables")
        )
        reader_exception = " (or has the reader alone)" if closed.members else ""
        yield (
            f"{reader} can exclude by additions and subtractions that a small cell is "
            f"empty{reader_exception}, nor that it has {closed.k} persons or more."
        )
    if not closed.closes_empty:
        yield (
            "An empty cell is printed as 0: all persons of its row or column are known to be "
            "elsewhere (--close-empty closes it)."
        )
    yield from _not_covered(closed)


def _not_covered(printed: "ClosedTables | RoundedTables") -> Iterator[str]:
    """Yield sentences: conclusions about persons that the printed tables do not prevent."""
    from ...analysis.printed_counts.linked import MOST_COLUMNS

    if not printed.adds_up:
        yield (
            "A person is counted once in each of its cells and once in each total, so that totals "
            "are not the sums of their cells. The persons of a total outside one of its cells, "
            "and those in several of its cells, are protected as cells are."
        )
        yield "Not covered: the persons that two given cells share."
    for columns in printed.joint:
        listed = f"{', '.join(columns[:-1])} and {columns[-1]}"
        remedy = (
            f"; name {','.join(columns)} as a table too" if len(columns) <= MOST_COLUMNS else ""
        )
        yield f"Not covered: cells of {listed} together{remedy}."
    yield (
        "Not covered: a reader who concludes that a closed cell is not empty, or that each value "
        "that is listed has a person. With several such cells it may know a small cell."
    )
    yield (
        "Not covered: persons of the table who pool their rows, and other tables of these people. "
        "Name all tables that you print in one command."
    )
