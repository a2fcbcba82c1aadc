"""A template folder for a new Python package, with an example of each extension of veilmix.

The extensions are an attack, a population, a release program and a randomizer. The templates are
files `NAME.txt` in scenarios/gallery/package. In them `${name}` stands for the name of the package,
`${package}` for the name of its module.
"""

import keyword
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from string import Template

from ...errors import ParameterError, StorageError

TEXTS = Path(__file__).parent.parent / "gallery" / "package"
NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
MAX_NAME_LENGTH = 40  # characters; the package's name with an ending is also the name of a program
MODULES = ("__init__.py", "attack.py", "population.py", "program.py", "py.typed", "randomizer.py")


def write_package(name: str, parent: str | os.PathLike[str] = ".") -> tuple[Path, int]:
    """Write the folder of a new Python package with example extensions of veilmix.

    The folder is written completely or not at all.

    Args:
        name: name of the package and of the folder: at most 40 lower-case letters and digits,
            separated by single `-` or `_`; the first character is a letter.
        parent: folder to write it into.

    Returns:
        The folder, and the number of its files.

    Raises:
        ParameterError: the name is not accepted, or Python has a module of this name already.
        StorageError: the folder is there already, or cannot be written.
    """
    files = package_files(name)
    folder = Path(parent) / name
    if os.path.lexists(folder):
        raise StorageError(f"{folder}: is there already; give the package another name")
    _write_folder(folder, files)
    return folder, len(files)


def package_files(name: str) -> Mapping[str, str]:
    """Return the files of a new package: path in the package's folder -> text.

    ParameterError if the name is not accepted.
    """
    module = _module(name)
    texts = {path.name.removesuffix(".txt"): path for path in sorted(TEXTS.glob("*.txt"))}
    words = {"name": name, "package": module}
    return {
        _place(file, module): Template(path.read_text("utf-8")).substitute(words)
        for file, path in texts.items()
    }


def _module(name: str) -> str:
    """Return the name of the package's module: the package's name with `_` for `-`.

    ParameterError if the name is not accepted, or Python has a module of this name.
    """
    if not NAME.fullmatch(name) or len(name) > MAX_NAME_LENGTH:
        raise ParameterError(
            f"--package: found {name!r}; at most {MAX_NAME_LENGTH} lower-case letters and "
            "digits are accepted, separated by single '-' or '_', with a letter first"
        )
    module = name.replace("-", "_")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or find_spec(module):
        raise ParameterError(
            f"--package: found {name!r}, and Python has a word or a module {module!r} already; "
            "give the package another name"
        )
    return module


def _place(file: str, module: str) -> str:
    """Return the path of a template's file in the package's folder, such as `src/MODULE/attack.py`.

    file: the name of the file. module: the name of the package's module.
    """
    if file in MODULES:
        return f"src/{module}/{file}"
    return f"tests/{file}" if file.startswith("test_") else file


def _write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a temporary folder, and rename it to `folder`.

    files: path in the folder -> text. StorageError on failure.
    """
    try:
        partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            for file, text in files.items():
                path = partial / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
            partial.chmod(0o755)
            partial.rename(folder)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
    except OSError as bad:
        raise StorageError(
            f"{folder}: cannot be written: {bad.strerror or bad}; make room, or go to a folder in "
            "which you may write"
        ) from None
