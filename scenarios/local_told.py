"""What the reports of a run tell about one person, and what is known of their privacy.

    information    I(value; report) of one person whose report is pinned on it, in bits. A value is
                   as likely as it is frequent among the people who took part; all features together
                   where a person has several reports.

With one question and a small matrix Q it is the sum over reports; else the mean of
log2 P(report | row) / P(report) over rows and reports drawn at random from a fixed seed, with its
standard error. Of unary encodings and local hashing only supports matter: up to a factor that is
the same for all rows, P(report | row) is e^eps where the report supports the row's value, else 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from ..analysis.randomizers import BitFlip
from .local import Question

SMALL = 1 << 20  # entries of a matrix that is summed over
ROWS = 1 << 16  # different rows; with more the information is left out
DRAWS = 4096
TABLE = 1 << 22  # likelihoods held together
SUPPORTS = 1 << 24
SEED = 0x746F6C64


@dataclass(frozen=True, slots=True)
class Told:
    """What is known.

    information: bits that a person's reports carry about its values; None where it was left out.
    information_error: its standard error, 0 where it is exact.
    """

    information: float | None
    information_error: float


def read_privacy(questions: Sequence[Question], codes: Any) -> Told:
    """Work out what is known. codes: of those who took part."""
    return Told(*information(questions, codes))


def information(questions: Sequence[Question], codes: Any) -> tuple[float | None, float]:
    """Bits that the reports of one person carry about its row, with the standard error."""
    if not len(codes):
        return None, 0.0
    rows, people = np.unique(codes, axis=0, return_counts=True)
    weights = people / people.sum()
    if len(questions) == 1 and not isinstance(questions[0].randomizer, BitFlip):
        one = questions[0].randomizer
        if one.outputs * one.inputs <= SMALL:
            return _summed(one.matrix[:, rows[:, 0]], weights), 0.0
    if len(rows) > ROWS:
        return None, 0.0
    return _drawn(questions, rows, weights)


def _summed(law: Any, weights: Any) -> float:
    """I(X; Y) of inputs with these weights. law: column x is the law of the report given x."""
    mean = law @ weights
    seen = mean > 0
    ratio = law[seen] / mean[seen, None]
    told = law[seen] * np.log2(np.where(ratio > 0, ratio, 1.0))
    return max(0.0, float(told.sum(axis=0) @ weights))


def _drawn(questions: Sequence[Question], rows: Any, weights: Any) -> tuple[float, float]:
    rng = np.random.default_rng(SEED)
    widest = max(one.randomizer.inputs if not _bits(one) else 1 for one in questions)
    draws = max(64, min(DRAWS, TABLE // len(rows), SUPPORTS // widest))
    own = rng.choice(len(rows), draws, p=weights)
    likely = np.zeros((draws, len(rows)))
    for question in questions:
        likely += _log_likelihood(question, rows[:, list(question.columns)], own, rng)
    most = likely.max(axis=1, keepdims=True)
    mean = np.log(np.exp(likely - most) @ weights) + most[:, 0]
    told = (likely[np.arange(draws), own] - mean) / log(2)
    return max(0.0, float(told.mean())), float(told.std(ddof=1)) / sqrt(draws)


def _log_likelihood(question: Question, rows: Any, own: Any, rng: Any) -> Any:
    """Log of P(report | row) for a report drawn for each of `own`, up to a term of the report."""
    one = question.randomizer
    if _bits(question):
        bits = rows.astype(np.uint8)
        said = one.sample(bits[own], rng).astype(np.float32)
        same = said @ bits.T.astype(np.float32) + (1 - said) @ (1 - bits).T.astype(np.float32)
        return same.astype(np.float64) * (one.epsilon / one.bits)
    supports = one.supports(one.sample(rows[own, 0], rng))
    return supports[:, rows[:, 0]] * one.epsilon


def _bits(question: Question) -> bool:
    return isinstance(question.randomizer, BitFlip)
