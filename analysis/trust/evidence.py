"""What a coalition knows of a table, as plain numbers: the one form that inference starts from.

A table gives n people one value in each of d columns. A prior says how likely every table is: each
cell is drawn by itself, column j by its law p_j. With uniform laws all labelled tables are equally
likely; with the shares of the population, its marginals are common knowledge.

Evidence says which of these tables are still possible, in three kinds of statement:

    known, allowed   of the people of one crowd: these are their values, or theirs is one of these
    counts           so many of the people of these crowds hold each combination of some columns,
                     or of what they say instead (labels): "other" for all values not named
    revealed         of a crowd: the coalition knows everybody's value, though none is recorded

A crowd is a set of people of whom a coalition knows the same; nothing tells its people apart. Any
other kind of leak becomes evidence by being written in these words: a length is a set of allowed
cells, a person who stayed away is a crowd of one that the second count leaves out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose

from ...errors import ParameterError

Cell = tuple[int, ...]
Law = tuple[float, ...]
Labels = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AllowedCells:
    """The row of each person of a crowd, cut down to some columns, is one of these cells.

    Attributes:
        columns: by number, ascending.
        cells: states, one a column.
    """

    columns: tuple[int, ...]
    cells: frozenset[Cell]


@dataclass(frozen=True, slots=True)
class Crowd:
    """People of whom the same is known.

    Attributes:
        people: how many.
        known: column and value, by column.
        allowed: cells of some columns that their rows may be in.
        revealed: columns in which covers are told from values.
        linked: something was pinned on each of them.
        own: they are members of the coalition, whose own rows are no discovery.
    """

    people: int
    known: tuple[tuple[int, int], ...] = ()  # column, value; by column
    allowed: tuple[AllowedCells, ...] = ()
    revealed: frozenset[int] = frozenset()
    linked: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """People of some crowds (their places in the evidence), counted by their cells.

    Attributes:
        columns: by number, ascending.
        counts: people of each cell.
        crowds: places in the evidence.
        labels: per column, what was counted of each state: labels[j][state]; (): the states
            themselves.
    """

    columns: tuple[int, ...]
    counts: Mapping[Cell, int]
    crowds: frozenset[int]
    labels: tuple[Labels, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known. laws[j][s]: prior share of state s in column j.

    A state is a value, unless `values` is given: then values[j][s] is the value of a state, so that
    one value may have several (held and said, held and left blank), which only labels tell apart.

    Attributes:
        laws: laws[j][s]: prior share of state s in column j.
        crowds: people, by what is known of them.
        groups: what was counted of people of several crowds.
        pools: crowds among which nobody can say who is in which (somebody stayed away, and the
            coalition knows how many, not who). A crowd in no pool is told apart from all others.
            Raises ParameterError where a statement is about nobody, or about values that are not
            there.
        values: values[j][s]: the value of a state; (): each state is a value.
    """

    laws: tuple[Law, ...]
    crowds: tuple[Crowd, ...]
    groups: tuple[Group, ...] = ()
    pools: tuple[frozenset[int], ...] = ()
    values: tuple[Labels, ...] = ()

    def __post_init__(self) -> None:
        for column, law in enumerate(self.laws):
            if not law or min(law) < 0 or not isclose(sum(law), 1, abs_tol=1e-9):
                raise ParameterError(f"laws[{column}]: shares that sum to 1 are expected")
        for place, group in enumerate(self.groups):
            if not group.crowds <= set(range(len(self.crowds))):
                raise ParameterError(f"groups[{place}]: a crowd that is not there")
            if any(len(cell) != len(group.columns) for cell in group.counts):
                raise ParameterError(f"groups[{place}]: a cell has a value for every column")
            people = sum(self.crowds[crowd].people for crowd in group.crowds)
            if sum(group.counts.values()) != people:
                counted = sum(group.counts.values())
                raise ParameterError(f"groups[{place}]: {counted} counted of {people} people")

    @property
    def users(self) -> int:
        """How many people the evidence is about."""
        return sum(crowd.people for crowd in self.crowds)

    @property
    def shares(self) -> tuple[Law, ...]:
        """The prior share of every value of every column."""
        return self.laws if not self.values else self._shares

    @property
    def _shares(self) -> tuple[Law, ...]:
        laws = []
        for law, values in zip(self.laws, self.values, strict=True):
            shares = [0.0] * (1 + max(values))
            for share, value in zip(law, values, strict=True):
                shares[value] += share
            laws.append(tuple(shares))
        return tuple(laws)

    @property
    def coined(self) -> frozenset[int]:
        """The columns in which one value has several states: what they tell apart is a coin."""
        return frozenset(
            column for column, held in enumerate(self.values) if len(set(held)) < len(held)
        )

    def held(self, columns: Sequence[int], cell: Cell) -> Cell:
        """The values behind the states of some columns."""
        if not self.values:
            return cell
        return tuple(self.values[column][s] for column, s in zip(columns, cell, strict=True))

    def pool_of(self, crowd: int) -> frozenset[int]:
        """The crowds that this one is not told apart from, itself among them."""
        return next((pool for pool in self.pools if crowd in pool), frozenset({crowd}))


