"""Who holds what, given all that a coalition knows: the posterior, and what it is worth.

    P(row of a person | evidence) = sum of P(table) over the consistent tables with that row
                                    / sum of P(table) over all consistent tables

The evidence is cut into components that say nothing about each other. A component with one count
is solved in closed form: its people are alike, so each holds cell x with probability c(x) / m, and

    P(evidence) = m! prod_x p(x)^c(x) / c(x)!

Counts that hang together like a tree have a closed form too. Any other component with several
counts is solved by listing its tables (fibre.py), or, where they are too many, by
a walk through them (fibre_walk.py). Where even that is too much, statements are left out until a
closed form is left: the coalition then knows at least what is reported.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import product
from math import exp, fsum, inf, log, prod
from operator import itemgetter

from ...errors import ParameterError
from .covered_counts import covered, tells_coins
from .evidence import (
    Cell,
    Component,
    Count,
    Crowd,
    Evidence,
    components,
    known_cell,
    projected,
    simplified,
)
from .fiber import (
    Fibre,
    Nats,
    NoTable,
    Posterior,
    TooManyTables,
    enumerated,
    fibre,
    log_multinomial,
    log_prior,
    possible,
)

MOST_ROWS = 20_000  # rows of a pool among which the likeliest is sought
MOST_JOINED = 1 << 20  # cells of counts that hang together
MOST_SAMPLED = 512  # cells of a fibre that is walked through

# crowd -> row -> people who truly hold it; -1 where a value is not recorded
Truth = Mapping[int, Mapping[Cell, int]]


class Method(StrEnum):
    """How figures were come by."""

    EXACT = "exact"
    SAMPLED = "sampled"
    BOUNDED = "at least"


@dataclass(frozen=True, slots=True)
class Guess:
    """How sure the coalition is of something true: before it saw anything, and now."""

    prior: float
    posterior: float
    error: float = 0.0  # standard error of the posterior


@dataclass(frozen=True)
class Inference:
    """The posterior of every person, by crowd.

    told: information received about all people's values: the divergence of the posterior of the
    labelled table from its prior. Where all that was seen follows from the table (no covers, and
    everybody told apart) it is the log of how many times fewer tables are possible.
    """

    evidence: Evidence
    posteriors: tuple[Posterior, ...]
    told: Nats
    method: Method

    @property
    def bits(self) -> float:
        """The bits received: at most so many where that is known, else at least so many."""
        return self.told.bits

    @cached_property
    def parts(self) -> Mapping[int, tuple[tuple[tuple[int, ...], Mapping[Cell, float]], ...]]:
        """Per crowd, pieces of a row that are independent of each other: columns and shares."""
        found: dict[int, list[tuple[tuple[int, ...], Mapping[Cell, float]]]] = {}
        for one in self.posteriors:
            for crowd, columns in one.columns.items():
                shares = self._by_value(columns, one.shares[crowd])
                found.setdefault(crowd, []).append((columns, shares))
        return {crowd: tuple(pieces) for crowd, pieces in found.items()}

    def _by_value(
        self, columns: Sequence[int], shares: Mapping[Cell, float]
    ) -> Mapping[Cell, float]:
        """Shares of cells of values, where those of states are given."""
        if not self.evidence.values:
            return shares
        found: dict[Cell, float] = {}
        for cell, share in shares.items():
            held = self.evidence.held(columns, cell)
            found[held] = found.get(held, 0.0) + share
        return found

    @cached_property
    def pools(self) -> tuple[frozenset[int], ...]:
        """All pools; a crowd that is told apart is one by itself."""
        everybody = range(len(self.evidence.crowds))
        return tuple(dict.fromkeys(self.evidence.pool_of(crowd) for crowd in everybody))

    @property
    def error(self) -> float:
        """The largest standard error of a share; 0.0 where nothing was sampled."""
        return max((one.error for one in self.posteriors), default=0.0)

    @property
    def agreement(self) -> float:
        """The worst ratio of variances of the chains; 1.0 where they agree or none was needed."""
        return max((one.agreement for one in self.posteriors if one.sampled), default=1.0)

    def weights(self, pool: frozenset[int]) -> dict[int, float]:
        """How likely somebody of a pool is in each of its crowds."""
        sizes = {crowd: self.evidence.crowds[crowd].people for crowd in pool}
        whole = sum(sizes.values())
        return {crowd: size / whole for crowd, size in sizes.items() if size}

    def probability(self, crowd: int, row: Cell) -> float:
        """The probability that somebody of this crowd (or its pool) holds this whole row."""
        pool = self.evidence.pool_of(crowd)
        return fsum(share * self._in(one, row) for one, share in self.weights(pool).items())

    def _in(self, crowd: int, row: Cell) -> float:
        return prod(
            shares.get(tuple(row[column] for column in some), 0.0)
            for some, shares in self.parts.get(crowd, ())
        )

    def values(self, crowd: int, column: int) -> dict[int, float]:
        """The probability of each value of a column for somebody of this crowd (or its pool)."""
        found: dict[int, float] = {}
        for one, weight in self.weights(self.evidence.pool_of(crowd)).items():
            for columns, shares in self.parts.get(one, ()):
                if column in columns:
                    place = columns.index(column)
                    for cell, share in shares.items():
                        found[cell[place]] = found.get(cell[place], 0.0) + weight * share
        return found

    def best_value(self, crowd: int, column: int) -> float:
        """The probability of the likeliest value of a column."""
        if column in self.evidence.crowds[crowd].revealed:
            return 1.0
        return min(max(self.values(crowd, column).values()), 1.0)

    def best_row(self, crowd: int) -> float:
        """The probability of the likeliest row; of a large pool, of the likeliest looked at."""
        pool = self.weights(self.evidence.pool_of(crowd))
        if len(pool) == 1:
            return prod(max(shares.values()) for _, shares in self.parts.get(crowd, ()))
        return max(self.probability(crowd, row) for row in self._likely(pool))

    def _likely(self, pool: Mapping[int, float]) -> Iterator[Cell]:
        """Rows that somebody of a pool may hold: all, or the likeliest of every crowd."""
        columns = range(len(self.evidence.laws))
        domains = [
            {value for crowd in pool for value, share in self.values(crowd, column).items()}
            for column in columns
        ]
        if prod(map(len, domains)) <= MOST_ROWS:
            yield from product(*domains)
            return
        for crowd in pool:
            row = dict.fromkeys(columns, 0)
            for some, shares in self.parts[crowd]:
                best = max(shares.items(), key=itemgetter(1))[0]
                row.update(zip(some, best, strict=True))
            yield tuple(row[column] for column in columns)

    def certain(self, crowd: int, column: int) -> bool:
        """Whether only one value of a column is possible for people of this crowd."""
        pool = self.weights(self.evidence.pool_of(crowd))
        return (
            all(self._single(one, column) for one in pool)
            and len(set(self.values(crowd, column))) <= 1
        )

    def _single(self, crowd: int, column: int) -> bool:
        if column in self.evidence.crowds[crowd].revealed:
            return True
        for one in self.posteriors:
            if column in one.columns.get(crowd, ()):
                if one.proven is not None:
                    return (crowd, column) in one.proven
                place = one.columns[crowd].index(column)
                held = (self.evidence.held(one.columns[crowd], cell) for cell in one.shares[crowd])
                return len({cell[place] for cell in held}) == 1
        return False

    @property
    def cells_certain(self) -> int:
        """How many (person, column) have one possible value."""
        columns = range(len(self.evidence.laws))
        return sum(
            about.people * sum(self.certain(crowd, column) for column in columns)
            for crowd, about in enumerate(self.evidence.crowds)
            if about.people
        )

    @property
    def rows_guessed(self) -> float:
        """Expected number of people whose whole row a best guess gets right."""
        return fsum(
            about.people * self.best_row(crowd)
            for crowd, about in enumerate(self.evidence.crowds)
            if about.people
        )

    @property
    def cells_guessed(self) -> float:
        """Expected number of (person, column) that a best guess of each gets right."""
        columns = range(len(self.evidence.laws))
        return fsum(
            about.people * fsum(self.best_value(crowd, column) for column in columns)
            for crowd, about in enumerate(self.evidence.crowds)
            if about.people
        )

    @property
    def rows_guessed_before(self) -> float:
        """The same from the prior alone."""
        return self.evidence.users * prod(max(law) for law in self.evidence.shares)

    @property
    def cells_guessed_before(self) -> float:
        """The same from the prior alone."""
        return self.evidence.users * fsum(max(law) for law in self.evidence.shares)

    @property
    def sets(self) -> tuple[tuple[int, int], ...]:
        """Anonymity sets: (people in it, how many such sets), a linked person being alone."""
        found: dict[int, int] = {}
        for pool in self.pools:
            crowds = [self.evidence.crowds[crowd] for crowd in pool]
            people = sum(about.people for about in crowds)
            alone = any(about.linked for about in crowds)
            if people:
                size, times = (1, people) if alone else (people, 1)
                found[size] = found.get(size, 0) + times
        return tuple(sorted(found.items()))

    def worst_row(self, truth: Truth) -> Guess | None:
        """Of whom outside the coalition it is surest, and rightly: prior and posterior of its row.

        Of several alike, one whose row was least likely before. None where nobody is outside.
        """
        found = (
            Guess(exp(self._before(row)), self.probability(crowd, row), self._error(crowd))
            for crowd, rows in truth.items()
            if not self.evidence.crowds[crowd].own
            for row in rows
            if min(row, default=0) >= 0
        )
        return max(found, key=lambda one: (one.posterior, -one.prior), default=None)

    def worst_value(self, truth: Truth) -> Guess | None:
        """The same for one true value of one person."""
        seen: set[tuple[int, int, int]] = set()
        found: list[Guess] = []
        for crowd, rows in truth.items():
            if self.evidence.crowds[crowd].own:
                continue
            for row in rows:
                for column, value in enumerate(row):
                    if value >= 0 and (crowd, column, value) not in seen:
                        seen.add((crowd, column, value))
                        found.append(self._value(crowd, column, value))
        return max(found, key=lambda one: (one.posterior, -one.prior), default=None)

    def _value(self, crowd: int, column: int, value: int) -> Guess:
        before = self.evidence.shares[column][value]
        if column in self.evidence.crowds[crowd].revealed:
            return Guess(before, 1.0)
        after = self.values(crowd, column).get(value, 0.0)
        return Guess(before, min(after, 1.0), self._error(crowd))

    def _before(self, row: Cell) -> float:
        return log_prior(self.evidence.shares, tuple(range(len(row))), row)

    def _error(self, crowd: int) -> float:
        return max((one.error for one in self.posteriors if crowd in one.columns), default=0.0)


def infer(evidence: Evidence) -> Inference:
    """Work out the posterior. ParameterError if no table agrees with the evidence."""
    revealed, counts, whole = _revealed(evidence, simplified(evidence))
    posteriors: list[Posterior] = []
    for component in components(evidence, counts):
        posteriors += _solved(evidence, component)
    method = Method.EXACT
    if not whole or not all(one.exact for one in posteriors):
        bounded = not whole or any(not one.exact and not one.sampled for one in posteriors)
        method = Method.BOUNDED if bounded else Method.SAMPLED
    told = [revealed, *(one.told for one in posteriors)]
    low = max(fsum(one.low for one in told) - _hidden_by_pools(evidence), 0.0)
    high = fsum(one.high for one in told) if whole else inf
    return Inference(evidence, tuple(posteriors), Nats(low, max(low, high)), method)


def _hidden_by_pools(evidence: Evidence) -> float:
    """The most (nats) that is lost by who cannot say who of a pool is in which crowd.

    What was seen would tell `told` of somebody who saw who is where. The chance of it, given the
    table, is the mean over all ways to deal the pool into its crowds, so one of their number at
    least where it is not nothing.
    """
    return fsum(
        log_multinomial(evidence.crowds[crowd].people for crowd in pool) for pool in evidence.pools
    )


def _revealed(evidence: Evidence, counts: list[Count]) -> tuple[Nats, list[Count], bool]:
    """What is revealed and not recorded tells, the counts that are left, and if they are all.

    A count that also holds people who are not revealed says something of these, which is left out.
    """
    told = [
        _told(evidence, crowd, column)
        for crowd, about in enumerate(evidence.crowds)
        for column in about.revealed
    ]
    left: list[Count] = []
    whole = True
    for count in counts:
        shown = [_says_no_more(evidence.crowds[crowd], count) for crowd in count.crowds]
        if any(
            evidence.crowds[crowd].revealed.intersection(count.columns) for crowd in count.crowds
        ):
            whole = whole and all(shown)
        else:
            left.append(count)
    return Nats(fsum(one.low for one in told), fsum(one.high for one in told)), left, whole


def _says_no_more(about: Crowd, count: Count) -> bool:
    """Whether all that a count says of a crowd is revealed, or known."""
    left = [place for place, column in enumerate(count.columns) if column not in about.revealed]
    rest = Count(
        tuple(count.columns[place] for place in left),
        {},
        count.crowds,
        tuple(count.labels[place] for place in left) if count.labels else (),
    )
    return known_cell(about, rest) is not None


def _told(evidence: Evidence, crowd: int, column: int) -> Nats:
    """What the values of a crowd in one column tell, each person's being known."""
    law = evidence.shares[column]
    for group in evidence.groups:
        if group.crowds == {crowd} and column in group.columns:
            single = projected(group.counts, [group.columns.index(column)])
            if all(0 <= value < len(law) for (value,) in single):
                return Nats.known(-fsum(n * log(law[value]) for (value,), n in single.items()))
    people, held = evidence.crowds[crowd].people, [share for share in law if share]
    return Nats(-people * log(max(held)), -people * log(min(held)))


