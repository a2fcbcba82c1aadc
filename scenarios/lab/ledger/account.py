"""The ledger's account of the people of a run: their sessions, releases and spent epsilon.

The ledger is the file that remembers past sessions, so that releases cannot be combined against a
person.
"""

from ...programs.findings import StatedEpsilon
from ...serialization.record import Record


class LocalRuns(Record, frozen=True):
    """Runs that cost a person their local epsilon, although their reports are shuffled.

    Local epsilon is the epsilon of reports before the mix.

    Attributes:
        runs: the number of these runs.
        local: the local epsilon of these runs together, in nats.
        why: the reason why no epsilon after shuffling applies.
    """

    runs: int
    local: float
    why: str


class MixedSpending(Record, frozen=True):
    """The epsilon after shuffling over all runs, of the person with the largest total.

    Attributes:
        most: the total epsilon of this person, in nats, at `delta`; the local epsilon of the runs
            in `apart` is included.
        delta: the sum of the deltas of the composed runs.
        runs: number of runs that certify an epsilon after shuffling, and are composed.
        relied_on: number of people that hide each other in the smallest composed run; None without
            such a run.
        apart: the other runs, which count with their local epsilon (of a report before the mix).
        limit: the largest permitted total, in nats (`local.spend_shuffled`); None: no limit.
        beyond: number of people with a total above the limit.
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
    """The local epsilon that people have spent over all runs in a ledger, with the present run.

    Attributes:
        most: the maximum over the people of the present run, in nats; this run counts unless it was
            refused.
        limit: the largest permitted total, in nats (`local.spend`); None: no limit.
        beyond: number of people with a total above the limit.
        adjacency: the definition of neighbouring data sets: they differ in the answers of one
            person, in all runs.
        shuffled: the total epsilon after shuffling; None in a result of an earlier version.
    """

    most: float
    limit: float | None
    beyond: int
    adjacency: str = "replace one"
    shuffled: MixedSpending | None = None


class Union(Record, frozen=True):
    """The exposure of a set of people by all releases about exactly this set, taken together.

    Attributes:
        k: number of people in the smallest equivalence class that counts as safe.
        people: number of released people.
        at_least, at_most: bounds on the number of exposed people, from the released counts alone.
        true: the true number of exposed people, which the laboratory knows. None if the source
            lacks a column, or a column was made coarser.
    """

    k: int
    people: int
    at_least: int
    at_most: int
    true: int | None


class Subtraction(Record, frozen=True):
    """A group of people with counts that follow from releases by arithmetic, and its exposure.

    A release about 60 people less a release about 50 of them is a release about the other ten.

    Attributes:
        people: the number of people in the group.
        columns: the columns of the group's joint counts.
        releases: the combination of releases that gives the counts, as text; "" if only the analyst
            has all of these releases.
        k, max_exposure: the strictest limits promised to any person in the group: people in the
            smallest safe equivalence class, and share of people in smaller classes.
        at_most: upper bound on the number of people in a class smaller than k, from the counts of
            single columns; None: unknown.
        exposed: number of people in a class smaller than k; None if the counts contradict each
            other, or a release was not published.
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
        """The share of the group's people that are exposed, 0 to 1; 1 if the number is unknown."""
        return 1.0 if self.exposed is None else self.exposed / self.people


class Account(Record, frozen=True):
    """The account of the people of a run in the ledger, with this run.

    A group is a set of people with counts that follow from several releases by addition and
    subtraction.

    Attributes:
        sessions: number of sessions with at least one of these people, this run included.
        refused: the reason why this run was refused; None if it was not.
        warnings: reasons to refuse this run that were only reported.
        releases: the columns of each release.
        union: people exposed by all releases together; None if there are fewer than two.
        spent: the epsilon that these people have spent, if they add noise; otherwise None.
        groups: number of groups that this run's release and earlier releases give, and earlier
            releases alone did not.
        subtractions: the groups with the largest share of exposed people.
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
        """The total epsilons of the person with the largest spending; () without noise."""
        if self.spent is None:
            return ()
        local, mixed = self.spent, self.spent.shuffled
        whole = StatedEpsilon("ledger: local", local.most, 0.0, 0.0, local.adjacency)
        if mixed is None:
            return (whole,)
        ends = "ledger: shuffled", mixed.most, 0.0, mixed.delta, mixed.adjacency
        return whole, StatedEpsilon(*ends, relied_on=mixed.relied_on)
