"""The findings of the release program `threshold`: released rows, and rows that stay encrypted.

A row opens (the reader can decrypt it) if at least k people share it, else it stays closed. A cell
is the value of a person in a column, released or not. Only the reader, and a simulation such as
this, knows the sizes of closed groups (people with equal rows); the board does not show them.
"""

from collections import Counter
from collections.abc import Collection
from itertools import permutations
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....errors import VerificationError
from ....protocol.rounds.exclusion import (
    Excluded,
    close_further,
    domains_of,
    excluded,
    known_to_reader,
    sizes_behind,
)
from ....protocol.rounds.opened_prefixes import (
    cells_said,
    closed_groups,
    cut_short,
    opened,
    prefix_of,
)
from ....protocol.wire.parties import ANALYST, RANDOMNESS
from ...serialization.record import Record, plain
from ..claim_check import claimed, require_close
from ..evidence import ProgramEvidence
from ..findings import Findings, StatedEpsilon
from .estimates import Sampled, estimated_cells, sampled_by

if TYPE_CHECKING:
    from ....protocol.knowledge.transcript import Read, Transcript
    from ....protocol.wire.messages import Counts
    from ....protocol.wire.schema import Schema
    from ...schema.model import Policy
    from ..interface import Played

# largest number of columns for which the best order of the columns is computed, because every order
# is tried; with more columns no best order is given. In the best order, prefixes (the first values
# of rows) release the most values.
MAX_ORDERED_COLUMNS = 5


class Depth(Record, frozen=True):
    """The number of people with exactly the first `columns` columns released.

    Attributes:
        columns: the number of released columns, 0 to all.
        people: the number of people.
    """

    columns: int
    people: int


class ClosedGroups(Record, frozen=True):
    """The closed groups of one size: fewer than k people with equal rows, which stay encrypted.

    The reader of the ballots sees the sizes of the groups, without the rows.

    Attributes:
        people: the number of people in each group, 1 to k - 1.
        groups: the number of groups.
    """

    people: int
    groups: int


class Order(Record, frozen=True):
    """An order of the columns, and the number of values it would release as prefixes of rows.

    A prefix is the first values of a row in this order.

    Attributes:
        features: all names, in this order.
        cells: the number of released cells: values of people in columns.
    """

    features: tuple[str, ...]
    cells: int


class OpenedRows(Findings, frozen=True, tag="threshold"):
    """The findings of `threshold`: the rows that k people share open, all other rows stay closed.

    The reader can decrypt an open row, but not a closed row. A prefix is the first values of a row.
    A group is the people with equal rows (or prefixes). A cell is the value of a person in a
    column.

    Attributes:
        k: the number of people with equal values that opens a group.
        prefixes: whether prefixes open too, in the order of the features.
        cells: the number of released cells.
        of: the number of all cells: people times features.
        depths: for each number of released columns that occurs, the people with so many.
        cut_short: people of whom some values are released, in groups of fewer than k people with
            exactly these released values. At least k people share the values; the rest of them
            have more values released.
        closed: groups that stayed closed, by size; () in the record of a party without this view.
        astray: people with an open prefix and in no closed group, because the rest of their
            message is junk; only the reader knows them.
        excluded: people with closed rows in a small class that the release reveals by exclusion:
            all people outside the class are in the release.
        excluded_cells: values of people with closed rows for which only one possible value is left.
        reader_excluded: people in a small class that the reader infers by exclusion, because it
            also sees the sizes of closed groups.
        best: the order of features with the most released cells, which depends on the true
            table; None without prefixes, or with many features.
        sampled: estimates and privacy losses under random participation; else None.
    """

    k: int
    prefixes: bool
    cells: int
    of: int
    depths: tuple[Depth, ...]
    cut_short: int
    closed: tuple[ClosedGroups, ...]
    best: Order | None = None
    sampled: Sampled | None = None
    astray: int = 0
    excluded: int = 0
    excluded_cells: int = 0
    reader_excluded: int = 0

    @property
    def epsilons(self) -> tuple[StatedEpsilon, ...]:
        """The epsilon of random participation, with the delta of each view; () if all take part."""
        return self.sampled.stated if self.sampled else ()

    @property
    def withheld(self) -> int:
        """The number of people with a row that the reader can decrypt, but withholds in part.

        The reader withholds values that would reveal small classes by exclusion.
        """
        width = self.of // self.people if self.people else 0
        stopped = sum(depth.people for depth in self.depths if depth.columns < width)
        return stopped - self.closed_people - self.astray

    @property
    def people(self) -> int:
        """The number of people that the release counts, with or without a released value."""
        return sum(depth.people for depth in self.depths)

    @property
    def share(self) -> float:
        """The share of cells (people times features) that are released, 0 to 1."""
        return self.cells / self.of if self.of else 0.0

    def scale_release(self, release: "Counts") -> "tuple[Counts, float] | None":
        """Return the released rows scaled to all people, and the share of released cells.

        A cell is the value of a person in a column. None if all people take part.
        """
        if self.sampled is None:
            return None
        return estimated_cells(release, self.sampled.rate), self.share

    @property
    def by_exclusion(self) -> "tuple[int, int] | None":
        """The number of users known by exclusion: to all readers, and to the analyst.

        All people outside their small class are in the release, so these users must be in the
        class. The analyst, which decrypts rows, also sees the sizes of groups that stay encrypted.
        None if people take part at random, because a message may then hold no row.
        """
        if self.sampled is not None:
            return None
        return self.excluded, max(self.excluded, self.reader_excluded)

    @property
    def closed_people(self) -> int:
        """The number of people in closed groups: fewer than k people with equal, encrypted rows."""
        return sum(size.people * size.groups for size in self.closed)


