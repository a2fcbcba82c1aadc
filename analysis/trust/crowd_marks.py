"""Which people of a view are alike: those of whom the same was seen are one crowd, by its mark.

* Where people are recorded one by one, a mark is what was seen of each of them.
* In the summary form and in an ideal run they are not: whoever answered a later round is then taken
  to have answered the earlier ones, as it is with the same people in every round; with other people
  in each round, the crowds of the rounds are apart.
* Where messages are not padded, a person's row is one of those that are as long as its messages.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product
from math import prod
from typing import TYPE_CHECKING

from ...protocol.hiding import HIDDEN
from .evidence import AllowedCells, Cell, Crowd
from .value_states import States

if TYPE_CHECKING:
    from ...protocol.record import CountsSeen, Lengths
    from ...protocol.view import View

MOST_FITTING = 100_000  # rows whose length is looked at
SeenLengths = tuple[tuple[int, tuple[int, ...]], ...]
Fitting = tuple[tuple[int, ...], Mapping[tuple[int, ...], frozenset[Cell]]]


@dataclass(frozen=True, slots=True)
class Mark:
    """What tells people of one crowd from those of another.

    Attributes:
        held: column, states possible.
        counted: whether they were in each count.
        revealed: columns in which their covers are told from their values.
        linked: whether something was pinned on each of them.
        own: whether they are members of the coalition.
        lengths: round, lengths of the person's messages.
    """

    held: tuple[tuple[int, frozenset[int]], ...] = ()
    counted: tuple[bool, ...] = ()
    revealed: frozenset[int] = frozenset()
    linked: bool = False
    own: bool = False
    lengths: SeenLengths = ()


def recorded_crowds(
    view: "View", usable: "Sequence[CountsSeen]", states: States
) -> Mapping[Mark, list[int]]:
    """Crowds of people who are recorded one by one."""
    everybody = frozenset(range(view.users))
    came = [
        view.came.get((seen.round, seen.columns), everybody) if seen.among is None else seen.among
        for seen in usable
    ]
    own = view.own
    whole = frozenset(column for columns in view.everybody.values() for column in columns)
    rounds = [(states.rules.get(number, {}), rows) for number, rows in view.by_round.items()]
    linked: dict[Mark, list[list[int]]] = {}
    plain: dict[Mark, list[list[int]]] = {}
    for people in _alike(view, came):
        person = people[0]
        counted = tuple(person in some for some in came)
        said = [(rules, rows[person]) for rules, rows in rounds if person in rows]
        if said or whole:
            mark = Mark(states.held(said), counted, whole, linked=True, own=person in own)
            linked.setdefault(mark, []).append(people)
            continue
        lengths = tuple(
            (n, seen.people[person]) for n, seen in view.lengths.items() if person in seen.people
        )
        plain.setdefault(Mark(counted=counted, lengths=lengths), []).append(people)
    return {
        mark: groups[0] if len(groups) == 1 else sorted(chain.from_iterable(groups))
        for mark, groups in (*linked.items(), *plain.items())
    }


def _alike(view: "View", came: "Sequence[frozenset[int]]") -> Iterable[list[int]]:
    """People in groups of whom the same was seen, as it stands; ascending, by the first of each.

    Rows are told apart by which they are, not by what they say: a run's record shares them, so that
    nobody looks into the row of every person. Groups that say the same have the same mark.
    """
    everybody = range(view.users)
    apart = [some for some in (view.own, *came) if 0 < len(some) < len(everybody)]
    seen = (
        *(map(some.__contains__, everybody) for some in apart),
        *(map(id, map(rows.get, everybody)) for rows in view.by_round.values() if rows),
        *(map(lengths.people.get, everybody) for lengths in view.lengths.values()),
    )
    if not seen:
        return [list(everybody)] if everybody else []
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for person, key in enumerate(zip(*seen, strict=True)):
        alike[key].append(person)
    return alike.values()


def crowd_with(mark: Mark, people: int, lengths: "Mapping[int, Fitting]") -> Crowd:
    """What is known of each person with a mark."""
    known, allowed = _statements(mark.held)
    fits = tuple(
        AllowedCells(columns, cells[seen])
        for number, seen in mark.lengths
        for columns, cells in [lengths[number]]
        if seen in cells
    )
    return Crowd(people, known, allowed + fits, mark.revealed, mark.linked, mark.own)


def rows_by_length(seen: "Lengths", states: States) -> "Fitting":
    """The columns of a round, and per lengths seen the cells of which they may be.

    Nothing where there are too many cells to look at; that is then left out.
    """
    columns = tuple(sorted({column for ask in seen.asks for column in ask}))
    known = [
        {code: 2 + len(text.encode()) for text, code in states.codes[column].items()}
        for column in columns
    ]
    sizes: list[list[tuple[int, int]]] = []  # per column: state, bytes
    for column, bytes_of in zip(columns, known, strict=True):
        values = states.labels(column, None)
        held = [(s, bytes_of[v]) for s, v in enumerate(values) if v in bytes_of]
        sizes.append(held)
    by_length: dict[tuple[int, ...], set[Cell]] = {}
    if prod(map(len, sizes)) > MOST_FITTING:
        return columns, {}
    places = [[columns.index(column) for column in ask] for ask in seen.asks]
    for cell in product(*sizes):
        each = [sum(cell[place][1] for place in ask) for ask in places]
        key = tuple(sorted(each)) if seen.apart else (sum(each),)
        by_length.setdefault(key, set()).add(tuple(state for state, _ in cell))
    return columns, {key: frozenset(cells) for key, cells in by_length.items()}


def _statements(
    held: tuple[tuple[int, frozenset[int]], ...],
) -> tuple[tuple[tuple[int, int], ...], tuple[AllowedCells, ...]]:
    """What is known and what is allowed, of the states that are possible."""
    known = tuple((column, min(some)) for column, some in held if len(some) == 1)
    allowed = tuple(
        AllowedCells((column,), frozenset((state,) for state in some))
        for column, some in held
        if len(some) > 1
    )
    return known, allowed


def counted_crowds(
    view: "View",
    usable: "Sequence[CountsSeen]",
    listed: "Sequence[CountsSeen]",
    states: States,
) -> Mapping[Mark, range]:
    """Crowds of people of whom only numbers are recorded: the first so many of each round."""
    both = [*usable, *listed]
    rounds = sorted({seen.round for seen in both} | set(view.everybody))
    sizes = {
        number: max((seen.people for seen in both if seen.round == number), default=view.users)
        for number in rounds
    }
    starts = dict.fromkeys(rounds, 0)
    if not view.fixed:
        for number, before in zip(rounds[1:], rounds, strict=False):
            starts[number] = starts[before] + sizes[before]
    spans = [range(starts[seen.round], starts[seen.round] + seen.people) for seen in both]
    shown = {n: range(starts[n], min(starts[n] + sizes[n], view.users)) for n in view.everybody}
    edges = {0, view.users}
    for span in (*spans, *shown.values()):
        edges |= {min(span.start, view.users), min(span.stop, view.users)}
    cuts = sorted(edges)
    marks: dict[Mark, range] = {}
    for start, stop in pairwise(cuts):
        here = [number for number, span in shown.items() if start in span]
        counted = tuple(start in span for span in spans)
        for revealed, held, people in _shown(view, usable, states, here, range(start, stop)):
            marks[Mark(held, counted, revealed, linked=bool(here))] = people
    return marks


def _shown(
    view: "View", usable: "Sequence[CountsSeen]", states: States, rounds: list[int], people: range
) -> "Iterable[tuple[frozenset[int], tuple[tuple[int, frozenset[int]], ...], range]]":
    """People whose answers of some rounds are pinned, by what they left out of them.

    A value is revealed that was said in any of these rounds. Of one that was left out in the only
    round that asked for it, as many people as were counted know what may stand behind it.
    """
    plain = frozenset(
        column
        for number in rounds
        for column in view.everybody[number]
        if column not in states.rules.get(number, {})
    )
    ruled = [seen for seen in usable if seen.round in rounds and not plain.issuperset(seen.columns)]
    if len(ruled) != 1 or ruled[0].people != len(people):
        yield plain, (), people
        return
    (seen,) = ruled
    patterns: Counter[tuple[tuple[int, str], ...]] = Counter()
    for cell, number in seen.counts.items():
        left = zip(seen.columns, cell, strict=True)
        patterns[tuple((c, said) for c, said in left if said in HIDDEN and c not in plain)] += (
            number
        )
    start = people.start
    for pattern, number in sorted(patterns.items()):
        out = dict(pattern)
        revealed = plain | {column for column in seen.columns if column not in out}
        held = states.held([(states.rules.get(seen.round, {}), out)])
        yield revealed, held, range(start, start + number)
        start += number
