"""Ladders: a column in ever coarser values, from its own values to a single value.

A level maps the codes of the column to coarser codes. Each level is a coarsening of the level
before (values equal in one level are equal in all later levels), so a person's crowd only grows.
The loss of a level is a number from 0 to 1, ascending; the usual loss is the lost share of entropy,

    loss = 1 - H(level) / H(level 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LadderLevel:
    """One level of a ladder: a coarsening of a column.

    Attributes:
        name: name of the level, in messages and tables.
        codes: codes[c] is the coarser code of the column's code c.
        loss: lost share of the column's information, from 0 (nothing is lost) to 1 (all is lost).
    """

    name: str
    codes: Codes
    loss: float


@dataclass(frozen=True, slots=True)
class Ladder:
    """A column and its levels, from fine to coarse; the last level has a single value.

    Attributes:
        column: its name.
        levels: from fine to coarse.
        weight: how much the column's loss counts beside the others'.

    Raises ParameterError where a level is no coarsening of the one before, or losses do not ascend
    from 0 to 1.
    """

    column: str
    levels: tuple[LadderLevel, ...]
    weight: float = 1.0

    def __post_init__(self) -> None:
        """Raise ParameterError if levels or losses do not form a ladder, as the class describes."""
        losses = [level.loss for level in self.levels]
        if not losses or losses != sorted(losses) or losses[0] < 0 or losses[-1] > 1:
            raise ParameterError(
                f"ladder {self.column!r}: found losses {losses}; needs ascending losses from 0 to 1"
            )
        if len(np.unique(self.levels[-1].codes)) > 1:
            raise ParameterError(
                f"ladder {self.column!r}: the last level has several values; needs a single one"
            )
        for finer, coarser in zip(self.levels, self.levels[1:], strict=False):
            if not nested(finer.codes, coarser.codes):
                message = f"{coarser.name!r} is no coarsening of {finer.name!r}"
                raise ParameterError(f"ladder {self.column!r}: {message}")


def nested(finer: Codes, coarser: Codes) -> bool:
    """Whether a coarser level only merges values of a finer level and splits none.

    Both are the coarser code of each code of a column.
    """
    if len(finer) != len(coarser):
        return False
    pairs = np.unique(np.stack([finer, coarser]), axis=1)
    return bool(pairs.shape[1] == len(np.unique(finer)))


def entropy(counts: Sequence[int] | Codes) -> float:
    """Return the Shannon entropy of a distribution given by counts, in bits."""
    people = np.asarray(counts, float)
    shares = people[people > 0] / people.sum()
    return max(0.0, float(-(shares * np.log2(shares)).sum()))


def entropy_losses(counts: Codes, levels: Sequence[Codes]) -> list[float]:
    """Return the share of the column's entropy that each level loses, 0 to 1.

    Args:
        counts: people with each code of the column.
        levels: for each level, the coarser code of each code; the first level is the column itself.
    """
    entropies = [entropy(np.bincount(codes, weights=counts)) for codes in levels]
    whole = entropies[0]
    return [0.0 if not whole else min(1.0, max(0.0, 1 - bits / whole)) for bits in entropies]
