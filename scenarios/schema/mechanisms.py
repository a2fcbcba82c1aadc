"""The noise mechanisms of [local] by name: statistics that each estimates, and its location.

A file is read by these names alone; no randomizer is loaded for a name. Mechanisms of other
installed packages are entry points of the group `veilmix.randomizers` (docs/extending.md):
functions of (number of values, epsilon). A new built-in mechanism is one line here, one file of
analysis/randomizers, and its name in the interface of that room.
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
        tasks: statistics that it estimates; the first is its purpose.
        bits: whether all features make one report together, a bit each.
        numbers: whether the values must be numbers; the randomizer is made from them.
        words: whether it is made from the values themselves, as texts.
        pairs: whether values are texts `key=number`.
        finds: whether it is for texts of an open domain, and finds texts that many people have.
        remembers: whether people keep noise from run to run; it is made with `local.forever`.
        split: whether a report is several messages, and private by the mix alone.
        sampled: whether standard errors of its numbers include the sampling of people, besides the
            noise.
        fit: the meaning of the column `projected` of the estimates.
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
    """Return every mechanism by its name, in the order of messages: built-in first."""
    places = homes("randomizers", {name: mechanism.place for name, mechanism in BUILT_IN.items()})
    return {name: BUILT_IN.get(name) or Mechanism(place) for name, place in places.items()}


def names() -> tuple[str, ...]:
    """Return the accepted values of `local.mechanism`."""
    return (NONE, *(name for name in mechanisms() if name != NONE))


def listed() -> str:
    """Return the names of the built-in mechanisms as a message lists them: "a, b or c"."""
    *leading, last = BUILT_IN
    return f"{', '.join(leading)} or {last}"
