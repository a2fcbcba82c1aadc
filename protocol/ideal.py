"""The ideal functionality: the same queries answered without messages.

This module seals, mixes and opens no message. A hypothetical trusted party reads the table, answers
each call (a round's query), lets the decision rule decide, and applies the same rules about small
batches and missing people. Every run of the real protocol must give the same marginals, decision
and release. The table may have a million rows, so this module uses numpy; no other module of
`protocol` does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from ..errors import RoundBurned
from .board.promise import check_promise, prove
from .board.strategies import (
    DecisionRule,
    RoundResult,
    Strategy,
    final_release,
    first_call,
    next_step,
    strategy_of,
)
from .rounds.exclusion import published_rows
from .wire.announcement import AnnouncedPolicy, Program, Rules, Setting
from .wire.crowd_limits import check_batch_size, check_rounds, check_unspent
from .wire.hiding_rules import BLANK, COVERS, OTHER_VALUE, Hiding, Redact, apply_rule
from .wire.messages import Call, Counts, Decision
from .wire.parties import Role
from .wire.rows_per_person import dummy, people_among
from .wire.schema import Schema

# up to this number of possible cells, people are counted in an array with an entry for each cell,
# because such an array is small; a larger array is made only if the table has as many rows as cells
DENSE = 1 << 16
# up to this number of cells, each has a 64-bit number; beyond it, rows are compared
PACKED = 1 << 62

Codes = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class PeopleTable:
    """The table of all people, which no party of the protocol sees.

    Attributes:
        values: values[j]: the texts of column j.
        codes: n x d integers, codes[i, j] the index of person i's value of column j in values[j].
        owner: if persons have several rows, the person of each row, from 0 without gaps; None: each
            row is another person.
        rows: the number of ballots of each person to a query, used or unused.
    """

    values: tuple[tuple[str, ...], ...]
    codes: Codes
    owner: Codes | None = None
    rows: int = 1

    @property
    def n(self) -> int:
        """The number of people."""
        if self.owner is None:
            return len(self.codes)
        return int(self.owner.max()) + 1 if len(self.owner) else 0


@dataclass(frozen=True, slots=True)
class Ideal:
    """The outcome of an ideal session, for comparison with a run of the real protocol.

    Attributes:
        tallies: counts by round, and by query of the round.
        decision: the columns of the release; None: no decision.
        release: the number of people with each combination; None: no release.
        burned: the reason of an abort; None: no abort.
        calls: the answered calls (queries of rounds).
        burned_call: the call of the aborted round; None: no round was aborted.
        burned_counts: by query, the counts of the aborted round that curator or analyst had read
            before the abort; None: no counts.
    """

    tallies: tuple[tuple[Counts, ...], ...]
    decision: Decision | None
    release: Counts | None
    burned: str | None
    calls: tuple[Call, ...] = ()
    burned_call: Call | None = None
    burned_counts: tuple[Counts, ...] | None = None

    @property
    def posted(self) -> tuple[Call, ...]:
        """All calls (queries of rounds) that users saw, with the call of an aborted round."""
        return self.calls if self.burned_call is None else (*self.calls, self.burned_call)


def answer(table: PeopleTable, call: Call) -> tuple[Counts, ...]:
    """Return the counts of a table's people for every set of columns in a call (a round's query).

    If persons have several rows, a person is counted once in each of its cells. Unused ballots
    (dummies) are counted in a cell of their own.
    """
    if table.owner is None:
        return tuple(count_cells(table, columns) for columns in call.asks)
    return tuple(_count_persons(table, columns) for columns in call.asks)


def _count_persons(table: PeopleTable, columns: Sequence[int]) -> dict[tuple[str, ...], int]:
    """Return, by cell over some columns, the number of different persons with a row in the cell.

    A cell is a combination of values. A cell of its own counts the dummies: unused ballots of
    persons that have fewer rows than ballots.
    """
    assert table.owner is not None  # noqa: S101 - the caller checks that rows have owners
    numbered = np.column_stack((table.owner, table.codes[:, list(columns)]))
    distinct_codes = np.unique(numbered, axis=0)[:, 1:]
    values = tuple(table.values[column] for column in columns)
    counts = (
        count_cells(PeopleTable(values, distinct_codes), range(len(columns)))
        if len(distinct_codes)
        else {}
    )
    if blank := table.rows * table.n - len(distinct_codes):
        counts[dummy(len(columns))] = blank
    return counts


def count_cells(table: PeopleTable, columns: Sequence[int]) -> dict[tuple[str, ...], int]:
    """Return the number of people with every combination of values of some columns.

    Combinations that no person has are left out.
    """
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


def hide_table(table: PeopleTable, hidden: Sequence[Hiding], draws: npt.ArrayLike) -> PeopleTable:
    """Return a table in which the values that a query hides are replaced, as users submit them.

    hidden: the query's rules that hide values. draws: people x rules, whole numbers below 2^32 that
    decide on random suppression; the results of `hiding.cover_draws` for each person.
    """
    values, codes = list(table.values), table.codes.astype(np.int64, copy=bool(hidden))
    for rule, drawn in zip(hidden, np.asarray(draws, dtype=np.uint64).T, strict=True):
        texts = values[rule.column]
        is_hidden = np.array([apply_rule(rule, text, COVERS) != text for text in texts], dtype=bool)
        spelt = BLANK if isinstance(rule, Redact) else OTHER_VALUE
        hidden_cells = is_hidden[codes[:, rule.column]]
        if isinstance(rule, Redact):
            hidden_cells |= drawn < rule.cover
        values[rule.column] = (*texts, spelt)
        codes[hidden_cells, rule.column] = len(texts)
    return PeopleTable(tuple(values), codes)


def run_through(
    program: Program,
    schema: Schema,
    answering: Callable[[Call], PeopleTable],
    policy: AnnouncedPolicy,
    rules: Rules,
    strategy: Strategy,
    *,
    proving: bool = True,
    asking: Callable[[Call], int] | None = None,
) -> Ideal:
    """Play all rounds of a program without messages; return the outcome.

    answering: returns the rows that the respondents of a call (a round's query) submit. If the
    policy's setting is `fixed`, the respondents of a later round are those of the round before,
    less the dropouts. proving: whether to abort if the bound on exposed people fails for the
    respondents. asking: returns the number of users that request tokens in the round of a call;
    None: no tokens.
    """
    calls: list[Call] = []
    token_holders: list[int] = []
    tallies: list[tuple[Counts, ...]] = []
    decision: Decision | None = None
    burned: str | None = None
    pending: Call | None = None  # the query of the present round
    # the counts of the present round, after the curator or analyst has read them
    read: tuple[Counts, ...] | None = None
    try:
        while step := next_step(
            program, schema, strategy, _round_results(calls, tallies), decision, policy.rule
        ):
            if isinstance(step, Decision):
                decision = step
                continue
            pending, read = step, None
            table = answering(step)
            _check_people(policy, rules, tallies, table.n)
            read = _read(program, policy, schema, table, step)
            if asking is not None:
                token_holders.append(asking(step))
                check_tokens(policy, rules, token_holders, table.n)
            if decision is not None and proving:
                proved = prove(strategy, schema, calls, decision, read[0])
                check_promise(policy, decision, proved)
            calls.append(step)
            tallies.append(read)
            pending, read = None, None
            if step.reader is Role.ANALYST:
                break
    except RoundBurned as why:
        burned = str(why)
    release = final_release(calls, tallies, decision)
    return Ideal(tuple(tallies), decision, release, burned, tuple(calls), pending, read)


def _read(
    program: Program, policy: AnnouncedPolicy, schema: Schema, table: PeopleTable, call: Call
) -> tuple[Counts, ...]:
    """Return the counts that the curator or analyst learns from the round of a call (query).

    In the program `threshold`, the analyst learns only the values that k people share.
    """
    counts = answer(table, call)
    if program is Program.THRESHOLD:
        return (published_rows(counts[0], policy, schema),)
    return counts


def _check_people(
    policy: AnnouncedPolicy, rules: Rules, tallies: Sequence[tuple[Counts, ...]], people: int
) -> None:
    """First shuffler: RoundBurned if too few people answer.

    In the fixed setting (all rounds ask the same people), also if so few people left since an
    earlier round that subtraction would expose them.
    """
    check_batch_size(people, rules.min_batch)
    if policy.setting is Setting.FIXED:
        ballots = (max(sum(count.values()) for count in tally) for tally in tallies)
        earlier_people = [people_among(ballot_count, rules.rows) for ballot_count in ballots]
        check_rounds(earlier_people, people, rules.min_dropout)


def check_tokens(
    policy: AnnouncedPolicy, rules: Rules, token_holders: Sequence[int], people: int
) -> None:
    """Curator or analyst: RoundBurned if users with tokens are too few, or some do not answer.

    In the fixed setting (all rounds ask the same people), also if so few users left since an
    earlier round that subtraction would expose them. token_holders: the number of users with tokens
    in each round up to this round. people: the respondents of this round.
    """
    check_batch_size(token_holders[-1], rules.min_batch)
    if policy.setting is Setting.FIXED:
        check_rounds(token_holders[:-1], token_holders[-1], rules.min_dropout)
    check_unspent(token_holders[-1], [people])


def _round_results(
    calls: Sequence[Call], tallies: Sequence[tuple[Counts, ...]]
) -> list[RoundResult]:
    """Return the read rounds in the form that a strategy (the curator's rule) expects."""
    return [RoundResult(call, counts) for call, counts in zip(calls, tallies, strict=True)]


def two_round(
    schema: Schema,
    rounds: tuple[PeopleTable, PeopleTable],
    policy: AnnouncedPolicy,
    rules: Rules,
    decide: DecisionRule | Strategy,
) -> Ideal:
    """Play the program `two-round` without messages; return the outcome.

    rounds: the table of respondents of each round. If the policy's setting is `fixed`, the second
    table is the first, less the dropouts. decide: the curator's rule.
    """
    strategy = strategy_of(decide)

    def answering(call: Call) -> PeopleTable:
        """Return the table of respondents in the round of a call (a round's query)."""
        return rounds[call.round - 1]

    return run_through(Program.TWO_ROUND, schema, answering, policy, rules, strategy)


def randomized(
    schema: Schema, reports: PeopleTable, rules: Rules, token_holders: int | None = None
) -> Ideal:
    """Play the program `randomized` without messages; return the outcome.

    reports: the noisy answers. token_holders: the number of users that ask for tokens; None without
    tokens.
    """
    call = first_call(Program.RANDOMIZED, schema)
    read: tuple[Counts, ...] | None = None
    try:
        check_batch_size(len(reports.codes), rules.min_batch)
        read = answer(reports, call)
        if token_holders is not None:
            check_unspent(token_holders, [len(reports.codes)])
    except RoundBurned as burned:
        return Ideal((), None, None, str(burned), (), call, read)
    return Ideal((read,), None, None, None, (call,))
