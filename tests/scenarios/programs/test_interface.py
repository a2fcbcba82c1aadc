"""A release program is asked through the registry: nobody else compares kinds of policy."""

import ast
from pathlib import Path

import pytest
from veilmix.errors import ScenarioError
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.interface import ReleaseProgram
from veilmix.scenarios.programs.registry import PROGRAMS, program_of
from veilmix.scenarios.schema.kinds import BUILT_IN, kinds

ROOT = Path(__file__).parents[3]
NO_PACKAGE = {"tests", "docs", "benchmarks", "notebooks", "tools", "build", "requirements"}
PACKAGE = [
    path
    for top in ROOT.iterdir()
    if top.name not in NO_PACKAGE and not top.name.startswith(".")
    for path in ([top] if top.suffix == ".py" else top.rglob("*.py"))
]
SECTIONS = ("policy", "policy_")


def is_kind(node: ast.AST) -> bool:
    """Whether a part of a program is the kind of a policy."""
    if not isinstance(node, ast.Attribute) or node.attr != "kind":
        return False
    holder = node.value
    name = holder.attr if isinstance(holder, ast.Attribute) else getattr(holder, "id", "")
    return name in SECTIONS


def compared(source: str) -> list[int]:
    """The lines on which the kind of a policy is compared with anything, or looked up."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.AST] = []
        match node:
            case ast.Compare():
                parts = [node.left, *node.comparators]
            case ast.Match():
                parts = [node.subject]
            case ast.Subscript():
                parts = [node.slice]
        if any(is_kind(part) for part in parts):
            lines.append(node.lineno)
    return lines


def test_kinds_are_compared_in_programs_alone() -> None:
    places = {
        str(path.relative_to(ROOT)): lines
        for path in PACKAGE
        if (lines := compared(path.read_text("utf-8")))
    }
    inside = {path for path in places if path.startswith("scenarios/programs/")}
    assert places.keys() == inside
    assert inside, "the registry itself looks kinds up"


@pytest.mark.parametrize(
    "source",
    [
        'if scenario.policy.kind == "all": pass',
        "a = policy.kind in KINDS",
        "match chosen.policy.kind:\n    case 1: pass",
        "TABLE[policy.kind]",
    ],
)
def test_a_comparison_is_found(source: str) -> None:
    assert compared(source) == [1]


def reads_peers(source: str) -> list[int]:
    """The lines on which it is asked whether there are central parties or peers."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr == "peers"
        and ast.unparse(node.value).split(".")[-1] == "mix"
    ]


def test_who_carries_messages_is_asked_in_one_place() -> None:
    places = {
        str(path.relative_to(ROOT)): lines
        for path in PACKAGE
        if (lines := reads_peers(path.read_text("utf-8")))
    }
    schema = "scenarios/schema/model.py"  # for what a key means where nothing is said
    assert places.keys() == {"scenarios/programs/topology.py", schema}
    assert [len(lines) for lines in places.values()] == [1, 1]
    assert reads_peers("if chosen.mix.peers: pass") == [1]


def asks_which(source: str) -> list[int]:
    """The lines on which a way to carry messages is compared with one of them."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Is | ast.IsNot | ast.Eq | ast.NotEq)
        and any(
            ast.unparse(part).split(".")[-1] in ("PEERS", "CENTRAL", "topology")
            for part in (node.left, *node.comparators)
        )
    ]


def test_nobody_compares_topologies() -> None:
    places = [
        str(path.relative_to(ROOT)) for path in PACKAGE if asks_which(path.read_text("utf-8"))
    ]
    assert places == []
    assert asks_which("if topology_of(run.scenario) is PEERS: pass") == [1]
    assert asks_which("a = one if topology is chosen else 2") == [1]


def test_every_kind_has_a_program_of_its_own() -> None:
    assert [PROGRAMS[kind].kind for kind in PROGRAMS] == list(PROGRAMS)
    assert set(BUILT_IN) <= set(PROGRAMS)


@pytest.mark.parametrize("kind", BUILT_IN)
def test_a_program_has_all_that_the_interface_names(kind: str) -> None:
    program = PROGRAMS[kind]
    names = [*get_names(ReleaseProgram), *ReleaseProgram.__annotations__]
    assert not [name for name in names if not hasattr(program, name)]


def get_names(protocol: type) -> list[str]:
    """The methods that a protocol asks for."""
    return [name for name, value in vars(protocol).items() if callable(value) and name[0] != "_"]


def test_a_kind_that_nobody_plays_is_a_mistake_with_the_kinds_there_are() -> None:
    text = '[scenario]\nname = "s"\n[population]\nsource = "builtin:titanic"\n[policy]\nkind = "x"'
    with pytest.raises(ScenarioError, match=", ".join(sorted(kinds()))):
        loads(text)


def test_a_scenario_has_the_program_of_its_kind() -> None:
    text = '[scenario]\nname = "s"\n[population]\nsource = "builtin:titanic"\n'
    assert program_of(loads(text)).kind == "exposure"
    assert program_of(loads(text + '[policy]\nkind = "hierarchical"')).kind == "hierarchical"
