"""The weight of each column; a curator releases the set of columns of largest total weight."""

from collections.abc import Sequence

from ..schema.model import Policy


def column_weights(policy: Policy, features: Sequence[str]) -> tuple[float, ...]:
    """Return the weight of each feature in a policy, above 0.

    A feature weighs 1 or its value in `weights`. A preferred feature weighs a little more, the
    first named most; all of it together is 1/2, so that with equal weights preference decides
    between sets of equally many columns and never costs a column.
    """
    preferred = len(policy.prefer)
    extra = {
        name: (preferred - rank) / (preferred * (preferred + 1))
        for rank, name in enumerate(policy.prefer)
    }
    return tuple(policy.weights.get(name, 1.0) + extra.get(name, 0.0) for name in features)
