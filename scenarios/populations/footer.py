"""Detection of the end of a table: totals, notes and empty lines below the people are left out.

A total begins with a word such as Total or Summe. It is left out only if no other line has such a
word in this column, and one of these signs shows that it is a total:

* the column holds numbers in all other lines;
* only this line has an empty cell in some column;
* a cell is the sum of its column.

A note is a single text. It begins as notes do (Source, Quelle), or follows an empty line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from ...protocol.wire.coarsening import NUMBER

PIECE = 64  # lines read together; larger lists would trigger a garbage collection, which takes time
LAST = 64  # most lines of a footer, empty lines not counted
_SUMS = (
    r"(grand |sub)?totals?|sum|summe|(gesamt|end|zwischen)summe|gesamt|insgesamt|alle|"
    r"total g[eé]n[eé]ral|total(e)? gen?erale?|total general|sous-total|ensemble|somme|suma|"
    r"totale|somma|complessivo|totaal|som|eindtotaal|total geral"
)
_MEANS = (
    r"mean|average|median|mittelwert|durchschnitt|moyenne|m[eé]diane?|media|promedio|gemiddelde"
)
TOTAL = re.compile(rf"({_SUMS}|{_MEANS})( *[:(=].*|\.)?", re.IGNORECASE)
NOTE = re.compile(
    r"(source|quelle|fuente|fonte|bron|note|notes|nota|remarque|anmerkung|hinweis|bemerkung|legende?|"
    r"legend|stand|as of|created|erstellt|exported|exportiert|généré|n *= *\d+)\b.*|[*©†] *\w.*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(slots=True)
class Skipped:
    """The lines of a file that are left out, collected while the file is read.

    Attributes:
        empty: numbers of empty lines.
        notes: descriptions of the other lines left out.
        warnings: warnings about lines that may have been misjudged.
    """

    empty: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line at the end of a file: its number, and its cells.

    Attributes:
        number: the number of the line, from 1.
        cells: the cells of the row, as in the file.
    """

    number: int
    cells: list[str]

    @property
    def texts(self) -> list[str]:
        """The cells that are not empty, without spaces around them."""
        return [cell.strip() for cell in self.cells if cell.strip()]


def without_footer(
    lines: Iterator[tuple[int, list[str]]], word: str, width: int, skipped: Skipped
) -> Iterator[tuple[int, list[str]]]:
    """Return the lines down to the last line of a person.

    word: "line" or "row", for descriptions. width: number of cells of a line. skipped: receives
    descriptions of the lines left out.
    """
    return chain.from_iterable(_pieces(lines, word, width, skipped))


def _pieces(
    lines: Iterator[tuple[int, list[str]]], word: str, width: int, skipped: Skipped
) -> Iterator[list[tuple[int, list[str]]]]:
    """Yield the lines in lists; the last lines only after deciding which of them are people.

    word: "line" or "row", for descriptions. width: number of cells of a line. skipped: receives
    descriptions of the lines left out.
    """
    pending_lines, full = (
        list[tuple[int, list[str]]](),
        0,
    )  # full: number of pending lines up to the last filled line
    while piece := list(islice(lines, PIECE)):
        if full > LAST:
            yield pending_lines[: full - LAST]
            del pending_lines[: full - LAST]
            full = LAST
        pending_lines += piece
        last = next((i for i in range(len(piece), 0, -1) if any(piece[i - 1][1])), 0)
        full = len(pending_lines) - len(piece) + last if last else full
    yield pending_lines[: _people(pending_lines, word, width, skipped)]


def _people(
    pending_lines: Sequence[tuple[int, list[str]]], word: str, width: int, skipped: Skipped
) -> int:
    """Return the number of people in the file's last lines, and describe the other lines.

    pending_lines: the last lines. word: "line" or "row". width: number of cells of a line. skipped:
    receives the descriptions.
    """
    rows = [_Row(number, cells) for number, cells in pending_lines]
    end, text_rows = len(rows), 0
    while end > 1 and text_rows < LAST:
        row = rows[end - 1]
        if row.texts and not _is_note(rows, end - 1, width) and not _is_total(row):
            break
        text_rows += bool(row.texts)
        end -= 1
    # A line that is perhaps a total counts as a person, with a warning, because a person must not
    # be lost. The lines above it then count as people too.
    people_end = end
    for place in range(end, len(rows)):
        row = rows[place]
        doubtful = _is_total(row) and not _is_sure(row, rows[:end], width)
        if doubtful:
            skipped.warnings.append(
                f"the last {word} {row.number} begins with {row.texts[0]!r} and is read as a "
                f"person's; if it is a total, say --last-row {row.number - 1}"
            )
            people_end = place + 1
    for row in rows[people_end:]:
        if not row.texts:
            skipped.empty.append(row.number)
        else:
            kind = "a total" if _is_total(row) else "a note"
            text = row.texts[0]
            excerpt = text if len(text) <= 24 else f"{text[:24].rstrip()}..."
            skipped.notes.append(f"{word} {row.number} ({excerpt}) left out as {kind}")
    return people_end


def _is_total(row: _Row) -> bool:
    """Whether a line begins with a word such as Total, and has further filled cells."""
    texts = row.texts
    return len(texts) > 1 and TOTAL.fullmatch(texts[0]) is not None


def _is_note(rows: Sequence[_Row], place: int, width: int) -> bool:
    """Whether a line is a note below a table, and not a person.

    A note is a single text, or a text that separators have cut into several cells. place: the index
    of the line. width: number of cells of the table's lines. rows: the last lines of the file.
    """
    row = rows[place]
    texts = row.texts
    if width < 2 or NUMBER.fullmatch(texts[0]) or not row.cells[0].strip():
        return False
    if NOTE.fullmatch(texts[0]) and (len(texts) == 1 or len(row.cells) != width):
        return True
    if len(texts) > 1:
        return False
    first = place
    while first and len(rows[first - 1].texts) == 1:
        first -= 1
    parted = first > 0 and (
        not rows[first - 1].texts or rows[first - 1].number < rows[first].number - 1
    )
    return parted and (width > 2 or len(row.cells) < width)


def _is_sure(row: _Row, people: Sequence[_Row], width: int) -> bool:
    """Whether a line that begins with a word such as Total is a total by its other cells too.

    people: the lines above. width: number of cells of the table's lines.
    """
    if len(row.cells) < width and not all(
        len(candidate.cells) == len(row.cells) for candidate in people
    ):
        return True
    full = [candidate.cells for candidate in people if len(candidate.cells) == len(row.cells)]
    if not full:
        return False
    place = next(place for place, cell in enumerate(row.cells) if cell.strip())
    column = [cells[place].strip() for cells in full]
    word = row.cells[place].strip().casefold()
    if any(TOTAL.fullmatch(text) or text.casefold() == word for text in column):
        return False
    if all(NUMBER.fullmatch(text) for text in column if text):
        return True
    for candidate, cell in enumerate(row.cells):
        values = [cells[candidate].strip() for cells in full]
        if not cell.strip() and all(values):
            return True
        if _is_sum(cell.strip(), values):
            return True
    return False


def _is_sum(cell: str, values: Sequence[str]) -> bool:
    """Whether a cell is the sum of the numbers above it in its column. values: the column."""
    if len(values) < 2 or not NUMBER.fullmatch(cell):
        return False
    if not all(NUMBER.fullmatch(text) for text in values if text):
        return False
    total = sum(float(text) for text in values if text)
    return total != 0 and abs(total - float(cell)) <= 1e-9 * abs(total)
