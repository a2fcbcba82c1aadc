"""Which call may follow which: what a curator says next, and what the board takes of it."""

from itertools import combinations
from typing import Any

import pytest
from veilmix.errors import ParameterError
from veilmix.protocol.board.strategies import (
    MOST_CHOSEN,
    RoundResult,
    Strategy,
    decidable,
    first_call,
    legal,
    next_step,
    strategy_of,
)
from veilmix.protocol.wire.announcement import Program
from veilmix.protocol.wire.hiding_rules import Mask, Redact
from veilmix.protocol.wire.messages import Call, Decision, DecisionCertificate
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema

SCHEMA = Schema(tuple(Feature(name, ("a", "b", "c")) for name in ("one", "two", "six", "ten")))
SINGLES = Call(1, Role.CURATOR, ((0,), (1,), (2,), (3,)))
MASK, NARROWER = Mask(0, ("a", "b")), Mask(0, ("a",))
PAIRS = Call(2, Role.CURATOR, ((0, 1), (0, 2), (1, 2)), (MASK,))
TRIPLE = Call(3, Role.CURATOR, ((0, 1, 2),), (MASK,))
COUNTS = ({("a",): 2, ("b",): 1}, {("a",): 3}, {("c",): 3}, {("c",): 3})
FOUR_ROUNDS, BLANK = Program.HIERARCHICAL, Redact(1, ("a",), 9)


def decision(*kept: int, hidden: tuple[Any, ...] = ()) -> Decision:
    return Decision(kept, DecisionCertificate("fixed", 2, 3, 0), hidden)


def release(number: int, *kept: int, hidden: tuple[Any, ...] = ()) -> Call:
    return Call(number, Role.ANALYST, (kept,), hidden)


def single(number: int, *columns: int, hidden: tuple[Any, ...] = ()) -> Call:
    """A call for one group."""
    return Call(number, Role.CURATOR, (columns,), hidden)


