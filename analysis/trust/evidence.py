"""The knowledge of a coalition about a table as plain numbers: the input of inference.

A table gives n people one value in each of d columns. A prior gives the probability of every table:
each cell is drawn independently, column j by its distribution p_j. With uniform distributions all
labelled tables (a row for each named person) are equally likely. If p_j has the shares of the
population, its marginals are common knowledge.

A crowd is a set of people with equal evidence. Evidence restricts the tables by statements of three
kinds:

    known, allowed   the people of a crowd have these values, or values in a set
    counts           numbers of people of some crowds with each combination of values of some
                     columns; a label such as "other" may stand for several values
    revealed         the coalition knows the value of each person of a crowd, but it is not recorded

Other kinds of leakage are expressed in these statements. A message length is a set of allowed
cells. A person absent from round 2 is a crowd of size 1 outside the count of round 2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose

from ...deprecated import keeps_old
from ...errors import ParameterError

Cell = tuple[int, ...]
Law = tuple[float, ...]
Labels = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AllowedCells:
    """A statement about a crowd (people with equal evidence): their values are among these cells.

    Attributes:
        columns: column numbers, ascending.
        cells: allowed combinations, each with a state for every column: the code of a value,
            together with the information whether it is reported or suppressed.
    """

    columns: tuple[int, ...]
    cells: frozenset[Cell]


@keeps_old(known="known_values", own="is_member")
@dataclass(frozen=True, slots=True)
class Crowd:
    """People with equal evidence in a coalition's view, and this evidence.

    Attributes:
        people: number of these people.
        known_values: pairs of a column and its known value (or state: a value, reported or
            suppressed), by column.
        allowed: restrictions of the people's values to some cells.
        revealed: columns in which the coalition knows each person's value, though it is not
            recorded here.
        linked: whether a value is linked to each of the people by name.
        is_member: whether the people are members of the coalition, for which their own rows are not
            news.
    """

    people: int
    # columns whose value the coalition knows: (column, value), ascending
    known_values: tuple[tuple[int, int], ...] = ()
    allowed: tuple[AllowedCells, ...] = ()
    revealed: frozenset[int] = frozenset()
    linked: bool = False
    is_member: bool = False


@dataclass(frozen=True, slots=True)
class CrowdCount:
    """A count that the coalition knows: people of some crowds (people with equal evidence) by cell.

    A state is a value, reported or suppressed. A label is the code of the reported text: a value,
    "other" or "suppressed".

    Attributes:
        columns: column numbers, ascending.
        counts: people in each cell, a combination of labels of the columns.
        crowds: the counted crowds, as indices in `Evidence.crowds`.
        labels: labels[j][state]: label that people in this state report for the j-th of these
            columns; (): each state is its own label.
    """

    columns: tuple[int, ...]
    counts: Mapping[Cell, int]
    crowds: frozenset[int]
    labels: tuple[Labels, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The statements about a table that a coalition's view implies, with the prior.

    A state is a value with its way of reporting. If `values` is empty, states are values. Otherwise
    a value that may be suppressed at random has two states, reported and suppressed.

    Attributes:
        laws: laws[j][s]: prior share of state s in column j.
        crowds: the people, divided into sets with equal evidence.
        groups: counts of the people of several crowds.
        pools: sets of crowds that the coalition cannot distinguish: it knows how many people were
            absent, but not their names. A crowd in no pool is distinguished from all other crowds.
        values: values[j][s]: the value of state s in column j; (): each state is a value.

    Raises:
        ParameterError: a prior does not sum to 1, or a group names an unknown crowd, has cells of a
            wrong length, or counts another number of people than the crowds' size.
    """

    laws: tuple[Law, ...]
    crowds: tuple[Crowd, ...]
    groups: tuple[CrowdCount, ...] = ()
    pools: tuple[frozenset[int], ...] = ()
    values: tuple[Labels, ...] = ()

    def __post_init__(self) -> None:
        """Raise a ParameterError if a prior or a count is invalid."""
        for column, law in enumerate(self.laws):
            if not law or min(law) < 0 or not isclose(sum(law), 1, abs_tol=1e-9):
                raise ParameterError(
                    f"laws[{column}]: shares of at least 0 that sum to 1 are accepted"
                )
        for place, group in enumerate(self.groups):
            if not group.crowds <= set(range(len(self.crowds))):
                raise ParameterError(
                    f"groups[{place}]: unknown crowd index; found {sorted(group.crowds)}, "
                    f"0 to {len(self.crowds) - 1} are accepted"
                )
            if any(len(cell) != len(group.columns) for cell in group.counts):
                raise ParameterError(
                    f"groups[{place}]: a cell of another length; a value for each column is needed"
                )
            people = sum(self.crowds[crowd].people for crowd in group.crowds)
            if sum(group.counts.values()) != people:
                total = sum(group.counts.values())
                raise ParameterError(
                    f"groups[{place}]: counts sum to {total}, but its crowds have {people} people"
                )

    @property
    def users(self) -> int:
        """Number of people in the evidence."""
        return sum(crowd.people for crowd in self.crowds)

    @property
    def shares(self) -> tuple[Law, ...]:
        """The prior share of every value of every column."""
        return self.laws if not self.values else self._shares

    @property
    def _shares(self) -> tuple[Law, ...]:
        """The prior share of each value: a sum over its states (reported, suppressed)."""
        laws = []
        for law, values in zip(self.laws, self.values, strict=True):
            shares = [0.0] * (1 + max(values))
            for share, value in zip(law, values, strict=True):
                shares[value] += share
            laws.append(tuple(shares))
        return tuple(laws)

    @property
    def coined(self) -> frozenset[int]:
        """The columns in which a value may be suppressed at random.

        Such a value has two states, reported and suppressed.
        """
        return frozenset(
            column for column, codes in enumerate(self.values) if len(set(codes)) < len(codes)
        )

    def state_values(self, columns: Sequence[int], cell: Cell) -> Cell:
        """Return the values of a cell of states, without the way of reporting.

        A state is a value, reported or suppressed. cell: a state for each of the columns.
        """
        if not self.values:
            return cell
        return tuple(self.values[column][s] for column, s in zip(columns, cell, strict=True))

    def pool_of(self, crowd: int) -> frozenset[int]:
        """Return the crowds that the coalition cannot distinguish from this crowd, itself included.

        A crowd is the people with equal evidence.
        """
        return next((pool for pool in self.pools if crowd in pool), frozenset({crowd}))


