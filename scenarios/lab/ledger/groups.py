"""Groups of people that the releases of a ledger give by arithmetic, and their exposure.

Releases of the same columns about 60 people and about 50 of these give, by subtraction, the release
about the ten others. Such a group is treated as a release: it keeps the largest k and the smallest
share that any session promised to any of its people. Before a release the counts of its single
columns are known, and so are the group's: the same combination of counts, from which the same bound
follows as from the counts of a session. After it, the cells of the group are known as well.

A group is *new* if the earlier published releases do not give it. A release that its analyst read
and did not publish is known to the analyst alone: a group that it gives with the present release is
new too, and of unknown counts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ....analysis.composition import best_bound
from ....analysis.composition.person_bound import PersonBounds
from ....analysis.composition.subtractable import (
    MOST_RANK,
    Combination,
    Span,
    span_of,
    subtractable,
)
from ....protocol.history.release_safety import Release
from ....protocol.rounds.tallying import summed
from ....protocol.wire.hiding_rules import Redact
from .cells import CellCounts
from .person_rows import PersonRows, person_counts, project_rows, shown_persons

MOST_COLUMN_SETS = 64  # most sets of common columns that are examined


class TooManyGroupsError(Exception):
    """The error that the releases have more combinations than are examined."""


@dataclass(frozen=True, slots=True)
class SessionPromise:
    """The promise that a session made to its people: at most this share in a class smaller than k.

    Attributes:
        people: the people it was made to, by fingerprint (keyed hash).
        k: people in the smallest equivalence class that counts as safe.
        max_exposure: the largest share of people in a smaller class.
    """

    people: frozenset[str]
    k: int
    max_exposure: float


@dataclass(frozen=True, slots=True)
class KnownRelease:
    """A release, as far as its counts are known.

    Attributes:
        number: the number of its session in the ledger, from 1.
        scope: its people, its columns and their wording (rules for coarser and suppressed values).
        cells: counts by marks (hashes of values), the columns ascending; None where they are not
            known.
        singles: for each column with known counts, its counts by marks; columns may be known
            although `cells` are not.
        rows: the rows of each person, columns ascending, if persons have several; counts are of
            different persons then.
    """

    number: int
    scope: Release
    cells: CellCounts | None = None
    singles: Mapping[str, CellCounts | None] = field(default_factory=dict)
    rows: PersonRows | None = None

    @classmethod
    def with_cells(
        cls, number: int, scope: Release, cells: CellCounts, rows: PersonRows | None = None
    ) -> "KnownRelease":
        """Return a release with known cells, and the counts of its columns."""
        whole = cls(number, scope, cells, rows=rows)
        return replace(whole, singles={name: whole.over((name,)) for name in scope.columns})

    def over(self, columns: Sequence[str]) -> CellCounts | None:
        """Return the counts over some of the release's columns; None where they are not known."""
        if len(columns) == 1 and columns[0] in self.singles:
            return self.singles[columns[0]]
        order = sorted(self.scope.columns)
        if self.cells is None or list(columns) == order:
            return self.cells
        rows = self.rows_over(columns)
        if rows is not None:
            return person_counts(rows)
        return summed(self.cells, [order.index(column) for column in columns])

    def rows_over(self, columns: Sequence[str]) -> PersonRows | None:
        """Return each person's rows over some of the columns; None if persons have one row each."""
        order = sorted(self.scope.columns)
        if self.rows is None or list(columns) == order:
            return self.rows
        return project_rows(self.rows, [order.index(column) for column in columns])

    def words(self, column: str) -> object:
        """Return a column's wording: its rules for coarser and suppressed values.

        Cells of two releases are comparable only if the wordings are equal. Random covers make them
        differ.
        """
        rule = self.scope.hidden.get(column)
        cover_number = self.number if isinstance(rule, Redact) and rule.cover else 0
        return self.scope.coarser.get(column, ()), rule, cover_number


