"""The user's options about the form of a file; facts without an option are detected."""

from dataclasses import dataclass

from ..schema.model import PopulationSection


@dataclass(frozen=True, slots=True)
class FileOptions:
    """The user's options about the form of a file. None: to be detected.

    Attributes:
        separator: the character between two cells.
        encoding: the encoding of the text, by Python's name.
        sheet: the name of the sheet of a workbook.
        header: whether the first line names the columns.
        decimal: the decimal sign: point or comma.
        header_row: the number of the line (or of the sheet's row), from 1, that names the columns.
        last_row: the number of the last line of the table; lines below are notes or totals.
        sets: columns with several answers in a cell, each with the sign between the answers.
        yes_no: columns to be replaced by a yes-no column for each answer, each with the sign
            between the answers.
        as_number: columns in which equal numbers get equal spelling.
    """

    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header: bool | None = None
    decimal: str | None = None
    header_row: int | None = None
    last_row: int | None = None
    sets: tuple[tuple[str, str], ...] = ()
    yes_no: tuple[tuple[str, str], ...] = ()
    as_number: tuple[str, ...] = ()


DEFAULT_OPTIONS = FileOptions()


def options_of(section: PopulationSection) -> FileOptions:
    """Return the options of a scenario for its file."""
    separator = {"tab": "\t", "space": " "}.get(section.separator or "", section.separator)
    return FileOptions(
        separator,
        section.encoding,
        section.sheet,
        section.header,
        section.decimal,
        section.header_row,
        section.last_row,
        tuple(section.sets.items()),
        tuple(section.yes_no.items()),
        section.as_number,
    )
