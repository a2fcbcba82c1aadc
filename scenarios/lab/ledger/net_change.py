"""Differences of two released tables if some people left and others came.

    table of June - table of May = newcomers - leavers, cell by cell

With leavers alone, or newcomers alone, the difference is a group that releases give (groups.py).
With both, newcomers may cancel leavers in their cell, and the difference counts the rest: in a cell
with the difference d, at least |d| people came or left. Such a cell with 0 < |d| < k shows |d|
people in a class smaller than k. As a group keeps the promise to its people, so does the
difference: no larger share of its people may be shown than was promised to them.

If people are known by their rows, a person with another value is an old row that left and a new row
that came. If they are known by a column, such a person moved: its old and its new cell are in the
difference. Moved people are counted by the difference that newcomers and leavers do not explain,
half of it: so many moved at least. Where persons have several rows, the ledger has the rows of
each, and people who moved are counted exactly (person_rows.py). Differences of three and more
tables are not examined.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .account import Subtraction
from .groups import KnownRelease, SessionPromise
from .person_rows import shown_persons


@dataclass(frozen=True, slots=True)
class NetChange:
    """The difference between an earlier release and the present release, and the people it shows.

    Attributes:
        number: the number of the earlier session.
        present: the number of the present session.
        newcomers, leavers: people of the present, or of the earlier release alone.
        columns: the columns of both releases with equal wording, ascending.
        people: newcomers, leavers, and people that moved at least.
        exposed: number of these people in cells of the difference that are smaller than k.
        k, max_exposure: the strictest promise to the people of both releases.
    """

    number: int
    present: int
    newcomers: int
    leavers: int
    columns: tuple[str, ...]
    people: int
    exposed: int
    k: int
    max_exposure: float

    @property
    def breaks(self) -> bool:
        """Whether the difference shows a larger share of its people than was promised."""
        return self.exposed > self.max_exposure * self.people

    @property
    def refusal(self) -> str:
        """The reason to refuse the present release, as a sentence."""
        return (
            f"the difference to session {self.number} shows {self.exposed:,} of the "
            f"{self.people:,} "
            f"people who came ({self.newcomers:,}), left ({self.leavers:,}) or moved in a crowd "
            "smaller "
            f"than {self.k}, and at most {100 * self.max_exposure:.4g} % was promised; release "
            "exactly the people of an earlier session, or coarser values of all of them"
        )

    @property
    def subtraction(self) -> Subtraction:
        """The difference as a row of the account."""
        return Subtraction(
            people=self.people,
            columns=self.columns,
            releases=f"session {self.present} - session {self.number}",
            k=self.k,
            max_exposure=self.max_exposure,
            at_most=None,
            exposed=self.exposed,
        )


def net_changes(
    past: Sequence[KnownRelease], now: KnownRelease, promises: Sequence[SessionPromise]
) -> Iterator[NetChange]:
    """Yield the differences between the present release and earlier releases that share people.

    A pair of releases is left out if the first has all people of the second, or the second of the
    first: the difference is a group.

    Args:
        past: earlier releases; without cells they are left out.
        now: the present release, with its cells.
        promises: the promises of all sessions, the present last.
    """
    for release in past:
        mine, theirs = now.scope.people, release.scope.people
        if release.cells is None or now.cells is None or mine.isdisjoint(theirs):
            continue
        columns = tuple(
            name
            for name in sorted(now.scope.columns & release.scope.columns)
            if now.words(name) == release.words(name)
        )
        newcomers, leavers = len(mine - theirs), len(theirs - mine)
        if columns and ((newcomers and leavers) or mine == theirs):
            change = _net_change(release, now, columns, (newcomers, leavers), promises)
            if change.people:
                yield change


def _net_change(
    release: KnownRelease,
    now: KnownRelease,
    columns: tuple[str, ...],
    exclusive_counts: tuple[int, int],
    promises: Sequence[SessionPromise],
) -> NetChange:
    """Return the difference of two releases over common columns.

    exclusive_counts: the numbers of newcomers and of leavers.
    """
    all_people = now.scope.people | release.scope.people
    touched = [promise for promise in promises if not promise.people.isdisjoint(all_people)]
    k = max(promise.k for promise in touched)
    max_exposure = min(promise.max_exposure for promise in touched)
    newcomers, leavers = exclusive_counts
    before_rows, now_rows = release.rows_over(columns), now.rows_over(columns)
    if before_rows is not None and now_rows is not None:
        persons = shown_persons([(now_rows, 1), (before_rows, -1)], k)
        people, shown_people = persons.people, persons.shown_people
    else:
        difference = Counter(now.over(columns) or {})
        difference.subtract(release.over(columns) or {})
        sizes = [abs(cell) for cell in difference.values() if cell]
        moved = max(0, -(-(sum(sizes) - newcomers - leavers) // 2))
        people = newcomers + leavers + moved
        shown_people = min(people, sum(size for size in sizes if size < k))
    return NetChange(
        number=release.number,
        present=now.number,
        newcomers=newcomers,
        leavers=leavers,
        columns=columns,
        people=people,
        exposed=shown_people,
        k=k,
        max_exposure=max_exposure,
    )
