"""Facts about a user's own table that was scored; several sections of its page show them."""

from ...number_text import first_few
from ...own_data.release_record import TableRelease
from ...own_data.score_record import PeopleBelowCurve, ScoredColumns, ScoredTable

NAMED = 12  # columns that a list names; a longer list gives the number of further columns


def release_of(score: ScoredTable) -> TableRelease:
    """Return the record of the released table.

    A score of an older version has no such record. Then the result is a substitute with the numbers
    of the score, and without a file.
    """
    return score.release or TableRelease(
        command=("veilmix", "score", score.data),
        input_rows=score.rows or score.users,
        input_people=score.users,
        input_columns=len(score.roles),
        not_read=(),
        known="all",
        person_said=False,
    )


def target_columns(score: ScoredTable) -> ScoredColumns:
    """Return the figures for the columns in which crowds must reach k.

    These are all released columns, or only the quasi-identifiers if the score was asked for them.
    If no such column is released, all people are a single crowd.
    """
    if release_of(score).known == "all":
        return score.joint
    if not _quasi_identifiers(score):
        n, k = score.users, score.k
        below, curve = 0 if n >= k else n, PeopleBelowCurve((1, n + 1), (0, n))
        return ScoredColumns("", 1, 0, n, below, below / n, curve)
    return score.quasi or score.joint


def _quasi_identifiers(score: ScoredTable) -> list[str]:
    """Return the names of the released quasi-identifiers."""
    quasi = {role.column for role in score.roles if role.role == "quasi"}
    return [column.name for column in score.columns if column.name in quasi]


def known_columns(score: ScoredTable) -> list[str]:
    """Return the names of the columns in which crowds must reach k."""
    if release_of(score).known == "all":
        return [column.name for column in score.columns]
    return _quasi_identifiers(score)


def below(score: ScoredTable) -> int:
    """Return the number of people in crowds smaller than k, in the columns that must reach k."""
    return target_columns(score).people_below_k


def identifiers(score: ScoredTable) -> list[str]:
    """Return the columns with direct identifiers or free text that were read but not scored."""
    never = ("identifier", "text")
    return [role.column for role in score.roles if role.left_out and role.role in never]


def first_names(names: list[str], limit: int = NAMED) -> str:
    """Return the first `limit` column names as text, and the number of further names."""
    return first_few(names, limit, "more (under Data)")
