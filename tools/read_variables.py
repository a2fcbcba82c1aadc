"""Find the variables of the environment that our libraries read, and compare them with the list.

    python tools/read_variables.py             print each variable with its libraries
    python tools/read_variables.py --unlisted  those that tests/environment.toml does not list;
                                               exit 1 if there are any

The libraries are those that pyproject.toml allows, with the extras of a user, and what they need in
turn, as they are installed. Their Python source is parsed: a literal name that is read from
`os.environ` or by `os.getenv`. A compiled library keeps no such call, so its text is searched for
names that begin with one of `PREFIXES`. Python's own variables are those that it lists itself
(`python --help-env`). What is not found: names that are put together when they are read, names
without a known prefix in compiled libraries, and what the C library or the system reads.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "environment.toml"
EXTRAS = ("cluster", "data", "report", "teach", "web")  # of a user; the others are a developer's
# What is there to build or to test the library, and never runs for a user.
ASIDE = {"conftest.py", "distutils", "f2py", "setup.py", "test", "testing", "tests", "_pyinstaller"}
COMPILED = (".so", ".pyd", ".dylib")
PREFIXES = (
    *("DUCKDB", "GOMP", "GOTO", "HIGHS", "KMP", "LIBSODIUM", "MKL", "NPY", "NUMPY", "OMP"),
    *("OPENBLAS", "OPENSSL", "SCIPY", "SODIUM", "SSL_CERT"),
)
# Names of constants in compiled libraries, which look like variables.
CONSTANTS = re.compile(
    r"NPY_(?!\w+_CPU_FEATURES)\w+|HIGHS_VERSION_\w+|DUCKDB_(FILE|INTERNAL_OBJECTSTORE)"
    r"|OPENSSL_(BUILT_ON|CFLAGS|PLATFORM|VERSION|VERSION_TEXT)"
)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
IN_BINARY = re.compile(rb"\0((?:%s)_[A-Z0-9_]+)\0" % "|".join(PREFIXES).encode())
READS = {"get", "getenv", "getenvb", "pop", "setdefault"}


def distributions() -> dict[str, metadata.Distribution]:
    """Return the installed libraries of a user, by name, with what they need in turn."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]
    found: dict[str, metadata.Distribution] = {}
    while wanted:
        requirement = Requirement(wanted.pop())
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name in found or (requirement.marker and not requirement.marker.evaluate()):
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system, or another Python
        needed = found[name].requires or ()
        wanted += [line for line in needed if "extra ==" not in line]
    return found


def in_source(text: str) -> Iterator[str]:
    """Yield the literal names that Python source reads from the environment."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Subscript(value=place, slice=ast.Constant(value=str(name))):
                if ast.unparse(place).endswith("environ"):
                    yield name
            case ast.Call(func=ast.Attribute(value=place, attr=attr), args=[first, *_]):
                ours = attr.startswith("getenv") or ast.unparse(place).endswith("environ")
                if attr in READS and ours and isinstance(first, ast.Constant):
                    yield str(first.value)
            case ast.Call(func=ast.Name(id="getenv"), args=[ast.Constant(value=str(name)), *_]):
                yield name
            case ast.Compare(left=ast.Constant(value=str(name)), comparators=[place]):
                if ast.unparse(place).endswith("environ"):
                    yield name


def in_library(library: metadata.Distribution) -> Iterator[str]:
    """Yield the variables that the installed files of a library read."""
    for file in library.files or ():
        path = Path(str(library.locate_file(file)))
        if ASIDE.intersection(file.parts) or not path.is_file():
            continue
        if path.suffix == ".py":
            data = path.read_bytes()
            if b"environ" in data or b"getenv" in data:
                yield from filter(NAME.fullmatch, in_source(data.decode("utf-8", "replace")))
        elif any(ending in file.name for ending in COMPILED):
            names = (name.decode() for name in IN_BINARY.findall(path.read_bytes()))
            yield from (name for name in names if not CONSTANTS.fullmatch(name))


def of_python() -> Iterator[str]:
    """Yield the variables that Python lists itself."""
    command = (sys.executable, "--help-env")
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    yield from re.findall(r"^(PYTHON[A-Z0-9]+)", text, re.MULTILINE)


def found() -> dict[str, list[str]]:
    """Return each variable that is read, with the libraries that read it."""
    readers = defaultdict(set)
    for name in of_python():
        readers[name].add("python")
    for library, distribution in distributions().items():
        for name in in_library(distribution):
            readers[name].add(library)
    return {name: sorted(libraries) for name, libraries in sorted(readers.items())}


def listed() -> set[str]:
    """Return the variables of the list: tried, and not tried with a reason."""
    data = tomllib.loads(LIST.read_text("utf-8"))
    tried = {row["name"] for group in data["group"] for row in group["variables"]}
    return tried | {name for rows in data.get("untried", ()) for name in rows["names"]}


def main(arguments: list[str]) -> int:
    """Print the variables."""
    only_new = "--unlisted" in arguments
    known = listed() if only_new else set()
    new = {name: libraries for name, libraries in found().items() if name not in known}
    for name, libraries in new.items():
        print(f"{name:40} {', '.join(libraries)}")
    return int(only_new and bool(new))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