def _solved(evidence: Evidence, component: Component) -> list[Posterior]:
    """Solve one component, exactly if that can be."""
    if not component.counts:
        alone = _alone(evidence, component)
        return [alone] if alone else _less(evidence, component)
    (first, *more) = component.counts
    plain = not more and all(
        set(columns) == set(first.columns) and not _restricted(evidence.crowds[crowd], columns)
        for crowd, columns in component.columns.items()
    )
    if plain:
        return [_at_least(_alike(evidence, component.columns, first), evidence, component)]
    if more and (joined := _decomposed(evidence, component)) is not None:
        return [joined]
    if more and not _known_of_some(evidence, component):
        beside = covered(evidence, component)
        if beside is not None:
            return [_at_least(beside, evidence, component)]
    tables = fibre(evidence, component)
    if tables is None:
        return _less(evidence, component)
    try:
        return [_listed_or_sampled(evidence, component, tables)]
    except TooManyTables:
        return _less(evidence, component)
    except NoTable:
        raise ParameterError("no table agrees with all that is known") from None


def _listed_or_sampled(evidence: Evidence, component: Component, tables: Fibre) -> Posterior:
    try:
        return enumerated(tables, component.columns, evidence)
    except TooManyTables:
        if len(tables.cells) > MOST_SAMPLED:
            raise
    from .fiber_sampling import sampled

    return sampled(tables, component.columns, Nats(-_most(evidence, component), inf))


