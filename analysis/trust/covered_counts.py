r"""A count of what people say, and counts of single columns beside it, in closed form.

Given what everybody says, the states behind it are drawn person by person and column by column:
state s behind label l with probability p(s) / p(l). A second count of one column (so many people
have a listed value; so many have each value) divides the b_l people who say l, and whoever the
first count leaves out, among its own labels g. Where one label only leaves open which,

    P(g of one of them) = G'(g) / b_l,    G' = G less those of whom g is known,

and for two labels g, any number of such groups of people: the number with g in each is binomial,
and their sum is given.

What is told of values. A cover is a coin, and how coins fall tells nothing of anybody. With M(x)
people who hold row x and h(x) of them that left a blank as a cover with probability c,

    P(seen | table) = prod_x C(M(x), h(x)) c^h(x) (1 - c)^(M(x) - h(x))
    nats            = -log P(seen) + E[ log P(seen | table) ]

where one column is covered. Where several are, each alone (the others' blanks left out) gives an
upper bound, because what is left out can only tell more; the least of them is taken.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, fsum, lgamma, log, prod

from .dealt_labels import binomial, deal_labels
from .evidence import Cell, Component, Count, Evidence, projected
from .fiber import Nats, Posterior, log_multinomial


@dataclass(frozen=True, slots=True)
class AlikePeople:
    """People of whom the same is known in one column.

    Attributes:
        people: how many.
        behind: label of the second count -> state -> prior share, given what they say.
        found: the numbers of people that each label of the second count may have, each with its
            probability.
    """

    people: int
    behind: Mapping[int, Mapping[int, float]]
    found: tuple[tuple[float, Mapping[int, int]], ...]

    def shares(self) -> dict[int, float]:
        """The probability of each state for one of them."""
        shares: dict[int, float] = {}
        for label, states in self.behind.items():
            mean = fsum(p * numbers.get(label, 0) for p, numbers in self.found) / self.people
            whole = fsum(states.values())
            for state, share in states.items():
                if mean:
                    shares[state] = mean * share / whole
        return shares


@dataclass(frozen=True, slots=True)
class SolvedColumn:
    """One column, solved: per label those who say it, those who are left out, log of the chance.

    Attributes:
        column: by number.
        by_label: label of the first count -> those who say it.
        others: those who are left out; None: nobody is.
        log_chance: natural log of the chance of what was counted.
    """

    column: int
    by_label: Mapping[int, AlikePeople]
    others: AlikePeople | None
    log_chance: float


def covered(evidence: Evidence, component: Component) -> Posterior | None:
    """The posterior of one wide count with single columns beside it; None if it is not so.

    Nobody in the component may be known to have anything in particular. ParameterError if no table
    agrees with the counts.
    """
    wide, *more = sorted(component.counts, key=lambda count: _width(evidence, count), reverse=True)
    if any(len(count.columns) > 1 or not count.crowds >= wide.crowds for count in more):
        return None
    if any(tells_coins(evidence, count, 0) for count in more):
        return None
    beside = {count.columns[0]: count for count in more}
    if len(beside) < len(more) or any(
        set(columns) != (set(wide.columns) if crowd in wide.crowds else set(columns) & set(beside))
        for crowd, columns in component.columns.items()
    ):
        return None
    solved = []
    for place, column in enumerate(wide.columns):
        solution = _column(evidence, wide, place, beside.get(column))
        if solution is None:
            return None
        solved.append(solution)
    columns = component.columns
    shares = {}
    inside = _shares(
        wide, solved, next(columns[crowd] for crowd in columns if crowd in wide.crowds)
    )
    for crowd, some in columns.items():
        shares[crowd] = inside if crowd in wide.crowds else _outside(solved, some)
    logs = [log_multinomial(wide.left.values()), *(solution.log_chance for solution in solved)]
    return Posterior(columns, shares, _told(evidence, wide, solved, -fsum(logs)))


def _width(evidence: Evidence, count: Count) -> tuple[int, bool]:
    coined = any(tells_coins(evidence, count, place) for place in range(len(count.columns)))
    return len(count.columns), coined


def _column(
    evidence: Evidence, wide: Count, place: int, second: Count | None
) -> SolvedColumn | None:
    """Solve one column; None if several labels leave open more than which of two."""
    column = wide.columns[place]
    law = evidence.laws[column]
    said = {label: n for (label,), n in projected(wide.left, [place]).items()}
    outside = sum(second.left.values()) - sum(said.values()) if second else 0
    groups: dict[int | None, tuple[int, dict[int, dict[int, float]]]] = {}
    for label, people in said.items():
        groups[label] = people, {}
    if outside:
        groups[None] = outside, {}
    for state, share in enumerate(law):
        label = wide.label(place, state)
        of = second.label(0, state) if second else 0
        for key in {label, None} & groups.keys():
            if share:
                groups[key][1].setdefault(of, {})[state] = share
    before = fsum(
        people * log(fsum(fsum(states.values()) for states in behind.values()))
        for people, behind in groups.values()
    )
    totals = second.left if second else {(0,): sum(said.values())}
    dealt = deal_labels([groups[key] for key in groups], {of: n for (of,), n in totals.items()})
    if dealt is None:
        return None
    spread, chance = dealt
    solved = {
        key: AlikePeople(people, behind, numbers)
        for (key, (people, behind)), numbers in zip(groups.items(), spread, strict=True)
    }
    others = solved.pop(None, None)
    by_label = {label: some for label, some in solved.items() if label is not None}
    return SolvedColumn(column, by_label, others, before + chance)


def _shares(wide: Count, solved: Sequence[SolvedColumn], order: Sequence[int]) -> dict[Cell, float]:
    """Of somebody in the wide count: the probability of each cell, its columns in this order."""
    people = sum(wide.left.values())
    behind = [{label: some.shares() for label, some in each.by_label.items()} for each in solved]
    places = [wide.columns.index(column) for column in order]
    shares: dict[Cell, float] = {}
    for cell, number in wide.left.items():
        held = [states[label] for states, label in zip(behind, cell, strict=True)]
        for states in product(*(behind_label.items() for behind_label in held)):
            share = number / people * prod(p for _, p in states)
            key = tuple(states[place][0] for place in places)
            shares[key] = shares.get(key, 0.0) + share
    return shares


def _outside(solved: Sequence[SolvedColumn], columns: Sequence[int]) -> dict[Cell, float]:
    """Of somebody whom the wide count leaves out."""
    by_column = {each.column: each.others.shares() for each in solved if each.others}
    return {
        tuple(state for state, _ in states): prod(p for _, p in states)
        for states in product(*(by_column[column].items() for column in columns))
    }


def _told(evidence: Evidence, wide: Count, solved: Sequence[SolvedColumn], nats: float) -> Nats:
    """What is told of values, of all that was seen."""
    places = range(len(wide.columns))
    plain = [place for place in places if not tells_coins(evidence, wide, place)]
    coined = [solution for place, solution in enumerate(solved) if place not in plain]
    if not coined:
        return Nats.known(max(nats, 0.0))
    noise = [_coins(evidence, wide, plain, solution) for solution in coined]
    high = max(nats + min(noise), 0.0)
    alone = len(coined) == 1 and all(_tells_value(evidence, wide, place) for place in plain)
    return Nats(high if alone else 0.0, high)


def tells_coins(evidence: Evidence, count: Count, place: int) -> bool:
    """Whether two states of one value of a column are counted apart."""
    if not evidence.values:
        return False
    held = evidence.values[count.columns[place]]
    said = {(value, count.label(place, state)) for state, value in enumerate(held)}
    return len(said) > len(set(held))


def _tells_value(evidence: Evidence, wide: Count, place: int) -> bool:
    """Whether what is counted in a column is its value."""
    column = wide.columns[place]
    states = [s for s, share in enumerate(evidence.laws[column]) if share]
    values = {evidence.held((column,), (state,)) for state in states}
    return len({wide.label(place, state) for state in states}) == len(values)


def _coins(evidence: Evidence, wide: Count, plain: Sequence[int], solution: SolvedColumn) -> float:
    """The mean log of the chance that the covers of one column fell as they did, given the table.

    Of each cell of the other columns, and each value that may be left blank as a cover.
    """
    place = wide.columns.index(solution.column)
    cells = projected(wide.left, [*plain, place])
    values, law = evidence.values[solution.column], evidence.laws[solution.column]
    logs: list[float] = []
    for label, state, other in _covers(values, law, wide, place):
        some = solution.by_label.get(label)
        rate = law[state] / (law[state] + law[other])
        heads = {cell[:-1]: n for cell, n in cells.items() if cell[-1] == label}
        tails = {cell[:-1]: n for cell, n in cells.items() if cell[-1] == wide.label(place, other)}
        for cell in heads.keys() | tails.keys():
            spoken, silent = tails.get(cell, 0), heads.get(cell, 0)
            chances = _covering(some, state, silent) if some and silent else [1.0]
            logs += [p * _log_binomial(spoken + n, n, rate) for n, p in enumerate(chances) if p]
    return fsum(logs)


def _covers(
    values: Sequence[int], law: Sequence[float], wide: Count, place: int
) -> Iterator[tuple[int, int, int]]:
    """Of each value with two states: the label of the one left blank, it, and the one said."""
    for value in sorted(set(values)):
        states = [s for s, held in enumerate(values) if held == value and law[s]]
        if len(states) == 2:  # the one that is said comes first
            said, silent = states
            yield wide.label(place, silent), silent, said


def _covering(some: AlikePeople, state: int, people: int) -> list[float]:
    """The law of how many of so many who say a label are in one state behind it."""
    of = next(label for label, states in some.behind.items() if state in states)
    share = some.behind[of][state] / fsum(some.behind[of].values())
    covering = [0.0] * (people + 1)
    for p, numbers in some.found:
        for among in range(min(people, numbers.get(of, 0)) + 1):
            drawn = _drawn(some.people, numbers.get(of, 0), people, among)
            if drawn:
                for n in range(among + 1):
                    covering[n] += p * drawn * binomial(among, n, share)
    return covering


def _drawn(people: int, marked: int, draws: int, n: int) -> float:
    """The chance that of so many drawn n are marked: hypergeometric."""
    if draws - n > people - marked:
        return 0.0
    logs = _log_choose(marked, n) + _log_choose(people - marked, draws - n)
    return exp(logs - _log_choose(people, draws))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _log_binomial(people: int, n: int, rate: float) -> float:
    return _log_choose(people, n) + n * log(rate) + (people - n) * log(1 - rate)
