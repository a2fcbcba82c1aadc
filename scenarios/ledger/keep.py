"""A session that a ledger knows of: what the first shuffler is to remember, and what is said of it.

The ledger's entries become the shuffler's memory (protocol/history.py), in which a user is the
fingerprint of its row and a feature is what the source calls it; what the shuffler lets pass is
written to the ledger before it is handed on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace as changed

from ...errors import DataError
from ...protocol import parties
from ...protocol.history import History
from ...protocol.messages import Counts
from ...protocol.participation import CountedPeople
from ...protocol.schema import Schema
from ..populations import Population
from ..populations.samples import Samples
from ..programs.randomized.questions import gathered
from ..programs.registry import noisy_questions
from ..schema.mechanisms import mechanisms
from ..schema.model import Scenario
from .account import Account, Spending, Union
from .batches import handed, session
from .book import Ledger
from .cells import CountedCell, marked
from .entry import Entry
from .noise import Noise
from .people import Crowd, crowd_of, memory_of, source_name
from .spending import noise_of, refusal, spending
from .subtraction import GroupRule, group_rule
from .true_exposure import true_exposure

if TYPE_CHECKING:
    from ...analysis.composition.releases import ComposedReleases
    from ..programs.interface import Played
    from ..programs.randomized.questions import Question
    from .certified import Certified
    from .mixed_spending import MixedBudget


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
            f"{source_name(scenario, twice[0])}: ask for it once"
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
    theirs = [source_name(scenario, name) for name in names]
    again = next((name for name in theirs if theirs.count(name) > 1), None)
    return [column for column, name in zip(names, theirs, strict=True) if name == again]


def keep(
    ledger: Ledger,
    scenario: Scenario,
    drawn: Samples,
    seed: int | None,
    play: Callable[[History], "Played"],
    counted: Callable[[], Sequence[Counts] | None] = lambda: None,
) -> tuple["Played", Account]:
    """Play a session that the ledger knows of before it begins, and note how it ended.

    counted: gives the counts of round 1 that its curator has read; None: it has read none.
    """
    crowd = crowd_of(scenario, drawn, ledger.secret())
    asked = noisy_questions(scenario, drawn.people)
    begun = begin(ledger, scenario, drawn.people.schema, crowd, seed, asked=asked)
    begun.memory.counted = counted
    played = play(begun.memory)
    names = drawn.people.schema.names
    kept = [names[column] for column in played.decision.kept] if played.decision else []
    end = End(played.digest.hex(), kept, played.release, played.burned)
    return played, begun.end(end, drawn.people, _reports(asked, played))


def _reports(asked: Sequence["Question"], played: "Played") -> Sequence[int] | None:
    """How many reports were read in answer to each question; None: none were."""
    if not asked or not played.tallies:
        return None
    return [
        sum(counts.values()) // question.randomizer.messages_per_person
        for question, counts in zip(asked, gathered(asked, played.tallies[0]), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class End:
    """The end of a session.

    Attributes:
        session: the digest of its board.
        columns: those of the release, by the names of the scenario.
        release: people by combination; None: nothing was released.
        burned: why not.
    """

    session: str
    columns: Sequence[str]
    release: Counts | None
    burned: str | None


@dataclass(frozen=True, slots=True)
class Begun:
    """A session that stands in the ledger, and has not ended.

    Attributes:
        ledger: where it stands, last.
        scenario: what is asked and promised.
        past: the sessions before it.
        noise: of its people; None: they add none.
        spent: what they will have spent locally; None where they add no noise.
        budget: the same after shuffling.
        rule: on the groups that releases give.
        memory: what the first shuffler remembers.
    """

    ledger: Ledger
    scenario: Scenario
    past: Sequence[Entry]
    noise: Noise | None
    spent: Spending | None
    budget: "MixedBudget | None"
    rule: GroupRule
    memory: History

    def end(
        self, end: End, drawn: Population | None, reports: Sequence[int] | None = None
    ) -> Account:
        """Note how it ended, and say what the ledger knows of its people.

        drawn: the people, for the truth; None where nobody here has them. reports: with noise, read
        in answer to each question; None: none were.
        """
        cells: tuple[CountedCell, ...] = ()
        if end.release is not None and self.noise is None:
            columns = [source_name(self.scenario, name) for name in end.columns]
            cells = marked(columns, end.release, self.ledger.secret())
        certified = self._certified(reports) if end.burned is None else None
        ended = self.ledger.end(end.session, cells, end.burned, certified)
        said = account(self.past, ended, self.memory, self.rule, self.scenario, drawn)
        if self.spent is None or self.budget is None:
            return said
        judged = self.budget.judged if self.memory.refused else None
        return changed(
            said,
            spent=changed(self.spent, shuffled=judged or self.budget.spent(certified)),
        )

    def _certified(self, reports: Sequence[int] | None) -> "Certified | None":
        """What so many reports certify after the mix."""
        if self.budget is None or reports is None:
            return None
        return self.budget.certify(reports)


def begin(
    ledger: Ledger,
    scenario: Scenario,
    schema: Schema,
    crowd: Crowd,
    seed: int | None,
    session: str = "",
    asked: Sequence["Question"] = (),
) -> Begun:
    """Note a session before it is played.

    schema: of its features. session: its name, if any. asked: what people answer with noise.
    """
    past = list(ledger.entries)
    noise = noise_of(scenario, schema)
    spent = spending(past, noise, crowd, scenario.local.spend) if noise else None
    rule = group_rule(past, scenario, crowd, ledger.secret())
    memory = remembered(ledger, scenario, crowd, seed, rule, refusal(spent))
    budget = None
    if noise:
        from .mixed_spending import MixedBudget

        budget = MixedBudget(past, noise, asked, crowd, scenario)
        memory.priced = budget.refusal
    ledger.begin(changed(entry_of(scenario, crowd, seed, noise), session=session))
    return Begun(ledger, scenario, past, noise, spent, budget, rule, memory)


def entry_of(scenario: Scenario, crowd: Crowd, seed: int | None, noise: Noise | None) -> Entry:
    """A session that is about to begin."""
    return Entry(
        scenario=scenario.scenario.name,
        source=crowd.columns,
        people=crowd.people,
        seed=seed,
        least=scenario.defence.min_dropout,
        k=scenario.policy.k,
        max_exposure=scenario.policy.max_exposure,
        noise=noise,
    )


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
    ledger: Ledger,
    scenario: Scenario,
    crowd: Crowd,
    seed: int | None,
    rule: GroupRule,
    spent: str | None = None,
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
        column=lambda name: source_name(scenario, name),
        read=lambda name: crowd.read.get(name, ()),
        coins=crowd.coins(seed),
        write=lambda batch: ledger.hand_on(handed(batch, crowd)),
        subtracted=rule.refusal,
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


def account(
    past: Sequence[Entry],
    now: Entry,
    memory: History,
    rule: GroupRule,
    scenario: Scenario,
    drawn: Population | None,
) -> Account:
    """What is to be said of a session and those before it.

    drawn: the people, for the truth; None where nobody here has them.
    """
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
        exposed = true_exposure(columns, scenario, drawn, now.k) if drawn and ways == {()} else None
        union = Union(both.k, both.n, both.low, both.high, exposed)
    shown = tuple(judged.columns for judged, _ in released)
    warned = tuple(memory.warned)
    groups, subtractions = rule.accounts(now.released)
    return Account(
        *(len(every), memory.refused, warned, shown, union),
        groups=groups,
        subtractions=subtractions,
    )


def _together(cells: Sequence[Sequence[int]], k: int) -> "ComposedReleases | None":
    """The bounds, where there are several releases."""
    if len(cells) < 2:
        return None
    from ...analysis.composition.releases import compose_releases

    return compose_releases(cells, k)
