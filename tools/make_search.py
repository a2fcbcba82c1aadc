"""Write the table of results of the search for attacks: the shipped one, and docs/attack-search.md.

python tools/make_search.py            search with all sets of guards and write
python tools/make_search.py NAME ...   search with these sets alone; the others stay
python tools/make_search.py --page     write the page again from what is shipped
python tools/make_search.py --check    exit 1 if page or table is another than what is played
"""

import sys
from collections.abc import Iterator, Mapping, Sequence

from generated import DOCS, filled, write_or_check, written_table
from search_coverage import GuardCoverage, coverage
from veilmix import __version__
from veilmix.presentation.presenters.search import BEYOND, READS
from veilmix.protocol.search.deviation import text_of
from veilmix.protocol.wire.parties import ANALYST, Role, role
from veilmix.roles.compute.executors import processes
from veilmix.scenarios.attacks.catalogue.deviations import deviation_of
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.capabilities import DeeperQueries, ThresholdOpening
from veilmix.scenarios.programs.registry import program_of
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.serialization.json_text import pretty
from veilmix.scenarios.serialization.record import plain
from veilmix.scenarios.studies.matrix.attack_plan import changed
from veilmix.scenarios.studies.search.attack_search import begin, coalitions_of, search
from veilmix.scenarios.studies.search.search_result import CoalitionResult
from veilmix.scenarios.studies.search.search_session import small
from veilmix.scenarios.studies.search.search_table import (
    FILE,
    GuardSearch,
    SearchTable,
    shipped,
)

PAGE = DOCS / "attack-search.md"
PERSON = "user-6"  # of coalitions with a person
HEADINGS = ("countermeasures", "found", "nothing found, of strategies played")
BASE = "titanic"  # the scenario whose other keys the sets keep
PUBLIC = {"policy.publish_marginals": True}
REGISTERED = {**PUBLIC, "defence.registered": True, "defence.balance": True}
TOKENS = {**REGISTERED, "defence.tokens": True, "defence.challenge": True}
ASKING = {**REGISTERED, "policy.kind": "hierarchical", "policy.curator_exposure": 0.0}
SECRET = {"policy.publish_marginals": False}
DEFAULT = "those that are on where nothing is said"  # the name of a set
SETS: Mapping[str, Mapping[str, object]] = {
    DEFAULT: {},
    "`registered` and `balance`, marginals public": REGISTERED,
    "`tokens` and `challenge`, marginals public": TOKENS,
    "all, marginals public": {
        **TOKENS,
        "defence.audit": True,
        "defence.recompute": True,
    },
    "`hierarchical`, `registered` and `balance`, marginals secret": {**ASKING, **SECRET},
    "`hierarchical`, `registered` and `balance`, marginals public": ASKING,
    "`threshold` of whole rows, those that are on where nothing is said": {
        "policy.prefixes": False
    },
    "`threshold` of prefixes, people not registered": {"defence.registered": False},
    "`randomized` answers, those that are on where nothing is said": {},
    "`randomized` answers, people not registered": {"defence.registered": False},
    "`incidence` of sets, those that are on where nothing is said": {},
    "`incidence` of sets, people not registered": {"defence.registered": False},
}  # name -> changes of the base
PAIRED = (DEFAULT, *(name for name in SETS if name.startswith("`hierarchical`")))  # with pairs
TIMED = (
    DEFAULT,
    "`registered` and `balance`, marginals public",
    "`randomized` answers, those that are on where nothing is said",
    "`randomized` answers, people not registered",
    "`incidence` of sets, those that are on where nothing is said",
    "`incidence` of sets, people not registered",
)  # views have the exact times of posts too
BASES = {
    "`threshold`": "threshold-titanic",
    "`randomized`": "randomized-class",
    "`incidence`": "incidence-class",
}  # first word of a set -> another base


