"""The output of `veilmix advise` for people: the advice in sentences and tables.

The advice is a level of generalization for each column of a table, so that few people are in
equivalence classes smaller than k. advice_record.py has the same advice as JSON.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...presentation.score_grids import COVERAGE, PERSON_BOUND
from ...presentation.text_blocks import Grid, Line
from .layout import clean
from .risk_places import place_blocks

if TYPE_CHECKING:
    from ...own_data.advise import Advised, ChoiceCost
    from ...own_data.risk_record import RiskPlaces
    from ...presentation.blocks import Block


SUPPRESSION_NOTE = "before cells are suppressed"


def advice_blocks(advised: "Advised", called: str) -> Iterator["Block"]:
    """Yield the whole output of `veilmix advise`, as lines and tables to print.

    called: the name of the table's file.
    """
    # The order is that of a user's decision: the table, the best levels, their cost, other choices.
    best, n = advised.best, advised.n
    yield Line(
        f"{called}  {n:,} people{_rows(advised)}, {plural(len(advised.columns), 'column')}; "
        f"{_limit(advised)} may be in a crowd smaller than k = {advised.k}"
    )
    yield Line(advised.table.note)
    yield Line(f"a person is {advised.table.person}")
    for judged in advised.table.judged:
        if judged.column not in advised.whole.columns:
            article = "" if judged.role == "text" else "a "
            detail_text = f"{article}{judged.label} ({judged.reason})"
            yield Line(f"left out  {judged.column}: {detail_text}")
    yield Line()
    if has_suppressed(advised):
        yield Line(f"each column {SUPPRESSION_NOTE}")
    yield steps(advised)
    yield Line()
    now = percent(best.people / n)
    original_share = percent(advised.exposed_before / n)
    if advised.cells is not None:
        now = f"0.0 % (0); {now} ({best.people:,}) before cells are suppressed"
        yield Line(f"in a smaller crowd  {now}; as it is {original_share}")
    else:
        yield Line(f"in a smaller crowd  {now} ({best.people:,}); as it is {original_share}")
    yield from map(Line, known_column_lines(advised))
    promised = advised.cost.promised
    by = COVERAGE if advised.table.persons is None else PERSON_BOUND
    detail_text = f"{percent(promised / n)} ({promised:,}; {by})"
    if advised.cells is None:
        yield Line(f"promised from the columns' counts alone  {detail_text}")
    for line in costs(advised.cost, advised.predict):
        yield Line(f"{line}, {SUPPRESSION_NOTE}" if has_suppressed(advised) else line)
    if advised.by == "promise":
        yield Line("what is promised has to reach the target, not only what is true of the table")
    yield Line(searched(advised))
    if not advised.reached:
        yield Line(
            f"the target is missed: {advised.missed:,} people, at most {advised.people_limit:,} "
            "may",
            "yellow",
        )
    if len(advised.choices) > 1:
        rest = f", {SUPPRESSION_NOTE}" if has_suppressed(advised) else ""
        yield Line(f"\nother choices, none beaten by another{rest}")
        yield choices(advised)
    places = places_of(advised)
    if places is not None:
        yield from place_blocks(places)


def _limit(advised: "Advised") -> str:
    """Return in words the number of people that may be in an equivalence class smaller than k."""
    if advised.cells is not None:
        return "once cells are suppressed, nobody"
    return f"at most {percent(advised.max_exposure)} ({advised.people_limit:,})"


def has_suppressed(advised: "Advised") -> bool:
    """Whether the advice suppresses single cells.

    Then the printed exposure and utility of the advised generalization describe the table before
    these cells are suppressed, and not the released table.
    """
    return advised.cells is not None and advised.cells.suppressed > 0


def places_of(advised: "Advised") -> "RiskPlaces | None":
    """Return the risk of each value in the generalized table: where people are still below k.

    k is the smallest safe equivalence class. None if no person is below k, or no row or column is
    left.
    """
    from ...own_data.risk_places import advised_places

    is_empty = advised.suppressed == len(advised.table.codes)
    if not advised.best.people or is_empty or not advised.coarse():
        return None
    places = advised_places(advised)
    return places if places.below_k else None


def _rows(advised: "Advised") -> str:
    """Return " in N rows" if a person of the table may have several rows, else ""."""
    persons = advised.table.persons
    return "" if persons is None else f" in {len(persons):,} rows"


def known_column_lines(advised: "Advised") -> Iterator[str]:
    """Yield lines on exposure and limits: the exposure if attackers know some or all columns.

    Further lines name the columns that are released unchanged, the targets of sensitive columns,
    and the numbers of suppressed rows and cells.
    """
    from ...own_data.sensitive_targets import targets_text

    quasi, every = (percent(people / advised.n) for people in advised.exposed)
    counted = "quasi-identifiers" if advised.knowledge == "quasi" else "everything"
    yield f"if others know the quasi-identifiers  {quasi} ({advised.exposed[0]:,})"
    yield f"if others know everything that is released  {every} ({advised.exposed[1]:,})"
    yield f"the target counts  {counted}"
    if advised.rest is not None:
        yield f"released as they are  {', '.join(advised.rest.columns)}"
    for name, target in advised.targets.items():
        yield f"target of {name}  {targets_text(target)} in every class"
    if advised.suppress is not None:
        yield (
            f"rows left out  {advised.suppressed:,} of {len(advised.table.codes):,}, of "
            f"{percent(advised.missed / advised.n)} of the people (at most "
            f"{percent(advised.suppress)}); no person left in the table misses the target"
        )
    if (cells := advised.cells) is not None and not cells.suppressed:
        yield f"cells suppressed  none: with these levels nobody is below k = {advised.k}"
    elif cells is not None:
        share = percent(cells.suppressed / cells.total if cells.total else 0.0)
        yield (
            f"cells suppressed  {cells.suppressed:,} of {cells.total:,} ({share}; at most "
            f"{cells.limit:,}), in {cells.rows:,} rows, written as *; every row is then "
            f"that of at least {advised.k} people, * as a value of its own"
        )
        yield (
            f"loss of these cells  {cells.loss:.4f}; with these levels none loses less than "
            f"{cells.lower:.4f}"
        )
    if advised.targets:
        yield (
            f"in a class that misses k or a target  {percent(advised.missed / advised.n)} "
            f"({advised.missed:,})"
        )


def searched(advised: "Advised") -> str:
    """Return a line: the information loss of the advice, and the proved lower bound on any loss.

    The loss is a share of the information in the columns, 0 to 1.
    """
    search = advised.advice
    if advised.like:
        return f"loss {search.best.loss:.4f}; the choice of {advised.like}: nothing was searched"
    spent = f"{search.counted:,} counts of the table"
    if advised.requested_choice is not None:
        searched_line = f"loss {advised.best.loss:.4f}{_with_cells(advised)}, as asked"
        return f"{searched_line}; the best choice found loses {search.best.loss:.4f} ({spent})"
    if search.exact:
        return f"loss {search.best.loss:.4f}; searched exactly: no choice loses less ({spent})"
    if advised.cells is not None:
        return (
            f"loss {search.best.loss:.4f} with suppressed cells; no choice of levels and cells "
            f"loses less than {search.bound:.4f}, so at most {search.gap:.4f} may be left to win "
            f"({spent})"
        )
    return (
        f"loss {search.best.loss:.4f}; stopped: no choice loses less than {search.bound:.4f}, so "
        f"at most {search.gap:.4f} may be left to win ({spent}; --steps searches longer)"
    )


def _with_cells(advised: "Advised") -> str:
    """Return the words " with suppressed cells" if the advice may suppress cells, else ""."""
    return "" if advised.cells is None else " with suppressed cells"


def steps(advised: "Advised") -> Grid:
    """Return a table with a row for each column: its advised level, and the entropy kept in bits.

    The last column of the table is the exposure if this column were generalized one level less.
    """
    n, rows = advised.n, []
    proven = advised.by == "promise"
    advised_share = percent((advised.cost.promised if proven else advised.best.people) / n)
    for j, level_name in enumerate(advised.level_names(advised.best)):
        ladder, finer, level = advised.columns[j].ladder, advised.finer[j], advised.best.levels[j]
        rows.append(
            (
                ladder.column,
                level_name,
                f"{advised.cost.released_bits[j]:.2f} of {advised.cost.whole[j]:.2f}",
                ""
                if finer is None
                else f"{ladder.levels[level - 1].name}: "
                f"{_precise_share(finer / n, advised.max_exposure)} instead of {advised_share}",
            )
        )
    would = "one step finer would promise" if proven else "one step finer would expose"
    return Grid(("column", "say", "bits kept", would), rows, (2,))


def _precise_share(share: float, target: float) -> str:
    """Return a share with enough digits to distinguish it from the target: 1.04 % if it is 1 %."""
    digits = 1
    while share != target and digits < 4 and round(100 * (share - target), digits) == 0:
        digits += 1
    return percent(share) if digits == 1 else f"{100 * share:.{digits}f} %"


def costs(cost: "ChoiceCost", predict: str | None) -> Iterator[str]:
    """Yield a line for each measure of the utility that a choice of generalization levels keeps.

    The measures are the entropy of the columns, the distance of two-way tables from the true
    tables, and the accuracy of predicting the column `predict`.
    """
    yield f"entropy kept  {percent(cost.share)} of the bits of the columns one by one"
    if cost.two_way is not None:
        yield (
            f"two-way tables  {cost.two_way:.3f} from the true ones on average (total variation: "
            "0 the same, 1 nothing in common)"
        )
    if cost.predicted is not None:
        right = cost.predicted
        yield clean(
            f"prediction of {predict}  {percent(right.coarse)} right; {percent(right.fine)} from "
            f"the columns as they are, {percent(right.none)} by the most frequent value"
        )


def tidy(advised: "Advised") -> Grid:
    """Return the choices of generalization levels as a table for CSV, each with its measures."""
    from ...own_data.result_frames import choices as framed

    columns = framed(advised).columns
    return Grid(tuple(columns), list(zip(*columns.values(), strict=True)))


def choices(advised: "Advised") -> Grid:
    """Return a table of the best choices of generalization levels, by people below k.

    k is the smallest safe equivalence class. The first column of the table marks the advised
    choice.
    """
    rows, best = [], "advised" if advised.requested_choice is None else "asked"
    for choice, cost in advised.choices:
        rows.append(
            (
                best if choice == advised.best else "",
                f"{choice.loss:.4f}",
                percent(choice.people / advised.n),
                percent(cost.promised / advised.n),
                percent(cost.share),
                "" if cost.two_way is None else f"{cost.two_way:.3f}",
                ", ".join(
                    f"{column.ladder.column} {level}/{len(column.ladder.levels) - 1}"
                    for column, level in zip(advised.columns, choice.levels, strict=True)
                    if level
                ),
            )
        )
    headings = ("", "loss", "below k", "promised", "bits kept", "two-way", "steps (of dropped)")
    return Grid(headings, rows, (1, 2, 3, 4, 5))
