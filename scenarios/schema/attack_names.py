"""The attacks that a file may name: one for each file of `scenarios/attacks`.

Their names are known without importing them, because reading a scenario needs none of what they do.
"""

from pathlib import Path

HERE = Path(__file__).parent.parent / "attacks"


def attack_names() -> tuple[str, ...]:
    """The names of all attacks, in alphabetical order."""
    stems = (path.stem for path in HERE.glob("*.py"))
    return tuple(sorted(stem.replace("_", "-") for stem in stems if not stem.startswith("_")))