def _at_least(found: Posterior, evidence: Evidence, component: Component) -> Posterior:
    """The same, told at least what follows from people's values alone."""
    low, high = found.told.low, found.told.high
    if low == high:
        return found
    return replace(found, told=Nats(min(max(low, -_most(evidence, component)), high), high))


def _known_of_some(evidence: Evidence, component: Component) -> bool:
    return any(
        _restricted(evidence.crowds[crowd], columns) for crowd, columns in component.columns.items()
    )


def _restricted(about: Crowd, columns: Sequence[int]) -> bool:
    known = {column for column, _ in about.known}
    allowed = {column for some in about.allowed for column in some.columns}
    return bool((known | allowed).intersection(columns))


def _alike(evidence: Evidence, columns: dict[int, tuple[int, ...]], count: Count) -> Posterior:
    """People of whom only the counts are known.

    Where labels were counted, the states behind one are as likely as they were before.
    """
    if count.labels:
        found = covered(evidence, Component(columns, [count]))
        if found is None:
            raise AssertionError("one count by itself has a closed form")
        return found
    people = sum(count.left.values())
    order = next(iter(columns.values()))
    places = [count.columns.index(column) for column in order]
    cells = {tuple(cell[p] for p in places): number for cell, number in count.left.items()}
    shares = {cell: number / people for cell, number in cells.items()}
    logs = fsum(n * log_prior(evidence.laws, order, cell) for cell, n in cells.items())
    told = Nats.known(max(-log_multinomial(cells.values()) - logs, 0.0))
    return Posterior(columns, dict.fromkeys(columns, shares), told)


