"""In a public round of a verified mix all shufflers together link every answer to its sender.

The reader posts its decryption shares, so that all parties can count; so the last list is open to
everybody, and the orders of all shufflers lead from its places to the names on the first list.
"""

from typing import Any

import pytest
import role_kit as KIT
import verified_session_kit as VERIFIED
from veilmix.crypto.verified.rows import Remix, remix
from veilmix.protocol.knowledge.view import ViewedRun
from veilmix.protocol.rounds import verified_round
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.rounds.verified_answers import AnswerElements
from veilmix.protocol.rounds.verified_round import GROUP, share_elements

SHUFFLERS = frozenset({"shuffler-1", "shuffler-2"})


@pytest.mark.memory
def test_orders_and_the_board_name_every_sender_of_a_public_round(monkeypatch) -> None:
    """The attack: no key of a reader, and nothing but posts and the shufflers' own orders."""
    orders = list[tuple[int, ...]]()

    def noted(*arguments: Any) -> Remix:
        made = remix(*arguments)
        orders.append(made.order)
        return made

    monkeypatch.setattr(verified_round, "remix", noted)
    cast = VERIFIED.small(5)
    run = KIT.run(cast)
    board = run.board
    assert board.announcement is not None
    assert board.burned is None
    plan, shown = open_round(board.announcement, board.session, board.calls[1]), board.verified
    last = verified_round.CiphertextRows.decode(GROUP, shown.shuffled[2][-1].lists[0])
    opened = verified_round.opened_elements(
        GROUP, last.seconds, [share_elements(shown.shared[2][party])[0] for party in plan.openers]
    )
    elements, first, second = AnswerElements(plan), *orders[-2:]
    people = list(shown.closed[2])
    linked = {people[first[second[at]]]: element for at, element in enumerate(opened)}
    assert linked == {person: elements.encode(0, cast.row(person)) for person in people}
    view = ViewedRun(run.transcript, board).view(SHUFFLERS)
    assert view.by_round.keys() == {2}
    assert dict(view.by_round[2]) == {person: {0: cast.row(person)[0]} for person in people}


@pytest.mark.memory
@pytest.mark.parametrize(
    ("members", "rounds"),
    [
        ({"shuffler-1", "analyst", "curator"}, set()),
        ({"shuffler-2", "analyst", "curator"}, set()),
        (SHUFFLERS, {2}),
        (SHUFFLERS | {"analyst"}, {2}),
        (SHUFFLERS | {"curator"}, {1, 2}),
    ],
)
def test_links_by_round(members: frozenset[str], rounds: set[int]) -> None:
    run = KIT.run(VERIFIED.small(4))
    assert ViewedRun(run.transcript, run.board).view(members).by_round.keys() == rounds


@pytest.mark.memory
def test_published_marginals_are_a_public_round_too() -> None:
    run = KIT.run(VERIFIED.small(4, policy=VERIFIED.PUBLISHED))
    assert ViewedRun(run.transcript, run.board).view(SHUFFLERS).by_round.keys() == {1, 2}


@pytest.mark.memory
def test_a_round_that_was_never_opened_links_nobody() -> None:
    """The analyst posts no shares: all shufflers together have closed ciphertexts."""
    silent = VERIFIED.changing(verified_round.OpeningShares, lambda _: None, number=2)
    run = KIT.run(VERIFIED.small(4, faults={"analyst": silent}))
    assert run.board.burned is not None
    assert not ViewedRun(run.transcript, run.board).view(SHUFFLERS).by_round
