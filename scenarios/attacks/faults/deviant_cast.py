"""A session in which a coalition carries out a strategy of the automatic attack search.

The coalition's members get other network access, the wires change messages, and the curator other
queries.
"""

from dataclasses import replace

from ....protocol.search.deviation import Action
from ....protocol.wire import parties
from ....protocol.wire.announcement import Program
from ....protocol.wire.messages import Kind
from ....roles.cast import Cast
from ....roles.people import Row
from .deviant_place import places
from .deviant_questions import questions
from .deviant_wire import wire
from .deviation import Deviations, is_person


def deviant_cast(cast: Cast, deviations: Deviations) -> Cast:
    """Return the cast (session inputs) that carries out and records a coalition's strategy."""
    if cast.program is Program.THRESHOLD:
        cast = _consulting(cast, deviations)
    return replace(
        cast,
        faults={**cast.faults, **places(deviations)},
        wire=wire(deviations),
        adversary=deviations.record,
        lies=questions(cast, deviations),
    )


def _consulting(cast: Cast, deviations: Deviations) -> Cast:
    """Return a cast in which users of the coalition ask `randomness` about the rows they submit.

    `randomness` gives the key material of a row. All members then know the outputs. A user without
    a request has no outputs.
    """
    submitted_rows = {
        entry.by: entry.row for entry in deviations.strategy if entry.do is Action.SAY
    }
    silent = {entry.by for entry in deviations.strategy if entry.message is Kind.QUERY}
    friends = [member for member in deviations.coalition if is_person(member)]
    rows = {
        entry: submitted_rows.get(entry) or tuple(cast.row(parties.index(entry)))
        for entry in friends
    }
    deviations.consulted.update(row for entry, row in rows.items() if entry not in silent)
    row_of = cast.row

    def row(index: int) -> Row:
        """Return the row of the user with an index: for a member, the row that it submits."""
        return rows.get(parties.user(index)) or row_of(index)

    return replace(cast, row=row)
