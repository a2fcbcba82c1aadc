"""Who the people of a run are, from run to run: by what the table holds, not by how it was named.

    fingerprint of a person = BLAKE2b-128 under the ledger's key of (number, row)

row: all cells of the person's row in the source, asked about or not, by the names of the columns,
without the spaces around them. number: how many rows before it are the same. So the people are the
same whatever the file is called, in whatever order its rows and columns stand, and whoever is
sampled from it by whichever seed; and two people of one source are always two.

Without the key a fingerprint tells nothing but whether two are the same, which is its purpose; the
key is in a file of its own (`book.json.key`), so that a ledger may be copied, kept and shown. With
both, whoever guesses a row finds it: they are to be guarded like the data together.

Two people of two sources with the same row are taken for one: nothing in the data tells them apart,
and more overlap is refused, not less. Rows with other columns, or spelt otherwise, cannot be
compared; of other columns that is seen, and refused.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...errors import DataError
from ..populations import Population
from ..populations.people import Table
from ..populations.samples import Samples
from ..schema.model import Scenario

BYTES = 16  # of a fingerprint


@dataclass(frozen=True, slots=True)
class Crowd:
    """The people whom a scenario asks.

    Attributes:
        columns: of the source, ascending.
        people: fingerprints.
        read: by feature, a name for which of the source's cells were read as the same value; a
            feature without has a value for each cell.
    """

    columns: tuple[str, ...]
    people: tuple[str, ...]
    read: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def coins(self, seed: int | None) -> str:
        """Name the draw of everybody's coins; "" if nobody can draw them again."""
        if seed is None:
            return ""
        text = json.dumps([seed, self.people])
        return hashlib.sha256(text.encode()).hexdigest()[: 2 * BYTES]


def crowd_of(scenario: Scenario, drawn: Samples, key: bytes) -> Crowd:
    """Fingerprint the people of a scenario. drawn: these people, as they were drawn."""
    people, theirs = drawn.people, scenario.population.columns
    names, rows = _rows(people)
    asked = [(name, theirs.get(name, name)) for name in people.schema.names]
    order = range(people.n) if people.origin is None else people.origin.tolist()
    return _crowd(names, rows, order, _Reading(people.own, asked, names), key)


def crowd_of_table(table: Table, key: bytes) -> Crowd:
    """Fingerprint the people of a table that was read from a file. DataError if it was not."""
    if table.source is None:
        raise DataError(f"{table.name}: its people are generated, and in no ledger")
    names, order = table.source.columns, table.origin
    numbers = range(len(table.codes)) if order is None else order.tolist()

    def own(place: int) -> Sequence[str]:
        codes = table.codes[place].tolist()
        return [texts[code] for texts, code in zip(table.values, codes, strict=True)]

    asked = [(name, name) for name in table.columns]
    return _crowd(names, table.source.rows(), numbers, _Reading(own, asked, names), key)


def crowd_of_keys(keys: Sequence[bytes], key: bytes) -> Crowd:
    """Fingerprint people by the keys that they sign with: one key, one person."""
    marks = (
        hashlib.blake2b(one, key=key, digest_size=BYTES, person=b"signer").hexdigest()
        for one in keys
    )
    return Crowd(("signing key",), tuple(marks))


def _crowd(
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    order: Iterable[int],
    reading: "_Reading",
    key: bytes,
) -> Crowd:
    """Fingerprint the people whose rows have these numbers in the source."""
    places = {number: place for place, number in enumerate(order)}
    marks = {
        number: mark
        for number, mark in enumerate(fingerprints(names, reading.noted(rows, places), key))
        if number in places
    }
    people = tuple(marks[number] for number in places)
    return Crowd(tuple(sorted(names)), people, reading.merged(key))


class _Reading:
    """Which cells of a source are the same value to the people of a scenario.

    The empty cell may be called what others say, several texts may mean it, and 1.0 may be 1.
    """

    def __init__(
        self,
        own: Callable[[int], Sequence[str]],
        asked: Sequence[tuple[str, str]],
        names: Sequence[str],
    ) -> None:
        self.own = own
        self.columns = [(name, names.index(theirs)) for name, theirs in asked]
        self.cells: dict[str, dict[str, set[str]]] = {name: defaultdict(set) for name, _ in asked}

    def noted(
        self, rows: Iterable[Sequence[str]], places: Mapping[int, int]
    ) -> Iterator[Sequence[str]]:
        """Pass rows on, and note how those of the people asked are read."""
        for number, row in enumerate(rows):
            if (place := places.get(number)) is not None:
                held = self.own(place)
                for (name, column), value in zip(self.columns, held, strict=True):
                    self.cells[name][value].add(row[column].strip())
            yield row

    def merged(self, key: bytes) -> dict[str, tuple[str, ...]]:
        """By feature, a name for the cells that became one; without the key it tells none."""
        words: dict[str, tuple[str, ...]] = {}
        for name, values in self.cells.items():
            groups = sorted(sorted(cells) for cells in values.values() if len(cells) > 1)
            if groups:
                text = json.dumps(groups).encode()
                words[name] = (hashlib.blake2b(text, key=key, digest_size=BYTES).hexdigest(),)
        return words


def source_name(scenario: Scenario, feature: str) -> str:
    """Return the name of a feature in the source."""
    return scenario.population.columns.get(feature, feature)


def memory_of(mark: str, key: bytes) -> bytes:
    """The secret of a person from which noise is drawn that it keeps from run to run."""
    return hashlib.blake2b(mark.encode(), key=key, person=b"memory").digest()


def fingerprints(names: Sequence[str], rows: Iterable[Sequence[str]], key: bytes) -> Iterator[str]:
    """Fingerprint every row of a source, in its order."""
    places = sorted(range(len(names)), key=names.__getitem__)
    label = json.dumps(sorted(names))
    met: Counter[bytes] = Counter()
    for row in rows:
        text = label + json.dumps([row[place].strip() for place in places])
        mark = hashlib.blake2b(text.encode(), key=key, digest_size=BYTES).digest()
        met[mark] += 1
        numbered = mark + met[mark].to_bytes(8, "big")
        yield hashlib.blake2b(numbered, key=key, digest_size=BYTES).hexdigest()


def _rows(people: Population) -> tuple[Sequence[str], Iterable[Sequence[str]]]:
    """Return columns and rows of the source as it was read; of generated people, their own."""
    if people.source is None:
        return people.schema.names, map(people.row, range(people.n))
    return people.source.columns, people.source.rows()
