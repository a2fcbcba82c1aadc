"""Detection of titles and of the header in the first lines of a table's file."""

from collections import Counter
from collections.abc import Sequence

from .footer import NOTE, TOTAL
from .format_line import OpeningLine
from .header_line import NUMBER, are_numbers, names_columns
from .second_line import second_line

TITLES = 30  # largest number of lines above a header


def without_end(lines: Sequence[OpeningLine]) -> Sequence[OpeningLine]:
    """Return the lines without totals and notes below the table."""
    width, end = body_width(lines), len(lines)
    while end > 2 and width > 1:
        texts = [cell for cell in lines[end - 1].cells if cell]
        if len(texts) > 1 and not (NOTE.fullmatch(texts[0]) or TOTAL.fullmatch(texts[0])):
            break
        end -= 1
    return lines[:end]


def begins_below(lines: Sequence[OpeningLine]) -> bool:
    """Whether titles stand above the table, and the place of the header below them is certain.

    lines: the first lines of the file, without empty lines.
    """
    start = first_complete(lines)
    return bool(start) and is_sure(lines, start or 0)


def body_width(lines: Sequence[OpeningLine]) -> int:
    """Return the most frequent number of cells per line; in a tie, the largest."""
    counts = Counter(len(line.cells) for line in lines)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def first_complete(lines: Sequence[OpeningLine]) -> int | None:
    """Return the index of the header: the first line with a text for each column.

    Only titles and comments may stand above it; None if another line does. lines: the first lines
    of the file, without empty lines.
    """
    if len(lines) < 2:
        return 0
    width = body_width(lines[1:])
    for index, line in enumerate(lines[:TITLES]):
        body = lines[index + 1 :]
        if _is_comment(lines, index, width):
            continue
        if _is_complete(line, body, width):
            is_title = len(line.cells) < width and is_sure(lines, index + 1)
            return index + 1 if is_title else index
        if not _is_title(line, width) and not _is_completed(line, body, width):
            return None
    return None


def _is_comment(lines: Sequence[OpeningLine], index: int, width: int) -> bool:
    """Whether a line is a comment: it begins with #, and a header stands below it.

    R's read.table skips such lines. index: of the line. width: number of cells of the table's
    lines.
    """
    if not lines[index].cells[0].startswith("#"):
        return False
    below = next((i for i in range(index, len(lines)) if lines[i].cells[0][:1] != "#"), None)
    if below is None or not _is_complete(lines[below], lines[below + 1 :], width):
        return False
    return len(lines[index].cells) != width or is_sure(lines, below)


def _is_completed(line: OpeningLine, body: Sequence[OpeningLine], width: int) -> bool:
    """Whether a header spans two lines: the next line has the names that this line lacks.

    Such a line names groups of columns. body: the lines below it. width: number of cells of the
    table's lines.
    """
    if len(body) < 2 or len(line.cells) != width or not _is_complete(body[0], body[1:], width):
        return False
    return line.cells[0] != "" and body[0].cells[0] in ("", line.cells[0])


def _is_complete(line: OpeningLine, body: Sequence[OpeningLine], width: int) -> bool:
    """Whether a line has a text above each column that has values; the first column may lack it.

    body: the lines below. width: number of cells of the table's lines.
    """
    cells = line.cells
    if len(cells) < width - 1 or not any(cells) or not body:
        return False
    if len(cells) < width:
        return all(cells) and len(cells) > 0
    if line.full == 1 and width > 1 and sum(_in_use(body, j) for j in range(width)) > 1:
        # A file of pandas with an index and a single column may lack the name of the index.
        return bool(len(cells) == 2 and not cells[0])
    return all(cells[j] or not j or not _in_use(body, j) for j in range(width))


def _in_use(body: Sequence[OpeningLine], place: int) -> bool:
    """Whether at least half of the lines have a value in a column.

    body: the lines. place: the index of the column.
    """
    values = sum(place < len(line.cells) and line.cells[place] != "" for line in body)
    return values * 2 >= len(body) and values > 0


def _is_title(line: OpeningLine, width: int) -> bool:
    """Whether a line has few filled cells, as a title has. width: cells of the table's lines."""
    return line.full == 1 or len(line.cells) < width - 1 or line.full * 2 <= width


def is_sure(lines: Sequence[OpeningLine], start: int) -> bool:
    """Whether the line at index `start` is certainly the header of a table below titles.

    It is if a column below it holds numbers, or if an empty line or empty cells set the titles
    apart.
    """
    header, body = lines[start], lines[start + 1 :]
    width = len(header.cells)
    second = second_line(header.cells, body)
    if second is not None and second.kind != "doubt":
        body = body[1:]
    full = [line.cells for line in body if len(line.cells) == width]
    if not full or not names_columns([header.cells, *full]):
        return False
    if any(NUMBER.fullmatch(cell) for cell in header.cells):
        return False
    if any(are_numbers([cells[j] for cells in full]) for j in range(width)):
        return True
    above = lines[start - 1]
    parted = above.number < header.number - 1 or above.cells[0].startswith("#")
    padded = width > 2 and all(len(line.cells) == width for line in lines[:start])
    return len(full) > 2 and (parted or padded)


def is_numbering(values: Sequence[str]) -> bool:
    """Whether a column holds row numbers 0, 1, 2, ... or 1, 2, 3, ...

    values: the texts of the column.
    """
    if not values or values[0] not in ("0", "1"):
        return False
    first = int(values[0])
    return list(values) == [str(number) for number in range(first, first + len(values))]
