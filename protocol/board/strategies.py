"""The sequence of queries of a session: the curator's next step, and the board's check of it.

    two-round          every feature by itself, for the curator; then the released columns
                       together, for the analyst
    hierarchical       every feature by itself, then pairs, triples, ..., for the curator, as long
                       as there are safe queries; then the released columns, for the analyst
    local-suppression  every feature by itself, for the curator; then the released columns, with
                       some values suppressed, for the analyst
    randomized         every feature by itself, for the analyst: answers are already noisy
    two-round-once     as two-round, but users submit in round 1 alone; the release mixes the
                       ballots of round 1 again (verified_round.py)
    threshold          all features together, for the analyst, which can open only values that k
                       people share; decided before all counts

A call is the query of a round: it names sets of columns and a reader. It may depend on counts that
only the curator knows. So every party checks the conditions that need no counts (`legal`):

* The first call is the same in every session of a program, and hides no value.
* After a decision only the decided columns are requested, with the decided rules that hide values.
  That call ends the session. There is one decision at most.
* Before the decision only `hierarchical` has further calls. Round r requests sets of r columns; all
  subsets of r - 1 columns must have been requested before. If the announced rule says `ask=best`,
  a call requests one set of two columns or more, in 16 rounds at most. No earlier set may contain
  the new set.
* In a column with hidden values, a hidden value stays hidden in later calls.

The curator's calls and decision come from a `Strategy`, a function of the counts so far.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol, runtime_checkable

from ...errors import ParameterError
from ..rounds.tallying import marginals
from ..wire.announcement import Program
from ..wire.hiding_rules import Mask, Redact
from ..wire.messages import Call, Counts, Decision
from ..wire.parties import Role
from ..wire.schema import Schema

# word in the announced rule: in each round after the first, the curator requests one set of columns
# of its choice; without this word, it requests all sets of a size together
BEST = "ask=best"
# largest number of rounds after the first in which the curator requests one set of columns each
MOST_CHOSEN = 16


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A call (a round's query) that the curator has read, and its counts by set of columns.

    Attributes:
        call: the call.
        counts: people by combination of values, for each set of columns of the call.
    """

    call: Call
    counts: tuple[Counts, ...]


@runtime_checkable
class Strategy(Protocol):
    """A curator's rule: the next query and the decision, as a function of the counts so far.

    It is called only after round 1, or before all counts in `threshold`. The same counts must lead
    to the same query and the same decision, so that parties can check them.
    """

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        """Return the curator's next query; None if it has no further query.

        schema: all columns. heard: the rounds that the curator has read, with their counts, in
        order.
        """
        ...

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the decision which columns to release, after the curator's last query.

        schema: all columns. heard: the rounds that the curator has read, with their counts, in
        order.
        """
        ...


DecisionRule = Callable[[Schema, Sequence[Sequence[int]], int], Decision]


@dataclass(frozen=True, slots=True)
class ByMarginals:
    """The strategy that reads the single columns in round 1, and then applies a rule to them.

    Attributes:
        rule: the function from the marginals to the decision.
    """

    rule: DecisionRule

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:  # noqa: ARG002
        """Return None: this strategy makes no query after the single columns of round 1."""
        return None

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the columns that the announced rule releases, from the counts of single columns.

        heard: the rounds that the curator has read. Only round 1 is used: it counts single columns.
        """
        return self.rule(schema, *marginals(heard[0].counts))


def strategy_of(rule: DecisionRule | Strategy) -> Strategy:
    """Return a decision rule on counts of single columns as a strategy.

    rule: the decision rule; a strategy is returned unchanged.
    """
    return rule if isinstance(rule, Strategy) else ByMarginals(rule)


def first_call(program: Program, schema: Schema) -> Call:
    """Return the query of round 1: every column by itself; in `threshold`, all columns together."""
    if program is Program.THRESHOLD:
        return Call(1, Role.ANALYST, (tuple(range(len(schema.features))),))
    singles = tuple((column,) for column in range(len(schema.features)))
    return Call(1, Role.ANALYST if program is Program.RANDOMIZED else Role.CURATOR, singles)


def release_call(number: int, decision: Decision) -> Call | None:
    """Return the query for a decision's columns, for the analyst; None if no column is released.

    number: the round of the query.
    """
    if not decision.kept:
        return None
    return Call(number, Role.ANALYST, (decision.kept,), decision.hidden)


def next_step(
    program: Program,
    schema: Schema,
    strategy: Strategy,
    round_results: Sequence[RoundResult],
    decision: Decision | None,
    rule: str = "",
) -> Call | Decision | None:
    """Curator: return its next call or decision by the rules of the program; None at the end.

    A call is the query of a round. Not to be called after a call for the analyst, which ends every
    program. round_results: the rounds that the curator has read. decision: None before it is made.
    rule: the announced rule of the decision.
    """
    early = program is Program.THRESHOLD and decision is None
    if not (round_results or early):
        return first_call(program, schema)
    if decision is not None:
        return release_call(len(round_results) + 1, decision)
    step = (
        strategy.decide(schema, ()) if early else _asked_or_decided(strategy, schema, round_results)
    )
    match step:
        case Call() if not legal(
            program, schema, [result.call for result in round_results], None, step, rule
        ):
            raise ParameterError(
                f"the strategy returned {step}; the program {program} has no such step"
            )
        case Decision(released_columns, proof) if not decidable(program, schema, step):
            raise ParameterError(
                f"the decision rule keeps columns {released_columns} of {len(schema.features)} and "
                "promises at "
                f"most {proof.people} of {proof.n} people exposed; that is no valid decision"
            )
    return step


