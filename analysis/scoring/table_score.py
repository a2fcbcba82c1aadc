"""The score of a table of people: how anonymous they are, and how much of it marginals can promise.

No protocol: whoever scores has the table. `truth` is counted in it. `promised` is what a curator
could prove who sees only the counts of each column (composition/bounds.py); side by side they show
what not seeing the joint costs.

Missing cells have one meaning throughout, which the caller chooses. As a CATEGORY, missing is a
value like any other. As a WILDCARD it matches anything, and a crowd is the people whose rows are
compatible (wildcards.py). The bounds are computed with missing as a value in either case: a
wildcard's crowd is never smaller, so they hold for it too; only the lower bound is then another
one, the most people that a single column exposes.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..composition import WorstCase, best_bound, fewest_exposed, worst_case
from ..composition.margins_bound import margins_bound
from ..exposure import joint_counts
from ..exposure.attacker_risk import Risk, risk
from ..exposure.cells import as_table
from ..exposure.counts import Integers
from ..exposure.equivalence_classes import Crowds
from ..exposure.unrelated_columns import UnrelatedExposure, unrelated_exposure
from ..exposure.wildcards import Wildcards
from ..release_risks import EVERY, TableColumns, TableRisks, table_risks
from ..validation import whole
from .set_scores import Sets, score_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGE = 2_000_000  # cells of a table from which two cores win more than they lose by sharing Python
RULES = ("printed", "refined", "coverage")  # from the paper's to the least


class Missing(StrEnum):
    """What a missing cell means."""

    CATEGORY = "category"
    WILDCARD = "wildcard"


@dataclass(frozen=True, slots=True)
class Scored:
    """One column, or the joint of all: its values that occur, its cells that lack one, its crowds.

    `values` counts "missing" where it occurs and is a value (as a category). Of the joint they are
    the different rows.

    Attributes:
        name: of the column, or of all of them.
        values: that occur.
        missing: cells without a value.
        crowds: people by the size of their crowd.
    """

    name: str
    values: int
    missing: int
    crowds: Crowds


@dataclass(frozen=True, slots=True)
class Bounds:
    """What can be said of the joint at k from its marginals alone, in people.

    Attributes:
        lower: exposed in every table with these marginals.
        printed: the smaller of Theorems 2 and 3 of paper 000.
        refined, coverage: see composition/bounds.py.
        margins: the default promise of a run, see composition/margins_bound.py.
        worst: the worst table, if it was asked for.
    """

    lower: int
    printed: int
    refined: int
    coverage: int
    margins: int
    worst: WorstCase | None


@dataclass(frozen=True, slots=True)
class TableScore:
    """Everything that `score_table` found; people are whole numbers, shares are in [0, 1].

    Attributes:
        n: rows of the table, one a person.
        k: people in the smallest crowd wanted.
        max_exposure: the share of people who may be in a smaller one.
        missing: what an empty cell was taken to be.
        columns: the score of each column by itself.
        joint: the score of all columns together.
        bounds: what could be promised of the joint from the columns alone.
        risk: of an attacker who links records.
        sets: of columns that are safe, in truth and by promise.
        questions: singling out, linkability and inference; k, l and t.
        unrelated: an estimate of the joint's exposure if the columns were unrelated; None for a
            single column, for large tables, and where missing cells match any value.
    """

    n: int
    k: int
    max_exposure: float
    missing: Missing
    columns: tuple[Scored, ...]
    joint: Scored
    bounds: Bounds
    risk: Risk
    sets: Sets
    questions: TableRisks
    unrelated: UnrelatedExposure | None

    @property
    def most(self) -> int:
        """The largest number of people that may be exposed in a safe set."""
        return allowed(self.max_exposure, self.n)

    @property
    def safe(self) -> bool:
        """Whether all columns together are safe in truth."""
        return self.joint.crowds.users_below(self.k) <= self.most

    def __repr__(self) -> str:
        below = self.joint.crowds.users_below(self.k)
        return (
            f"<TableScore of {self.n:,} people, {len(self.columns)} columns, missing as "
            f"{self.missing}: {below:,} people ({below / self.n:.4g}) below k = {self.k}>"
        )

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the exposure of every column and of the joint against k on `ax` or a new figure."""
        from .figure import draw

        return draw(self, ax)


