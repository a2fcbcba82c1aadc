"""Crowds of a coalition's view: sets of people with equal observations in it.

A crowd is identified by a mark, the observations that its people have in common.

* If a run records single people, a mark is made from the observations about each person.
* The summary form of a run, and an ideal run (without a network), record numbers of people only.
  If all rounds are of the same people, a respondent of a later round is assumed to have answered
  the earlier rounds too. If each round is of other people, the crowds of the rounds are disjoint.
* If messages are not padded, only rows with an encoding of the observed length are possible.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product
from math import prod
from typing import TYPE_CHECKING

from ...protocol.wire.hiding_rules import HIDDEN
from .evidence import AllowedCells, Cell, Crowd
from .value_states import States

if TYPE_CHECKING:
    from ...protocol.knowledge.run_record import CountsSeen, Lengths
    from ...protocol.knowledge.view import View

# most candidate rows whose message lengths are computed; with more, lengths are no evidence
MOST_FITTING = 100_000
SeenLengths = tuple[tuple[int, tuple[int, ...]], ...]
Fitting = tuple[tuple[int, ...], Mapping[tuple[int, ...], frozenset[Cell]]]


@dataclass(frozen=True, slots=True)
class Mark:
    """The observations that a coalition has of a person; people with equal marks form a crowd.

    Attributes:
        possible_states: pairs of a column and its possible states; a state is a value, reported or
            suppressed.
        counted: for each count that the coalition read, whether it includes the person.
        revealed: columns in which the coalition knows the person's value, though it is not
            recorded.
        linked: whether a value is linked to the person by name.
        is_member: whether the person is a member of the coalition.
        lengths: pairs of a round and the lengths of the person's messages in it.
    """

    possible_states: tuple[tuple[int, frozenset[int]], ...] = ()
    counted: tuple[bool, ...] = ()
    revealed: frozenset[int] = frozenset()
    linked: bool = False
    is_member: bool = False
    lengths: SeenLengths = ()


def recorded_crowds(
    view: "View", usable: "Sequence[CountsSeen]", states: States
) -> Mapping[Mark, list[int]]:
    """Return the people of each crowd, by mark, if the run recorded single people.

    A mark is a coalition's observations of a person; people with equal marks form a crowd.

    usable: the counts that the evidence includes. states: the states of values (reported or
    suppressed) under the hiding rules.
    """
    all_users = frozenset(range(view.users))
    respondents = [
        view.respondents.get((counted_view.round, counted_view.columns), all_users)
        if counted_view.among is None
        else counted_view.among
        for counted_view in usable
    ]
    own_people = view.member_indices
    whole = frozenset(column for columns in view.linked_columns.values() for column in columns)
    rounds = [(states.rules.get(number, {}), rows) for number, rows in view.by_round.items()]
    linked: dict[Mark, list[list[int]]] = {}
    plain: dict[Mark, list[list[int]]] = {}
    for people in _groups_of_equals(view, respondents):
        person = people[0]
        is_counted = tuple(person in people_set for people_set in respondents)
        hiding_rules = [(rules, rows[person]) for rules, rows in rounds if person in rows]
        if hiding_rules or whole:
            mark = Mark(
                states.consistent_states(hiding_rules),
                is_counted,
                whole,
                linked=True,
                is_member=person in own_people,
            )
            linked.setdefault(mark, []).append(people)
            continue
        lengths = tuple(
            (n, counted_view.people[person])
            for n, counted_view in view.lengths.items()
            if person in counted_view.people
        )
        plain.setdefault(Mark(counted=is_counted, lengths=lengths), []).append(people)
    return {
        mark: groups[0] if len(groups) == 1 else sorted(chain.from_iterable(groups))
        for mark, groups in (*linked.items(), *plain.items())
    }


def _groups_of_equals(view: "View", respondents: "Sequence[frozenset[int]]") -> Iterable[list[int]]:
    """Return groups of people with equal observations; ascending, by the first person of each.

    Rows are compared by identity, not by value: a run's record shares equal rows, so no row has to
    be read. The caller joins groups that have rows of equal values.

    respondents: for each count, the people in it.
    """
    all_users = range(view.users)
    splitting_sets = [
        people_set
        for people_set in (view.member_indices, *respondents)
        if 0 < len(people_set) < len(all_users)
    ]
    keys = (
        *(map(people_set.__contains__, all_users) for people_set in splitting_sets),
        *(map(id, map(rows.get, all_users)) for rows in view.by_round.values() if rows),
        *(map(lengths.people.get, all_users) for lengths in view.lengths.values()),
    )
    if not keys:
        return [list(all_users)] if all_users else []
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for person, key in enumerate(zip(*keys, strict=True)):
        groups[key].append(person)
    return groups.values()


def crowd_with(mark: Mark, people: int, lengths: "Mapping[int, Fitting]") -> Crowd:
    """Return a crowd of `people` people, with the statements that their common observations imply.

    mark: the observations that the people have in common. lengths: per round, its columns and the
    rows of each message length.
    """
    known_states, allowed_cells = _statements(mark.possible_states)
    fits = tuple(
        AllowedCells(columns, cells[length])
        for number, length in mark.lengths
        for columns, cells in [lengths[number]]
        if length in cells
    )
    return Crowd(
        people, known_states, allowed_cells + fits, mark.revealed, mark.linked, mark.is_member
    )


def rows_by_length(lengths: "Lengths", states: States) -> "Fitting":
    """Return the columns of a round, and for each observed message length the cells that have it.

    A cell is a combination of states, one for each column (a value, reported or suppressed). No
    cells if there are too many: the evidence then leaves the lengths out.
    """
    columns = tuple(sorted({column for ask in lengths.asks for column in ask}))
    byte_lengths = [
        {code: 2 + len(text.encode()) for text, code in states.codes[column].items()}
        for column in columns
    ]
    # for each column, pairs of a state (a value, reported or suppressed) and its length in bytes
    sizes: list[list[tuple[int, int]]] = []
    for column, lengths_of_values in zip(columns, byte_lengths, strict=True):
        values = states.labels(column, None)
        state_lengths = [
            (s, lengths_of_values[v]) for s, v in enumerate(values) if v in lengths_of_values
        ]
        sizes.append(state_lengths)
    by_length: dict[tuple[int, ...], set[Cell]] = {}
    if prod(map(len, sizes)) > MOST_FITTING:
        return columns, {}
    places = [[columns.index(column) for column in ask] for ask in lengths.asks]
    for cell in product(*sizes):
        query_lengths = [sum(cell[place][1] for place in ask) for ask in places]
        key = tuple(sorted(query_lengths)) if lengths.is_separate else (sum(query_lengths),)
        by_length.setdefault(key, set()).add(tuple(state for state, _ in cell))
    return columns, {key: frozenset(cells) for key, cells in by_length.items()}


def _statements(
    state_sets: tuple[tuple[int, frozenset[int]], ...],
) -> tuple[tuple[tuple[int, int], ...], tuple[AllowedCells, ...]]:
    """Return people's known values and allowed cells, from the possible states of each column.

    A state is a value, reported or suppressed. A column with a single possible state is known; a
    column with several gives a list of allowed cells. state_sets: pairs of a column and its
    possible states.
    """
    known_states = tuple(
        (column, min(states_of_column))
        for column, states_of_column in state_sets
        if len(states_of_column) == 1
    )
    allowed_cells = tuple(
        AllowedCells((column,), frozenset((state,) for state in states_of_column))
        for column, states_of_column in state_sets
        if len(states_of_column) > 1
    )
    return known_states, allowed_cells


def counted_crowds(
    view: "View",
    usable: "Sequence[CountsSeen]",
    listed: "Sequence[CountsSeen]",
    states: States,
) -> Mapping[Mark, range]:
    """Return the people of each crowd, by mark, if a run recorded only numbers of people.

    A mark is a coalition's observations of a person; people with equal marks form a crowd. People
    are numbered so that each round's respondents are a range.

    usable, listed: the counts read, and the counts that follow from announced rates of suppression.
    """
    all_counts = [*usable, *listed]
    rounds = sorted({counts_seen.round for counts_seen in all_counts} | set(view.linked_columns))
    sizes = {
        number: max(
            (counts_seen.people for counts_seen in all_counts if counts_seen.round == number),
            default=view.users,
        )
        for number in rounds
    }
    starts = dict.fromkeys(rounds, 0)
    if not view.fixed:
        for number, previous_round in zip(rounds[1:], rounds, strict=False):
            starts[number] = starts[previous_round] + sizes[previous_round]
    spans = [
        range(starts[counts_seen.round], starts[counts_seen.round] + counts_seen.people)
        for counts_seen in all_counts
    ]
    linked_spans = {
        n: range(starts[n], min(starts[n] + sizes[n], view.users)) for n in view.linked_columns
    }
    edges = {0, view.users}
    for span in (*spans, *linked_spans.values()):
        edges |= {min(span.start, view.users), min(span.stop, view.users)}
    cuts = sorted(edges)
    marks: dict[Mark, range] = {}
    for start, stop in pairwise(cuts):
        linked_rounds = [number for number, span in linked_spans.items() if start in span]
        is_counted = tuple(start in span for span in spans)
        for revealed, state_sets, people in _linked_ranges(
            view, usable, states, linked_rounds, range(start, stop)
        ):
            marks[Mark(state_sets, is_counted, revealed, linked=bool(linked_rounds))] = people
    return marks


def _linked_ranges(
    view: "View", usable: "Sequence[CountsSeen]", states: States, rounds: list[int], people: range
) -> "Iterable[tuple[frozenset[int], tuple[tuple[int, frozenset[int]], ...], range]]":
    """Yield ranges of people with linked answers of some rounds, by their suppressed columns.

    Each range has its revealed columns (of which the coalition knows each person's value), and the
    possible states (values, reported or suppressed) of its suppressed columns. A column for which a
    round has no hiding rule is revealed. If a single count has columns with hiding rules, and it
    includes all these people, its cells give the number of people for each set of hidden columns.
    """
    plain = frozenset(
        column
        for number in rounds
        for column in view.linked_columns[number]
        if column not in states.rules.get(number, {})
    )
    ruled = [
        counts_seen
        for counts_seen in usable
        if counts_seen.round in rounds and not plain.issuperset(counts_seen.columns)
    ]
    if len(ruled) != 1 or ruled[0].people != len(people):
        yield plain, (), people
        return
    (counts_seen,) = ruled
    patterns: Counter[tuple[tuple[int, str], ...]] = Counter()
    for cell, number in counts_seen.counts.items():
        column_values = zip(counts_seen.columns, cell, strict=True)
        patterns[
            tuple((c, value) for c, value in column_values if value in HIDDEN and c not in plain)
        ] += number
    start = people.start
    for pattern, number in sorted(patterns.items()):
        out = dict(pattern)
        revealed = plain | {column for column in counts_seen.columns if column not in out}
        state_sets = states.consistent_states([(states.rules.get(counts_seen.round, {}), out)])
        yield revealed, state_sets, range(start, start + number)
        start += number
