"""The rooms import one way; every file says what it is for; importing veilmix costs nothing."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NO_PACKAGE = {"tests", "docs", "benchmarks", "notebooks", "tools", "build", "requirements"}

# room -> the rooms it may import; every room may import itself
MAY = {
    "": {
        "errors",
        "version",
        "analysis",
        "scenarios",
        "own_data",
        "report",
        "cli",
    },  # __init__ and __main__, and only when asked
    "errors": set(),
    "version": set(),  # records, boards and reports name it: any room may
    "deprecated": set(),  # names that were replaced: any room may have some
    "deferred": set(),  # how a door imports only what it is asked for
    "systems": set(),  # what this operating system has: whoever uses it asks
    "temporary_files": {"errors"},  # the one sentence where the system has no room for them
    "strict_text": set(),  # decodes JSON and TOML that come from outside
    "library_warnings": set(),  # keeps what libraries warn of: any room may call one
    "installation": set(),  # what brings a library that is missing: any room may say it
    "languages": {"strict_text"},  # what pages say: pages ask
    "number_text": set(),  # shares, sizes, plurals: in every message
    "crypto": {"errors", "temporary_files"},
    "protocol": {"errors", "crypto"},
    "roles": {
        "errors",
        "version",
        "installation",
        "systems",
        "temporary_files",
        "crypto",
        "protocol",
    },
    "machines": {"errors", "version", "systems", "temporary_files", "crypto", "protocol", "roles"},
    "analysis": {
        *("errors", "deferred", "deprecated", "installation", "library_warnings", "strict_text"),
        "protocol",
    },
}
MAY["scenarios"] = {*MAY["analysis"], *MAY["machines"], "analysis", "machines", "number_text"}
MAY["scenarios"] |= {"languages"}  # of records alone: the deviations of a saved run
MAY["own_data"] = {*MAY["scenarios"], "scenarios"}
MAY["presentation"] = {*MAY["own_data"], "own_data", "languages"}
MAY["report"] = MAY["theatre"] = {*MAY["presentation"], "presentation"}
MAY["lessons"] = {*MAY["theatre"], "theatre"}
MAY["poll"] = {*MAY["lessons"], "lessons"}
MAY["workbench"] = {*MAY["report"], "report"}
MAY["cli"] = {*MAY["poll"], *MAY["workbench"], "poll", "workbench"}
# Inside a room: sub-room -> the sub-rooms that it may import, bottom to top, so that nobody is in
# its own floor or below it. A file beside the sub-rooms is a sub-room by its own name where it has
# a line here, else one of the room's own files (""). The room's own `__init__.py` is its `door`.
INSIDE: dict[str, dict[str, set[str]]] = {
    "analysis": {
        "validation": set(),
        "drawing": set(),
        "frames": set(),
        "shipped_tables": set(),
        "scaling": {"validation"},
        "exposure": {"validation"},
        "advice": {"validation", "drawing", "exposure"},
        "estimation": {"validation"},
        "randomizers": {"validation", "estimation"},
        "optimization": {"validation"},
        "contingency": {"validation", "optimization"},
        "printed_counts": {"optimization"},
        "composition": {"validation", "exposure", "optimization", "contingency"},
        "trust": {"validation", "optimization", "estimation", "composition"},
        "suppression": {
            "validation", "optimization", "exposure", "estimation", "composition"
        },
        "shuffled": {"validation", "randomizers"},
        "information": {"validation", "estimation", "randomizers"},
        "reidentification": {"validation", "exposure", "estimation", "randomizers"},
        "incidence": {"validation", "optimization", "randomizers"},
        "release_risks": {"validation", "exposure"},
        "scoring": {
            "validation",
            "drawing",
            "exposure",
            "trust",
            "composition",
            "suppression",
            "release_risks",
        },
        "figures": {
            "validation",
            "drawing",
            "frames",
            "shipped_tables",
            "exposure",
            "estimation",
            "randomizers",
            "composition",
            "shuffled",
            "information",
            "reidentification",
            "incidence",
        },
        "door": {  # for types, and when a room is asked for
            *("composition", "estimation", "exposure", "figures", "incidence", "information"),
            *("randomizers", "reidentification", "release_risks", "shuffled", "suppression"),
            "trust",
        },
    },
    "presentation": {"": set(), "presenters": {""}, "sections": {"", "presenters"}},
    "protocol": {
        "wire": set(),
        "rounds": {"wire"},
        "history": {"wire"},
        "board": {"wire", "rounds"},
        "ideal": {"wire", "rounds", "board"},
        "knowledge": {"wire", "rounds", "board"},
        "ideal_view": {"wire", "rounds", "knowledge", "ideal"},
        "peers": {"wire", "rounds", "board", "knowledge"},
        "search": {"wire", "rounds", "board", "knowledge"},
    },
    "roles": {"network": set(), "compute": {"network"}, "": {"network", "compute"}},
    "scenarios": {
        "serialization": set(),
        "schema": set(),
        "populations": {"serialization", "schema"},
        "programs": {"serialization", "schema", "populations"},
        "attacks": {"schema", "populations", "programs"},
        "lab": {"serialization", "schema", "populations", "programs", "attacks"},
        "records": {"serialization", "schema", "programs", "attacks", "lab"},
        "studies": {
            "serialization", "schema", "populations", "programs", "attacks", "lab", "records",
        },
        "deployment": {
            "serialization", "schema", "populations", "programs", "attacks", "lab", "records",
        },
    },
    "cli": {
        "text": set(),
        "": {"text"},
        "commands": {"", "text"},
        "door": {""},
    },
}  # fmt: skip
# library -> where it may be imported
ONLY = {
    "trio": {
        "roles",
        "machines",
        "scenarios",
        "theatre",
        "lessons",
        "poll",
        "workbench",
    },  # the live page stands in the run's own nursery
    "h11": {"machines", "theatre"},
    "nacl": {"crypto"},
    "rbcl": {"crypto"},
    "cryptography": {"crypto"},
    "click": {"cli"},
    "rich": {"cli"},
    "socket": {"machines", "theatre"},
    "ssl": {"machines"},
    "sqlite3": {"machines"},
    "asyncio": set[str](),
    "random": set[str](),
}


def modules() -> list[Path]:
    """Give every Python file of the package, by its path below the root."""
    paths = [path.relative_to(ROOT) for path in ROOT.rglob("*.py")]
    return sorted(
        path
        for path in paths
        if path.parts[0] not in NO_PACKAGE and not any(part[0] == "." for part in path.parts)
    )


MODULES = modules()
TEXTS = {path: (ROOT / path).read_text(encoding="utf-8") for path in MODULES}


def room(path: Path) -> str:
    """Give the room of a file: its first folder, or a file that is one, or nothing for the root."""
    if len(path.parts) > 1:
        return path.parts[0]
    return path.stem if path.stem in MAY else ""


def imported(path: Path, source: str) -> Iterator[str]:
    """Yield the dotted names that a file imports, those of the package from `veilmix.` on."""
    here = ["veilmix", *path.parts[:-1]]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1]
            assert base, f"{path}: an import above the package"
            name = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{name}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def rooms_of(path: Path, source: str) -> set[str]:
    """Give the rooms that a file imports; the root itself is the room of nothing."""
    names = [name.split(".") for name in imported(path, source) if name.split(".")[0] == "veilmix"]
    return {parts[1] if parts[1:] and parts[1] in MAY else "" for parts in names} - {room(path)}


IN_ARRAYS = {Path("crypto/multibuffer.py")}  # works on many keys at once
IN_ORDER = {
    Path("roles/compute/task_order.py")
}  # trio draws the order of tasks from a `random.Random`


def violations(path: Path, source: str) -> list[str]:
    """Say what a file imports that it may not."""
    wrong = [f"{path} imports {other}" for other in rooms_of(path, source) - MAY[room(path)]]
    libraries = {name.split(".")[0] for name in imported(path, source)}
    for library, rooms in ONLY.items():
        drawn = library == "random" and path in IN_ORDER
        if library in libraries and room(path) not in rooms and not drawn:
            wrong.append(f"{path} imports {library}")
    scalar = room(path) in ("", "errors", "crypto", "roles") and path not in IN_ARRAYS
    if "numpy" in libraries and scalar:
        wrong.append(f"{path} imports numpy")
    if "numpy" in libraries and room(path) == "protocol" and path.name != "ideal.py":
        wrong.append(f"{path} imports numpy")
    return wrong


def test_imports_point_one_way() -> None:
    assert [wrong for path in MODULES for wrong in violations(path, TEXTS[path])] == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("errors.py", "from .crypto import keys"),
        ("crypto/keys.py", "from ..protocol.wire import Reader"),
        ("crypto/keys.py", "def f():\n    from ..protocol import wire"),
        ("protocol/wire/wire.py", "from ... import roles"),
        ("protocol/wire/wire.py", "import trio"),
        ("protocol/wire/wire.py", "import numpy as np"),
        ("roles/curator.py", "from ..analysis.exposure import exposure"),
        ("roles/curator.py", "import veilmix.analysis"),
        ("roles/curator.py", "import veilmix"),
        ("analysis/exposure/curves.py", "from ...roles.session import play"),
        ("analysis/exposure/curves.py", "from ...crypto.keys import PublicKey"),
        ("analysis/exposure/curves.py", "import trio.lowlevel"),
        ("scenarios/lab/play/run.py", "from ....cli import main"),
        ("report/page.py", "from ..theatre import live"),
        ("cli/main.py", "import trio"),
        ("report/page.py", "import trio"),
        ("roles/network/memory_network.py", "import h11"),
        ("protocol/wire/wire.py", "import random"),
    ],
)
def test_a_violation_is_found(path: str, source: str) -> None:
    assert len(violations(Path(path), source)) == 1


def files() -> dict[str, Path]:
    """Give every file of the package by its dotted name; a door has the name of its room."""
    paths = {}
    for path in MODULES:
        parts = path.parts[:-1] if path.name == "__init__.py" else path.with_suffix("").parts
        paths[".".join(["veilmix", *parts])] = path
    return paths


FILES = files()


def arrows() -> dict[str, set[str]]:
    """Give for every file the files that it imports, wherever in it, also for types only."""
    graph = {}
    for name, path in FILES.items():
        wanted = imported(path, TEXTS[path])
        targets = {module if module in FILES else module.rpartition(".")[0] for module in wanted}
        graph[name] = {target for target in targets if target in FILES} - {name, "veilmix"}
    return graph


ARROWS = arrows()


def circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Give the sets of more than one file each of which imports, by way of others, each other."""
    reach = {name: set(after) for name, after in graph.items()}
    waiting = {name: set[str]() for name in graph}
    for name, after in graph.items():
        for target in after:
            waiting[target].add(name)
    todo = list(graph)
    while todo:
        name = todo.pop()
        for before in waiting[name]:
            if not reach[name] <= reach[before]:
                reach[before] |= reach[name]
                todo.append(before)
    loops = {name for name in graph if name in reach[name]}
    return {
        frozenset(other for other in loops if other in reach[name] and name in reach[other])
        for name in loops
    }


