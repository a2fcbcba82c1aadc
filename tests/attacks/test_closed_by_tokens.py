"""Four attacks that read a row where people are not registered, and none where ballots have tokens.

Where people are registered and ballots have no tokens, as where nothing is said, S3 and S8 read the
row too, and S6 does not.

The rows are worked out from what the attacker has: the board, and rows of its own making. Names as
in docs/attacks.md: S3 and S8 are the first shuffler's alone, S4 its with invented people, S6 the
network's alone.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules
from veilmix.protocol.wire.parties import user
from veilmix.roles.cast import Guards
from veilmix.scenarios.attacks.faults.shuffler import Deed, cheat, covering_rows, without_target
from veilmix.scenarios.attacks.faults.wire import BlockingWire

pytestmark = pytest.mark.memory

MANY, AIMED = 20, 4
TARGET, ROWS = user(AIMED), KIT.people(MANY)
OPEN: dict[str, Any] = {"rules": Rules(min_batch=2, min_dropout=3)}
LISTED: dict[str, Any] = OPEN | {"guards": Guards(registered=MANY)}
CLOSED: dict[str, Any] = {
    "rules": Rules(min_batch=2, min_dropout=3, tokens=True),
    "guards": Guards(registered=MANY),
}
BOTH = (1, 2)


def played(guarded: Mapping[str, Any], **changes: Any) -> KIT.Run:
    """A session of people who all answer, with public marginals."""
    public = AnnouncedPolicy(2, 0.5, "fixed", publish_marginals=True)
    rows = changes.pop("rows", ROWS)
    return KIT.run(rows, **{"policy": public, "seed": 3} | guarded | changes)


def deed(attack: str, rounds: Collection[int], **more: Any) -> Any:
    if attack == "thin-out":
        more["ignores"] = without_target
    return cheat(Deed(KIT.act(attack), SeededEntropy(9), rounds=rounds, target=TARGET, **more))


def kept(run: KIT.Run, row: KIT.Row) -> tuple[str, ...]:
    """The columns of a row that are released."""
    return tuple(row[column] for column in run.board.calls[1].asks[0])


def released(run: KIT.Run) -> Counter[tuple[str, ...]]:
    """The combinations of the release, if there is one."""
    if run.board.burned is not None or len(run.board.tallies) < 2:
        return Counter()
    counts = run.board.tallies[1].counts
    assert counts is not None
    return Counter(counts[0])


def left(run: KIT.Run, own: Collection[KIT.Row]) -> list[tuple[str, ...]]:
    """What is left of a release without rows of the attacker's own making."""
    shown = released(run)
    return list((shown - Counter(kept(run, row) for row in own)).elements()) if shown else []


# S3: the same known rows around the target in both rounds


def surrounded(guarded: Mapping[str, Any]) -> tuple[KIT.Run, list[KIT.Row]]:
    run = played(guarded, faults={"shuffler-1": deed("single-out", BOTH)})
    board = run.board
    if board.burned is not None or board.announcement is None:
        return run, []
    plan = open_round(board.announcement, board.session, board.calls[1])
    return run, covering_rows(plan, MANY - 1)


@pytest.mark.parametrize(
    ("balance", "registered"), [(False, None), (True, None), (False, MANY), (True, MANY)]
)
def test_own_rows_in_both_rounds_leave_the_target_alone_without_tokens(
    balance: bool, registered: int | None
) -> None:
    run, own = surrounded(OPEN | {"guards": Guards(balance=balance, registered=registered)})
    assert left(run, own) == [kept(run, ROWS[AIMED])]


def test_own_rows_in_both_rounds_have_no_tokens() -> None:
    run, _ = surrounded(CLOSED)
    assert run.board.burned is not None
    assert not run.board.tallies  # before anything is told, of round 1 too


# S4: the target leaves together with invented people


def thinned(guarded: Mapping[str, Any]) -> KIT.Run:
    """Two people who do not exist answer in round 1 alone; in round 2 the target is not heard."""
    invented = [ROWS[0], ROWS[1]]
    away = KIT.attack(
        **{f"user_{MANY + place + 1}": ("absent", [2]) for place in range(len(invented))}
    )
    faults = {"shuffler-1": deed("thin-out", [2])} | away
    return played(guarded, rows=[*ROWS, *invented], faults=faults)


def difference(run: KIT.Run, invented: Collection[KIT.Row]) -> list[list[str]]:
    """By column of the release, what is missing of round 1 besides the invented people."""
    first = run.board.tallies[0].counts if released(run) else None
    if first is None:
        return []
    columns = run.board.calls[1].asks[0]
    return [
        list(
            (
                Counter({cell[0]: many for cell, many in first[column].items()})
                - Counter(row[place] for row in released(run).elements())
                - Counter(row[column] for row in invented)
            ).elements()
        )
        for place, column in enumerate(columns)
    ]


def test_a_target_that_leaves_with_invented_people_is_read_without_tokens() -> None:
    run = thinned(OPEN)
    assert difference(run, ROWS[:2]) == [[value] for value in kept(run, ROWS[AIMED])]


def test_invented_people_are_given_no_tokens() -> None:
    run = thinned(CLOSED)
    assert difference(run, ROWS[:2]) == []
    assert run.board.burned is not None


# S6: the network loses all but one, and fills both rounds with people of its own


def isolated(guarded: Mapping[str, Any]) -> tuple[KIT.Run, list[KIT.Row]]:
    own = [ROWS[place % 3] for place in range(MANY - 1)]
    others = {user(place) for place in range(MANY)} - {TARGET}
    block = BlockingWire(others.__contains__, BOTH)
    return played(guarded, rows=[*ROWS, *own], wire=block), own


def test_an_isolated_target_is_read_without_a_registry() -> None:
    run, own = isolated(OPEN)
    assert left(run, own) == [kept(run, ROWS[AIMED])]


@pytest.mark.parametrize("guarded", [LISTED, CLOSED], ids=["registered", "tokens"])
def test_who_is_isolated_among_people_who_are_not_registered_is_not_read(
    guarded: dict[str, Any],
) -> None:
    run, own = isolated(guarded)
    assert left(run, own) == []
    assert run.board.burned is not None


# S8: one person is replaced by a guess, and the verdict of `sums` tells whether it is right


def guessed(guarded: Mapping[str, Any], row: KIT.Row) -> KIT.Run:
    return played(guarded, faults={"shuffler-1": deed("substitute", [1], row=row)})


RIGHT = ROWS[AIMED]
WRONG = next(row for row in ROWS if all(map(str.__ne__, row, RIGHT)))


@pytest.mark.parametrize("guarded", [OPEN, LISTED], ids=["none", "registered"])
def test_the_verdict_on_sums_tells_a_right_guess_without_tokens(guarded: dict[str, Any]) -> None:
    assert guessed(guarded, RIGHT).board.burned is None
    assert guessed(guarded, WRONG).board.burned is not None


def test_with_tokens_the_verdict_is_the_same_for_every_guess() -> None:
    runs = [guessed(CLOSED, row) for row in (RIGHT, WRONG)]
    right, wrong = (run.board for run in runs)
    assert right.burned == wrong.burned
    assert right.burned is not None
    assert not right.tallies
    assert not wrong.tallies
