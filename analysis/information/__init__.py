"""Information metrics of paper 002: privacy and utility of a randomizer, and posteriors.

A randomizer Q turns a person's value x into a report y; P is the unknown distribution of the
values, with a Dirichlet prior. The folder contains average and worst-case privacy, utility for
finitely and for infinitely many people, and the posterior of P given the tallies (counts of each
report). Logarithms are natural unless `unit="bits"`. `prior` is a Dirichlet parameter vector
(Jeffreys: all 1/2). A randomizer is a matrix b x a (reports x values), or a member of
`randomizers`.

May import `randomizers`, `estimation` and the plain modules of `analysis`, such as `validation`.
Must never know how reports reached the analyst: it takes their tallies as given. SciPy's optimizers
and distributions are imported only in the functions that use them.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred
from ...deprecated import find_old

if TYPE_CHECKING:
    from ..randomizers.two_level import TwoLevel
    from .asymptotic import (
        UtilityReading,
        asymptote,
        asymptotic_utility,
        participation_factor,
        read_utility,
        utility_ceiling,
    )
    from .average import (
        PrivacyReading,
        average_privacy,
        input_entropy,
        read_privacy,
        report_entropy,
    )
    from .channel_matrix import jeffreys
    from .dirichlet import differential_entropy
    from .finite import FiniteInformation, finite_information
    from .identifiability import Structure, structure
    from .posterior_exact_law import ExactPosterior
    from .posterior_law import Posterior, SampledPosterior, posterior, posterior_of_rows
    from .row_classes import all_hashes
    from .tradeoff import (
        Budget,
        TradeoffBound,
        informative_below,
        mixture_privacy,
        privacy_budget,
        tradeoff_bound,
    )
    from .worst_case import WorstReport, hidden_share, ldp, worst_case_privacy, worst_report
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            "..randomizers.two_level": ["TwoLevel"],
            ".asymptotic": [
                "UtilityReading",
                "asymptote",
                "asymptotic_utility",
                "participation_factor",
                "read_utility",
                "utility_ceiling",
            ],
            ".average": [
                "PrivacyReading",
                "average_privacy",
                "input_entropy",
                "read_privacy",
                "report_entropy",
            ],
            ".channel_matrix": ["jeffreys"],
            ".dirichlet": ["differential_entropy"],
            ".finite": ["FiniteInformation", "finite_information"],
            ".identifiability": ["Structure", "structure"],
            ".posterior_exact_law": ["ExactPosterior"],
            ".posterior_law": ["Posterior", "SampledPosterior", "posterior", "posterior_of_rows"],
            ".row_classes": ["all_hashes"],
            ".tradeoff": [
                "Budget",
                "TradeoffBound",
                "informative_below",
                "mixture_privacy",
                "privacy_budget",
                "tradeoff_bound",
            ],
            ".worst_case": [
                "WorstReport",
                "hidden_share",
                "ldp",
                "worst_case_privacy",
                "worst_report",
            ],
        },
    )
    __getattr__ = find_old(__name__, __getattr__, WorstCase="WorstReport")

__all__ = [
    "Budget",
    "ExactPosterior",
    "FiniteInformation",
    "Posterior",
    "PrivacyReading",
    "SampledPosterior",
    "Structure",
    "TradeoffBound",
    "TwoLevel",
    "UtilityReading",
    "WorstReport",
    "all_hashes",
    "asymptote",
    "asymptotic_utility",
    "average_privacy",
    "differential_entropy",
    "finite_information",
    "hidden_share",
    "informative_below",
    "input_entropy",
    "jeffreys",
    "ldp",
    "mixture_privacy",
    "participation_factor",
    "posterior",
    "posterior_of_rows",
    "privacy_budget",
    "read_privacy",
    "read_utility",
    "report_entropy",
    "structure",
    "tradeoff_bound",
    "utility_ceiling",
    "worst_case_privacy",
    "worst_report",
]
