"""The epsilon that people spend over all noisy runs of a ledger, and its limit.

    fresh noise     each run costs its epsilon again, and the epsilons are added
    memoized noise  T runs with equal noise about equal columns cost the exact epsilon of T reports
                    of one answer (`Memoized.epsilon_after`), at most `forever`

A person is the fingerprint of its row (people.py), so its answers are the same in each run. A user
with a changed answer counts as another person, who starts at 0. A run counts from the moment a
batch is forwarded; a run that never ended counts from its start.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from ....protocol.wire.coarsening import rule_digest
from ....protocol.wire.schema import Schema
from ...programs.noisy_questions import forever, rule
from ...schema.mechanisms import mechanisms
from ...schema.model import Scenario
from .account import Spending
from .entry import NEVER_ENDED, LedgerEntry
from .noise import Noise
from .people import ScenarioPeople

# tolerance in nats, because rounding errors may lift a sum slightly above the limit
ROUNDING = 1e-9


def noise_of(scenario: Scenario, schema: Schema) -> Noise | None:
    """Return the noise that each person adds in a run of this scenario; None without noise.

    schema: the features of the people.
    """
    mechanism, columns = mechanisms().get(scenario.local.mechanism), schema.names
    if mechanism is None:
        return None
    column_count = max(1, len(columns))
    description = [
        (feature.name, feature.values, [rule_digest(rule) for rule in feature.rules])
        for feature in schema.features
    ]
    return Noise(
        rule=rule(scenario.local, len(columns)),
        columns=tuple(columns),
        asked=blake2b(repr(description).encode(), digest_size=16).hexdigest(),
        epsilon=(scenario.local.epsilon or 0.0) / column_count,
        forever=forever(scenario.local) / column_count if mechanism.remembers else None,
        mechanism=scenario.local.mechanism,
    )


def price(noise: Noise, runs: int) -> float:
    """Return the local epsilon, in nats, that one person spends in `runs` runs with this noise.

    If the noise is drawn anew in each run, the epsilons of all runs and columns are added. If it is
    kept from run to run, the exact epsilon of `runs` reports of one answer is added over columns.
    """
    if noise.forever is None:
        return runs * noise.epsilon * max(1, len(noise.columns))
    from ...schema.plugs import load

    randomizer = load(mechanisms()[noise.mechanism].place)
    epsilon = randomizer(2, noise.epsilon, forever=noise.forever).epsilon_after(runs)
    return float(epsilon) * len(noise.columns)


def counts(entry: LedgerEntry) -> bool:
    """Whether a run has cost its people privacy: a batch was forwarded, or the run never ended."""
    return bool(entry.handed) or entry.burned == NEVER_ENDED


def spending(
    past: Sequence[LedgerEntry], now: Noise, crowd: ScenarioPeople, limit: float | None
) -> Spending:
    """Return the epsilon that people have spent after a run, over all runs of a ledger.

    past: the earlier runs. now: the noise of this run. crowd: the people of this run, as
    fingerprints. limit: the largest allowed epsilon of a person in nats; None: no limit.
    """
    index = {mark: place for place, mark in enumerate(crowd.people)}
    runs = {now: np.ones(len(index), np.int64)}
    for entry in past:
        if entry.noise is None or not counts(entry):
            continue
        run_counts = runs.setdefault(entry.noise, np.zeros(len(index), np.int64))
        run_counts[[index[mark] for mark in entry.people if mark in index]] += 1
    epsilon_spent = np.zeros(len(index))
    for noise, times in runs.items():
        prices = np.array([price(noise, run_count) for run_count in range(int(times.max()) + 1)])
        epsilon_spent += prices[times]
    beyond = 0 if limit is None else int((epsilon_spent > limit + ROUNDING).sum())
    return Spending(float(epsilon_spent.max()), limit, beyond)


def refusal(spent: Spending | None) -> str | None:
    """Return the reason to refuse a run because people would exceed their epsilon limit; else None.

    spent: the epsilon of the people after the run; None: the run has no noise.
    """
    if spent is None or not spent.beyond:
        return None
    return (
        f"{spent.beyond:,} people would have spent more than {spent.limit:g} nats over all runs, "
        f"up to {spent.most:.4g}: ask other people, or keep noise from run to run (memoized)"
    )