def inside(name: str) -> tuple[str, str]:
    """Give the room of a file and its sub-room; the sub-room of a door is `door`."""
    path = FILES[name]
    if len(path.parts) < 2 or path.parts[0] not in INSIDE:
        return room(path), ""
    table = INSIDE[path.parts[0]]
    if len(path.parts) > 2:
        return path.parts[0], path.parts[1]
    if path.name == "__init__.py":
        return path.parts[0], "door"
    return path.parts[0], path.stem if path.stem in table else ""


def against_the_table(graph: Mapping[str, set[str]]) -> set[tuple[str, str, str]]:
    """Give (room, sub-room, imported sub-room) wherever the table does not allow it."""
    breaches = set()
    for name, after in graph.items():
        here, own = inside(name)
        for there, other in map(inside, after):
            if here == there and own != other and other not in INSIDE[here].get(own, set()):
                breaches.add((here, own, other))
    return breaches


@pytest.mark.parametrize("room_", INSIDE)
def test_the_table_of_a_room_goes_down_only(room_: str) -> None:
    floors = list(INSIDE[room_])
    for i, (sub, may) in enumerate(INSIDE[room_].items()):
        assert may <= set(floors[:i]), f"{sub} looks up"
    folders = {path.parts[1] for path in MODULES if path.parts[0] == room_ and len(path.parts) > 2}
    assert folders - {"gallery"} <= set(floors)


