"""Generated people: each column is drawn from a named law (distribution).

Only `Generator.random` of numpy is used, because its stream changes least between versions. A value
is drawn by a uniform number: it selects the value by the cumulative shares.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import DataError
from ..schema.model import FeatureSection
from ..schema.plugs import homes, load
from .people import Codes, SourceTable

LEVELS = 10  # default number of values of a column
NAMES = ("a", "b", "c")  # default columns of a generated population

# Shares of the alleles in a town's population: V. N. Mukhin et al., Gene frequencies and
# heterozygosity of the AB0 and RH blood group alleles, Genetika 39 (2003) 530-533 (Gorlovka).
ALLELE_A, ALLELE_B = 0.266, 0.158  # the share of allele 0 is the remaining 0.576
ALLELE_D = 0.592  # a single allele D gives the antigen Rh(D)
ANTIGENS = ("A", "B", "Rh")
PRESENCE = ("N", "Y")

Draw = Callable[[int, int, np.random.Generator], Codes]


# share of the values of `correlated` that a person's latent number (0 to 1) determines
KINDRED = 0.9


@dataclass(frozen=True, slots=True)
class Generator:
    """A law (distribution) by which the columns of generated people are drawn.

    Attributes:
        note: a description of the people.
        draw: draws the codes of a column, from (number of values, number of people, rng).
        levels: the number of values of a column; None: any number.
        kindred: the share of values that are not drawn by `draw`, but follow from a person's latent
            uniform number. The number is the same for all columns, which makes them correlated. 0:
            the columns are independent.
    """

    note: str
    draw: Draw
    levels: int | None = None
    kindred: float = 0.0


def zipf(levels: int, n: int, rng: np.random.Generator) -> Codes:
    """Draw n codes with shares in proportion to 1, 1/2, 1/3, ..., 1/levels (Zipf's law).

    levels: the number of values.
    """
    weights = 1 / np.arange(1, levels + 1)
    return _pick(weights / weights.sum(), n, rng)


def uniform(levels: int, n: int, rng: np.random.Generator) -> Codes:
    """Draw n codes of `levels` equally likely values."""
    return _pick(np.full(levels, 1 / levels), n, rng)


def balanced_values(levels: int, n: int, rng: np.random.Generator) -> Codes:  # noqa: ARG001
    """Return n codes that take the `levels` values in turn: counts differ by at most 1."""
    return np.arange(n, dtype=np.int32) % levels


GENERATORS = {
    "zipf": Generator("generated: independent columns, value v with a share as 1/v", zipf),
    "uniform": Generator("generated: independent columns, all values equally likely", uniform),
    "correlated": Generator(
        "generated: nine values in ten follow from a person's kind, the others are drawn evenly",
        uniform,
        kindred=KINDRED,
    ),
    "even": Generator(
        "generated: the values of every column in turn, nothing drawn", balanced_values
    ),
    "bits": Generator("generated: independent fair bits", uniform, levels=2),
}
LAWS = dict.fromkeys(GENERATORS, f"{__name__}:GENERATORS")


def laws() -> tuple[str, ...]:
    """Return the names of all laws (distributions) from which people can be generated.

    They are the laws of this module, and of other packages (entry points `veilmix.populations`).
    """
    return tuple(homes("populations", LAWS))


def law_of(name: str) -> Generator:
    """Return a law (distribution from which columns are drawn) by its name; KeyError if unknown."""
    if name in GENERATORS:
        return GENERATORS[name]
    law: Generator = load(homes("populations", LAWS)[name])
    return law


BLOOD_NOTE = (
    "generated: antigens of fictitious people (as in Figure 1 of paper 000), their two alleles "
    "drawn independently; shares of alleles from Mukhin et al., Genetika 39 (2003) 530-533"
)


def generate(
    name: str,
    features: Sequence[FeatureSection],
    n: int,
    rng: np.random.Generator | int | None = None,
) -> SourceTable:
    """Draw n people from the law (distribution) of this name.

    features: the columns to draw; without features, three columns a, b, c. rng: a generator, or a
    seed.
    """
    law, rng = law_of(name), np.random.default_rng(rng)
    features = features or [FeatureSection(name=column) for column in NAMES]
    values = tuple(texts(law, feature) for feature in features)
    codes_drawn = [law.draw(len(column), n, rng) for column in values]
    if law.kindred:
        codes_drawn = _by_kind(codes_drawn, [len(column) for column in values], law.kindred, rng)
    return SourceTable(
        name, tuple(f.name for f in features), np.stack(codes_drawn, axis=1), values, law.note
    )


def texts(law: Generator, feature: FeatureSection) -> tuple[str, ...]:
    """Return the values of a generated feature.

    Raises DataError if the law (distribution) has another number of values.
    """
    count = len(feature.values) if feature.values else feature.levels or law.levels or LEVELS
    if law.levels not in (None, count):
        raise DataError(
            f"feature {feature.name!r}: {count} values; this population has {law.levels} a column"
        )
    if feature.values:
        return feature.values
    return ("0", "1") if law.levels == 2 else tuple(f"v{v}" for v in range(1, count + 1))


def blood_types(n: int, rng: np.random.Generator | int | None = None) -> SourceTable:
    """Draw n people's antigens A, B and Rh(D): present if an allele of the person makes them.

    A person has two independent alleles for A and B, and two for Rh(D).
    """
    rng = np.random.default_rng(rng)
    abo, rh = rng.random((n, 2)), rng.random((n, 2))
    present = (
        (abo < ALLELE_A).any(axis=1),
        ((abo >= ALLELE_A) & (abo < ALLELE_A + ALLELE_B)).any(axis=1),
        (rh < ALLELE_D).any(axis=1),
    )
    codes = np.stack(present, axis=1).astype(np.int32)
    return SourceTable("blood-type", ANTIGENS, codes, (PRESENCE,) * 3, BLOOD_NOTE)


def _by_kind(
    codes_drawn: Sequence[Codes], levels: Sequence[int], share: float, rng: np.random.Generator
) -> list[Codes]:
    """Replace a share of the values by a person's latent number, which correlates columns.

    The latent number is uniform from 0 to 1. The value is floor(latent number times number of
    values). If two columns have equally many values, a person's new values in them are equal.
    codes_drawn: the columns. levels: the number of values of each column. share: the share of
    values to replace.
    """
    kind = rng.random(len(codes_drawn[0]))
    kind_codes = [np.floor(kind * count).astype(np.int32) for count in levels]
    follows = [rng.random(len(kind)) < share for _ in levels]
    return [
        np.where(follows_kind, new, old)
        for follows_kind, new, old in zip(follows, kind_codes, codes_drawn, strict=True)
    ]


def _pick(shares: np.ndarray, n: int, rng: np.random.Generator) -> Codes:
    """Draw n codes with given shares. shares: the probability of each code."""
    inner = np.cumsum(shares)[:-1]  # the last is left out, because rounding may leave it below 1
    return np.searchsorted(inner, rng.random(n), side="right").astype(np.int32)
