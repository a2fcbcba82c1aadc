"""The record of where the risk of a table lies: values, combinations, and single changes.

A single change makes a column coarser, drops it, merges two values, or leaves rows out.
"""

from ..scenarios.serialization.record import Record


class RiskyValue(Record, frozen=True):
    """A value of a column, with the number of its people in small equivalence classes.

    Attributes:
        column: name of the column.
        value: as it is released; "" is an empty cell.
        people: number of people with the value.
        below_k: people with the value in a class smaller than k.
        excess: `below_k`, minus the number expected if the value's people were below k as
            often as all people; negative if they are so less often.
        score_share: share of all SUDA scores (of special uniques) that comes from minimal
            uniques with this value, 0 to 1; None: not counted.
        merge_with: the value of the column with which a merge takes most people out of
            small classes; None: no counted merge takes people out (the limits of the places
            name the other merges).
        taken_out: by how many that merge reduces the people below k.
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
    """The share of all SUDA scores that comes from minimal sample uniques with a column.

    A minimal sample unique is a smallest combination of values that only one person has.
    SUDA (special unique detection) scores a person by its minimal sample uniques.

    Attributes:
        column: name of the column.
        share: 0 to 1; shares of several columns add up to more than 1.
    """

    column: str
    share: float


class HighScore(Record, frozen=True):
    """A person with a high SUDA score (special unique detection), by its row.

    Attributes:
        row: its number in the file, from 1, without the header; for a person with several rows the
            first.
        score: SUDA score of the person.
    """

    row: int
    score: float


class UniqueSets(Record, frozen=True):
    """Minimal sample uniques: smallest combinations of values that only one person has.

    SUDA (special unique detection) scores a person by its minimal sample uniques.

    Attributes:
        size: columns of the largest counted combination.
        complete: whether combinations of all columns were counted.
        counts: minimal uniques by their number of columns, from 1 up to `size`.
        people: number of people with at least one minimal unique.
        unique, in_pairs: number of people that share the values of all known columns with
            no other person, and with exactly 1.
        dis: DIS, the probability that a match with a unique row is right, 0 to 1. The table
            counts as a simple random sample of a population that is larger by the given
            factor; None: the factor is 1.
        columns: by column, the share of all SUDA scores from minimal uniques with it.
        rows: the rows with the highest SUDA scores.
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
    """The effect of a single change of the table on the people below k.

    Attributes:
        change: coarser, dropped, merged or left out.
        column: name of the column; "" if rows are left out.
        what: the coarser level, or the merged values, in words.
        below_k: people below k after the change.
        taken_out: by how many the change reduces the people below k.
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
    """The places of risk in a table, by value and combination: the result of `risk_places`.

    Attributes:
        columns: columns that an attacker knows.
        k: people in the smallest safe equivalence class.
        people: number of people of the table.
        below_k: people in a smaller class.
        empty: people with an empty cell in a known column.
        empty_below_k: people with an empty cell in a class smaller than k.
        values: risky values, the largest excess first: the people below k with the value,
            minus the number expected at the rate of all people.
        values_left_out: number of further values.
        uniques: minimal sample uniques, combinations of values that only one person has;
            None: not counted.
        steps: single changes of the table that reduce the people below k, sorted by the
            people taken out for each lost bit of entropy, the most first.
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
