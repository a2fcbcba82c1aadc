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

from ...errors import ParameterError
from .evidence import Cell, Component, Count, Evidence, projected
from .fiber import Nats, Posterior, log_multinomial

MOST_PEOPLE = 1_000  # whose labels a sum over binomial numbers is taken for


@dataclass(frozen=True, slots=True)
class Some:
    """People of whom the same is known in one column.

    behind: label of the second count -> state -> prior share, given what they say. found: the
    numbers of people that each label of the second count may have, each with its probability.
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
class Solved:
    """One column, solved: per label those who say it, those who are left out, log of the chance."""

    column: int
    by_label: Mapping[int, Some]
    others: Some | None
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


def _column(evidence: Evidence, wide: Count, place: int, second: Count | None) -> Solved | None:
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
    dealt = _dealt([groups[key] for key in groups], {of: n for (of,), n in totals.items()})
    if dealt is None:
        return None
    spread, chance = dealt
    solved = {
        key: Some(people, behind, numbers)
        for (key, (people, behind)), numbers in zip(groups.items(), spread, strict=True)
    }
    others = solved.pop(None, None)
    by_label = {label: some for label, some in solved.items() if label is not None}
    return Solved(column, by_label, others, before + chance)


_Numbers = tuple[tuple[float, Mapping[int, int]], ...]
_Group = tuple[int, Mapping[int, Mapping[int, float]]]


def _dealt(
    groups: Sequence[_Group], totals: Mapping[int, int]
) -> tuple[list[_Numbers], float] | None:
    """How many of each group have each label, given how many do in all; and the log of the chance.

    None where several groups leave open which of three labels or more.
    """
    left = dict(totals)
    numbers: list[_Numbers] = [()] * len(groups)
    mixed: list[int] = []
    for place, (people, behind) in enumerate(groups):
        if len(behind) == 1:
            (label,) = behind
            left[label] = left.get(label, 0) - people
            numbers[place] = ((1.0, {label: people}),)
        elif people:
            mixed.append(place)
    left = {label: people for label, people in left.items() if people}
    if any(people < 0 for people in left.values()):
        raise ParameterError("no table agrees with all that is known")
    open_ = {label for place in mixed for label in groups[place][1]}
    if not left.keys() <= open_:
        raise ParameterError("no table agrees with all that is known")
    if not mixed:
        return numbers, 0.0
    if len(mixed) == 1:
        (place,) = mixed
        numbers[place] = ((1.0, left),)
        return numbers, _log_chance(groups[place], left)
    if len(open_) > 2 or sum(left.values()) > MOST_PEOPLE:
        return None
    first, other = (*sorted(open_),)
    spread, chance = _binomials([groups[place] for place in mixed], first, left.get(first, 0))
    for place, law in zip(mixed, spread, strict=True):
        people = groups[place][0]
        numbers[place] = tuple((p, {first: n, other: people - n}) for n, p in enumerate(law) if p)
    return numbers, chance


def _log_chance(group: _Group, numbers: Mapping[int, int]) -> float:
    """Log of the chance that so many of a group have each label."""
    people, behind = group
    if sum(numbers.values()) != people:
        raise ParameterError("no table agrees with all that is known")
    shares = {label: fsum(states.values()) for label, states in behind.items()}
    whole = fsum(shares.values())
    return log_multinomial(numbers.values()) + fsum(
        n * log(shares[label] / whole) for label, n in numbers.items()
    )


def _binomials(groups: Sequence[_Group], label: int, total: int) -> tuple[list[list[float]], float]:
    """The law of how many of each group have a label, given the sum; and the sum's log chance."""
    laws = []
    for people, behind in groups:
        shares = {of: fsum(states.values()) for of, states in behind.items()}
        rate = shares.get(label, 0.0) / fsum(shares.values())
        laws.append([_binomial(people, n, rate) for n in range(people + 1)])
    spread: list[list[float]] = []
    whole = 0.0
    for place, law in enumerate(laws):
        rest = [1.0]
        for other, more in enumerate(laws):
            if other != place:
                rest = _sum_of(rest, more)
        joint = [
            p * rest[total - n] if 0 <= total - n < len(rest) else 0.0 for n, p in enumerate(law)
        ]
        whole = fsum(joint)
        if not whole:
            raise ParameterError("no table agrees with all that is known")
        spread.append([p / whole for p in joint])
    return spread, log(whole)


def _binomial(people: int, n: int, rate: float) -> float:
    if rate in (0.0, 1.0):
        return float(n == people * rate)
    logs = lgamma(people + 1) - lgamma(n + 1) - lgamma(people - n + 1)
    return exp(logs + n * log(rate) + (people - n) * log(1 - rate))


def _sum_of(law: Sequence[float], other: Sequence[float]) -> list[float]:
    """The law of the sum of two independent numbers."""
    import numpy as np

    sums: list[float] = np.convolve(law, other).tolist()
    return sums


def _shares(wide: Count, solved: Sequence[Solved], order: Sequence[int]) -> dict[Cell, float]:
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


def _outside(solved: Sequence[Solved], columns: Sequence[int]) -> dict[Cell, float]:
    """Of somebody whom the wide count leaves out."""
    by_column = {each.column: each.others.shares() for each in solved if each.others}
    return {
        tuple(state for state, _ in states): prod(p for _, p in states)
        for states in product(*(by_column[column].items() for column in columns))
    }


def _told(evidence: Evidence, wide: Count, solved: Sequence[Solved], nats: float) -> Nats:
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


def _coins(evidence: Evidence, wide: Count, plain: Sequence[int], solution: Solved) -> float:
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


def _covering(some: Some, state: int, people: int) -> list[float]:
    """The law of how many of so many who say a label are in one state behind it."""
    of = next(label for label, states in some.behind.items() if state in states)
    share = some.behind[of][state] / fsum(some.behind[of].values())
    covering = [0.0] * (people + 1)
    for p, numbers in some.found:
        for among in range(min(people, numbers.get(of, 0)) + 1):
            drawn = _drawn(some.people, numbers.get(of, 0), people, among)
            if drawn:
                for n in range(among + 1):
                    covering[n] += p * drawn * _binomial(among, n, share)
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