@dataclass(frozen=True, slots=True)
class ReleaseGroup:
    """A group of people that releases give by arithmetic.

    Attributes:
        people: the fingerprints of its people.
        columns: the columns of its joint counts, ascending.
        terms: the releases and their factors; () where a release was not published.
        k, max_exposure: the strictest promise to any of its people.
    """

    people: frozenset[str]
    columns: tuple[str, ...]
    terms: tuple[tuple[KnownRelease, Fraction], ...]
    k: int
    max_exposure: float

    def counts(self, columns: Sequence[str]) -> CellCounts | None:
        """Return the group's counts over some columns; None if unknown or contradictory."""
        sums: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        wordings = {tuple(map(release.words, columns)) for release, _ in self.terms}
        for release, factor in self.terms:
            part = release.over(columns)
            if part is None or len(wordings) > 1:
                return None
            for cell, people in part.items():
                sums[cell] += factor * people
        whole = all(people >= 0 and people.denominator == 1 for people in sums.values())
        total, several = sum(sums.values()), self.has_several_rows
        if not whole or (total < len(self.people) if several else total != len(self.people)):
            return None
        return {cell: int(people) for cell, people in sums.items() if people}

    @property
    def at_most(self) -> int | None:
        """An upper bound on its exposed people, by counts of single columns; None if unknown."""
        columns = [self.counts((column,)) for column in self.columns]
        known_columns = [list(column.values()) for column in columns if column is not None]
        if len(known_columns) < len(columns):
            return None
        if self.has_several_rows:
            bounds = PersonBounds(known_columns, self.k, len(self.people))
            return bounds.max_exposed(range(len(columns)))
        return best_bound(known_columns, self.k).people

    @property
    def has_several_rows(self) -> bool:
        """Whether persons have several rows in a release."""
        return any(release.rows is not None for release, _ in self.terms)

    @property
    def exposed(self) -> int | None:
        """The number of its people in a cell of fewer than k; None where its cells are unknown."""
        if self.has_several_rows:
            return self._exposed_persons()
        cells = self.counts(self.columns)
        return (
            None if cells is None else sum(people for people in cells.values() if people < self.k)
        )

    def _exposed_persons(self) -> int | None:
        """Return the exposed persons, by the rows of persons; None where rows are unknown."""
        wordings = {tuple(map(release.words, self.columns)) for release, _ in self.terms}
        terms = [(release.rows_over(self.columns), factor) for release, factor in self.terms]
        row_terms = [(rows, factor) for rows, factor in terms if rows is not None]
        if len(row_terms) < len(terms) or len(wordings) > 1:
            return None
        return min(shown_persons(row_terms, self.k).shown_people, len(self.people))

    def breaks(self, people: int | None) -> bool:
        """Whether this number of exposed people exceeds the promise.

        None (unknown) counts as all people.
        """
        share = 1.0 if people is None else people / len(self.people)
        return share > self.max_exposure


def new_groups(
    past: Sequence[KnownRelease], now: KnownRelease, promises: Sequence[SessionPromise]
) -> list[ReleaseGroup]:
    """Return the groups that a release gives with earlier releases, not given before.

    promises: of all sessions, the present last. Its own people are not among the groups unless a
    session promised more to a member. TooManyGroupsError beyond MOST_RANK and MOST_COLUMN_SETS.
    """
    near_releases = _linked(past, now)
    groups: dict[frozenset[str], list[ReleaseGroup]] = defaultdict(list)
    looked_at: set[frozenset[int]] = set()
    for columns in _common_columns(near_releases, now):
        about = [release for release in near_releases if columns <= release.scope.columns]
        numbers = frozenset(release.number for release in about)
        if numbers in looked_at:  # with fewer columns the same groups show less
            continue
        looked_at.add(numbers)
        for group in _groups(about, now, tuple(sorted(columns)), promises):
            wider = any(columns < set(wider_group.columns) for wider_group in groups[group.people])
            if not wider and not _is_whole_release(group, now, promises[-1]):
                groups[group.people].append(group)
    return [group for groups_of_people in groups.values() for group in groups_of_people]


def _is_whole_release(
    group: ReleaseGroup, new_release: KnownRelease, promise: SessionPromise
) -> bool:
    """Whether a group has all people of the present release, which are judged elsewhere."""
    strictest = (group.k, group.max_exposure) == (promise.k, promise.max_exposure)
    return strictest and group.people == new_release.scope.people


def _linked(past: Sequence[KnownRelease], new_release: KnownRelease) -> list[KnownRelease]:
    """Return the releases that share people with the present release, even via other releases."""
    near_releases: list[KnownRelease] = []
    reached, rest = set(new_release.scope.people), list(past)
    while neighbours := [
        release for release in rest if not reached.isdisjoint(release.scope.people)
    ]:
        near_releases += neighbours
        rest = [release for release in rest if release not in neighbours]
        reached.update(*(release.scope.people for release in neighbours))
    return near_releases


