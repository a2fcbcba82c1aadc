"""The identity of people from run to run, by fingerprints of their rows.

    fingerprint of a person = BLAKE2b-128 under the ledger's key of (number, row)

row: all cells of the person's row in the source, asked about or not, by the names of the columns,
without the spaces around them. number: the count of equal rows so far, with this row. So the people
are the same for any name of the file, any order of its rows and columns, and any sample from it by
any seed; and two people of one source are always two.

Without the key fingerprints show only whether two are the same, which is their purpose; the key is
in a file of its own (`book.json.key`), so that a ledger may be copied, kept and shown. With both,
an attacker that guesses a row finds it: together they are to be guarded like the data.

Two people of two sources with the same row are taken for one: the data do not distinguish them, and
more overlap is refused, not less. Rows with other columns, or spelt otherwise, cannot be compared;
other columns are detected, and refused.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ....errors import DataError
from ...populations import Population
from ...populations.people import SourceTable
from ...populations.samples import Samples
from ...schema.model import Scenario

BYTES = 16  # bytes of a fingerprint (keyed hash of a person)


@dataclass(frozen=True, slots=True)
class ScenarioPeople:
    """The people of a scenario, as fingerprints.

    Attributes:
        columns: the columns of the source, ascending.
        people: fingerprints.
        read: feature -> a keyed hash of the groups of source texts that are read as the same value;
            a feature that is missing here reads each text as a value of its own.
    """

    columns: tuple[str, ...]
    people: tuple[str, ...]
    read: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def coins(self, seed: int | None) -> str:
        """Return a name for the random draws of these people; "" if the draw cannot be repeated."""
        if seed is None:
            return ""
        text = json.dumps([seed, self.people])
        return hashlib.sha256(text.encode()).hexdigest()[: 2 * BYTES]


def crowd_of(scenario: Scenario, drawn: Samples, key: bytes) -> ScenarioPeople:
    """Return the fingerprints of a scenario's people. drawn: these people. key: of the ledger."""
    people, source_names = drawn.people, scenario.population.columns
    names, rows = _rows(people)
    column_pairs = [(name, source_names.get(name, name)) for name in people.schema.names]
    order = range(people.n) if people.origin is None else people.origin.tolist()
    return _crowd(names, rows, order, _Reading(people.exact_values, column_pairs, names), key)


def crowd_of_table(table: SourceTable, key: bytes, person: str | None = None) -> ScenarioPeople:
    """Return the fingerprints of the people of a table that was read from a file.

    DataError if it was not. person: the column of the file by which people are known; None: by
    their rows. Persons with several rows are in the order of `table.persons`.
    """
    if table.source is None:
        raise DataError(f"{table.called}: its people are generated, and in no ledger")
    names, order = table.source.columns, table.origin
    numbers = range(len(table.codes)) if order is None else order.tolist()

    def own_row(place: int) -> Sequence[str]:
        """Return the values of a row of the table."""
        codes = table.codes[place].tolist()
        return [texts[code] for texts, code in zip(table.values, codes, strict=True)]

    reading = _Reading(own_row, [(name, name) for name in table.columns], names)
    if person is None:
        return _crowd(names, table.source.rows(), numbers, reading, key)
    place, places = names.index(person), {number: row for row, number in enumerate(numbers)}
    rows = enumerate(reading.noted(table.source.rows(), places))
    marks = {number: _person_mark(row[place], key) for number, row in rows if number in places}
    people = tuple(marks[number] for number in places)
    if table.persons is not None:
        first_rows = np.unique(table.persons, return_index=True)[1]
        people = tuple(people[row] for row in first_rows.tolist())
    return ScenarioPeople((f"person: {person}",), people, reading.merged(key))


def _person_mark(text: str, key: bytes) -> str:
    """Return the fingerprint of a person that is known by the value of a column."""
    return hashlib.blake2b(
        text.strip().encode(), key=key, digest_size=BYTES, person=b"person"
    ).hexdigest()


