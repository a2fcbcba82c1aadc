"""Conversion of dates to texts that sort by time, and detection of dates stored as numbers."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta

from ...errors import DataError
from ...protocol.wire.coarsening import COMPACT, ISO, PARTED
from .column_words import cut

ACCEPTED = "a date such as 2019-05-17, 20190517, 17.5.2019 or 5/17/2019, or a number, is accepted"

DATED = ("dat", "fecha", "jour", "giorno", "born", "birth", "geb", "admission", "discharge")
SERIAL = range(20_000, 60_000)  # Excel's day numbers of the years 1954 to 2064
EPOCH = date(1899, 12, 30)  # day 0 of Excel's day numbers, which hold from March 1900 on


def serial_dates(columns: Sequence[str], values: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a warning for each column of dates that Excel has stored as numbers of days.

    Such a column has a name for dates, and five-digit numbers as values. columns: the names.
    values: the different texts of each column; empty texts are ignored.
    """
    for name, texts in zip(columns, values, strict=True):
        filled_texts = [text for text in texts if text]
        if not filled_texts or not any(part in word for word in cut(name) for part in DATED):
            continue
        if all(
            len(text) == 5 and text.isdecimal() and int(text) in SERIAL for text in filled_texts
        ):
            day = EPOCH + timedelta(days=int(filled_texts[0]))
            yield (
                f"column {name!r}: numbers such as {filled_texts[0]} look like Excel's count of "
                "days "
                f"({day.isoformat()}) and are read as numbers; if they are dates, write them as "
                "2019-05-17"
            )


def in_time(texts: Collection[str], where: str) -> dict[str, str]:
    """Return, for each date, a text of the form year-month-day, which sorts by time.

    A time of day behind the date is kept, and sorts as text. where: the file and column, for
    messages. Raises DataError for a text that is no date. DataError too if day and month of dates
    such as 3/4/2020 cannot be distinguished.
    """
    day_first = _day_first(texts, where)
    return {text: _sorted(text, where, day_first=day_first) for text in texts}


def _sorted(text: str, place: str, *, day_first: bool) -> str:
    """Return a date in the form year-month-day, which sorts by time; DataError if it is no date.

    place: the file and column, for messages. day_first: whether 3/4/2020 begins with the day.
    """
    if compact := COMPACT.fullmatch(text):
        return "-".join(compact.groups())
    if iso := ISO.fullmatch(text):
        year, month, day = iso[1], int(iso[2] or 0), int(iso[3] or 0)
        return f"{year}-{month:02}-{day:02}{text[10:]}"
    if parted := PARTED.fullmatch(text):
        day, month = int(parted[1]), int(parted[3])
        if not day_first:
            day, month = month, day
        return f"{parted[4]}-{month:02}-{day:02}"
    raise DataError(f"{place}: found {text!r}; {ACCEPTED}")


def _day_first(texts: Collection[str], column_place: str) -> bool:
    """Whether dates such as 3/4/2020 begin with the day; DataError if the dates do not show it.

    column_place: the file and column, for messages.
    """
    parted = [match for match in map(PARTED.fullmatch, texts) if match]
    first, second = (any(int(match[place]) > 12 for match in parted) for place in (1, 3))
    dotted = all(
        match[2] == "." for match in parted
    )  # dates with dots, such as 3.4.2020, begin with the day in all countries
    if parted and first == second and not (dotted and not first):
        raise DataError(
            f"{column_place}: in {parted[0][0]!r} either number may be the month; dates such as "
            "2019-05-17 are accepted"
        )
    return first or dotted
