"""The noise mechanisms of [local] by name, with their statistics and the locations of their code.

Reading a scenario needs only these names and loads no code of a mechanism. Other installed packages
declare mechanisms as entry points of the group `veilmix.randomizers` (docs/extending.md). Such an
entry point is a function of the number of values and epsilon. A new built-in mechanism needs a line
here, a file in analysis/randomizers, and its name in `analysis/randomizers/__init__.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from .plugs import homes

HOME = "veilmix.analysis.randomizers"
NONE = "none"
Task = Literal[
    "shares", "mean", "distribution", "ranges", "key-values", "heavy-hitters", "longitudinal"
]


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A noise mechanism, a value of `local.mechanism`, with facts that the checks of a file need.

    Attributes:
        place: `module:callable` that makes the randomizer of a feature.
        tasks: the statistics that the mechanism estimates, its main statistic first.
        bits: whether all features make a report together, with a bit for each feature.
        numbers: whether the values must be numbers; the randomizer is made from them.
        words: whether the randomizer is made from the values themselves, as texts.
        pairs: whether values are texts `key=number`.
        finds: whether the mechanism finds frequent texts in an open domain.
        remembers: whether people keep noise from run to run; the randomizer is then made with
            `local.forever`.
        split: whether a report is split into several messages that only the mix makes private.
        sampled: whether standard errors of its estimates include the sampling of people, besides
            the noise.
        fit: the meaning of the column `projected` in a table of estimates.
    """

    place: str
    tasks: tuple[Task, ...] = ("shares",)
    bits: bool = False
    numbers: bool = False
    words: bool = False
    pairs: bool = False
    finds: bool = False
    remembers: bool = False
    split: bool = False
    sampled: bool = False
    fit: str = "the nearest distribution"


BUILT_IN = {
    "grr": Mechanism(f"{HOME}:GRR"),
    "rappor": Mechanism(f"{HOME}:UnaryEncoding.rappor", ("shares", "ranges")),
    "oue": Mechanism(f"{HOME}:UnaryEncoding.oue", ("shares", "ranges")),
    "blh": Mechanism(f"{HOME}:UnaryEncoding.blh"),
    "local-hash": Mechanism(f"{HOME}:LocalHash.olh"),
    "subset": Mechanism(f"{HOME}:SubsetSelection.best"),
    "hadamard": Mechanism(f"{HOME}:Hadamard"),
    "hadamard-blocks": Mechanism(f"{HOME}:HadamardBlocks.best"),
    "projective": Mechanism(f"{HOME}:ProjectiveGeometry.best"),
    "bloom": Mechanism(f"{HOME}:Bloom", words=True),
    "duchi": Mechanism(f"{HOME}:Duchi", ("mean",), numbers=True, sampled=True),
    "piecewise": Mechanism(f"{HOME}:Piecewise", ("mean",), numbers=True, sampled=True),
    "laplace": Mechanism(f"{HOME}:Laplace", ("mean",), numbers=True, sampled=True),
    "hybrid": Mechanism(f"{HOME}:Hybrid", ("mean",), numbers=True, sampled=True),
    "square-wave": Mechanism(
        f"{HOME}:SquareWave",
        ("distribution", "mean"),
        numbers=True,
        sampled=True,
        fit="the likeliest distribution (EM)",
    ),
    "ranges": Mechanism(f"{HOME}:Ranges", ("ranges", "shares"), numbers=True),
    "pckv-grr": Mechanism(f"{HOME}:PckvGRR", ("key-values",), words=True, pairs=True, sampled=True),
    "pckv-ue": Mechanism(f"{HOME}:PckvUE", ("key-values",), words=True, pairs=True, sampled=True),
    "privkv": Mechanism(f"{HOME}:PrivKV", ("key-values",), words=True, pairs=True, sampled=True),
    "split-mix": Mechanism(f"{HOME}:SplitMix", ("mean",), numbers=True, split=True),
    "prefix-hash": Mechanism(f"{HOME}:PrefixTree", ("heavy-hitters",), words=True, finds=True),
    "prefix-bit": Mechanism(
        f"{HOME}:PrefixTree.binary", ("heavy-hitters",), words=True, finds=True
    ),
    "memoized": Mechanism(f"{HOME}:Memoized.from_epsilon", ("longitudinal",), remembers=True),
    "memoized-rappor": Mechanism(f"{HOME}:Memoized.rappor", ("longitudinal",), remembers=True),
    "bit-flip": Mechanism(f"{HOME}:BitFlip", bits=True),
}


@cache
def mechanisms() -> Mapping[str, Mechanism]:
    """Return every mechanism by its name, built-in mechanisms first, as messages list them."""
    places = homes("randomizers", {name: mechanism.place for name, mechanism in BUILT_IN.items()})
    return {name: BUILT_IN.get(name) or Mechanism(place) for name, place in places.items()}


def names() -> tuple[str, ...]:
    """Return the accepted values of `local.mechanism`."""
    return (NONE, *(name for name in mechanisms() if name != NONE))


def listed() -> str:
    """Return the names of the built-in mechanisms as a message lists them: "a, b or c"."""
    *leading, last = BUILT_IN
    return f"{', '.join(leading)} or {last}"
