"""Upper bound on the labelled tables consistent with overlapping counts, along a chain of counts.

A labelled table has a row for each named person. Take counts over column sets C_1, C_2, ... such
that the columns S_i that C_i shares with all earlier sets lie in a single earlier set: a chain.
Deal people into the cells of C_1, then into the new columns of C_2 within each cell of S_2, and so
on. There are

    multinomial(C_1)  x  product over i of  multinomial(C_i) / multinomial(S_i)

ways (multinomial(S): the ways to deal n people into the cells of S). They give every labelled table
that is consistent with these counts, and each table once. Counts outside the chain can only rule
out more tables. So the chain gives a lower bound on the leaked bits; it is exact if all counts of
the view follow from the chain.

The inference of inference.py leaves statements out until a closed form remains; for tables of many
people a chain often uses more of the statements.

A rule may mask values of a column, so that people report `other`. All masked values of a column are
counted as one value. Each person counted as `other` then has one of the masked values: any of them,
or, if the column was counted alone without a mask, as in that count.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log, log2
from typing import TYPE_CHECKING

from ...protocol.wire.hiding_rules import OTHER_VALUE, Mask, Redact
from .fiber import log_multinomial

if TYPE_CHECKING:
    from ...protocol.knowledge.run_record import CountsSeen


def chained_bits(
    counted: "Sequence[CountsSeen]", sizes: Sequence[int], users: int
) -> tuple[float, bool] | None:
    """Return the bits that counts of the same people leak about all rows; whether they are exact.

    Bits that are not exact are a lower bound. None if a table counts fewer people, or values were
    suppressed.

    counted: the counts that were read. sizes: number of values of each column. users: number of
    people.
    """
    if not counts_all_users(counted, users):
        return None
    chain = _Chain.from_counts(counted)
    remaining_bits = chain.ways() + sum(
        users * log2(size) for column, size in enumerate(sizes) if column not in chain.covered
    )
    remaining_bits += sum(
        behind(column, chain.named_values, counted, sizes) for column in chain.covered
    )
    return users * sum(log2(size) for size in sizes) - remaining_bits, chain.complete


@dataclass(slots=True)
class _Chain:
    """A chain of counts, each of which shares columns with a single earlier count.

    The columns that a count shares with all earlier counts lie in this earlier count. The chain
    bounds the number of tables consistent with the counts. Values that a rule masks count as one
    value, `other`.

    Attributes:
        counted: all counts of the view.
        named_values: per masked column, the values that no rule masks.
        links: the counts of the chain, each with the columns it shares with earlier counts.
    """

    counted: "Sequence[CountsSeen]"
    named_values: dict[int, frozenset[str]]
    # the counts in the order of the chain, each with the columns that it shares with earlier counts
    links: list[tuple["CountsSeen", tuple[int, ...]]]

    @classmethod
    def from_counts(cls, all_counts: "Sequence[CountsSeen]") -> "_Chain":
        """Build a chain greedily from a view's counts, to bound the tables consistent with them.

        In a chain, the columns that a count shares with earlier counts lie in one earlier count.
        """
        chain = cls(all_counts, named_by_all(all_counts), [])
        while link := chain.best():
            chain.links.append(link)
        return chain

    @property
    def covered(self) -> set[int]:
        """The columns of the counts that were chosen for the chain, all together."""
        return {column for link, _ in self.links for column in link.columns}

    @property
    def complete(self) -> bool:
        """Whether every count of the view follows from the counts chosen for the chain."""
        for counts_seen in self.counted:
            is_linked = any(set(counts_seen.columns) <= set(link.columns) for link, _ in self.links)
            masks = {
                r.column: frozenset(r.named_values)
                for r in counts_seen.hidden
                if isinstance(r, Mask)
            }
            has_same_masks = all(
                masks.get(j) == self.named_values.get(j) for j in counts_seen.columns
            )
            if not is_linked or not (has_same_masks or len(counts_seen.columns) == 1):
                return False
        return True

    def best(self) -> "tuple[CountsSeen, tuple[int, ...]] | None":
        """Return the next count for the chain with the columns it shares; None if no count fits.

        A count fits if it has new columns, and the columns that it shares with the chain lie in one
        earlier count. The best count has most new columns, then the smallest log2 of tables per new
        column.
        """
        covered, options = self.covered, []
        for place, counts_seen in enumerate(self.counted):
            shared = tuple(column for column in counts_seen.columns if column in covered)
            if len(shared) == len(counts_seen.columns):
                continue
            if shared and not any(set(shared) <= set(link.columns) for link, _ in self.links):
                continue
            new = len(counts_seen.columns) - len(shared)
            ways = self._dealt(counts_seen, counts_seen.columns) - self._dealt(counts_seen, shared)
            options.append((-new, ways / new, place, counts_seen, shared))
        if not options:
            return None
        *_, counts_seen, shared = min(options, key=lambda option: option[:3])
        return counts_seen, shared

    def ways(self) -> float:
        """Return log2 of the number of tables consistent with the counts chosen for the chain.

        All masked values of a column count as one value, `other`.
        """
        return fsum(
            self._dealt(counts_seen, counts_seen.columns) - self._dealt(counts_seen, shared)
            for counts_seen, shared in self.links
        )

    def _dealt(self, counts_seen: "CountsSeen", columns: Sequence[int]) -> float:
        """Return log2 of the ways to deal people into the cells of some columns of a count.

        All masked values of a column count as one value, `other`.
        """
        places = [
            (counts_seen.columns.index(column), self.named_values.get(column)) for column in columns
        ]
        cells: Counter[tuple[str, ...]] = Counter()
        for values, people in counts_seen.counts.items():
            cell = (values[at] if s is None or values[at] in s else OTHER_VALUE for at, s in places)
            cells[tuple(cell)] += people
        return log_multinomial(cells.values()) / log(2)


def counts_all_users(counted: "Sequence[CountsSeen]", users: int) -> bool:
    """Whether every count includes all users and has no suppressed value."""
    return all(
        counts_seen.people == users and not any(isinstance(r, Redact) for r in counts_seen.hidden)
        for counts_seen in counted
    )


def named_by_all(counted: "Sequence[CountsSeen]") -> dict[int, frozenset[str]]:
    """Return, per masked column, the values that no rule masks.

    People report these values by name, not as `other`.
    """
    named_values: dict[int, frozenset[str]] = {}
    for counts_seen in counted:
        for rule in counts_seen.hidden:
            if isinstance(rule, Mask) and rule.column in counts_seen.columns:
                mask_values = frozenset(rule.named_values)
                named_values[rule.column] = named_values.get(rule.column, mask_values) & mask_values
    return named_values


def behind(
    column: int,
    named_values: Mapping[int, frozenset[str]],
    counted: "Sequence[CountsSeen]",
    sizes: Sequence[int],
) -> float:
    """Return log2 of the ways to assign a masked value to each person counted as `other`.

    named_values: per masked column, the values that no rule masks. counted: the counts that were
    read. sizes: number of values of each column.
    """
    if column not in named_values:
        return 0.0
    for counts_seen in counted:
        if counts_seen.columns == (column,) and not counts_seen.hidden:
            hidden_counts = [
                n for (value,), n in counts_seen.counts.items() if value not in named_values[column]
            ]
            return log_multinomial(hidden_counts) / log(2)
    hidden_people = max(
        sum(n for values, n in counts_seen.counts.items() if values[at] not in named_values[column])
        for counts_seen in counted
        if column in counts_seen.columns
        for at in (counts_seen.columns.index(column),)
    )
    return hidden_people * log2(max(sizes[column] - len(named_values[column]), 1))