def uniform(sizes: Sequence[int]) -> tuple[Law, ...]:
    """The laws under which all labelled tables are equally likely."""
    return tuple((1 / size,) * size for size in sizes)


@dataclass(slots=True)
class Count:
    """Counts still to be explained, and the crowds among whose people they are spread.

    Attributes:
        columns: by number, ascending.
        left: people of each cell who are not explained yet.
        crowds: their places in the evidence.
        labels: per column, what was counted of each state; (): the states themselves.
    """

    columns: tuple[int, ...]
    left: dict[Cell, int]
    crowds: set[int]
    labels: tuple[Labels, ...] = ()

    def label(self, place: int, state: int) -> int:
        """What is counted of a state of one of the columns."""
        return self.labels[place][state] if self.labels else state

    def cell(self, states: Sequence[int]) -> Cell:
        """What is counted of these states of the columns."""
        return tuple(self.label(place, state) for place, state in enumerate(states))

    def take(self, cells: Mapping[Cell, int], crowds: Iterable[int]) -> None:
        """Subtract people whose cells are known. ParameterError if they were not all counted."""
        for cell, people in cells.items():
            rest = self.left.get(cell, 0) - people
            if rest < 0:
                raise ParameterError(f"{people} people of {cell} are known, and fewer were counted")
            self.left[cell] = rest
        self.left = {cell: people for cell, people in self.left.items() if people}
        self.crowds -= set(crowds)


def simplified(evidence: Evidence) -> list[Count]:
    """Say the same with fewer counts: what is known is taken out of them, repeats fall away.

    A crowd whose cells are known leaves the counts it is in. Counts of fewer people over more
    columns are taken out of wider ones over some of these columns: so the marginals of the first
    round less those of the release are the marginals of who left.
    """
    counts = [
        Count(
            group.columns,
            {cell: people for cell, people in group.counts.items() if people},
            set(group.crowds),
            group.labels,
        )
        for group in evidence.groups
    ]
    for count in counts:
        for place in sorted(count.crowds):
            crowd = evidence.crowds[place]
            cell = known_cell(crowd, count)
            if cell is not None:
                count.take({cell: crowd.people}, [place])
    counts.sort(key=lambda count: -len(count.columns))
    while _subtract_one(counts):
        counts = [count for count in counts if count.crowds]
    return [count for count in counts if count.crowds]


def _subtract_one(counts: list[Count]) -> bool:
    """Take one count out of another that holds it; False if there is none left."""
    for inner in counts:
        for outer in counts:
            if (
                inner is not outer
                and inner.crowds
                and inner.crowds <= outer.crowds
                and set(outer.columns) <= set(inner.columns)
            ):
                cells = _as_said(inner, outer)
                if cells is not None:
                    outer.take(cells, inner.crowds)
                    return True
    return False


