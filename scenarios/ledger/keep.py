"""A session that a ledger knows of: what the first shuffler is to remember, and what is said of it.

The ledger's entries become the shuffler's memory (protocol/history.py), in which a user is the
fingerprint of its row and a feature is what the source calls it; what the shuffler lets pass is
written to the ledger before it is handed on.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace as changed

from ...analysis.exposure import joint_counts, users_below
from ...errors import DataError
from ...protocol import parties
from ...protocol.hiding import Hiding, Mask, Redact
from ...protocol.history import HandedBatch, History
from ...protocol.participation import CountedPeople
from ...protocol.releases import Release
from ..populations import Population
from ..populations.build import columns_of, named_identifiers
from ..populations.people import Codes
from ..populations.samples import Samples
from ..schema.mechanisms import mechanisms
from ..schema.model import Feature, Scenario
from .account import Account, Union
from .book import NEVER_ENDED, Coarsening, Entry, Ledger, LedgerBatch, Suppression
from .people import Crowd, crowd_of, memory_of
from .spending import noise_of, refusal, spending

if TYPE_CHECKING:
    from ...analysis.composition.releases import ComposedReleases
    from ..programs.interface import Played


def check_suited(scenario: Scenario, mode: str) -> None:
    """DataError if a run of this scenario keeps no ledger."""
    from ..programs.registry import program_of
    from ..programs.topology import topology_of

    unkept = topology_of(scenario).unkept
    if mode != "real" or unkept:
        here = unkept or "an ideal run"
        raise DataError(f"--ledger: the first shuffler keeps it, and {here} has none")
    if program_of(scenario).opens:
        raise DataError(
            "--ledger: it holds releases of columns; this scenario opens rows (a kind that "
            "releases columns is accepted)"
        )
    if twice := _twice(scenario):
        raise DataError(
            f"--ledger: the features {' and '.join(twice)} are one column of the source, "
            f"{_theirs(scenario, twice[0])}: ask for it once"
        )
    if scenario.population.setting != "fixed":
        raise DataError(
            "--ledger: it holds releases about the same people; this scenario asks other people "
            'in round 2 (setting = "fixed" is accepted)'
        )
    if program_of(scenario).reports and not program_of(scenario).held:
        raise DataError("--ledger: it counts what reports about features cost, and these are sets")
    own = mechanisms().get(scenario.local.mechanism)
    if own is not None and own.split:
        raise DataError(
            f"--ledger: what {scenario.local.mechanism} costs holds by the mix alone, and is not "
            "counted over runs"
        )


def _twice(scenario: Scenario) -> list[str]:
    """The features that are one and the same column of the source; [] if there is no such column.

    What is said of a column is known by its name, so it cannot be said in two ways.
    """
    names = [feature.name for feature in scenario.feature] or list(scenario.population.columns)
    theirs = [_theirs(scenario, name) for name in names]
    again = next((name for name in theirs if theirs.count(name) > 1), None)
    return [column for column, name in zip(names, theirs, strict=True) if name == again]


def keep(
    ledger: Ledger,
    scenario: Scenario,
    drawn: Samples,
    seed: int | None,
    play: Callable[[History], "Played"],
) -> tuple["Played", Account]:
    """Play a session that the ledger knows of before it begins, and note how it ended."""
    crowd = crowd_of(scenario, drawn, ledger.secret())
    past = list(ledger.entries)
    noise = noise_of(scenario, drawn.people.schema)
    spent = spending(past, noise, crowd, scenario.local.spend) if noise else None
    memory = remembered(ledger, scenario, crowd, seed, refusal(spent))
    ledger.begin(
        Entry(
            scenario=scenario.scenario.name,
            source=crowd.columns,
            people=crowd.people,
            seed=seed,
            least=scenario.defence.min_dropout,
            k=scenario.policy.k,
            noise=noise,
        )
    )
    played = play(memory)
    cells = () if noise else tuple(sorted((played.release or {}).values()))
    ended = ledger.end(played.digest.hex(), cells, played.burned)
    return played, changed(account(past, ended, memory, scenario, drawn), spent=spent)


def secrets(ledger: Ledger, scenario: Scenario, drawn: Samples) -> Callable[[int], bytes] | None:
    """A secret of each person, by index, the same in every run; None where no noise is kept.

    Here they come from the ledger's key; a real person's device keeps its own.
    """
    own = mechanisms().get(scenario.local.mechanism)
    if own is None or not own.remembers:
        return None
    key = ledger.secret()
    people = crowd_of(scenario, drawn, key).people
    return lambda index: memory_of(people[index], key)


def remembered(
    ledger: Ledger, scenario: Scenario, crowd: Crowd, seed: int | None, spent: str | None = None
) -> History:
    """What the first shuffler is to remember. If the policy only warns, it refuses nothing.

    Of runs with noise only what people have spent counts, and of runs without only these: each
    promise is kept by itself. spent: why these people may not be asked again, if so.
    """
    refuse, noisy = scenario.policy.ledger == "refuse", scenario.local.mechanism in mechanisms()
    past = [entry for entry in ledger.entries if entry.noise is None and not noisy]
    strangers = f"of session {len(ledger.entries) + 1}"
    marks = {parties.user(index): mark for index, mark in enumerate(crowd.people)}
    return History(
        [session(entry) for entry in past],
        burn=refuse,
        union=refuse,
        promised=[CountedPeople(frozenset(entry.people), entry.least) for entry in past],
        strange=incomparable(ledger.entries, crowd) or spent,
        person=lambda user: marks.get(user, f"{user} {strangers}"),
        column=lambda name: _theirs(scenario, name),
        read=lambda name: crowd.read.get(name, ()),
        coins=crowd.coins(seed),
        write=lambda batch: ledger.hand_on(handed(batch, crowd)),
    )


def incomparable(past: Sequence[Entry], crowd: Crowd) -> str | None:
    """Why nobody can say whether these people are those of an earlier session, if so."""
    for entry in past:
        if entry.source != crowd.columns:
            odd = sorted(set(entry.source) ^ set(crowd.columns))
            return (
                f"the source has other columns ({', '.join(odd)}) than that of the scenario "
                f"{entry.scenario}, so nobody can tell which people are in both: use the same "
                "columns, or another ledger for people who are certainly others"
            )
    return None


def session(entry: Entry) -> list[HandedBatch]:
    """What a first shuffler remembers of a session.

    Of one that never ended, and of which nothing stands there: that everybody was counted.
    """
    if entry.burned == NEVER_ENDED and not entry.handed:
        return [HandedBatch(1, frozenset(entry.people), entry.least, ())]
    return [_told(entry, batch) for batch in entry.handed]


def _told(entry: Entry, batch: LedgerBatch) -> HandedBatch:
    people = entry.counted(batch)
    rules = {suppression.column: _rule(suppression) for suppression in batch.unsaid}
    words = {coarsening.column: coarsening.rules for coarsening in batch.coarser}
    releases = tuple(
        Release(
            people,
            frozenset(ask),
            {name: rules[name] for name in ask if name in rules},
            batch.coins,
            batch.public or (batch.singles and len(ask) > 1),
            {name: words[name] for name in ask if name in words},
        )
        for ask in batch.asks
    )
    return HandedBatch(batch.round, people, entry.least, releases, batch.singles, batch.public)


def _rule(suppression: Suppression) -> Hiding:
    return (
        Mask(0, suppression.said)
        if suppression.said
        else Redact(0, suppression.blank, suppression.cover)
    )


def handed(batch: HandedBatch, crowd: Crowd) -> LedgerBatch:
    """A batch as it is written down."""
    asked = set(crowd.people)
    rules = {name: rule for release in batch.releases for name, rule in release.hidden.items()}
    words = {name: some for release in batch.releases for name, some in release.coarser.items()}
    return LedgerBatch(
        round=batch.round,
        missing=tuple(i for i, mark in enumerate(crowd.people) if mark not in batch.people),
        others=tuple(sorted(batch.people - asked)),
        asks=tuple(tuple(sorted(release.columns)) for release in batch.releases),
        unsaid=tuple(_unsaid(name, rule) for name, rule in sorted(rules.items())),
        coarser=tuple(Coarsening(column=name, rules=some) for name, some in sorted(words.items())),
        public=batch.public,
        singles=batch.singles,
        coins=batch.releases[0].coins,
    )


def _unsaid(name: str, rule: Hiding) -> Suppression:
    match rule:
        case Mask(said=said):
            return Suppression(column=name, said=said)
        case Redact(values=values, cover=cover):
            return Suppression(column=name, blank=values, cover=cover)


def _theirs(scenario: Scenario, name: str) -> str:
    """What the source calls a feature."""
    return scenario.population.columns.get(name, name)


def account(
    past: Sequence[Entry],
    now: Entry,
    memory: History,
    scenario: Scenario,
    drawn: Samples,
) -> Account:
    """What is to be said of a session and those before it. drawn: the people, for the truth."""
    people = frozenset(now.people)
    every = [*(other for other in past if not people.isdisjoint(other.people)), now]
    released = [(judged, judged.release) for judged in every if judged.release]
    mine = now.counted(now.release) if now.release and not now.noise else frozenset()
    alike = {
        (judged.columns, judged.coarser): judged
        for judged, batch in released
        if judged.counted(batch) == mine and sum(judged.cells) == sum(now.cells) > 0
    }
    both = _together([judged.cells for judged in alike.values()], now.k)
    columns = tuple(dict.fromkeys(name for names, _ in alike for name in names))
    union = None
    if both is not None:
        ways = {coarser for _, coarser in alike}
        exposed = _true(columns, scenario, drawn.people, now.k) if ways == {()} else None
        union = Union(both.k, both.n, both.low, both.high, exposed)
    shown = tuple(judged.columns for judged, _ in released)
    warned = tuple(memory.warned)
    return Account(len(every), memory.refused, warned, shown, union)


def _together(cells: Sequence[Sequence[int]], k: int) -> "ComposedReleases | None":
    """The bounds, where there are several releases."""
    if len(cells) < 2:
        return None
    from ...analysis.composition.releases import compose_releases

    return compose_releases(cells, k)


def _true(columns: Sequence[str], scenario: Scenario, people: Population, k: int) -> int | None:
    """People really exposed on these columns of the source; None if it has not all of them."""
    names = [_theirs(scenario, name) for name in people.schema.names]
    if set(columns) <= set(names):
        table, places = people.codes, [names.index(column) for column in columns]
    elif (cells := _cells(columns, scenario, people)) is not None:
        table, places = cells, list(range(len(columns)))
    else:
        return None
    return int(users_below(joint_counts(table, places), k))


def _cells(columns: Sequence[str], scenario: Scenario, people: Population) -> Codes | None:
    """The codes of these people in columns of the source; None if it does not have all of them."""
    if people.source is None:
        return None
    asked = tuple(Feature(name=column) for column in columns)
    section = changed(scenario.population, columns={})
    try:
        whole = columns_of(people.source, section, asked)
    except DataError:
        return None
    if named_identifiers(whole):
        return None
    rows = np.arange(len(people.source_codes)) if people.origin is None else people.origin
    there = np.arange(len(whole.codes)) if whole.origin is None else whole.origin
    places = np.minimum(np.searchsorted(there, rows), len(there) - 1)
    return whole.codes[places] if np.array_equal(there[places], rows) else None
