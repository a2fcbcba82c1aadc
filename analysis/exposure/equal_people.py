"""Values that a release reveals of people without identifying them.

Large crowds hide the rows of people, and not their common values. From the released cells:

    unanimous   a column in which all people have one value v: v is known of each of them
    follows     columns a, b and a value v: all people with v in a have one value w in b, so w is
                known of a person with known v ("homogeneity"; l-diversity of 1 in the crowds of a)

A hidden (suppressed) value is no value: a person's blank in a column gives no rule for it, and a
column with blanks gives no rule from v, since some people with v may have left it blank.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

Cell = tuple[str, ...]
Cells = Mapping[Cell, int]  # people by combination of values


@dataclass(frozen=True, slots=True)
class Follows:
    """A rule in a release: all people with one value also have another.

    Attributes:
        known_value: column, by place, and value that are known of a person.
        learnt: column, by place, and value that follow.
        people: people with both.
    """

    known_value: tuple[int, str]
    learnt: tuple[int, str]
    people: int


@dataclass(frozen=True, slots=True)
class SharedValues:
    """Values that the cells of a release reveal of people without identifying them.

    Attributes:
        people: number of people in the release.
        columns: number of released columns.
        unanimous: columns, by place, with the value common to all people.
        followers: people with a released value that follows from another value of theirs, in a
            column whose value is not common to all people.
        widest: the rule ("all people with one value also have another") that applies to most
            people;
            None without a rule.
    """

    people: int
    columns: int
    unanimous: tuple[tuple[int, str], ...]
    followers: int
    widest: Follows | None

    @property
    def is_whole(self) -> bool:
        """Whether all people are in one cell of the release."""
        return 0 < self.columns == len(self.unanimous)


def shared_values(cells: Cells, hidden: Collection[str] = ()) -> SharedValues:
    """Return the common and dependent values in the cells of a release.

    Args:
        cells: people by combination of values, at least 0 each.
        hidden: spellings of hidden values.
    """
    occupied = {cell: people for cell, people in cells.items() if people}
    width = len(next(iter(occupied), ()))
    values = [Counter[str]() for _ in range(width)]
    for cell, people in occupied.items():
        for count, value in zip(values, cell, strict=True):
            count[value] += people
    equal_columns = tuple(
        (place, value)
        for place, count in enumerate(values)
        for value in count
        if len(count) == 1 and value not in hidden
    )
    varied = [place for place in range(width) if len(values[place]) > 1]
    plain = [place for place in varied if not set(values[place]) & set(hidden)]
    rules = list(_rules(occupied, plain, varied, hidden))
    known_values = {rule.known_value for rule in rules}
    followers = sum(
        people
        for cell, people in occupied.items()
        if any((a, cell[a]) in known_values for a in plain)
    )
    widest = max(rules, key=lambda rule: rule.people, default=None)
    return SharedValues(sum(occupied.values()), width, equal_columns, followers, widest)


def _rules(
    occupied: Cells, plain: Iterable[int], varied: Iterable[int], hidden_values: Collection[str]
) -> Iterator[Follows]:
    """Yield a rule for every value that goes with a single value of another column.

    Args:
        occupied: people by combination of values, above 0 each.
        plain: columns, by place, with several values and without blanks.
        varied: columns, by place, with several values.
        hidden_values: spellings of blanks.
    """
    columns = list(varied)
    for a in plain:
        people: Counter[str] = Counter()
        for cell, number in occupied.items():
            people[cell[a]] += number
        for b in (column for column in columns if column != a):
            # for each value in column a, the only value in column b beside it; None: several occur
            follows: dict[str, str | None] = {}
            for cell in occupied:
                if follows.setdefault(cell[a], cell[b]) != cell[b]:
                    follows[cell[a]] = None
            for value, learnt in follows.items():
                if learnt is not None and learnt not in hidden_values:
                    yield Follows((a, value), (b, learnt), people[value])
