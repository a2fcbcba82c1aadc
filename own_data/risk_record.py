"""The record of the places of risk in a table: values, combinations, and single changes."""

from ..scenarios.serialization.record import Record


class RiskyValue(Record, frozen=True):
    """A value of a column, and its people.

    Attributes:
        column: its name.
        value: as it is released; "" is an empty cell.
        people: number with the value.
        below_k: people with the value in a crowd smaller than k.
        excess: people below k beyond the same share of all people; negative where fewer are.
        score_share: share of all SUDA scores that is of minimal uniques with this value, 0 to 1;
            None: not counted.
        merge_with: the other value of the column with which a merge takes most people out; None:
            no counted merge takes people out (the limits of the places name the other merges).
        taken_out: fewer people below k after that merge.
    """

    column: str
    value: str
    people: int
    below_k: int
    excess: float
    score_share: float | None
    merge_with: str | None
    taken_out: int


class ColumnShare(Record, frozen=True):
    """The share of all SUDA scores that is of minimal uniques with a column, 0 to 1.

    Attributes:
        column: its name.
        share: 0 to 1; shares of several columns add up to more than 1.
    """

    column: str
    share: float


class HighScore(Record, frozen=True):
    """A row of a high SUDA score of its person.

    Attributes:
        row: its number in the file, from 1, without the header; of a person with several rows the
            first.
        score: SUDA score of its person.
    """

    row: int
    score: float


class UniqueSets(Record, frozen=True):
    """Minimal sample uniques: combinations of values of a single person.

    Attributes:
        size: columns of the largest counted combination.
        complete: whether combinations of all columns were counted.
        counts: minimal uniques by their number of columns, from 1 up to `size`.
        people: number with at least a minimal unique.
        unique, in_pairs: people without another person that shares all known columns, and with
            exactly a single such person.
        dis: chance that a match with a unique row is right (DIS), 0 to 1, if the table is a simple
            random sample with the population factor of the score; None: the factor is 1.
        columns: their shares of the scores.
        rows: of the highest scores.
    """

    size: int
    complete: bool
    counts: tuple[int, ...]
    people: int
    unique: int
    in_pairs: int
    dis: float | None
    columns: tuple[ColumnShare, ...]
    rows: tuple[HighScore, ...]


class SingleChange(Record, frozen=True):
    """A change of the table, alone, and its effect.

    Attributes:
        change: coarser, dropped, merged or left out.
        column: its name; "" where rows are left out.
        what: the coarser level, or the merged values, in words.
        below_k: people below k afterwards.
        taken_out: fewer people below k than before.
        bits: entropy that the known columns lose, in bits a row.
        rows: rows that are left out.
    """

    change: str
    column: str
    what: str
    below_k: int
    taken_out: int
    bits: float
    rows: int


class RiskPlaces(Record, frozen=True):
    """The places of risk in a table.

    Attributes:
        columns: that an attacker knows.
        k: people in the smallest safe crowd.
        people: of the table.
        below_k: people in a smaller crowd.
        empty: people with an empty cell in a known column.
        empty_below_k: people with an empty cell in a crowd smaller than k.
        values: of the largest excess first.
        values_left_out: number of further values.
        uniques: minimal sample uniques; None: not counted.
        steps: single changes, of the most people for a bit first.
        limits: counts that were left out, in words.
    """

    columns: tuple[str, ...]
    k: int
    people: int
    below_k: int
    empty: int
    empty_below_k: int
    values: tuple[RiskyValue, ...]
    values_left_out: int
    uniques: UniqueSets | None
    steps: tuple[SingleChange, ...]
    limits: tuple[str, ...]
