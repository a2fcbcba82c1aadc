"""The test for leaks: people that a coalition can tell apart, found by swapping their rows.

A strategy is a set of deviations of malicious parties. A world is an assignment of rows to people.
The test plays the same strategy in several worlds and compares the coalition's views:

    swap      every honest person has the row of the next person. Totals stay, so an honest session
              looks the same in both worlds
    confirm   a difference counts if the two worlds, played with several seeds, share no view
    free      a person is free if the coalition does not notice a change of its row alone, because
              its answer was left out
    crowd     people that can exchange rows with each other unnoticed; of size 1: the row is read
    joints    the world has other rows, but an honest coalition has the same view. A strategy that
              distinguishes these rows reads joint counts, even if it passes the swap. In the
              program that opens only values that k people share, it reads a closed row
    guess     the probability that the best guess of a value is right, over all assignments of
              values and several seeds; the guess in a session is learnt from other seeds

For each strategy, a search tests whether its target, a person, is alone (`Worlds.is_alone`), and
whether joint counts are distinguished. The attacker of a crowd knows the rows of all other people.
The attacker of a guess knows no rows or, if joint counts are read, the other values of all people.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

Row = tuple[str, ...]
Rows = tuple[Row, ...]
# (rows of all people, seed) -> the coalition's view of a session
Play = Callable[[Rows, int], Hashable]


@dataclass(slots=True)
class Worlds:
    """The sessions of one malicious strategy with various rows and seeds, each played at most once.

    Attributes:
        play: plays a session and returns the coalition's view.
        rows: the true rows of all people, by index.
        honest: the indices of people outside the coalition.
        seeds: the random seeds with which each assignment of rows is played. The coalition
            distinguishes two assignments if no view occurs for both.
        views: (rows, seed) -> view of the sessions played so far.
    """

    play: Play
    rows: Rows
    honest: tuple[int, ...]
    seeds: tuple[int, ...]
    views: dict[tuple[Rows, int], Hashable] = field(default_factory=dict)

    def view(self, rows: Rows, seed: int) -> Hashable:
        """Return the coalition's view of the session with these rows and this seed."""
        if (rows, seed) not in self.views:
            self.views[rows, seed] = self.play(rows, seed)
        return self.views[rows, seed]

    def are_apart(self, first_rows: Rows, two: Rows) -> bool:
        """Whether the coalition distinguishes two assignments of rows to people.

        It does if no view occurs under both, over all seeds. Most pairs have equal views for the
        first seed, so the comparison stops early. first_rows, two: both assignments.
        """
        first_views, second_views = set[Hashable](), set[Hashable]()
        for seed in self.seeds:
            first_views.add(self.view(first_rows, seed))
            second_views.add(self.view(two, seed))
            if first_views & second_views:
                return False
        return True

    def is_free(self, person: int) -> bool:
        """Whether the coalition does not notice if this person's row changes, and no other row."""
        return not self.are_apart(self.rows, self._changed(person))

    def are_exchangeable(self, first_person: int, two: int) -> bool:
        """Whether the coalition does not notice if two people exchange their rows.

        If the two rows are equal, an exchange has no effect. Then the first person gets another
        row in one session, the second person in another session, and the coalition's views are
        compared. first_person, two: the indices of both people.
        """
        exchanged_rows = exchanged(self.rows, first_person, two)
        if exchanged_rows == self.rows:
            return not self.are_apart(self._changed(first_person), self._changed(two))
        return not self.are_apart(self.rows, exchanged_rows)

    def _changed(self, person: int) -> Rows:
        """Return the rows of all people, with another row for one person."""
        return _with(self.rows, person, another(self.rows[person], self.rows))

    def is_alone(self, person: int) -> bool:
        """Whether the coalition learns a person's row.

        It does if it notices a change of this row, and any exchange of rows between this person and
        another honest person.
        """
        return not self.is_free(person) and not any(
            self.are_exchangeable(person, candidate)
            for candidate in self.honest
            if candidate != person
        )

    def crowds(self) -> tuple[int, ...]:
        """Return the sizes of the groups of people that the coalition cannot tell apart, ascending.

        Left out are people whose rows can change without notice, because their answers do not
        count.
        """
        rest = [person for person in self.honest if not self.is_free(person)]
        root = {person: person for person in rest}

        def find(person: int) -> int:
            """Return the representative of a person's group (union-find)."""
            while root[person] != person:
                person = root[person]
            return person

        for first_person, two in combinations(rest, 2):
            if find(first_person) != find(two) and self.are_exchangeable(first_person, two):
                root[find(first_person)] = find(two)
        return tuple(sorted(Counter(find(person) for person in rest).values()))


def rotated(rows: Rows, people: Sequence[int]) -> Rows:
    """Return the rows after a rotation: each of these people gets the row of the next person."""
    new_rows = list(rows)
    for person, two in zip(people, (*people[1:], *people[:1]), strict=True):
        new_rows[person] = rows[two]
    return tuple(new_rows)


def exchanged(rows: Rows, first_person: int, two: int) -> Rows:
    """Return the rows with the rows of two people exchanged."""
    new_rows = list(rows)
    new_rows[first_person], new_rows[two] = rows[two], rows[first_person]
    return tuple(new_rows)