def test_imports_between_sub_rooms_are_those_of_their_tables() -> None:
    assert not against_the_table(ARROWS)


def test_there_is_no_circle_of_files() -> None:
    assert not circles(ARROWS)


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set[str](), "f": {"a"}}
    assert circles(graph) == {frozenset("abc")}
    assert circles(graph | {"e": {"d"}}) == {frozenset("abc"), frozenset("de")}
    assert not circles(graph | {"c": {"d"}})


def test_an_arrow_against_the_table_is_found() -> None:
    wrong = {"veilmix.analysis.exposure.cells": {"veilmix.analysis.composition.bounds"}}
    assert against_the_table(wrong) == {("analysis", "exposure", "composition")}
    wrong = {"veilmix.analysis.validation": {"veilmix.analysis.exposure"}}
    assert against_the_table(wrong) == {("analysis", "validation", "exposure")}
    assert not against_the_table({"veilmix.analysis.exposure": {"veilmix.analysis.validation"}})


def offered(path: Path) -> set[str]:
    """Give the names that a door binds or offers, but for submodules that it imports as such."""
    names, rooms = set[str](), set[str]()
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1 and not node.module:
            rooms |= {alias.name for alias in node.names}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names |= set(ast.literal_eval(node.value))
    return names - rooms


@pytest.mark.parametrize("door", [path for path in MODULES if path.name == "__init__.py"], ids=str)
def test_a_door_offers_no_name_of_a_submodule(door: Path) -> None:
    """Else `room.name` is the file or the function, depending on what was imported before."""
    here = ROOT / door.parent
    submodules = {path.stem for path in here.glob("*.py")} | {path.name for path in here.iterdir()}
    assert not offered(door) & submodules


