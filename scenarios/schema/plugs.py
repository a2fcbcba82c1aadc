"""The entry points of other installed packages, in the groups `veilmix.<group>`, by name.

An entry point is a name with a location, by which a package adds an attack, a release program or
the like. Only names and locations are read here; no module of a package is imported until it is
used.

`importlib.metadata` is slow. It is called only if a metadata file of an installed package names
such a group, and most installations have no such package.
"""

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from ...errors import ParameterError

PREFIX = "veilmix."
LISTED = "entry_points.txt"  # file with a package's entry points
RECORDS = (".dist-info", "egg-info")  # endings of folders with a package's metadata
OURS = __name__.partition(".")[0]  # the name of this package

Record = TypeVar("Record")


@cache
def installed(group: str) -> Mapping[str, str]:
    """Return the entry points of a group, by name: name -> `module:attribute`.

    group: such as `attacks`, for the entry points of `veilmix.attacks`.
    """
    if not (_found_otherwise() or any(map(_named_in, sys.path))):
        return {}
    from importlib.metadata import entry_points

    return {point.name: point.value for point in sorted(entry_points(group=PREFIX + group))}


def _found_otherwise() -> bool:
    """Whether an import hook can find packages outside the folders of `sys.path`."""
    return any(
        hasattr(finder, "find_distributions")
        for finder in sys.meta_path
        if finder is not PathFinder
    )


@cache
def _named_in(place: str) -> bool:
    """Whether a package in a folder of `sys.path` may have entry points for veilmix.

    place: the folder.
    """
    try:
        records = [path for path in Path(place).iterdir() if path.name.lower().endswith(RECORDS)]
    except FileNotFoundError:
        return False
    # the path may be an archive, or a folder without permission, so the answer is unknown
    except OSError:
        return True
    return any(_names_a_group(record / LISTED) for record in records)


def _names_a_group(listed: Path) -> bool:
    """Whether a file of entry points names a group of veilmix; True if the file cannot be read."""
    try:
        return f"[{PREFIX}".encode() in listed.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def homes(group: str, built_in: Mapping[str, str]) -> Mapping[str, str]:
    """Return the location of every entry of a group, by name; built-in entries come first.

    group: such as `attacks`. built_in: name -> location. A built-in name cannot be replaced.
    """
    return {**built_in, **{n: at for n, at in installed(group).items() if n not in built_in}}


def load(place: str) -> Any:
    """Return the object at `module:attribute`; ParameterError if another package lacks it.

    place: the location, from an entry point or from veilmix itself.
    """
    module, _, attribute = place.partition(":")
    try:
        return attrgetter(attribute)(import_module(module))
    except (ImportError, AttributeError, SyntaxError) as wrong:
        if module.partition(".")[0] == OURS:
            raise
        raise ParameterError(
            f"entry point {place!r} of an installed package: {wrong}; mend its pyproject.toml or "
            "that module, and install it again (docs/extending.md)"
        ) from wrong


def records(group: str, kind: type[Record]) -> dict[str, Record]:
    """Return the records that other packages add to a group, by name.

    kind: the class that each record must have. Raises ParameterError if an entry point is no such
    record.
    """
    loaded: dict[str, Record] = {}
    for name, place in installed(group).items():
        record = load(place)
        if not isinstance(record, kind):
            article = "an" if kind.__name__[0] in "AEIOU" else "a"
            raise ParameterError(
                f"entry point {place!r} of {PREFIX}{group}: found {type(record).__name__}; "
                f"{article} {kind.__name__} ({kind.__module__}) is accepted"
            )
        loaded[name] = record
    return loaded