def excluded_by(release: "Counts", policy: "Policy", schema: "Schema") -> Excluded:
    """Return the numbers of people and values that a release reveals by exclusion.

    All people outside a small class are in the release, so the class must have the remaining
    values. Both numbers are 0 if people take part at random: any message may then be a dummy,
    without a row.
    """
    if policy.sample is not None:
        return Excluded(0, 0)
    closed, domains = policy.close == "published", domains_of(schema)
    return excluded(release, policy.k, domains, prefixes=policy.prefixes, closed=closed)


def public_record(release: "Counts", schema: "Schema", policy: "Policy") -> OpenedRows:
    """Return the findings of `threshold` as far as they follow from the release alone."""
    columns, exclusion = len(schema.names), excluded_by(release, policy, schema)
    depths: dict[int, int] = {}
    for cell, people in release.items():
        depth = len(prefix_of(cell))
        depths[depth] = depths.get(depth, 0) + people
    return OpenedRows(
        policy.k,
        policy.prefixes,
        cells_said(release),
        sum(release.values()) * columns,
        tuple(Depth(depth, depths[depth]) for depth in sorted(depths)),
        cut_short(release, policy.k),
        (),
        sampled=sampled_by(policy, release),
        excluded=exclusion.people,
        excluded_cells=exclusion.cells,
    )


def score(
    policy: "Policy",
    schema: "Schema",
    release: "Counts",
    rows: "Counts",
    read: "Read | None" = None,
) -> OpenedRows:
    """Return the release program's own scores (findings) of a release, for `threshold`.

    release: the released counts. rows: whole row, as submitted -> number of people. read: the
    reader's result of opening ballots; None: not known, so closed groups are computed from `rows`.
    """
    names, prefixes = schema.names, policy.prefixes
    closed_sizes = read.closed if read else None
    groups = (
        closed_groups(rows, policy.k, prefixes=prefixes) if closed_sizes is None else closed_sizes
    )
    return replace(
        public_record(release, schema, policy),
        closed=tuple(ClosedGroups(size, groups[size]) for size in sorted(groups)),
        astray=read.astray if read else 0,
        reader_excluded=_known_to_reader(rows, policy, schema),
        best=best_order(policy, schema, rows)
        if prefixes and len(names) <= MAX_ORDERED_COLUMNS
        else None,
    )


