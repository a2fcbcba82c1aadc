"""Kinds of policy are compared by nobody, and who carries messages is asked in one place."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROOMS = (
    *("analysis", "cli", "machines", "own_data", "presentation", "protocol", "report", "roles"),
    *("scenarios", "theatre"),
)
FILES = sorted(path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*.py"))
TOPOLOGY = Path("scenarios/programs/topology.py")  # asks whether there are peers
SCHEMA = Path("scenarios/schema/model.py")  # too, for what a key means where nothing is said
RANDOMIZERS = Path("analysis/randomizers")  # know each other by class


def of(node: ast.expr, owner: str, name: str) -> bool:
    """Whether an expression is `... owner.name`."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and ast.unparse(node.value).split(".")[-1] == owner
    )


def comparing(source: str) -> Iterator[int]:
    """The lines that compare a policy's kind with a name."""
    if ".kind" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        asked = node.left if isinstance(node, ast.Compare) else None
        asked = node.subject if isinstance(node, ast.Match) else asked
        if asked is not None and of(asked, "policy", "kind"):
            yield node.lineno


def among_peers(source: str) -> Iterator[int]:
    """The lines that ask a scenario whether its mix is of peers."""
    if ".peers" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and of(node, "mix", "peers"):
            yield node.lineno


@pytest.mark.parametrize(
    ("asked", "homes"),
    [(comparing, set()), (among_peers, {TOPOLOGY, SCHEMA})],
    ids=["kind", "peers"],
)
def test_nobody_asks_what_a_plug_answers(
    asked: Callable[[str], Iterator[int]], homes: set[Path]
) -> None:
    places = {path: list(asked((ROOT / path).read_text("utf-8"))) for path in FILES}
    assert {path for path, lines in places.items() if lines} == homes


def test_who_asks_is_found() -> None:
    assert [*comparing('if scenario.policy.kind == "fixed":\n    pass')] == [1]
    assert [*comparing('if policy.kind in ("fixed",):\n    pass')] == [1]
    assert [*among_peers("one = 1\nif scenario.mix.peers:\n    pass")] == [2]
    assert not [*among_peers("result.peers")]


def test_no_randomizer_is_told_apart_by_its_class_outside_their_room() -> None:
    from veilmix.analysis import randomizers
    from veilmix.analysis.randomizers import Randomizer

    kinds = {
        name
        for name in randomizers.__all__
        if isinstance(kind := getattr(randomizers, name), type) and issubclass(kind, Randomizer)
    }
    assert len(kinds) > 5
    for path in FILES:
        source = (ROOT / path).read_text("utf-8")
        if RANDOMIZERS in path.parents or not any(kind in source for kind in kinds):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
                named = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                assert not named & (kinds - {"Randomizer"}), f"{path}:{node.lineno}"