def _as_said(inner: Count, outer: Count) -> dict[Cell, int] | None:
    """Counts as another count of fewer columns has them; None if their labels do not tell."""
    places = [inner.columns.index(column) for column in outer.columns]
    said = [_translation(inner, place, outer, at) for at, place in enumerate(places)]
    cells: dict[Cell, int] = {}
    for cell, people in projected(inner.left, places).items():
        translated = []
        for translation, label in zip(said, cell, strict=True):
            if translation is None:
                return None
            translated.append(translation.get(label, label))
        key = tuple(translated)
        cells[key] = cells.get(key, 0) + people
    return cells


def known_cell(crowd: Crowd, count: Count) -> Cell | None:
    """What is counted of everybody in a crowd, if that is known; else None."""
    known = {column: {state} for column, state in crowd.known}
    for some in crowd.allowed:
        if len(some.columns) == 1:
            states = {cell[0] for cell in some.cells}
            known[some.columns[0]] = known.get(some.columns[0], states) & states
    cell: list[int] = []
    for place, column in enumerate(count.columns):
        labels = {count.label(place, state) for state in known.get(column, ())}
        if len(labels) != 1:
            return None
        cell += labels
    return tuple(cell)


def _translation(inner: Count, place: int, outer: Count, at: int) -> dict[int, int] | None:
    """What the outer count says of each label of the inner one; None if that is not one thing.

    An empty translation leaves labels as they are.
    """
    if not inner.labels:
        return dict(enumerate(outer.labels[at])) if outer.labels else {}
    if outer.labels and inner.labels[place] == outer.labels[at]:
        return {}
    translation: dict[int, int] = {}
    for state, label in enumerate(inner.labels[place]):
        if translation.setdefault(label, outer.label(at, state)) != outer.label(at, state):
            return None
    return translation


def projected(counts: Mapping[Cell, int], places: Sequence[int]) -> dict[Cell, int]:
    """Counts over fewer columns."""
    cells: dict[Cell, int] = {}
    for cell, people in counts.items():
        shorter = tuple(cell[place] for place in places)
        cells[shorter] = cells.get(shorter, 0) + people
    return cells


@dataclass(slots=True)
class Component:
    """Columns of crowds tied together by counts, and by nothing to any other.

    The prior is a product over people and columns, so what is known of one component says nothing
    about another.

    Attributes:
        columns: per crowd, its columns in here, ascending.
        counts: still to be explained.
    """

    columns: dict[int, tuple[int, ...]]
    counts: list[Count]


def components(evidence: Evidence, counts: Sequence[Count]) -> list[Component]:
    """Cut the evidence into pieces that say nothing about each other."""
    parent: dict[tuple[int, int], tuple[int, int]] = {}

    def root(node: tuple[int, int]) -> tuple[int, int]:
        while parent.setdefault(node, node) != node:
            parent[node] = parent.setdefault(parent[node], parent[node])
            node = parent[node]
        return node

    nodes = [
        (crowd, column)
        for crowd, about in enumerate(evidence.crowds)
        for column in range(len(evidence.laws))
        if column not in about.revealed
    ]
    for count in counts:
        ties = [(crowd, column) for crowd in sorted(count.crowds) for column in count.columns]
        for first, other in pairwise(ties):
            parent[root(first)] = root(other)
    for crowd, about in enumerate(evidence.crowds):
        for some in about.allowed:
            for column, next_column in pairwise(some.columns):
                parent[root((crowd, column))] = root((crowd, next_column))
    pieces: dict[tuple[int, int], dict[int, list[int]]] = {}
    for crowd, column in nodes:
        pieces.setdefault(root((crowd, column)), {}).setdefault(crowd, []).append(column)
    components = {
        at: Component({crowd: tuple(some) for crowd, some in piece.items()}, [])
        for at, piece in pieces.items()
    }
    for count in counts:
        components[root((min(count.crowds), count.columns[0]))].counts.append(count)
    return list(components.values())
