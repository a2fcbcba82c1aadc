"""Detection of the layout of a table in a file: titles, header, and columns to skip.

Files differ: pandas adds a nameless column of row numbers, and R's `write.table` a nameless column
of row names. Offices add titles above, empty columns, and a second line with groups or units of the
columns. All of this is detected in the first lines and described in notes. If the layout is
unclear, a DataError states the options that decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import DataError
from .file_options import FileOptions
from .first_lines import body_width, first_complete, is_numbering, is_sure, without_end
from .format_line import Opening, OpeningLine
from .header_line import names_columns, numbered
from .second_line import SecondLine, second_line

ROW_NAME = "row_name"  # name given to the nameless column of R's row names or of a pandas index
NO_HEADER = "if no line names the columns, say --no-header (in a scenario: header = false)"
HEADER_ROW_HINT = "--header-row N (in a scenario: header_row = N) names the line of the header"


@dataclass(frozen=True, slots=True)
class Layout:
    """The detected layout of a table: the lines and columns of names and people.

    Attributes:
        names: the names of the columns that are read.
        places: the indices of these columns in a line, from 0.
        nameless: the indices of columns that are left out, in which every cell must be empty.
        width: number of cells of a line.
        header: number of the line of the header; None: no header.
        preamble_end: number of the last line before the people.
        notes: descriptions of the layout.
        warnings: warnings about unclear points.
    """

    names: tuple[str, ...]
    places: tuple[int, ...]
    nameless: tuple[int, ...]
    width: int
    header: int | None
    preamble_end: int
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def lay_out(path: Path, opening: Opening, options: FileOptions) -> Layout:
    """Return the layout of a table, detected in its first lines. Raises DataError if it is unclear.

    opening: the first lines, at least a single line.
    """
    opening = replace(opening, lines=without_end(opening.lines))
    lines = opening.lines
    if options.header is False:
        if options.header_row is not None:
            raise DataError(
                f"{path}: header_row = {options.header_row}, but you also said that no line "
                "names the columns; leave one of these options out"
            )
        return _without_header(lines, trim=False)
    start = _start(path, opening, options)
    body = lines[start + 1 :]
    cells, notes = _header_cells(path, opening, lines[start], body, options)
    second = None if options.header_row is not None else second_line(cells, body)
    people = body[1:] if second is not None and second.kind != "doubt" else body
    # The first line is a person if no sign shows that it names columns. Such signs: it lacks a
    # cell, row numbers stand below it, or its cells do not look like values.
    if options.header is None and options.header_row is None and not start:
        is_short = len(cells) > len(lines[0].cells)
        rows = [cells, *(line.cells for line in people)]
        if not (is_short or _has_row_numbers(cells, people) or names_columns(rows)):
            return _without_header(lines, trim=True)
    # The line above the header is a title, or it names groups of columns, as merged cells do.
    above, group = lines[:start], None
    if above and options.header_row is None and _is_group(above[-1], lines[start], cells, opening):
        above, group = above[:-1], above[-1]
        cells[0] = cells[0] or group.cells[0]
    layout = _columns(path, opening, lines[start], cells, people)
    if group is not None:
        layout = _joined(layout, opening, group)
    if above:
        notes.insert(0, f"{_numbers_of(opening.word, above)} above it left out")
    if second is not None:
        layout = _with_second(layout, opening, cells, body[0], second)
    if options.header_row is None:
        layout = _named_index(layout, opening, body)
    header_note = f"header in {opening.word} {lines[start].number}"
    if group is not None:
        header_note = f"header in {opening.word}s {group.number} and {lines[start].number}, joined"
    warnings = (*opening.doubts, *layout.warnings)
    return replace(layout, notes=(header_note, *notes, *layout.notes), warnings=warnings)


def _without_header(lines: Sequence[OpeningLine], *, trim: bool) -> Layout:
    """Return the layout of a table without a header.

    trim: whether to leave out empty columns at the end.
    """
    width = len(lines[0].cells)
    used = width
    while trim and used > 1 and not any(line.cells[used - 1 : used] > ("",) for line in lines):
        used -= 1
    notes = ["no header: columns are c1, c2, ..."]
    if used < width:
        notes.append(_empty_columns(range(used, width)))
    return Layout(
        numbered(used),
        tuple(range(used)),
        tuple(range(used, width)),
        width,
        None,
        lines[0].number - 1,
        tuple(notes),
    )


def _start(path: Path, opening: Opening, options: FileOptions) -> int:
    """Return the index of the header in the first lines. Raises DataError if it is unclear."""
    lines, word = opening.lines, opening.word
    if options.header_row is not None:
        for index, line in enumerate(lines):
            if line.number == options.header_row:
                return index
        raise DataError(
            f"{path}: header_row = {options.header_row}: that {word} is empty, or none of the "
            "first "
            f"{lines[-1].number:,}; a {word} with the names of columns is accepted"
        )
    start = first_complete(lines)
    if not start:
        return 0
    if not is_sure(lines, start):
        first, header_line = lines[0], lines[start]
        text = " ".join(filter(None, first.cells))
        raise DataError(
            f"{path}: {word} {first.number} ({text[:40]!r}) does not look like a part of the table "
            f"that begins in {word} {header_line.number}, and it is unclear where the header is: "
            f"say --header-row {header_line.number} (in a scenario: header_row = "
            f"{header_line.number}) or the number of the {word} with the names; {NO_HEADER}"
        )
    return start


def _has_row_numbers(cells: Sequence[str], body: Sequence[OpeningLine]) -> bool:
    """Whether the first column has no name, and holds the numbers of the rows.

    cells: the header. body: the lines below it.
    """
    return len(cells) > 1 and not cells[0] and is_numbering([line.cells[0] for line in body])


def _header_cells(
    path: Path,
    opening: Opening,
    line: OpeningLine,
    body: Sequence[OpeningLine],
    options: FileOptions,
) -> tuple[list[str], list[str]]:
    """Return the header's cells, as many as the people's lines have, and notes.

    Raises DataError if the header seems to lack a name. line: the header. body: the lines below it.
    """
    cells = list(line.cells)
    width = body_width(body) if body else len(cells)
    if len(cells) != width - 1:
        return cells, []
    full = [body_line.cells for body_line in body if len(body_line.cells) == width]
    if not any(row[-1] for row in full):
        return [*cells, ""], []
    if is_numbering([row[0] for row in full]) or opening.marked or options.header_row is not None:
        return ["", *cells], [f"its {opening.word} lacks the name of column 1"]
    if len(full) == len(body) and len({row[0] for row in full}) == len(full) > 1:
        raise DataError(
            f"{path}: each {opening.word} has one cell more than the header in {opening.word} "
            f"{line.number} ({len(cells)} names): if column 1 holds names of rows, say "
            f"--header-row {line.number} (in a scenario: header_row = {line.number}); else a "
            "separator inside a value needs quotation marks around the value"
        )
    return cells, []


def _columns(
    path: Path,
    opening: Opening,
    line: OpeningLine,
    cells: Sequence[str],
    body: Sequence[OpeningLine],
) -> Layout:
    """Return the layout with the columns to read, without row numbers and empty columns.

    line: the line of the header. cells: its cells, filled up. body: the lines below it. Raises
    DataError for a column with values and without a name.
    """
    names, places, nameless, notes = list[str](), list[int](), list[int](), list[str]()
    for place, name in enumerate(cells):
        values = [row.cells[place] for row in body if len(row.cells) > place]
        if name:
            names.append(name)
            places.append(place)
        elif place or not any(values):
            nameless.append(place)
        elif is_numbering(values):
            notes.append(f"row numbers in column {opening.offset + 1} left out")
        else:
            names.append(ROW_NAME if ROW_NAME not in cells else f"{ROW_NAME}_2")
            places.append(place)
            called = f"has no name and is called {names[0]!r}"
            notes.append(f"column {opening.offset + 1} {called}")
    for place in nameless:
        in_use = [row for row in body if len(row.cells) > place and row.cells[place]]
        beyond = opening.word == "row" and place > max(places, default=0)
        if in_use and not beyond:
            first, where = in_use[0], _at(path, opening.word, line.number)
            raise DataError(
                f"{where}: column {opening.offset + place + 1} has no name, and values "
                f"({opening.word} {first.number}: {first.cells[place][:40]!r}): write a name "
                f"into the file; {HEADER_ROW_HINT}; {NO_HEADER}"
            )
    if nameless and len(cells) > len(places):
        notes.append(_empty_columns([opening.offset + place for place in nameless]))
    if not places:
        raise DataError(
            f"{_at(path, opening.word, line.number)}: names no column; write names into the file; "
            f"{HEADER_ROW_HINT}; {NO_HEADER}"
        )
    return Layout(
        tuple(names), tuple(places), tuple(nameless), len(cells), line.number, line.number,
        tuple(notes),
    )  # fmt: skip


def _is_group(
    above: OpeningLine, line: OpeningLine, cells: Sequence[str], opening: Opening
) -> bool:
    """Whether the line above a header names groups of its columns, as merged cells do.

    above: this line. line: the header. cells: the cells of the header.
    """
    if above.number != line.number - 1 or len(above.cells) < len(cells) - 1:
        return False
    names = [cell for cell in cells if cell]
    if len(set(names)) < len(names):
        return True
    if above.full < 2:
        return above.number in opening.across and not above.cells[0]
    if above.number in opening.across and opening.across[above.number] != list(above.cells):
        return True
    groups = [place for place, cell in enumerate(above.cells) if cell]
    completes = not cells[0] and bool(above.cells[0])
    return completes or groups != list(range(len(groups)))


def _joined(layout: Layout, opening: Opening, group: OpeningLine) -> Layout:
    """Return the layout with each column's name preceded by the name of its group of columns.

    group: the line above the header, which names the groups.
    """
    groups = list(opening.across.get(group.number, ()))
    if not groups:
        for cell in group.cells:
            groups.append(cell or (groups[-1] if groups else ""))
    groups += [""] * (layout.width - len(groups))
    pairs = zip(layout.names, layout.places, strict=True)
    return replace(layout, names=tuple(_pair(groups[place], name) for name, place in pairs))


def _pair(group: str, name: str) -> str:
    """Return a column's name with the name of its group before it, unless the two are equal."""
    return name if group == name else f"{group} {name}".strip()


