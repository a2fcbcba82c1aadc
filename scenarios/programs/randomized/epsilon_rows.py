"""The epsilons after shuffling as rows: each with its delta and its adjacency."""

from collections.abc import Iterator

from ..findings import StatedEpsilon
from .privacy import PrivacyLoss


def shuffled_epsilons(privacy: PrivacyLoss) -> Iterator[StatedEpsilon]:
    """Yield the epsilons after shuffling, in both readings."""
    every = [*privacy.shuffled, *([privacy.together] if privacy.together else [])]
    for shuffled in every:
        view = f"shuffled: {shuffled.feature or 'all features together'}"
        at, relied_on = (shuffled.delta, shuffled.adjacency), shuffled.relied_on
        ends = shuffled.hockey_stick, shuffled.hockey_stick_at_least
        yield StatedEpsilon(view, *ends, *at, relied_on=relied_on)
        if shuffled.probabilistic is not None:
            ends = shuffled.probabilistic, shuffled.probabilistic_at_least or 0.0
            yield StatedEpsilon(view, *ends, *at, "probabilistic", relied_on)
