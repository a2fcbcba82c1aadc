"""The first shuffler's rule against releases with a difference that exposes a group of people.

The difference of two releases can be the release about a few people. The rule refuses a release if
the promised exposure cannot be proved for such a group.

A refusal is the reason of an aborted round, which all parties read. It states the number of people
in the group, which follows from the lists of participants, and no count or bound. About the counts
it reveals one bit: that the proof failed. Where counts of single columns are published, all parties
can compute this bit. Where they are secret, the bit is a leak.
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

MAX_GROUPS = 5  # the account lists at most this many groups of people: the most exposed ones
REMEDY = "ask exactly the people of an earlier session, or release nothing more about them"
TOO_MANY = (
    "the releases about these people can be combined in more ways than are looked at, so nobody "
    f"knows which people they tell apart; {REMEDY}"
)


@dataclass(slots=True)
class GroupRule:
    """The rule that refuses a release if, combined with earlier ones, it exposes a group of people.

    A combination multiplies the counts of each release by a factor and adds them, as a difference
    does.

    Attributes:
        past: the earlier releases in the ledger, without noise.
        promises: the largest exposure that each session promised, the present session last.
        number: the number of the present session in the ledger.
        key: the key of the ledger.
        cells: the joint counts of the present release; None if they are not known yet.
        rows: the rows of each person in the present release; None: one row each.
        exact: whether the rule decides by `cells`, and not by bounds from counts of single columns.
        group_bounds: the new groups that the last judged release reveals, each with an upper bound
            on its exposed people; None: unknown.
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
        """Return the reason to refuse a release; None if it is allowed.

        It is refused if, combined with earlier releases, it exposes too many people of some group.
        now: the batch of the release. singles: the counts of single columns; None: unknown.
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
        """Return a sentence that refuses a release because it exposes a group of people."""
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
        """Return the number of groups that a release newly reveals, and the most exposed groups.

        Such a group of people is revealed by adding and subtracting the counts of releases. New:
        earlier releases alone do not reveal it. released: the cells of the present release with
        their counts; () without a release.
        """
        cells = {cell.marks: cell.people for cell in released} or None
        completed = [
            (self._completed(group, cells), at_most) for group, at_most in self.group_bounds
        ]
        rows = [_row(group, at_most) for group, at_most in completed]
        rows.sort(key=lambda row: (row.share, row.people), reverse=True)
        return len(rows), tuple(rows[:MAX_GROUPS])

    def _completed(self, group: ReleaseGroup, cells: CellCounts | None) -> ReleaseGroup:
        """Return a group of people with the joint counts of the present release filled in.

        A group refers to the releases that are added or subtracted; the counts of the present
        release are unknown until it is read. cells: the joint counts of the present release.
        """
        terms = tuple(
            (replace(release, cells=cells) if release.number == self.number else release, factor)
            for release, factor in group.terms
        )
        return replace(group, terms=terms)


def group_rule(
    past: Sequence[LedgerEntry], scenario: Scenario, crowd: ScenarioPeople, key: bytes
) -> GroupRule:
    """Return the rule that refuses releases which expose a group of people, for one run.

    past: the earlier sessions of the ledger. crowd: the people of the run, as fingerprints (keyed
    hashes). key: the key of the ledger.
    """
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
    """Return the release of an earlier session, with the known counts; None if there is no release.

    number: the number of the session in the ledger. entry: the record of the session.
    """
    batch = entry.release
    if batch is None:
        return None
    release = handed_batch(entry, batch).releases[0]
    if not entry.released:
        return KnownRelease(number, release)
    cells = {cell.marks: cell.people for cell in entry.released}
    return KnownRelease.with_cells(number, release, cells, entry.person_rows)


def _row(group: ReleaseGroup, at_most: int | None) -> Subtraction:
    """Return a group of people, revealed by combining releases, as a row of the account.

    at_most: an upper bound on the exposed people in the group; None: unknown.
    """
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
    """Return a sum of releases with factors as text, such as `session 1 - session 2`.

    terms: the releases with their factors. "" for no terms: then a release was not published.
    """
    text = ""
    for release, factor in sorted(terms, key=lambda term: (term[1] < 0, term[0].number)):
        sign = "- " if factor < 0 else "+ " if text else ""
        times = "" if abs(factor) == 1 else f"{abs(factor)} x "
        text += f" {sign}{times}session {release.number}"
    return text.strip()
