"""The leakage of an owner's reports about the identity of its set, estimated by sampling."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from ....analysis.exposure.cells import distinct
from ...populations.sets import unpack_text
from ..noisy_questions import Question

DRAWS = 4096
TABLE = 1 << 21  # likelihoods in memory at a time
SUPPORTS = 1 << 19  # positions of all drawn reports in memory at a time
SEED = 0x666F756E


def compose_vectors(questions: Sequence[Question], codes: Any) -> tuple[float, float]:
    """Return the bits that an owner's reports leak about its set, and their standard error.

    The reports are all pieces of its vector, linked to each other. codes: the places of each
    owner's pieces among the texts of its questions, shape (owners, pieces).
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
    """Return the bits of each possible text of a piece, an array of 0 and 1."""
    return unpack_text(question.domain, question.randomizer.bits)


def draws_of(width: int, rows: int) -> int:
    """Return the number of reports to sample, so that tables of likelihoods fit into memory.

    width: positions of a report. rows: candidate rows.
    """
    return max(64, min(DRAWS, TABLE // rows, SUPPORTS // width))
