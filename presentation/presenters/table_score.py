"""The presenter of the score of a user's own table: how exposed are its people?

It shows equivalence classes, bounds on exposure, risks from attackers, questions of regulators, and
the sets of columns that are safe to release. The terminal prints all tables and lines in turn. The
page of a score puts the same tables and lines under the headings of ISO/IEC 27559. All of them are
made from the saved record of the score.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...analysis.scoring import Missing
from ...analysis.scoring.table_score import allowed
from ...number_text import percent, plural
from ...scenarios.populations.roles import ROLE_LABELS
from ..score_grids import BOUNDS, COVERAGE, question_text, questions_grid, sensitive_grid
from ..text_blocks import Grid, Line, titled

if TYPE_CHECKING:
    from ...analysis.composition import WorstCase
    from ...analysis.exposure import Attacker
    from ...own_data.score_record import ChosenColumns, ScoredColumns, ScoredColumnSet, ScoredTable
    from ..blocks import Block

# values of k for which the number of exposed people is printed
STEPS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
MAX_PRINTED = 15  # largest number of column sets, and of columns to drop, that the text names
LISTED = 4  # With up to this number of columns the text prints every set of columns, safe or not.
WORST_ROW = (
    " a crowd is the number of different persons with such a row; a person is as exposed as its "
    "worst row"
)
OVERRULE = "a guess is wrong? --identifier, --quasi, --sensitive and --other overrule it"
TRUTH = 1  # index of the row with the true exposure, in the table of bounds
UNRELATED = (
    "if the columns had nothing to do with each other: estimate, mean (95 % of permutations)"
)
# the numbers in this text were counted by benchmarks/unrelated_columns.py: 569 of 600, 192 of 600
MISLEADS = (
    "It misleads where columns depend on each other: the truth was in its range in 569 of 600 "
    "tables of unrelated columns, in 192 of 600 where columns agree with chance 0.9"
)
MEANINGS = {
    Missing.CATEGORY: "are a value of their own",
    Missing.WILDCARD: "match anything: a crowd is everybody whose row is compatible with a "
    "person's row; compatible is not transitive, so crowds overlap",
}
WILDCARDS = (
    " bounds and the worst table read missing cells as a value; they hold for wildcards, whose "
    "crowds are never smaller"
)
QUESTIONS = "three questions of regulators, if the rows of these columns left as they are"
NOT_ASKED = " not asked: their attacks are on single rows, and persons have several here"


def terminal(
    score: "ScoredTable", worst: "WorstCase | None" = None, shared: Sequence[str] = ()
) -> Iterator["Block"]:
    """Yield the score of a user's table, for a terminal.

    worst: the search for the worst case over all tables with the same marginals; None: not
    searched. shared: sentences on the values that all people share.
    """
    yield Line(
        f"{score.data}  {score.users:,} people{_rows(score)}, "
        f"{plural(len(score.columns), 'column')}; at most {percent(score.max_exposure)} "
        f"({people_limit(score):,}) may be in a crowd smaller than k = {score.k}"
    )
    yield Line(f"missing cells ({_texts(score.missing.texts)}) {MEANINGS[score.missing.meaning]}")
    cells = (score.rows or score.users) * len(score.columns)
    yield Line(f"          {score.missing.cells:,} of {cells:,} cells")
    yield Line(score.read)
    yield Line(f"a person is {score.person}")
    if score.rows > score.users:
        yield Line(WORST_ROW, "dim")
    yield from titled([_roles(score)])
    if not all(role.said for role in score.roles):
        yield Line(f" {OVERRULE}", "dim")
    yield from titled([*exposure_blocks(score, worst, shared), *attacker_blocks(score)])
    for role in score.roles:
        if role.role == "weight" and score.risk.sampled is None:
            yield Line(f" the population by its weights: --weight {role.column}", "dim")
    yield Line(f"\n{QUESTIONS}")
    if score.rows > score.users:
        yield Line(NOT_ASKED)
    if score.questions:
        yield questions_grid(score.questions)
    if score.sensitive:
        yield from titled([sensitive_grid(score.sensitive)])
    yield from titled(set_blocks(score, MAX_PRINTED))
    if score.sets.truth.drop:
        yield Line(f"said coarser, more may stay: veilmix advise {score.data}", "dim")


def people_limit(score: "ScoredTable") -> int:
    """Return the largest number of people that may be in a class smaller than k, by the policy."""
    return allowed(score.max_exposure, score.users)


def _rows(score: "ScoredTable") -> str:
    """Return the number of rows as a phrase, if people have several rows; else an empty text."""
    return f" in {score.rows:,} rows" if score.rows > score.users else ""


def _texts(lacks: Sequence[str]) -> str:
    """Return the texts that stand for a missing value in the table, in quotes.

    lacks: these texts, such as `NA`; an empty text is printed as the word `empty`.
    """
    return ", ".join(dict.fromkeys(f'"{text}"' if text.strip() else "empty" for text in lacks))


def _roles(score: "ScoredTable") -> Grid:
    """Return a table of every column of the file with its role, such as quasi-identifier.

    Columns that are left out of the score come first.
    """
    rows = [
        (role.column, ROLE_LABELS[role.role] + ": left out" * role.left_out, role.reason)
        for role in sorted(score.roles, key=lambda role: not role.left_out)
    ]
    caption = "what the columns are (guessed, unless you said so)"
    return Grid(("column", "is", "because"), rows, caption=caption)


def exposure_blocks(
    score: "ScoredTable", worst: "WorstCase | None" = None, shared: Sequence[str] = ()
) -> Iterator["Block"]:
    """Yield the tables of exposure by columns and k, and the bounds on exposure.

    worst: the search for the worst case; None: not searched. shared: sentences on the values that
    all people share.
    """
    yield _curves(score)
    if score.quasi is not None:
        for knowledge, part in (("quasi-identifiers", score.quasi), ("everything", score.joint)):
            yield Line(
                f" known: {knowledge:17}  {percent(part.people_below_k / score.users)} "
                f"({part.people_below_k:,}) below k, smallest crowd {part.smallest_crowd:,}"
            )
    yield _bounds(score, worst)
    if caution := _caution(score):
        yield Line(caution, "dim")
    yield from (Line(f" {line}") for line in shared)
    if score.missing.meaning == Missing.WILDCARD:
        yield Line(WILDCARDS, "dim")


def _ks(score: "ScoredTable") -> list[int]:
    """Return the values of k for which exposure is printed, ascending."""
    return sorted(k for k in {*STEPS, score.k} if k <= max(score.users, score.k))


def _subjects(score: "ScoredTable") -> "tuple[ScoredColumns, ...]":
    """Return the equivalence classes of each single column, then of all columns together."""
    return (*score.columns, score.joint)


def _curves(score: "ScoredTable") -> Grid:
    """Return the table of the number of people in a class smaller than k, by columns and k."""
    ks = _ks(score)
    rows = [
        (
            part.name,
            *(f"{count:,}" for count in (part.values, part.missing, part.smallest_crowd)),
            *(f"{part.curve.people_below(k):,}" for k in ks),
        )
        for part in _subjects(score)
    ]
    headings = ("column", "values", "missing", "smallest crowd", *(f"k = {k:,}" for k in ks))
    right = tuple(range(1, len(headings)))
    return Grid(headings, rows, right, "people in a crowd smaller than k")


def _bounds(score: "ScoredTable", worst: "WorstCase | None") -> Grid:
    """Return the table of bounds on the exposure of all columns together, beside the true exposure.

    It also has the estimate for columns that have no relation to each other. worst: the search for
    the worst case; None: not searched.
    """
    n, words = score.users, dict(BOUNDS)
    if worst is not None and worst.proof:
        words["worst"] = words["worst"].replace("proven", "proven by cases, in whole numbers")
    if worst is not None and not worst.proven:
        words["worst_at_most"] += f" ({worst.why})"
    rows = [
        (words.get(name, name), f"{people:,}", percent(people / n))
        for name, people in score.bounds.items()
    ]
    if (estimate := score.unrelated) is not None:
        people = f"{estimate.mean:,.1f} ({estimate.low:,} to {estimate.high:,})"
        rows.insert(TRUTH + 1, (UNRELATED, people, percent(estimate.mean / n)))
    caption = f"all columns, people in a crowd smaller than k = {score.k}"
    return Grid(("", "people", "share"), rows, (1, 2), caption)


def _caution(score: "ScoredTable") -> str:
    """Return a note on the estimated exposure if columns had no relation to each other.

    The note has the method and the limits of the estimate, or the reason why there is no estimate.
    """
    estimate = score.unrelated
    if estimate is not None:
        return (
            f" the estimate permutes each column {estimate.permutations} times (seed "
            f"{estimate.seed}) and promises nothing: the rows below it are proved. {MISLEADS}"
        )
    if len(score.columns) < 2:
        return ""
    wildcard = score.missing.meaning == Missing.WILDCARD
    why = "missing cells match anything" if wildcard else "too many people"
    why = "persons have several rows" if score.rows > score.users else why
    return f" the exposure if the columns had nothing to do with each other: not estimated, {why}"


def attacker_blocks(score: "ScoredTable") -> Iterator["Block"]:
    """Yield the table of the three attackers: prosecutor, journalist and marketer.

    With sampling weights, a line explains the statistical model behind the chances.
    """
    risk, mean = score.risk, f"{score.risk.marketer:.4g}"
    population, sampled = f"a population {risk.population_factor:g} times the table", risk.sampled
    if sampled is not None:
        population = f"a population of {sampled.people:,.0f}"
        mean += f" ({sampled.marketer_low:.4g} to {sampled.marketer_high:.4g})"
    rows = [
        ("prosecutor: knows that its target is in the table", *_attacker(risk.prosecutor)),
        (f"journalist: knows {population}", *_attacker(risk.journalist)),
        ("marketer: links everybody, share expected to be right", "", mean, ""),
    ]
    headings = ("attacker", "largest chance", "mean chance", f"people above 1/{score.k}")
    yield Grid(headings, rows, (1, 2, 3), "re-identification from all columns")
    if sampled is not None:
        yield Line(
            " journalist and marketer by sampling weights: F, the crowd in the population, "
            "negative binomial with p = people / sum of their weights in each crowd; a chance is "
            "the mean of 1 / F (Franconi and Polettini 2004). In brackets the 95 % interval of F "
            f"under this model, by {sampled.draws:,} draws (seed {sampled.seed}); that the model "
            "holds is assumed",
            "dim",
        )


def _attacker(attacker: "Attacker") -> tuple[str, str, str]:
    """Return an attacker's success as three texts, from the chance to re-identify each person.

    They are the largest chance, the mean chance, and the share of people with a chance above 1 / k.
    """
    return f"{attacker.largest:.4g}", f"{attacker.mean:.4g}", percent(attacker.above)


def set_blocks(score: "ScoredTable", limit: int | None = None) -> Iterator["Block"]:
    """Yield the table of safe sets of columns, and the columns to keep and to drop.

    limit: the largest number of sets and of columns to print; None: no limit, as on a page.
    """
    sets, promise = _printed_sets(score), _promise(score)
    printed = sets if len(score.columns) <= LISTED else sets[:limit]
    rows = [
        (
            " x ".join(group.columns) or "(none)",
            *_judged(score, group.truth, is_safe=group.safe),
            *_judged(score, group.promised, is_safe=group.promised_safe),
        )
        for group in printed
    ]
    headings = ("columns", "in truth", "", f"at most, by {promise}", "")
    yield Grid(headings, rows, (1, 3), f"safe sets of columns ({_searched(score)})")
    if len(sets) > len(printed):
        yield Line(f" ... and {len(sets) - len(printed):,} more: --format csv or json", "dim")
    yield Line()
    yield from _advise(score, score.sets.truth, "by the table itself", limit)
    certified = f"by the columns' counts alone ({promise})"
    yield from _advise(score, score.sets.promised, certified, limit)


def _searched(score: "ScoredTable") -> str:
    """Return the number of column sets that were counted, and whether the search is complete."""
    sets = score.sets
    if sets.every:
        return f"all {sets.counted:,} sets counted"
    every = 2 ** len(score.columns) - 1
    stop_note = "" if sets.finished else "; stopped before every column had one"
    return (
        f"{sets.counted:,} of {every:.3g} sets counted{stop_note}; those found cannot be enlarged"
    )


def _printed_sets(score: "ScoredTable") -> "list[ScoredColumnSet]":
    """Return all column sets if the columns are few, else the maximal safe sets.

    A maximal safe set is safe by the table itself or by a certified bound, and no larger set is.
    """
    sets = score.sets
    if sets.every and len(score.columns) <= LISTED:
        return list(sets.sets)
    maximal = {*sets.maximal_truth, *sets.maximal_promised}
    places = {part.name: place for place, part in enumerate(score.columns)}
    chosen = [group for group in sets.sets if group.columns in maximal]
    return sorted(
        chosen, key=lambda group: (-len(group.columns), [*map(places.get, group.columns)])
    )


def _promise(score: "ScoredTable") -> str:
    """Return the name of the bound that certifies sets of columns.

    It is the coverage bound if each person has a single row. With several rows a person, it is a
    bound computed from the number of persons with each value.
    """
    return COVERAGE if score.rows <= score.users else "persons of each value"


def _judged(score: "ScoredTable", people: int, *, is_safe: bool) -> tuple[str, str]:
    """Return the share of exposed people in a column set as text, and `safe` or `unsafe`.

    people: the number of exposed people. is_safe: whether the policy allows so many.
    """
    return percent(people / score.users), "safe" if is_safe else "unsafe"


def _advise(
    score: "ScoredTable", choice: "ChosenColumns", by: str, limit: int | None
) -> Iterator["Block"]:
    """Yield a line with the columns to keep, and a line with the columns to drop.

    by: the measure of exposure, in words: the table itself, or a certified bound. limit: the
    largest number of columns to name.
    """
    size_note = "no safe set has more columns" if choice.largest else "larger ones may exist"
    yield Line(
        f"{by}: keep {', '.join(choice.keep) or 'nothing'} "
        f"({percent(choice.people / score.users)} in a smaller crowd; {size_note})"
    )
    named = [
        f"{dropped.column} ({percent(dropped.people_with_it / score.users)} with it)"
        for dropped in sorted(choice.drop, key=lambda dropped: dropped.people_with_it)
    ]
    if named:
        hidden = len(named) - len(named[:limit])
        more = f", and {hidden:,} more" if hidden else ""
        yield Line(f"  drop {', '.join(named[:limit])}{more}")


def numbers(score: "ScoredTable") -> Grid:
    """Return the figures of a score for other programs, as a table with a figure in each line.

    Its columns: subject (a column, a set of columns or a question), measure, k and value.
    """
    return Grid(("subject", "measure", "k", "value"), list(_numbers(score)))


def _numbers(score: "ScoredTable") -> Iterator[tuple[str, str, int | str, object]]:
    """Yield every figure of a score as (subject, measure, k, value), for output as CSV.

    The subject is a column, a set of columns or a question. k is "" for a measure that has no k.
    """
    # A program that reads the output selects lines by subject and measure. All lines of a kind of
    # figure name both in one way, so each kind has its own loop below.
    joint, k = score.joint.name, score.k
    for part in _subjects(score):
        yield part.name, "values", "", part.values
        yield part.name, "missing", "", part.missing
        yield part.name, "smallest_crowd", "", part.smallest_crowd
        for step in _ks(score):
            yield part.name, "people_below", step, part.curve.people_below(step)
    if score.quasi is not None:
        yield score.quasi.name, "people_below", k, score.quasi.people_below_k
    for name, people in score.bounds.items():
        yield joint, name, k, people
    if score.unrelated is not None:
        for measure in ("mean", "low", "high"):
            yield joint, f"unrelated_{measure}", k, getattr(score.unrelated, measure)
    for name in ("prosecutor", "journalist"):
        for measure in ("largest", "mean", "above"):
            yield joint, f"{name}_{measure}", k, getattr(getattr(score.risk, name), measure)
    yield joint, "marketer", "", score.risk.marketer
    if score.risk.sampled is not None:
        yield joint, "population", "", score.risk.sampled.people
        for measure in ("marketer_low", "marketer_high"):
            yield joint, measure, "", getattr(score.risk.sampled, measure)
    for question in score.questions:
        subject = question_text(question)
        yield subject, "right", "", question.attack.share
        if question.control is not None:
            yield subject, "right_if_not_in_it", "", question.control.share
        yield subject, "right_by_guessing", "", question.baseline
        yield subject, "risk", "", question.risk.share
    for column in score.sensitive:
        yield column.column, "l", "", column.diversity
        yield column.column, "l_by_entropy", "", column.entropy_diversity
        yield column.column, "t", "", column.closeness
    for group in score.sets.sets:
        yield " x ".join(group.columns) or "(none)", "set_truth", k, group.truth
        yield " x ".join(group.columns) or "(none)", "set_promised", k, group.promised
    for name, choice in (("truth", score.sets.truth), ("promised", score.sets.promised)):
        for part in score.columns:
            yield part.name, f"keep_{name}", k, int(part.name in choice.keep)
