"""What other installed packages bring: entry points of the groups `veilmix.<what>`, by name.

Only names and places are read here; nothing of a package is imported until it is used.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any

PREFIX = "veilmix."


@cache
def installed(what: str) -> Mapping[str, str]:
    """The entry points of a group, name -> `module:attribute`, in the order of their names."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in sorted(entry_points(group=PREFIX + what))}


def homes(what: str, built_in: Mapping[str, str]) -> Mapping[str, str]:
    """Where everything of a group is: what is built in, then what other packages add to it."""
    return {**built_in, **{n: at for n, at in installed(what).items() if n not in built_in}}


def load(place: str) -> Any:
    """Import what stands at `module:attribute`."""
    module, _, attribute = place.partition(":")
    return attrgetter(attribute)(import_module(module))