def test_the_rooms_are_those_of_the_table() -> None:
    assert {room(path) for path in MODULES} <= MAY.keys()
    assert {"", "errors", "crypto", "protocol", "roles", "analysis"} <= {room(p) for p in MODULES}


FAMILIES = {"GRR", "BitFlip", "Channel", "Composition", "LocalHash", "Mixture", "Product", "Pure"}
FAMILIES |= {"Randomizer", "TwoLevel", "UnaryEncoding", "FieldFamily", "DigitFamily"}


def families_asked(source: str) -> list[str]:
    """Give the places where a file asks which family of randomizers something belongs to."""
    places = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            names = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.MatchClass):
            names = {ast.unparse(node.cls)}
        else:
            continue
        places += [ast.unparse(node)] if names & FAMILIES else []
    return places


def test_a_randomizer_is_not_asked_which_one_it_is() -> None:
    """What depends on the family is a method of `Randomizer`, also of a family of somebody else."""
    others = [path for path in MODULES if path.parts[:2] != ("analysis", "randomizers")]
    assert {path: asked for path in others if (asked := families_asked(TEXTS[path]))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(one, BitFlip)",
        "isinstance(one, GRR | LocalHash)",
        "match one:\n    case UnaryEncoding(a=a):\n        pass",
    ],
)
def test_the_question_for_a_family_is_found(source: str) -> None:
    assert families_asked(source)


def test_every_file_says_what_it_is_for() -> None:
    said = {path: ast.get_docstring(ast.parse(TEXTS[path])) or "" for path in MODULES}
    assert [path for path, text in said.items() if len(text) <= 20] == []


@pytest.mark.place
def test_the_package_list_is_the_folders() -> None:
    """The checkout is the package, so setuptools has its list by hand."""
    folders = {path.parent for path in MODULES if path.name == "__init__.py"}
    here = {".".join(["veilmix", *folder.parts]) for folder in folders}
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert sorted(listed["tool"]["setuptools"]["packages"]) == sorted(here)
    assert {path.parent for path in MODULES} == folders, "a folder without an __init__.py"


HEAVY = ("numpy", "scipy", "trio", "nacl", "cryptography", "click", "rich", "msgspec", "asyncio")


