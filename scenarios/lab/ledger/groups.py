"""Groups of people that the releases of a ledger give by arithmetic, and their exposure.

A release about 60 people less a release about 50 of them, over the same columns, is a release about
the ten other people. Such a group of people is treated as a release. It must keep the strictest
limits that any session promised to any of its people: the largest k, and the smallest share of
people in smaller classes.

Before a release, the counts of its single columns are known. The same combination gives the group's
counts of single columns, which bound its exposure as the counts of a session do. After the release,
the joint counts of the group are known as well.

A group is *new* if the earlier published releases do not give it. An unpublished release is known
to its analyst alone. A group that needs such a release together with the present release is also
new, and its counts are unknown.
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

# Most sets of columns, common to the present and earlier releases, that are examined; with more,
# the present release counts as unsafe. Their number can double with each release.
MOST_COLUMN_SETS = 64


class TooManyGroupsError(Exception):
    """The error that releases can be combined in more ways than the search examines."""


@dataclass(frozen=True, slots=True)
class SessionPromise:
    """The promise of a session: at most this share of its people is in a class smaller than k.

    Attributes:
        people: the people asked in the session, by fingerprint (keyed hash).
        k: people in the smallest equivalence class that counts as safe.
        max_exposure: the largest share of people in a smaller class, 0 to 1.
    """

    people: frozenset[str]
    k: int
    max_exposure: float


@dataclass(frozen=True, slots=True)
class KnownRelease:
    """A release, as far as its counts are known.

    Attributes:
        number: the number of the release's session in the ledger, from 1.
        scope: the people and columns of the release, and the rules for coarser and suppressed
            values.
        cells: the joint counts by keyed hashes of values (marks), with columns sorted by name; None
            if they are unknown.
        singles: column -> counts of this column by marks; a column can be known although `cells` is
            not.
        rows: if people have several rows, the rows of each person, with columns sorted by name;
            counts are then of different people. Otherwise None.
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
        """Return a release with known joint counts, and with the counts of its single columns.

        number: the number of the release's session in the ledger. scope: the people and columns of
        the release. cells: the joint counts, by keyed hashes of values. rows: the rows of each
        person; None: one row each.
        """
        whole = cls(number, scope, cells, rows=rows)
        return replace(whole, singles={name: whole.over((name,)) for name in scope.columns})

    def over(self, columns: Sequence[str]) -> CellCounts | None:
        """Return the counts over some of the release's columns; None if they are unknown.

        columns: sorted by name.
        """
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
        """Return each person's rows over some columns; None unless people have several rows."""
        order = sorted(self.scope.columns)
        if self.rows is None or list(columns) == order:
            return self.rows
        return project_rows(self.rows, [order.index(column) for column in columns])

    def words(self, column: str) -> object:
        """Return a column's wording: the rules for its coarser and suppressed values.

        Counts of two releases can be subtracted only if the wordings are equal. With cover
        suppression (other values suppressed at random), the wordings of two releases always differ.
        """
        rule = self.scope.hidden.get(column)
        cover_number = self.number if isinstance(rule, Redact) and rule.cover else 0
        return self.scope.coarser.get(column, ()), rule, cover_number


@dataclass(frozen=True, slots=True)
class ReleaseGroup:
    """A group of people with counts that follow from releases by addition and subtraction.

    Attributes:
        people: the fingerprints (keyed hashes) of the group's people.
        columns: the columns of the group's joint counts, sorted by name.
        terms: the releases and the factors by which their counts are multiplied; () if a release
            was not published.
        k, max_exposure: the strictest limits promised to any of the people: people in the smallest
            safe equivalence class, and share of people in smaller classes.
    """

    people: frozenset[str]
    columns: tuple[str, ...]
    terms: tuple[tuple[KnownRelease, Fraction], ...]
    k: int
    max_exposure: float

    def counts(self, columns: Sequence[str]) -> CellCounts | None:
        """Return the group's counts over some columns; None if unknown or contradictory.

        Unknown are the counts without a needed release, or with different rules for coarser or
        suppressed values. Contradictory are negative counts, fractions, and a wrong total.
        """
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
        """An upper bound on the exposed people, from counts of single columns; None if unknown."""
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
        """Whether people can have several rows in a release of the group."""
        return any(release.rows is not None for release, _ in self.terms)

    @property
    def exposed(self) -> int | None:
        """The number of people in a cell of fewer than k people; None if cells are unknown."""
        if self.has_several_rows:
            return self._exposed_persons()
        cells = self.counts(self.columns)
        return (
            None if cells is None else sum(people for people in cells.values() if people < self.k)
        )

    def _exposed_persons(self) -> int | None:
        """Return the number of exposed people if people can have several rows.

        None if the rows of a release are unknown, or the rules for coarser and suppressed values
        differ.
        """
        wordings = {tuple(map(release.words, self.columns)) for release, _ in self.terms}
        terms = [(release.rows_over(self.columns), factor) for release, factor in self.terms]
        row_terms = [(rows, factor) for rows, factor in terms if rows is not None]
        if len(row_terms) < len(terms) or len(wordings) > 1:
            return None
        return min(shown_persons(row_terms, self.k).shown_people, len(self.people))

    def breaks(self, people: int | None) -> bool:
        """Whether a number of exposed people is a larger share of the group than was promised.

        people: the number of exposed people; None (unknown) counts as all people of the group.
        """
        share = 1.0 if people is None else people / len(self.people)
        return share > self.max_exposure


