"""Names of a package that are imported at their first use (PEP 562).

If the `__init__` of a package imports all modules at once, each user of a single name waits for all
of them: for example a command that only checks a file. Instead such an `__init__` lists its modules
twice. Under `TYPE_CHECKING` they are for type checkers and readers. In the `else` branch they are
for the interpreter: `deferred` returns the package's `__getattr__` and `__dir__`, here named
`fetch` and `offered`:

>>> from veilmix.deferred import deferred
>>> fetch, offered = deferred("veilmix.analysis.randomizers", {".grr": ["GRR"]})
>>> fetch("GRR").__name__
'GRR'

A type checker finds a misspelt name. Both lists must be equal, and `__all__` has the same names.
`deferred_rooms` does the same for a folder of packages. This module imports no other part of
veilmix: any package may use it.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def deferred(
    room: str, homes: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package that imports its names at first use.

    room: dotted name of the package. homes: name of a module, relative as in `.grr` -> the names
    that the package offers from this module.
    """
    files = {name: file for file, names in homes.items() for name in names}

    def fetch(name: str) -> Any:
        """Return a name of the package, imported from its module."""
        if name not in files:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        thing = getattr(import_module(files[name], room), name)
        # set the name in the package, so that the next access finds it without this function
        setattr(sys.modules[room], name, thing)
        return thing

    def offered() -> list[str]:
        """Return all names of the package, sorted, for completion with Tab."""
        return sorted({*vars(sys.modules[room]), *files})

    return fetch, offered


def deferred_rooms(
    folder: str, rooms: Collection[str]
) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a folder of packages, imported at first use.

    folder: dotted name of the folder. rooms: names of the packages in it.
    """

    def fetch(name: str) -> ModuleType:
        """Return a package of the folder, imported."""
        if name not in rooms:
            raise AttributeError(f"module {folder!r} has no attribute {name!r}")
        return import_module(f"{folder}.{name}")

    def offered() -> list[str]:
        """Return the names of the packages, sorted, for completion with Tab."""
        return sorted(rooms)

    return fetch, offered