def _common_columns(
    near_releases: Sequence[KnownRelease], new_release: KnownRelease
) -> list[frozenset[str]]:
    """Return the column sets that some releases share with the present release, largest first."""
    sets = {new_release.scope.columns}
    for release in near_releases:
        sets |= {columns & release.scope.columns for columns in sets}
        if len(sets) > MOST_COLUMN_SETS:
            raise TooManyGroupsError
    return sorted(filter(None, sets), key=lambda columns: (-len(columns), sorted(columns)))


def _groups(
    about: Sequence[KnownRelease],
    new_release: KnownRelease,
    columns: tuple[str, ...],
    promises: Sequence[SessionPromise],
) -> Iterator[ReleaseGroup]:
    """Yield the new groups of people over some columns, which the present release makes computable.

    about: the earlier releases with all these columns.
    """
    readable = _distinct(
        [release for release in about if release.cells is not None], new_release, columns
    )
    if any(release.scope.people == new_release.scope.people for release in readable):
        return
    unread = [release for release in about if release.cells is None]
    unreadable = [
        release
        for release in _distinct(unread, new_release, columns)
        if release.scope.people
        not in {listed_release.scope.people for listed_release in (*readable, new_release)}
    ]
    atoms = _atoms([*readable, *unreadable, new_release])
    earlier_span, full_span = _span(readable, atoms), _span([*readable, new_release], atoms)
    for combination in _listed(full_span):
        if not earlier_span.holds(combination.atoms):
            terms = [
                (release, factor)
                for release, factor in zip(
                    [*readable, new_release], combination.weights, strict=True
                )
                if factor
            ]
            yield _group(combination.atoms, atoms, columns, tuple(terms), promises)
    if unreadable:
        earlier = _span([*readable, *unreadable], atoms)
        for combination in _listed(_span([*readable, *unreadable, new_release], atoms)):
            if not full_span.holds(combination.atoms) and not earlier.holds(combination.atoms):
                yield _group(combination.atoms, atoms, columns, (), promises)


def _distinct(
    releases: Sequence[KnownRelease], new_release: KnownRelease, columns: tuple[str, ...]
) -> list[KnownRelease]:
    """Return one release for each set of people, preferably with the present release's wording."""
    words_now = tuple(map(new_release.words, columns))
    sets: dict[frozenset[str], KnownRelease] = {}
    for release in releases:
        has_same_words = tuple(map(release.words, columns)) == words_now
        if has_same_words or release.scope.people not in sets:
            sets[release.scope.people] = release
    return list(sets.values())


def _atoms(releases: Sequence[KnownRelease]) -> list[frozenset[str]]:
    """Return the sets of people that took part in the same releases (atoms), in a fixed order."""
    patterns: defaultdict[str, list[int]] = defaultdict(list)
    for number, release in enumerate(releases):
        for person in release.scope.people:
            patterns[person].append(number)
    atoms: defaultdict[tuple[int, ...], set[str]] = defaultdict(set)
    for person, sessions in patterns.items():
        atoms[tuple(sessions)].add(person)
    return [frozenset(atoms[pattern]) for pattern in sorted(atoms)]


def _span(releases: Sequence[KnownRelease], atoms: Sequence[frozenset[str]]) -> Span:
    """Return the linear span of the releases' sets of people, as combinations of atoms.

    An atom is a set of people that took part in the same releases.
    """
    rows = [[int(atom <= release.scope.people) for atom in atoms] for release in releases]
    return span_of(rows, len(atoms))


def _listed(span: Span) -> Sequence[Combination]:
    """Return the groups that combinations of releases give.

    TooManyGroupsError if they are too many.
    """
    if span.rank > MOST_RANK:
        raise TooManyGroupsError
    return subtractable(span)


def _group(
    picked: Sequence[int],
    atoms: Sequence[frozenset[str]],
    columns: tuple[str, ...],
    terms: tuple[tuple[KnownRelease, Fraction], ...],
    promises: Sequence[SessionPromise],
) -> ReleaseGroup:
    """Return a group with the strictest promise to any of its people.

    picked: the atoms (sets of people with equal attendance) in it.
    """
    people = frozenset[str]().union(*(atoms[atom] for atom in picked))
    touched_promises = [promise for promise in promises if not promise.people.isdisjoint(people)]
    k = max(promise.k for promise in touched_promises)
    return ReleaseGroup(
        people, columns, terms, k, min(promise.max_exposure for promise in touched_promises)
    )
