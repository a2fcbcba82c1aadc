"""The report of a run as blocks: participants, rounds, decision, release, scores and notes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...scenarios.populations.coarsening import coarser_lines
from ...scenarios.records.verification.deviations import deviations
from ..text_blocks import Grid, Line
from ..wording import noun_of
from . import peers, reidentification
from .decision import SET_HEADINGS, decision_rule, set_cells, set_decision, unreleased
from .registry import presenter_of
from .run_scores import randomized, scores
from .topology import people_asked, run_facts
from .unsafe_settings import warnings

if TYPE_CHECKING:
    from ...protocol.wire.messages import Counts
    from ...scenarios.lab.scoring.outcome import Curated, Outcome
    from ...scenarios.programs.dropped_columns import UnreleasedColumn
    from ...scenarios.programs.interface import ConsideredColumns
    from ..blocks import Block

VALUES = 5  # largest number of printed values of a feature
SETS = 15  # with up to this number of column sets all are printed
# cells (combinations of values) printed of a release that has over 2 more; else all are printed
CELLS = 20


def run_blocks(outcome: "Outcome") -> Iterator["Block"]:
    """Yield the report of a run: head, rounds, decision, release, scores and notes."""
    curated, counted = outcome.curated, outcome.counted
    first_lines, presenter = [*head(outcome)], presenter_of(outcome.scenario)
    summary, own_scores = [*presenter.summary(outcome)], [*presenter.scores(outcome)]
    explained = [*presenter.explained(outcome)] if curated and curated.considered else []
    yield from first_lines
    if curated is None:
        yield from summary
    else:
        yield from _first_round(outcome, curated)
        yield from summary
        yield from _decision(outcome, curated, explained)
        yield from _second_round(outcome, curated, f"round {len(counted)}")
    yield from scores(outcome, own_scores)
    for line in peers.named(outcome.peers) if outcome.peers else ():
        yield Line(line, "bold red")
    if remark := presenter.remark():
        yield Line(remark, "dim")
    if outcome.reidentification:
        yield Line(reidentification.NOTE, "dim")
    yield from map(Line, _notes(outcome, counted))


def head(outcome: "Outcome") -> Iterator["Block"]:
    """Yield the name of the run and facts on it, then warnings and deviations."""
    scenario = outcome.scenario
    deviated = deviations(scenario, outcome.attacks, outcome.alarms)
    yield Line(f"{scenario.scenario.name}  {', '.join(run_facts(outcome))}")
    for line in (*warnings(scenario), *deviated):
        yield Line(f"!! {line}", "bold red")
    if outcome.mode == "ideal":
        yield Line("   ideal: the questions are answered without a message", "yellow")


def _first_round(outcome: "Outcome", curated: "Curated") -> Iterator["Block"]:
    """Yield the report of round 1: the number of ballots, and the counts of each column, if any."""
    if curated.marginals is None and curated.decision is not None:
        return
    if curated.marginals is None:
        yield Line(f"  round 1  burned: {outcome.burned}\n", "bold red")
        return
    ballots = sum(sum(count.values()) for count in curated.marginals)
    if several := outcome.several:
        ballots = several.ballots(1)
    yield Line(f"  round 1  {_onions(outcome, ballots)} -> {_reader(outcome, 'curator')}")
    yield from map(Line, _dummies(outcome, 1))
    yield Line()
    people = several.rounds[0].people if several else None
    rows = [
        (name, _values(counts, people), f"{min(counts.values(), default=0):,}")
        for name, counts in zip(outcome.schema.names, curated.marginals, strict=True)
    ]
    yield Grid(("feature", "values (share)", "smallest group"), rows, (2,))
    yield Line()


def _onions(outcome: "Outcome", number: int) -> str:
    """Return a number of messages with a noun that suits the run: onions, ballots or answers."""
    return plural(number, noun_of(outcome.scenario.mix.kind, outcome.mode))


def _dummies(outcome: "Outcome", number: int) -> Iterator[str]:
    """Yield a line on persons and dummies of a round, if persons have several rows.

    A dummy is a ballot without an answer: it hides how many rows a person has. number: the round.
    """
    if (several := outcome.several) is None or number > len(several.rounds):
        return
    counted = several.rounds[number - 1]
    blank, ballots = sum(counted.dummies), several.ballots(number)
    yield (
        f"           {plural(counted.people, 'person', 'persons')}, {several.rows} ballots of each "
        f"to a question: {ballots - blank:,} answers, {plural(blank, 'dummy', 'dummies')}"
    )


def _values(counts: "Counts", persons: int | None = None) -> str:
    """Return values with their shares of people: all if they are few, else the most frequent.

    persons: number of persons if each may have several values, so that shares can add up to more
    than 100 %; None: each person has a single value.
    """
    people = persons or sum(counts.values()) or 1
    ordered_counts = sorted(counts.items())
    printed_counts = ordered_counts
    if len(ordered_counts) > VALUES:
        printed_counts = sorted(ordered_counts, key=lambda item: -item[1])[: VALUES - 1]
    value_texts = [f"{values[0]} {percent(number / people)}" for values, number in printed_counts]
    if len(ordered_counts) > len(printed_counts):
        rest = percent(sum(n for _, n in ordered_counts if (_, n) not in printed_counts) / people)
        value_texts.append(f"and {len(ordered_counts) - len(printed_counts):,} more {rest}")
    return "  ".join(value_texts)


def _decision(
    outcome: "Outcome", curated: "Curated", explained: Sequence[str]
) -> Iterator["Block"]:
    """Yield the rule of the decision, and the table of considered column sets.

    explained: lines of the release program, printed below the table.
    """
    if curated.decision is None:
        return
    yield Line(decision_rule(outcome.scenario))
    if not curated.considered:
        return
    sets = list(printed_sets(curated.considered, outcome.released_columns))
    rows = [
        (
            *set_cells(choice.columns, percent(choice.promised), choice.rule),
            set_decision(
                safe=choice.safe,
                chosen=choice.columns == outcome.released_columns,
                released=choice.columns == outcome.released_columns and outcome.released,
            ),
        )
        for choice in sets
    ]
    yield Line()
    yield Grid((*SET_HEADINGS, "decision"), rows, (1,))
    if len(sets) < len(curated.considered):
        rest = len(curated.considered) - len(sets)
        yield Line(
            f" and {rest} more sets: each inside a safe one, or around one that is not", "dim"
        )
    yield from map(Line, (*explained, *_explanations(outcome, curated.dropped)))


def _explanations(outcome: "Outcome", suppressed: "Sequence[UnreleasedColumn]") -> "Iterator[str]":
    """Yield lines on each suppressed column: its bound, and limits that would release it."""
    if suppressed:
        yield ""
    yield from unreleased(suppressed)
    population = outcome.scenario.population
    if not (population.builtin or all(column.forbidden for column in suppressed)):
        called = quote(typed(population.source))
        if outcome.several and population.person:
            called += f" --person {quote(population.person)}"
        yield f"coarser values may allow more columns: veilmix advise {called} --by promise"


def typed(path: str) -> str:
    """Return a path as a user would type it: relative to the working folder, if inside it."""
    working_folder = Path.cwd()
    return (
        str(Path(path).relative_to(working_folder))
        if Path(path).is_relative_to(working_folder)
        else path
    )


def printed_sets(
    considered: "Sequence[ConsideredColumns]", released_columns: tuple[str, ...]
) -> "Iterator[ConsideredColumns]":
    """Yield all considered column sets if they are few; else the sets that settle all.

    These are the maximal safe sets, the minimal unsafe sets, and the released set.
    """
    if len(considered) <= SETS:
        yield from considered
        return
    safe = [set(choice.columns) for choice in considered if choice.safe]
    unsafe = [set(choice.columns) for choice in considered if not choice.safe]
    for choice in considered:
        columns = set(choice.columns)
        edge = (
            not any(columns < other_columns for other_columns in safe)
            if choice.safe
            else not any(other_columns < columns for other_columns in unsafe)
        )
        if edge or choice.columns == released_columns:
            yield choice


def _second_round(outcome: "Outcome", curated: "Curated", last: str) -> Iterator["Block"]:
    """Yield the report of the last round: the release, or the reason why there is no release.

    last: the name of the round in which the analyst counts.
    """
    if curated.decision is None:
        if curated.marginals is not None:
            yield Line(f"  {last}  burned: {outcome.burned}", "bold red")
            yield Line()
        return
    suppressed = f"   suppressed: {', '.join(outcome.suppressed)}" if outcome.suppressed else ""
    yield Line()
    if not outcome.released_columns:
        line = f"  {last}  none: no column is safe enough{suppressed}"
        yield Line(line, "bold red")
    elif outcome.release is None:
        yield Line(f"  {last}  burned: {outcome.burned}", "bold red")
    else:
        people = sum(outcome.release.values())
        if outcome.several:
            people = outcome.several.ballots(2)
        read = f"{_onions(outcome, people)} -> {_reader(outcome, 'analyst')}"
        line = f"  {last}  {read}   released: "
        yield Line(line + ", ".join(outcome.released_columns) + suppressed)
        yield from map(Line, _dummies(outcome, 2))
        yield Line()
        yield from _release(outcome)
    yield Line()


def _reader(outcome: "Outcome", party: str) -> str:
    """Return the name of the party that reads a round; in a run among peers all of them read it."""
    return "everybody" if outcome.peers else party


def _release(outcome: "Outcome") -> Iterator["Block"]:
    """Yield the table of the release: the number of people with each combination of values.

    A mark shows numbers below k.
    """
    release = outcome.release or {}
    cells = sorted(release.items())
    k = outcome.scenario.policy.k
    rows = [
        (*values, f"{people:,}", "< k" if people < k else "")
        for values, people in cells[: CELLS if len(cells) > CELLS + 2 else len(cells)]
    ]
    counted = "persons with it" if outcome.several else "people"
    yield Grid((*outcome.released_columns, counted, ""), rows, (len(outcome.released_columns),))
    if len(rows) < len(cells):
        yield Line(f" and {len(cells) - len(rows):,} more, all in release.csv", "dim")


def _notes(outcome: "Outcome", counted: Sequence[int]) -> Iterator[str]:
    """Yield notes below the report: on data, the executor, coarser values, and missing people.

    counted: the number of people counted in each round.
    """
    for line in outcome.notes:
        yield f"data: {line}"
    if outcome.executor:
        yield f"work: {outcome.executor}"
    for line in coarser_lines(outcome.scenario.feature):
        yield f"coarser: {line}"
    first, second = people_asked(outcome)
    for number, arrived_count in enumerate(counted, start=1):
        due = first if number == 1 else second
        if 0 < arrived_count < due:
            yield (
                f"missing: {plural(due - arrived_count, 'person', 'people')} not counted in "
                f"round {number}"
            )


def summary(outcomes: "Sequence[Outcome]") -> Mapping[tuple[str, ...], int]:
    """Count the runs with each released set of columns.

    The key is ("estimates",) for a run with noisy reports, and () for a run without a release.
    """
    return Counter(
        ()
        if not outcome.released
        else ("estimates",)
        if randomized(outcome)
        else outcome.released_columns
        for outcome in outcomes
    )
