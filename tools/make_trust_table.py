"""Write the table of docs/attacks.md that says who learns a row, watching and cheating.

python tools/make_trust_table.py            play and write
python tools/make_trust_table.py --check    exit 1 if the page says another thing than is played
"""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from veilmix.cli.text.cheating import seen
from veilmix.scenarios.play.run import run
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.attack_plan import changed
from veilmix.scenarios.studies.cheating import Cheated, measure, smallest
from veilmix.scenarios.validation.load import load
from veilmix.scenarios.verification.views import breaking

PAGE = Path(__file__).parent.parent / "docs" / "attacks.md"
BLOCK = re.compile(r"(<!-- smallest -->\n).*?(<!-- end -->)", re.DOTALL)
SCENARIO, PEOPLE, SEED, RUNS = "attack-overlap", 40, 7, 10
HEADINGS = ("guards", "watching", "cheating", "attack", "rows read", "noticed")
NONE = {
    "defence.sums": False,
    "defence.promise": False,
    "defence.burn": False,
    "defence.compare": False,
    "defence.signed": False,
    "defence.min_dropout": 1,
    "mix.lesson": True,
}
MORE = {
    "defence.registered": True,
    "defence.balance": True,
    "defence.receipts": 0.05,
    "defence.union": True,
}
TOKENS = {"defence.registered": True, "defence.tokens": True}
PUBLIC = {"policy.publish_marginals": True}
SETS: Mapping[str, Mapping[str, object]] = {
    "none that a file can leave out": NONE,
    "those that are on where nothing is said": {},
    "these, marginals public": PUBLIC,
    "`registered`, `balance`, `receipts` of 5 %, `union` besides": MORE,
    "all of these, `recompute`, marginals public": {**PUBLIC, "defence.recompute": True, **MORE},
    "`registered` and `tokens`, and those that are on": TOKENS,
    "these, with tokens, marginals public": {**PUBLIC, **TOKENS},
}


def scenario(keys: Mapping[str, object]) -> Scenario:
    """Forty people, three columns, two shufflers, and these guards."""
    base = {"population.source": "builtin:titanic", "population.users": PEOPLE}
    some = {"mix.shufflers": 2, "policy.max_exposure": 0.3, "defence.union": False}
    return changed(load(SCENARIO), {**base, **some, **keys}, ())


def rows() -> Iterator[tuple[str, ...]]:
    """The lines of the table: one for each smallest coalition of each kind."""
    for name, keys in SETS.items():
        made = scenario(keys)
        watching = breaking(run(made, SEED, worst_case_seconds=0).coalitions)
        cheating = smallest(measure(made, SEED, RUNS))
        said = "; ".join(" + ".join(parties) for parties in watching) or "none"
        for place, one in enumerate(cheating or (None,)):
            first = (name, said) if not place else ("", "")
            yield (*first, *_cheating(one))


def _cheating(one: Cheated | None) -> tuple[str, ...]:
    if one is None:
        return "no known attack", "-", f"0 of {RUNS}", "-"
    rate = f"{one.read} of {one.runs} ({one.low:.0%} to {one.high:.0%})"
    return one.coalition, f"`{one.attack}`", rate, seen(one)


def written() -> str:
    """The table in Markdown, with what was played."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *rows()]
    table = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    return (
        f"{table}\n{PEOPLE} people of titanic, two shufflers, seeds {SEED} to {SEED + RUNS - 1}: "
        f"{RUNS} runs of each attack; intervals of 95 %.\n"
    )


def main(arguments: list[str]) -> int:
    """Write the table, or say that it is out of date."""
    there = PAGE.read_text("utf-8")
    made = BLOCK.sub(lambda one: one[1] + written() + one[2], there)
    if "--check" in arguments:
        return int(there != made)
    PAGE.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
