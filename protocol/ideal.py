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
from .announcement import Policy, Program, Rules, Setting
from .crowd_limits import check_batch_size, check_rounds, check_unspent
from .hiding import BLANK, COVERS, OTHER, Hiding, Redact, apply_rule
from .messages import Call, Counts, Decision
from .opened_prefixes import by_prefixes, opened
from .opened_views import tries_all
from .parties import Role
from .programs import DecisionRule, RoundResult, Strategy, first_call, next_step, strategy_of
from .promise import check_promise, prove
from .record import CountsSeen
from .schema import Schema
from .transcript import Transcript
from .view import View

DENSE = 1 << 16  # cells that are counted in an array, however few people there are
PACKED = 1 << 62  # cells that still have a number of 64 bits each

Codes = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Table:
    """The people, as nobody in the protocol sees them.

    Attributes:
        values: values[j]: the texts of column j.
        codes: n x d integers, codes[i, j] the index of person i's value of column j in values[j].
    """

    values: tuple[tuple[str, ...], ...]
    codes: Codes


@dataclass(frozen=True, slots=True)
class Ideal:
    """What comes out: counts per round and question, decision, release, or why there is none.

    Attributes:
        tallies: counts per round, and per question of it.
        decision: the columns of the release; None: none was made.
        release: how many people have each combination; None: nothing was released.
        burned: why it was given up; None: it was not.
        calls: those that were answered.
    """

    tallies: tuple[tuple[Counts, ...], ...]
    decision: Decision | None
    release: Counts | None
    burned: str | None
    calls: tuple[Call, ...] = ()


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


def hide_table(table: Table, hidden: Sequence[Hiding], draws: npt.ArrayLike) -> Table:
    """The table as people say it under a call's rules.

    draws: people x rules, whole numbers below 2^32; what `hiding.cover_draws` gives each person.
    """
    values, codes = list(table.values), table.codes.astype(np.int64, copy=bool(hidden))
    for rule, drawn in zip(hidden, np.asarray(draws, dtype=np.uint64).T, strict=True):
        texts = values[rule.column]
        gone = np.array([apply_rule(rule, text, COVERS) != text for text in texts], dtype=bool)
        spelt = BLANK if isinstance(rule, Redact) else OTHER
        lost = gone[codes[:, rule.column]]
        if isinstance(rule, Redact):
            lost |= drawn < rule.cover
        values[rule.column] = (*texts, spelt)
        codes[lost, rule.column] = len(texts)
    return Table(tuple(values), codes)


def run_through(
    program: Program,
    schema: Schema,
    answering: Callable[[Call], Table],
    policy: Policy,
    rules: Rules,
    strategy: Strategy,
    *,
    proving: bool = True,
    asking: Callable[[Call], int] | None = None,
) -> Ideal:
    """Play a program without a message.

    answering: the people who answer a call, as they say it. In the fixed setting those of a round
    are those of the round before, less who is missing. proving: whether the promise must hold for
    those who came. asking: how many people ask for tokens for a call, where there are tokens.
    """
    calls: list[Call] = []
    given: list[int] = []
    tallies: list[tuple[Counts, ...]] = []
    decision: Decision | None = None
    burned: str | None = None
    try:
        while step := next_step(
            program, schema, strategy, _heard(calls, tallies), decision, policy.rule
        ):
            if isinstance(step, Decision):
                decision = step
                continue
            table = answering(step)
            check_batch_size(len(table.codes), rules.min_batch)
            if policy.setting is Setting.FIXED:
                before = [max(sum(count.values()) for count in tally) for tally in tallies]
                check_rounds(before, len(table.codes), rules.min_dropout)
            if asking is not None:
                given.append(asking(step))
                check_tokens(policy, rules, given, len(table.codes))
            counts = answer(table, step)
            if program is Program.THRESHOLD:
                counts = (opened(counts[0], policy.k, prefixes=by_prefixes(policy.rule)),)
            if decision is not None and proving:
                proved = prove(strategy, schema, calls, decision, counts[0])
                check_promise(policy, decision, proved)
            calls.append(step)
            tallies.append(counts)
            if step.reader is Role.ANALYST:
                break
    except RoundBurned as why:
        burned = str(why)
    return Ideal(tuple(tallies), decision, released(calls, tallies, decision), burned, tuple(calls))