def _decomposed(evidence: Evidence, component: Component) -> Posterior | None:
    """People alike, of whom counts are known that hang together like a tree; None if not so.

    With cliques C and separators S of the tree (Sundberg 1975), given their counts,

        tables = n! prod_S prod n_S! / prod_C prod n_C!,    share(x) = prod_C n_C / prod_S n_S / n.
    """
    crowds = component.counts[0].crowds
    if any(count.labels or count.crowds != crowds for count in component.counts) or any(
        _restricted(evidence.crowds[crowd], columns) for crowd, columns in component.columns.items()
    ):
        return None
    tree = _tree(component.counts)
    if len(tree) < len(component.counts):
        return None
    logs = _log_of_tree(evidence, tree)
    (first, _), *rest = tree
    people = sum(first.left.values())
    held: tuple[int, ...] = first.columns
    shares: dict[Cell, float] = {cell: n / people for cell, n in first.left.items()}
    for count, shared in rest:
        shares = _joined(shares, held, count, shared)
        held += tuple(column for column in count.columns if column not in shared)
        if len(shares) > MOST_JOINED:
            return None
    order = next(iter(component.columns.values()))
    places = [held.index(column) for column in order]
    sorted_ = {tuple(cell[place] for place in places): share for cell, share in shares.items()}
    told = Nats.known(max(-logs, 0.0))
    return Posterior(component.columns, dict.fromkeys(component.columns, sorted_), told)