def recorded_coalitions(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the coalitions that are recorded of a set: each party alone, and each with a person.

    Of programs that ask again, each party alone. If only k people open a row, also each party with
    the analyst, which holds the closed rows.
    """
    searched = small(scenario_of(name))
    program = program_of(searched)
    most_members = 1 if program.capability(DeeperQueries) else 2
    return tuple(
        members
        for members in coalitions_of(searched)
        if len(members) == 1
        or (len(members) <= most_members and role(members[-1]) is Role.USER)
        or (program.capability(ThresholdOpening) and ANALYST in members)
    )


def scenario_of(name: str) -> Scenario:
    """Return the scenario with one set of guards."""
    return changed(load(BASES.get(name.split(maxsplit=1)[0], BASE)), SETS[name], ())


def searched(name: str) -> GuardSearch:
    """Search with one set of guards."""
    made = scenario_of(name)
    begun = begin(made, pairs=name in PAIRED, times=name in TIMED)
    return GuardSearch(name, search(made, begun, recorded_coalitions(name)))


def rows(sets: Sequence[GuardSearch]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the page: one a set of guards."""
    for known in sets:
        results = known.result.coalitions
        finds = dict[str, list[str]]()
        for result in results:
            if said := _find(result):
                finds.setdefault(said, []).append(result.name)
        said = "; ".join(_named(names, find) for find, names in finds.items())
        yield known.name, said or "-", ", ".join(_harmless(results)) or "-"


def _find(result: CoalitionResult) -> str:
    """Return the find of a coalition in words; empty for others."""
    find = result.find
    if find is None:
        return f"by watching ({READS[result.watched]})" if result.watching else ""
    read = BEYOND[find.reads].removesuffix(", ")
    noticed = "" if find.noticed == "never" else f", noticed {find.noticed}"
    guess = f"{find.guess:.2f} for {find.honest:.2f}{noticed}"
    return f"{find.words} ({guess})" if not read else f"{find.words} ({read}; {guess})"


def _named(coalitions: Sequence[str], find: str) -> str:
    """Return a find after its coalitions; a coalition that the find begins with is left out."""
    names = ", ".join(coalitions)
    return find if find.startswith(f"{names}:") else f"{names}: {find}"


def _harmless(results: Sequence[CoalitionResult]) -> Iterator[str]:
    """Yield the coalitions without a find, with the strategies that were played."""
    harmless = {
        one.name: f"{one.due:,}" for one in results if not (one.find or one.watching or one.part)
    }
    for name, many in harmless.items():
        alone, _, other = name.rpartition(" + ")
        if not (alone in harmless and other == PERSON):
            besides = harmless.get(f"{name} + {PERSON}")
            yield f"{name} {many}" + (f" / {besides}" if besides else "")


def written(sets: Sequence[GuardSearch]) -> str:
    """Return the table in Markdown, with what was played."""
    timed = "; ".join(known.name for known in sets if known.result.times)
    exact = f"\nExact times of posts were in the views of: {timed}.\n" if timed else ""
    return f"{written_table(HEADINGS, rows(sets))}{exact}".replace(DEFAULT, "defaults")


def attacks() -> str:
    """Return what the search has of the catalogue, in Markdown."""
    known_attacks = coverage().attacks
    united = dict[tuple[str, str], list[str]]()
    for how in ("found", "played", "outside"):
        for known in known_attacks:
            if known.how == how:
                united.setdefault((how, known.why), []).append(f"`{known.attack}`")
    lines = ((", ".join(names), how, why) for (how, why), names in united.items())
    return written_table(("attack", "search", "strategy or reason"), lines)


def guards() -> str:
    """Return what the search shows of countermeasures, in Markdown."""
    return _switched_off("countermeasure", coverage().guards)


def refusals() -> str:
    """Return the same of what the messages of one kind of program are checked for."""
    return _switched_off("check", coverage().refusals)


def _switched_off(what: str, known_guards: Sequence[GuardCoverage]) -> str:
    finds = list[tuple[str, ...]]()
    reasons = dict[str, list[str]]()
    for known in known_guards:
        if known.members:
            strategy = text_of(tuple(map(deviation_of, known.strategy))) or "by watching"
            members = " + ".join(known.members)
            strategy = strategy.removeprefix(f"{members}: ")
            finds.append((f"`{known.guard}`", members, f"{strategy}: {known.why}"))
        else:
            reasons.setdefault(known.why, []).append(f"`{known.guard}`")
    without = [(", ".join(names), why) for why, names in reasons.items()]
    found = written_table((what, "coalition", "strategy: explanation"), finds)
    return f"{found}\n{written_table((f'{what} without a strategy', 'reason'), without)}"


def page(table: SearchTable) -> str:
    """Return the page as it is to be."""
    blocks = {"results": written(table.sets), "attacks": attacks(), "guards": guards()}
    blocks["refusals"] = refusals()
    return filled(PAGE.read_text("utf-8"), blocks)


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
    return write_or_check(arguments, {FILE: pretty(plain(table)), PAGE: page(table)})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
