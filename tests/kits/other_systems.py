"""Windows and macOS, simulated for the code of veilmix in a process on Linux.

Call `become("win32")` or `become("darwin")` before veilmix is imported. Simulated are then

* for every file of veilmix, and for no other: `sys.platform`, `os.name`, and each name of `os`,
  `signal` and `socket` that the system's Python does not have, by the stubs of typeshed;
* for all code: modules that cannot be imported there, and folders that do not exist there;
* on Windows, for all code: an open file is neither replaced nor removed; for veilmix: `os.open`
  opens no folder, and `msvcrt` locks files (by flock underneath).

Not simulated: paths with drives, ends of lines, the console, access lists, how processes are
started and signals sent. trio and all other libraries work as they do on the system at hand.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import ast
import builtins
import errno
import fcntl
import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import trio

REDUCED = ("os", "signal", "socket")
ABSENT = {
    "win32": ("fcntl", "grp", "pwd", "readline", "resource", "syslog", "termios"),
    "darwin": ("spwd",),
}
NO_FOLDERS = {"win32": ("/proc", "/dev/shm", "/var/tmp"), "darwin": ("/proc", "/dev/shm")}
STUBS = Path(find_spec("mypy").origin or "").parent / "typeshed" / "stdlib"  # type: ignore[union-attr]


def become(platform: str) -> None:
    """Simulate a system in this process, for files of veilmix that are imported later."""
    if any(name.partition(".")[0] == "veilmix" for name in sys.modules):
        raise RuntimeError("veilmix was imported before")
    views: dict[str, ModuleType] = {
        name: View(importlib.import_module(name), hidden_names(name, platform), {})
        for name in REDUCED
    }
    views["sys"] = View(sys, frozenset(), {"platform": platform})
    if platform == "win32":
        views["os"] = View(
            os, hidden_names("os", platform), {"name": "nt", "open": _open_no_folder}
        )
        sys.modules["msvcrt"] = _msvcrt()
        del trio.lowlevel.FdStream
        sys.addaudithook(_keep_open_files)
    _hide_modules(views, ABSENT[platform])
    _hide_folders(NO_FOLDERS[platform])


def hidden_names(module: str, platform: str) -> frozenset[str]:
    """The names of a module that a system's Python does not have, and this one has."""
    return frozenset(_names(module, sys.platform) - _names(module, platform))


def _names(module: str, platform: str) -> set[str]:
    stub = STUBS / module / "__init__.pyi"
    tree = ast.parse((stub if stub.is_file() else STUBS / f"{module}.pyi").read_text("utf-8"))
    seen = SimpleNamespace(platform=platform, version_info=sys.version_info)
    return set(_bound(tree.body, {"sys": seen, "TYPE_CHECKING": True}))


def _bound(body: list[ast.stmt], known: dict[str, Any]) -> Iterator[str]:
    """Yield the names that statements of a stub bind."""
    for node in body:
        match node:
            case ast.If():
                test = compile(ast.Expression(node.test), "stub", "eval")
                yield from _bound(node.body if eval(test, known) else node.orelse, known)
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name
            case ast.ImportFrom():
                yield from (alias.asname or alias.name for alias in node.names)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                yield name


class View(ModuleType):
    """A module without some names, and with others in place of its own."""

    def __init__(self, module: ModuleType, hidden: frozenset[str], own: Mapping[str, Any]) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(own, _module=module, _hidden=hidden)

    def __getattr__(self, name: str) -> Any:
        if name in self._hidden:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} there")
        return getattr(self._module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._module, name, value)


def _hide_modules(views: Mapping[str, ModuleType], absent: tuple[str, ...]) -> None:
    for name in absent:
        sys.modules[name] = None  # type: ignore[assignment]
    imported = builtins.__import__

    def seen(name: str, *given: Any, **named: Any) -> ModuleType:
        file = (given[0] if given else named.get("globals")) or {}
        if name in views and str(file.get("__name__")).partition(".")[0] == "veilmix":
            return views[name]
        return imported(name, *given, **named)

    builtins.__import__ = seen


def _hide_folders(folders: tuple[str, ...]) -> None:
    """Make paths in these folders unknown to `stat` and `open`."""

    def check(path: Any) -> None:
        text = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
        if isinstance(text, str) and text.startswith(folders):
            raise FileNotFoundError(errno.ENOENT, "there is no such folder there", text)

    def found(path: Any, *args: Any, **given: Any) -> os.stat_result:
        check(path)
        return _stat(path, *args, **given)

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event == "open" and not _looking:
            check(given[0])

    for supported in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        supported.add(found)  # as `os.stat` is in them
    os.stat = found
    sys.addaudithook(hook)


_looking: list[bool] = []  # not empty while this file itself looks into /proc
_stat, _listdir, _open = os.stat, os.listdir, os.open


def _open_no_folder(path: Any, *args: Any, **given: Any) -> int:
    """`os.open` of Windows, to which a folder is not a file."""
    if Path(path).is_dir():
        raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
    return _open(path, *args, **given)


def _keep_open_files(event: str, given: tuple[Any, ...]) -> None:
    """Refuse to replace or remove a file that this process has open."""
    paths = {"os.rename": given[:2], "os.remove": given[:1]}.get(event, ())
    for path in paths:
        if (file := _identity(path)) and file in _open_files():
            raise PermissionError(errno.EACCES, "it is open in a process", str(path))


def _open_files() -> set[tuple[int, int]]:
    _looking.append(True)
    try:
        numbers = [int(number) for number in _listdir("/proc/self/fd")]
    finally:
        _looking.pop()
    return {file for number in numbers if (file := _identity(number))}


def _identity(path: Any) -> tuple[int, int] | None:
    try:
        found = _stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _msvcrt() -> ModuleType:
    """The part of `msvcrt` that locks files."""
    module: Any = ModuleType("msvcrt")
    module.__spec__ = ModuleSpec("msvcrt", None)
    module.LK_UNLCK, module.LK_NBLCK = 0, 2

    def locking(handle: int, mode: int, size: int) -> None:
        assert size == 1
        assert os.lseek(handle, 0, os.SEEK_CUR) == 0, "another byte than others lock"
        how = fcntl.LOCK_UN if mode == module.LK_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB
        try:
            fcntl.flock(handle, how)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    module.locking = locking
    return module
