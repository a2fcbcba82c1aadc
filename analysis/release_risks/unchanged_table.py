"""The regulators' three attacks, and k, l and t, for a table released without change.

The release is the rows of the table. Singling out uses predicates over one column, and over three.
Linkability links two halves of the known columns. Inference guesses every column from all others,
or only the sensitive columns if there are many. The control is the same people, each left out in
turn, so that a success comes from other people's rows. k, l and t are k-anonymity, l-diversity and
t-closeness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...deprecated import accepts_old
from ..exposure.cells import as_table
from ..exposure.persons import Persons
from .guesses import LEFT_OUT, Inference, Linkability, Question, ask
from .k_l_t import Diversity, diversity
from .nearest import Codes, Numbers
from .predicates import singling_out
from .rates import Rate, ReleaseAttack

SIZES = (1, 3)  # numbers of columns of a predicate in the singling-out attacks
# most columns that inference attacks guess; further columns are not guessed, to save time
MAX_SOUGHT = 15
# Approximate limit of the work of singling out: rows and combinations of values, summed over sets
# of columns. Beyond it, sets of columns are sampled.
SETS = 1.5e7
# Approximate limit of the values that linkability and inference compare. Beyond it, the attacked
# people are sampled.
ROWS = 3e7


@dataclass(frozen=True, slots=True)
class TableRisks:
    """The risks of releasing the rows of a table unchanged: attacks, and measures of diversity.

    Attributes:
        attacks: the result of each attack.
        sizes: for each attack the number of columns that its predicates use if it is singling out,
            else 0.
        diversity: k-anonymity, l-diversity and t-closeness for each sensitive column.
    """

    attacks: tuple[ReleaseAttack, ...]
    sizes: tuple[int, ...]
    diversity: tuple[Diversity, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TableColumns:
    """The roles of a table's columns: numbers, quasi-identifiers and sensitive columns.

    Attributes:
        numbers: for each column the number of each code (nan: no number), or None for a category;
            None: all columns are categories.
        quasi: numbers of the quasi-identifiers; None: all columns that are not sensitive.
        sensitive: numbers of the sensitive columns.
    """

    numbers: Numbers | None = None
    quasi: Sequence[int] | None = None
    sensitive: Sequence[int] = ()

    def known_columns(self, columns: int) -> list[int]:
        """Return the numbers of the columns that an attacker may know.

        columns: number of columns of the table.
        """
        if self.quasi is not None:
            return list(self.quasi)
        return [j for j in range(columns) if j not in self.sensitive]


EVERY = TableColumns()  # all columns are categories and quasi-identifiers


@accepts_old(asked="column_roles")
def table_risks(
    table: Codes, column_roles: TableColumns = EVERY, persons: Persons | None = None
) -> TableRisks:
    """Return the risks of a table: singling out, linkability, inference, and k, l and t.

    Args:
        table: n x d codes of at least 0; n >= 2, d >= 1.
        column_roles: the roles of the table's columns.
        persons: the same table, with rows that belong to persons; then only k, l and t are
            measured, since the attacks are on single rows. None: each row is a person's own.
    """
    codes, numbers, sensitive = as_table(table), column_roles.numbers, column_roles.sensitive
    all_columns = range(codes.shape[1])
    known_columns = column_roles.known_columns(codes.shape[1])
    questions = (
        [] if persons else usual_questions(list(all_columns), known_columns, list(sensitive))
    )
    sizes = [] if persons else [size for size in SIZES if size <= len(all_columns)]
    attacks = [_singled(codes, size, numbers) for size in sizes]
    attacks += ask(questions, codes, codes, LEFT_OUT, numbers, ROWS) if questions else []
    return TableRisks(
        tuple(attacks),
        (*sizes, *(0 for _ in questions)),
        sensitive_diversity(codes, column_roles, persons),
    )


def sensitive_diversity(
    table: Codes, column_roles: TableColumns, persons: Persons | None = None
) -> tuple[Diversity, ...]:
    """Return k-anonymity, l-diversity and t-closeness for each sensitive column.

    table: n x d codes of at least 0.
    column_roles: the roles of the table's columns.
    persons: the same table, with rows that belong to persons; None: each row is a person's own.
    """
    codes, numbers = as_table(table), column_roles.numbers
    known_columns = column_roles.known_columns(codes.shape[1])
    return tuple(
        diversity(
            codes,
            [j for j in known_columns if j != column],
            column,
            None if numbers is None else numbers[column],
            persons,
        )
        for column in column_roles.sensitive
    )


def usual_questions(
    all_columns: list[int], known_columns: list[int], sensitive: list[int]
) -> list[Question]:
    """Return the linkability and inference attacks that are tried on a table.

    Args:
        all_columns: the numbers of all columns.
        known_columns: the columns that an attacker may know; halves of them are linked.
        sensitive: the sensitive columns. In a table of more than `MAX_SOUGHT` columns only these
            are inferred, or the first columns if no column is sensitive; at most `MAX_SOUGHT`.
    """
    if len(all_columns) < 2:
        return []
    halves = known_columns if len(known_columns) > 1 else all_columns
    middle = len(halves) // 2
    sought = (
        all_columns
        if len(all_columns) <= MAX_SOUGHT
        else sensitive[:MAX_SOUGHT] or all_columns[:MAX_SOUGHT]
    )
    return [
        Linkability(tuple(halves[:middle]), tuple(halves[middle:])),
        *(Inference(column, tuple(j for j in all_columns if j != column)) for column in sought),
    ]


def _singled(codes: Codes, size: int, numbers: Numbers | None) -> ReleaseAttack:
    """Return the singling-out attack: how often a random person's values isolate the person.

    codes: the table.
    size: number of columns of a predicate.
    numbers: for each column the number of each code (nan: no number), or None for a category.
    """
    singled = singling_out(codes, codes, size, None, numbers, SETS)
    n = len(codes)
    return ReleaseAttack("singling out", (), (), Rate(singled.share * n, n), None, singled.guessed)
