"""What a room offers at its door is not fetched past it; what is private to a file stays there."""

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = (
    "analysis",
    "cli",
    "crypto",
    "lessons",
    "machines",
    "own_data",
    "poll",
    "presentation",
    "protocol",
    "report",
    "roles",
    "scenarios",
    "theatre",
    "workbench",
)
FILES = sorted(path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*.py"))
OF_SEVERAL = {"analysis": 4, "scenarios": 0, "cli": 3}  # tests of several sub-rooms, at most
# file -> why it goes past a door
PAST: Mapping[str, str] = {}


def offered() -> dict[tuple[str, ...], set[str]]:
    """Give for every room with a door the names that it offers."""
    names = {}
    for path in FILES:
        if path.name == "__init__.py":
            for node in ast.parse((ROOT / path).read_text("utf-8")).body:
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                    names[path.parts[:-1]] = set(ast.literal_eval(node.value))
    return names


DOORS = offered()


def sources(path: Path, source: str) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Give for every relative import of a file where it leads, and the names that it fetches."""
    here = path.parts[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1]
            below = tuple(node.module.split(".")) if node.module else ()
            yield (*base, *below), [alias.name for alias in node.names]


def past_the_door(path: Path, source: str) -> list[str]:
    """Say which names a file fetches from inside another room that offers them at its door."""
    return [
        f"{path}: {name} is offered by {'.'.join(target[:-1])}"
        for target, names in sources(path, source)
        if path.parts[: len(target) - 1] != target[:-1]
        for name in names
        if name in DOORS.get(target[:-1], ())
    ]


def private(path: Path, source: str) -> list[str]:
    """Say which names a file fetches that are private to another."""
    return [
        f"{path}: {name} is private to {'.'.join(target)}"
        for target, names in sources(path, source)
        for name in names
        if name.startswith("_") and not name.endswith("_")
    ]


def test_what_a_door_offers_is_fetched_there() -> None:
    wrong = list[str]()
    for path in FILES:
        source = (ROOT / path).read_text("utf-8")
        wrong += private(path, source)
        wrong += [] if str(path) in PAST else past_the_door(path, source)
    assert wrong == []


def test_a_way_past_a_door_is_found() -> None:
    path = Path("report/cards.py")
    assert past_the_door(path, "from ..analysis.exposure.curves import users_below")
    assert not past_the_door(path, "from ..analysis.exposure import users_below")
    assert not past_the_door(path, "from ..analysis.exposure.counts import Steps")
    inside = Path("analysis/exposure/attacker_risk.py")
    assert not past_the_door(inside, "from .curves import users_below")
    assert private(path, "from .write import _written")
    assert not private(path, "from .. import __version__")


def test_the_table_of_reasons_has_nothing_that_needs_none() -> None:
    for name in PAST:
        assert past_the_door(Path(name), (ROOT / name).read_text("utf-8")), name


def deferring(path: Path) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Give (file, name) as a door tells type checkers, and as it tells the interpreter."""
    typed, asked = set[tuple[str, str]](), set[tuple[str, str]]()
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for line in node.body:
                assert isinstance(line, ast.ImportFrom), path
                home = "." * line.level + (line.module or "")
                typed |= {(home, alias.asname or alias.name) for alias in line.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "deferred":
            homes = ast.literal_eval(node.args[1])
            asked |= {(home, name) for home, names in homes.items() for name in names}
    return typed, asked


DEFERRING = [
    path
    for path in FILES
    if path.name == "__init__.py" and " deferred(" in (ROOT / path).read_text("utf-8")
]


@pytest.mark.parametrize("path", DEFERRING, ids=str)
def test_a_door_that_waits_until_it_is_asked_offers_the_same_to_all(path: Path) -> None:
    typed, asked = deferring(path)
    assert typed == asked
    assert {name for _, name in asked} == DOORS[path.parts[:-1]]
    room = import_module(".".join(["veilmix", *path.parts[:-1]]))
    for _, name in asked:
        assert getattr(room, name) is vars(room)[name]
    assert {name for _, name in asked} <= set(dir(room))
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = room.nothing_like_it


@pytest.mark.place
def test_the_tests_of_a_room_stand_in_its_folder() -> None:
    """Folders of tests are those of the package; `model`, `attacks` and `kits` are of all rooms."""
    rooms = {path.parent.as_posix() for path in FILES}
    for path in (ROOT / "tests").rglob("test_*.py"):
        folder = path.parent.relative_to(ROOT / "tests").as_posix()
        assert folder in rooms | {".", "model", "attacks"}, path
    for room in ("analysis", "scenarios", "cli"):
        below = {path.parts[1] for path in FILES if path.parts[0] == room and len(path.parts) > 2}
        beside = sorted(path.name for path in (ROOT / "tests" / room).glob("test_*.py"))
        assert len(beside) <= OF_SEVERAL[room], f"{beside}: in one of {below}"
