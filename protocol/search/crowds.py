"""The test for leaks: people that a coalition can tell apart, found by swapping their rows.

A strategy is a set of deviations of malicious parties; a world is an assignment of rows to people.

    swap      the same strategy and seed; every honest person has the row of the next person. Totals
              stay, so that an honest session looks the same
    confirm   a difference counts if the views of both worlds, over the seeds, are disjoint
    free      a person is free if a change of its row alone is not seen: its answer was left out
    crowd     the people with whom a person can be exchanged unseen; size 1: its row is read
    joints    other rows with the same honest view: a strategy that distinguishes them reads joint
              counts, also if it treats all people alike and passes the swap; if only k people open
              a row, it reads a closed row
    guess     the probability that the best guess of a value is right, over all columns of values
              and several seeds; the guess in a session is learnt from sessions of other seeds

A search tests for each strategy whether a person, its target, is alone (`Worlds.is_alone`), and
whether joint counts are distinguished. The attacker of a crowd knows the rows of all other people;
the attacker of a guess knows no rows or, if joint counts are read, the other values of all people.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

Row = tuple[str, ...]
Rows = tuple[Row, ...]
Play = Callable[[Rows, int], Hashable]  # (rows of all people, seed) -> the coalition's view


@dataclass(slots=True)
class Worlds:
    """The sessions of a coalition's strategy with other rows and seeds; each is played once.

    Attributes:
        play: plays a session and returns the coalition's view.
        rows: the true rows of all people, by index.
        honest: the indices of people outside the coalition.
        seeds: the seeds that confirm a difference.
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
        """Whether the coalition distinguishes two assignments of rows: they share no view.

        The first seed is played first: most pairs have equal views there.
        """
        first_views, second_views = set[Hashable](), set[Hashable]()
        for seed in self.seeds:
            first_views.add(self.view(first_rows, seed))
            second_views.add(self.view(two, seed))
            if first_views & second_views:
                return False
        return True

    def is_free(self, person: int) -> bool:
        """Whether the coalition does not notice a change of this person's row alone."""
        return not self.are_apart(self.rows, self._changed(person))

    def are_exchangeable(self, first_person: int, two: int) -> bool:
        """Whether the coalition does not notice if two people exchange their rows.

        If their rows are equal, each of them gets another row instead, in a world of its own.
        """
        exchanged_rows = exchanged(self.rows, first_person, two)
        if exchanged_rows == self.rows:
            return not self.are_apart(self._changed(first_person), self._changed(two))
        return not self.are_apart(self.rows, exchanged_rows)

    def _changed(self, person: int) -> Rows:
        """Return the rows with another row for one person."""
        return _with(self.rows, person, another(self.rows[person], self.rows))

    def is_alone(self, person: int) -> bool:
        """Whether the coalition reads a person's row: it notices a change and every exchange."""
        return not self.is_free(person) and not any(
            self.are_exchangeable(person, candidate)
            for candidate in self.honest
            if candidate != person
        )

    def crowds(self) -> tuple[int, ...]:
        """Return the sizes of the groups of people that the coalition cannot tell apart, ascending.

        People are left out if a change of their row is not noticed at all.
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
    """Return the rows in which each of these people has the row of the next of them."""
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
    """Return other rows that agree in all counts of some number of columns, not of one more.

    A strategy that distinguishes them from the true rows reads joint counts. At most one result for
    each changed column and each number of columns.
    """
    columns = range(len(rows[0]))
    worlds = (_first_world(rows, people, column, width) for column in columns for width in columns)
    return tuple(dict.fromkeys(world for world in worlds if world is not None))


def other_closed(
    rows: Rows, people: Sequence[int], kinds: Sequence[Row], k: int
) -> tuple[Rows, ...]:
    """Return worlds in which a person has another rare row, if only rows of k people open.

    Fewer than k people have the person's row in either world, so no honest reader sees a
    difference. kinds: all rows that can be submitted.
    """
    row_counts = Counter(rows)
    rare_kinds = [row for row in kinds if row_counts[row] + 1 < k]
    closed = [person for person in people if row_counts[rows[person]] < k]
    pairs = ((person, row) for person in closed for row in rare_kinds if row != rows[person])
    return tuple(_with(rows, person, row) for person, row in pairs)


def _first_world(rows: Rows, people: Sequence[int], column: int, width: int) -> Rows | None:
    """Return the first rows with equal counts of `width` columns and other counts of one more.

    None if no values of this column, for these people, give such rows.
    """
    values = sorted({row[column] for row in rows})
    for drawn in product(values, repeat=len(people)):
        world = with_values(rows, people, column, drawn)
        is_same = width > 0 and _counts(world, width) == _counts(rows, width)
        if is_same and _counts(world, width + 1) != _counts(rows, width + 1):
            return world
    return None


def _counts(rows: Rows, width: int) -> list[Counter[Row]]:
    """Return the counts of the rows over every group of `width` columns."""
    groups = combinations(range(len(rows[0])), width)
    return [Counter(tuple(row[column] for column in group) for row in rows) for group in groups]


def with_values(rows: Rows, people: Sequence[int], column: int, values: Sequence[str]) -> Rows:
    """Return the rows with other values of one column for these people."""
    new_rows = list(rows)
    for index, value in zip(people, values, strict=True):
        new_rows[index] = (*rows[index][:column], value, *rows[index][column + 1 :])
    return tuple(new_rows)


def another(row: Row, rows: Iterable[Row]) -> Row:
    """Return a row of occurring values that, where possible, differs in every column."""
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

    All columns of two values are equally likely. The guess in a session is the value that occurs
    most often with the same view in the sessions of other seeds; for a new view it is a coin.
    knows: whether people have their own values of the other columns, which the attacker knows; else
    all have equal values there.
    """
    values = sorted({row[column] for row in worlds.rows})[:2]
    base = worlds.rows if knows else _equal_rows(worlds)
    columns = product(values, repeat=len(worlds.honest))
    tables = [with_values(base, worlds.honest, column, drawn) for drawn in columns]
    return _rate(worlds, [(rows, rows[person][column]) for rows in tables], seeds)


def guess_between(worlds: Worlds, alternative_rows: Rows, seeds: Sequence[int]) -> float:
    """Return the probability of guessing right between the true rows and other rows.

    Both are equally likely, and a guess is learnt from the sessions of other seeds.
    """
    return _rate(worlds, [(worlds.rows, "true"), (alternative_rows, "other")], seeds)


def _rate(worlds: Worlds, cases: Sequence[tuple[Rows, str]], seeds: Sequence[int]) -> float:
    """Return the share of sessions in which the best guess from the view names the right case.

    cases: rows, and the word that names them.
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
