"""Fingerprints of people, by which a ledger recognizes the same person in several runs.

    fingerprint of a person = BLAKE2b-128 under the ledger's key of (number, row)

row: all cells of the person's row in the source, requested or not, ordered by column name, without
the spaces around them. number: 1 for the first row with these cells, 2 for the second, and so on.
So a fingerprint does not depend on the name of the file, the order of rows and columns, or the
sample. Two people of one source always have different fingerprints.

Without the key, fingerprints show only whether two people are the same, which is their purpose. The
key is in a file of its own (`book.json.key`), so that a ledger may be copied and shown. With the
key, an attacker can confirm a guessed row. So the ledger and its key together are as sensitive as
the data.

Two people of two sources with equal rows count as one person, because the data do not distinguish
them. This error is safe: it can only refuse more releases. Rows with other columns, or with another
spelling, cannot be compared; the ledger detects other columns and refuses them.
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
    """The people of a scenario, as fingerprints (keyed hashes of their rows).

    Attributes:
        columns: the names of the columns of the source, ascending.
        people: the fingerprint of each person.
        read: feature -> a keyed hash of the groups of source texts that the scenario reads as
            equal. A feature without an entry reads each text as a value of its own.
    """

    columns: tuple[str, ...]
    people: tuple[str, ...]
    read: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def coins(self, seed: int | None) -> str:
        """Return a digest that identifies the random draws of a run, by its seed and its people.

        "" if there is no seed, because the draws cannot be repeated.
        """
        if seed is None:
            return ""
        text = json.dumps([seed, self.people])
        return hashlib.sha256(text.encode()).hexdigest()[: 2 * BYTES]


def crowd_of(scenario: Scenario, drawn: Samples, key: bytes) -> ScenarioPeople:
    """Return the fingerprints of a scenario's people.

    drawn: the people of the scenario. key: the key of the ledger.
    """
    people, source_names = drawn.people, scenario.population.columns
    names, rows = _rows(people)
    column_pairs = [(name, source_names.get(name, name)) for name in people.schema.names]
    order = range(people.n) if people.origin is None else people.origin.tolist()
    return _crowd(names, rows, order, _Reading(people.exact_values, column_pairs, names), key)


def crowd_of_table(table: SourceTable, key: bytes, person: str | None = None) -> ScenarioPeople:
    """Return the fingerprints of the people of a table that was read from a file.

    Raises DataError for a table of generated people. key: the key of the ledger. person: the column
    whose values identify persons; None: whole rows identify them. Persons with several rows are
    numbered as in `table.persons`.
    """
    if table.source is None:
        raise DataError(f"{table.called}: its people are generated, and in no ledger")
    names, order = table.source.columns, table.origin
    numbers = range(len(table.codes)) if order is None else order.tolist()

    def own_row(place: int) -> Sequence[str]:
        """Return the values of the table's row with this index."""
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
    """Return the fingerprint (keyed hash) of a person that a value of one column identifies.

    text: the value. key: the key of the ledger.
    """
    return hashlib.blake2b(
        text.strip().encode(), key=key, digest_size=BYTES, person=b"person"
    ).hexdigest()


def crowd_of_keys(keys: Sequence[bytes], key: bytes) -> ScenarioPeople:
    """Return the fingerprints of people by their public signing keys, one key for each person.

    keys: the public signing keys. key: the key of the ledger.
    """
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
    """Return the fingerprints of people by their rows in a source.

    names, rows: all columns and rows of the source. order: the numbers of the people's rows.
    reading: records which cells of these rows the scenario reads as equal values. key: the key of
    the ledger.
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

    For example, an empty cell may mean the same as the text "unknown", and 1.0 the same as 1.

    own_row: returns the values of a person in the scenario, by index. column_pairs: (name in the
    scenario, name in the source) of each column.
    """

    def __init__(
        self,
        own_row: Callable[[int], Sequence[str]],
        column_pairs: Sequence[tuple[str, str]],
        names: Sequence[str],
    ) -> None:
        """Prepare an empty record for these columns.

        own_row: returns the values of a person in the scenario, by index. column_pairs: (name in
        the scenario, name in the source) of each column. names: all columns of the source.
        """
        self.own_row = own_row
        self.columns = [(name, names.index(source_name)) for name, source_name in column_pairs]
        self.cells: dict[str, dict[str, set[str]]] = {
            name: defaultdict(set) for name, _ in column_pairs
        }

    def noted(
        self, rows: Iterable[Sequence[str]], places: Mapping[int, int]
    ) -> Iterator[Sequence[str]]:
        """Yield all source rows unchanged, and record how the scenario reads its people's cells.

        rows: the rows of the source. places: row number -> index of the person in the scenario.
        """
        for number, row in enumerate(rows):
            if (place := places.get(number)) is not None:
                own_row = self.own_row(place)
                for (name, column), value in zip(self.columns, own_row, strict=True):
                    self.cells[name][value].add(row[column].strip())
            yield row

    def merged(self, key: bytes) -> dict[str, tuple[str, ...]]:
        """Return, by feature, a keyed hash of the groups of cells that are read as one value.

        The hash hides the cells. A feature without such groups has no entry. key: the key of the
        ledger.
        """
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
    """Return a person's secret, equal in every run, that seeds the person's memoized noise.

    mark: the fingerprint of the person. key: the key of the ledger.
    """
    return hashlib.blake2b(mark.encode(), key=key, person=b"memory").digest()


def fingerprints(names: Sequence[str], rows: Iterable[Sequence[str]], key: bytes) -> Iterator[str]:
    """Yield the fingerprint (keyed hash) of every row of a source, in the order of the rows.

    names: the columns. key: the key of the ledger.
    """
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
    """Return the columns and rows of the source; for generated people, their own values."""
    if people.source is None:
        return people.schema.names, map(people.row, range(people.n))
    return people.source.columns, people.source.rows()