_Tree = list[tuple[Count, tuple[int, ...]]]


def _tree(counts: Sequence[Count]) -> _Tree:
    """As many counts as are found to hang together, each with the columns it shares with others.

    The widest first, then whichever shares most.
    """
    left = sorted(counts, key=lambda count: -len(count.columns))
    tree: _Tree = [(left.pop(0), ())]
    while left:
        covered = {column for count, _ in tree for column in count.columns}
        fitting: _Tree = []
        for count in left:
            shared = tuple(column for column in count.columns if column in covered)
            if len(shared) < len(count.columns) and any(
                set(shared) <= set(one.columns) for one, _ in tree
            ):
                fitting.append((count, shared))
        if not fitting:
            break
        best = max(fitting, key=lambda one: len(one[1]))
        tree.append(best)
        left = [count for count in left if count is not best[0]]
    return tree


def _log_of_tree(evidence: Evidence, tree: _Tree) -> float:
    """Log prior probability of counts that hang together."""
    logs: list[float] = []
    for count, shared in tree:
        within: dict[Cell, list[int]] = {}
        for cell, people in count.left.items():
            key = tuple(cell[count.columns.index(column)] for column in shared)
            within.setdefault(key, []).append(people)
        logs += [log_multinomial(some) for some in within.values()]
        new = [column for column in count.columns if column not in shared]
        places = [count.columns.index(column) for column in new]
        logs += [
            people * log_prior(evidence.laws, tuple(new), cell)
            for cell, people in projected(count.left, places).items()
        ]
    return fsum(logs)


