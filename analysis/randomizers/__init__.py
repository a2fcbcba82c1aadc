"""Local randomizers: each user randomizes its value before encryption (papers 001, 002, 003).

    GRR(a, epsilon)                one symbol, usually the true symbol
    UnaryEncoding(a, kappa, lam)   a set of symbols; also .rappor, .oue, .blh (a, epsilon)
    LocalHash(a, g, epsilon)       a hash of the symbol under the person's own key; also .olh
    SubsetSelection(a, d, epsilon) d of the symbols; also .best
    Hadamard(a, epsilon)           a column of a Hadamard matrix
    HadamardBlocks(a, b, epsilon)  a column of a Hadamard matrix for a block of symbols; also .best
    ProjectiveGeometry(a, q, t, e) a point of the symbol's plane in a projective space; also .best
    Duchi, Piecewise, Hybrid       (numbers, epsilon): reports with the number as mean
    Laplace                        discrete Laplace noise within the range, with the number as mean
    SquareWave(numbers, epsilon)   a number near the true number: distributions
    Memoized.from_epsilon(a, e, all) noise that people keep from report to report; also .rappor
    Bloom(words, epsilon)          a Bloom filter with flipped bits: words of a dictionary
    SplitMix(numbers, eps, people) shares of a number, protected by the mix alone
    Ranges(numbers, epsilon)       a node of a tree: ranges and quantiles
    PrefixTree(words, epsilon)     a hashed prefix of a text of an open domain: heavy hitters
    PckvGRR, PckvUE, PrivKV        (texts key=number, epsilon): people with a key, and the mean of
                                   their numbers
    BitFlip(bits, q)               a vector of bits, each flipped with probability q
    Channel(matrix)                any b x a matrix
    compose, product, mixture      randomizers made of randomizers
    SampledFeature(parts)          one feature of several, drawn by every person

Each has `.matrix` (b reports x a values, column x is the distribution of the report given x) and
`.operator`, `.epsilon` (local, nats; `.ldp("bits")`), `.sample(x, rng=)` for all people at once,
and `.estimate(reports)`, unbiased with standard errors. Properties that differ between families
(the text of a report, its capacity, its likelihood) are methods, so that callers need not know the
family. `projected` and `maximum_likelihood` turn estimates into probability distributions, only on
request because these are biased.

May import the top-level modules of `analysis`, and `estimation` for binomial limits. Must not know
the use of a report: attackers, mixes and tallies belong to other packages.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .bit_flip import BitFlip
    from .bloom import Bloom, FilterReports
    from .channel import Channel, as_randomizer
    from .composite import Composition, Mixture, Product, compose, mixture, product
    from .estimate import Estimate, project
    from .grr import GRR
    from .hadamard import Hadamard
    from .hadamard_blocks import HadamardBlocks
    from .key_value import KeyValue
    from .key_value_reports import PckvGRR, PckvUE, PrivKV
    from .laplace import Laplace
    from .local_hash import HashReports, LocalHash
    from .matrix_neighbours import matrix_divergences
    from .means import Duchi, Hybrid, Piecewise
    from .measure import Measure
    from .memoized import Memoized
    from .mixed_reports import MixedReports
    from .numeric import Numeric
    from .postprocessing import Consistent, maximum_likelihood, projected
    from .prefix_search import FoundValue, FoundValues, PrefixReports
    from .prefix_tree import PrefixTree
    from .projective import ProjectiveGeometry
    from .pure import Pure
    from .randomizer import Randomizer
    from .ranges import NodeReports, Ranges
    from .sampled_feature import SampledFeature
    from .split_mix import SplitMix
    from .square_wave import SquareWave
    from .subset_selection import SubsetSelection
    from .unary import UnaryEncoding
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".bit_flip": ["BitFlip"],
            ".bloom": ["Bloom", "FilterReports"],
            ".channel": ["Channel", "as_randomizer"],
            ".composite": [
                "Composition",
                "Mixture",
                "Product",
                "compose",
                "mixture",
                "product",
            ],
            ".estimate": ["Estimate", "project"],
            ".grr": ["GRR"],
            ".hadamard": ["Hadamard"],
            ".hadamard_blocks": ["HadamardBlocks"],
            ".key_value": ["KeyValue"],
            ".key_value_reports": ["PckvGRR", "PckvUE", "PrivKV"],
            ".laplace": ["Laplace"],
            ".local_hash": ["HashReports", "LocalHash"],
            ".matrix_neighbours": ["matrix_divergences"],
            ".means": ["Duchi", "Hybrid", "Piecewise"],
            ".measure": ["Measure"],
            ".memoized": ["Memoized"],
            ".mixed_reports": ["MixedReports"],
            ".numeric": ["Numeric"],
            ".postprocessing": ["Consistent", "maximum_likelihood", "projected"],
            ".prefix_search": ["FoundValue", "FoundValues", "PrefixReports"],
            ".prefix_tree": ["PrefixTree"],
            ".projective": ["ProjectiveGeometry"],
            ".pure": ["Pure"],
            ".randomizer": ["Randomizer"],
            ".ranges": ["NodeReports", "Ranges"],
            ".sampled_feature": ["SampledFeature"],
            ".split_mix": ["SplitMix"],
            ".square_wave": ["SquareWave"],
            ".subset_selection": ["SubsetSelection"],
            ".unary": ["UnaryEncoding"],
        },
    )

__all__ = [
    "GRR",
    "BitFlip",
    "Bloom",
    "Channel",
    "Composition",
    "Consistent",
    "Duchi",
    "Estimate",
    "FilterReports",
    "FoundValue",
    "FoundValues",
    "Hadamard",
    "HadamardBlocks",
    "HashReports",
    "Hybrid",
    "KeyValue",
    "Laplace",
    "LocalHash",
    "Measure",
    "Memoized",
    "MixedReports",
    "Mixture",
    "NodeReports",
    "Numeric",
    "PckvGRR",
    "PckvUE",
    "Piecewise",
    "PrefixReports",
    "PrefixTree",
    "PrivKV",
    "Product",
    "ProjectiveGeometry",
    "Pure",
    "Randomizer",
    "Ranges",
    "SampledFeature",
    "SplitMix",
    "SquareWave",
    "SubsetSelection",
    "UnaryEncoding",
    "as_randomizer",
    "compose",
    "matrix_divergences",
    "maximum_likelihood",
    "mixture",
    "product",
    "project",
    "projected",
]
