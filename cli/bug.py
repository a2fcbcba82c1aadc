"""The report of a bug in veilmix: the failing command, and a file with the traceback."""

import platform
import shlex
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from ..version import __version__


def report(bug: BaseException, arguments: Sequence[str]) -> str:
    """Return the text that asks the user to report a bug: exception, command line and versions.

    The traceback goes into a temporary file, which the text names. If no file can be written, the
    text ends with the traceback.
    """
    command = shlex.join(["veilmix", *arguments])
    seeded = "--seed" in command or arguments[:1] != ["run"]
    lines = [
        "This is a bug in veilmix, not a mistake of yours. Please report it with these lines:",
        f"  what     {_last_line(bug)}",
        f"  command  {command}",
        f"  version  veilmix {__version__}, {_system()}",
    ]
    if not seeded:
        lines.append("  seed     that of the scenario, if it has one; else try --seed 1, 2, ...")
    trace = "".join(traceback.format_exception(bug))
    details_path = _save_text("\n".join([*lines, "", trace]))
    return "\n".join(
        [*lines, f"  details  {details_path}"] if details_path else [*lines, "", trace]
    )


def cut_short(bug: BaseException) -> str | None:
    """Return the path of a truncated compiled module, if it caused the error; else None.

    If a disk is full, Python before 3.12.8 writes only a part of such a file, and later reads it as
    if it were whole.
    """
    last = bug.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or last.tb_frame.f_code.co_name != "_compile_bytecode":
        return None
    return str(last.tb_frame.f_locals.get("bytecode_path"))


def _system() -> str:
    """Return the version of Python and the platform, in words."""
    return f"Python {platform.python_version()}, {platform.platform()}"


def _last_line(bug: BaseException) -> str:
    """Return the last line of a traceback: the type of the exception and its message."""
    return "".join(traceback.format_exception_only(bug)).strip().splitlines()[-1]


def _save_text(text: str) -> Path | None:
    """Write a text to a new temporary file; return its path, or None if it cannot be written."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="veilmix-bug-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
    except OSError:
        return None
    return Path(file.name)
