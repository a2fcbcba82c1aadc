"""Error of incidence estimators by epsilon and n, on Zipf data and on recorded Wi-Fi sessions.

An incidence vector counts, for t = 0 .. n, the positions that are set in exactly t of n bit
vectors. The figure is paper 004's Figure 2 on other data, because its data (Sapienza) are not
available. An error is the largest of the n + 1 absolute errors, as a share of the m positions. All
estimators see the same noisy vectors.

The Wi-Fi counts are facts about recordings of probe requests in one laboratory of Brno University
of Technology (T. Fryza, "probe-request-project", MIT licence): the numbers of devices with a
globally administered address seen in exactly t of n sessions. All recordings together have 4,426
such devices, which are the m positions. Devices never seen in the n sessions count for t = 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

import numpy as np

from ..incidence import error_bound, eta_of, lower_bound, sample, transition
from ..incidence.estimators import as_method, point
from ..incidence.posterior import posteriors
from ..incidence.sampling_law import as_incidence
from ..validation import Counts, Floats, open_unit, whole

# Parameters of the paper, Section 6: bits of a vector (devices), failure probability of the bounds,
# epsilons in nats a bit, numbers of vectors (one an owner).
POSITIONS = 162_305
BETA = 0.1
BUDGETS = (0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
OWNERS = (1, 5, 10, 21)

DEVICES = 4426
# numbers of devices seen in exactly t = 1 .. n sessions, by title
SESSIONS = {
    "5 sessions, 2023-08-28 to 2023-09-01": (117, 10, 5, 1, 7),
    "7 sessions, 2023-08-26 to 2023-09-01": (115, 11, 6, 1, 3, 0, 4),
    "10 sessions, 2022-10-18 to 2022-11-16": (1269, 34, 15, 17, 19, 1, 1, 1, 0, 4),
}


@dataclass(frozen=True, slots=True, eq=False)
class ErrorPanel:
    """The errors of estimators on one true incidence vector, as shares of the positions.

    The incidence vector holds, for t = 0 .. n, the number of positions set in exactly t of n bit
    vectors.

    Attributes:
        title: description of the data.
        phi: true incidence vector, shape (n + 1,).
        budgets: epsilon in nats a bit, shape (budgets,).
        quantiles: for each method the 1 - beta quantile of the error, shape (budgets,).
        bound: the rigorous bound of Theorem 4.4, shape (budgets,).
        lower: the paper's lower bound with constant 1, shape (budgets,).
        beta: failure probability of quantiles and bounds.
        runs: noisy versions behind each quantile.
    """

    title: str
    phi: Counts
    budgets: Floats
    quantiles: dict[str, Floats]
    bound: Floats
    lower: Floats
    beta: float
    runs: int

    @property
    def n(self) -> int:
        """The number of bit vectors; each owner has one vector."""
        return len(self.phi) - 1

    @property
    def m(self) -> int:
        """The number of positions (bits) of each bit vector."""
        return int(self.phi.sum())


def study(
    title: str,
    phi: Counts,
    methods: Sequence[str],
    *,
    runs: int = 20,
    budgets: Sequence[float] = BUDGETS,
    beta: float = BETA,
    rng: np.random.Generator | int | None = None,
) -> ErrorPanel:
    """Measure the errors of estimators on noisy versions of one true incidence vector.

    Args:
        title: description of the data.
        phi: true incidence vector: positions set in exactly t = 0 .. n of n bit vectors.
        methods: names from METHODS; methods that search a polytope use the "corrected" radius.
        runs: noisy versions for each budget, >= 1.
        budgets: epsilon in nats a bit.
        beta: the quantile of the errors is at 1 - beta.
        rng: generator or seed.
    """
    truth, runs, beta = as_incidence(phi, "phi"), whole(runs, "runs", 1), open_unit(beta, "beta")
    generator, m, n = np.random.default_rng(rng), int(truth.sum()), len(truth) - 1
    # The noise and the estimators have a generator each, so that a further estimator does not
    # change the noise, and so not the results of the rest.
    noise, inner = generator.spawn(2)
    quantiles: dict[str, list[float]] = {method: [] for method in methods}
    for epsilon in budgets:
        eta = eta_of(epsilon)
        noisy_counts = [sample(truth, eta, rng=noise) for _ in range(runs)]
        for method, levels in quantiles.items():
            errors = errors_of(noisy_counts, truth, eta, beta, method, inner)
            levels.append(sorted(errors)[min(floor((1 - beta) * runs), runs - 1)])
    return ErrorPanel(
        title,
        truth,
        np.array(budgets, dtype=np.float64),
        {method: np.array(levels) for method, levels in quantiles.items()},
        np.array([error_bound(n, m, eta_of(epsilon), beta) for epsilon in budgets]),
        np.array([lower_bound(m, epsilon, beta) for epsilon in budgets]),
        beta,
        runs,
    )


def errors_of(
    noisy_counts: list[Counts],
    truth: Counts,
    eta: float,
    beta: float,
    method: str,
    rng: np.random.Generator,
) -> list[float]:
    """Return the largest error among the n + 1 estimated counts, for each noisy incidence vector.

    An error is a share of the m positions.

    truth: true numbers of positions set in exactly t = 0 .. n of n bit vectors. eta: privacy
    parameter; a bit is flipped with probability (1 - eta)/2. beta: failure probability of the
    radius of polytope methods. method: the estimator.
    """
    m, chosen = int(truth.sum()), as_method(method)
    if chosen == "bayes":
        k = len(truth)
        laws = posteriors(np.array(noisy_counts), transition(k - 1, eta), np.ones(k), rng)
        shares = [law.mean / m for law in laws]
    else:
        shares = [point(psi, eta, beta, chosen, "corrected")[0] for psi in noisy_counts]
    return [float(np.abs(share - truth / m).max()) for share in shares]


def wifi(sessions: Sequence[int], devices: int = DEVICES) -> Counts:
    """Return the numbers of devices seen in exactly t = 0 .. n recorded sessions.

    sessions: devices seen in exactly t = 1 .. n sessions. devices: number of all devices.
    """
    return np.array([devices - sum(sessions), *sessions], dtype=np.int64)
