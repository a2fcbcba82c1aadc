"""The attacks that a scenario file may name: built-in attacks, and attacks of other packages.

Names are known without importing the attacks, because reading a scenario runs no code of attacks.
Other installed packages declare their attacks as entry points of the group `veilmix.attacks`.
"""

from collections.abc import Mapping
from pathlib import Path

from .plugs import homes

HOME = "veilmix.scenarios.attacks.entries"
ATTACK_FOLDER = Path(__file__).parent.parent / "attacks" / "entries"


def attack_homes() -> Mapping[str, str]:
    """Return the location of every attack's record: name of the attack -> `module:attribute`."""
    stems = (path.stem for path in ATTACK_FOLDER.glob("*.py") if not path.stem.startswith("_"))
    built_in = {stem.replace("_", "-"): f"{HOME}.{stem}:ATTACK" for stem in stems}
    return homes("attacks", built_in)


def attack_names() -> tuple[str, ...]:
    """Return the names of all attacks, in alphabetical order."""
    return tuple(sorted(attack_homes()))
