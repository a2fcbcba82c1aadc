"""The sequence of questions a session asks: one function for curator, board and ideal.

    two-round     every feature by itself, for the curator; then the columns it keeps together, for
                  the analyst
    randomized    every feature by itself, for the analyst: what people say is noise already

The board takes no other call, so a curator cannot ask for more than was announced.
"""

from .announcement import Program
from .messages import Call, Decision
from .parties import Role
from .schema import Schema


def next_call(
    program: Program, schema: Schema, asked: int, decision: Decision | None
) -> Call | None:
    """Give the call that comes after so many; None if the program has ended (or must decide)."""
    singles = tuple((column,) for column in range(len(schema.features)))
    match program, asked:
        case Program.TWO_ROUND, 0:
            return Call(1, Role.CURATOR, singles)
        case Program.TWO_ROUND, 1 if decision is not None and decision.kept:
            return Call(2, Role.ANALYST, (decision.kept,))
        case Program.RANDOMIZED, 0:
            return Call(1, Role.ANALYST, singles)
        case _:
            return None
