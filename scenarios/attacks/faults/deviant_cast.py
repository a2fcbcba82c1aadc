"""A session in which a coalition carries out a strategy of the automatic attack search.

The session gives coalition members other network access, changes messages in transit, and replaces
the curator's queries.
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
    """Return the inputs of a session that carries out and records a coalition's strategy.

    cast: the inputs of the honest session. deviations: the strategy.
    """
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
    """Return session inputs in which the coalition requests outputs for the rows it submits.

    An output is the key material that the party `randomness` computes from a row. All members of
    the coalition then know the outputs for these rows. If a deviation drops or changes a user's
    request, the user's row is not recorded as known.
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
