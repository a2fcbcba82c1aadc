"""Epsilon after shuffling over several runs: composed where that is proved, else added.

Beside the local epsilons (spending.py) a run certifies a smaller one, of all reports together and
at a delta. Over runs, for each person:

    composed      runs with fresh noise: given the answers their batches are independent, so the
                  losses of their curves are convolved (curves.py), at the sum of their deltas
    added         a run of less than 1/1000 of the largest epsilon: its epsilon, and its delta
    kept apart    the local price: of runs that certify nothing, that keep noise from run to run
                  (reports about one answer depend on each other, those of others too), or whose
                  neighbours are other ones

The bound of a run holds for any other people in its batch, so runs that share some people only
compose for each of these. Mechanisms are taken to be chosen without regard to what earlier runs
released, and the noise of two runs to be drawn apart, as people draw it: a seed stands for that. Of
each run so many people are relied on as it says.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec import UNSET

from ...protocol.history import HandedBatch
from ..programs.randomized.privacy import ADJACENCY
from ..programs.randomized.questions import Question
from ..schema.model import Scenario
from .account import Apart, MixedSpending
from .certified import Certified
from .curves import certify, compose_curves
from .entry import Entry
from .noise import Noise
from .people import Crowd
from .spending import ROUNDING, counts, price

SMALL = 1e-3  # of the largest epsilon, below which one is added: a lattice for both is too long
PATTERNS = 16  # sets of runs that are composed; people with others have the bound of all runs
OLD = "noted before epsilons after shuffling were"
NOTHING = "no bound after shuffling was certified"
KEPT = "noise is kept from run to run, so reports depend on those of other runs"
OTHERS = "its neighbours are other ones: {}"


@dataclass(frozen=True, slots=True)
class NoisyRun:
    """A run as it counts: runs that are equal cost the same.

    Attributes:
        noise: that its people added.
        certified: what it certified after the mix; None: nothing that composes.
        why: for which reason it is kept apart; "" if it is not.
    """

    noise: Noise
    certified: Certified | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of some runs for a person.

    Attributes:
        epsilon: nats, of all of them.
        delta: of those that are not kept apart.
        runs: that are not kept apart.
        apart: those that are, with their local price.
    """

    epsilon: float
    delta: float
    runs: tuple[NoisyRun, ...]
    apart: tuple[Apart, ...]


