"""Persons with several rows: a ballot for each different answer of a person, and dummies.

In a session with `rules.rows` = S > 1 a person has up to S different rows. To every query it
submits S ballots in one envelope, for any number of rows: a ballot for each DIFFERENT answer among
its rows, then dummies (ballots without an answer). So the number of its rows stays hidden. A dummy
has an empty text as the value of each column, which no feature admits, and the size of any ballot.
So for a query

    people      = ballots / S
    a count     = the number of different persons with a row that has these values
    dummies     = S people - the sum of all counts: they follow from the counts

The counts in messages and on the board hold dummies as one more combination of values. So counts
sum to S ballots of each person. `without_dummies` leaves the counts of persons.
"""

from collections.abc import Iterable, Mapping, Sequence

from ...errors import ParameterError, RoundBurned

MOST_ROWS = 1_000  # largest number of ballots of a person to each query, all in one envelope
DUMMY = ""  # value of each column of a dummy, a ballot without an answer

Cell = tuple[str, ...]


def is_dummy(values: Sequence[str]) -> bool:
    """Whether a ballot with these values is a dummy: all values are empty."""
    return not any(values)


def dummy(columns: int) -> Cell:
    """Return the values of a dummy (ballot without answer) for a query of so many columns."""
    return (DUMMY,) * columns


def different_answers(
    rows: Iterable[Sequence[str]], columns: Sequence[int], max_answers: int
) -> tuple[Cell, ...]:
    """User: return the different answers of a person to a query, in the order of its rows.

    columns: the queried columns, by number.

    Raises:
        ParameterError: more than `max_answers` different answers.
    """
    answers = tuple(dict.fromkeys(tuple([row[column] for column in columns]) for row in rows))
    if len(answers) > max_answers:
        raise ParameterError(
            f"rows: {len(answers)} different answers of one person; {max_answers} are announced"
        )
    return answers


def without_dummies(counts: Mapping[Cell, int]) -> dict[Cell, int]:
    """Return the counts of a query without the dummies (ballots without an answer)."""
    return {cell: people for cell, people in counts.items() if not is_dummy(cell)}


def dummies_in(counts: Mapping[Cell, int]) -> int:
    """Return the number of dummies (ballots without an answer) among the counts of a query."""
    return sum(people for cell, people in counts.items() if is_dummy(cell))


def check_possible(tally: Sequence[Mapping[Cell, int]], rows: int) -> None:
    """Check counts: RoundBurned unless they are possible for persons with several ballots each.

    A person may have any values at most once, and at least one ballot with an answer. So no count
    exceeds the number of persons, and at most `rows` - 1 ballots of a person are dummies (without
    an answer).

    tally: the counts of each query, dummies included. rows: the ballots of each person to a query.
    """
    for counts in tally if rows > 1 else ():
        people = people_among(sum(counts.values()), rows)
        largest = max(without_dummies(counts).values(), default=0)
        if largest > people or dummies_in(counts) > (rows - 1) * people:
            raise RoundBurned(
                f"{people} persons answered, but more have one row, or more ballots are dummies, "
                "than they can have: a person submitted equal ballots, or none but dummies"
            )


def people_among(ballots: int, rows: int) -> int:
    """Return the number of persons that submitted this many ballots to a query, rounded up.

    rows: the ballots of each person to a query.
    """
    return -(-ballots // rows)
