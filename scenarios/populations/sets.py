"""Owners of sets as the people of a scenario (paper 004): places, days or lists of calls.

Each owner has a set of some of the same m elements. The set is a vector of m bits: the bit at
position i is 1 if element i is in the set. A vector may be longer than a value in a message may be.
It is therefore sent in pieces of 4,096 positions, each in an onion of its own. The analyst counts
the vectors that set each position; this count needs no link between the pieces of one vector, and
the mix hides such links. A piece is a text of hexadecimal digits: eight bits to a byte, position 0
the highest bit of the first byte, zeros after the last position.

Sets come from a CSV file with one row for each (owner, element), or are generated. `builtin:sets`
generates n sets as in the experiments of paper 004. For each t from 0 to n at least one element is
in exactly t sets; the number of such elements is proportional to 1 / (t + 1). The t sets that have
an element are drawn at random.
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
# Most owners; more are refused, because for n owners the limits of the estimates need 2 (n + 1)
# linear programs.
MOST_OWNERS = 200
OWNER, ELEMENT = "owner", "element"  # columns of a file of sets
NOTE = (
    "generated: elements in exactly t sets, their number proportional to 1/(t + 1), drawn at random"
)


def piece_ends(positions: int) -> list[int]:
    """Return the boundaries of the pieces of a bit vector: 0, 4096, ..., `positions`.

    positions: the number of bits of the vector.
    """
    return [*range(0, positions, PIECE), positions]


def piece_names(positions: int) -> tuple[str, ...]:
    """Return the names of the pieces of a bit vector, such as `positions 1 to 4096`.

    positions: the number of bits of the vector, counted from 1 in the names.
    """
    ends = pairwise(piece_ends(positions))
    return tuple(f"positions {first + 1} to {last}" for first, last in ends)


def first_positions(positions: int) -> tuple[tuple[str, str], ...]:
    """Return two texts for each piece of a bit vector: no bit set, and the first bit set.

    positions: the number of bits of the vector.
    """
    sizes = (last - first for first, last in pairwise(piece_ends(positions)))
    texts = (pack_text(np.eye(2, size, -1, dtype=np.uint8)) for size in sizes)
    return tuple((empty, first) for empty, first in texts)


def pack_text(bits: Vectors) -> list[str]:
    """Return each row of bits as a text of hexadecimal digits, eight bits to a byte."""
    packed = np.packbits(bits, axis=1)
    width = 2 * packed.shape[1]
    text = packed.tobytes().hex()
    return [text[first : first + width] for first in range(0, len(text), width)]


def unpack_text(texts: Sequence[str], bits: int) -> Vectors:
    """Return rows of `bits` bits from texts of hexadecimal digits.

    The texts must be valid; `readable` selects the valid texts among received texts.
    """
    packed = np.frombuffer(bytes.fromhex("".join(texts)), np.uint8)
    return unpack(packed.reshape(len(texts), -1), bits)


def readable(counts: Mapping[tuple[str, ...], int], bits: int) -> Iterator[tuple[str, int]]:
    """Yield each received text that encodes a row of `bits` bits, with its count.

    counts: the number of times that each text was received. Other texts are omitted.
    """
    spare = -bits % 8
    pattern = re.compile(f"[0-9a-f]{{{2 * -(-bits // 8)}}}")
    for (text,), times in counts.items():
        if pattern.fullmatch(text) and not int(text[-2:], 16) & ((1 << spare) - 1):
            yield text, times


def flip_texts(texts: Sequence[str], flip: BitFlip, rng: np.random.Generator) -> list[str]:
    """Return pieces of bit vectors with noise: each bit is flipped independently at random.

    texts: a piece of each owner's vector, in hexadecimal digits. flip: the randomizer of the bits.
    """
    return pack_text(flip.sample(unpack_text(texts, flip.bits), rng)) if texts else []


def owners(scenario: Scenario, seed: int | None, base: Path = Path()) -> Population:
    """Return the owners of sets in a scenario as its people; person i is owner i.

    seed: for generated sets and for a sample of owners; None: system randomness. base: the folder
    of the scenario file. Raises DataError for data that do not fit the scenario.
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
    """Return the requested owners and their sets, from the scenario's CSV file. Raises DataError.

    In the result, a device is an element of the sets, and a session is an owner.
    """
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
    """Return the sets in a file; the last result is cached.

    element, owner: the names of the file's columns.
    """
    return sightings(source, element, owner)


def generate(n: int, m: int, rng: np.random.Generator) -> Vectors:
    """Draw bit vectors of n owners over m elements, shape (n, m), by Zipf's law.

    The number of elements in exactly t vectors is proportional to 1 / (t + 1), and at least 1.
    """
    from ...analysis.incidence import zipf

    frequencies = np.repeat(np.arange(n + 1), zipf(n, m))
    frequencies = frequencies[np.argsort(rng.random(m), kind="stable")]
    rank = np.argsort(np.argsort(rng.random((m, n)), axis=1), axis=1)
    return np.ascontiguousarray((rank < frequencies[:, None]).T.astype(np.uint8))


def as_people(name: str, vectors: Vectors, note: str) -> Population:
    """Return owners of sets as people; the pieces of an owner's bit vector are the person's values.

    vectors: the bits of all owners, shape (owners, positions). name, note: of the population.
    """
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
    """Return the bit vectors of owners, shape (owners, positions), joined from their pieces."""
    ends = pairwise(piece_ends(positions_of(people)))
    digits = [
        unpack_text(texts, last - first)[people.codes[:, column]]
        for column, (texts, (first, last)) in enumerate(zip(people.values, ends, strict=True))
    ]
    return np.concatenate(digits, axis=1)


def positions_of(people: Population) -> int:
    """Return the number of positions (bits) of the owners' vectors, from the last piece's name."""
    return int(people.schema.names[-1].rpartition(" ")[2])
