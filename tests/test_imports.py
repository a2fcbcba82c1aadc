"""The rooms import one way; every file says what it is for; importing veilmix costs nothing."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NO_PACKAGE = {"tests", "docs", "benchmarks", "notebooks", "tools", "build", "requirements"}

# room -> the rooms it may import; every room may import itself
MAY = {
    "": {"errors", "analysis", "scenarios", "cli"},  # __init__ and __main__, and only when asked
    "errors": set(),
    "installation": set(),  # what brings a library that is missing: any room may say it
    "crypto": {"errors"},
    "protocol": {"errors", "crypto"},
    "roles": {"errors", "crypto", "protocol"},
    "analysis": {"errors", "installation", "protocol"},
}
MAY["scenarios"] = {*MAY["analysis"], *MAY["roles"], "analysis", "roles"}
MAY["report"] = MAY["theatre"] = {*MAY["scenarios"], "scenarios"}
MAY["cli"] = {*MAY["report"], "report", "theatre"}
# library -> where it may be imported
ONLY = {
    "trio": {"roles", "scenarios", "theatre"},  # the live page stands in the run's own nursery
    "h11": {"theatre"},
    "nacl": {"crypto"},
    "rbcl": {"crypto"},
    "cryptography": {"crypto"},
    "click": {"cli"},
    "rich": {"cli"},
    "socket": {"roles", "theatre"},
    "asyncio": set[str](),
    "random": set[str](),
}


def modules() -> list[Path]:
    """Give every Python file of the package, by its path below the root."""
    found = [path.relative_to(ROOT) for path in ROOT.rglob("*.py")]
    return sorted(
        path
        for path in found
        if path.parts[0] not in NO_PACKAGE and not any(part[0] == "." for part in path.parts)
    )


MODULES = modules()


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
    names = [
        name.split(".")
        for name in imported(path, source)
        if name.split(".")[0] == "veilmix" and name != "veilmix.__version__"
    ]
    return {parts[1] if parts[1:] and parts[1] in MAY else "" for parts in names} - {room(path)}


def violations(path: Path, source: str) -> list[str]:
    """Say what a file imports that it may not."""
    wrong = [f"{path} imports {other}" for other in rooms_of(path, source) - MAY[room(path)]]
    libraries = {name.split(".")[0] for name in imported(path, source)}
    for library, rooms in ONLY.items():
        if library in libraries and room(path) not in rooms:
            wrong.append(f"{path} imports {library}")
    if "numpy" in libraries and room(path) in ("", "errors", "crypto", "roles"):
        wrong.append(f"{path} imports numpy")
    if "numpy" in libraries and room(path) == "protocol" and path.name != "ideal.py":
        wrong.append(f"{path} imports numpy")
    return wrong


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_imports_point_one_way(path: Path) -> None:
    assert not violations(path, (ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("errors.py", "from .crypto import keys"),
        ("crypto/keys.py", "from ..protocol.wire import Reader"),
        ("crypto/keys.py", "def f():\n    from ..protocol import wire"),
        ("protocol/wire.py", "from .. import roles"),
        ("protocol/wire.py", "import trio"),
        ("protocol/wire.py", "import numpy as np"),
        ("roles/curator.py", "from ..analysis.exposure import exposure"),
        ("roles/curator.py", "import veilmix.analysis"),
        ("roles/curator.py", "import veilmix"),
        ("analysis/exposure/curves.py", "from ...roles.session import play"),
        ("analysis/exposure/curves.py", "from ...crypto.keys import PublicKey"),
        ("analysis/exposure/curves.py", "import trio.lowlevel"),
        ("scenarios/play/run.py", "from ...cli import main"),
        ("report/page.py", "from ..theatre import live"),
        ("cli/main.py", "import trio"),
        ("report/page.py", "import trio"),
        ("roles/network.py", "import h11"),
        ("protocol/wire.py", "import random"),
    ],
)
def test_a_violation_is_found(path: str, source: str) -> None:
    assert len(violations(Path(path), source)) == 1


def test_the_rooms_are_those_of_the_table() -> None:
    assert {room(path) for path in MODULES} <= MAY.keys()
    assert {"", "errors", "crypto", "protocol", "roles", "analysis"} <= {room(p) for p in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_every_file_says_what_it_is_for(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert len(ast.get_docstring(tree) or "") > 20


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


def test_importing_veilmix_imports_nothing_heavy() -> None:
    before, after = loaded("pass"), loaded("import veilmix")
    new = after - before
    assert "veilmix" in new
    assert not [name for name in new if name.startswith("veilmix.")]
    assert not [name for name in new if name.split(".")[0] in HEAVY]


def test_the_protocol_needs_no_trio() -> None:
    names = ["ballots", "board", "frames", "mixing", "session", "tallying", "transcript"]
    after = loaded("; ".join(f"import veilmix.protocol.{name}" for name in names))
    assert "veilmix.protocol.mixing" in after
    assert not {"trio", "numpy", "scipy"} & after
