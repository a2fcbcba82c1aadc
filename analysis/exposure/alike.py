"""People of a release who are alike: a value that everybody has, or that follows from another.

Large crowds hide which row is a person's, and not what they agree on. From the released cells:

    unanimous   a column in which all people have one value v: v is known of each of them
    follows     columns a, b and a value v: all people with v in a have one value w in b, so to know
                v of a person is to know w ("homogeneity"; l-diversity of 1 in the crowds of a)

A hidden value is no value: nothing follows of a column from a person's blank, and a column with
blanks tells nothing of who has v, since some who have it may have left it blank.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

Cell = tuple[str, ...]
Cells = Mapping[Cell, int]  # people by combination


@dataclass(frozen=True, slots=True)
class Follows:
    """A value that all people share who have another.

    Attributes:
        known: column, by place, and value that are known of a person.
        learnt: column and value that follow.
        people: who have both.
    """

    known: tuple[int, str]
    learnt: tuple[int, str]
    people: int


@dataclass(frozen=True, slots=True)
class Alike:
    """What the cells of a release tell without anybody being found.

    Attributes:
        people: in the release.
        columns: released.
        unanimous: columns, by place, with the value that everybody has there.
        followers: people of whom one released value follows from another, in a column on which not
            everybody agrees.
        widest: the rule of this kind that is about most people; None: there is none.
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


def alike(cells: Cells, hidden: Collection[str] = ()) -> Alike:
    """Return what the cells of a release tell of people who are alike.

    Args:
        cells: people by combination of values, at least 0 each.
        hidden: spellings of values that are not said.
    """
    held = {cell: people for cell, people in cells.items() if people}
    width = len(next(iter(held), ()))
    values = [Counter[str]() for _ in range(width)]
    for cell, people in held.items():
        for count, value in zip(values, cell, strict=True):
            count[value] += people
    same = tuple(
        (place, value)
        for place, count in enumerate(values)
        for value in count
        if len(count) == 1 and value not in hidden
    )
    varied = [place for place in range(width) if len(values[place]) > 1]
    plain = [place for place in varied if not set(values[place]) & set(hidden)]
    rules = list(_rules(held, plain, varied, hidden))
    known = {rule.known for rule in rules}
    followers = sum(
        people for cell, people in held.items() if any((a, cell[a]) in known for a in plain)
    )
    widest = max(rules, key=lambda rule: rule.people, default=None)
    return Alike(sum(held.values()), width, same, followers, widest)


def _rules(
    held: Cells, plain: Iterable[int], varied: Iterable[int], hidden: Collection[str]
) -> Iterator[Follows]:
    """Every value of a column without blanks with which one value of another column goes."""
    columns = list(varied)
    for a in plain:
        people: Counter[str] = Counter()
        for cell, number in held.items():
            people[cell[a]] += number
        for b in (column for column in columns if column != a):
            follows: dict[str, str | None] = {}  # None: several values go with it
            for cell in held:
                if follows.setdefault(cell[a], cell[b]) != cell[b]:
                    follows[cell[a]] = None
            for value, learnt in follows.items():
                if learnt is not None and learnt not in hidden:
                    yield Follows((a, value), (b, learnt), people[value])
