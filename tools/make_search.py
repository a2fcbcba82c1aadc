"""Write the table of results of the search for attacks: the shipped one, and docs/attack-search.md.

python tools/make_search.py            search with all sets of guards and write
python tools/make_search.py NAME ...   search with these sets alone; the others stay
python tools/make_search.py --page     write the page again from what is shipped
python tools/make_search.py --check    exit 1 if page or table is another than what is played
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from page_tables import written_table
from veilmix import __version__
from veilmix.protocol.search.deviation import text_of
from veilmix.scenarios.catalogue.deviations import deviation_of
from veilmix.scenarios.serialization.json_text import pretty
from veilmix.scenarios.serialization.record import plain
from veilmix.scenarios.studies.executors import processes
from veilmix.scenarios.studies.search import begin, search
from veilmix.scenarios.studies.search_coverage import GuardCoverage, coverage
from veilmix.scenarios.studies.search_result import CoalitionResult, SearchResult
from veilmix.scenarios.studies.search_table import (
    FILE,
    PAIRED,
    SETS,
    TIMED,
    GuardSearch,
    SearchTable,
    recorded_coalitions,
    scenario_of,
    shipped,
)
from veilmix.scenarios.studies.search_text import BEYOND, READS, grouped, limits

PAGE = Path(__file__).parent.parent / "docs" / "attack-search.md"
BLOCK = re.compile(r"(<!-- (results|attacks|guards|refusals) -->\n).*?(<!-- end -->)", re.DOTALL)
HEADINGS = ("countermeasures", "coalition", "result", "strategies", "guess (honest)", "noticed")


def searched(name: str) -> GuardSearch:
    """Search with one set of guards."""
    made = scenario_of(name)
    begun = begin(made, pairs=name in PAIRED, times=name in TIMED)
    return GuardSearch(name, search(made, begun, recorded_coalitions(name)))


def rows(sets: Sequence[GuardSearch]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the page: one a coalition."""
    for known in sets:
        for place, result in enumerate(known.result.coalitions):
            yield ("" if place else known.name, result.name, *_result(result))


def _result(result: CoalitionResult) -> tuple[str, str, str, str]:
    find = result.find
    if find is not None:
        guess = f"{find.guess:.2f} ({find.honest:.2f})"
        read = BEYOND[find.reads].removesuffix(", ") or "crowd 1"
        return f"{read}: {find.words}", f"{find.place:,} of {result.due:,}", guess, find.noticed
    if result.watching:
        return f"reads {READS[result.watched]} by watching", "-", "-", "-"
    if result.part:
        return f"as {' + '.join(result.part)}", "-", "-", "-"
    return "nothing found", f"{result.played:,} of {result.due:,}", "-", "-"


def written(sets: Sequence[GuardSearch]) -> str:
    """Return the table in Markdown, with what was played."""
    return f"{written_table(HEADINGS, rows(sets))}\n{_limits(sets)}\n"


def _limits(sets: Sequence[GuardSearch]) -> str:
    results: list[SearchResult] = [known.result for known in sets]
    kinds = sorted({kind for result in results for one in result.coalitions for kind in one.kinds})
    told = sorted({limits(result) for result in results})
    timed = "; ".join(known.name for known in sets if known.result.times)
    exact = f" Exact times of posts were in the views of: {timed}." if timed else ""
    return f"Played with {'; '.join(told)}, two shufflers. Kinds: {grouped(kinds)}.{exact}"


def attacks() -> str:
    """Return what the search has of the catalogue, in Markdown."""
    lines = [(f"`{known.attack}`", known.how, known.why) for known in coverage().attacks]
    return written_table(("attack", "search", "by or why"), lines)


def guards() -> str:
    """Return what the search shows of countermeasures, in Markdown."""
    return _switched_off("countermeasure", coverage().guards)


def refusals() -> str:
    """Return the same of what the messages of one kind of program are checked for."""
    return _switched_off("check", coverage().refusals)


def _switched_off(what: str, known_guards: Sequence[GuardCoverage]) -> str:
    lines = list[tuple[str, ...]]()
    for known in known_guards:
        strategy = text_of(tuple(map(deviation_of, known.strategy))) or "by watching"
        why = f"{strategy}: {known.why}" if known.members else known.why
        brings = "brings a find" if known.members else "no find"
        lines.append((f"`{known.guard}`", brings, " + ".join(known.members) or "-", why))
    return written_table((what, "switched off", "coalition", "strategy or reason"), lines)


def page(table: SearchTable) -> str:
    """Return the page as it is to be."""
    blocks = {"results": written(table.sets), "attacks": attacks(), "guards": guards()}
    blocks["refusals"] = refusals()
    there = PAGE.read_text("utf-8")
    return BLOCK.sub(lambda match: match[1] + blocks[match[2]] + match[3], there)


def main(arguments: list[str]) -> int:
    """Write table and page, or say that they are out of date."""
    named = [argument for argument in arguments if not argument.startswith("-")]
    table = shipped() if FILE.is_file() else SearchTable(version=__version__, sets=())
    check = "--check" in arguments
    if "--page" not in arguments:
        sets = {known.name: known for known in table.sets}
        with processes(2) as pool:
            for known in pool.map(searched, named or list(SETS)):
                sets[known.name] = known
                ordered = tuple(sets[name] for name in SETS if name in sets)
                table = SearchTable(version=__version__, sets=ordered)
                if not check:
                    FILE.write_text(pretty(plain(table)), "utf-8")
    text, data = page(table), pretty(plain(table))
    if check:
        return int(PAGE.read_text("utf-8") != text or FILE.read_text("utf-8") != data)
    FILE.write_text(data, "utf-8")
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
