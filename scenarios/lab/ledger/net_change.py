"""Differences of two released tables if some people left and others came.

    table of June - table of May = newcomers - leavers, cell by cell

With leavers alone, or newcomers alone, the difference is the table of a group of people, which
groups.py examines. With both, newcomers may cancel leavers in their cell. A cell with the
difference d then shows that at least |d| people came or left. If 0 < |d| < k, these |d| people are
in a class smaller than k, so they count as exposed. The share of exposed people among all people of
the difference may not exceed the share that was promised to any of them.

If people are identified by their rows, a person with a changed value is an old row that left and a
new row that came. If people are identified by a column, such a person moved: its old and its new
cell are in the difference. Moved people are then bounded from below: half of the difference that
newcomers and leavers do not explain. If people have several rows, the ledger has the rows of each
person, so moved people are counted exactly (person_rows.py). Differences of three and more tables
are not examined.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .account import Subtraction
from .groups import KnownRelease, SessionPromise
from .person_rows import shown_persons


@dataclass(frozen=True, slots=True)
class NetChange:
    """The difference between an earlier and the present release, and the people that it exposes.

    Attributes:
        number: the number of the earlier session.
        present: the number of the present session.
        newcomers: number of people in the present release only.
        leavers: number of people in the earlier release only.
        columns: the columns of both releases that have the same rules for coarser and suppressed
            values, sorted by name.
        people: newcomers, leavers, and a lower bound on the people that moved to another cell.
        exposed: number of these people in cells of the difference that are smaller than k.
        k, max_exposure: the strictest limits promised to the people of both releases: people in the
            smallest safe equivalence class, and share of people in smaller classes.
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
        """Whether the difference exposes a larger share of people than the sessions promised.

        It is a share of the newcomers, the leavers, and the people that moved to another cell.
        """
        return self.exposed > self.max_exposure * self.people

    @property
    def refusal(self) -> str:
        """The reason to refuse the present release because of this difference, as a sentence."""
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
        """The difference of both releases, as the account of the people lists it."""
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

    A pair of releases is left out if the people of one release are a proper part of the other's.
    Then the difference is an ordinary table of the people in only one release, which groups.py
    examines.

    Args:
        past: earlier releases; a release without known cells is left out.
        now: the present release, with its cells.
        promises: the limits on exposure that each session promised, the present session last.
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
    """Return the difference of an earlier release and the present release over common columns.

    Args:
        release: the earlier release.
        now: the present release.
        columns: the columns that both releases have.
        exclusive_counts: the numbers of newcomers and of leavers.
        promises: the limits on exposure that each session promised to its people.
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
