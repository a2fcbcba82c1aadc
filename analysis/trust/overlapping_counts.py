r"""How many labelled tables agree with counts that overlap: at most so many, along a chain of them.

Take counts over column sets C_1, C_2, ... such that the columns S_i that C_i shares with all before
it lie in one of those. Whoever has dealt people into the cells of C_1, then into the new columns of
C_2 within each cell of S_2, and so on, has

    multinomial(C_1)  x  product over i of  multinomial(C_i) / multinomial(S_i)

ways to do it (multinomial(S): the ways to deal n people into the cells of S): every labelled table
that agrees with these counts, and none twice. Counts that are not on the chain can only rule more
tables out. So the bits received are at least what the chain says, and exactly that if all that was
seen lies on it.

The inference of inference.py leaves statements out until what is left is solved; of tables of many
people a chain often keeps more.

A column that was masked is looked at with its masked values as one, `other`; behind it are as many
values as the mask does not name, or those that its own counts show.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log, log2
from typing import TYPE_CHECKING

from ...protocol.hiding import OTHER, Mask, Redact
from .fiber import log_multinomial

if TYPE_CHECKING:
    from ...protocol.record import CountsSeen

Cells = Mapping[tuple[str, ...], int]


def chained_bits(
    counted: "Sequence[CountsSeen]", sizes: Sequence[int], users: int
) -> tuple[float, bool] | None:
    """Bits received from counts of the same people, and whether that is exact (else at least).

    None where some were not counted, or values were left blank: then no chain can be followed.
    """
    if not of_everybody(counted, users):
        return None
    chain = _Chain.of(counted)
    left = chain.ways() + sum(
        users * log2(size) for column, size in enumerate(sizes) if column not in chain.covered
    )
    left += sum(behind(column, chain.said, counted, sizes) for column in chain.covered)
    return users * sum(log2(size) for size in sizes) - left, chain.complete


@dataclass(slots=True)
class _Chain:
    """Counts along a chain, with masked values as one.

    said: per masked column the values that everybody who asked has named.
    """

    counted: "Sequence[CountsSeen]"
    said: dict[int, frozenset[str]]
    links: list[tuple["CountsSeen", tuple[int, ...]]]  # with the columns shared with those before

    @classmethod
    def of(cls, counted: "Sequence[CountsSeen]") -> "_Chain":
        chain = cls(counted, named_by_all(counted), [])
        while link := chain.best():
            chain.links.append(link)
        return chain

    @property
    def covered(self) -> set[int]:
        """The columns of all links."""
        return {column for seen, _ in self.links for column in seen.columns}

    @property
    def complete(self) -> bool:
        """Whether every count that was seen follows from the links."""
        for seen in self.counted:
            holds = any(set(seen.columns) <= set(link.columns) for link, _ in self.links)
            masks = {r.column: frozenset(r.said) for r in seen.hidden if isinstance(r, Mask)}
            alike = all(masks.get(j) == self.said.get(j) for j in seen.columns)
            if not holds or not (alike or len(seen.columns) == 1):
                return False
        return True

    def best(self) -> "tuple[CountsSeen, tuple[int, ...]] | None":
        """The link that rules out most tables for each new column; None if nothing is new."""
        covered, options = self.covered, []
        for place, seen in enumerate(self.counted):
            shared = tuple(column for column in seen.columns if column in covered)
            if len(shared) == len(seen.columns):
                continue
            if shared and not any(set(shared) <= set(link.columns) for link, _ in self.links):
                continue
            new = len(seen.columns) - len(shared)
            ways = self._dealt(seen, seen.columns) - self._dealt(seen, shared)
            options.append((-new, ways / new, place, seen, shared))
        if not options:
            return None
        *_, seen, shared = min(options, key=lambda option: option[:3])
        return seen, shared

    def ways(self) -> float:
        """log2 of the tables that agree with the links, other being one value."""
        return fsum(
            self._dealt(seen, seen.columns) - self._dealt(seen, shared)
            for seen, shared in self.links
        )

    def _dealt(self, seen: "CountsSeen", columns: Sequence[int]) -> float:
        """log2 of the ways to deal people into the cells of some columns."""
        places = [(seen.columns.index(column), self.said.get(column)) for column in columns]
        cells: Counter[tuple[str, ...]] = Counter()
        for values, people in seen.counts.items():
            cell = (values[at] if s is None or values[at] in s else OTHER for at, s in places)
            cells[tuple(cell)] += people
        return log_multinomial(cells.values()) / log(2)


def of_everybody(counted: "Sequence[CountsSeen]", users: int) -> bool:
    """Whether everybody was counted in each, and no value was left blank."""
    return all(
        seen.people == users and not any(isinstance(r, Redact) for r in seen.hidden)
        for seen in counted
    )


def named_by_all(counted: "Sequence[CountsSeen]") -> dict[int, frozenset[str]]:
    """Per column that was ever masked, the values that all masks of it name."""
    said: dict[int, frozenset[str]] = {}
    for seen in counted:
        for rule in seen.hidden:
            if isinstance(rule, Mask) and rule.column in seen.columns:
                named = frozenset(rule.said)
                said[rule.column] = said.get(rule.column, named) & named
    return said


def behind(
    column: int,
    said: Mapping[int, frozenset[str]],
    counted: "Sequence[CountsSeen]",
    sizes: Sequence[int],
) -> float:
    """log2 of the ways in which the people who say other may have the values behind it."""
    if column not in said:
        return 0.0
    for seen in counted:
        if seen.columns == (column,) and not seen.hidden:
            behind = [n for (value,), n in seen.counts.items() if value not in said[column]]
            return log_multinomial(behind) / log(2)
    others = max(
        sum(n for values, n in seen.counts.items() if values[at] not in said[column])
        for seen in counted
        if column in seen.columns
        for at in (seen.columns.index(column),)
    )
    return others * log2(max(sizes[column] - len(said[column]), 1))