def _asked_or_decided(
    strategy: Strategy, schema: Schema, round_results: Sequence[RoundResult]
) -> Call | Decision:
    """Return the strategy's next query, or its decision if it has no further query.

    round_results: the rounds that the curator has read, with their counts.
    """
    return strategy.ask(schema, round_results) or strategy.decide(schema, round_results)


def legal(
    program: Program,
    schema: Schema,
    calls: Sequence[Call],
    decision: Decision | None,
    call: Call,
    rule: str = "",
) -> bool:
    """Any party: whether a call may follow earlier calls and a decision, by the program's rules.

    A call is the query of a round. The check needs no counts, so that every party can make it.
    decision: None: not decided yet. rule: the announced rule, which says whether the curator
    requests sets of columns level by level (pairs, triples, ...), or one set in each round.
    """
    if not calls:
        decided = decision is not None or program is not Program.THRESHOLD
        return decided and call == first_call(program, schema)
    if calls[-1].reader is Role.ANALYST:
        return False
    if decision is not None:
        return call == release_call(len(calls) + 1, decision)
    return program is Program.HIERARCHICAL and _deeper(schema, calls, call, BEST in rule.split())


def _deeper(schema: Schema, calls: Sequence[Call], call: Call, best: bool) -> bool:  # noqa: FBT001
    """Whether the curator's next call requests sets of columns that may come next.

    A call is the query of a round. best: whether each call requests a single set of columns; False:
    all sets of one size together.
    """
    queried_columns = {column for ask in call.asks for column in ask}
    next_round = call.reader is Role.CURATOR and call.round == len(calls) + 1
    return (
        next_round
        and max(queried_columns) < len(schema.features)
        and (_one_more(calls, call) if best else _one_wider(calls, call))
        and _masked_as_before(calls, call, queried_columns)
    )


def _one_more(calls: Sequence[Call], call: Call) -> bool:
    """Whether a call requests one new set of columns, within the limit of rounds.

    No earlier call may have requested a set that contains all these columns.
    """
    earlier_queries = [set(ask) for call in calls for ask in call.asks]
    return (
        len(call.asks) == 1
        and len(call.asks[0]) > 1
        and len(calls) <= MOST_CHOSEN
        and not any(set(call.asks[0]) <= ask for ask in earlier_queries)
    )


def _one_wider(calls: Sequence[Call], call: Call) -> bool:
    """Whether round r requests sets of r columns with known subsets.

    A known subset has r - 1 columns, and an earlier call has requested it. calls: the earlier
    rounds' queries. call: the query of round r.
    """
    earlier_queries = {ask for call in calls for ask in call.asks}
    return all(
        len(ask) == call.round and earlier_queries.issuperset(combinations(ask, len(ask) - 1))
        for ask in call.asks
    )


def _masked_as_before(calls: Sequence[Call], call: Call, queried_columns: set[int]) -> bool:
    """Whether a call keeps all values hidden that earlier calls have hidden in its columns.

    queried_columns: the columns of the call (the query of a round).
    """
    masked = {
        rule.column: rule for call in calls for rule in call.hidden
    }  # number of a column -> the latest rule that hides values in it
    hidden = {rule.column for rule in call.hidden}
    return queried_columns & masked.keys() <= hidden and all(
        _narrower(rule, masked.get(rule.column)) for rule in call.hidden
    )


def _narrower(rule: Mask | Redact, earlier_rule: Mask | Redact | None) -> bool:
    """Whether a mask shows only values that an earlier mask of the same column showed.

    A mask is a rule that shows listed values and hides all other values. earlier_rule: the earlier
    rule of the column; None: all values were shown.
    """
    if not isinstance(rule, Mask):
        return False
    return not isinstance(earlier_rule, Mask) or set(rule.named_values) <= set(
        earlier_rule.named_values
    )


def decidable(program: Program, schema: Schema, decision: Decision) -> bool:
    """Any party: whether a program allows a decision.

    The decided columns must exist in the schema. Suppressed values are allowed only in the program
    `local-suppression`. The bound on exposed people may not exceed the number of people. In
    `threshold` all columns are released, without a rule and without counted people.
    """
    proof = decision.certificate
    if max(decision.kept, default=0) >= len(schema.features) or proof.people > proof.n:
        return False
    if program is Program.THRESHOLD:
        all_columns = tuple(range(len(schema.features)))
        return decision.kept == all_columns and not decision.hidden and not proof.n
    redacts = program is Program.LOCAL_SUPPRESSION
    return all(redacts and isinstance(rule, Redact) for rule in decision.hidden)


def final_release(
    calls: Sequence[Call], tallies: Sequence[tuple[Counts, ...]], decision: Decision | None
) -> Counts | None:
    """Any party: return the released counts; None unless the analyst's round was completed.

    calls: the queries of all rounds. tallies: the counts of each completed round.
    """
    if decision is None or not calls or calls[-1].reader is not Role.ANALYST:
        return None
    return tallies[-1][0] if len(tallies) == len(calls) else None
