"""Bits from counts that overlap: compared with counting every labelled table."""

from collections import Counter
from itertools import product
from math import log2
from typing import Any

import pytest
from veilmix.analysis.trust.overlapping_counts import chained_bits
from veilmix.protocol.knowledge.run_record import CountsSeen
from veilmix.protocol.wire.hiding_rules import Mask, Redact, apply_rule

SIZES = (2, 2, 3)
ROWS = ((0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 1, 0))
EVERY = list(product(product(*map(range, SIZES)), repeat=len(ROWS)))


def counted(rows: Any, columns: tuple[int, ...], hidden: tuple[Any, ...] = ()) -> Counter[Any]:
    rules = {rule.column: rule for rule in hidden}
    return Counter(
        tuple(apply_rule(rules[j], str(row[j]), 0) if j in rules else str(row[j]) for j in columns)
        for row in rows
    )


def exact(seen: list[CountsSeen]) -> float:
    """Bits by counting all tables that agree with all that was seen."""
    left = sum(
        all(counted(rows, tally.columns, tally.hidden) == tally.counts for tally in seen)
        for rows in EVERY
    )
    return log2(len(EVERY)) - log2(left)


def seeing(*columns: tuple[int, ...], hidden: tuple[Any, ...] = ()) -> list[CountsSeen]:
    return [
        CountsSeen(len(some), some, counted(ROWS, some, rules))
        if not (rules := tuple(r for r in hidden if r.column in some and len(some) > 1))
        else CountsSeen(len(some), some, counted(ROWS, some, rules), rules)
        for some in columns
    ]


SINGLES = ((0,), (1,), (2,))
MASK = (Mask(2, ("0",)),)
CASES = {
    "singles": (seeing(*SINGLES), True),
    "a pair": (seeing(*SINGLES, (0, 1)), True),
    "a chain of pairs": (seeing(*SINGLES, (0, 1), (1, 2)), True),
    "a ring of pairs": (seeing(*SINGLES, (0, 1), (1, 2), (0, 2)), False),
    "the whole table": (seeing(*SINGLES, (0, 1), (0, 1, 2)), True),
    "a masked pair": (seeing(*SINGLES, (0, 2), hidden=MASK), True),
    "a masked pair alone": (seeing((0, 2), hidden=MASK), True),
    "two masked pairs": (seeing(*SINGLES, (0, 2), (1, 2), hidden=MASK), True),
    "nothing": ([], True),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_bits_along_a_chain(name: str) -> None:
    seen, whole = CASES[name]
    measure = chained_bits(seen, SIZES, len(ROWS))
    assert measure is not None
    bits, sure = measure
    assert sure is whole
    if whole:
        assert bits == pytest.approx(exact(seen), abs=1e-9)
    else:
        assert bits <= exact(seen) + 1e-9


def test_blanks_and_missing_people_cannot_be_followed() -> None:
    redacted = (Redact(2, ("0",), 5),)
    assert chained_bits(seeing((0, 2), hidden=redacted), SIZES, len(ROWS)) is None
    assert chained_bits(seeing((0, 2)), SIZES, len(ROWS) + 1) is None


def test_a_narrower_mask_later_leaves_a_lower_bound() -> None:
    """The first table told more than the second: both are looked at through the second's mask."""
    wide, narrow = (Mask(2, ("0", "1")),), (Mask(2, ("0",)),)
    seen = [*seeing(*SINGLES, (0, 2), hidden=wide), *seeing((0, 1, 2), hidden=narrow)]
    measure = chained_bits(seen, SIZES, len(ROWS))
    assert measure is not None
    assert measure[1] is False
    assert 0 < measure[0] <= exact(seen) + 1e-9
