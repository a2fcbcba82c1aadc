"""The ideal functionality: the same questions answered without a message.

Nobody seals, mixes or opens anything here. A trusted nobody reads the table, answers each call,
lets the decision rule decide, and applies the same rules about small batches and missing people.
Every run of the real protocol must give the same marginals, decision and release. The table may
have a million rows: the only place in this room that uses numpy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from ..errors import RoundBurned
from . import parties
from .announcement import UNPROMISED, Policy, Program, Rules, Setting
from .ledger import check_batch_size, check_dropout, check_promise
from .messages import Call, Counts, Decision
from .parties import Role
from .programs import next_call
from .schema import Schema
from .tallying import marginals
from .transcript import Transcript
from .view import CountsSeen, View

DENSE = 1 << 16  # cells that are counted in an array, however few people there are
PACKED = 1 << 62  # cells that still have a number of 64 bits each

Codes = npt.NDArray[np.integer]
DecisionRule = Callable[[Schema, Sequence[Sequence[int]], int], Decision]


@dataclass(frozen=True, slots=True)
class Table:
    """The people, as nobody in the protocol sees them.

    values[j]: the texts of column j. codes: n x d integers, codes[i, j] the index of person i's
    value of column j in values[j].
    """

    values: tuple[tuple[str, ...], ...]
    codes: Codes


@dataclass(frozen=True, slots=True)
class Ideal:
    """What comes out: counts per round and question, decision, release, or why there is none."""

    tallies: tuple[tuple[Counts, ...], ...]
    decision: Decision | None
    release: Counts | None
    burned: str | None


def answer(table: Table, call: Call) -> tuple[Counts, ...]:
    """Count the people of a table for every column set of a call."""
    return tuple(count_cells(table, columns) for columns in call.asks)


def count_cells(table: Table, columns: Sequence[int]) -> dict[tuple[str, ...], int]:
    """Count the people in every cell that occurs over some columns."""
    sizes = tuple(len(table.values[column]) for column in columns)
    codes = table.codes[:, list(columns)]
    if prod(sizes) > PACKED:
        rows, people = np.unique(codes, axis=0, return_counts=True)
    else:
        cells = np.ravel_multi_index(tuple(codes.T), sizes)
        if prod(sizes) <= max(DENSE, len(codes)):
            people = np.bincount(cells)
            occurring = np.flatnonzero(people)
            people = people[occurring]
        else:
            occurring, people = np.unique(cells, return_counts=True)
        rows = np.stack(np.unravel_index(occurring, sizes), axis=1)
    texts = [table.values[column] for column in columns]
    return {
        tuple(text[code] for text, code in zip(texts, row, strict=True)): count
        for row, count in zip(rows.tolist(), people.tolist(), strict=True)
    }


def two_round(
    schema: Schema,
    rounds: tuple[Table, Table],
    policy: Policy,
    rules: Rules,
    decide: DecisionRule,
) -> Ideal:
    """Play the program `two-round` without a message; `rounds` are the people who answer in each.

    In the fixed setting the second table is the first, less those who are missing.
    """
    tallies: list[tuple[Counts, ...]] = []
    decision: Decision | None = None
    first, second = rounds
    try:
        check_batch_size(len(first.codes), rules.min_batch)
        tallies.append(_asked(Program.TWO_ROUND, schema, first, 0, None))
        decision = decide(schema, *marginals(tallies[0]))
        if not decision.kept:
            return Ideal(tuple(tallies), decision, None, None)
        check_batch_size(len(second.codes), rules.min_batch)
        _check_people(policy, rules, decision, len(first.codes), len(second.codes))
        tallies.append(_asked(Program.TWO_ROUND, schema, second, 1, decision))
    except RoundBurned as burned:
        return Ideal(tuple(tallies), decision, None, str(burned))
    return Ideal(tuple(tallies), decision, tallies[1][0], None)


def randomized(schema: Schema, reports: Table, rules: Rules) -> Ideal:
    """Play the program `randomized` without a message; `reports` are what people say."""
    try:
        check_batch_size(len(reports.codes), rules.min_batch)
    except RoundBurned as burned:
        return Ideal((), None, None, str(burned))
    return Ideal((_asked(Program.RANDOMIZED, schema, reports, 0, None),), None, None, None)


def _asked(
    program: Program, schema: Schema, table: Table, asked: int, decision: Decision | None
) -> tuple[Counts, ...]:
    """Answer the next call of a program."""
    call = next_call(program, schema, asked, decision)
    assert call is not None  # noqa: S101 - whoever asks has seen to it
    return answer(table, call)


def _check_people(policy: Policy, rules: Rules, decision: Decision, before: int, now: int) -> None:
    """What the first shuffler and the analyst check about who came to the second round."""
    proof = decision.certificate
    if policy.setting is Setting.FIXED:
        check_dropout(before, now, rules.min_dropout)
    elif policy.rule not in UNPROMISED:
        check_promise(proof.people, proof.n, proof.k, now, policy.max_exposure)


def ideal_view(
    users: int, ideal: Ideal, calls: Sequence[Call], policy: Policy, shufflers: int, *members: str
) -> View:
    """What these parties would know together of the calls answered, were the mix network ideal.

    The counts they read or that are public; and, where all shufflers of a round and its reader are
    among them, everybody's answers of that round. (Users among them are not looked at here.)
    """
    coalition = frozenset(members)
    chain = {parties.shuffler(hop + 1) for hop in range(shufflers)}
    counted = [
        CountsSeen(call.round, columns, counts)
        for call, tally in zip(calls, ideal.tallies, strict=True)
        for columns, counts in zip(call.asks, tally, strict=True)
        if call.reader in coalition or call.reader is Role.ANALYST or policy.publish_marginals
    ]
    opened = {
        call.round: (shufflers + 1 if chain | {call.reader} <= coalition else 0, shufflers + 1)
        for call in calls
    }
    everybody = {
        call.round: tuple(sorted({column for ask in call.asks for column in ask}))
        for call in calls
        if chain | {call.reader} <= coalition
    }
    fixed = policy.setting is Setting.FIXED
    transcript = Transcript(users, summary=True)
    return View(coalition, users, fixed, {}, tuple(counted), opened, everybody, transcript)


def calls_made(program: Program, schema: Schema, ideal: Ideal) -> list[Call]:
    """The calls of a program that were answered."""
    made = []
    for asked in range(len(ideal.tallies)):
        call = next_call(program, schema, asked, ideal.decision)
        assert call is not None  # noqa: S101 - it was answered
        made.append(call)
    return made
