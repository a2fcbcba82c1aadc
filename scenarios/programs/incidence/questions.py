"""The questions to owners: a question per piece of their vectors, each bit flipped at random."""

from dataclasses import replace
from itertools import pairwise
from math import exp

from ....analysis.randomizers import BitFlip
from ...populations import Population
from ...populations.sets import piece_ends, piece_names, positions_of
from ..noisy_questions import Question


def noise(epsilon: float, positions: int) -> tuple[Question, ...]:
    """Return a question for each piece. epsilon: of one position, nats."""
    q = 1 / (1 + exp(epsilon))
    named = zip(piece_names(positions), pairwise(piece_ends(positions)), strict=True)
    return tuple(
        Question(name, (column,), ((),), BitFlip(last - first, q), packed=True)
        for column, (name, (first, last)) in enumerate(named)
    )


def pieces(epsilon: float, people: Population) -> tuple[Question, ...]:
    """Return the questions to these owners."""
    questions = noise(epsilon, positions_of(people))
    return tuple(
        replace(question, values=(texts,))
        for question, texts in zip(questions, people.values, strict=True)
    )
