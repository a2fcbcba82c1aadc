"""Optional libraries: which are missing, and the command that adds them to this installation.

An extra of `pyproject.toml` names libraries that some commands need. The command that installs them
depends on the environment of veilmix. In a checkout with its own `.venv` it is a target of the
Makefile, or the script behind the target if there is no make. Elsewhere it is pip or uv with the
names of the libraries. The name `veilmix` is never given to an installer, because a package index
may have another package of that name.
"""

import re
import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

PROJECT_FOLDER = Path(__file__).resolve().parent
TARGETS = {  # extra -> the target of the Makefile that installs it
    "core": "demo",
    "report": "demo",
    "web": "demo",
    "data": "data",
    "teach": "teach",
    "cluster": "cluster",
    "fast": "fast",
    "dev": "dev",
}
DISTRIBUTIONS = {"nacl": "pynacl"}  # module -> its library on PyPI, if the names differ
_EXTRA = re.compile(r"extra\s*==\s*['\"](\w+)['\"]")
# Python's message about a name that a module lacks
_LACKING = re.compile(r"module '([\w.]+)' has no attribute ('\w+')")
_NAME = re.compile(r"[^\w.-]")


def missing(extra: str, feature: str) -> str:
    """Return a sentence: a feature needs an extra, and this command installs the extra.

    extra: name of the extra in `pyproject.toml`, a group of optional libraries.
    """
    return f"{feature} needs {named(extra)}; to install that: {advice(extra)}"


def unusable(bug: BaseException) -> str | None:
    """Return a sentence about the library that caused an exception, and how to install it.

    The library is missing, broken or of an unsuitable version. None if the exception is not about a
    library.
    """
    match bug:
        case ModuleNotFoundError(name=str(module)):
            problem = "is not installed"
        case ImportError():
            module = bug.name or _raised_in(bug)
            problem = f"cannot be used ({str(bug).partition(' (')[0]})"
        case AttributeError() if match := _LACKING.match(str(bug)):
            module, problem = match[1], f"cannot be used (it has no {match[2]})"
        case _:
            return None
    top = module.partition(".")[0]
    if top == "veilmix" or top in sys.stdlib_module_names:
        return None
    name = DISTRIBUTIONS.get(top, top)
    needed = ((extra, line) for extra in TARGETS for line in requirements(extra))
    candidates = (pair for pair in needed if library(pair[1]) == name)
    extra, requirement = next(candidates, ("core", name))
    command = advice(extra) if in_checkout() else installing([requirement])
    return (
        f"{name}{_version(name)} {problem}; veilmix needs {requirement}; to install that: {command}"
    )


def _version(name: str) -> str:
    """Return a space and the version of an installed library; "" if it is not installed."""
    from importlib import metadata

    try:
        return f" {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return ""


def _raised_in(bug: BaseException) -> str:
    """Return the name of the module in which an exception was raised."""
    last = bug.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return "veilmix" if last is None else str(last.tb_frame.f_globals.get("__name__", "veilmix"))


def named(extra: str) -> str:
    """Return the libraries of an extra (a group of optional libraries), joined by "and".

    Their versions are left out.
    """
    return " and ".join(map(library, requirements(extra)))


def advice(extra: str) -> str:
    """Return a command that installs an extra (a group of optional libraries), to be typed."""
    if not in_checkout():
        return installing(requirements(extra))
    from shutil import which

    inside = Path.cwd().resolve() == PROJECT_FOLDER
    if which("make") is None:
        script = Path("tools", "environment.py")
        return typed(sys.executable, script if inside else PROJECT_FOLDER / script, TARGETS[extra])
    return typed("make", *(() if inside else ("-C", PROJECT_FOLDER)), TARGETS[extra])


def typed(*words: str | Path) -> str:
    """Return the words of a command, quoted for the shell of this system."""
    if sys.platform == "win32":
        from subprocess import list2cmdline

        return list2cmdline(map(str, words))
    return shlex.join(map(str, words))


def installing(libraries: Sequence[str]) -> str:
    """Return a command that installs libraries for this Python, with pip or uv."""
    if find_spec("pip"):
        return typed(sys.executable, "-m", "pip", "install", *libraries)
    return typed("uv", "pip", "install", "--python", sys.executable, *libraries)


def in_checkout() -> bool:
    """Whether veilmix runs in a checkout of its repository, in its Makefile's environment."""
    environment = (PROJECT_FOLDER / ".venv").resolve()
    return (PROJECT_FOLDER / "Makefile").is_file() and Path(sys.prefix).resolve() == environment


def requirements(extra: str) -> list[str]:
    """Return the libraries of an extra, or of `core`, with accepted versions, such as `h11>=0.14`.

    They are read from `pyproject.toml` in a checkout, else from the installed metadata. extra: name
    of a group of optional libraries; `core`: the libraries that veilmix always needs.
    """
    project = PROJECT_FOLDER / "pyproject.toml"
    if project.is_file():
        from tomllib import loads

        about = loads(project.read_text("utf-8"))["project"]
        extras = {**about["optional-dependencies"], "core": about["dependencies"]}
        return list(extras[extra])
    from importlib import metadata

    requirement_parts = [line.partition(";") for line in metadata.requires("veilmix") or ()]
    return [
        line.strip()
        for line, _, when in requirement_parts
        if (_EXTRA.findall(when) or ["core"]) == [extra]
    ]


def library(requirement: str) -> str:
    """Return the library's name in a requirement: `h11` of `h11>=0.14`."""
    return _NAME.split(requirement, maxsplit=1)[0]
