"""The scenarios that veilmix ships, by name, as unparsed texts.

Their names can be listed without importing numpy, which loading a population needs.
"""

from functools import cache
from pathlib import Path

from ....errors import ScenarioError
from ...schema.problems import did_you_mean

GALLERY = Path(__file__).parent.parent.parent / "gallery"
ATTACKS = GALLERY / "attacks"
BASES = GALLERY / "bases"


def shipped() -> tuple[str, ...]:
    """Return the names of the scenarios of the gallery."""
    return _names(GALLERY)


def attacks() -> tuple[str, ...]:
    """Return the names of the shipped scenarios of attacks."""
    return _names(ATTACKS)


def bases() -> tuple[str, ...]:
    """Return the names of the shipped scenarios that attack scenarios extend, without an attack."""
    return _names(BASES)


def names() -> tuple[str, ...]:
    """Return the names of all shipped scenarios."""
    return (*shipped(), *attacks(), *bases())


@cache
def _names(folder: Path) -> tuple[str, ...]:
    """Return the names of the scenario files in a folder."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def source(name: str) -> str:
    """Return the text of a shipped scenario, comments included. Raises ScenarioError."""
    for folder in (GALLERY, ATTACKS, BASES):
        if name in _names(folder):
            return (folder / f"{name}.toml").read_text("utf-8")
    raise ScenarioError([unknown_name(name)])


def unknown_name(name: str) -> str:
    """Return the error text for an unknown scenario, with the names that exist."""
    hint = did_you_mean(Path(name).stem, names())
    listed = ", ".join(shipped())
    return f"{name}: no such file, and no scenario of this name; shipped are {listed}{hint}"
