"""Inside a folder of the package, rooms import downwards, and no files import in a circle."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# room of scenarios -> the rooms of scenarios it may import, bottom to top
SCENARIOS: dict[str, set[str]] = {
    "mean": set(),
    "wording": set(),
    "serialization": set(),
    "schema": set(),
    "populations": {"schema"},
    "programs": {"mean", "wording", "schema", "populations"},
    "attacks": {"schema", "populations", "programs"},
    "ledger": {"serialization", "schema", "populations", "programs"},
    "scoring": {"wording", "serialization", "schema", "populations", "programs", "ledger"},
    "validation": {"schema", "populations", "programs", "attacks"},
    "play": {"schema", "populations", "programs", "attacks", "ledger", "scoring", "validation"},
    "records": {"serialization", "schema", "programs", "scoring"},
    "verification": {
        *("serialization", "schema", "populations", "programs", "attacks", "scoring"),
        *("play", "records"),
    },
    "studies": {
        *("mean", "wording", "serialization", "schema", "populations", "programs", "attacks"),
        *("scoring", "validation", "play", "records", "verification"),
    },
    "comparison": {
        *("serialization", "schema", "populations", "programs", "scoring", "validation"),
        *("play", "records"),
    },
    "gallery": set(),
}
MAY = {"scenarios": SCENARIOS}  # folder -> its table


def files(folder: str) -> list[Path]:
    """The Python files of a folder, by their path below the root."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.py"))


def home(parts: tuple[str, ...]) -> Path | None:
    """The file that a dotted name stands for or is a name of; None if it is not ours."""
    for end in range(len(parts), 1, -1):
        path = Path(*parts[:end])
        if (ROOT / path).with_suffix(".py").is_file():
            return path.with_suffix(".py")
        if (ROOT / path / "__init__.py").is_file():
            return path / "__init__.py"
    return None


def imports(path: Path, source: str) -> set[Path]:
    """The files of the package that a file imports, those for types alone included."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            here = path.parts[: len(path.parts) - node.level]
            base = (*here, *(node.module.split(".") if node.module else ()))
            found |= {home((*base, alias.name)) for alias in node.names}
    return {one for one in found if one is not None and one != path}


def room(path: Path) -> str:
    """The room of a file in its folder."""
    return path.parts[1] if len(path.parts) > 2 else path.stem


def wrong(path: Path, source: str) -> set[str]:
    """The rooms that a file imports and may not."""
    table = MAY[path.parts[0]]
    there = {room(one) for one in imports(path, source) if one.parts[0] == path.parts[0]}
    return there - {room(path), "__init__"} - table.get(room(path), set())


@pytest.mark.parametrize("folder", MAY)
def test_rooms_import_downwards(folder: str) -> None:
    said = {
        str(path): rooms
        for path in files(folder)
        if (rooms := wrong(path, (ROOT / path).read_text("utf-8")))
    }
    assert not said


@pytest.mark.parametrize("folder", MAY)
def test_the_table_is_in_order_and_complete(folder: str) -> None:
    """Each room is below all that may import it, so the rooms have no circle either."""
    table = MAY[folder]
    order = list(table)
    for place, (name, below) in enumerate(table.items()):
        assert below <= set(order[:place]), name
    assert {room(path) for path in files(folder)} - {"__init__"} == set(order)


@pytest.mark.parametrize("folder", MAY)
def test_no_files_import_in_a_circle(folder: str) -> None:
    doors = ("__init__.py",)  # a door offers what is inside, which imports the door of no room
    graph = {
        path: {one for one in imports(path, (ROOT / path).read_text("utf-8")) if one != path}
        for path in files(folder)
    }
    inside = {
        path: {one for one in there if one in graph and one.name not in doors}
        for path, there in graph.items()
    }
    try:
        tuple(TopologicalSorter(inside).static_order())
    except CycleError as circle:
        pytest.fail(" -> ".join(map(str, circle.args[1])))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("scenarios/schema/model.py", "from ..programs.registry import strategy"),
        ("scenarios/populations/facts.py", "def f():\n    from ..programs import registry"),
        ("scenarios/scoring/policy.py", "from ..play.run import run"),
        ("scenarios/programs/peers/verify.py", "from ...verification.evidence import Evidence"),
    ],
)
def test_an_import_upwards_is_found(path: str, source: str) -> None:
    assert len(wrong(Path(path), source)) == 1
