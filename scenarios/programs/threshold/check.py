"""The requests of a scenario that the release program `threshold` cannot meet."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....crypto.verifiable_sharing import MOST_SHARES
from ...schema.model import Policy
from ...schema.problems import Path, Problem, problem, quoted

if TYPE_CHECKING:
    from ...schema.model import Scenario

# nats: epsilon at which the delta of a sampled release is computed, without policy.epsilon
EPSILON = 1.0
UNREAD: tuple[tuple[str, str], ...] = (
    ("tokens", "people request a secret for their row from the party `randomness` instead"),
    ("challenge", "its ballots open in groups of k people, which this guard does not support"),
    ("receipts", "its ballots open in groups of k people, which this guard does not support"),
    ("audit", "its ballots open in groups of k people, which this guard does not support"),
    ("recompute", "no decision depends on counts"),
)
LESSONS = ("bind", "dedupe", "unbundle", "fresh_salt", "fresh_key")


def problems(scenario: "Scenario") -> Iterator[Problem]:
    """Yield a problem for each key that the release program `threshold` cannot accept."""
    policy, mix, defence = scenario.policy, scenario.mix, scenario.defence
    policy_setting = f"kind = {quoted(policy.kind)}"
    wrong: list[tuple[Path, bool, str]] = [
        (("policy", "k"), policy.k > MOST_SHARES, f"{policy_setting} takes k up to {MOST_SHARES}"),
        (
            ("population", "setting"),
            scenario.population.setting != "fixed",
            f"{policy_setting} has one round; leave setting out",
        ),
        (
            ("policy", "rule"),
            policy.rule != Policy().rule,
            f"{policy_setting} has no rule; leave it out",
        ),
        (
            ("policy", "publish_marginals"),
            policy.publish_marginals,
            f"{policy_setting} counts nothing before the release; leave it out",
        ),
        (
            ("mix", "pad"),
            not mix.pad,
            f"{policy_setting} pads all ballots to one size; leave pad out",
        ),
        (("mix", "salt"), not mix.salt, f"{policy_setting} always salts ballots; leave salt out"),
        *(
            (("defence", key), getattr(defence, key), f"{policy_setting} does not take it: {why}")
            for key, why in UNREAD
        ),
        *(
            (
                ("defence", key),
                not getattr(defence, key),
                f"{policy_setting} needs this guard; leave it out",
            )
            for key in LESSONS
        ),
    ]
    yield from (problem(path, message) for path, is_conflict, message in wrong if is_conflict)
    yield from _check_sampling(policy)


def _check_sampling(policy: Policy) -> Iterator[Problem]:
    """Yield a problem for a sampling rate or an epsilon without a proved delta.

    `sample` is the probability with which a person takes part; it gives the release an epsilon.
    """
    if policy.sample is None:
        if policy.epsilon is not None:
            message = "only a sampled release has an epsilon; say sample too, or leave it out"
            yield problem(("policy", "epsilon"), message)
        return
    if policy.prefixes:
        message = (
            "with both sample and prefixes, the number of people released with the same first "
            "values can show whether one person took part, so no epsilon holds; leave prefixes or "
            "sample out"
        )
        yield problem(("policy", "prefixes"), message)
    if policy.k < 2:
        yield problem(
            ("policy", "k"),
            "found 1; sample takes k >= 2, as a single participant's row would open",
        )
    from ....analysis.shuffled.sampled_rows import smallest_epsilon

    min_epsilon = smallest_epsilon(policy.sample, replaced=True)
    if (policy.epsilon or EPSILON) < min_epsilon:
        key = "epsilon" if policy.epsilon else "sample"
        message = (
            f"a person who takes part with {policy.sample:g} has an epsilon of {min_epsilon:.4g} "
            "at "
            f"least; {policy.epsilon or EPSILON:g} is asked for"
        )
        yield problem(("policy", key), message)
