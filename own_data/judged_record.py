"""The record of a release that was made elsewhere, judged against the original table."""

from ..analysis.release_risks import ShareInterval
from ..scenarios.serialization.record import Record
from .score_record import AskedQuestion, SensitiveColumn


class MatchedColumn(Record, frozen=True):
    """A column that the release and the original have in common.

    Attributes:
        column: its name in the original.
        known: whether an attacker may know it.
        values, original_values: number of different values, in the release and in the
            original.
        coarser: number of different released values that stand for other original values
            than themselves.
        strange: number of cells of the release with a value that stands for no original
            value.
        examples: some values of such cells.
        bits, original_bits: entropy, in bits a row, in the release and in the original.
        distance: total variation distance, 0 to 1, between the released values and the
            original values, made as coarse as the release.
    """

    column: str
    known: bool
    values: int
    original_values: int
    coarser: int
    strange: int
    examples: tuple[str, ...]
    bits: float
    original_bits: float
    distance: float


class LinkRisks(Record, frozen=True):
    """Re-identification risks: people of the original beside the rows of the release that fit them.

    A row fits a person if its values in the known columns (that an attacker may know) may
    stand for the person's values. If persons have several rows, a person counts with its
    most exposed row. Persons are then counted, not fitting rows: the fewest persons that can
    have the fitting rows (`analysis/release_risks/person_matches.py`).

    Attributes:
        people: people of the original.
        fitted: people with at least one fitting row.
        below_k: number of fitted people with fewer than k fitting rows.
        single: number of fitted people with a single fitting row.
        pairs: number of fitted people with a row that fits no other person.
        fewest: the least number of fitting rows of a fitted person; 0 without such a
            person.
        prosecutor_largest, prosecutor_mean: probability that a random fitting row belongs
            to a person that is known to be in the release (1 over the number of fitting
            rows): its maximum and mean over fitted people.
        rows_fitted: rows that fit at least one person.
        journalist_largest, journalist_mean: probability that a random fitting person is the
            person of a row (1 over the number of fitting people): its maximum and mean over
            these rows.
        marketer: expected share of all rows that are linked to the right person.
    """

    people: int
    fitted: int
    below_k: int
    single: int
    pairs: int
    fewest: int
    prosecutor_largest: float
    prosecutor_mean: float
    rows_fitted: int
    journalist_largest: float
    journalist_mean: float
    marketer: float


class CopiedRows(Record, frozen=True):
    """Rows of the release that copy a row of the original in all columns of both files.

    Attributes:
        rows: number of copying rows of the release.
        of_unique: number of copying rows of which the copied row belongs to a single person.
        people: people of the original with a row that only they have and that is released.
        people_share: `people` as a share of all people of the original, 0 to 1.
        control_share: the share of people outside the release with such a row; None without a
            table of them (a control).
    """

    rows: int
    of_unique: int
    people: int
    people_share: float
    control_share: float | None


class NearestRows(Record, frozen=True):
    """The distance of released rows to the nearest row of the original, 0 to 1.

    It is Gower's distance: the mean over columns of 0 or 1 for equal or different categories, and
    of the difference of numbers divided by the column's range. The control is a table of people
    outside the release.

    Attributes:
        rows: number of compared rows.
        zero: share of compared rows at distance 0.
        median: median of the distances.
        control_median: median of the distances to the nearest row of the control; None
            without a control.
        nearer: share of rows nearer to the original than to the control, with its 95 %
            interval; 0.5 is expected without copying. None without a control.
    """

    rows: int
    zero: float
    median: float
    control_median: float | None
    nearer: ShareInterval | None


class JudgedRelease(Record, frozen=True):
    """A release that was made elsewhere, judged against the original table of people.

    Attributes:
        release, original, control: names of the files; control, people outside the release,
            is "" without such a file.
        rows: rows of the release, without suppressed rows.
        suppressed: rows of the release with * in every known column.
        k: people in the smallest safe equivalence class.
        columns: columns that are in both files.
        added: columns of the release that the original lacks.
        lacking: columns of the original that the release lacks.
        identifiers: direct identifiers of the original that are released.
        release_smallest: rows in the smallest equivalence class of the release, by the
            known columns.
        release_below_k: rows of the release in such classes of fewer than k rows.
        links: re-identification risks of the people of the original.
        copies: rows that copy a row of the original.
        nearest: distances to the nearest original row; None if columns are coarser.
        questions: the attacks of singling out, linkability and inference.
        sensitive: k, l and t of each sensitive column of the release.
        two_way: mean total variation distance of two-way tables from the original's, 0 to
            1; None with a single column.
        release_sha256, original_sha256: digests of the files.
        limits: counts that were left out, in words.
        free_text: columns of free text of the original that are released.
        not_judged: further columns of the original that are released, and were not read:
            sampling weights, and columns that --columns leaves out.
        person_rows: rows of the original, if persons have several rows; people then means
            persons. 0: each row is a person.
    """

    release: str
    original: str
    control: str
    rows: int
    suppressed: int
    k: int
    columns: tuple[MatchedColumn, ...]
    added: tuple[str, ...]
    lacking: tuple[str, ...]
    identifiers: tuple[str, ...]
    release_smallest: int
    release_below_k: int
    links: LinkRisks
    copies: CopiedRows
    nearest: NearestRows | None
    questions: tuple[AskedQuestion, ...]
    sensitive: tuple[SensitiveColumn, ...]
    two_way: float | None
    release_sha256: str
    original_sha256: str
    limits: tuple[str, ...] = ()
    free_text: tuple[str, ...] = ()
    not_judged: tuple[str, ...] = ()
    person_rows: int = 0
