"""Closed form of a posterior: a count of several columns, and counts of single columns.

Cover suppression hides values at random. So the first count may be of labels such as "suppressed".
People report a label in several states: a state is a value, reported or suppressed. Given the
labels of all people, their states are independent: in a column, state s with label l has
probability p(s) / p(l), where p is the prior.

A second count may have one column alone, with its own labels g (such as "has a listed value", or
each value). It divides the b_l people with label l of the first count, and the people outside the
first count, among its labels. If g is unknown only for people with a single label l, then

    P(g of a person with label l) = G'(g) / b_l,    G' = count of g, less the people with known g

If g is unknown in several such sets of people and has two labels, the number of people with g in
each set is binomial, and the sum of these numbers is given.

Leakage about values. Whether a value is suppressed at random reveals no value. Let
M(x) people hold row x, and let h(x) of them suppress a value with probability c. Then

    P(seen | table) = prod_x C(M(x), h(x)) c^h(x) (1 - c)^(M(x) - h(x))
    nats            = -log P(seen) + E[ log P(seen | table) ]

if one column has random suppression. If several have, each column alone (without suppressions in
other columns) gives an upper bound, because more observations can only reveal more; the least of
these bounds is taken.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, fsum, lgamma, log, prod

from .dealt_labels import binomial, deal_labels
from .evidence import Cell, Component, Evidence, OpenCount, projected
from .fiber import CrowdPosterior, Nats, log_multinomial


@dataclass(frozen=True, slots=True)
class AlikePeople:
    """People with equal evidence in a column, and their possible states in it.

    A state is a value, reported or suppressed. A label is the code of the text that a count
    includes for a person.

    Attributes:
        people: the number of these people.
        behind: label in the count of this column alone -> possible state -> prior share.
        outcomes: possible numbers of people with each label in that count, each with its
            probability.
    """

    people: int
    behind: Mapping[int, Mapping[int, float]]
    outcomes: tuple[tuple[float, Mapping[int, int]], ...]

    def shares(self) -> dict[int, float]:
        """Return, for a person, the posterior probability of each state of the column.

        A state is a value, reported or suppressed.
        """
        shares: dict[int, float] = {}
        for label, states in self.behind.items():
            mean = fsum(p * numbers.get(label, 0) for p, numbers in self.outcomes) / self.people
            whole = fsum(states.values())
            for state, share in states.items():
                if mean:
                    shares[state] = mean * share / whole
        return shares


@dataclass(frozen=True, slots=True)
class SolvedColumn:
    """The solution of a column: posteriors of people by label, and the probability of its counts.

    The wide count is the count of several columns. A label is the code of the text that the wide
    count includes for a person, such as "suppressed".

    Attributes:
        column: the number of the column.
        by_label: label in the wide count -> people with this label.
        outsiders: people outside the wide count; None: there are no such people.
        log_chance: natural log of the probability of the column's counts.
    """

    column: int
    by_label: Mapping[int, AlikePeople]
    outsiders: AlikePeople | None
    log_chance: float


def covered(evidence: Evidence, component: Component) -> CrowdPosterior | None:
    """Return the posterior of people's values, given a joint count and counts of single columns.

    A component is an independent part of the evidence: crowds of people with equal evidence, and
    the counts that include these people. None unless the counts are a joint count and at most one
    count of each single column. No further evidence may restrict the values of these people.

    Raises:
        ParameterError: the evidence is contradictory.
    """
    wide, *more = sorted(component.counts, key=lambda count: _width(evidence, count), reverse=True)
    if any(len(count.columns) > 1 or not count.crowds >= wide.crowds for count in more):
        return None
    if any(counts_coins(evidence, count, 0) for count in more):
        return None
    single_counts = {count.columns[0]: count for count in more}
    if len(single_counts) < len(more) or any(
        set(columns)
        != (set(wide.columns) if crowd in wide.crowds else set(columns) & set(single_counts))
        for crowd, columns in component.columns.items()
    ):
        return None
    solved = []
    for place, column in enumerate(wide.columns):
        solution = _column(evidence, wide, place, single_counts.get(column))
        if solution is None:
            return None
        solved.append(solution)
    columns = component.columns
    shares = {}
    inside = _shares(
        wide, solved, next(columns[crowd] for crowd in columns if crowd in wide.crowds)
    )
    for crowd, crowd_columns in columns.items():
        shares[crowd] = inside if crowd in wide.crowds else _outside(solved, crowd_columns)
    logs = [
        log_multinomial(wide.unexplained.values()),
        *(solution.log_chance for solution in solved),
    ]
    return CrowdPosterior(columns, shares, _value_leakage(evidence, wide, solved, -fsum(logs)))


def _width(evidence: Evidence, count: OpenCount) -> tuple[int, bool]:
    """Return a sort key of a count: number of columns, and whether it shows random suppression.

    Random suppression: people suppress a value with some probability, to hide the people that must.
    """
    coined = any(counts_coins(evidence, count, place) for place in range(len(count.columns)))
    return len(count.columns), coined


def _column(
    evidence: Evidence, wide: OpenCount, place: int, second: OpenCount | None
) -> SolvedColumn | None:
    """Compute a column's posteriors from two counts that include it; None without a closed form.

    wide: the count of several columns, with this column at index `place`. second: the count of this
    column alone; None: there is no such count.
    """
    column = wide.columns[place]
    law = evidence.laws[column]
    label_counts = {label: n for (label,), n in projected(wide.unexplained, [place]).items()}
    outside = sum(second.unexplained.values()) - sum(label_counts.values()) if second else 0
    groups: dict[int | None, tuple[int, dict[int, dict[int, float]]]] = {}
    for label, people in label_counts.items():
        groups[label] = people, {}
    if outside:
        groups[None] = outside, {}
    for state, share in enumerate(law):
        label = wide.label(place, state)
        other_label = second.label(0, state) if second else 0
        for key in {label, None} & groups.keys():
            if share:
                groups[key][1].setdefault(other_label, {})[state] = share
    log_chance = fsum(
        people * log(fsum(fsum(states.values()) for states in label_states.values()))
        for people, label_states in groups.values()
    )
    totals = second.unexplained if second else {(0,): sum(label_counts.values())}
    dealt = deal_labels(
        [groups[key] for key in groups], {other_label: n for (other_label,), n in totals.items()}
    )
    if dealt is None:
        return None
    spread, chance = dealt
    solved = {
        key: AlikePeople(people, label_states, numbers)
        for (key, (people, label_states)), numbers in zip(groups.items(), spread, strict=True)
    }
    unlabelled = solved.pop(None, None)
    by_label = {label: alike_people for label, alike_people in solved.items() if label is not None}
    return SolvedColumn(column, by_label, unlabelled, log_chance + chance)


def _shares(
    wide: OpenCount, solved: Sequence[SolvedColumn], order: Sequence[int]
) -> dict[Cell, float]:
    """Return, for a person in the wide count, the posterior probability of each cell.

    The wide count is the count of several columns. A cell is a combination of states (values,
    reported or suppressed).

    solved: the solution of each column. order: the columns of the cells.
    """
    people = sum(wide.unexplained.values())
    state_shares = [
        {label: alike_people.shares() for label, alike_people in column_solution.by_label.items()}
        for column_solution in solved
    ]
    places = [wide.columns.index(column) for column in order]
    shares: dict[Cell, float] = {}
    for cell, number in wide.unexplained.items():
        cell_states = [states[label] for states, label in zip(state_shares, cell, strict=True)]
        for states in product(*(behind_label.items() for behind_label in cell_states)):
            share = number / people * prod(p for _, p in states)
            key = tuple(states[place][0] for place in places)
            shares[key] = shares.get(key, 0.0) + share
    return shares


def _outside(solved: Sequence[SolvedColumn], columns: Sequence[int]) -> dict[Cell, float]:
    """Return, for a person outside the wide count, the posterior probability of each cell.

    The wide count is the count of several columns. A cell is a combination of states (values,
    reported or suppressed).

    solved: the solution of each column. columns: the columns of the cells.
    """
    by_column = {
        column_solution.column: column_solution.outsiders.shares()
        for column_solution in solved
        if column_solution.outsiders
    }
    return {
        tuple(state for state, _ in states): prod(p for _, p in states)
        for states in product(*(by_column[column].items() for column in columns))
    }


def _value_leakage(
    evidence: Evidence, wide: OpenCount, solved: Sequence[SolvedColumn], nats: float
) -> Nats:
    """Return the leakage about values, exact or as bounds.

    nats: -log of the probability of all counts, which also show random suppressions. wide: the
    count of several columns. solved: the posteriors of each column.
    """
    places = range(len(wide.columns))
    plain = [place for place in places if not counts_coins(evidence, wide, place)]
    coined = [solution for place, solution in enumerate(solved) if place not in plain]
    if not coined:
        return Nats.exactly(max(nats, 0.0))
    noise = [_coins(evidence, wide, plain, solution) for solution in coined]
    high = max(nats + min(noise), 0.0)
    is_single_coin = len(coined) == 1 and all(
        _determines_value(evidence, wide, place) for place in plain
    )
    return Nats(high if is_single_coin else 0.0, high)


def counts_coins(evidence: Evidence, count: OpenCount, place: int) -> bool:
    """Whether a count shows, in one of its columns, that a value was suppressed at random.

    The count shows this if people with the same value are counted under different labels: one for
    reporting the value, another for suppressing it. place: index of the column in the count.
    """
    if not evidence.values:
        return False
    column_values = evidence.values[count.columns[place]]
    value_labels = {(value, count.label(place, state)) for state, value in enumerate(column_values)}
    return len(value_labels) > len(set(column_values))


def _determines_value(evidence: Evidence, wide: OpenCount, place: int) -> bool:
    """Whether the label counted for a column determines the value.

    A label is the code of the text that people report. place: index of the column in the count
    `wide`.
    """
    column = wide.columns[place]
    states = [s for s, share in enumerate(evidence.laws[column]) if share]
    values = {evidence.state_values((column,), (state,)) for state in states}
    return len({wide.label(place, state) for state in states}) == len(values)


def _coins(
    evidence: Evidence, wide: OpenCount, plain: Sequence[int], solution: SolvedColumn
) -> float:
    """Return the expected log probability (nats) of the random suppressions, given the table.

    The log probability is a sum over the cells of the columns in `plain`, and over the values that
    may be suppressed at random in the column of `solution`. The expectation is over the posterior.

    wide: the count of several columns. plain: indices of its columns without random suppression.
    """
    place = wide.columns.index(solution.column)
    cells = projected(wide.unexplained, [*plain, place])
    values, law = evidence.values[solution.column], evidence.laws[solution.column]
    logs: list[float] = []
    for label, state, other_state in _covers(values, law, wide, place):
        alike_people = solution.by_label.get(label)
        rate = law[state] / (law[state] + law[other_state])
        heads = {cell[:-1]: n for cell, n in cells.items() if cell[-1] == label}
        tails = {
            cell[:-1]: n for cell, n in cells.items() if cell[-1] == wide.label(place, other_state)
        }
        for cell in heads.keys() | tails.keys():
            tail_people, silent = tails.get(cell, 0), heads.get(cell, 0)
            chances = _covering(alike_people, state, silent) if alike_people and silent else [1.0]
            logs += [
                p * _log_binomial(tail_people + n, n, rate) for n, p in enumerate(chances) if p
            ]
    return fsum(logs)


def _covers(
    values: Sequence[int], law: Sequence[float], wide: OpenCount, place: int
) -> Iterator[tuple[int, int, int]]:
    """Yield, per value with two states, its suppressed label, suppressed state, reported state.

    A value that may be suppressed at random has two states, reported and suppressed. A label is the
    code of the reported text. values: the value of each state. law: the prior share of each state.
    wide: the count that gives the labels. place: index of the column in the count.
    """
    for value in sorted(set(values)):
        states = [s for s, state_value in enumerate(values) if state_value == value and law[s]]
        # the value may be suppressed at random; the state "reported" comes before "suppressed"
        if len(states) == 2:
            shown_state, silent = states
            yield wide.label(place, silent), silent, shown_state


def _covering(alike_people: AlikePeople, state: int, people: int) -> list[float]:
    """Return the distribution of the number of people in a state, among `people` alike people.

    A state is a value, reported or suppressed. Alike people have equal evidence in the column.
    Entry m is the probability that m of them are in the state; shape (people + 1,).
    """
    label_of_state = next(label for label, states in alike_people.behind.items() if state in states)
    share = alike_people.behind[label_of_state][state] / fsum(
        alike_people.behind[label_of_state].values()
    )
    covering = [0.0] * (people + 1)
    for p, numbers in alike_people.outcomes:
        for successes in range(min(people, numbers.get(label_of_state, 0)) + 1):
            probability = _hypergeometric(
                alike_people.people, numbers.get(label_of_state, 0), people, successes
            )
            if probability:
                for n in range(successes + 1):
                    covering[n] += p * probability * binomial(successes, n, share)
    return covering


def _hypergeometric(people: int, marked: int, draws: int, n: int) -> float:
    """Return the probability of n marked people among `draws` people drawn without replacement.

    people: all people. marked: number of marked people.
    """
    if draws - n > people - marked:
        return 0.0
    logs = _log_choose(marked, n) + _log_choose(people - marked, draws - n)
    return exp(logs - _log_choose(people, draws))


def _log_choose(n: int, k: int) -> float:
    """Return the natural log of the binomial coefficient n over k."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _log_binomial(people: int, n: int, rate: float) -> float:
    """Return the log probability (nats) that n of `people` people have a property.

    rate: probability with which each person has it, strictly between 0 and 1.
    """
    return _log_choose(people, n) + n * log(rate) + (people - n) * log(1 - rate)