Case = tuple[Program, list[Call], Decision | None, Call, bool]
# what -> program, calls so far, decision, call, whether it is legal
CALLS: dict[str, Case] = {
    "singles": (Program.TWO_ROUND, [], None, SINGLES, True),
    "singles for the analyst": (Program.TWO_ROUND, [], None, Call(1, Role.ANALYST, ((0,),)), False),
    "masked singles": (
        *(FOUR_ROUNDS, [], None),
        *(Call(1, Role.CURATOR, SINGLES.asks, (MASK,)), False),
    ),
    "the release": (Program.TWO_ROUND, [SINGLES], decision(1, 2), release(2, 1, 2), True),
    "another release": (Program.TWO_ROUND, [SINGLES], decision(1, 2), release(2, 1, 3), False),
    "no decision": (Program.TWO_ROUND, [SINGLES], None, release(2, 1, 2), False),
    "nothing kept": (Program.TWO_ROUND, [SINGLES], decision(), release(2, 1), False),
    "released twice": (
        *(Program.TWO_ROUND, [SINGLES, release(2, 1)], decision(1)),
        *(release(3, 1), False),
    ),
    "pairs in two rounds": (Program.TWO_ROUND, [SINGLES], None, PAIRS, False),
    "pairs": (FOUR_ROUNDS, [SINGLES], None, PAIRS, True),
    "pairs after a decision": (FOUR_ROUNDS, [SINGLES], decision(1), PAIRS, False),
    "pairs for the analyst": (
        *(FOUR_ROUNDS, [SINGLES], None),
        *(Call(2, Role.ANALYST, PAIRS.asks), False),
    ),
    "triples at once": (FOUR_ROUNDS, [SINGLES], None, Call(2, Role.CURATOR, ((0, 1, 2),)), False),
    "the number of the round": (
        *(FOUR_ROUNDS, [SINGLES], None),
        *(Call(3, Role.CURATOR, PAIRS.asks), False),
    ),
    "no such column": (FOUR_ROUNDS, [SINGLES], None, Call(2, Role.CURATOR, ((0, 4),)), False),
    "a triple": (FOUR_ROUNDS, [SINGLES, PAIRS], None, TRIPLE, True),
    "a triple of a pair not asked": (
        *(FOUR_ROUNDS, [SINGLES, PAIRS], None),
        *(Call(3, Role.CURATOR, ((0, 1, 3),), (MASK,)), False),
    ),
    "a narrower mask": (
        *(FOUR_ROUNDS, [SINGLES, PAIRS], None),
        *(Call(3, Role.CURATOR, TRIPLE.asks, (NARROWER,)), True),
    ),
    "a wider mask": (
        *(FOUR_ROUNDS, [SINGLES, PAIRS], None),
        *(Call(3, Role.CURATOR, TRIPLE.asks, (Mask(0, ("a", "b", "c")),)), False),
    ),
    "the mask gone": (
        *(FOUR_ROUNDS, [SINGLES, PAIRS], None),
        *(Call(3, Role.CURATOR, TRIPLE.asks), False),
    ),
    "a redaction in between": (
        *(FOUR_ROUNDS, [SINGLES], None),
        *(Call(2, Role.CURATOR, PAIRS.asks, (BLANK,)), False),
    ),
    "a release from pairs": (FOUR_ROUNDS, [SINGLES, PAIRS], decision(0, 3), release(3, 0, 3), True),
    "a masked release": (
        *(FOUR_ROUNDS, [SINGLES, PAIRS], decision(0, 3)),
        *(release(3, 0, 3, hidden=(MASK,)), False),
    ),
    "blanks decided": (
        *(Program.LOCAL_SUPPRESSION, [SINGLES], decision(0, 1, hidden=(BLANK,))),
        *(release(2, 0, 1, hidden=(BLANK,)), True),
    ),
    "blanks not decided": (
        *(Program.LOCAL_SUPPRESSION, [SINGLES], decision(0, 1)),
        *(release(2, 0, 1, hidden=(BLANK,)), False),
    ),
    "randomized": (Program.RANDOMIZED, [], None, Call(1, Role.ANALYST, SINGLES.asks), True),
    "randomized twice": (
        *(Program.RANDOMIZED, [Call(1, Role.ANALYST, SINGLES.asks)], None),
        *(Call(2, Role.ANALYST, SINGLES.asks), False),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_only_the_next_call_of_a_program_is_legal(name: str) -> None:
    program, calls, decided, call, expected = CALLS[name]
    assert legal(program, SCHEMA, calls, decided, call) is expected


CHOOSING = "hierarchical ask=best curator_exposure=0.5"
WIDE = Schema(tuple(Feature(f"column {j}", ("a", "b")) for j in range(6)))
EVERY = Call(1, Role.CURATOR, tuple((j,) for j in range(6)))
TRIPLE_1 = single(2, 0, 1, 2, hidden=(MASK,))
# what -> calls so far, call, whether it is legal where groups are chosen one by one
CHOSEN: dict[str, tuple[list[Call], Call, bool]] = {
    "a triple at once": ([EVERY], TRIPLE_1, True),
    "all columns at once": ([EVERY], single(2, 0, 1, 2, 3, 4, 5), True),
    "a pair across it": ([EVERY, TRIPLE_1], single(3, 0, 3, hidden=(MASK,)), True),
    "a wider group": ([EVERY, TRIPLE_1], single(3, 0, 1, 2, 3, hidden=(NARROWER,)), True),
    "two groups": ([EVERY], Call(2, Role.CURATOR, ((0, 1), (0, 2))), False),
    "one column": ([EVERY], single(2, 3), False),
    "a part of it": ([EVERY, TRIPLE_1], single(3, 1, 2), False),
    "the same again": ([EVERY, TRIPLE_1], single(3, 0, 1, 2, hidden=(MASK,)), False),
    "unmasked again": ([EVERY, TRIPLE_1], single(3, 0, 3), False),
    "no such column": ([EVERY], single(2, 0, 6), False),
    "the number of the round": ([EVERY], single(3, 0, 1), False),
    "for the analyst": ([EVERY], Call(2, Role.ANALYST, ((0, 1),)), False),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_where_groups_are_chosen_one_new_group_is_legal(name: str) -> None:
    calls, call, expected = CHOSEN[name]
    assert legal(FOUR_ROUNDS, WIDE, calls, None, call, CHOOSING) is expected
    for program in (Program.TWO_ROUND, Program.LOCAL_SUPPRESSION):
        assert not legal(program, WIDE, calls, None, call, CHOOSING)


def test_the_rule_decides_how_groups_are_asked_for() -> None:
    assert not legal(FOUR_ROUNDS, WIDE, [EVERY], None, TRIPLE_1, "hierarchical")
    pairs = Call(2, Role.CURATOR, ((0, 1), (0, 2)))
    assert legal(FOUR_ROUNDS, WIDE, [EVERY], None, pairs, "hierarchical")
    assert not legal(FOUR_ROUNDS, WIDE, [EVERY], None, pairs, CHOOSING)


def test_no_more_than_so_many_groups_are_chosen() -> None:
    calls = [EVERY]
    for group in combinations(range(6), 3):
        call = single(len(calls) + 1, *group)
        assert legal(FOUR_ROUNDS, WIDE, calls, None, call, CHOOSING) is (len(calls) <= MOST_CHOSEN)
        calls.append(call)
    assert len(calls) > MOST_CHOSEN + 1


class Asking:
    """Asks what it was given, one after the other, then decides."""

    def __init__(self, calls: list[Call], kept: Decision) -> None:
        self.calls, self.kept = calls, kept

    def ask(self, schema: Schema, heard: Any) -> Call | None:
        return self.calls[len(heard) - 1] if len(heard) <= len(self.calls) else None

    def decide(self, schema: Schema, heard: Any) -> Decision:
        return self.kept


def steps(program: Program, strategy: Strategy) -> list[Call | Decision]:
    """Everything a curator says, if everybody answers."""
    heard: list[RoundResult] = []
    turns: list[Call | Decision] = []
    decided = None
    while step := next_step(program, SCHEMA, strategy, heard, decided):
        turns.append(step)
        if isinstance(step, Decision):
            decided = step
        elif step.reader is Role.ANALYST:
            break
        else:
            heard.append(RoundResult(step, COUNTS if len(heard) == 0 else ({},) * len(step.asks)))
    return turns


def test_what_a_curator_says_is_what_the_board_takes() -> None:
    kept = decision(0, 1, 2)
    asking = Asking([PAIRS, TRIPLE], kept)
    assert steps(FOUR_ROUNDS, asking) == [SINGLES, PAIRS, TRIPLE, kept, release(4, 0, 1, 2)]
    assert steps(FOUR_ROUNDS, Asking([], decision())) == [SINGLES, decision()]
    assert steps(Program.RANDOMIZED, asking) == [first_call(Program.RANDOMIZED, SCHEMA)]


def test_a_rule_for_marginals_is_a_strategy() -> None:
    def rule(_: Schema, marginals: Any, n: int) -> Decision:
        assert (marginals, n) == ([[2, 1], [3], [3], [3]], 3)
        return decision(1)

    assert steps(Program.TWO_ROUND, strategy_of(rule)) == [SINGLES, decision(1), release(2, 1)]
    asking = Asking([], decision())
    assert strategy_of(asking) is asking


@pytest.mark.parametrize(
    ("program", "strategy"),
    [
        (Program.TWO_ROUND, Asking([PAIRS], decision(1))),
        (FOUR_ROUNDS, Asking([TRIPLE], decision(1))),
        (FOUR_ROUNDS, Asking([], decision(4))),
        (FOUR_ROUNDS, Asking([], decision(1, hidden=(BLANK,)))),
        (FOUR_ROUNDS, Asking([], Decision((1,), DecisionCertificate("fixed", 2, 3, 4)))),
    ],
)
def test_a_strategy_that_does_what_its_program_has_no_room_for_is_a_mistake(
    program: Program, strategy: Strategy
) -> None:
    with pytest.raises(ParameterError, match=r"has no such step|no valid decision"):
        steps(program, strategy)


def test_only_local_suppression_decides_blanks() -> None:
    blanked = decision(0, 1, hidden=(BLANK,))
    assert [p for p in Program if decidable(p, SCHEMA, blanked)] == [Program.LOCAL_SUPPRESSION]
    assert not decidable(Program.LOCAL_SUPPRESSION, SCHEMA, decision(0, hidden=(MASK,)))
