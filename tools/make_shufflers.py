"""Write into docs/shufflers.md what a place can do if it cheats, from the recorded search.

python tools/make_shufflers.py            write the table of the page
python tools/make_shufflers.py --check    exit 1 if the page has another
"""

import sys
from collections.abc import Iterator

from generated import DOCS, filled, write_or_check, written_table
from veilmix.presentation.presenters.search import BEYOND
from veilmix.scenarios.studies.search.search_result import CoalitionResult
from veilmix.scenarios.studies.search.search_table import shipped

PAGE = DOCS / "shufflers.md"
PLACES = {
    "shuffler-1": "first shuffler",
    "shuffler-2": "second shuffler",
    "network": "board, and the wires",
    "curator": "curator",
    "analyst": "analyst",
}  # party of the search -> the place in a session
SETS = (
    "those that are on where nothing is said",
    "`registered` and `balance`, marginals public",
    "`tokens` and `challenge`, marginals public",
    "`randomized` answers, those that are on where nothing is said",
)  # that a session between machines can have
PERSON = "user-6"  # of the coalition
HEADINGS = ("place", "countermeasures", "alone", "with one person of its own")


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the lines of the table: one for a place and a set of countermeasures."""
    sets = {known.name: known.result.coalitions for known in shipped().sets}
    for party, place in PLACES.items():
        for name in SETS:
            found = {result.members: result for result in sets[name]}
            alone, helped = found[(party,)], found.get((party, PERSON))
            cells = result_text(alone), result_text(helped) if helped else "not searched"
            yield place if name == SETS[0] else "", name, *cells


def result_text(result: CoalitionResult) -> str:
    """Return the result for a coalition in a clause."""
    if result.part:
        return "the same"
    if (find := result.find) is None:
        return f"nothing ({result.played:,} tried)"
    reads = BEYOND[find.reads].removesuffix(", ") or "reads one person's row"
    guess = f"guess {find.guess:.2f}, honest {find.honest:.2f}"
    return f"{reads} ({guess}; noticed: {find.noticed}): {find.words}"


def page() -> str:
    """Return the page as it is to be."""
    table = written_table(HEADINGS, rows()).replace(SETS[0], "defaults")
    return filled(PAGE.read_text("utf-8"), {"cheats": table})


def main(arguments: list[str]) -> int:
    """Write the page, or say that it is out of date."""
    return write_or_check(arguments, {PAGE: page()})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