def check_tokens(policy: Policy, rules: Rules, given: Sequence[int], people: int) -> None:
    """Reader: RoundBurned unless all who were given tokens answer, and are enough, and the same.

    given: to how many people tokens were given in each round up to this one.
    """
    check_batch_size(given[-1], rules.min_batch)
    if policy.setting is Setting.FIXED:
        check_rounds(given[:-1], given[-1], rules.min_dropout)
    check_unspent(given[-1], [people])


def released(
    calls: Sequence[Call], tallies: Sequence[tuple[Counts, ...]], decision: Decision | None
) -> Counts | None:
    """Anybody: the release, if the round for what was decided was completed; else None."""
    if decision is None or not calls or calls[-1].reader is not Role.ANALYST:
        return None
    return tallies[-1][0] if len(tallies) == len(calls) else None


def _heard(calls: Sequence[Call], tallies: Sequence[tuple[Counts, ...]]) -> list[RoundResult]:
    return [RoundResult(call, counts) for call, counts in zip(calls, tallies, strict=True)]


def two_round(
    schema: Schema,
    rounds: tuple[Table, Table],
    policy: Policy,
    rules: Rules,
    decide: DecisionRule | Strategy,
) -> Ideal:
    """Play the program `two-round` without a message; `rounds` are the people who answer in each.

    In the fixed setting the second table is the first, less those who are missing.
    """
    strategy = strategy_of(decide)

    def answering(call: Call) -> Table:
        return rounds[call.round - 1]

    return run_through(Program.TWO_ROUND, schema, answering, policy, rules, strategy)


def randomized(schema: Schema, reports: Table, rules: Rules, given: int | None = None) -> Ideal:
    """Play the program `randomized` without a message; `reports` are what people say.

    given: how many people ask for tokens, where there are tokens.
    """
    try:
        check_batch_size(len(reports.codes), rules.min_batch)
        if given is not None:
            check_unspent(given, [len(reports.codes)])
    except RoundBurned as burned:
        return Ideal((), None, None, str(burned))
    call = first_call(Program.RANDOMIZED, schema)
    return Ideal((answer(reports, call),), None, None, None, (call,))


def ideal_view(
    users: int,
    ideal: Ideal,
    policy: Policy,
    shufflers: int,
    *members: str,
    asked: bool = False,
    public: bool = False,
    whole: Counts | None = None,
) -> View:
    """What these parties would know together of the calls answered, were the mix network ideal.

    The counts they read or that are public; and, where all shufflers of a round and its reader are
    among them, everybody's answers of that round. (Users among them are not looked at here.) asked:
    whether people ask curator and analyst for tokens. public: whether everybody sees who takes
    part. whole: where only what k people share is opened, the counts of whole rows, which reader
    and `randomness` alone can know, together.
    """
    coalition = frozenset(members)
    chain = {parties.shuffler(hop + 1) for hop in range(shufflers)}
    counted = [
        CountsSeen(call.round, columns, counts, call.hidden)
        for call, tally in zip(ideal.calls, ideal.tallies, strict=True)
        for columns, counts in zip(call.asks, tally, strict=True)
        if call.reader in coalition or call.reader is Role.ANALYST or policy.publish_marginals
    ]
    opened = {
        call.round: (shufflers + 1 if chain | {call.reader} <= coalition else 0, shufflers + 1)
        for call in ideal.calls
    }
    everybody = {
        call.round: tuple(sorted({column for ask in call.asks for column in ask}))
        for call in ideal.calls
        if chain | {call.reader} <= coalition
    }
    fixed = policy.setting is Setting.FIXED
    if whole is not None and tries_all(coalition):
        counted += [CountsSeen(seen.round, seen.columns, whole) for seen in counted]
    transcript = Transcript(users, summary=True)
    return View(
        *(coalition, users, fixed, {}, tuple(counted), opened, everybody, transcript),
        decision=ideal.decision,
        asked=asked,
        public=public,
        threshold=whole is not None,
    )
