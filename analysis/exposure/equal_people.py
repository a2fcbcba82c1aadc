"""Values that a release reveals about people even if their rows cannot be identified.

A large crowd hides the row of each person, but not a value that all its people have. From the
released cells (people by combination of values) two cases are found:

    unanimous   a column in which all people have one value v: v is known of each person
    follows     columns a, b and a value v: all people with v in a have one value w in b. So an
                attacker that knows v of a person learns w. ("Homogeneity": the people with v have
                l-diversity 1 in column b.)

A suppressed value is no value, so it cannot be the value w of a rule. A column a with suppressed
values gives no rules, because further people with v may have suppressed it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

Cell = tuple[str, ...]
Cells = Mapping[Cell, int]  # number of people with each combination of values


@dataclass(frozen=True, slots=True)
class Follows:
    """A rule in a release: all people with one value also have a certain value in another column.

    Attributes:
        known_value: position of a column, and a value in it that is known of a person.
        learnt: position of the other column, and the value that follows.
        people: number of people with both values.
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
        unanimous: position and value of each column in which all people have one value.
        followers: people with a value that follows from another of their values, in a column in
            which not all people have one value.
        widest: the rule ("all people with one value also have a certain other value") that applies
            to most people; None without a rule.
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
    """Return the values that the cells of a release reveal: common to all people, or by a rule.

    A rule says that all people with one value also have a certain value in another column.

    Args:
        cells: people by combination of values, at least 0 each.
        hidden: spellings that stand for suppressed values.
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
    """Yield a rule for every value of a column whose people have a single value in another column.

    Args:
        occupied: people by combination of values, above 0 each.
        plain: positions of the columns with several values and no suppressed value.
        varied: positions of the columns with several values.
        hidden_values: spellings that stand for suppressed values.
    """
    columns = list(varied)
    for a in plain:
        people: Counter[str] = Counter()
        for cell, number in occupied.items():
            people[cell[a]] += number
        for b in (column for column in columns if column != a):
            # for each value in column a, the only value that its people have in column b; None if
            # these people have several values there
            follows: dict[str, str | None] = {}
            for cell in occupied:
                if follows.setdefault(cell[a], cell[b]) != cell[b]:
                    follows[cell[a]] = None
            for value, learnt in follows.items():
                if learnt is not None and learnt not in hidden_values:
                    yield Follows((a, value), (b, learnt), people[value])