def _known_to_reader(rows: "Counts", policy: "Policy", schema: "Schema") -> int:
    """Return the number of people in small classes that the reader infers by exclusion.

    The reader sees the release, and the sizes of the groups of equal rows that stay encrypted.
    """
    if policy.sample is not None:
        return 0
    k, prefixes = policy.k, policy.prefixes
    open_, sizes = opened(rows, k, prefixes=prefixes), sizes_behind(rows, k, prefixes=prefixes)
    return known_to_reader(sizes, open_, k, domains_of(schema), prefixes=prefixes)


def rows_tried(played: "Played") -> "Counts":
    """Return the rows that the analyst and the party `randomness` together can read.

    `randomness` gives users secrets that only equal rows share. With it, the analyst can try every
    possible row, and so read all submitted rows. A person that does not take part has an all-blank
    row.
    """
    counts_seen = played.look((ANALYST, RANDOMNESS)).counted
    return counts_seen[-1].counts


def sealed_rows(transcript: "Transcript", people: Collection[int]) -> "Counts":
    """Return submitted row -> number of people, for the people given by index in `people`."""
    return Counter(
        tuple(values)
        for user_answers in transcript.sealed_answers
        if user_answers.user in people
        for _, values in user_answers.answers
    )


def best_order(policy: "Policy", schema: "Schema", rows: "Counts") -> Order:
    """Return the order of the columns in which the release of prefixes holds the most cells.

    A prefix is the first values of a row; a cell is a person's value in a column. rows: whole
    row -> number of people, which no party of a session knows. Of several best orders the order
    that comes first by column index is returned.
    """
    orders = (
        (-cells_said(_ordered(rows, places, policy, schema)), places)
        for places in permutations(range(len(schema.names)))
    )
    cells, places = min(orders)
    return Order(tuple(schema.names[j] for j in places), -cells)


def _ordered(
    rows: "Counts", places: tuple[int, ...], policy: "Policy", schema: "Schema"
) -> "Counts":
    """Return the release of the rows if the columns stood in this order. places: column indices."""
    moved = {tuple(row[j] for j in places): people for row, people in rows.items()}
    released = opened(moved, policy.k, prefixes=True)
    if policy.close != "published" or policy.sample is not None:
        return released
    domains = [domains_of(schema)[j] for j in places]
    sizes = sizes_behind(moved, policy.k, prefixes=True)
    return close_further(released, sizes, policy.k, domains, prefixes=True)


def recomputed(evidence: ProgramEvidence) -> str:
    """Recompute the findings on released values from the released counts; return a summary.

    The release is read from the board. The sizes of groups that stay encrypted and the best order
    of columns are not on the board. The check takes them as claimed and tests that they are
    possible; a replay recomputes them.
    """
    findings, policy = claimed(evidence, OpenedRows), evidence.run.scenario.policy
    columns, schema = len(evidence.result.features), evidence.schema
    release = dict(evidence.result.release.cells)
    computed = public_record(release, schema, policy)
    claim = replace(findings, closed=(), best=None, astray=0, reader_excluded=0)
    require_close("threshold", plain(computed), plain(claim))
    if any(not 0 < size.people < policy.k or size.groups < 1 for size in findings.closed):
        raise VerificationError(
            "result.json, findings.closed: closed groups have 1 to k - 1 people"
        )
    stopped = sum(depth.people for depth in findings.depths if depth.columns < columns)
    withheld = stopped - findings.closed_people - findings.astray
    closes = policy.close == "published" and policy.sample is None
    if findings.astray < 0 or withheld < 0 or (withheld and not closes):
        raise VerificationError(
            "result.json, findings: people in closed groups (rows that fewer than k people share) "
            "and astray people (a released prefix, then an invalid rest) do not add up to the "
            "people whose rows are not released in full"
        )
    if not 0 <= findings.reader_excluded <= findings.closed_people:
        raise VerificationError(
            "result.json, findings.reader_excluded: more people than there are in closed groups "
            "(rows that fewer than k people share)"
        )
    return f"{findings.cells:,} released cells, of {findings.of:,}, counted again from the release"
