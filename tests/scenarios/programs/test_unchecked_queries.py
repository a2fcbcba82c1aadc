"""Where counts are secret and the curator queries again, this is said: nobody can check it."""

import pytest
from veilmix.cli import main
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.programs.registry import UNCHECKED_QUERIES, unchecked_queries

SAID = "the curator can query all columns together"


def test_it_is_said_of_secret_counts_of_a_program_that_queries_again() -> None:
    secret = load("hierarchical-class")
    assert unchecked_queries(secret) == (UNCHECKED_QUERIES,)
    assert unchecked_queries(change(secret, {"policy.publish_marginals": True})) == ()
    assert unchecked_queries(load("titanic")) == ()


@pytest.mark.parametrize(("name", "said"), [("hierarchical-class", True), ("classroom", False)])
def test_check_says_it(name: str, said: bool, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", name]) == 0
    assert (SAID in " ".join(capsys.readouterr().out.split())) is said
