"""Write the tables and the list of guards of docs/attacks.md from their records.

python tools/make_attack_tables.py            write
python tools/make_attack_tables.py --check    exit 1 if the page is another than they say
"""

import sys
from collections.abc import Iterator

from generated import DOCS, filled, write_or_check, written_table
from veilmix.scenarios.attacks.catalogue.attack import COMMITTERS
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS, GUARDS

PAGE = DOCS / "attacks.md"
ATTACK = ("attack", "[countermeasures](#guards)")


def attacks(by: str) -> Iterator[tuple[str, ...]]:
    """The attacks that a role commits, by name."""
    for name, attack in ATTACKS.items():
        if attack.by == by:
            elsewhere = "" if attack.scenario == f"attack-{name}" else f" (`{attack.scenario}`)"
            yield f"`{name}`: {attack.does}{elsewhere}", attack.remedy


def guards() -> Iterator[str]:
    """All guards with what they cost, by name, as lines of a list."""
    for name, guard in GUARDS.items():
        key = "" if guard.key == f"defence.{name}" else f" (`{guard.key}`)"
        price = "" if guard.price.startswith("none") else f" *Price*: {guard.price}."
        yield f"* `{name}`{key}: {guard.guards}.{price}\n"


def off() -> str:
    """Return the guards that are off where a scenario says nothing, as a sentence."""
    names = ", ".join(f"`{name}`" for name, guard in GUARDS.items() if not guard.default)
    return f"\nOff where a scenario says nothing: {names}. All others are on.\n"


def written(page: str) -> str:
    """The page with its tables as the records say."""
    made = {by or "design": written_table(ATTACK, attacks(by)) for by in COMMITTERS}
    made["guards"] = "".join(guards()) + off()
    return filled(page, made)


def main(arguments: list[str]) -> int:
    """Write the page, or say that it is out of date."""
    return write_or_check(arguments, {PAGE: written(PAGE.read_text("utf-8"))})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
