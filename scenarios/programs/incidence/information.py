"""The leakage of an owner's reports: bits about which set the owner has, estimated by sampling.

A report is a piece of the bit vector of the owner's set, with bits flipped at random.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from ....analysis.exposure.cells import distinct
from ...populations.sets import unpack_text
from ..noisy_questions import Question

DRAWS = 4096
TABLE = 1 << 21  # most likelihoods of sampled reports in memory at a time
SUPPORTS = 1 << 19  # most bits of sampled reports in memory at a time
SEED = 0x666F756E


def compose_vectors(questions: Sequence[Question], codes: Any) -> tuple[float, float]:
    """Return the bits that an owner's reports leak about its set, and their standard error.

    An owner's reports are the noisy pieces of its bit vector, linked to each other. questions: one
    for each piece. codes: for each owner and piece, the index of the true piece in the question's
    texts, shape (owners, pieces).
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
    """Return the bits of each possible answer to a question about a piece of a bit vector.

    The result is an array of 0 and 1, shape (answers, bits of the piece).
    """
    return unpack_text(question.domain, question.randomizer.bits)


def draws_of(width: int, rows: int) -> int:
    """Return the number of reports to sample, so that tables of likelihoods fit into memory.

    width: bits of the longest report. rows: number of different sets among the owners.
    """
    return max(64, min(DRAWS, TABLE // rows, SUPPORTS // width))