def uniform(sizes: Sequence[int]) -> tuple[Law, ...]:
    """Return the priors under which all labelled tables are equally likely.

    A labelled table has a row for each named person. `sizes`: number of values of each column.
    """
    return tuple((1 / size,) * size for size in sizes)


@dataclass(slots=True)
class OpenCount:
    """A count during simplification: the people not yet explained by known values or other counts.

    A state is a value, reported or suppressed. A label is the code of the reported text: a value,
    "other" or "suppressed".

    Attributes:
        columns: column numbers, ascending.
        unexplained: people of each cell that are not explained yet.
        crowds: the sets of people with equal evidence that hold these people, as indices in
            `Evidence.crowds`.
        labels: labels[place][state]: label that people in this state report for the column at this
            place of `columns`; (): each state is its own label.
    """

    columns: tuple[int, ...]
    unexplained: dict[Cell, int]
    crowds: set[int]
    labels: tuple[Labels, ...] = ()

    def label(self, place: int, state: int) -> int:
        """Return the label under which the count includes people in a state of a column.

        A state is a value, reported or suppressed; a label is the code of the reported text. place:
        index of the column in `columns`.
        """
        return self.labels[place][state] if self.labels else state

    def cell(self, states: Sequence[int]) -> Cell:
        """Return the cell in which the count includes people in these states, one for each column.

        A state is a value, reported or suppressed. The cell holds labels, the codes of the reported
        texts.
        """
        return tuple(self.label(place, state) for place, state in enumerate(states))

    def subtract_people(self, cells: Mapping[Cell, int], crowds: Iterable[int]) -> None:
        """Subtract people with known cells from the unexplained people.

        cells: number of people to subtract from each cell. crowds: the sets of people with equal
        evidence to which these people belong; the count no longer includes these sets.

        Raises:
            ParameterError: more people are known than were counted.
        """
        for cell, people in cells.items():
            rest = self.unexplained.get(cell, 0) - people
            if rest < 0:
                raise ParameterError(
                    f"{people} people are known to be in cell {cell}, but fewer were counted in it"
                )
            self.unexplained[cell] = rest
        self.unexplained = {cell: people for cell, people in self.unexplained.items() if people}
        self.crowds -= set(crowds)


