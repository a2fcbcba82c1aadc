"""Figures from a posterior: probabilities, best guesses, certain cells, anonymity sets.

This file reads `PersonPosteriors` and computes no posterior. A crowd is the people with equal
evidence in a coalition's view. A pool is a set of crowds: the coalition does not know in which of
them a person is. Probabilities for a person are averages over the crowds of its pool. Best guesses
are compared with the prior or with the truth.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import product
from math import exp, fsum, prod
from operator import itemgetter

from ...deprecated import keeps_old
from .evidence import Cell, Evidence
from .fiber import CrowdPosterior, Nats, log_prior

# most rows tried in the search for a person's likeliest row, if its crowd (people with equal
# evidence) is unknown; above it only the likeliest row of each possible crowd is tried
MOST_ROWS = 20_000


# true rows: crowd (people with equal evidence, by number) -> row -> people with that row; -1 stands
# for a value that is not recorded
Truth = Mapping[int, Mapping[Cell, int]]


class Method(StrEnum):
    """The method by which a figure was computed: exact, sampled, a lower or an upper bound."""

    EXACT = "exact"
    SAMPLED = "sampled"
    BOUNDED = "at least"
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True)
class Guess:
    """The probability that the coalition gives to a true statement, before and after its view.

    Attributes:
        prior: probability before the view, 0 to 1.
        posterior: probability given the view, 0 to 1.
        error: standard error of the posterior; 0.0 where it is exact.
    """

    prior: float
    posterior: float
    error: float = 0.0  # standard error of the posterior, a probability


@keeps_old(told="leakage")
@dataclass(frozen=True)
class PersonPosteriors:
    """The posterior of every person's row given a coalition's view, by crowd.

    A crowd is the people with equal evidence. A pool is a set of crowds of known sizes with unknown
    members. An example: the coalition knows that 3 of 10 people were absent, but not their names;
    the crowd of the 3 and the crowd of the 7 form a pool.

    Attributes:
        evidence: the statements that the view implies.
        posteriors: the posterior of each component, an independent part of the evidence.
        leakage: leakage about all people's values, in nats: the Kullback-Leibler divergence of the
            posterior of the table, a row per named person, from its prior. If the table determines
            the view, it is the log of the factor by which the number of possible tables fell.
        method: exact, sampled or bounded.
    """

    evidence: Evidence
    posteriors: tuple[CrowdPosterior, ...]
    leakage: Nats
    method: Method

    @property
    def bits(self) -> float:
        """The leakage in bits: an upper bound if there is a finite one, else a lower bound."""
        return self.leakage.bits

    @cached_property
    def parts(self) -> Mapping[int, tuple[tuple[tuple[int, ...], Mapping[Cell, float]], ...]]:
        """Independent parts of a row, per crowd: columns, and the probability of each cell in them.

        A crowd is the people with equal evidence.
        """
        by_crowd: dict[int, list[tuple[tuple[int, ...], Mapping[Cell, float]]]] = {}
        for posterior in self.posteriors:
            for crowd, columns in posterior.columns.items():
                shares = self._by_value(columns, posterior.shares[crowd])
                by_crowd.setdefault(crowd, []).append((columns, shares))
        return {crowd: tuple(pieces) for crowd, pieces in by_crowd.items()}

    def _by_value(
        self, columns: Sequence[int], shares: Mapping[Cell, float]
    ) -> Mapping[Cell, float]:
        """Return the probabilities of cells of values, by adding probabilities of cells of states.

        A state is a value with its way of reporting. A value that may be suppressed at random
        has two states: reported and suppressed. Any other value has one state.
        """
        if not self.evidence.values:
            return shares
        summed: dict[Cell, float] = {}
        for cell, share in shares.items():
            values = self.evidence.state_values(columns, cell)
            summed[values] = summed.get(values, 0.0) + share
        return summed

    @cached_property
    def pools(self) -> tuple[frozenset[int], ...]:
        """All pools, as sets of crowd numbers; a crowd in no pool is a pool of its own.

        A crowd is the people with equal evidence. The coalition does not know in which crowd of a
        pool a person is.
        """
        all_crowds = range(len(self.evidence.crowds))
        return tuple(dict.fromkeys(self.evidence.pool_of(crowd) for crowd in all_crowds))

    @property
    def error(self) -> float:
        """The largest standard error of a posterior probability; 0.0 without sampling."""
        return max((posterior.error for posterior in self.posteriors), default=0.0)

    @property
    def agreement(self) -> float:
        """The worst Gelman-Rubin ratio of the Markov chains: near 1 if mixed, 1.0 without sampling.

        The ratio compares the variances between and within chains.
        """
        return max(
            (posterior.agreement for posterior in self.posteriors if posterior.sampled), default=1.0
        )

    def weights(self, pool: frozenset[int]) -> dict[int, float]:
        """Return, for a person of a pool, the probability of each crowd of the pool.

        A crowd is the people with equal evidence. A pool is a set of crowds: the coalition does not
        know in which of them the person is.
        """
        sizes = {crowd: self.evidence.crowds[crowd].people for crowd in pool}
        whole = sum(sizes.values())
        return {crowd: size / whole for crowd, size in sizes.items() if size}

    def probability(self, crowd: int, row: Cell) -> float:
        """Return the posterior probability that a person of this crowd holds this whole row.

        A crowd is the people with equal evidence. If the coalition cannot tell the crowd from
        others, the probability is the mean over these crowds.
        """
        pool = self.evidence.pool_of(crowd)
        return fsum(share * self._in(member, row) for member, share in self.weights(pool).items())

    def _in(self, crowd: int, row: Cell) -> float:
        """Return the probability of a whole row for a person of a known crowd.

        crowd: people with equal evidence, by number.
        """
        return prod(
            shares.get(tuple(row[column] for column in part_columns), 0.0)
            for part_columns, shares in self.parts.get(crowd, ())
        )

    def values(self, crowd: int, column: int) -> dict[int, float]:
        """Return the posterior probability of each value of a column, for a person of this crowd.

        A crowd is the people with equal evidence. If the coalition cannot tell the crowd from
        others, the probability is the mean over these crowds.
        """
        chances: dict[int, float] = {}
        for person, weight in self.weights(self.evidence.pool_of(crowd)).items():
            for columns, shares in self.parts.get(person, ()):
                if column in columns:
                    place = columns.index(column)
                    for cell, share in shares.items():
                        chances[cell[place]] = chances.get(cell[place], 0.0) + weight * share
        return chances

    def best_value(self, crowd: int, column: int) -> float:
        """Return the posterior probability of a column's likeliest value for people of this crowd.

        A crowd is the people with equal evidence.
        """
        if column in self.evidence.crowds[crowd].revealed:
            return 1.0
        return min(max(self.values(crowd, column).values()), 1.0)

    def best_row(self, crowd: int) -> float:
        """Return the posterior probability of the likeliest whole row, for a person of this crowd.

        A crowd is the people with equal evidence. If the coalition cannot tell the crowd from
        others and there are more than `MOST_ROWS` rows, only each crowd's likeliest row is
        compared.
        """
        pool = self.weights(self.evidence.pool_of(crowd))
        if len(pool) == 1:
            return prod(max(shares.values()) for _, shares in self.parts.get(crowd, ()))
        return max(self.probability(crowd, row) for row in self._likely(pool))

    def _likely(self, pool: Mapping[int, float]) -> Iterator[Cell]:
        """Yield rows that a person may hold, if the coalition does not know the person's crowd.

        If at most `MOST_ROWS` rows are possible, all are yielded. Else only the likeliest row of
        each possible crowd. A crowd is the people with equal evidence. pool: possible crowds, each
        with its probability.
        """
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
            for part_columns, shares in self.parts[crowd]:
                best = max(shares.items(), key=itemgetter(1))[0]
                row.update(zip(part_columns, best, strict=True))
            yield tuple(row[column] for column in columns)

    def certain(self, crowd: int, column: int) -> bool:
        """Whether only one value of a column is possible for people of this crowd.

        A crowd is the people with equal evidence. Crowds that the coalition cannot tell from this
        crowd are considered too.
        """
        pool = self.weights(self.evidence.pool_of(crowd))
        return (
            all(self._single(person, column) for person in pool)
            and len(set(self.values(crowd, column))) <= 1
        )

    def _single(self, crowd: int, column: int) -> bool:
        """Whether a single value of a column is possible for a person known to be in this crowd.

        A crowd is the people with equal evidence.
        """
        if column in self.evidence.crowds[crowd].revealed:
            return True
        for posterior in self._about.get(crowd, ()):
            columns = posterior.columns[crowd]
            if column in columns:
                if posterior.proven is not None:
                    return (crowd, column) in posterior.proven
                place = columns.index(column)
                cell_values = (
                    self.evidence.state_values(columns, cell) for cell in posterior.shares[crowd]
                )
                return len({cell[place] for cell in cell_values}) == 1
        return False

    @cached_property
    def _about(self) -> Mapping[int, Sequence[CrowdPosterior]]:
        """The posteriors about columns of each crowd (people with equal evidence), by crowd."""
        about = defaultdict[int, list[CrowdPosterior]](list)
        for posterior in self.posteriors:
            for crowd in posterior.columns:
                about[crowd].append(posterior)
        return about

    @property
    def cells_certain(self) -> int:
        """Number of (person, column) pairs with only one value possible given the view."""
        columns = range(len(self.evidence.laws))
        return sum(
            about.people * sum(self.certain(crowd, column) for column in columns)
            for crowd, about in enumerate(self.evidence.crowds)
            if about.people
        )

    @property
    def rows_guessed(self) -> float:
        """Expected number of whole rows that the coalition guesses correctly, given its view."""
        return fsum(
            about.people * self.best_row(crowd)
            for crowd, about in enumerate(self.evidence.crowds)
            if about.people
        )

    @property
    def cells_guessed(self) -> float:
        """Expected number of (person, column) values that the coalition guesses correctly."""
        columns = range(len(self.evidence.laws))
        return fsum(
            about.people * fsum(self.best_value(crowd, column) for column in columns)
            for crowd, about in enumerate(self.evidence.crowds)
            if about.people
        )

    @property
    def rows_guessed_before(self) -> float:
        """Expected number of rows guessed correctly from the prior alone."""
        return self.evidence.users * prod(max(law) for law in self.evidence.shares)

    @property
    def cells_guessed_before(self) -> float:
        """Expected number of (person, column) pairs guessed correctly from the prior alone."""
        return self.evidence.users * fsum(max(law) for law in self.evidence.shares)

    @property
    def sets(self) -> tuple[tuple[int, int], ...]:
        """Anonymity sets: pairs of size (people) and number of sets of this size.

        A person with a value linked by name is alone in its set.
        """
        sets: dict[int, int] = {}
        for pool in self.pools:
            crowds = [self.evidence.crowds[crowd] for crowd in pool]
            people = sum(about.people for about in crowds)
            is_linked = any(about.linked for about in crowds)
            if people:
                size, times = (1, people) if is_linked else (people, 1)
                sets[size] = sets.get(size, 0) + times
        return tuple(sorted(sets.items()))

    def worst_row(self, truth: Truth) -> Guess | None:
        """Return the prior and posterior of the true row of which the coalition is surest.

        Rows of the coalition's members are left out. Among rows with the same posterior the row
        with the least prior is chosen. Return None if no row is recorded for a person outside the
        coalition.

        truth: true rows, by crowd (people with equal evidence), each with its number of people.
        """
        guesses = (
            Guess(exp(self._log_prior(row)), self.probability(crowd, row), self._error(crowd))
            for crowd, rows in truth.items()
            if not self.evidence.crowds[crowd].is_member
            for row in rows
            if min(row, default=0) >= 0
        )
        return max(guesses, key=lambda guess: (guess.posterior, -guess.prior), default=None)

    def worst_value(self, truth: Truth) -> Guess | None:
        """Return the prior and posterior of the true value of which the coalition is surest.

        Values of the coalition's members are left out; None if no value is recorded.

        truth: true rows, by crowd (people with equal evidence), each with its number of people.
        """
        visited: set[tuple[int, int, int]] = set()
        guesses: list[Guess] = []
        for crowd, rows in truth.items():
            if self.evidence.crowds[crowd].is_member:
                continue
            for row in rows:
                for column, value in enumerate(row):
                    if value >= 0 and (crowd, column, value) not in visited:
                        visited.add((crowd, column, value))
                        guesses.append(self._value(crowd, column, value))
        return max(guesses, key=lambda guess: (guess.posterior, -guess.prior), default=None)

    def _value(self, crowd: int, column: int, value: int) -> Guess:
        """Return a value's prior and posterior probability for a person of this crowd.

        A crowd is the people with equal evidence. column, value: their codes.
        """
        prior_probability = self.evidence.shares[column][value]
        if column in self.evidence.crowds[crowd].revealed:
            return Guess(prior_probability, 1.0)
        posterior_probability = self.values(crowd, column).get(value, 0.0)
        return Guess(prior_probability, min(posterior_probability, 1.0), self._error(crowd))

    def _log_prior(self, row: Cell) -> float:
        """Return the log prior probability (nats) of a whole row."""
        return log_prior(self.evidence.shares, tuple(range(len(row))), row)

    def _error(self, crowd: int) -> float:
        """Return the largest standard error of a crowd's posterior probabilities; 0.0 if exact.

        A crowd is the people with equal evidence.
        """
        return max((posterior.error for posterior in self._about.get(crowd, ())), default=0.0)
