"""Detection of a second header line: units or types of columns, or a second level of names."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from .format_line import OpeningLine
from .header_line import NUMBER, are_numbers
from .values import UNKNOWN

UNIT = re.compile(
    r"[\[(].*[\])]|%|°[cf]|€|\$|eur|usd|chf|gbp|jahre?n?|years?|yrs?|ans?|años|anni|jaar|monate?|months?|"
    r"tage?n?|days?|jours?|stunden|hours?|min(uten|utes)?|[kmµ]?g|[cmk]?m|[md]?l|[hds]|bpm|mmhg|"
    r"(kg|[mµn]?g|[mµn]?mol|i?u|m?ie|m?iu)/(m²|m2|[md]?l|min|h|d)|n|int(eger)?|float|num(eric)?|"
    r"str(ing)?|text|date?|datum|jjjj|yyyy|yyyy-mm-dd|dd[./]mm[./]yyyy|tt\.mm\.jjjj",
    re.IGNORECASE,
)


class SecondLine(NamedTuple):
    """The line below a header, unless it certainly describes a person.

    Attributes:
        kind: `units`: units or types of columns; `names`: a second level of names, because names in
            the header repeat; `doubt`: the line may also describe a person.
        texts: the texts in this line above columns of numbers.
        place: index, from 0, of the first column of numbers; with `doubt`, of the first such column
            with a text in this line.
    """

    kind: Literal["units", "names", "doubt"]
    texts: tuple[str, ...]
    place: int


def second_line(cells: Sequence[str], body: Sequence[OpeningLine]) -> SecondLine | None:
    """Return the second header line; None if the line below the header describes a person.

    A second header line has texts, such as units, above columns of numbers. cells: the cells of the
    header. body: the lines below the header.
    """
    width = len(cells)
    if len(body) < 3 or len(body[0].cells) < width - 1:
        return None
    rest = [line.cells for line in body[1:] if len(line.cells) == width]
    row = [*body[0].cells, ""][:width]
    numeric = [j for j in range(width) if are_numbers([line[j] for line in rest])]
    texts = tuple(row[j] for j in numeric if row[j] and row[j].casefold() not in UNKNOWN)
    if not texts or any(NUMBER.fullmatch(text) for text in texts):
        return None
    if any(row[j] and any(line[j] == row[j] for line in rest) for j in range(width)):
        return None
    names = [cell for cell in cells if cell]
    if len(set(names)) < len(names):
        return SecondLine("names", texts, numeric[0])
    named = [j for j in numeric if cells[j]]
    is_line = len(set(texts)) > 1 and len(texts) * 2 > len(named)
    if is_line or all(UNIT.fullmatch(text) for text in texts):
        return SecondLine("units", texts, numeric[0])
    first = next(j for j in numeric if row[j])
    return SecondLine("doubt", texts, first)
