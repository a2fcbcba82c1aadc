"""The attacks that a file may name: one for each file of `scenarios/attacks`, and other packages'.

Their names are known without importing them, because reading a scenario needs none of what they do.
Those of other installed packages are entry points of the group `veilmix.attacks`.
"""

from collections.abc import Mapping
from pathlib import Path

from .plugs import homes

HOME = "veilmix.scenarios.attacks"
HERE = Path(__file__).parent.parent / "attacks"


def attack_homes() -> Mapping[str, str]:
    """Where the record of every attack is: name -> module:attribute."""
    stems = (path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))
    built_in = {stem.replace("_", "-"): f"{HOME}.{stem}:ATTACK" for stem in stems}
    return homes("attacks", built_in)


def attack_names() -> tuple[str, ...]:
    """The names of all attacks, in alphabetical order."""
    return tuple(sorted(attack_homes()))
