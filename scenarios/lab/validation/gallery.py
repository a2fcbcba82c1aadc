"""The shipped scenarios by name, as texts: this module does not parse them.

Listing them needs no people, and so no numpy.
"""

from functools import cache
from pathlib import Path

from ....errors import ScenarioError
from ...schema.problems import did_you_mean

GALLERY = Path(__file__).parent.parent.parent / "gallery"
ATTACKS = GALLERY / "attacks"


def shipped() -> tuple[str, ...]:
    """Return the names of the scenarios of the gallery."""
    return _names(GALLERY)


def attacks() -> tuple[str, ...]:
    """Return the names of the shipped scenarios of attacks."""
    return _names(ATTACKS)


@cache
def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def source(name: str) -> str:
    """Return the text of a shipped scenario, comments included. Raises ScenarioError."""
    for names, folder in ((shipped(), GALLERY), (attacks(), ATTACKS)):
        if name in names:
            return (folder / f"{name}.toml").read_text("utf-8")
    raise ScenarioError([unknown_name(name)])


def unknown_name(name: str) -> str:
    """Return a message: no shipped scenario has this name, and the names that exist."""
    hint = did_you_mean(Path(name).stem, (*shipped(), *attacks()))
    names = ", ".join(shipped())
    return f"{name}: no such file, and no scenario of this name; shipped are {names}{hint}"