def new_groups(
    past: Sequence[KnownRelease], now: KnownRelease, promises: Sequence[SessionPromise]
) -> list[ReleaseGroup]:
    """Return the groups of people that become computable with a new release.

    A group is computable if its counts follow from releases by addition and subtraction. Groups
    that earlier releases give already are left out. The group of all people of the new release is
    left out as well, because the release itself is judged elsewhere. It is returned only if an
    earlier session promised one of its people stricter limits.

    Args:
        past: the earlier releases.
        now: the new release.
        promises: the limits on exposure that each session promised, the present session last.

    Raises:
        TooManyGroupsError: the releases have more combinations than are examined.
    """
    near_releases = _linked(past, now)
    groups: dict[frozenset[str], list[ReleaseGroup]] = defaultdict(list)
    looked_at: set[frozenset[int]] = set()
    for columns in _common_columns(near_releases, now):
        about = [release for release in near_releases if columns <= release.scope.columns]
        numbers = frozenset(release.number for release in about)
        # Larger sets of columns come first. With fewer columns, the same releases give the same
        # groups, and expose no more people.
        if numbers in looked_at:
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
    """Whether a group is exactly the people of the new release, with the same promised limits.

    Such a group is judged as a release, not as a group. promise: the promise of the present
    session.
    """
    strictest = (group.k, group.max_exposure) == (promise.k, promise.max_exposure)
    return strictest and group.people == new_release.scope.people


def _linked(past: Sequence[KnownRelease], new_release: KnownRelease) -> list[KnownRelease]:
    """Return the earlier releases that share people with the new release, directly or by chains.

    By a chain: the earlier release shares people with another release that is linked. past: all
    earlier releases.
    """
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
    """Return the column sets common to the new release and any earlier releases, largest first.

    Raises TooManyGroupsError for more than `MOST_COLUMN_SETS` sets. near_releases: the earlier
    releases that share people with the new release, directly or by chains.
    """
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
    """Yield the groups of people with counts that the new release makes computable.

    The counts are over `columns`, and follow from releases by addition and subtraction. about: the
    earlier releases that have all of `columns`. promises: the limits on exposure that each session
    promised.
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
    """Return one release for each set of people.

    Of several releases about the same people, a release is preferred if its rules for coarser and
    suppressed values are those of the new release. Only then can its counts be subtracted from the
    counts of the new release. columns: the columns of which the rules are compared.
    """
    words_now = tuple(map(new_release.words, columns))
    sets: dict[frozenset[str], KnownRelease] = {}
    for release in releases:
        has_same_words = tuple(map(release.words, columns)) == words_now
        if has_same_words or release.scope.people not in sets:
            sets[release.scope.people] = release
    return list(sets.values())


def _atoms(releases: Sequence[KnownRelease]) -> list[frozenset[str]]:
    """Return the sets of people that took part in the same releases (atoms), in a fixed order.

    Each person is in exactly one atom.
    """
    patterns: defaultdict[str, list[int]] = defaultdict(list)
    for number, release in enumerate(releases):
        for person in release.scope.people:
            patterns[person].append(number)
    atoms: defaultdict[tuple[int, ...], set[str]] = defaultdict(set)
    for person, sessions in patterns.items():
        atoms[tuple(sessions)].add(person)
    return [frozenset(atoms[pattern]) for pattern in sorted(atoms)]


def _span(releases: Sequence[KnownRelease], atoms: Sequence[frozenset[str]]) -> Span:
    """Return all linear combinations of the releases' sets of people, as vectors over atoms.

    An atom is a set of people that took part in the same releases. A release is the vector with 1
    for each atom of its people.
    """
    rows = [[int(atom <= release.scope.people) for atom in atoms] for release in releases]
    return span_of(rows, len(atoms))


def _listed(span: Span) -> Sequence[Combination]:
    """Return the groups of people with counts that follow from the counts of some releases.

    span: all linear combinations of these releases. Raises TooManyGroupsError if there are more
    independent releases than `MOST_RANK`.
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
    """Return a group of people, with the strictest limits promised to any of them.

    Args:
        picked: numbers of the atoms in the group. An atom is a set of people that took part in the
            same releases.
        atoms: all atoms.
        columns: the columns of the group's counts.
        terms: the releases and factors that give the counts.
        promises: the limits on exposure that each session promised to its people.
    """
    people = frozenset[str]().union(*(atoms[atom] for atom in picked))
    touched_promises = [promise for promise in promises if not promise.people.isdisjoint(people)]
    k = max(promise.k for promise in touched_promises)
    return ReleaseGroup(
        people, columns, terms, k, min(promise.max_exposure for promise in touched_promises)
    )
