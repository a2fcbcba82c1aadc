"""The epsilon after shuffling over several runs: composed if that is proved, otherwise added.

A run with noise costs a person its local epsilon (of the reports before the mix, spending.py). A
run can also certify a smaller epsilon after shuffling, at a delta. The total of a person over all
runs has three parts:

    composed   runs with fresh noise. For given answers, their batches are independent, so the
               distributions of their privacy losses are convolved (curves.py). The deltas are
               added.
    added      runs with an epsilon below 1/1000 of the largest: epsilon and delta are added. To
               convolve them, the distributions would need steps that are too fine.
    separate   runs that count with their local epsilon: runs without a certificate, or with
               another definition of neighbouring data sets, or with noise that a person keeps for
               all runs. With kept noise, reports about an answer depend on earlier reports, even
               of other people.

A certificate holds for any other people in its batch. So if two runs share only some people, both
are composed only for the people who took part in both.

Assumptions: mechanisms are chosen without regard to the results of earlier runs. People draw the
noise of two runs independently; in a run, a seed stands for these draws. In each run, `relied_on`
of its people keep their reports secret.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec import UNSET

from ....protocol.history.shuffler_history import HandedBatch
from ...programs.noisy_questions import Question
from ...programs.randomized.privacy import ADJACENCY
from ...schema.model import Local
from .account import LocalRuns, MixedSpending
from .certified import Certified
from .curves import certify, compose_curves
from .entry import LedgerEntry
from .noise import Noise
from .people import ScenarioPeople
from .spending import ROUNDING, counts, price

# Runs are composed only if the largest epsilon of their privacy curve is above this share of the
# largest such epsilon of any run; the epsilons of other runs are added. To compose privacy losses
# of very different size, the distributions would need steps that are too fine.
SMALL = 1e-3
# The cost is composed for each set of runs in which a person took part. If people differ in more
# than this number of sets, all of them get the cost of all runs, an upper bound.
PATTERNS = 16
OLD = "noted before epsilons after shuffling were"
NO_BOUND = "no bound after shuffling was certified"
PERMANENT_NOISE = "noise is kept from run to run, so reports depend on those of other runs"
DIFFERENT_ADJACENCY = "its neighbours are other ones: {}"


@dataclass(frozen=True, slots=True)
class NoisyRun:
    """A run with noise, reduced to the data that decide its epsilon; equal runs cost the same.

    Attributes:
        noise: the noise that the run's people added.
        certified: the run's certificate of epsilon after shuffling; None: no certificate can be
            composed with other runs.
        why: the reason why the run counts with its local epsilon; "" if it is composed.
    """

    noise: Noise
    certified: Certified | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class RunsCost:
    """The epsilon and delta that some runs cost a person together.

    Attributes:
        epsilon: the epsilon of all these runs together, in nats.
        delta: the sum of the deltas of the composed runs.
        runs: the composed runs, which count with their epsilon after shuffling.
        separate_runs: the runs that cannot be composed, with their local epsilon (of the reports
            before the mix).
    """

    epsilon: float
    delta: float
    runs: tuple[NoisyRun, ...]
    separate_runs: tuple[LocalRuns, ...]


@dataclass(slots=True)
class MixedBudget:
    """The epsilon after shuffling of a run's users over all runs of a ledger, with its limit.

    Attributes:
        past: the earlier sessions.
        noise: the noise of this session.
        questions: the questions of this session.
        crowd: the people of this session, as fingerprints.
        local: the noise settings of the scenario, with the limit.
        counted: the computed costs, by set of runs: (run, number of equal runs).
        judged: the users' total after the last batch that was judged; None: no batch was judged.
    """

    past: Sequence[LedgerEntry]
    noise: Noise
    questions: Sequence[Question]
    crowd: ScenarioPeople
    local: Local
    counted: dict[frozenset[tuple["NoisyRun", int]], RunsCost] = field(default_factory=dict)
    judged: MixedSpending | None = None

    def certify(self, reports: Sequence[int]) -> Certified | None:
        """Return the certificate of the present run: its epsilon after shuffling.

        reports: the number of reports to each question.
        """
        return certify(self.questions, reports, self.local.relied_on)

    def refusal(self, batch: HandedBatch) -> str | None:
        """Return the reason to refuse a batch if a person would exceed `spend_shuffled`; else None.

        `spend_shuffled` limits a person's epsilon after shuffling, in nats, over all runs of the
        ledger.
        """
        limit = self.local.spend_shuffled
        if limit is None:
            return None
        reports = [len(batch.people)] * len(self.questions)
        total = self.spent(self.certify(reports))
        self.judged = total
        if not total.beyond:
            return None
        return (
            f"{total.beyond:,} people would have spent more than {limit:g} nats after shuffling "
            f"over all runs, up to {total.most:.4g} at delta = {total.delta:.3g}: ask other people,"
            " or more of them together"
        )

    def spent(self, certified: Certified | None) -> MixedSpending:
        """Return the users' total epsilon after shuffling over all runs.

        certified: the certificate of the present run; None: it has no certificate.
        """
        patterns, people = self._patterns(certified)
        costs = [self._cost(pattern) for pattern in patterns]
        worst = max(costs, key=lambda cost: cost.epsilon)
        limit = self.local.spend_shuffled
        exceeds_limit = [limit is not None and cost.epsilon > limit + ROUNDING for cost in costs]
        relied = [run.certified for run in worst.runs if run.certified]
        return MixedSpending(
            worst.epsilon,
            worst.delta,
            len(worst.runs),
            min((part.hidden for part in relied), default=None),
            worst.separate_runs,
            limit,
            int(people[exceeds_limit].sum()),
            ADJACENCY,
        )

    def _patterns(self, certified: Certified | None) -> tuple[list[Counter[NoisyRun]], Any]:
        """Return the sets of runs in which users took part, and the number of users of each set.

        certified: the certificate of the present run; None: it has no certificate.
        """
        index = {mark: place for place, mark in enumerate(self.crowd.people)}
        entries = [
            (entry, entry.noise) for entry in self.past if entry.noise is not None and counts(entry)
        ]
        noises = Counter([self.noise, *(noise for _, noise in entries)])
        runs = [_run(self.noise, certified, noises)]
        took_part = np.zeros((len(entries) + 1, len(index)), np.bool_)
        took_part[0] = True
        for row, (entry, noise) in enumerate(entries, 1):
            runs.append(_run(noise, entry.certified, noises))
            took_part[row, [index[mark] for mark in entry.people if mark in index]] = True
        kinds, people = np.unique(took_part, axis=1, return_counts=True)
        combinations = [
            Counter(run for run, took in zip(runs, kind, strict=True) if took) for kind in kinds.T
        ]
        if len(combinations) > PATTERNS:
            runs_taken = Counter(
                run for run, took in zip(runs, took_part, strict=True) if took.any()
            )
            return [runs_taken], np.array([len(index)])
        return combinations, people

    def _cost(self, pattern: Counter[NoisyRun]) -> RunsCost:
        """Return the epsilon and delta of some runs together, computed once for each set of runs.

        pattern: run -> number of equal runs.
        """
        key = frozenset(pattern.items())
        if key not in self.counted:
            self.counted[key] = _cost(pattern)
        return self.counted[key]


def _cost(pattern: Counter[NoisyRun]) -> RunsCost:
    """Return the epsilon and delta of some runs together. pattern: run -> number of equal runs."""
    alone_runs = tuple(
        LocalRuns(times, price(run.noise, times), run.why)
        for run, times in pattern.items()
        if run.why
    )
    ready = tuple(run for run in pattern.elements() if not run.why)
    epsilon = sum(part.local for part in alone_runs) + _joint_epsilon(ready)
    return RunsCost(epsilon, sum(_certificate(run).delta for run in ready), ready, alone_runs)


def _joint_epsilon(runs: Sequence[NoisyRun]) -> float:
    """Return the epsilon of some runs together, in nats, at the sum of their deltas.

    The result is the smaller of the composed epsilon and the sum of the runs' epsilons.
    """
    sum_alone = sum(_single_epsilon(run) for run in runs)
    largest = max((_certificate(run).top for run in runs), default=0.0)
    large = [_certificate(run) for run in runs if _certificate(run).top > SMALL * largest]
    if len(large) < 2:
        return sum_alone
    rest = sum(_single_epsilon(run) for run in runs if _certificate(run).top <= SMALL * largest)
    return min(sum_alone, rest + compose_curves(tuple(large)))


def _run(noise: Noise, certified: Any, noises: Counter[Noise]) -> NoisyRun:
    """Return a run reduced to the data that decide its cost in epsilon.

    If the run cannot be composed with other runs, it has no certificate and states the reason.

    noise: the noise of the run. certified: its certificate; None or UNSET: no certificate was made.
    noises: the noise of all runs -> number of runs with it.
    """
    if certified is UNSET:
        return NoisyRun(noise, None, OLD)
    if certified is None:
        return NoisyRun(noise, None, NO_BOUND)
    if noise.forever is not None and noises[noise] > 1:
        return NoisyRun(noise, None, PERMANENT_NOISE)
    if certified.adjacency != ADJACENCY:
        return NoisyRun(noise, None, DIFFERENT_ADJACENCY.format(certified.adjacency))
    return NoisyRun(noise, certified)


def _certificate(run: NoisyRun) -> Certified:
    """Return the certificate of a run that can be composed with other runs."""
    assert run.certified is not None  # noqa: S101 - only composed runs are passed
    return run.certified


def _single_epsilon(run: NoisyRun) -> float:
    """Return the epsilon of a single run: the smaller of its certified and its local epsilon."""
    return min(_certificate(run).epsilon, price(run.noise, 1))