def score_table(
    table: ArrayLike,
    names: Sequence[str],
    k: int = 5,
    max_exposure: float = 0.01,
    *,
    missing: Missing | str = Missing.CATEGORY,
    missing_codes: Sequence[int | None] | None = None,
    factor: float = 1.0,
    worst_case_nodes: int | None = None,
    asked: TableColumns = EVERY,
    progress: Callable[[str], None] = lambda _stage: None,
) -> TableScore:
    """Score a table.

    Args:
        table: n x d integer codes of at least 0, one row a person; n >= 2, d >= 1.
        names: the names of the columns.
        k: an integer of at least 1; people with a crowd smaller than k are exposed.
        max_exposure: the share of people who may be, in [0, 1].
        missing: what missing cells mean.
        missing_codes: for each column the code of a missing cell, or None if it has none.
        factor: people in the population for each one in the table (exposure/attacker_risk.py).
        worst_case_nodes: of every search tree for the worst table with these marginals; None: it
            is not sought. Ctrl-C ends the search, and the score has what was found by then.
        asked: what singling out, linkability and inference are asked of.
        progress: is called with the name of each stage as it begins.
    """
    codes = np.asfortranarray(as_table(table))  # columns are read one at a time
    n, d = codes.shape
    lacking = [None] * d if missing_codes is None else list(missing_codes)
    _check(n, d, len(names), len(lacking), k, max_exposure)
    meaning = _meaning(missing)
    wild = Wildcards.of(codes, lacking) if meaning is Missing.WILDCARD else None
    progress("columns one by one")
    marginals = [joint_counts(codes[:, j : j + 1], [0]) for j in range(d)]
    lacks = [_cells(codes[:, j], code) for j, code in enumerate(lacking)]
    columns = tuple(_column(name, marginals[j], lacks[j], wild, j) for j, name in enumerate(names))
    progress("all columns together")
    joint = _joint(codes, wild, sum(lacks))
    progress("bounds from the marginals")
    singles = [column.crowds.users_below(k) for column in columns]
    bounds = _bounds(marginals, k, max(singles) if wild else None, worst_case_nodes, progress)
    questions = _questions(codes, asked)
    progress("columns permuted")
    unrelated = None if wild else unrelated_exposure(marginals, k)
    sets = score_sets(codes, marginals, k, allowed(max_exposure, n), wild, progress)
    progress("singling out, linkability, inference")
    found = (columns, joint, bounds, risk(joint.crowds, k, factor), sets, questions(), unrelated)
    return TableScore(n, k, max_exposure, meaning, *found)


def _questions(codes: NDArray[np.integer], asked: TableColumns) -> Callable[[], TableRisks]:
    """The answers to the regulators' questions; of a large table they are sought at once."""
    answer: Callable[[], TableRisks] = partial(table_risks, codes, asked)
    return _beside(answer) if codes.size >= LARGE else answer


def _beside(call: Callable[[], TableRisks]) -> Callable[[], TableRisks]:
    """Start a call on another core; what is returned waits for its result, or raises its error.

    Its thread ends with the process: who gives up waits for nothing.
    """
    risks = Future[TableRisks]()

    def run() -> None:
        try:
            risks.set_result(call())
        except BaseException as wrong:
            risks.set_exception(wrong)

    Thread(target=run, daemon=True).start()
    return risks.result


def allowed(share: float, n: int) -> int:
    """The largest number of n people whose share, as a float, is at most `share`."""
    people = min(n, int(share * n) + 1)
    while people / n > share:
        people -= 1
    return people


def _check(n: int, d: int, names: int, lacking: int, k: int, max_exposure: float) -> None:
    if n < 2 or d < 1:
        raise ParameterError(
            f"table: found {n} people and {d} columns; at least two people and one column are "
            "accepted, since nobody hides in a crowd of one"
        )
    if names != d or lacking != d:
        raise ParameterError(
            f"names, missing_codes: found {names} and {lacking} for {d} columns; one for each is "
            "accepted"
        )
    if whole(k, "k") < 1:
        raise ParameterError(f"k: found {k}; an integer of at least 1 is accepted")
    if not 0 <= max_exposure <= 1:
        raise ParameterError(
            f"max_exposure: found {max_exposure}; a share of the people, 0 to 1, is accepted"
        )


def _meaning(missing: Missing | str) -> Missing:
    try:
        return Missing(missing)
    except ValueError:
        raise ParameterError(
            f"missing: found {missing!r}; {' and '.join(Missing)} are accepted"
        ) from None


def _cells(column: NDArray[np.integer], code: int | None) -> int:
    return 0 if code is None else int(np.count_nonzero(column == code))


def _column(name: str, counts: Integers, lacks: int, wild: Wildcards | None, j: int) -> Scored:
    """Column j, `lacks` cells of which are missing."""
    if wild is None:
        return Scored(name, counts.size, lacks, Crowds.of_cells(counts))
    return Scored(name, counts.size - (lacks > 0), lacks, wild.crowds((j,)))


def _joint(codes: NDArray[np.integer], wild: Wildcards | None, lacks: int) -> Scored:
    """All columns together, `lacks` cells of which are missing."""
    every = tuple(range(codes.shape[1]))
    cells = joint_counts(codes, every)
    crowds = Crowds.of_cells(cells) if wild is None else wild.crowds(every)
    return Scored("all columns", cells.size, lacks, crowds)


def _bounds(
    marginals: list[Integers],
    k: int,
    forced: int | None,
    nodes: int | None,
    progress: Callable[[str], None],
) -> Bounds:
    """`forced`: the lower bound where missing cells match anything."""
    lower = fewest_exposed(marginals, k) if forced is None else forced
    printed, refined, coverage = (best_bound(marginals, k, rule).people for rule in RULES)
    worst = None
    if nodes is not None:
        worst = worst_case(
            marginals,
            k,
            nodes=nodes,
            keep=True,
            progress=lambda step: progress(f"the worst table: {step}"),
        )
    return Bounds(lower, printed, refined, coverage, margins_bound(marginals, k).people, worst)
