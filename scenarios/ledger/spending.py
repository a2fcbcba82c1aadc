"""What people spend of their privacy over runs with noise: counted by the ledger, and limited.

    fresh noise     every run costs epsilon again: prices are added
    kept noise      T runs with the same rule about the same columns cost the exact epsilon of T
                    reports about one answer (`Memoized.epsilon_after`), at most `forever`

A person is the fingerprint of its row (people.py), so its answers are those it had before: whoever
changes an answer is another person here, and spends anew. A run counts as soon as a batch of it was
handed on; one that never ended, from its start.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from ...protocol.coarsening import rule_digest
from ...protocol.schema import Schema
from ..programs.randomized.questions import forever, rule
from ..schema.mechanisms import mechanisms
from ..schema.model import Scenario
from .account import Spending
from .entry import NEVER_ENDED, Entry
from .noise import Noise
from .people import Crowd

ROUNDING = 1e-9  # nats


def noise_of(scenario: Scenario, schema: Schema) -> Noise | None:
    """What a run of this scenario costs a person; None where people add no noise."""
    own, columns = mechanisms().get(scenario.local.mechanism), schema.names
    if own is None:
        return None
    many = max(1, len(columns))
    asked = [
        (feature.name, feature.values, [rule_digest(rule) for rule in feature.rules])
        for feature in schema.features
    ]
    return Noise(
        rule=rule(scenario, len(columns)),
        columns=tuple(columns),
        asked=blake2b(repr(asked).encode(), digest_size=16).hexdigest(),
        epsilon=(scenario.local.epsilon or 0.0) / many,
        forever=forever(scenario) / many if own.remembers else None,
        mechanism=scenario.local.mechanism,
    )


def price(noise: Noise, runs: int) -> float:
    """What so many runs with this noise cost a person, nats."""
    if noise.forever is None:
        return runs * noise.epsilon * max(1, len(noise.columns))
    from ..schema.plugs import load

    made = load(mechanisms()[noise.mechanism].place)
    each = made(2, noise.epsilon, forever=noise.forever).epsilon_after(runs)
    return float(each) * len(noise.columns)


def counts(entry: Entry) -> bool:
    """Whether a run has cost its people anything: something was handed on, or nobody knows."""
    return bool(entry.handed) or entry.burned == NEVER_ENDED


def spending(past: Sequence[Entry], now: Noise, crowd: Crowd, limit: float | None) -> Spending:
    """What each of these people will have spent when a run with this noise is over."""
    index = {mark: place for place, mark in enumerate(crowd.people)}
    runs = {now: np.ones(len(index), np.int64)}
    for entry in past:
        if entry.noise is None or not counts(entry):
            continue
        here = runs.setdefault(entry.noise, np.zeros(len(index), np.int64))
        here[[index[mark] for mark in entry.people if mark in index]] += 1
    spent = np.zeros(len(index))
    for noise, times in runs.items():
        prices = np.array([price(noise, many) for many in range(int(times.max()) + 1)])
        spent += prices[times]
    beyond = 0 if limit is None else int((spent > limit + ROUNDING).sum())
    return Spending(float(spent.max()), limit, beyond)


def refusal(spent: Spending | None) -> str | None:
    """Why a run is refused by what people have spent; None: it is not."""
    if spent is None or not spent.beyond:
        return None
    return (
        f"{spent.beyond:,} people would have spent more than {spent.limit:g} nats over all runs, "
        f"up to {spent.most:.4g}: ask other people, or keep noise from run to run (memoized)"
    )