def other_joints(rows: Rows, people: Sequence[int]) -> tuple[Rows, ...]:
    """Return other rows with the counts of the true rows, up to some number of columns.

    The counts of all groups of `width` columns are equal; those of groups of `width` + 1 columns
    are not. So a strategy that distinguishes the rows reads joint counts. At most one result for
    each `width` and each column in which values change. people: the indices of the people whose
    rows may change.
    """
    columns = range(len(rows[0]))
    worlds = (_first_world(rows, people, column, width) for column in columns for width in columns)
    return tuple(dict.fromkeys(world for world in worlds if world is not None))


def other_closed(
    rows: Rows, people: Sequence[int], kinds: Sequence[Row], k: int
) -> tuple[Rows, ...]:
    """Return assignments of rows in which a person has another rare row that stays encrypted.

    This is for a session that opens a row only if at least k people share it. Fewer than k people
    have the person's old or new row, so an honest analyst sees the same. kinds: all rows that can
    be submitted.
    """
    row_counts = Counter(rows)
    rare_kinds = [row for row in kinds if row_counts[row] + 1 < k]
    closed = [person for person in people if row_counts[rows[person]] < k]
    pairs = ((person, row) for person in closed for row in rare_kinds if row != rows[person])
    return tuple(_with(rows, person, row) for person, row in pairs)


def _first_world(rows: Rows, people: Sequence[int], column: int, width: int) -> Rows | None:
    """Return other rows with equal counts of all groups of `width` columns, but not of `width` + 1.

    Only the values of one column change, for the people with these indices. The first such
    assignment is returned; None if there is none.
    """
    values = sorted({row[column] for row in rows})
    for drawn in product(values, repeat=len(people)):
        world = with_values(rows, people, column, drawn)
        is_same = width > 0 and _counts(world, width) == _counts(rows, width)
        if is_same and _counts(world, width + 1) != _counts(rows, width + 1):
            return world
    return None


def _counts(rows: Rows, width: int) -> list[Counter[Row]]:
    """Return the joint counts of the rows over every group of `width` columns."""
    groups = combinations(range(len(rows[0])), width)
    return [Counter(tuple(row[column] for column in group) for row in rows) for group in groups]


def with_values(rows: Rows, people: Sequence[int], column: int, values: Sequence[str]) -> Rows:
    """Return the rows with new values in one column for these people.

    values: the new value of each of these people.
    """
    new_rows = list(rows)
    for index, value in zip(people, values, strict=True):
        new_rows[index] = (*rows[index][:column], value, *rows[index][column + 1 :])
    return tuple(new_rows)


def another(row: Row, rows: Iterable[Row]) -> Row:
    """Return a row that, where possible, differs from this row in every column.

    Its values occur in `rows`.
    """
    columns = [sorted(set(values)) for values in zip(*rows, strict=True)]
    return tuple(
        next((value for value in values if value != mine), mine)
        for mine, values in zip(row, columns, strict=True)
    )


def _with(rows: Rows, person: int, row: Row) -> Rows:
    """Return the rows with one person's row replaced."""
    return (*rows[:person], row, *rows[person + 1 :])


def guess(
    worlds: Worlds, person: int, seeds: Sequence[int], column: int = 0, *, knows: bool = False
) -> float:
    """Return the probability that the attacker's best guess of one person's value is right.

    Each honest person has one of two values in this column; all assignments are equally likely. The
    guess in a session is the value that occurs most often with the same view under other seeds. For
    a new view, it is random.

    knows: whether the attacker knows all people's values in the other columns. If not, all honest
    people have equal values in these columns.
    """
    values = sorted({row[column] for row in worlds.rows})[:2]
    base = worlds.rows if knows else _equal_rows(worlds)
    columns = product(values, repeat=len(worlds.honest))
    tables = [with_values(base, worlds.honest, column, drawn) for drawn in columns]
    return _rate(worlds, [(rows, rows[person][column]) for rows in tables], seeds)


def guess_between(worlds: Worlds, alternative_rows: Rows, seeds: Sequence[int]) -> float:
    """Return the probability of guessing right between the true rows and other rows.

    Both are equally likely. A guess in a session is learnt from the sessions with other seeds.
    alternative_rows: the other rows. seeds: the random seeds of the sessions.
    """
    return _rate(worlds, [(worlds.rows, "true"), (alternative_rows, "other")], seeds)


def _rate(worlds: Worlds, cases: Sequence[tuple[Rows, str]], seeds: Sequence[int]) -> float:
    """Return the share of sessions in which the best guess from the view names the right case.

    A guess is learnt from the sessions with other seeds. cases: the rows of a world, and its name.
    """
    values = sorted({word for _, word in cases})
    counts: dict[Hashable, Counter[tuple[int, str]]] = defaultdict(Counter)
    sessions = list[tuple[Hashable, int, str]]()
    for seed in seeds:
        for rows, mine in cases:
            view = worlds.view(rows, seed)
            counts[view][seed, mine] += 1
            sessions.append((view, seed, mine))
    right = 0.0
    for view, seed, mine in sessions:
        votes = Counter(dict.fromkeys(values, 0))
        for (vote_seed, value), count in counts[view].items():
            votes[value] += count * (vote_seed != seed)
        best = max(votes.values())
        right += (votes[mine] == best) / sum(vote == best for vote in votes.values())
    return right / len(sessions)


def _equal_rows(worlds: Worlds) -> Rows:
    """Return rows in which all honest people have the row of the first honest person."""
    first, honest = worlds.rows[worlds.honest[0]], set(worlds.honest)
    return tuple(first if index in honest else row for index, row in enumerate(worlds.rows))
