"""The ledger around a session: the memory of its keeper, and the account of its people.

The ledger's entries become the shuffler's memory (protocol/history/shuffler_history.py), in which a
user is the fingerprint of its row and a feature has its name in the source; a batch that the
shuffler lets pass is written to the ledger before it is handed on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import UNSET
from msgspec.structs import replace as changed

from ....errors import DataError
from ....protocol.history.participation import CountedPeople
from ....protocol.history.shuffler_history import History
from ....protocol.wire import parties
from ....protocol.wire.messages import Counts
from ....protocol.wire.schema import Schema
from ...populations import Population
from ...populations.samples import Samples
from ...programs.noisy_questions import gathered
from ...programs.registry import answers_in, noisy_questions
from ...schema.mechanisms import mechanisms
from ...schema.model import Scenario
from ...schema.single_rows import require_single_rows
from .account import Account, Spending, Union
from .batches import handed, session
from .book import Ledger
from .cells import CountedCell, marked
from .entry import LedgerEntry
from .noise import Noise
from .people import ScenarioPeople, crowd_of, memory_of, source_name
from .spending import noise_of, refusal, spending
from .subtraction import GroupRule, group_rule
from .true_exposure import true_exposure

if TYPE_CHECKING:
    from ....analysis.composition.releases import ComposedReleases
    from ...programs.interface import Played
    from ...programs.noisy_questions import Question
    from .certified import Certified
    from .mixed_spending import MixedBudget


def check_suited(scenario: Scenario, mode: str) -> None:
    """Raise DataError if a run of this scenario cannot keep a ledger."""
    from ...programs.capability import AnswerKind
    from ...programs.people_source import SetPopulation
    from ...programs.registry import capability
    from ...programs.topology import topology_of

    require_single_rows(scenario, "run --ledger")
    unkept = topology_of(scenario).unkept
    if mode != "real" or unkept:
        party_text = unkept or "an ideal run"
        raise DataError(
            f"--ledger: the first shuffler keeps the ledger, and {party_text} has no shuffler"
        )
    if answers_in(scenario) is AnswerKind.OPENED:
        raise DataError(
            "--ledger: it holds releases of columns; this scenario opens rows (a kind that "
            "releases columns is accepted)"
        )
    if repeated_names := _repeated_features(scenario):
        raise DataError(
            f"--ledger: the features {' and '.join(repeated_names)} are one column of the source, "
            f"{source_name(scenario, repeated_names[0])}: ask for it once"
        )
    if scenario.population.setting != "fixed":
        raise DataError(
            "--ledger: it holds releases about the same people; this scenario asks other people "
            'in round 2 (setting = "fixed" is accepted)'
        )
    if answers_in(scenario) is AnswerKind.REPORTS and capability(scenario, SetPopulation):
        raise DataError(
            "--ledger: it adds up the epsilon of reports about features; here they are about sets"
        )
    mechanism = mechanisms().get(scenario.local.mechanism)
    if mechanism is not None and mechanism.split:
        raise DataError(
            f"--ledger: the epsilon of {scenario.local.mechanism} is ensured by the mix alone, and "
            "such an epsilon is not added up over runs; leave out --ledger"
        )


def _repeated_features(scenario: Scenario) -> list[str]:
    """Return the features that are the same column of the source; [] if there is no such column.

    The history knows a column by its name, so a scenario cannot ask for it in two ways.
    """
    names = [feature.name for feature in scenario.feature] or list(scenario.population.columns)
    sources = [source_name(scenario, name) for name in names]
    repeated_source = next((name for name in sources if sources.count(name) > 1), None)
    return [column for column, name in zip(names, sources, strict=True) if name == repeated_source]


def keep(
    ledger: Ledger,
    scenario: Scenario,
    drawn: Samples,
    seed: int | None,
    play: Callable[[History], "Played"],
    counted: Callable[[], Sequence[Counts] | None] = lambda: None,
) -> tuple["Played", Account]:
    """Play a session that the ledger records before it begins; return the session and the account.

    play: runs the session with the memory of earlier sessions. counted: returns the counts of round
    1 that its curator has read; None: it has read no counts.
    """
    crowd = crowd_of(scenario, drawn, ledger.secret())
    questions = noisy_questions(scenario, drawn.people)
    ledger_session = begin(ledger, scenario, drawn.people.schema, crowd, seed, questions=questions)
    ledger_session.memory.counted = counted
    played_session = play(ledger_session.memory)
    names = drawn.people.schema.names
    kept_names = (
        [names[column] for column in played_session.decision.kept]
        if played_session.decision
        else []
    )
    end = SessionEnd(
        played_session.digest.hex(), kept_names, played_session.release, played_session.burned
    )
    return played_session, ledger_session.end(
        end, drawn.people, _reports(questions, played_session)
    )


def _reports(questions: Sequence["Question"], played_session: "Played") -> Sequence[int] | None:
    """Return the number of reports read in answer to each question; None: no reports were read."""
    if not questions or not played_session.tallies:
        return None
    return [
        sum(counts.values()) // question.randomizer.messages_per_person
        for question, counts in zip(
            questions, gathered(questions, played_session.tallies[0]), strict=True
        )
    ]


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """The end of a session, to be written to the ledger.

    Attributes:
        session: the digest of its board.
        columns: the columns of the release, by the names of the scenario.
        release: people by combination; None: there is no release.
        burned: the reason of an aborted session; None: it was not aborted.
    """

    session: str
    columns: Sequence[str]
    release: Counts | None
    burned: str | None


@dataclass(frozen=True, slots=True)
class Begun:
    """A session that is in the ledger, and has not ended.

    Attributes:
        ledger: the ledger in which this session is the last.
        scenario: the scenario, with the session's questions and promises.
        past: the sessions in the ledger before this session.
        noise: the noise that its people add; None: they add no noise.
        spent: the epsilon that they have spent locally after it; None where they add no noise.
        budget: the epsilon after shuffling that they have spent; None where they add no noise.
        rule: the rule on groups of people that releases give by arithmetic.
        memory: the memory of the session's first shuffler.
    """

    ledger: Ledger
    scenario: Scenario
    past: Sequence[LedgerEntry]
    noise: Noise | None
    spent: Spending | None
    budget: "MixedBudget | None"
    rule: GroupRule
    memory: History

    def end(
        self, end: SessionEnd, drawn: Population | None, reports: Sequence[int] | None = None
    ) -> Account:
        """Write the session's end, and return the ledger's account of its people.

        drawn: the people, for the truth; None if they are not known here. reports: with noise, the
        number read in answer to each question; None: no reports were read.
        """
        cells: tuple[CountedCell, ...] = ()
        if end.release is not None and self.noise is None:
            columns = [source_name(self.scenario, name) for name in end.columns]
            cells = marked(columns, end.release, self.ledger.secret())
        certified = self._certified(reports) if end.burned is None else None
        ended = self.ledger.end(end.session, cells, end.burned, certified)
        memory_account = account(self.past, ended, self.memory, self.rule, self.scenario, drawn)
        if self.spent is None or self.budget is None:
            return memory_account
        judged = self.budget.judged if self.memory.refused else None
        return changed(
            memory_account,
            spent=changed(self.spent, shuffled=judged or self.budget.spent(certified)),
        )

    def _certified(self, reports: Sequence[int] | None) -> "Certified | None":
        """Return the certificate after shuffling of so many reports to each question.

        None without noise.
        """
        if self.budget is None or reports is None:
            return None
        return self.budget.certify(reports)


def begin(
    ledger: Ledger,
    scenario: Scenario,
    schema: Schema,
    crowd: ScenarioPeople,
    seed: int | None,
    session: str = "",
    questions: Sequence["Question"] = (),
) -> Begun:
    """Write a session to the ledger before it is played, and return it with its memory and budget.

    schema: the features. session: the session's name, or "". questions: questions answered with
    noise.
    """
    past = ledger.past(session)
    noise = noise_of(scenario, schema)
    spending_now = spending(past, noise, crowd, scenario.local.spend) if noise else None
    rule = group_rule(past, scenario, crowd, ledger.secret())
    memory = remembered(ledger, past, scenario, crowd, seed, rule, refusal(spending_now))
    budget = None
    if noise:
        from .mixed_spending import MixedBudget

        budget = MixedBudget(past, noise, questions, crowd, scenario.local)
        memory.priced = budget.refusal
    ledger.begin(changed(entry_of(scenario, crowd, seed, noise), session=session))
    return Begun(ledger, scenario, past, noise, spending_now, budget, rule, memory)


def entry_of(
    scenario: Scenario, crowd: ScenarioPeople, seed: int | None, noise: Noise | None
) -> LedgerEntry:
    """Return the entry of a session that is about to begin."""
    return LedgerEntry(
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
    """Return a function from a person's index to its secret, the same in every run.

    None if the mechanism keeps no noise. The secrets come from the ledger's key; a real person's
    device keeps its own.
    """
    mechanism = mechanisms().get(scenario.local.mechanism)
    if mechanism is None or not mechanism.remembers:
        return None
    key = ledger.secret()
    people = crowd_of(scenario, drawn, key).people
    return lambda index: memory_of(people[index], key)


def remembered(
    ledger: Ledger,
    earlier_entries: Sequence[LedgerEntry],
    scenario: Scenario,
    crowd: ScenarioPeople,
    seed: int | None,
    rule: GroupRule,
    spent: str | None = None,
) -> History:
    """Return the first shuffler's memory of earlier sessions; it refuses only if the policy does.

    For runs with noise only the people's spending counts, and for runs without only these runs:
    each promise is kept by itself. rule: on groups that releases give. spent: the reason not to ask
    these people again, if there is such.
    """
    refuse, noisy = scenario.policy.ledger == "refuse", scenario.local.mechanism in mechanisms()
    past = [entry for entry in earlier_entries if entry.noise is None and not noisy]
    strangers = f"of session {len(earlier_entries) + 1}"
    marks = {parties.user(index): mark for index, mark in enumerate(crowd.people)}
    return History(
        [session(entry) for entry in past],
        burn=refuse,
        union=refuse,
        promised=[CountedPeople(frozenset(entry.people), entry.least) for entry in past],
        strange=incomparable(earlier_entries, crowd) or spent,
        person=lambda user: marks.get(user, f"{user} {strangers}"),
        column=lambda name: source_name(scenario, name),
        read=lambda name: crowd.read.get(name, ()),
        coins=crowd.coins(seed),
        write=lambda batch: ledger.hand_on(handed(batch, crowd)),
        subtracted=rule.refusal,
    )


def incomparable(past: Sequence[LedgerEntry], crowd: ScenarioPeople) -> str | None:
    """Return why these people cannot be compared with an earlier session's; None if they can."""
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
    past: Sequence[LedgerEntry],
    now: LedgerEntry,
    memory: History,
    rule: GroupRule,
    scenario: Scenario,
    drawn: Population | None,
) -> Account:
    """Return the account of a session and the sessions before it.

    memory: the first shuffler's, with its refusals. drawn: the people, for the truth; None if they
    are not known here.
    """
    people = frozenset(now.people)
    touching_entries = [*(entry for entry in past if not people.isdisjoint(entry.people)), now]
    released = [(judged, judged.release) for judged in touching_entries if judged.release]
    mine = now.counted(now.release) if now.release and not now.noise else frozenset()
    judged_by_columns = {
        (judged.columns, judged.coarser): judged
        for judged, batch in released
        if judged.rows is UNSET  # bounds from cells assume one row each
        and judged.counted(batch) == mine
        and sum(judged.cells) == sum(now.cells) > 0
    }
    union_cells = _joint_bounds([judged.cells for judged in judged_by_columns.values()], now.k)
    columns = tuple(dict.fromkeys(name for names, _ in judged_by_columns for name in names))
    union = None
    if union_cells is not None:
        ways = {coarser for _, coarser in judged_by_columns}
        exposed = true_exposure(columns, scenario, drawn, now.k) if drawn and ways == {()} else None
        union = Union(union_cells.k, union_cells.n, union_cells.low, union_cells.high, exposed)
    released_columns = tuple(judged.columns for judged, _ in released)
    warned = tuple(memory.warned)
    groups, subtractions = rule.accounts(now.released)
    return Account(
        sessions=len(touching_entries),
        refused=memory.refused,
        warnings=warned,
        releases=released_columns,
        union=union,
        groups=groups,
        subtractions=subtractions,
    )


def _joint_bounds(cells: Sequence[Sequence[int]], k: int) -> "ComposedReleases | None":
    """Return the bounds of several releases together; None if there are fewer than two."""
    if len(cells) < 2:
        return None
    from ....analysis.composition.releases import compose_releases

    return compose_releases(cells, k)
