"""The ledger's account of the people of a run: their sessions, releases and spent epsilon."""

from ...programs.findings import StatedEpsilon
from ...serialization.record import Record


class LocalRuns(Record, frozen=True):
    """Runs for which the local epsilon counts, although reports are shuffled.

    Attributes:
        runs: their number.
        local: the local epsilon of these runs together, in nats.
        why: the reason.
    """

    runs: int
    local: float
    why: str


class MixedSpending(Record, frozen=True):
    """The epsilon after shuffling over all runs, of the person with the largest spending.

    Attributes:
        most: nats, at `delta`; the local epsilon of the runs in `apart` is included.
        delta: the sum of the deltas of the composed runs.
        runs: number of runs that certify an epsilon after shuffling, and are composed.
        relied_on: people that hide each other in the smallest composed run; None without a run.
        apart: the other runs.
        limit: `local.spend_shuffled`, nats; None: no limit.
        beyond: number of people with a spending above the limit.
        adjacency: the definition of neighbouring data sets: they differ in the answers of one
            person, in all runs.
    """

    most: float
    delta: float
    runs: int
    relied_on: int | None
    apart: tuple[LocalRuns, ...]
    limit: float | None
    beyond: int
    adjacency: str


class Spending(Record, frozen=True):
    """The epsilon that the people of a run have spent over all runs of a ledger, this run included.

    Attributes:
        most: nats, the maximum over the people; the run itself counts unless it was refused.
        limit: `local.spend`, nats; None: no limit.
        beyond: number of people with a spending above the limit.
        adjacency: the definition of neighbouring data sets: they differ in the answers of one
            person, in all runs.
        shuffled: the spending after shuffling; None in a result of an earlier version.
    """

    most: float
    limit: float | None
    beyond: int
    adjacency: str = "replace one"
    shuffled: MixedSpending | None = None


class Union(Record, frozen=True):
    """The exposure by all releases of exactly these people together.

    Attributes:
        k: people in the smallest equivalence class that counts as safe.
        people: number of released people.
        at_least, at_most: bounds on the exposed people, from the cells alone.
        true: the true number of exposed people, which the laboratory knows. None if the source
            lacks a column, or a column was made coarser.
    """

    k: int
    people: int
    at_least: int
    at_most: int
    true: int | None


class Subtraction(Record, frozen=True):
    """A group of people that follows from releases by arithmetic, and its exposure.

    Releases about 60 people and about 50 of them give, by subtraction, a release about the other
    ten.

    Attributes:
        people: their number in the group.
        columns: the columns of its joint counts.
        releases: the combination that gives it; "" where only the analyst has all of it.
        k, max_exposure: the strictest promise to any of its people.
        at_most: people in a class smaller than k at most, from the counts of single columns; None:
            not known.
        exposed: people in a class smaller than k; None where the cells contradict each other, or a
            release was not published.
    """

    people: int
    columns: tuple[str, ...]
    releases: str
    k: int
    max_exposure: float
    at_most: int | None
    exposed: int | None

    @property
    def share(self) -> float:
        """The share of the group's people that are exposed, 0 to 1; 1 where that is not known."""
        return 1.0 if self.exposed is None else self.exposed / self.people


class Account(Record, frozen=True):
    """The account of the people of a run in the ledger, with this run.

    Attributes:
        sessions: number of sessions with at least one of these people, this run included.
        refused: the reason why this run was refused; None if it was not.
        warnings: reasons to refuse this run that were only reported.
        releases: the columns of each release.
        union: people exposed by all releases together; None if there are fewer than two.
        spent: the spending of these people, if they add noise; else None.
        groups: number of groups of people that the releases give by arithmetic since this run.
        subtractions: the most exposed of these.
    """

    sessions: int
    refused: str | None
    warnings: tuple[str, ...]
    releases: tuple[tuple[str, ...], ...]
    union: Union | None = None
    spent: Spending | None = None
    groups: int = 0
    subtractions: tuple[Subtraction, ...] = ()

    @property
    def epsilons(self) -> tuple[StatedEpsilon, ...]:
        """The epsilons of all runs together, of the person with the largest spending."""
        if self.spent is None:
            return ()
        local, mixed = self.spent, self.spent.shuffled
        whole = StatedEpsilon("ledger: local", local.most, 0.0, 0.0, local.adjacency)
        if mixed is None:
            return (whole,)
        ends = "ledger: shuffled", mixed.most, 0.0, mixed.delta, mixed.adjacency
        return whole, StatedEpsilon(*ends, relied_on=mixed.relied_on)
