"""Conversion of the curator's counts in `hierarchical` to records of `analysis`.

With these records, `analysis` bounds the exposure of people.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....protocol.board.strategies import RoundResult
from ....protocol.rounds.tallying import summed
from ....protocol.wire.hiding_rules import Mask
from ....protocol.wire.messages import Call, Counts
from ....protocol.wire.parties import Role
from ....protocol.wire.schema import Schema

if TYPE_CHECKING:
    from ....analysis.composition.group_counts import Group
    from ....analysis.composition.known_groups import GroupKnowledge
    from ....analysis.trust.certain_cells import Certainty


def knowledge(
    schema: Schema, round_results: Sequence[RoundResult], k: int
) -> tuple["GroupKnowledge", tuple[tuple[str, ...], ...]]:
    """Return the curator's counts as a record of `analysis`, and the values of each column.

    k: the smallest safe class, in people. The values of a column have nonzero counts in round 1,
    and stand in ascending order. round_results: the curator's queries with their counts.
    """
    from ....analysis.composition.group_counts import with_parts
    from ....analysis.composition.known_groups import GroupKnowledge

    names = tuple(tuple(sorted(value for (value,) in count)) for count in round_results[0].counts)
    singles = tuple(
        np.array([count[value,] for value in texts], dtype=np.int64)
        for texts, count in zip(names, round_results[0].counts, strict=True)
    )
    queried_tables = {
        group: _as_table(names, result.call, group, counts)
        for result in round_results[1:]
        for group, counts in zip(result.call.asks, result.counts, strict=True)
    }
    tables = with_parts(queried_tables)
    assert len(names) == len(schema.features)  # noqa: S101 - round 1 asks for every column
    return GroupKnowledge(k, singles, tables), names


def standings(
    schema: Schema, round_results: Sequence[RoundResult], k: int
) -> "tuple[Certainty, ...]":
    """Return, after each round, the people in certain cells and the exposure bound.

    A cell is certain if it has 1 to k - 1 people in every table with the counts so far.
    round_results: the curator's queries with their counts. k: the smallest safe class, in people.
    """
    from ....analysis.trust.certain_cells import Certainty

    rounds = range(1, len(round_results) + 1)
    round_knowledge = (knowledge(schema, round_results[:number], k)[0] for number in rounds)
    return tuple(Certainty.from_knowledge(table) for table in round_knowledge)


def answered_again(
    schema: Schema, calls: Sequence[Call], released_columns: Sequence[int], joint: Counts
) -> tuple[Schema, list[RoundResult]]:
    """Compute, from a release, the answers of the released people to the curator's earlier queries.

    These answers prove the exposure bound again, for exactly the released people. joint: the
    released counts, which name every value. A result's query keeps its masks, rules by which rare
    values are reported as `other`; `knowledge` applies them to the counts. Columns are numbered by
    their places among the released columns. Queries for other columns are omitted. calls: the
    curator's queries.
    """
    place = {column: at for at, column in enumerate(released_columns)}
    round_results: list[RoundResult] = []
    for call in calls:
        asks = tuple(
            tuple(place[column] for column in ask) for ask in call.asks if place.keys() >= set(ask)
        )
        if not asks:
            continue
        speaking = {column for ask in asks for column in ask}
        masks = tuple(
            Mask(place[rule.column], rule.named_values)
            for rule in call.hidden
            if isinstance(rule, Mask) and place.get(rule.column) in speaking
        )
        counts = tuple(summed(joint, ask) for ask in asks)
        round_results.append(RoundResult(Call(call.round, Role.CURATOR, asks, masks), counts))
    return Schema(tuple(schema.features[column] for column in released_columns)), round_results


def _as_table(names: Sequence[Sequence[str]], call: Call, group: "Group", counts: Counts) -> Any:
    """Return the counts of a group of columns as a table of `analysis`.

    names: the values of each column. Along each axis stand the values reported by name, then
    `other` for all values that the query masks.
    """
    from ....analysis.composition.group_counts import GroupCounts

    masks = {rule.column: set(rule.named_values) for rule in call.hidden if isinstance(rule, Mask)}
    named_values = tuple(
        tuple(v for v, text in enumerate(names[j]) if text in masks.get(j, (text,))) for j in group
    )
    places = [
        {names[j][value]: at for at, value in enumerate(column_values)}
        for j, column_values in zip(group, named_values, strict=True)
    ]
    table = np.zeros([len(column_values) + 1 for column_values in named_values], dtype=np.int64)
    for values, people in counts.items():
        cell = (p.get(text, len(p)) for p, text in zip(places, values, strict=True))
        table[tuple(cell)] += people
    return GroupCounts(group, named_values, table)


def masked(
    round_results: Sequence[RoundResult], names: Sequence[Sequence[str]]
) -> "dict[int, Group]":
    """Return, for each masked column, the indices of the values still reported by name.

    A mask is a rule of a query: people with any other value of the column report `other`. An index
    counts from 0 in the column's values, `names`. round_results: the curator's queries with their
    counts.
    """
    named_values: dict[int, Group] = {}
    for result in round_results:
        for rule in result.call.hidden:
            if isinstance(rule, Mask):
                numbered_values = enumerate(names[rule.column])
                named_values[rule.column] = tuple(
                    value for value, text in numbered_values if text in rule.named_values
                )
    return named_values
