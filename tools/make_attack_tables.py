"""Write the tables of docs/attacks.md from the records of attacks and guards.

python tools/make_attack_tables.py            write
python tools/make_attack_tables.py --check    exit 1 if the page is another than they say
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from page_tables import written_table
from veilmix.scenarios.catalogue.attack import COMMITTERS
from veilmix.scenarios.catalogue.registry import ATTACKS, GUARDS, helping

PAGE = Path(__file__).parent.parent / "docs" / "attacks.md"
BLOCK = re.compile(
    r"(<!-- (user|shuffler|network|curator|analyst|design|peers|guards) -->\n).*?(<!-- end -->)",
    re.DOTALL,
)
PEERS = ("attack", "what a peer does", "measured by", "what stops or shows it")
ATTACK = ("attack", "what is done", "scenario", "what stops or shows it")
GUARD = ("guard", "key", "what it does", "where nothing is said", "against", "price")


def attacks(by: str) -> Iterator[tuple[str, ...]]:
    """The attacks that a role commits, by name."""
    for name, attack in ATTACKS.items():
        if attack.by == by:
            yield f"`{name}`", attack.does, f"`{attack.scenario}`", attack.remedy


def among_peers() -> Iterator[tuple[str, ...]]:
    """The attacks that peers commit, by name."""
    for name, attack in ATTACKS.items():
        if how := attack.among_peers:
            yield f"`{name}`", how.does, how.unit, how.remedy


def guards() -> Iterator[tuple[str, ...]]:
    """All guards, by name."""
    for name, guard in GUARDS.items():
        against = ", ".join(f"`{attack}`" for attack in ATTACKS if _stops(name, attack))
        default = "on" if guard.default else "off"
        yield f"`{name}`", f"`{guard.key}`", guard.guards, default, against, guard.price


def _stops(guard: str, attack: str) -> bool:
    return any(guard in helping(attack, topology) for topology in GUARDS[guard].among)


def written(page: str) -> str:
    """The page with its tables as the records say."""
    made = {by or "design": written_table(ATTACK, attacks(by)) for by in COMMITTERS}
    made["peers"] = written_table(PEERS, among_peers())
    made["guards"] = written_table(GUARD, guards())
    return BLOCK.sub(lambda block: block[1] + made[block[2]] + block[3], page)


def main(arguments: list[str]) -> int:
    """Write the page, or say that it is out of date."""
    there = PAGE.read_text("utf-8")
    if "--check" in arguments:
        return int(there != written(there))
    PAGE.write_text(written(there), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
