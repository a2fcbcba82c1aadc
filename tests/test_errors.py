"""The tree drawn in the docstring of errors.py is the tree of the classes."""

import inspect
import re

import pytest
from veilmix import errors
from veilmix.errors import (
    LocalError,
    ParameterError,
    Reason,
    Refused,
    RemoteError,
    RoundBurned,
    ScenarioError,
    VeilmixError,
    VerificationError,
)


def drawn() -> dict[str, str]:
    """Give name -> parent, as drawn."""
    parents: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"^([ |`-]*)([A-Z]\w+)(  |$)", line)
        if not match or not line.startswith("    "):
            continue
        depth, name = len(match[1]), match[2]
        while above and above[-1][0] >= depth:
            above.pop()
        parents[name] = above[-1][1] if above else "Exception"
        above.append((depth, name))
    return parents


def defined() -> dict[str, type[BaseException]]:
    return {
        name: var
        for name, var in vars(errors).items()
        if inspect.isclass(var)
        and issubclass(var, BaseException)
        and var.__module__ == errors.__name__
    }


def test_the_tree_is_the_classes() -> None:
    tree = {name: error.__bases__[0].__name__ for name, error in defined().items()}
    assert drawn() == tree
    assert len(tree) > 8


def test_every_exception_is_a_veilmix_error_and_says_what_it_is() -> None:
    for name, error in defined().items():
        assert issubclass(error, VeilmixError), name
        assert error.__doc__


def test_the_two_families_have_nothing_in_common() -> None:
    for error in defined().values():
        families = [f for f in (LocalError, RemoteError) if issubclass(error, f)]
        assert len(families) < 2
    assert not issubclass(RoundBurned, LocalError | RemoteError)
    assert not issubclass(VerificationError, LocalError | RemoteError)
    assert issubclass(ParameterError, ValueError)


@pytest.mark.parametrize("reason", Reason)
def test_a_refusal_says_its_reason(reason: Reason) -> None:
    assert str(Refused(reason)) == reason.value
    assert str(Refused(reason, "padding")) == f"{reason.value}: padding"
    assert Refused(reason).reason is reason


def test_a_scenario_error_carries_every_problem() -> None:
    error = ScenarioError(["one", "two"])
    assert error.problems == ("one", "two")
    assert str(error) == "one\ntwo"


def test_the_order_of_reasons_is_their_code_on_the_wire() -> None:
    """docs/wire.md numbers them; a reason in between would change what old messages say."""
    assert [reason.value for reason in Reason] == [
        "malformed",
        "wrong-size",
        "does-not-open",
        "duplicate",
        "late",
        "unexpected",
        "outside-domain",
        "unregistered",
    ]
