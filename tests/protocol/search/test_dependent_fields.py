"""Derived fields of messages: a changed message fits itself again, and the board takes it."""

from dataclasses import replace

import role_kit as KIT
from veilmix.protocol.board.board import replay
from veilmix.protocol.search.changes import DERIVED, derive
from veilmix.protocol.wire.messages import Body, Tally
from veilmix.roles.network.memory_network import Endpoint

ROWS = KIT.people(9)
RULES = {"rules": KIT.Rules(min_dropout=3)}


def test_an_honest_message_is_what_is_derived_from_it() -> None:
    board = KIT.run(ROWS, **RULES).board
    bodies = [entry.message.body for entry in board.entries]
    assert {type(body) for body in bodies} >= DERIVED.keys()
    assert [derive(body) for body in bodies] == bodies
    assert (
        replay([(entry.author, entry.data) for entry in board.entries], board.known_roster) == board
    )


def more_people(body: Body) -> Body:
    if not isinstance(body, Tally) or body.counts is None:
        return body
    (counts,) = body.counts
    cell = min(counts)
    return replace(body, counts=({**counts, cell: counts[cell] + 1},))


class Changing(Endpoint):
    """An analyst that changes one of its posts."""

    whole: bool = True

    async def post(self, body: Body) -> None:
        changed = more_people(body)
        await super().post(derive(changed) if self.whole else changed)


class Careless(Changing):
    """The same, and the derived fields are left as they were."""

    whole = False


def test_the_board_takes_a_changed_message_whose_derived_fields_fit() -> None:
    assert len(KIT.run(ROWS, faults={"analyst": Changing}, **RULES).board.tallies) == 2
    refused = KIT.run(ROWS, faults={"analyst": Careless}, **RULES).board
    assert refused.burned is not None
    assert refused.burned.startswith("the board refused the ")
