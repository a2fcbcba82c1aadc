"""Ladders: a column in ever coarser values, from its own values to a single value.

A ladder has levels. A level maps the codes of the column to coarser codes. Values that are equal in
one level are equal in all later levels, so a person's equivalence class only grows. The loss of a
level is a number from 0 to 1 that never falls from level to level. It is usually the lost share of
entropy:

    loss = 1 - H(level) / H(level 0)

H is the entropy of a column in the values of a level; level 0 is the column's own values.
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
    """One level of a ladder, which lists ever coarser values of a column.

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
        column: the name of the column.
        levels: the coarsenings of the column, from fine to coarse.
        weight: weight of the column's loss in the mean loss over all columns.

    Raises ParameterError if a level splits values of the level before, or if losses fall.
    """

    column: str
    levels: tuple[LadderLevel, ...]
    weight: float = 1.0

    def __post_init__(self) -> None:
        """Raise ParameterError unless each level coarsens the level before and losses ascend."""
        losses = [level.loss for level in self.levels]
        if not losses or losses != sorted(losses) or losses[0] < 0 or losses[-1] > 1:
            raise ParameterError(
                f"levels of {self.column!r}: found losses of information {losses}; needs "
                "ascending losses from 0 to 1"
            )
        if len(np.unique(self.levels[-1].codes)) > 1:
            raise ParameterError(
                f"levels of {self.column!r}: the last level has several values; needs a single "
                "value for all people, so that the column can be dropped"
            )
        for finer, coarser in zip(self.levels, self.levels[1:], strict=False):
            if not nested(finer.codes, coarser.codes):
                message = f"{coarser.name!r} is no coarsening of {finer.name!r}, the level before"
                raise ParameterError(f"levels of {self.column!r}: {message}")


def nested(finer: Codes, coarser: Codes) -> bool:
    """Whether a coarser level only merges values of a finer level and splits none.

    finer, coarser: for each code of a column, its code in the finer and in the coarser level.
    """
    if len(finer) != len(coarser):
        return False
    pairs = np.unique(np.stack([finer, coarser]), axis=1)
    return bool(pairs.shape[1] == len(np.unique(finer)))


def entropy(counts: Sequence[int] | Codes) -> float:
    """Return the Shannon entropy in bits of the distribution given by counts of people."""
    people = np.asarray(counts, float)
    shares = people[people > 0] / people.sum()
    return max(0.0, float(-(shares * np.log2(shares)).sum()))


def entropy_losses(counts: Codes, levels: Sequence[Codes]) -> list[float]:
    """Return the share of the column's entropy that each level loses, 0 to 1.

    Args:
        counts: number of people with each code of the column.
        levels: for each level (coarsening), the coarser code of each code; the first level is the
            column itself.
    """
    entropies = [entropy(np.bincount(codes, weights=counts)) for codes in levels]
    whole = entropies[0]
    return [0.0 if not whole else min(1.0, max(0.0, 1 - bits / whole)) for bits in entropies]
