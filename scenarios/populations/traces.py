"""Events and sightings of people, generated or from a CSV file that the user names.

    check_ins        user, place, time          one sequence of places a person, oldest first
    ratings          user, item, rating, time   one sequence of liked items a person
    device_sessions  device, session            for each session, the devices seen in it
    profiles         any columns                one row a person, for attacks by side information

The user says which columns of the file these are. Times are compared as numbers if all of them are
numbers, else as text (ISO 8601 sorts as text). Every mistake is a DataError that names the file and
the line. Where to get larger data: docs/reidentification.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...analysis.reidentification.attacks.sequences import Sequences
from ...analysis.reidentification.attacks.synthetic_traces import markov_traces, rating_histories
from ...errors import DataError
from . import csvfile, files
from .files import FileSource
from .footer import Skipped

__all__ = [
    "Sightings",
    "Trace",
    "check_ins",
    "device_sessions",
    "markov_traces",
    "profiles",
    "rating_histories",
    "ratings",
]

Codes = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The sequences of events of people, as numbers, with the name of each number.

    Attributes:
        sequences: a sequence of symbols (numbers of places or items) for each person.
        people: the name of person i.
        symbols: the place or item that symbol x stands for.
    """

    sequences: Sequences
    people: tuple[str, ...]
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sightings:
    """Sightings of devices: bits[i, s] is 1 if device i was seen in session s.

    Attributes:
        bits: shape (devices, sessions).
        devices: the names of the devices, sorted.
        sessions: the names of the sessions, sorted.
    """

    bits: Bits
    devices: tuple[str, ...]
    sessions: tuple[str, ...]


def check_ins(
    path: str | PathLike[str], user: str, place: str | Sequence[str], time: str, fewest: int = 2
) -> Trace:
    """Return the check-ins of all people with at least `fewest` check-ins, oldest first.

    Args:
        path: a CSV file with a header.
        user: the column of the person.
        place: the column of the place, or several columns that name the place together.
        time: the column of the time.
        fewest: check-ins that a person needs to be included; paper 003 takes 10.
    """
    places = [place] if isinstance(place, str) else list(place)
    rows = list(_rows(csv_of(Path(path)), [user, time, *places]))
    return _traces(Path(path), rows, fewest)


def ratings(
    path: str | PathLike[str],
    user: str,
    item: str,
    rating: str,
    time: str,
    min_rating: float = 4.0,
    fewest: int = 2,
) -> Trace:
    """Return the items rated `min_rating` or more, oldest first, of people with at least `fewest`.

    Args:
        path: a CSV file with a header.
        user: the column of the person.
        item: the column of the rated item.
        rating: the column of the rating, a number.
        time: the column of the time.
        min_rating: the lowest rating that counts as a like; paper 003 takes 4 of 5.
        fewest: likes that a person needs to be included; paper 003 takes 10.
    """
    liked, source = [], csv_of(Path(path))
    for i, (person, moment, thing, stars) in enumerate(_rows(source, [user, time, item, rating])):
        try:
            like = float(stars) >= min_rating
        except ValueError:
            place = csvfile.READER.where(source.content, i)
            raise DataError(
                f"{place}: column {rating!r}: {stars[:40]!r}; a number is accepted"
            ) from None
        if like:
            liked.append((person, moment, thing))
    return _traces(Path(path), liked, fewest)


def device_sessions(path: str | PathLike[str], device: str, session: str) -> Sightings:
    """Return the sightings of devices in sessions; a pair may occur more than once in the file.

    Args:
        path: a CSV file with a header.
        device: the column of the device or person.
        session: the column of the session, place or owner of a set.
    """
    return sightings(csv_of(Path(path)), device, session)


def sightings(source: FileSource, device: str, session: str) -> Sightings:
    """Return the sightings of devices in sessions. device, session: columns of the source."""
    pairs = list(_rows(source, [device, session]))
    persons, devices = _numbered([pair[0] for pair in pairs])
    moments, sessions = _numbered([pair[1] for pair in pairs])
    bits = np.zeros((len(devices), len(sessions)), np.uint8)
    bits[persons, moments] = 1
    return Sightings(bits, devices, sessions)


def profiles(
    path: str | PathLike[str], columns: Sequence[str] | None = None
) -> tuple[Codes, tuple[str, ...]]:
    """Return one row of codes for each person, shape (people, columns), and the columns' names.

    A code numbers the distinct texts of a column; an empty cell is a text like any other. columns:
    the columns to read; None: all.
    """
    source = csv_of(Path(path))
    names = list(columns) if columns is not None else list(source.columns)
    if not names:
        raise DataError(f"{path}: no column is asked for; name at least one")
    rows = list(_rows(source, names))
    table = [_numbered([row[j] for row in rows])[0] for j in range(len(names))]
    return np.stack(table, axis=1), tuple(names)


def csv_of(path: Path) -> FileSource:
    """Return a CSV file as a source; DataError for another kind of file."""
    if files.READERS.get(path.suffix.lower()) is not csvfile.READER:
        raise DataError(f"{path}: .csv files are accepted")
    return files.source_of(path)


def _rows(source: FileSource, columns: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield these columns of each row of a CSV file; DataError if there is no row."""
    path, names = source.content.path, source.columns
    for column in columns:
        if column not in names:
            raise DataError(f"{path}: no column is called {column!r}; it has {', '.join(names)}")
    visits = 0
    for row in csvfile.READER.rows(source.content, columns, Skipped()):
        visits += 1
        yield row
    if not visits:
        raise DataError(f"{path}: a header, but no rows; one line for each event is needed")


def _traces(path: Path, rows: Sequence[Sequence[str]], fewest: int) -> Trace:
    """Return the sequences of events, from rows (user, time, columns of the event ...).

    fewest: events that a person needs to be included. Raises DataError if no person has so many.
    """
    if not rows:
        raise DataError(
            f"{path}: no event is left: every rating is below min_rating; lower min_rating"
        )
    persons, people = _numbered([row[0] for row in rows])
    things, symbols = _numbered([" ".join(row[2:]) for row in rows])
    order = np.argsort(_times([row[1] for row in rows]), kind="stable")
    enough = np.flatnonzero(np.bincount(persons) >= fewest)
    if not len(enough):
        raise DataError(
            f"{path}: nobody has {fewest} events; the most is {np.bincount(persons).max()}: lower "
            "fewest"
        )
    sequences = Sequences.grouped(persons[order], things[order], len(symbols))
    return Trace(
        sequences.select_people(enough), tuple(people[i] for i in enough.tolist()), symbols
    )


def _numbered(texts: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    """Return each text's number in the sorted distinct texts, and the distinct texts."""
    distinct_texts = tuple(sorted(set(texts)))
    number = {text: i for i, text in enumerate(distinct_texts)}
    return np.fromiter((number[text] for text in texts), np.int64, len(texts)), distinct_texts


def _times(texts: Sequence[str]) -> npt.NDArray[Any]:
    """Return times as numbers that sort by time; texts that are no numbers sort as text."""
    try:
        return np.array([float(text) for text in texts])
    except ValueError:
        return _numbered(texts)[0]
