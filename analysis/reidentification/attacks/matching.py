"""Attackers that compare the symbols of sequences without their order; and an attacker's knowledge.

Two similarity scores of a released and a trained sequence:

    TF-IDF   cosine of the vectors tf(x) log(N / df(x)), tf the share of symbol x among a person's
             events, df the number of the N trained people with x (Frankowski et al., 2006)
    cosine   cosine of the numbers of events with each symbol (Narayanan and Shmatikov, 2008)

Three assumptions about the sequences that the attacker has (paper 003, Sections 3.1 and 5.1):

    maximum knowledge   the attacker trained on the very events that are released
    partial knowledge   on the older half, while the newer half is released
    prefix knowledge    on the first few events of each released sequence (used for ratings)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...validation import Floats
from .markov import product
from .sequences import Sequences, same_alphabet


def tfidf_scores(training: Sequences, released: Sequences) -> Floats:
    """Return the TF-IDF similarity of each released sequence to each trained sequence.

    Args:
        training: one sequence for each person the attacker knows.
        released: sequences over the same alphabet.

    Returns:
        Shape (released people, trained people), in [0, 1]. A similarity is 0 if every symbol that
        both sequences contain occurs in the sequences of all trained people.
    """
    same_alphabet(training, released)
    training_visits, released_visits = training.visits(), released.visits()
    frequency = np.bincount(training_visits.indices, minlength=training_visits.shape[1])
    weight = np.log(training.people / np.maximum(frequency, 1))
    return product(_directions(released_visits, weight), _directions(training_visits, weight))


def cosine_scores(training: Sequences, released: Sequences) -> Floats:
    """Return the cosine similarity of each released to each trained sequence, by numbers of events.

    A sequence is taken as the vector of its numbers of events with each symbol. Shape (released
    people, trained people), in [0, 1].

    Args:
        training: one sequence for each person the attacker knows.
        released: sequences over the same alphabet.
    """
    same_alphabet(training, released)
    weights = np.ones(training.symbols)
    return product(_directions(released.visits(), weights), _directions(training.visits(), weights))


def maximum_knowledge(traces: Sequences) -> tuple[Sequences, Sequences]:
    """Return (training, released) for an attacker that knows the very events that are released.

    Both are `traces`.

    Args:
        traces: one sequence of events for each person.
    """
    return traces, traces


def partial_knowledge(
    traces: Sequences, training_events: int | None = None
) -> tuple[Sequences, Sequences]:
    """Return (training, released): the older half of each person's events, and the newer half.

    Args:
        traces: one sequence for each person, of at least two events.
        training_events: number of events of each person in the training, the newest of the older
            half; all of the older half if not given.
    """
    older, newer = traces.halves()
    return (older if training_events is None else older.last(training_events)), newer


def prefix_knowledge(traces: Sequences, training_events: int) -> tuple[Sequences, Sequences]:
    """Return (training, released): the first few events of each person, and all of them.

    Args:
        traces: one sequence for each person.
        training_events: number of first events of each person in the training, >= 1.
    """
    return traces.first(training_events), traces


def _directions(counts: Any, weight: Floats) -> Any:
    """Return each person's weighted shares of the symbols, scaled to a vector of length 1.

    A vector of zeros stays 0.

    counts: numbers of events, a sparse array, people x symbols.
    weight: the weight of each symbol, shape (symbols,).
    """
    rows = counts.astype(np.float64)
    lengths = np.diff(rows.indptr)
    rows.data /= np.repeat(np.asarray(counts.sum(axis=1)).ravel(), lengths)
    rows.data *= weight[rows.indices]
    squared = np.bincount(
        np.repeat(np.arange(rows.shape[0]), lengths), rows.data**2, minlength=rows.shape[0]
    )
    norm = np.sqrt(squared)
    rows.data /= np.repeat(np.where(norm > 0, norm, 1.0), lengths)
    return rows
