"""Make the environment in which veilmix runs: `python tools/environment.py [LEVEL]`.

Creates `.venv`, installs the pinned requirements of a level (every file checked against its hash),
and makes the checkout importable as the package `veilmix`. A level is a file `requirements/*.in`;
one comes on top of what another has brought, at the same versions.

What is there is looked at each time, not remembered: the libraries that the level brought, by the
folders in which installers keep their records, and the link, path file and command of the checkout.
What somebody took away or put in its place is made good.

The checkout is the package itself, under whatever name its folder bears. An editable install would
hide that from static tools, so the environment gets a folder `.venv/checkout` with one link,
`veilmix`, to the checkout, and a `.pth` file that puts the folder on the path: at its end, where
static tools find it, and at its beginning, before any copy that was installed (docs/adr/0001).

`make` is not needed: the line to run next is printed, unless make runs this file. On Windows the
link may be a junction, and `veilmix.cmd` starts the command, because a file without an ending in
its name does not run there. Only the standard library is used here: this file runs before anything
is installed.
"""

import hashlib
import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv"
NEEDS = (3, 11)
LEVELS = ("core", "demo", "data", "teach", "cluster", "fast", "dev")
ALL = "dev"  # has what every other level has, but what ASKED has
ASKED = ("fast",)  # part of it has a licence that a user should accept knowingly

WINDOWS = os.name == "nt"
TESTS = ("python", "-m", "pytest", "-n", "3", "--dist", "worksteal")
LESSONS = ("python", "-m", "marimo", "run", "notebooks")
NEXT = {  # level -> a program of the environment, and its arguments
    "core": ("veilmix", "run", "titanic"),
    "demo": ("veilmix", "run", "titanic"),
    "teach": LESSONS,
    "dev": TESTS,
}
DOCTOR = ("veilmix", "doctor")  # after any other level

COMMAND = """#!{python}
import sys

from veilmix.cli import main

if __name__ == "__main__":  # processes of a pool read this file too
    sys.exit(main())
"""
# A first line of `#!` may not have a space in it, nor be long; a shell can start any Python.
SHELL = """#!/bin/sh
'''exec' {python} "$0" "$@"
' '''
"""
BATCH = '@"%~dp0python.exe" "%~dp0veilmix" %*\r\n'
FIRST = "import sys; sys.path.insert(0, {folder})"


def run(*command: str | Path) -> None:
    """Run a command and stop with its exit code if it fails."""
    done = subprocess.run([str(part) for part in command], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def fingerprint(level: str) -> str:
    """What the environment must hold at this level; a change means it must be installed again."""
    pins = (ROOT / "requirements" / f"{level}.txt").read_bytes()
    return hashlib.sha256(f"{sys.version}{ROOT}".encode() + pins).hexdigest()


def installed() -> set[str]:
    """The libraries of the environment and their versions, as installers record them."""
    return {path.name for path in Path(places()["purelib"]).glob("*.dist-info")}


def whole(level: str) -> bool:
    """Whether the environment has what it had when this level was installed."""
    try:
        made, *libraries = mark(level).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return made == fingerprint(level) and installed().issuperset(libraries)


def mark(level: str) -> Path:
    """Where the fingerprint of a level and the libraries that came with it are noted."""
    return HOME / f"installed-{level}"


def places() -> dict[str, str]:
    """The folders of the environment, whichever Python makes it."""
    return sysconfig.get_paths(
        "venv", vars={"base": str(HOME), "platbase": str(HOME), "installed_base": str(HOME)}
    )


def interpreter() -> Path:
    """The Python of the environment."""
    return programs() / ("python.exe" if WINDOWS else "python")


def programs() -> Path:
    """The folder of the programs of the environment."""
    return HOME / ("Scripts" if WINDOWS else "bin")


def script() -> str:
    """The command `veilmix`."""
    python = str(interpreter())
    if " " in python or len(python) > 120:
        quoted = "'" + python.replace("'", "'\"'\"'") + "'"
        return SHELL.format(python=quoted) + COMMAND.partition("\n")[2]
    return COMMAND.format(python=python)


def link_checkout() -> None:
    """Make `import veilmix` find this checkout, and `veilmix` a command."""
    paths, folder = places(), HOME / "checkout"
    folder.mkdir(exist_ok=True)
    link = folder / "veilmix"
    if not (link.exists() and link.resolve() == ROOT):
        link.unlink(missing_ok=True)
        make_link(link)
    # Relative, as `site` of Windows may read other letters than ASCII by another encoding.
    packages = Path(paths["purelib"])
    lines = f"{os.path.relpath(folder, packages)}\n{FIRST.format(folder=ascii(str(folder)))}\n"
    write(packages / "veilmix-checkout.pth", lines)
    command = programs() / "veilmix"
    write(command, script())
    command.chmod(0o755)
    if WINDOWS:
        write(command.with_name("veilmix.cmd"), BATCH)


def make_link(link: Path) -> None:
    """Make a link to the checkout; where a user may not, a junction, which Windows has for that."""
    try:
        link.symlink_to(ROOT, target_is_directory=True)
    except OSError:
        if not WINDOWS:
            raise
        run("cmd", "/d", "/c", "mklink", "/J", link, ROOT)


def write(path: Path, text: str) -> None:
    """Write a file that may be there, whatever it is; nothing is done if it says the same."""
    if not (path.is_file() and path.read_bytes() == text.encode()):
        path.unlink(missing_ok=True)
        path.write_bytes(text.encode())  # with the ends of lines that it has


def install(level: str) -> None:
    """Install what a level asks for."""
    print(f"veilmix: preparing the environment .venv ({level}), once", file=sys.stderr, flush=True)
    if Path(sys.prefix).resolve() != HOME:  # the environment's own Python need not make it again
        run(sys.executable, "-m", "venv", HOME)
    run(
        *(interpreter(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--require-hashes", "-r", ROOT / "requirements" / f"{level}.txt"),
    )
    names = [name for name in sorted(installed()) if not name.startswith("veilmix-")]
    mark(level).write_text("\n".join([fingerprint(level), *names, ""]), encoding="utf-8")


def main(level: str) -> None:
    """Bring `.venv` up to a level; only looks where it is there already."""
    if sys.version_info < NEEDS:
        version = ".".join(map(str, sys.version_info[:3]))
        sys.exit(
            f"veilmix needs Python {NEEDS[0]}.{NEEDS[1]} or newer; `python3` here is {version}. "
            "Name another one: make PYTHON=python3.12 ..., or python3.12 tools/environment.py"
        )
    if level not in LEVELS:
        sys.exit(f"environment: found level {level!r}; one of {', '.join(LEVELS)} is accepted")
    if not (whole(level) or (whole(ALL) and level not in ASKED)):
        install(level)
    link_checkout()
    if "MAKELEVEL" not in os.environ:  # make types it itself
        print(f"next: {next_line(level)}")


def next_line(level: str) -> str:
    """The line to type after a level was installed, in the folder where this file was started."""
    program, *arguments = NEXT.get(level, DOCTOR)
    path = programs() / program
    here = Path.cwd()
    shown = str(path.relative_to(here) if path.is_relative_to(here) else path)
    words = [shown, *arguments]
    return subprocess.list2cmdline(words) if WINDOWS else shlex.join(words)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "core")
