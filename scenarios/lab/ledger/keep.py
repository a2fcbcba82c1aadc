"""The ledger around a session: the first shuffler's memory, and the account of the people.

The ledger is a file that remembers past sessions. Its entries become the memory of the first
shuffler (protocol/history/shuffler_history.py), which refuses unsafe batches. In this memory a user
is known by the fingerprint (keyed hash) of its row, and a column by its name in the source. A batch
that the shuffler accepts is written to the ledger before it is forwarded.
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
    """Raise DataError if a run of this scenario cannot keep a ledger. mode: "real" or "ideal"."""
    from ...programs.capability import AnswerKind
    from ...programs.people_source import SetPopulation
    from ...programs.registry import capability
    from ...programs.topology import topology_of

    require_single_rows(scenario, "run --ledger")
    unkept = topology_of(scenario).unkept
    if mode != "real" or unkept:
        party_text = unkept or "an ideal run"
        raise DataError(
            f"--ledger: the first shuffler keeps the ledger; {party_text} has no shuffler"
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
            "--ledger: it adds up the epsilon of reports about features; here they are about sets; "
            "leave --ledger out"
        )
    mechanism = mechanisms().get(scenario.local.mechanism)
    if mechanism is not None and mechanism.split:
        raise DataError(
            f"--ledger: the epsilon of {scenario.local.mechanism} is ensured by the mix alone, and "
            "such an epsilon is not added up over runs; leave out --ledger"
        )


def _repeated_features(scenario: Scenario) -> list[str]:
    """Return features that read the same column of the source; [] if there are no such features.

    The ledger knows a column by its name, so a scenario cannot ask for the same column twice.
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

    Args:
        ledger: the open ledger.
        scenario: the scenario of the session.
        drawn: the people of the session.
        seed: the seed of the run; None: the randomness of the system.
        play: runs the session with the first shuffler's memory of earlier sessions.
        counted: returns the counts of round 1 that the curator has read; None: it has read no
            counts.
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
        session: the session's name: the digest of its board, or the hash of the session file.
        columns: the columns of the release, by the names in the scenario.
        release: number of people by combination of values; None: there is no release.
        burned: the reason of an abort; None: the session was not aborted.
    """

    session: str
    columns: Sequence[str]
    release: Counts | None
    burned: str | None


@dataclass(frozen=True, slots=True)
class Begun:
    """A session that the ledger has recorded, and that has not ended.

    Attributes:
        ledger: the ledger, with this session as its last entry.
        scenario: the scenario, with the session's questions and promised limits.
        past: the sessions in the ledger before this session.
        noise: the noise that the session's people add; None: they add no noise.
        spent: the total local epsilon (of reports before the mix) after this session; None without
            noise.
        budget: the total epsilon after shuffling over all runs, with its limit; None without noise.
        rule: the rule that refuses a release if it and earlier releases give, by subtraction, the
            counts of a group of people that is too exposed.
        memory: the first shuffler's memory of earlier sessions.
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
        """Write the session's end to the ledger, and return the account of the session's people.

        drawn: the people's true rows, from which the true exposure is computed; None if they are
        not known here. reports: with noise, the number of reports read in answer to each question;
        None: no reports were read.
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
        """Return the certificate of the session: its epsilon after shuffling.

        reports: the number of reports read to each question; None: no reports were read, so there
        is no certificate. None without noise.
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
    """Write a session to the ledger before it is played, and return it.

    The returned session has the first shuffler's memory of earlier sessions and, if people add
    noise, the epsilon that they have spent.

    Args:
        ledger: the open ledger.
        scenario: the scenario of the session.
        schema: the columns that people are asked for.
        crowd: the people of the session, as fingerprints.
        seed: the seed of the run; None: the randomness of the system.
        session: the session's name; "" if it has no name yet.
        questions: the questions that are answered with noise.
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
    """Return the ledger entry of a session that is about to begin, still without batches.

    crowd: the people of the session, as fingerprints.
    """
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
    """Return a function from a person's index to its secret, which is the same in every run.

    The secret makes the kept noise of a person equal in all runs. None if the mechanism keeps no
    noise. In the laboratory, secrets are derived from the ledger's key; a real person's device has
    its own.
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
    """Return the first shuffler's memory of earlier sessions, which decides on batches.

    The memory refuses unsafe batches if the policy has `ledger = "refuse"`; otherwise it only
    reports them. With noise, no earlier batch is remembered, because only the spent epsilon limits
    the session. Without noise, only earlier sessions without noise are remembered.

    Args:
        ledger: the open ledger, to which batches are written.
        earlier_entries: the sessions before this session.
        scenario: the scenario of this session.
        crowd: the people of this session, as fingerprints.
        seed: the seed of the run; None: the randomness of the system.
        rule: the rule on groups of people with counts that follow from several releases.
        spent: the reason not to ask these people again, as they have spent too much epsilon; or
            None.
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
    """Return the reason why a run's people and an earlier session's cannot be compared, or None.

    People can be compared only if their fingerprints are hashes of the same columns. past: the
    earlier sessions in the ledger. crowd: the people of the run.
    """
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
    """Return the account of a session's people: their sessions, releases and exposure so far.

    Args:
        past: the sessions in the ledger before this session.
        now: this session, ended.
        memory: the first shuffler's memory, with its reason to refuse a batch and its warnings.
        rule: the rule on groups of people with counts that follow from several releases.
        scenario: the scenario of this session.
        drawn: the people's true rows, from which the true exposure is computed; None if they are
            not known here.
    """
    people = frozenset(now.people)
    touching_entries = [*(entry for entry in past if not people.isdisjoint(entry.people)), now]
    released = [(judged, judged.release) for judged in touching_entries if judged.release]
    mine = now.counted(now.release) if now.release and not now.noise else frozenset()
    judged_by_columns = {
        (judged.columns, judged.coarser): judged
        for judged, batch in released
        if judged.rows is UNSET  # the bounds from cell counts hold only if each person has one row
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
    """Return the bounds on exposed people of several releases together; None for less than two.

    cells: for each release, the number of people in each cell.
    """
    if len(cells) < 2:
        return None
    from ....analysis.composition.releases import compose_releases

    return compose_releases(cells, k)