def _with_second(
    layout: Layout, opening: Opening, cells: Sequence[str], line: OpeningLine, second: SecondLine
) -> Layout:
    """Return the layout after judging the line below the header.

    A line of units is left out, a second line of names is joined to the first, and an unclear line
    gives a warning. cells: the header. line: the line below. second: the judgement.
    """
    kind, texts, place = second
    where = f"{opening.word} {line.number}"
    if kind == "names":
        row = [*line.cells, ""]
        names = [_pair(name, row[j]) for name, j in zip(layout.names, layout.places, strict=True)]
        notes = (f"joined with {where}", *layout.notes)
        return replace(layout, names=tuple(names), preamble_end=line.number, notes=notes)
    if kind == "units":
        note = f"{where} ({', '.join(texts[:3])}) left out as a second header"
        return replace(layout, preamble_end=line.number, notes=(*layout.notes, note))
    doubt = (
        f"{where}: {texts[0]!r} stands in column {cells[place]!r} above numbers only and is read "
        f"as a person's; if {where} is the header, say --header-row {line.number}; if it is a "
        "second header, take it out of the file"
    )
    return replace(layout, warnings=(*layout.warnings, doubt))


def _named_index(layout: Layout, opening: Opening, body: Sequence[OpeningLine]) -> Layout:
    """Return the layout with the name of a pandas index, if the line below the header states it.

    body: the lines below the header.
    """
    line = next((line for line in body if line.number > layout.preamble_end), None)
    if line is None or ROW_NAME not in layout.names or line.full != 1 or not line.cells[0]:
        return layout
    if any(body_line.full == 1 for body_line in body if body_line.number > line.number):
        return layout
    note = f"column {opening.offset + 1} has its name in {opening.word} {line.number}"
    notes = (*(note for note in layout.notes if ROW_NAME not in note), note)
    names = tuple(line.cells[0] if name == ROW_NAME else name for name in layout.names)
    return replace(layout, names=names, preamble_end=line.number, notes=notes)


def _empty_columns(places: Sequence[int]) -> str:
    """Return a note on empty columns that are left out. places: their indices, from 0."""
    if len(places) == 1:
        return f"column {places[0] + 1}, empty and without a name, left out"
    return f"{len(places)} columns, empty and without names, left out"


def _numbers_of(word: str, lines: Sequence[OpeningLine]) -> str:
    """Return the numbers of consecutive lines as text, such as "lines 1 to 3".

    word: "line" or "row".
    """
    first, last = lines[0].number, lines[-1].number
    return f"{word} {first}" if first == last else f"{word}s {first} to {last}"


def _at(path: Path, word: str, number: int) -> str:
    """Return the place of a line for messages, as `people.csv:3`, or of a row of a sheet.

    word: "line" or "row". number: of the line, from 1.
    """
    return f"{path}:{number}" if word == "line" else f"{path}: row {number}"
