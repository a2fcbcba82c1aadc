"""Owners and their sets (paper 004): a population of places, days or call records as people.

Every owner holds a set of the same m elements, as a vector of m bits. A vector may be longer than a
value on the wire, so it is sent in pieces of 4,096 positions, each an onion of its own: counting in
how many vectors a position is set does not need to know which pieces belong together, and the mix
ensures that no party does. A piece is text: bits eight to a byte in hex, position 0 the highest bit
of the first byte, zeros after the last position.

Sets come from a CSV file with one row for each (owner, element), or are generated: `builtin:sets`
has as many elements in exactly t of n sets as 1/(t + 1) says, at least 1 for every t (the data of
paper 004's experiments), and which sets these are is drawn.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...analysis.randomizers import BitFlip
from ...analysis.randomizers.bit_vectors import unpack
from ...errors import DataError
from ...protocol.wire.schema import MAX_FEATURES, MAX_WIDTH, Feature, Schema
from ..populations import Population
from ..schema.model import BUILTIN, Scenario
from ..schema.problems import did_you_mean, listed
from .build import SETS, STREAM, where
from .files import FileSource
from .traces import Sightings, csv_of, sightings

Vectors = npt.NDArray[np.uint8]

SOURCE = BUILTIN + SETS
PIECE = 4 * MAX_WIDTH  # positions in a piece: a hexadecimal digit holds four
MOST_POSITIONS = MAX_FEATURES * PIECE
MOST_OWNERS = 200  # most owners n, as bounds on estimates need 2 (n + 1) linear programs
OWNER, ELEMENT = "owner", "element"  # columns of a file of sets
NOTE = "generated: elements in exactly t sets with a share as 1/(t + 1), in sets drawn at random"


def piece_ends(positions: int) -> list[int]:
    """Return the boundaries of pieces: 0, 4096, ..., m."""
    return [*range(0, positions, PIECE), positions]


def piece_names(positions: int) -> tuple[str, ...]:
    """Return the names of the pieces of a vector, with positions counted from 1."""
    ends = pairwise(piece_ends(positions))
    return tuple(f"positions {first + 1} to {last}" for first, last in ends)


def first_positions(positions: int) -> tuple[tuple[str, str], ...]:
    """Return two texts of each piece of a vector: no position or only the first is set."""
    sizes = (last - first for first, last in pairwise(piece_ends(positions)))
    texts = (pack_text(np.eye(2, size, -1, dtype=np.uint8)) for size in sizes)
    return tuple((empty, first) for empty, first in texts)


def pack_text(bits: Vectors) -> list[str]:
    """Return rows of bits as texts of hexadecimal digits."""
    packed = np.packbits(bits, axis=1)
    width = 2 * packed.shape[1]
    text = packed.tobytes().hex()
    return [text[first : first + width] for first in range(0, len(text), width)]


def unpack_text(texts: Sequence[str], bits: int) -> Vectors:
    """Return the rows of `bits` bits in packed texts (`readable` selects packed texts)."""
    packed = np.frombuffer(bytes.fromhex("".join(texts)), np.uint8)
    return unpack(packed.reshape(len(texts), -1), bits)


def readable(counts: Mapping[tuple[str, ...], int], bits: int) -> Iterator[tuple[str, int]]:
    """Yield the texts that are a packed row of `bits` bits, each with its count."""
    spare = -bits % 8
    pattern = re.compile(f"[0-9a-f]{{{2 * -(-bits // 8)}}}")
    for (text,), times in counts.items():
        if pattern.fullmatch(text) and not int(text[-2:], 16) & ((1 << spare) - 1):
            yield text, times


def flip_texts(texts: Sequence[str], flip: BitFlip, rng: np.random.Generator) -> list[str]:
    """Return the owners' noisy pieces: every bit is flipped at random by itself."""
    return pack_text(flip.sample(unpack_text(texts, flip.bits), rng)) if texts else []


