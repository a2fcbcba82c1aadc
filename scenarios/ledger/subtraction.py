"""The rule on groups that releases give by arithmetic, as the first shuffler asks for it.

What the refusal tells. It is the reason of a burned round, which everybody reads: how many people
the group has, which follows from who took part, and that the promise cannot be proved of them. Of
counts it tells that one bit; no bound and no count is in it. Where counts of single columns are
published, anybody can compute the bit. Where they are secret, it is a bit about them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ...protocol.history import HandedBatch, SingleCounts
from ..schema.mechanisms import mechanisms
from ..schema.model import Scenario
from .account import Subtraction
from .batches import handed_batch
from .cells import CellCounts, CountedCell, marked_column
from .entry import Entry
from .groups import Group, KnownRelease, Promise, TooManyGroupsError, new_groups
from .people import Crowd

SHOWN = 5  # groups of an account: the most exposed ones
REMEDY = "ask exactly the people of an earlier session, or release nothing more about them"
TOO_MANY = (
    "the releases about these people can be combined in more ways than are looked at, so nobody "
    f"knows which people they tell apart; {REMEDY}"
)


@dataclass(slots=True)
class GroupRule:
    """Whether a release may follow others, by the groups that they give together.

    Attributes:
        past: the releases of the ledger about which counts may be combined.
        promises: of all sessions, the present one last.
        number: of the present session.
        key: of the ledger.
        cells: the cells of the present release, where whoever asks has them; None before a session
            has ended.
        exact: whether `cells` decide, and not the counts of single columns.
        found: the new groups of the last release that was judged, each with the people at most
            exposed.
    """

    past: Sequence[KnownRelease]
    promises: Sequence[Promise]
    number: int
    key: bytes
    cells: CellCounts | None = None
    exact: bool = False
    found: list[tuple[Group, int | None]] = field(default_factory=list)

    def refusal(self, now: HandedBatch, singles: SingleCounts | None) -> str | None:
        """Return the reason to refuse a release, if there is one.

        singles: the counts of single columns, if they are known.
        """
        told = now.releases[0]
        known = singles or {}
        columns = {
            name: marked_column(name, counts, told.hidden.get(name), self.key)
            for name, counts in known.items()
            if name in told.columns
        }
        release = KnownRelease(self.number, told, self.cells, columns)
        self.found = []
        try:
            groups = new_groups(self.past, release, self.promises)
        except TooManyGroupsError:
            return TOO_MANY
        self.found = [(group, group.at_most) for group in groups]
        broken = [
            group
            for group, at_most in self.found
            if group.breaks(group.exposed if self.exact else at_most)
        ]
        return self._why(min(broken, key=lambda group: len(group.people))) if broken else None

    def _why(self, group: Group) -> str:
        n, most = len(group.people), f"{100 * group.max_exposure:.4g} %"
        if self.exact and group.exposed is not None:
            shown = f"{group.exposed:,} of them are in a crowd smaller than {group.k}, and at most "
            shown += f"{most} was promised"
        else:
            shown = (
                f"it cannot be proved that at most {most} of them are in a crowd smaller than "
                f"{group.k}, as was promised"
            )
        if group.at_most is None:
            shown += ", since their counts are not known before the release"
        return f"{n:,} people are told apart by adding and subtracting releases: {shown}; {REMEDY}"

    def accounts(self, released: Sequence[CountedCell]) -> tuple[int, tuple[Subtraction, ...]]:
        """The number of new groups of a release, and the most exposed of them.

        released: its cells; () if nothing was released.
        """
        cells = {cell.marks: cell.people for cell in released} or None
        given = [(self._completed(group, cells), at_most) for group, at_most in self.found]
        rows = [_row(group, at_most) for group, at_most in given]
        rows.sort(key=lambda row: (row.share, row.people), reverse=True)
        return len(rows), tuple(rows[:SHOWN])

    def _completed(self, group: Group, cells: CellCounts | None) -> Group:
        """A group with the cells of the present release."""
        terms = tuple(
            (replace(release, cells=cells) if release.number == self.number else release, factor)
            for release, factor in group.terms
        )
        return replace(group, terms=terms)


def group_rule(past: Sequence[Entry], scenario: Scenario, crowd: Crowd, key: bytes) -> GroupRule:
    """Give the rule for a run of a scenario. past: the sessions of the ledger before it."""
    noisy = scenario.local.mechanism in mechanisms()
    exact = [(number, entry) for number, entry in enumerate(past, 1) if not (noisy or entry.noise)]
    promises = [Promise(frozenset(entry.people), entry.k, entry.max_exposure) for _, entry in exact]
    policy = scenario.policy
    return GroupRule(
        [known for number, entry in exact if (known := _known(number, entry)) is not None],
        [*promises, Promise(frozenset(crowd.people), policy.k, policy.max_exposure)],
        len(past) + 1,
        key,
    )


def _known(number: int, entry: Entry) -> KnownRelease | None:
    """The release of an entry; None if none was handed on."""
    batch = entry.release
    if batch is None:
        return None
    release = handed_batch(entry, batch).releases[0]
    if not entry.released:
        return KnownRelease(number, release)
    cells = {cell.marks: cell.people for cell in entry.released}
    return KnownRelease.with_cells(number, release, cells)


def _row(group: Group, at_most: int | None) -> Subtraction:
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
    """The combination, as `session 1 - session 2`; "" where a release is known to one party."""
    text = ""
    for release, factor in sorted(terms, key=lambda term: (term[1] < 0, term[0].number)):
        sign = "- " if factor < 0 else "+ " if text else ""
        times = "" if abs(factor) == 1 else f"{abs(factor)} x "
        text += f" {sign}{times}session {release.number}"
    return text.strip()
