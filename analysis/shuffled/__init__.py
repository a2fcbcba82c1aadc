"""Privacy of shuffled reports: all of paper 001 for flipped bits, and bounds for any randomizer.

    shuffle, largest_local_epsilon         any randomizer: epsilon after shuffling, and its inverse
    compose_reports                        several features, or rounds, of one person
    count_pmf, log_count_pmf, count_cdf    the distribution of the number of reported 1-bits
    privacy_ratio, probability_ratio       paper 001's two ratios, over all outcomes
    quantile, grow, mean_and_variance      of the number of reported 1-bits: its quantile, its
                                           distribution with one more person, its moments
    law, expected_counts                   L bits: the distribution of all 2^L counts, exactly
    hockey_stick, probabilistic_delta      delta for an epsilon, in two definitions
    epsilon_for, q_for                     epsilon for a delta; q for a target (epsilon, delta)
    ratio_bound, local_epsilon             Propositions 6.1 and 5.1 of paper 001
    removed_delta, replaced_delta          releases of rows that at least k people sent, if
                                           each takes part with a given probability

Hockey-stick is (epsilon, delta)-differential privacy. Probabilistic is the paper's definition:
delta is the probability of outcomes with a likelihood ratio above e^epsilon. In names, a law is a
probability distribution. May import `randomizers` and the modules directly in `analysis`. Must
never know how a mix works: its effect here is that no report can be linked to its sender.
Neighbours differ in one person's value (replace one), and the number of people is public. An
epsilon or delta of 1-bit reports is a `Level`: a float that names its definition. For other
randomizers it lies in an `Enclosure`, between two bounds. Epsilons are in nats.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .amplification import Enclosure, report_delta
    from .bit_vectors import blanket_delta, enumerated_delta, equal_others_delta, local_delta
    from .composition import ComposedReports, compose_reports
    from .curves import Figure, coverage_figure, crowd_figure, privacy_ratio_figure
    from .epsilon import (
        epsilon_for,
        hockey_stick,
        local_epsilon,
        probabilistic_delta,
        q_for,
        total_variation,
    )
    from .exact_law import add_person, expected_counts, law, outcomes, transition_matrix
    from .level import Level
    from .ratios import (
        count_cdf,
        count_pmf,
        grow,
        log_count_pmf,
        log_privacy_ratio,
        mean_and_variance,
        privacy_ratio,
        probability_ratio,
        quantile,
        ratio_bound,
    )
    from .sampled_delta import SampledDelta
    from .sampled_rows import removed_delta, replaced_delta
    from .unknown_mechanism import ShuffledEpsilon, largest_local_epsilon, shuffle
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".amplification": ["Enclosure", "report_delta"],
            ".unknown_mechanism": ["ShuffledEpsilon", "largest_local_epsilon", "shuffle"],
            ".bit_vectors": [
                "blanket_delta",
                "enumerated_delta",
                "equal_others_delta",
                "local_delta",
            ],
            ".composition": ["ComposedReports", "compose_reports"],
            ".curves": ["Figure", "coverage_figure", "crowd_figure", "privacy_ratio_figure"],
            ".epsilon": [
                "epsilon_for",
                "hockey_stick",
                "local_epsilon",
                "probabilistic_delta",
                "q_for",
                "total_variation",
            ],
            ".exact_law": ["add_person", "expected_counts", "law", "outcomes", "transition_matrix"],
            ".level": ["Level"],
            ".ratios": [
                "count_cdf",
                "count_pmf",
                "grow",
                "log_count_pmf",
                "log_privacy_ratio",
                "mean_and_variance",
                "privacy_ratio",
                "probability_ratio",
                "quantile",
                "ratio_bound",
            ],
            ".sampled_delta": ["SampledDelta"],
            ".sampled_rows": ["removed_delta", "replaced_delta"],
        },
    )

__all__ = [
    "ComposedReports",
    "Enclosure",
    "Figure",
    "Level",
    "SampledDelta",
    "ShuffledEpsilon",
    "add_person",
    "blanket_delta",
    "compose_reports",
    "count_cdf",
    "count_pmf",
    "coverage_figure",
    "crowd_figure",
    "enumerated_delta",
    "epsilon_for",
    "equal_others_delta",
    "expected_counts",
    "grow",
    "hockey_stick",
    "largest_local_epsilon",
    "law",
    "local_delta",
    "local_epsilon",
    "log_count_pmf",
    "log_privacy_ratio",
    "mean_and_variance",
    "outcomes",
    "privacy_ratio",
    "privacy_ratio_figure",
    "probabilistic_delta",
    "probability_ratio",
    "q_for",
    "quantile",
    "ratio_bound",
    "removed_delta",
    "replaced_delta",
    "report_delta",
    "shuffle",
    "total_variation",
    "transition_matrix",
]