@dataclass(slots=True)
class MixedBudget:
    """Epsilon after shuffling of the users of a run over all runs, and its limit.

    Attributes:
        past: the earlier sessions.
        noise: of this one.
        asked: its questions.
        crowd: its people.
        scenario: what is asked.
        counted: the cost of each set of runs that was composed.
        judged: what they would have spent after the last batch that was judged; None: none was.
    """

    past: Sequence[Entry]
    noise: Noise
    asked: Sequence[Question]
    crowd: Crowd
    scenario: Scenario
    counted: dict[frozenset[tuple["NoisyRun", int]], Cost] = field(default_factory=dict)
    judged: MixedSpending | None = None

    def certify(self, reports: Sequence[int]) -> Certified | None:
        """Return the certificate of the present run. reports: a number for each question."""
        return certify(self.asked, reports, self.scenario.local.relied_on)

    def refusal(self, batch: HandedBatch) -> str | None:
        """Return the reason to refuse a batch, if its users would pass the limit."""
        limit = self.scenario.local.spend_shuffled
        if limit is None:
            return None
        reports = [len(batch.people)] * len(self.asked)
        spent = self.spent(self.certify(reports))
        self.judged = spent
        if not spent.beyond:
            return None
        return (
            f"{spent.beyond:,} people would have spent more than {limit:g} nats after shuffling "
            f"over all runs, up to {spent.most:.4g} at delta = {spent.delta:.3g}: ask other people,"
            " or more of them together"
        )

    def spent(self, certified: Certified | None) -> MixedSpending:
        """Return the epsilon over all runs. certified: by the present run."""
        patterns, people = self._patterns(certified)
        costs = [self._cost(pattern) for pattern in patterns]
        worst = max(costs, key=lambda cost: cost.epsilon)
        limit = self.scenario.local.spend_shuffled
        passed = [limit is not None and cost.epsilon > limit + ROUNDING for cost in costs]
        relied = [run.certified for run in worst.runs if run.certified]
        return MixedSpending(
            worst.epsilon,
            worst.delta,
            len(worst.runs),
            min((each.hidden for each in relied), default=None),
            worst.apart,
            limit,
            int(people[passed].sum()),
            ADJACENCY,
        )

    def _patterns(self, certified: Certified | None) -> tuple[list[Counter[NoisyRun]], Any]:
        """The different sets of runs that people took part in, and how many people each has."""
        index = {mark: place for place, mark in enumerate(self.crowd.people)}
        entries = [
            (entry, entry.noise) for entry in self.past if entry.noise is not None and counts(entry)
        ]
        noises = Counter([self.noise, *(noise for _, noise in entries)])
        runs = [_run(self.noise, certified, noises)]
        there = np.zeros((len(entries) + 1, len(index)), np.bool_)
        there[0] = True
        for row, (entry, noise) in enumerate(entries, 1):
            runs.append(_run(noise, entry.certified, noises))
            there[row, [index[mark] for mark in entry.people if mark in index]] = True
        kinds, people = np.unique(there, axis=1, return_counts=True)
        found = [
            Counter(run for run, took in zip(runs, kind, strict=True) if took) for kind in kinds.T
        ]
        if len(found) > PATTERNS:
            every = Counter(run for run, took in zip(runs, there, strict=True) if took.any())
            return [every], np.array([len(index)])
        return found, people

    def _cost(self, pattern: Counter[NoisyRun]) -> Cost:
        """The cost of these runs together."""
        key = frozenset(pattern.items())
        if key not in self.counted:
            self.counted[key] = _cost(pattern)
        return self.counted[key]


def _cost(pattern: Counter[NoisyRun]) -> Cost:
    """The cost of these runs together."""
    apart = tuple(
        Apart(times, price(run.noise, times), run.why) for run, times in pattern.items() if run.why
    )
    ready = tuple(run for run in pattern.elements() if not run.why)
    epsilon = sum(each.local for each in apart) + _together(ready)
    return Cost(epsilon, sum(_known(run).delta for run in ready), ready, apart)


def _together(runs: Sequence[NoisyRun]) -> float:
    """Epsilon of all of these runs at the sum of their deltas: composed, or at most the sum."""
    every = sum(_alone(run) for run in runs)
    largest = max((_known(run).top for run in runs), default=0.0)
    large = [_known(run) for run in runs if _known(run).top > SMALL * largest]
    if len(large) < 2:
        return every
    rest = sum(_alone(run) for run in runs if _known(run).top <= SMALL * largest)
    return min(every, rest + compose_curves(tuple(large)))


def _run(noise: Noise, certified: Any, noises: Counter[Noise]) -> NoisyRun:
    """A run, and why it is kept apart if it is. noises: of all runs, with how often each is."""
    if certified is UNSET:
        return NoisyRun(noise, None, OLD)
    if certified is None:
        return NoisyRun(noise, None, NOTHING)
    if noise.forever is not None and noises[noise] > 1:
        return NoisyRun(noise, None, KEPT)
    if certified.adjacency != ADJACENCY:
        return NoisyRun(noise, None, OTHERS.format(certified.adjacency))
    return NoisyRun(noise, certified)


def _known(run: NoisyRun) -> Certified:
    """The certificate of a run that is not kept apart."""
    assert run.certified is not None  # noqa: S101 - `_run` says why one without is kept apart
    return run.certified


def _alone(run: NoisyRun) -> float:
    """Return the epsilon of a single run: at most its local one."""
    return min(_known(run).epsilon, price(run.noise, 1))