def simplified(evidence: Evidence) -> list[OpenCount]:
    """Return the counts of the evidence, reduced to people of unknown cells.

    People with known cells are subtracted from every count that holds them. If a count includes
    some of the people of a second count, the first is subtracted from the second. For example, the
    marginals of round 1 less the marginals of the release are the marginals of the dropouts.

    Raises:
        ParameterError: more people are known than were counted.
    """
    counts = [
        OpenCount(
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
                count.subtract_people({cell: crowd.people}, [place])
    counts.sort(key=lambda count: -len(count.columns))
    while _subtract_one(counts):
        counts = [count for count in counts if count.crowds]
    return [count for count in counts if count.crowds]


def _subtract_one(counts: list[OpenCount]) -> bool:
    """Subtract one count from another count of more people; return whether there was such a pair.

    The larger count must have no column that the smaller count lacks.
    """
    for inner in counts:
        for outer in counts:
            if (
                inner is not outer
                and inner.crowds
                and inner.crowds <= outer.crowds
                and set(outer.columns) <= set(inner.columns)
            ):
                cells = _translated_count(inner, outer)
                if cells is not None:
                    outer.subtract_people(cells, inner.crowds)
                    return True
    return False


def _translated_count(inner: OpenCount, outer: OpenCount) -> dict[Cell, int] | None:
    """Return the count `inner` by the columns and labels of the count `outer`.

    A label is the code of the reported text: a value, "other" or "suppressed". Two rounds may use
    different labels. None if labels of `inner` do not determine the labels of `outer`.
    """
    places = [inner.columns.index(column) for column in outer.columns]
    translations = [_translation(inner, place, outer, at) for at, place in enumerate(places)]
    cells: dict[Cell, int] = {}
    for cell, people in projected(inner.unexplained, places).items():
        translated = []
        for translation, label in zip(translations, cell, strict=True):
            if translation is None:
                return None
            translated.append(translation.get(label, label))
        key = tuple(translated)
        cells[key] = cells.get(key, 0) + people
    return cells


def known_cell(crowd: Crowd, count: OpenCount) -> Cell | None:
    """Return the cell in which a count includes all people of a crowd; None if it is not known.

    A crowd is the people with equal evidence. Their known and allowed values may determine the
    cell.
    """
    states_of = {column: {state} for column, state in crowd.known_values}
    for part in crowd.allowed:
        if len(part.columns) == 1:
            states = {cell[0] for cell in part.cells}
            states_of[part.columns[0]] = states_of.get(part.columns[0], states) & states
    cell: list[int] = []
    for place, column in enumerate(count.columns):
        labels = {count.label(place, state) for state in states_of.get(column, ())}
        if len(labels) != 1:
            return None
        cell += labels
    return tuple(cell)


def _translation(inner: OpenCount, place: int, outer: OpenCount, at: int) -> dict[int, int] | None:
    """Return, for each label of a column in one count, the same people's label in another count.

    A label is the code of the reported text: a value, "other" or "suppressed". The counts are
    `inner` and `outer`; `place` and `at` are the column's indices in them. An empty result leaves
    labels as they are. None if a label of `inner` may have several labels in `outer`.
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
    """Return counts over fewer columns. places: indices of the kept columns in each cell."""
    cells: dict[Cell, int] = {}
    for cell, people in counts.items():
        shorter = tuple(cell[place] for place in places)
        cells[shorter] = cells.get(shorter, 0) + people
    return cells


@dataclass(slots=True)
class Component:
    """An independent part of the evidence: columns of crowds that statements link to each other.

    A crowd is the people with equal evidence. The prior is a product over people and columns, so
    parts without a common statement are independent.

    Attributes:
        columns: per crowd, its columns in this component, ascending.
        counts: the counts that link columns and crowds of this component.
    """

    columns: dict[int, tuple[int, ...]]
    counts: list[OpenCount]


def components(evidence: Evidence, counts: Sequence[OpenCount]) -> list[Component]:
    """Return the independent parts of the evidence; no statement connects two of them.

    counts: the counts of the evidence, reduced to people of unknown cells by `simplified`.
    """
    parent: dict[tuple[int, int], tuple[int, int]] = {}

    def root(node: tuple[int, int]) -> tuple[int, int]:
        """Return the representative node of the component that contains a node, by union and find.

        A node is a crowd (people with equal evidence) and a column, by number.
        """
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
        for first, second in pairwise(ties):
            parent[root(first)] = root(second)
    for crowd, about in enumerate(evidence.crowds):
        for part in about.allowed:
            for column, next_column in pairwise(part.columns):
                parent[root((crowd, column))] = root((crowd, next_column))
    pieces: dict[tuple[int, int], dict[int, list[int]]] = {}
    for crowd, column in nodes:
        pieces.setdefault(root((crowd, column)), {}).setdefault(crowd, []).append(column)
    components = {
        at: Component({crowd: tuple(part) for crowd, part in piece.items()}, [])
        for at, piece in pieces.items()
    }
    for count in counts:
        components[root((min(count.crowds), count.columns[0]))].counts.append(count)
    return list(components.values())