def loaded(statement: str) -> set[str]:
    """Give the modules that an interpreter of its own has after a statement."""
    code = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.place
def test_importing_veilmix_imports_nothing_heavy() -> None:
    before, after = loaded("pass"), loaded("import veilmix")
    new = after - before
    assert "veilmix" in new
    assert not [name for name in new if name.startswith("veilmix.")]
    assert not [name for name in new if name.split(".")[0] in HEAVY]


def test_the_protocol_needs_no_trio() -> None:
    names = [
        *("wire.frames", "rounds.ballots", "rounds.mixing", "rounds.round_context"),
        *("rounds.tallying", "board.board", "knowledge.transcript"),
    ]
    after = loaded("; ".join(f"import veilmix.protocol.{name}" for name in names))
    assert "veilmix.protocol.rounds.mixing" in after
    assert not {"trio", "numpy", "scipy"} & after


def test_no_file_of_analysis_loads_scipy_by_itself() -> None:
    """It takes longer to load than most of what is asked takes to answer."""
    for path in (path for path in MODULES if path.parts[0] == "analysis"):
        nodes = ast.parse(TEXTS[path]).body
        top = [node for node in nodes if isinstance(node, ast.ImportFrom | ast.Import)]
        names = {name for node in top for name in imported(path, ast.unparse(node))}
        assert not [name for name in names if name.split(".")[0] == "scipy"], path


def test_the_doors_of_analysis_load_nothing_heavy_but_numpy() -> None:
    doors = [path.parent for path in MODULES if path.name == "__init__.py"]
    names = [
        "veilmix." + ".".join(folder.parts) for folder in doors if folder.parts[:1] == ("analysis",)
    ]
    after = loaded("; ".join(f"from {name} import *" for name in names))
    assert "veilmix.analysis.information.finite" in after
    assert not {"scipy", "matplotlib", "highspy"} & after


def test_a_randomizer_is_loaded_without_the_others() -> None:
    after = loaded("from veilmix.analysis.randomizers import GRR")
    room = "veilmix.analysis.randomizers."
    assert f"{room}grr" in after
    assert not {f"{room}{name}" for name in ("bloom", "local_hash", "ranges", "unary")} & after


def commanded(*command: str) -> set[str]:
    """Give the modules that an interpreter of its own has after a command that prints nothing."""
    call = "try:\n veilmix.cli.main()\nexcept SystemExit: pass"
    quiet = "import io, contextlib; out = contextlib.redirect_stdout(io.StringIO())"
    argv = f"sys.argv = ['veilmix', *{command!r}]"
    return loaded(
        f"import veilmix.cli; {quiet}; {argv}; out.__enter__(); exec({call!r})"
        "; out.__exit__(None, None, None)"
    )


def test_check_loads_nothing_that_plays() -> None:
    after = commanded("check", "classroom")
    assert "veilmix.scenarios.studies.costs.cost" in after
    assert not [name for name in after if name.startswith("veilmix.roles.")]
    assert (
        not {"veilmix.scenarios.lab.play.run", "veilmix.scenarios.lab.scoring", "trio", "scipy"}
        & after
    )


def test_a_run_without_messages_loads_no_party_and_no_other_program() -> None:
    after = commanded("run", "classroom", "--mode", "ideal", "--no-save")
    assert "veilmix.scenarios.lab.play.ideal" in after
    apart = [name for name in after if name.startswith("veilmix.roles.")]
    light = ("", ".backend", ".backends", ".garbage_collection")  # no party, no network
    assert set(apart) == {f"veilmix.roles.compute{name}" for name in light}
    scores = (f"veilmix.scenarios.programs.{name}.score" for name in ("incidence", "randomized"))
    assert not {"trio", "veilmix.presentation.sections.run_facts", *scores} & after


def test_the_list_of_scenarios_loads_no_numbers() -> None:
    after = commanded("new")
    assert "veilmix.scenarios.lab.validation.gallery" in after
    assert not {"numpy", "trio", "nacl"} & after


def test_help_loads_nothing_heavy() -> None:
    after = commanded("--help")
    assert "veilmix.cli.app" in after
    assert not {"numpy", "scipy", "trio", "nacl", "cryptography", "rich", "matplotlib"} & after
