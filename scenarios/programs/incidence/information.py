"""The leakage of one owner's reports about the identity of its set, by sampling."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from ....analysis.exposure.cells import distinct
from ...populations.sets import unpack_text
from ..noisy_questions import Question

DRAWS = 4096
TABLE = 1 << 21  # likelihoods held together
SUPPORTS = 1 << 19  # symbols or positions of all reports that are drawn
SEED = 0x666F756E


def compose_vectors(questions: Sequence[Question], codes: Any) -> tuple[float, float]:
    """Return bits that all pieces of an owner leak about the identity of its set, and their error.

    The error is a standard error of the sample, in bits.
    """
    rows, row_counts = distinct(codes)
    if len(rows) < 2:
        return 0.0, 0.0
    rng, weights = np.random.default_rng(SEED), row_counts / row_counts.sum()
    draws = draws_of(max(question.randomizer.bits for question in questions), len(rows))
    true_rows = rng.choice(len(rows), draws, p=weights)
    likely = np.zeros((draws, len(rows)))
    for question in questions:
        likely += question.randomizer.log_likelihood(
            bits_of(question)[rows[:, question.columns[0]]], true_rows, rng
        )
    likely = np.exp(likely - likely.max(axis=1, keepdims=True))
    leakage = np.log2(likely[np.arange(draws), true_rows] / (likely @ weights))
    return max(0.0, float(leakage.mean())), float(leakage.std(ddof=1)) / sqrt(draws)


def bits_of(question: Question) -> Any:
    """Return the bits behind the texts of a piece."""
    return unpack_text(question.domain, question.randomizer.bits)


def draws_of(width: int, rows: int) -> int:
    """Return the number of reports to sample, by the number of positions and of candidate rows."""
    return max(64, min(DRAWS, TABLE // rows, SUPPORTS // width))
