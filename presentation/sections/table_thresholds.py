"""The thresholds on the page of a scored table: limits, results, and their authorities."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent
from ...own_data.thresholds import SIGNER_TEXT, thresholds
from ..blocks import SignedTable
from ..presenters.table_score import people_limit
from ..text_blocks import Grid, Marked
from .table_facts import below, release_of, target_columns

if TYPE_CHECKING:
    from ...own_data.score_record import ScoredTable, SensitiveColumn

Row = tuple[str, ...]
OPEN = Marked("open", "bad")
HEADINGS = ("measure", "asked", "found", "", "whose threshold")
MOST_SENSITIVE = 2  # largest number of sensitive columns with thresholds on the first page
NO_AUTHORITY = "nobody asked"
CITED = (
    "Thresholds of authorities, each read in its source. Those about cells of tables of counts are "
    "compared with crowds here: a crowd of the released table is a cell of all its known columns. "
    "Whether a threshold applies to this release is for the signer to say."
)


def threshold_table(score: "ScoredTable") -> SignedTable:
    """Return the table of measures (k, l, t) with the limit asked for and the value found.

    A measure without a limit has a row too, marked as open.
    """
    rows = [_crowd(score), *_all_released(score)]
    for column in score.sensitive[:MOST_SENSITIVE]:
        rows += _sensitive(score, column)
    threshold = release_of(score).threshold
    note = (f"{threshold.name}: {threshold.source}.",) if threshold else ()
    title = "3 Thresholds, and whose they are"
    return SignedTable("thresholds", title, HEADINGS, rows, right=(1, 2), note=note)


def targets_met(score: "ScoredTable") -> bool:
    """Whether every limit that was asked for a sensitive column is met."""
    rows = (row for column in score.sensitive for row in _sensitive(score, column))
    return not any(cell == "not met" for row in rows for cell in row)


def _crowd(score: "ScoredTable") -> Row:
    """Return the row on k: the smallest crowd that is wanted, and the smallest that is found.

    A crowd is the people with equal values in the columns that attackers are assumed to know.
    """
    k, n, exposed = score.k, score.users, below(score)
    threshold = release_of(score).threshold
    authority = threshold.authority if threshold else SIGNER_TEXT
    limit = f"; at most {percent(score.max_exposure)} below" if score.max_exposure else ""
    exposed_text = f"; {percent(exposed / n)} below" if exposed else ""
    is_met = exposed <= people_limit(score)
    return (
        f"smallest crowd k (largest chance 1/k){limit}",
        _chance(k),
        f"{_chance(target_columns(score).smallest_crowd)}{exposed_text}",
        Marked("met", "good") if is_met else Marked("not met", "bad"),
        authority,
    )


def _chance(k: int) -> str:
    """Return the size k of a crowd as text, with 1/k: the chance to pick the right person in it."""
    return f"{k:,} ({1 / k:.2g})"


def _all_released(score: "ScoredTable") -> Iterator[Row]:
    """Yield a row on an attacker that knows all released columns.

    No row if the target k already covers all released columns.
    """
    joint = score.joint
    if target_columns(score) is not joint:
        yield (
            "the same, if others know everything released",
            "none",
            _chance(joint.smallest_crowd),
            OPEN,
            NO_AUTHORITY,
        )


def _sensitive(score: "ScoredTable", column: "SensitiveColumn") -> Iterator[Row]:
    """Yield the rows on l-diversity and t-closeness of a sensitive column, with limits."""
    targets = {
        target.measure: target.asked
        for target in release_of(score).targets
        if target.column == column.column
    }
    name = column.column[:24]
    measured_values = {
        "l": column.diversity,
        "entropy-l": column.entropy_diversity,
        "t": column.closeness,
    }
    means = {
        "l": f"l of {name}: different values in a crowd",
        "entropy-l": f"entropy-l of {name}: exp of the entropy in a crowd",
        "t": f"t of {name}: 0 a crowd is like all, 1 unlike",
    }
    for measure, reached in measured_values.items():
        limit = targets.get(measure)
        if limit is None and measure == "entropy-l":
            continue
        yield (
            means[measure],
            "none" if limit is None else f"{limit:g}",
            f"{reached:.0f}" if measure == "l" else f"{reached:.2f}",
            OPEN if limit is None else _mark(measure, reached, limit),
            NO_AUTHORITY if limit is None else SIGNER_TEXT,
        )


def _mark(measure: str, reached: float, limit: float) -> Marked:
    """Return `met` or `not met` for a measure of a sensitive column and its limit.

    measure: `t` (t-closeness) may not exceed the limit; `l` or `entropy-l` (l-diversity) must reach
    it. reached: the measured number.
    """
    within = reached <= limit + 1e-9 if measure == "t" else reached >= limit - 1e-9
    return Marked("met", "good") if within else Marked("not met", "bad")


def citations(score: "ScoredTable") -> Grid:
    """Return every authority's threshold, its source, and the share of people below it here."""
    n, part = score.users, target_columns(score)
    rows = [
        (
            name,
            f"{threshold.authority}: {threshold.states} ({threshold.about})",
            "no number" if threshold.k is None else f"{threshold.k}",
            "" if threshold.k is None else percent(part.curve.people_below(threshold.k) / n),
            threshold.source,
        )
        for name, threshold in thresholds().items()
    ]
    headings = ("--threshold", "whose, and what it states", "k", "people below k", "read in")
    return Grid(headings, rows, (2, 3), "Thresholds of authorities")
