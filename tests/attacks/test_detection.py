"""How likely it is that somebody looks: measured over runs of the real protocol."""

from math import comb

import attack_kit as KIT
import pytest
from sample_kit import sampled
from scipy.stats import binomtest

USERS, SHARE = 60, 0.05


def seen(lost: int, lookers: int) -> float:
    """The probability that one of those replaced is one of those who look."""
    return 1 - comb(USERS - lookers, lost) / comb(USERS, lost)


@pytest.mark.slow
@pytest.mark.parametrize(("lost", "expected"), sampled([(1, 0.05), (19, 0.68), (38, 0.95)], 1))
def test_the_share_of_runs_with_an_alarm(lost: int, expected: float) -> None:
    """The catalogue's 1, 63 and 95 %, for a crowd of 60 of whom 3 look before it is opened."""
    assert seen(lost, 3) == pytest.approx(expected, abs=0.01)
    changed = {"attack": "substitute", "by": "shuffler-1", "users": lost, "round": 1}
    alarmed, runs = 0, 40
    for seed in range(runs):
        outcome = KIT.attack(
            changed,
            seed=seed,
            source="bits",
            users=USERS,
            defence__receipts=SHARE,
            defence__registered=True,
            feature=[{"name": "x"}],
            defence__min_dropout=1,
        )
        seen_here = any(alarm.round == 1 for alarm in outcome.alarms)
        assert KIT.totals(outcome) == ([] if seen_here else [USERS])
        alarmed += seen_here
    interval = binomtest(alarmed, runs).proportion_ci(0.999)
    assert interval.low <= seen(lost, 3) <= interval.high