def crowd_of_keys(keys: Sequence[bytes], key: bytes) -> ScenarioPeople:
    """Return the fingerprints of people by the keys that they sign with: one key, one person."""
    marks = (
        hashlib.blake2b(public_key, key=key, digest_size=BYTES, person=b"signer").hexdigest()
        for public_key in keys
    )
    return ScenarioPeople(("signing key",), tuple(marks))


def _crowd(
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    order: Iterable[int],
    reading: "_Reading",
    key: bytes,
) -> ScenarioPeople:
    """Return the fingerprints of the people in these rows of a source.

    names, rows: all columns and rows of the source. order: numbers of the people's rows. reading:
    records the cells that are read as equal values.
    """
    places = {number: place for place, number in enumerate(order)}
    marks = {
        number: mark
        for number, mark in enumerate(fingerprints(names, reading.noted(rows, places), key))
        if number in places
    }
    people = tuple(marks[number] for number in places)
    return ScenarioPeople(tuple(sorted(names)), people, reading.merged(key))


class _Reading:
    """A record of the source's cells that a scenario reads as the same value.

    The empty cell may be named like another value, several texts may mean it, and 1.0 may be 1.
    own_row: returns the values of a person. column_pairs: (name of the scenario, name of the
    source).
    """

    def __init__(
        self,
        own_row: Callable[[int], Sequence[str]],
        column_pairs: Sequence[tuple[str, str]],
        names: Sequence[str],
    ) -> None:
        """Prepare an empty record for these columns.

        names: the columns of the source. Other arguments as in the class.
        """
        self.own_row = own_row
        self.columns = [(name, names.index(source_name)) for name, source_name in column_pairs]
        self.cells: dict[str, dict[str, set[str]]] = {
            name: defaultdict(set) for name, _ in column_pairs
        }

    def noted(
        self, rows: Iterable[Sequence[str]], places: Mapping[int, int]
    ) -> Iterator[Sequence[str]]:
        """Yield the rows unchanged, after recording how the rows of the people asked are read."""
        for number, row in enumerate(rows):
            if (place := places.get(number)) is not None:
                own_row = self.own_row(place)
                for (name, column), value in zip(self.columns, own_row, strict=True):
                    self.cells[name][value].add(row[column].strip())
            yield row

    def merged(self, key: bytes) -> dict[str, tuple[str, ...]]:
        """Return, by feature, a keyed hash of cells that are read as equal, which hides them."""
        words: dict[str, tuple[str, ...]] = {}
        for name, values in self.cells.items():
            groups = sorted(sorted(cells) for cells in values.values() if len(cells) > 1)
            if groups:
                text = json.dumps(groups).encode()
                words[name] = (hashlib.blake2b(text, key=key, digest_size=BYTES).hexdigest(),)
        return words


def source_name(scenario: Scenario, feature: str) -> str:
    """Return the name of a feature's column in the source."""
    return scenario.population.columns.get(feature, feature)


def memory_of(mark: str, key: bytes) -> bytes:
    """Return the secret of a person that seeds its kept noise, the same in every run.

    mark: the fingerprint of the person.
    """
    return hashlib.blake2b(mark.encode(), key=key, person=b"memory").digest()


def fingerprints(names: Sequence[str], rows: Iterable[Sequence[str]], key: bytes) -> Iterator[str]:
    """Yield the fingerprint of every row of a source, in its order."""
    places = sorted(range(len(names)), key=names.__getitem__)
    label = json.dumps(sorted(names))
    occurrences: Counter[bytes] = Counter()
    for row in rows:
        text = label + json.dumps([row[place].strip() for place in places])
        mark = hashlib.blake2b(text.encode(), key=key, digest_size=BYTES).digest()
        occurrences[mark] += 1
        numbered = mark + occurrences[mark].to_bytes(8, "big")
        yield hashlib.blake2b(numbered, key=key, digest_size=BYTES).hexdigest()


def _rows(people: Population) -> tuple[Sequence[str], Iterable[Sequence[str]]]:
    """Return the columns and rows of the source as it was read; of generated people, their own."""
    if people.source is None:
        return people.schema.names, map(people.row, range(people.n))
    return people.source.columns, people.source.rows()
