"""Make a clone of this checkout, as it stands: `python3 tools/clone.py FOLDER [LEVEL]`.

What is not committed yet comes along; what git ignores does not. With a level, the clone gets an
environment with the libraries of that level (requirements/LEVEL.txt) and no others, by links into
this checkout's own, which must have them: the same files, and nothing is installed twice. So a
fresh clone in a folder of any name can be tried in a second.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INSTALLER = ("pip", "setuptools")  # every environment has the first; builds need the second


def git(*arguments: str) -> bytes:
    """Run git in this checkout."""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout


def clone(folder: Path) -> None:
    """Clone, and copy what has changed since the last commit."""
    git("clone", "--quiet", str(ROOT), str(folder))
    for name in git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0"):
        source, copy = ROOT / name.decode(), folder / name.decode()
        if source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)
        elif name:
            copy.unlink(missing_ok=True)


def equip(folder: Path, level: str) -> None:
    """Make the environment of a clone, with the libraries of a level."""
    there = _environment(folder)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", there.HOME], check=True)
    ours, theirs = (
        Path(environment.places()["purelib"]) for environment in (_environment(ROOT), there)
    )
    for name in {*_pinned(folder / "requirements" / f"{level}.txt"), *INSTALLER}:
        for part in _parts(ours, name):
            link = Path(os.path.normpath(theirs / part))
            if not link.exists():
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(ours / part)
    names = sorted(there.installed())
    there.mark(level).write_text("\n".join([there.fingerprint(level), *names, ""]), "utf-8")
    there.link_checkout()


def _environment(checkout: Path):
    """The checkout's own tools/environment.py."""
    spec = util.spec_from_file_location("environment", checkout / "tools" / "environment.py")
    assert spec is not None  # noqa: S101
    assert spec.loader is not None  # noqa: S101
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _pinned(requirements: Path) -> Iterator[str]:
    for line in requirements.read_text("utf-8").splitlines():
        if pin := re.match(r"([A-Za-z0-9._-]+)(?:\[\w+\])?==", line):
            yield pin[1]


def _parts(libraries: Path, name: str) -> set[str]:
    """What a library put beside the others, and libraries that it loads from elsewhere.

    As its record has it; nothing if it is not there.
    """
    wanted = re.sub(r"[-_.]+", "-", name).lower()
    names = set()
    for record in libraries.glob("*.dist-info/RECORD"):
        if re.sub(r"[-_.]+", "-", record.parent.name.partition("-")[0]).lower() == wanted:
            lines = record.read_text("utf-8").splitlines()
            files = {line.split(",")[0] for line in lines}
            names |= {file for file in files if file.startswith("..") and ".so" in file}
            names |= {file.split("/")[0] for file in files}
    return names - {"..", "__pycache__", ""}


if __name__ == "__main__":
    target = Path(sys.argv[1]).absolute()
    clone(target)
    if sys.argv[2:]:
        equip(target, sys.argv[2])
