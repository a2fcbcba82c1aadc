"""The weight of each column; a curator releases the set of columns of largest total weight."""

from collections.abc import Sequence

from ..schema.model import Policy


def column_weights(policy: Policy, features: Sequence[str]) -> tuple[float, ...]:
    """Return the weight of each feature in a policy, above 0.

    A feature weighs its value in `weights`, or 1. Features in `prefer` weigh a little more, the
    first one most. All these additions sum to 1/2: they decide between equally heavy sets of
    columns, and never outweigh a column of weight 1.
    """
    preferred = len(policy.prefer)
    extra = {
        name: (preferred - rank) / (preferred * (preferred + 1))
        for rank, name in enumerate(policy.prefer)
    }
    return tuple(policy.weights.get(name, 1.0) + extra.get(name, 0.0) for name in features)
