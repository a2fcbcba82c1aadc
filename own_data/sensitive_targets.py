"""Targets of sensitive columns: l, entropy-l and t of every equivalence class, in addition to k.

An equivalence class is the people that agree in the known columns. A class of fewer
than k people misses the target. A target of a sensitive column demands at least l
different values in the class, or an exp of entropy of at least entropy-l. A target t
demands a distribution of values at most t from that of all people. The user's limit is
on the share of people in classes that miss a target.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..analysis.exposure.persons import Persons
from ..analysis.release_risks.k_l_t import class_diversity
from ..errors import DataError
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.values import UNKNOWN, numbers_of


@dataclass(frozen=True, slots=True)
class Targets:
    """The targets of a sensitive column for each equivalence class; None: no target.

    Attributes:
        l: least number of different values in a class.
        entropy_l: least exp of the entropy of the values in a class.
        t: largest distance of a class's distribution of values from that of all people, 0
            to 1.
        nominal: whether t treats numbers as categories, without order.
    """

    l: float | None = None
    entropy_l: float | None = None
    t: float | None = None
    nominal: bool = False


def column_numbers(texts: Sequence[str], missing: str) -> NDArray[np.float64] | None:
    """Return the number that each text states, nan for missing values; None if a text is no number.

    missing: the value of an empty cell.
    """
    unknown_texts = {text for text in texts if text in ("", missing) or text.casefold() in UNKNOWN}
    numbers = numbers_of([text for text in texts if text not in unknown_texts])
    if numbers is None:
        return None
    next_numbers = iter(numbers)
    return np.array([np.nan if text in unknown_texts else next(next_numbers) for text in texts])


class MissedTargets:
    """A test of which equivalence classes miss k, or a target (l, t) of a sensitive column."""

    def __init__(
        self, table: SourceTable, targets: Mapping[str, Targets], k: int, missing: str
    ) -> None:
        """Prepare the sensitive columns.

        targets: by name of the column. k: people in the smallest safe class. missing: the value
        of an empty cell.

        Raises:
            DataError: no generalization can reach a target, because all people as a single
                class miss it.
        """
        self.table, self.k, self.targets = table, k, dict(targets)
        self.persons = (
            None if table.persons is None else Persons.from_table(table.codes, table.persons)
        )
        self.numbers = {
            name: None if target.nominal else column_numbers(table.values[j], missing)
            for name, target in targets.items()
            for j in (table.columns.index(name),)
        }
        one_class = np.zeros(len(table.codes), np.int64)
        for name in targets:
            if self._missed(one_class, name).any():
                raise DataError(
                    f"{table.called}: column {name!r} of all people misses "
                    f"{targets_text(targets[name])}; a target that all people together reach is "
                    "accepted"
                )

    def people(self, classes: NDArray[np.int64]) -> int:
        """Return the number of people in equivalence classes that miss k or a target.

        classes: the class of each row, from 0.
        """
        rows = self.missed(classes)[classes]
        owner = self.table.persons
        return int(np.count_nonzero(rows) if owner is None else np.unique(owner[rows]).size)

    def missed(self, classes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask of the equivalence classes that miss k or a target.

        classes: the class of each row, from 0.
        """
        missed = self.table.people_by(classes, 0) < self.k
        for name in self.targets:
            missed |= self._missed(classes, name)
        return missed

    def _missed(self, classes: NDArray[np.int64], name: str) -> NDArray[np.bool_]:
        """Return a mask of the equivalence classes that miss a target of the column `name`.

        classes: the class of each row, from 0.
        """
        codes, target = self.table.codes, self.targets[name]
        j = self.table.columns.index(name)
        diversity = class_diversity(classes, codes[:, j], self.numbers[name], self.persons)
        missed = np.zeros(len(diversity.l), dtype=bool)
        if target.l is not None:
            missed |= diversity.l < target.l
        if target.entropy_l is not None:
            missed |= np.exp(diversity.entropy) < target.entropy_l - 1e-9
        if target.t is not None:
            missed |= diversity.t > target.t + 1e-9
        return missed


def targets_text(target: Targets) -> str:
    """Return the targets of a column in words, such as "l = 2, t = 0.3"."""
    parts = (("l", target.l), ("entropy-l", target.entropy_l), ("t", target.t))
    return ", ".join(f"{name} = {number:g}" for name, number in parts if number is not None)
