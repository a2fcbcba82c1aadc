"""A score in words and tables for people, and as plain data for programs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...presentation.score_grids import BOUNDS, COVERAGE
from . import questions
from .layout import Block, Grid, Line, percent, plural

if TYPE_CHECKING:
    from ...analysis.exposure import Attacker
    from ...analysis.exposure.equal_people import SharedValues
    from ...analysis.scoring import TableScore
    from ...analysis.scoring.parts import ScoredPart
    from ...analysis.scoring.set_scores import ScoredSet, SetChoice
    from ...scenarios.populations.people import SourceTable

STEPS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)  # the k of the table of curves
MAX_PRINTED = 15  # sets, and dropped columns, named in the text
LISTED = 4  # columns: up to this number all sets are printed
WORST_ROW = (
    " a crowd is the number of different persons with such a row; a person is as exposed as its "
    "worst row"
)
OVERRULE = "a guess is wrong? --identifier, --quasi, --sensitive and --other overrule it"
TRUTH = 1  # row of the true exposure among the bounds
UNRELATED = (
    "if the columns had nothing to do with each other: estimate, mean (95 % of permutations)"
)
# Counted by benchmarks/unrelated_columns.py.
MISLEADS = (
    "It misleads where columns depend on each other: the truth was in its range in 569 of 600 "
    "tables of unrelated columns, in 192 of 600 where columns agree with chance 0.9"
)
MEANINGS = {
    "category": "are a value of their own",
    "wildcard": "match anything: a crowd is everybody whose row is compatible with a person's row; "
    "compatible is not transitive, so crowds overlap",
}


def score_blocks(
    score: "TableScore",
    called: str,
    lacks: Sequence[str],
    table: "SourceTable",
) -> Iterator[Block]:
    """Yield the score. table: the scored table, with the roles of its columns."""
    from ...analysis.scoring import Missing
    from ...presentation.equal_people import alike_lines

    yield Line(
        f"{called}  {score.n:,} people{_rows(score.rows, score.n)}, "
        f"{plural(len(score.columns), 'column')}; at most {percent(score.max_exposure)} "
        f"({score.people_limit:,}) may be in a crowd smaller than k = {score.k}"
    )
    yield Line(f"missing cells ({_texts(lacks)}) {MEANINGS[score.missing]}")
    yield Line(f"          {score.joint.missing:,} of {score.rows * len(score.columns):,} cells")
    yield Line(table.note)
    yield from _tell_people(score, table)
    yield Line("\npeople in a crowd smaller than k")
    yield _curves(score)
    yield from map(Line, _exposure_lines(score))
    yield Line(f"\nall columns, people in a crowd smaller than k = {score.k}")
    yield _bounds(score)
    if caution := _caution(score):
        yield Line(caution, "dim")
    for line in alike_lines(table.columns, _unanimous(table)):
        yield Line(f" {line}")
    if score.missing is Missing.WILDCARD:
        yield Line(
            " bounds and the worst table read missing cells as a value; they hold for wildcards, "
            "whose crowds are never smaller",
            "dim",
        )
    yield Line("\nre-identification from all columns")
    yield _risk(score)
    if score.risk.estimate is not None:
        yield Line(sampling(score), "dim")
    for judged in table.judged:
        if judged.role == "weight" and score.risk.estimate is None:
            yield Line(f" the population by its weights: --weight {judged.column}", "dim")
    yield from questions.question_blocks(score)
    yield Line(f"\nsafe sets of columns ({_searched(score)})")
    yield _sets(score)
    remaining = len(_printed_sets(score)) - MAX_PRINTED
    if remaining > 0 and len(score.columns) > LISTED:
        yield Line(f" ... and {remaining:,} more: --format csv or json", "dim")
    yield Line()
    yield from _advise(score, score.sets.truth, "by the table itself")
    yield from _advise(
        score, score.sets.promised, f"by the columns' counts alone ({_promise(score)})"
    )
    if score.sets.truth.dropped:
        yield Line(f"said coarser, more may stay: veilmix advise {called}", "dim")


def _tell_people(score: "TableScore", table: "SourceTable") -> Iterator[Block]:
    """Yield the definition of a person, and the roles of the columns."""
    yield Line(f"a person is {table.person}")
    if score.rows > score.n:
        yield Line(WORST_ROW, "dim")
    yield Line("\nwhat the columns are (guessed, unless you said so)")
    yield roles(table)
    if not all(column.is_stated for column in table.judged):
        yield Line(f" {OVERRULE}", "dim")


def _exposure_lines(score: "TableScore") -> Iterator[str]:
    """Yield two lines on exposure: if attackers know the quasi-identifiers, or all columns."""
    if score.quasi is None:
        return
    for knowledge, scored in (("quasi-identifiers", score.quasi), ("everything", score.joint)):
        below = scored.crowds.users_below(score.k)
        share, smallest = percent(below / score.n), scored.crowds.smallest
        yield f" known: {knowledge:17}  {share} ({below:,}) below k, smallest crowd {smallest:,}"


def _rows(rows: int, people: int) -> str:
    return f" in {rows:,} rows" if rows > people else ""


def roles(table: "SourceTable") -> Grid:
    """Return a table of every column of the file, direct identifiers first."""
    judged = sorted(table.judged, key=lambda judged: judged.column in table.columns)
    rows = [
        (
            column.column,
            column.label + ("" if column.column in table.columns else ": left out"),
            column.reason,
        )
        for column in judged
    ]
    return Grid(("column", "is", "because"), rows)


def _texts(lacks: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(f'"{text}"' if text.strip() else "empty" for text in lacks))


def _ks(score: "TableScore") -> list[int]:
    return sorted(k for k in {*STEPS, score.k} if k <= max(score.n, score.k))


def _curves(score: "TableScore") -> Grid:
    ks = _ks(score)
    rows = [
        (
            column.name,
            f"{column.values:,}",
            f"{column.missing:,}",
            f"{column.crowds.smallest:,}",
            *(f"{column.crowds.users_below(k):,}" for k in ks),
        )
        for column in _subjects(score)
    ]
    headings = ("column", "values", "missing", "smallest crowd", *(f"k = {k:,}" for k in ks))
    return Grid(headings, rows, tuple(range(1, len(headings))))


def _subjects(score: "TableScore") -> "tuple[ScoredPart, ...]":
    return (*score.columns, score.joint)


def _bounds(score: "TableScore") -> Grid:
    rows = [(says, f"{people:,}", percent(people / score.n)) for _, says, people in bounded(score)]
    estimate = score.unrelated
    if estimate is not None:
        people = f"{estimate.mean:,.1f} ({estimate.low:,} to {estimate.high:,})"
        rows.insert(TRUTH + 1, (UNRELATED, people, percent(estimate.mean / score.n)))
    return Grid(("", "people", "share"), rows, (1, 2))


def _caution(score: "TableScore") -> str:
    """Return the method and the limits of the estimate, or the reason why it is missing."""
    estimate = score.unrelated
    if estimate is not None:
        return (
            f" the estimate permutes each column {estimate.permutations} times (seed "
            f"{estimate.seed}) and promises nothing: the rows below it are proved. {MISLEADS}"
        )
    if len(score.columns) < 2:
        return ""
    why = "missing cells match anything" if score.missing == "wildcard" else "too many people"
    why = "persons have several rows" if score.rows > score.n else why
    return f" the exposure if the columns had nothing to do with each other: not estimated, {why}"


def _unanimous(table: "SourceTable") -> "SharedValues":
    """Return the columns with a single value; `questions` searches the other common values."""
    from ...analysis.exposure.equal_people import SharedValues

    first = [texts[code] for texts, code in zip(table.values, table.codes[0], strict=True)]
    shared_mask = (table.codes == table.codes[0]).all(axis=0)
    places = tuple((place, first[place]) for place in range(len(first)) if shared_mask[place])
    return SharedValues(len(table.codes), len(first), places, 0, None)


def bounded(score: "TableScore") -> "Iterator[tuple[str, str, int]]":
    """Yield the bounds on exposure of all columns at k: name, words, people."""
    bounds, worst = score.bounds, score.bounds.worst
    yield "lower", BOUNDS["lower"], bounds.lower
    yield "truth", BOUNDS["truth"], score.joint.crowds.users_below(score.k)
    if worst is not None and worst.proven:
        cases = "proven by cases, in whole numbers" if worst.proof else "proven"
        yield "worst", BOUNDS["worst"].replace("proven", cases), worst.people
    elif worst is not None:
        yield "worst_found", BOUNDS["worst_found"], worst.people
        yield "worst_at_most", f"{BOUNDS['worst_at_most']} ({worst.why})", worst.upper
    for name in ("margins", "coverage", "refined", "printed", "persons"):
        if (people := getattr(bounds, name)) is not None:
            yield name, BOUNDS[name], people


def _risk(score: "TableScore") -> Grid:
    risk, mean = score.risk, f"{score.risk.marketer:.4g}"
    population = f"a population {risk.factor:g} times the table"
    if risk.estimate is not None:
        population = f"a population of {risk.estimate.people:,.0f}"
        mean += f" ({risk.estimate.low:.4g} to {risk.estimate.high:.4g})"
    rows = [
        ("prosecutor: knows that its target is in the table", *_attacker(risk.prosecutor)),
        (f"journalist: knows {population}", *_attacker(risk.journalist)),
        ("marketer: links everybody, share expected to be right", "", mean, ""),
    ]
    above = f"people above 1/{score.k}"
    return Grid(("attacker", "largest chance", "mean chance", above), rows, (1, 2, 3))


def sampling(score: "TableScore") -> str:
    """Return the model and the method of a risk by sampling weights."""
    estimate = score.risk.estimate
    if estimate is None:
        return ""
    return (
        " journalist and marketer by sampling weights: F, the crowd in the population, negative "
        "binomial with p = people / sum of their weights in each crowd; a chance is the mean of "
        "1 / F (Franconi and Polettini 2004). In brackets the 95 % interval of F under this model, "
        f"by {estimate.draws:,} draws (seed {estimate.seed}); that the model holds is assumed"
    )


def _attacker(attacker: "Attacker") -> tuple[str, str, str]:
    return f"{attacker.largest:.4g}", f"{attacker.mean:.4g}", percent(attacker.above)


def _searched(score: "TableScore") -> str:
    sets = score.sets
    if sets.every:
        return f"all {sets.counted:,} sets counted"
    d = len(score.columns)
    stop_note = "" if sets.finished else "; stopped before every column had one"
    return (
        f"{sets.counted:,} of {2**d - 1:.3g} sets counted{stop_note}; those found cannot be "
        "enlarged"
    )


def _printed_sets(score: "TableScore") -> "list[ScoredSet]":
    """Return all sets if the columns are few, else the maximal safe sets."""
    sets = score.sets
    if sets.every and len(score.columns) <= LISTED:
        return list(sets.sets)
    maximal = {*sets.maximal_truth, *sets.maximal_promised}
    chosen = [group for group in sets.sets if group.columns in maximal]
    return sorted(chosen, key=lambda group: (-len(group.columns), group.columns))


def _sets(score: "TableScore") -> Grid:
    printed_choices = _printed_sets(score)
    printed_choices = (
        printed_choices if len(score.columns) <= LISTED else printed_choices[:MAX_PRINTED]
    )
    rows = [
        (
            _name(score, group.columns),
            *_judged(score, group.truth),
            *_judged(score, group.promised),
        )
        for group in printed_choices
    ]
    return Grid(("columns", "in truth", "", f"at most, by {_promise(score)}", ""), rows, (1, 3))


def _promise(score: "TableScore") -> str:
    """Return the bound that certifies sets of columns."""
    return COVERAGE if score.rows == score.n else "persons of each value"


def _judged(score: "TableScore", people: int) -> tuple[str, str]:
    return percent(people / score.n), "safe" if people <= score.people_limit else "unsafe"


def _name(score: "TableScore", columns: Sequence[int]) -> str:
    return " x ".join(score.columns[j].name for j in columns) or "(none)"


def _advise(score: "TableScore", choice: "SetChoice", by: str) -> Iterator[Block]:
    """Yield the columns to keep and the columns to drop."""
    size_note = "no safe set has more columns" if choice.largest else "larger ones may exist"
    columns_text = ", ".join(score.columns[j].name for j in choice.kept_columns) or "nothing"
    yield Line(
        f"{by}: keep {columns_text} ({percent(choice.people / score.n)} in a smaller crowd; "
        f"{size_note})"
    )
    dropped = sorted(choice.dropped, key=lambda column: column.people)
    named = [
        f"{score.columns[column.column].name} ({percent(column.people / score.n)} with it)"
        for column in dropped[:MAX_PRINTED]
    ]
    if named:
        more = f", and {len(dropped) - MAX_PRINTED:,} more" if len(dropped) > MAX_PRINTED else ""
        yield Line(f"  drop {', '.join(named)}{more}")


def tidy(score: "TableScore") -> Grid:
    """Return a table with a number in each line: subject, measure, k and value."""
    return Grid(("subject", "measure", "k", "value"), list(_lines(score)))


def _lines(score: "TableScore") -> Iterator[tuple[str, str, int | str, object]]:
    # A program selects lines by subject and measure, so each kind of figure has a loop of its own.
    for scored in _subjects(score):
        yield scored.name, "values", "", scored.values
        yield scored.name, "missing", "", scored.missing
        yield scored.name, "smallest_crowd", "", scored.crowds.smallest
        for k in _ks(score):
            yield scored.name, "people_below", k, scored.crowds.users_below(k)
    if score.quasi is not None:
        below = score.quasi.crowds.users_below(score.k)
        yield score.quasi.name, "people_below", score.k, below
    for name, _, people in bounded(score):
        yield score.joint.name, name, score.k, people
    if score.unrelated is not None:
        for measure in ("mean", "low", "high"):
            estimate: float = getattr(score.unrelated, measure)
            yield score.joint.name, f"unrelated_{measure}", score.k, estimate
    chances = {"prosecutor": score.risk.prosecutor, "journalist": score.risk.journalist}
    for name, attacker in chances.items():
        for measure in ("largest", "mean", "above"):
            chance: float = getattr(attacker, measure)
            yield score.joint.name, f"{name}_{measure}", score.k, chance
    yield score.joint.name, "marketer", "", score.risk.marketer
    if score.risk.estimate is not None:
        for measure in ("people", "low", "high"):
            part = "population" if measure == "people" else f"marketer_{measure}"
            yield score.joint.name, part, "", getattr(score.risk.estimate, measure)
    for subject, measure, value in questions.tidy(score):
        yield subject, measure.replace(" ", "_"), "", value
    for group in score.sets.sets:
        yield _name(score, group.columns), "set_truth", score.k, group.truth
        yield _name(score, group.columns), "set_promised", score.k, group.promised
    for name, choice in (("truth", score.sets.truth), ("promised", score.sets.promised)):
        for j in range(len(score.columns)):
            yield score.columns[j].name, f"keep_{name}", score.k, int(j in choice.kept_columns)
