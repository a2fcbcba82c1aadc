"""What a user says about how a file is written; what is not said is found out, and then said."""

from dataclasses import dataclass

from ..schema.model import Population as Section


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What is known beforehand of a file. None: to be found out.

    Attributes:
        separator: the character between two cells.
        encoding: as Python calls it.
        sheet: of a workbook.
        header: whether the first line names the columns.
        decimal: the sign before decimals.
    """

    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header: bool | None = None
    decimal: str | None = None


NOTHING = FileOptions()


def options_of(section: Section) -> FileOptions:
    """What a scenario says of how its file is written."""
    separator = {"tab": "\t"}.get(section.separator or "", section.separator)
    return FileOptions(separator, section.encoding, section.sheet, section.header, section.decimal)
