"""Re-identification (paper 003): the information in a report about its sender, and attacks.

    pie, bayes_error, fano_bound, budget_for      information, and the least error of any attacker
    pie_bound, capacity, contraction, smallest_error bounds that hold for all people of a randomizer
    grr_loss, hash_loss, optimal_g, large_domain  the remaining utility for the analyst
    MarkovAttack, tfidf_scores, cosine_scores     attackers that use sequences of events
    system_entropy, divergence_bound, det_curve   the success of attackers
    find_people                                   an attack on a release by side information

PIE (personal information entropy) is the mutual information of a report and its sender. The package
may import `randomizers`, `exposure` and `estimation`, and the modules beside these in `analysis`,
such as `validation.py`. It must never know the protocol: the readers of a report are decided
elsewhere. Information is in bits unless `unit` says otherwise.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred
from ...deprecated import find_old

if TYPE_CHECKING:
    from ..randomizers.estimation_loss import (
        epsilon_at,
        grr_loss,
        hash_loss,
        hash_loss_at,
        optimal_g,
    )
    from ..randomizers.large_domain import LargeDomain, large_domain, significant_support
    from ..randomizers.symmetric_capacity import random_functions
    from .attacks.divergence_bound import Divergence, divergence_bound
    from .attacks.error_tradeoff import (
        Det,
        best_score,
        det_curve,
        genuine_impostor,
        people_within,
        top_people,
    )
    from .attacks.markov import MarkovAttack, ReportAttack
    from .attacks.matching import (
        cosine_scores,
        maximum_knowledge,
        partial_knowledge,
        prefix_knowledge,
        tfidf_scores,
    )
    from .attacks.score_divergence import score_divergence
    from .attacks.sequences import Sequences
    from .attacks.side_information import Identified, find_in, find_people, people_found
    from .attacks.synthetic_traces import markov_traces, rating_histories, zipf_shares
    from .attacks.system_entropy import SystemEntropy, finite_information, system_entropy
    from .channel_capacity import capacity, smallest_error
    from .contraction_coefficient import contraction, loss_parameter
    from .fano import budget_for, fano_bound, pseudonymization, tight_fano, uniform_prior_error
    from .hashed_pie import HashedRisk, hashed_risk
    from .joint_law import Joint
    from .personal_information import PieStream, bayes_error, pie, prior_error, processing_bound
    from .pie_bounds import PieBound, epsilon_for_error, pie_bound
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            "..randomizers.estimation_loss": [
                "epsilon_at",
                "grr_loss",
                "hash_loss",
                "hash_loss_at",
                "optimal_g",
            ],
            "..randomizers.large_domain": ["LargeDomain", "large_domain", "significant_support"],
            "..randomizers.symmetric_capacity": ["random_functions"],
            ".attacks.divergence_bound": ["Divergence", "divergence_bound"],
            ".attacks.error_tradeoff": [
                "Det",
                "best_score",
                "det_curve",
                "genuine_impostor",
                "people_within",
                "top_people",
            ],
            ".attacks.markov": ["MarkovAttack", "ReportAttack"],
            ".attacks.matching": [
                "cosine_scores",
                "maximum_knowledge",
                "partial_knowledge",
                "prefix_knowledge",
                "tfidf_scores",
            ],
            ".attacks.score_divergence": ["score_divergence"],
            ".attacks.sequences": ["Sequences"],
            ".attacks.side_information": ["Identified", "find_in", "find_people", "people_found"],
            ".attacks.synthetic_traces": ["markov_traces", "rating_histories", "zipf_shares"],
            ".attacks.system_entropy": ["SystemEntropy", "finite_information", "system_entropy"],
            ".channel_capacity": ["capacity", "smallest_error"],
            ".contraction_coefficient": ["contraction", "loss_parameter"],
            ".fano": [
                "budget_for",
                "fano_bound",
                "pseudonymization",
                "tight_fano",
                "uniform_prior_error",
            ],
            ".hashed_pie": ["HashedRisk", "hashed_risk"],
            ".joint_law": ["Joint"],
            ".personal_information": [
                "PieStream",
                "bayes_error",
                "pie",
                "prior_error",
                "processing_bound",
            ],
            ".pie_bounds": ["PieBound", "epsilon_for_error", "pie_bound"],
        },
    )
    __getattr__ = find_old(__name__, __getattr__, least_error="smallest_error")

__all__ = [
    "Det",
    "Divergence",
    "HashedRisk",
    "Identified",
    "Joint",
    "LargeDomain",
    "MarkovAttack",
    "PieBound",
    "PieStream",
    "ReportAttack",
    "Sequences",
    "SystemEntropy",
    "bayes_error",
    "best_score",
    "budget_for",
    "capacity",
    "contraction",
    "cosine_scores",
    "det_curve",
    "divergence_bound",
    "epsilon_at",
    "epsilon_for_error",
    "fano_bound",
    "find_in",
    "find_people",
    "finite_information",
    "genuine_impostor",
    "grr_loss",
    "hash_loss",
    "hash_loss_at",
    "hashed_risk",
    "large_domain",
    "loss_parameter",
    "markov_traces",
    "maximum_knowledge",
    "optimal_g",
    "partial_knowledge",
    "people_found",
    "people_within",
    "pie",
    "pie_bound",
    "prefix_knowledge",
    "prior_error",
    "processing_bound",
    "pseudonymization",
    "random_functions",
    "rating_histories",
    "score_divergence",
    "significant_support",
    "smallest_error",
    "system_entropy",
    "tfidf_scores",
    "tight_fano",
    "top_people",
    "uniform_prior_error",
    "zipf_shares",
]