def owners(scenario: Scenario, seed: int | None, base: Path = Path()) -> Population:
    """Return the owners of a scenario as people; person i is owner i.

    Raises DataError for data that do not fit the scenario.
    """
    section, incidence = scenario.population, scenario.incidence
    rng = np.random.default_rng() if seed is None else np.random.default_rng([seed, STREAM])
    if section.source == SOURCE:
        if section.users is None or incidence.positions is None:
            raise DataError(f"{SOURCE}: say in users and positions how many owners and elements")
        vectors = generate(section.users, incidence.positions, rng)
        return as_people("sets", vectors, NOTE)
    file_sets = from_file(scenario, base)
    bits = np.ascontiguousarray(file_sets.bits.T)
    empty = (incidence.positions or len(file_sets.devices)) - len(file_sets.devices)
    vectors = np.pad(bits, ((0, 0), (0, max(0, empty))))
    note = f"read from {Path(section.source).name}: owners {listed(file_sets.sessions)}"
    people = as_people(Path(section.source).stem, vectors, note)
    return people if section.users in (None, people.n) else people.sample(section.users or 0, rng)


def from_file(scenario: Scenario, base: Path = Path()) -> Sightings:
    """Return the requested owners and their sets, from the scenario's file. Raises DataError."""
    section = scenario.population
    path = where(section, base)
    element, owner = (section.columns.get(name, name) for name in (ELEMENT, OWNER))
    file_sets = _read_sightings(csv_of(path), element, owner)
    owner_names = scenario.incidence.owners
    if not owner_names:
        return file_sets
    for name in owner_names:
        if name not in file_sets.sessions:
            raise DataError(
                f"{path}: no owner is called {name!r}; it has {listed(file_sets.sessions)}"
                f"{did_you_mean(name, file_sets.sessions)}"
            )
    places = [file_sets.sessions.index(name) for name in owner_names]
    return Sightings(file_sets.bits[:, places], file_sets.devices, tuple(owner_names))


@lru_cache(maxsize=1)
def _read_sightings(source: FileSource, element: str, owner: str) -> Sightings:
    """Return the sets of a file. element, owner: its columns. The last file is kept."""
    return sightings(source, element, owner)


def generate(n: int, m: int, rng: np.random.Generator) -> Vectors:
    """Draw the vectors of n owners over m positions, shape (n, m), with incidence by Zipf's law."""
    from ...analysis.incidence import zipf

    frequencies = np.repeat(np.arange(n + 1), zipf(n, m))
    frequencies = frequencies[np.argsort(rng.random(m), kind="stable")]
    rank = np.argsort(np.argsort(rng.random((m, n)), axis=1), axis=1)
    return np.ascontiguousarray((rank < frequencies[:, None]).T.astype(np.uint8))


def as_people(name: str, vectors: Vectors, note: str) -> Population:
    """Return owners as people, with the pieces of their vectors as values."""
    features, values, codes = [], [], []
    ends = piece_ends(vectors.shape[1])
    for title, (first, last) in zip(piece_names(vectors.shape[1]), pairwise(ends), strict=True):
        texts_of_owners = pack_text(vectors[:, first:last])
        texts = tuple(dict.fromkeys(texts_of_owners))
        place = {text: code for code, text in enumerate(texts)}
        features.append(Feature(title, None, len(texts_of_owners[0])))
        values.append(texts)
        codes.append(np.array([place[text] for text in texts_of_owners], np.int32))
    table: Any = np.ascontiguousarray(np.stack(codes, axis=1))
    return Population(name, Schema(tuple(features)), table, tuple(values), note)


def vectors_of(people: Population) -> Vectors:
    """Return the bit vectors of owners, shape (n, m), from the pieces that are their values."""
    ends = pairwise(piece_ends(positions_of(people)))
    digits = [
        unpack_text(texts, last - first)[people.codes[:, column]]
        for column, (texts, (first, last)) in enumerate(zip(people.values, ends, strict=True))
    ]
    return np.concatenate(digits, axis=1)


def positions_of(people: Population) -> int:
    """Return the number m of positions, which the name of the last piece contains."""
    return int(people.schema.names[-1].rpartition(" ")[2])
