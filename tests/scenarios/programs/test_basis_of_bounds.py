"""`veilmix check` says on what epsilon after shuffling will rest, before a run prints it."""

from types import SimpleNamespace

import pytest
from veilmix.analysis.randomizers import GRR, Randomizer
from veilmix.presentation.presenters import mechanism_advice
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.registry import samples


class Unheard(GRR):
    """A randomizer of another package that says nothing of two values."""

    neighbours = Randomizer.neighbours


@pytest.mark.parametrize(
    ("randomizer", "basis"),
    [
        (Unheard(4, 1.0), "certified from the least entries of its 4 x 4 matrix"),
        (Unheard(300, 1.0), "certified from its local epsilon, 1 nats, alone: an upper bound"),
        (GRR(4, 1.0), ""),
    ],
)
def test_the_basis_of_a_bound_is_said_before_a_run(
    randomizer: GRR, basis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = load("randomized-class")
    question = SimpleNamespace(name="answer", randomizer=randomizer)
    monkeypatch.setattr(mechanism_advice, "questions", lambda *_: [question])
    monkeypatch.setattr(mechanism_advice, "ranking", lambda *_: ())
    said = list(mechanism_advice.advice(scenario, samples(scenario, 1).people))
    assert [basis in line for line in said] == [True] * bool(basis)
