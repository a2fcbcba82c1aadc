"""Names of a room that are imported at their first use (PEP 562).

A door that imports all its files at once makes each user of a single name pay for all: a phone that
sends one symbol, a command that only checks a file. Such a door names its files twice: under
`TYPE_CHECKING` for type checkers and readers, and for the interpreter in the `else` of it (there
`fetch` and `offered` are the module's `__getattr__` and `__dir__`):

>>> from veilmix.deferred import deferred
>>> fetch, offered = deferred("veilmix.analysis.randomizers", {".grr": ["GRR"]})
>>> fetch("GRR").__name__
'GRR'

A misspelt name stays an error of the type checker. A test holds both lists, and `__all__`, to be
the same. `deferred_rooms` does it for a folder of rooms. It imports no other part of the package:
any room may use it.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def deferred(
    room: str, homes: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Give the `__getattr__` and the `__dir__` of a door.

    room: its dotted name. homes: file, as an import statement of the door writes it -> the names
    that the door offers from it.
    """
    files = {name: file for file, names in homes.items() for name in names}

    def fetch(name: str) -> Any:
        if name not in files:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        thing = getattr(import_module(files[name], room), name)
        setattr(sys.modules[room], name, thing)  # so that nobody comes here twice for it
        return thing

    def offered() -> list[str]:
        return sorted({*vars(sys.modules[room]), *files})

    return fetch, offered


def deferred_rooms(
    folder: str, rooms: Collection[str]
) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """Give the `__getattr__` and the `__dir__` of a folder of rooms.

    folder: its dotted name. rooms: names of the rooms in it.
    """

    def fetch(name: str) -> ModuleType:
        if name not in rooms:
            raise AttributeError(f"module {folder!r} has no attribute {name!r}")
        return import_module(f"{folder}.{name}")

    def offered() -> list[str]:
        return sorted(rooms)

    return fetch, offered
