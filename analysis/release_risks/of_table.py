"""The regulators' three questions, and k, l and t, of a table that would leave as it is.

The release is the rows of the table. Singling out is asked of one column and of three; linkability
of the halves of what may be known; inference of every column from all others, or of what is
sensitive where columns are many. Those not in the release are the same people, each left out in
turn: what an attacker is right about nevertheless, it learns from the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..exposure.cells import as_table
from .guesses import LEFT_OUT, Inference, Linkability, Question, ask
from .k_l_t import Diversity, diversity
from .nearest import Codes, Numbers
from .predicates import singling_out
from .rates import Attack, Rate

SIZES = (1, 3)  # columns of a predicate
MANY = 15  # columns up to which each is sought
SETS = 1.5e7  # rows and cells that singling out counts, about
ROWS = 3e7  # cells that are compared, about


@dataclass(frozen=True, slots=True)
class TableRisks:
    """What was asked of the rows of a table.

    Attributes:
        attacks: one for each question.
        sizes: of each attack the columns of its predicates; 0 where it is not singling out.
        diversity: k, l and t of each sensitive column.
    """

    attacks: tuple[Attack, ...]
    sizes: tuple[int, ...]
    diversity: tuple[Diversity, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TableColumns:
    """What the columns of a table are.

    Attributes:
        numbers: for each column the number of each code (nan: none), or None for a category.
        quasi: the columns that may be known of a person; None: all that are not sensitive.
        sensitive: the columns that nobody should learn.
    """

    numbers: Numbers | None = None
    quasi: Sequence[int] | None = None
    sensitive: Sequence[int] = ()


EVERY = TableColumns()  # categories, and all may be known


def table_risks(table: Codes, asked: TableColumns = EVERY) -> TableRisks:
    """Ask everything of a table: n x d codes of at least 0, one row a person; n >= 2, d >= 1."""
    codes, numbers, sensitive = as_table(table), asked.numbers, asked.sensitive
    every = range(codes.shape[1])
    known = [j for j in every if j not in sensitive] if asked.quasi is None else list(asked.quasi)
    questions = _questions(list(every), known, list(sensitive))
    sizes = [size for size in SIZES if size <= len(every)]
    attacks = [_singled(codes, size, numbers) for size in sizes]
    attacks += ask(questions, codes, codes, LEFT_OUT, numbers, ROWS) if questions else []
    return TableRisks(
        tuple(attacks),
        (*sizes, *(0 for _ in questions)),
        tuple(
            diversity(
                codes,
                [j for j in known if j != column],
                column,
                None if numbers is None else numbers[column],
            )
            for column in sensitive
        ),
    )


def _questions(every: list[int], known: list[int], sensitive: list[int]) -> list[Question]:
    if len(every) < 2:
        return []
    halves = known if len(known) > 1 else every
    middle = len(halves) // 2
    sought = every if len(every) <= MANY else sensitive[:MANY] or every[:MANY]
    return [
        Linkability(tuple(halves[:middle]), tuple(halves[middle:])),
        *(Inference(column, tuple(j for j in every if j != column)) for column in sought),
    ]


def _singled(codes: Codes, size: int, numbers: Numbers | None) -> Attack:
    """How often a predicate of a random person's values isolates somebody."""
    singled = singling_out(codes, codes, size, None, numbers, SETS)
    n = len(codes)
    return Attack("singling out", (), (), Rate(singled.share * n, n), None, singled.guessed)
