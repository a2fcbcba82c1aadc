"""The first lines of a table's file: detection of titles and of the header's place."""

from collections import Counter
from collections.abc import Sequence

from .footer import NOTE, TOTAL
from .format_line import OpeningLine
from .header_line import NUMBER, are_numbers, names_columns
from .second_line import second_line

TITLES = 30  # largest number of lines above a header


def without_end(lines: Sequence[OpeningLine]) -> Sequence[OpeningLine]:
    """Return the lines without totals and notes at the end."""
    width, end = body_width(lines), len(lines)
    while end > 2 and width > 1:
        texts = [cell for cell in lines[end - 1].cells if cell]
        if len(texts) > 1 and not (NOTE.fullmatch(texts[0]) or TOTAL.fullmatch(texts[0])):
            break
        end -= 1
    return lines[:end]


def begins_below(lines: Sequence[OpeningLine]) -> bool:
    """Whether it is sure that titles stand above a table, and a header below them."""
    start = first_complete(lines)
    return bool(start) and is_sure(lines, start or 0)


def body_width(lines: Sequence[OpeningLine]) -> int:
    """Return the most frequent number of cells of a line; in a tie, the largest."""
    counts = Counter(len(line.cells) for line in lines)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def first_complete(lines: Sequence[OpeningLine]) -> int | None:
    """Return the index of the first line that could be a header, below titles only.

    None if another line stands above every such line.
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
    """Whether a line begins with # and a header stands below it, as for R's read.table."""
    if not lines[index].cells[0].startswith("#"):
        return False
    below = next((i for i in range(index, len(lines)) if lines[i].cells[0][:1] != "#"), None)
    if below is None or not _is_complete(lines[below], lines[below + 1 :], width):
        return False
    return len(lines[index].cells) != width or is_sure(lines, below)


def _is_completed(line: OpeningLine, body: Sequence[OpeningLine], width: int) -> bool:
    """Whether the next line names the columns for which a line of groups has no name."""
    if len(body) < 2 or len(line.cells) != width or not _is_complete(body[0], body[1:], width):
        return False
    return line.cells[0] != "" and body[0].cells[0] in ("", line.cells[0])


def _is_complete(line: OpeningLine, body: Sequence[OpeningLine], width: int) -> bool:
    """Whether a line has a text above each column that has values, perhaps except the first column.

    body: the lines below. width: cells of a line.
    """
    cells = line.cells
    if len(cells) < width - 1 or not any(cells) or not body:
        return False
    if len(cells) < width:
        return all(cells) and len(cells) > 0
    if line.full == 1 and width > 1 and sum(_in_use(body, j) for j in range(width)) > 1:
        return bool(len(cells) == 2 and not cells[0])  # a pandas file: an index and one column
    return all(cells[j] or not j or not _in_use(body, j) for j in range(width))


def _in_use(body: Sequence[OpeningLine], place: int) -> bool:
    """Whether at least half of the lines have a value in a column."""
    values = sum(place < len(line.cells) and line.cells[place] != "" for line in body)
    return values * 2 >= len(body) and values > 0


def _is_title(line: OpeningLine, width: int) -> bool:
    """Whether a line has few filled cells, as a title has. width: cells of a table's line."""
    return line.full == 1 or len(line.cells) < width - 1 or line.full * 2 <= width


def is_sure(lines: Sequence[OpeningLine], start: int) -> bool:
    """Whether a header below titles is proved: by numbers below names, or by its look.

    start: the index of the header.
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
    """Whether a column counts the rows, from 0 or from 1."""
    if not values or values[0] not in ("0", "1"):
        return False
    first = int(values[0])
    return list(values) == [str(number) for number in range(first, first + len(values))]