def _joined(
    shares: Mapping[Cell, float], held: tuple[int, ...], count: Count, shared: tuple[int, ...]
) -> dict[Cell, float]:
    """Shares of wider cells: within what is shared, people are spread over the rest evenly."""
    at = [count.columns.index(column) for column in shared]
    new = [place for place, column in enumerate(count.columns) if column not in shared]
    within: dict[Cell, list[tuple[Cell, int]]] = {}
    for cell, people in count.left.items():
        key = tuple(cell[place] for place in at)
        within.setdefault(key, []).append((tuple(cell[place] for place in new), people))
    places = [held.index(column) for column in shared]
    found: dict[Cell, float] = {}
    for cell, share in shares.items():
        some = within.get(tuple(cell[place] for place in places))
        if some is None:
            raise ParameterError("two counts of the same people do not agree")
        whole = sum(people for _, people in some)
        for more, people in some:
            found[cell + more] = share * people / whole
    return found


def _alone(evidence: Evidence, component: Component) -> Posterior | None:
    """People who were not counted: the prior, cut down to what is allowed. None: too many cells."""
    ((crowd, columns),) = component.columns.items()
    about = evidence.crowds[crowd]
    if len(columns) == 1 and not _restricted(about, columns):
        return Posterior(component.columns, {crowd: _law(evidence, columns[0])}, Nats.known(0.0))
    cells = possible(evidence, component, crowd, columns, 1 << 20)
    if cells is None:
        return None
    if not cells:
        raise ParameterError(f"crowd {crowd}: nothing is allowed that is possible")
    before = {cell: exp(log_prior(evidence.laws, columns, cell)) for cell in cells}
    whole = fsum(before.values())
    shares = {cell: share / whole for cell, share in before.items()}
    if len(shares) == 1:
        shares = dict.fromkeys(shares, 1.0)
    told = -log(whole)
    if evidence.coined.intersection(columns):  # how a coin fell is not told of the person
        told = _divergence(evidence, columns, shares)
    return Posterior(component.columns, {crowd: shares}, Nats.known(max(about.people * told, 0.0)))


def _divergence(evidence: Evidence, columns: tuple[int, ...], shares: dict[Cell, float]) -> float:
    """Of the values of one person: the divergence of these shares of states from the prior."""
    held: dict[Cell, float] = {}
    for cell, share in shares.items():
        values = evidence.held(columns, cell)
        held[values] = held.get(values, 0.0) + share
    before = evidence.shares
    return fsum(p * (log(p) - log_prior(before, columns, cell)) for cell, p in held.items() if p)


def _law(evidence: Evidence, column: int) -> dict[Cell, float]:
    """The prior shares of a column, those that are not nothing."""
    return {(value,): share for value, share in enumerate(evidence.laws[column]) if share}


