"""The rule on groups of people that releases give by arithmetic, as the first shuffler applies it.

A refusal is the reason of an aborted round, which all parties read. It gives the number of people
in the group, which follows from the participants, and that the promise cannot be proved of them. Of
counts it reveals that one bit; no bound and no count is in it. Where counts of single columns are
published, all parties can compute the bit. Where they are secret, it is a bit about them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ....protocol.history.shuffler_history import HandedBatch, SingleCounts
from ...schema.mechanisms import mechanisms
from ...schema.model import Scenario
from .account import Subtraction
from .batches import handed_batch
from .cells import CellCounts, CountedCell, marked_column
from .entry import LedgerEntry
from .groups import KnownRelease, ReleaseGroup, SessionPromise, TooManyGroupsError, new_groups
from .people import ScenarioPeople
from .person_rows import PersonRows

MAX_GROUPS = 5  # most groups in an account: the most exposed ones
REMEDY = "ask exactly the people of an earlier session, or release nothing more about them"
TOO_MANY = (
    "the releases about these people can be combined in more ways than are looked at, so nobody "
    f"knows which people they tell apart; {REMEDY}"
)


@dataclass(slots=True)
class GroupRule:
    """The rule on a release after earlier releases, by the groups that they give together.

    Attributes:
        past: the releases of the ledger with counts that may be combined.
        promises: the promises of all sessions, the present one last.
        number: the number of the present session.
        key: the key of the ledger.
        cells: the cells of the present release, where the caller has them; None before a session
            has ended.
        rows: the rows of each person of the present release, if persons have several; else None.
        exact: whether `cells` decide, and not the counts of single columns.
        group_bounds: the new groups of the last release that was judged, each with the people at
            most exposed.
    """

    past: Sequence[KnownRelease]
    promises: Sequence[SessionPromise]
    number: int
    key: bytes
    cells: CellCounts | None = None
    rows: PersonRows | None = None
    exact: bool = False
    group_bounds: list[tuple[ReleaseGroup, int | None]] = field(default_factory=list)

    def refusal(self, now: HandedBatch, singles: SingleCounts | None) -> str | None:
        """Return the reason to refuse a release; None if it may follow.

        singles: the counts of single columns, if they are known.
        """
        release_now = now.releases[0]
        margins = singles or {}
        columns = {
            name: marked_column(name, counts, release_now.hidden.get(name), self.key)
            for name, counts in margins.items()
            if name in release_now.columns
        }
        release = KnownRelease(self.number, release_now, self.cells, columns, self.rows)
        self.group_bounds = []
        try:
            groups = new_groups(self.past, release, self.promises)
        except TooManyGroupsError:
            return TOO_MANY
        self.group_bounds = [(group, group.at_most) for group in groups]
        broken_groups = [
            group
            for group, at_most in self.group_bounds
            if group.breaks(group.exposed if self.exact else at_most)
        ]
        return (
            self._refusal_text(min(broken_groups, key=lambda group: len(group.people)))
            if broken_groups
            else None
        )

    def _refusal_text(self, group: ReleaseGroup) -> str:
        """Return the reason to refuse a release because of a group, as a sentence."""
        n, limit = len(group.people), f"{100 * group.max_exposure:.4g} %"
        if self.exact and group.exposed is not None:
            reason = (
                f"{group.exposed:,} of them are in a crowd smaller than {group.k}, and at most "
            )
            reason += f"{limit} was promised"
        else:
            reason = (
                f"it cannot be proved that at most {limit} of them are in a crowd smaller than "
                f"{group.k}, as was promised"
            )
        if group.at_most is None:
            reason += ", since their counts are not known before the release"
        return f"{n:,} people are told apart by adding and subtracting releases: {reason}; {REMEDY}"

    def accounts(self, released: Sequence[CountedCell]) -> tuple[int, tuple[Subtraction, ...]]:
        """Return the number of new groups of a release, and the most exposed of them.

        released: the cells of the release; () without a release.
        """
        cells = {cell.marks: cell.people for cell in released} or None
        completed = [
            (self._completed(group, cells), at_most) for group, at_most in self.group_bounds
        ]
        rows = [_row(group, at_most) for group, at_most in completed]
        rows.sort(key=lambda row: (row.share, row.people), reverse=True)
        return len(rows), tuple(rows[:MAX_GROUPS])

    def _completed(self, group: ReleaseGroup, cells: CellCounts | None) -> ReleaseGroup:
        """Return a group with the cells of the present release."""
        terms = tuple(
            (replace(release, cells=cells) if release.number == self.number else release, factor)
            for release, factor in group.terms
        )
        return replace(group, terms=terms)


def group_rule(
    past: Sequence[LedgerEntry], scenario: Scenario, crowd: ScenarioPeople, key: bytes
) -> GroupRule:
    """Return the rule for a run of a scenario. past: the sessions of the ledger before it."""
    noisy = scenario.local.mechanism in mechanisms()
    exact = [(number, entry) for number, entry in enumerate(past, 1) if not (noisy or entry.noise)]
    promises = [
        SessionPromise(frozenset(entry.people), entry.k, entry.max_exposure) for _, entry in exact
    ]
    policy = scenario.policy
    return GroupRule(
        [
            known_release
            for number, entry in exact
            if (known_release := _known_release(number, entry)) is not None
        ],
        [*promises, SessionPromise(frozenset(crowd.people), policy.k, policy.max_exposure)],
        len(past) + 1,
        key,
    )


def _known_release(number: int, entry: LedgerEntry) -> KnownRelease | None:
    """Return the known release of an earlier session; None if its batch was not handed on."""
    batch = entry.release
    if batch is None:
        return None
    release = handed_batch(entry, batch).releases[0]
    if not entry.released:
        return KnownRelease(number, release)
    cells = {cell.marks: cell.people for cell in entry.released}
    return KnownRelease.with_cells(number, release, cells, entry.person_rows)


def _row(group: ReleaseGroup, at_most: int | None) -> Subtraction:
    """Return a group as a row of the account."""
    return Subtraction(
        people=len(group.people),
        columns=group.columns,
        releases=_formula(group.terms),
        k=group.k,
        max_exposure=group.max_exposure,
        at_most=at_most,
        exposed=group.exposed,
    )


def _formula(terms: Sequence[tuple[KnownRelease, Fraction]]) -> str:
    """Return the combination, as `session 1 - session 2`; "" if a release was not published."""
    text = ""
    for release, factor in sorted(terms, key=lambda term: (term[1] < 0, term[0].number)):
        sign = "- " if factor < 0 else "+ " if text else ""
        times = "" if abs(factor) == 1 else f"{abs(factor)} x "
        text += f" {sign}{times}session {release.number}"
    return text.strip()