def _less(evidence: Evidence, component: Component) -> list[Posterior]:
    """The posterior of a coalition that makes nothing of some of what it knows."""
    found: list[Posterior] = []
    none = Nats.known(0.0)
    chosen = _disjoint(component.counts)
    for crowd, columns in component.columns.items():
        about = evidence.crowds[crowd]
        known = {column: value for column, value in about.known if column in columns}
        free = set(columns) - set(known)
        for column, value in known.items():
            certain: dict[Cell, float] = {(value,): 1.0}
            found.append(
                Posterior({crowd: (column,)}, {crowd: certain}, Nats.known(0.0), exact=False)
            )
        for count in chosen:
            here = tuple(c for c in count.columns if c in free)
            if crowd in count.crowds and here:
                places = [count.columns.index(column) for column in here]
                alone = replace(count, crowds={crowd})
                whole = _alike(evidence, {crowd: count.columns}, alone).shares[crowd]
                shares: dict[Cell, float] = {}
                for cell, share in whole.items():
                    key = tuple(cell[place] for place in places)
                    shares[key] = shares.get(key, 0.0) + share
                found.append(
                    Posterior({crowd: here}, {crowd: shares}, Nats.known(0.0), exact=False)
                )
                free -= set(here)
        for column in free:
            law = _law(evidence, column)
            found.append(Posterior({crowd: (column,)}, {crowd: law}, none, exact=False))
    least = Posterior({}, {}, Nats(-_most(evidence, component), inf), exact=False)
    return [*found, least]


def _most(evidence: Evidence, component: Component) -> float:
    """The most that the log probability of a component can be: of a part of what is known.

    Only of what follows from people's values: how coins fell says nothing of them.
    """
    counts = [one for one in (_uncoined(evidence, count) for count in component.counts) if one]
    pinned = fsum(
        evidence.crowds[crowd].people * log(evidence.shares[column][value])
        for crowd, columns in component.columns.items()
        for column, state in evidence.crowds[crowd].known
        if column in columns
        for (value,) in [evidence.held((column,), (state,))]
    )
    counted = fsum(_log_of_counts(evidence, count) for count in _disjoint(counts))
    allowed = fsum(
        evidence.crowds[crowd].people * _least_allowed(evidence, crowd)
        for crowd in component.columns
    )
    same = max(counts, key=lambda one: len(one.columns), default=None)
    alike = [one for one in counts if same and one.crowds == same.crowds]
    plain = [one for one in alike if not one.labels]
    together = _log_of_tree(evidence, _tree(plain)) if plain else 0.0
    return min(pinned, counted, allowed, together, 0.0)


def _uncoined(evidence: Evidence, count: Count) -> Count | None:
    """A count without the columns in which it also counts how coins fell; None if none is left."""
    kept = [place for place in range(len(count.columns)) if not tells_coins(evidence, count, place)]
    if not kept:
        return None
    columns = tuple(count.columns[place] for place in kept)
    labels = tuple(count.labels[place] for place in kept) if count.labels else ()
    return Count(columns, projected(count.left, kept), count.crowds, labels)


def _log_of_counts(evidence: Evidence, count: Count) -> float:
    """Log prior probability of one count."""
    logs = [log_multinomial(count.left.values())]
    for cell, number in count.left.items():
        for place, label in enumerate(cell):
            law = evidence.laws[count.columns[place]]
            share = fsum(p for state, p in enumerate(law) if count.label(place, state) == label)
            logs.append(number * log(share))
    return fsum(logs)


def _least_allowed(evidence: Evidence, crowd: int) -> float:
    """Log prior probability of the narrowest thing that is known to be allowed to a person."""
    shares = [
        fsum(
            exp(log_prior(evidence.shares, some.columns, cell))
            for cell in {evidence.held(some.columns, cell) for cell in some.cells}
        )
        for some in evidence.crowds[crowd].allowed
    ]
    return min((log(min(share, 1.0)) for share in shares if share), default=0.0)


def _disjoint(counts: Sequence[Count]) -> list[Count]:
    """Counts that share no column of a crowd, the widest first."""
    chosen: list[Count] = []
    for count in sorted(counts, key=lambda one: (-len(one.columns), -len(one.crowds))):
        if not any(
            set(count.columns) & set(one.columns) and count.crowds & one.crowds for one in chosen
        ):
            chosen.append(count)
    return chosen
