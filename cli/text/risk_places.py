"""The values and combinations of values with most people below k, for `score` and `advise`.

Also the changes of the table that, each made alone, help most people. The output is lines and
tables for people, and numbers for CSV.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...presentation.text_blocks import Grid, Line

if TYPE_CHECKING:
    from ...own_data.risk_record import RiskPlaces, RiskyValue, SingleChange, UniqueSets
    from ...presentation.blocks import Block

VALUES = 6  # most risky values in the table on the terminal; CSV and JSON hold more
STEPS = 6  # most changes of the table, each made alone, that are printed
SHARES = 6  # most columns that are printed with their share of the SUDA (special unique) scores


def place_blocks(places: "RiskPlaces") -> Iterator["Block"]:
    """Yield tables: values with most people below k, minimal uniques, and the best single changes.

    A minimal unique is a combination of values that one person alone has, and that needs all of its
    columns. A single change is one change of the table, such as a dropped column.
    """
    yield Line(
        f"\nwhere the risk is: {places.below_k:,} of {places.people:,} people are below "
        f"k = {places.k} in {', '.join(places.columns)}"
    )
    if not places.below_k:
        return
    if places.empty_below_k:
        yield Line(
            f" {places.empty_below_k:,} of the {places.below_k:,} have an empty cell, as have "
            f"{places.empty:,} of all {places.people:,}"
        )
    yield _values(places)
    if len(places.values) > VALUES or places.values_left_out:
        more = len(places.values) - VALUES + places.values_left_out
        yield Line(f" ... and {max(more, 0):,} more values: --format csv or json", "dim")
    if places.uniques is not None:
        yield from map(Line, _unique_lines(places.uniques))
    yield from place_step_blocks(places)


def place_step_blocks(places: "RiskPlaces") -> Iterator["Block"]:
    """Yield a table of single changes, such as a dropped column, and the people below k after each.

    First come the changes that take most people out of classes smaller than k, for each bit of
    entropy that they lose. A last line names the changes that were not computed.
    """
    yield Line("\nnext steps, each alone, of the most people for a bit lost first")
    yield _steps(places)
    if places.limits:
        yield Line(f" not counted: {'; '.join(places.limits)}", "dim")


def _values(places: "RiskPlaces") -> Grid:
    """Return a table of the values with most people below k, each with the merge that helps most.

    A merge replaces a value and another value of its column by one value.
    """
    rows = [
        (
            value.column,
            value.value or "(empty)",
            f"{value.people:,}",
            f"{value.below_k:,} ({percent(value.below_k / value.people)})",
            f"{value.excess:+,.1f}",
            "" if value.score_share is None else percent(value.score_share),
            _merge(value),
        )
        for value in places.values[:VALUES]
    ]
    headings = ("column", "value", "people", "below k", "beyond average", "share of scores")
    return Grid((*headings, "one change: merged"), rows, (2, 3, 4, 5))


def _merge(value: "RiskyValue") -> str:
    """Return in words the best merge of a value with another, and how many people it protects.

    If no merge that was tried takes a person out of risk, the text says so.
    """
    if value.merge_with is None:
        return "no merge that was tried helps"
    return f"with {value.merge_with or '(empty)'}: {value.taken_out:,} fewer below k"


def _unique_lines(uniques: "UniqueSets") -> Iterator[str]:
    """Yield lines on minimal uniques by size, and on the disclosure risk measures SUDA and DIS.

    A minimal unique is a combination of values that one person alone has, and that needs all of its
    columns. Its size is the number of columns.
    """
    counts = ", ".join(
        f"{count:,} of {plural(size, 'column')}" for size, count in enumerate(uniques.counts, 1)
    )
    yield (
        f" minimal uniques (values of one person alone, no fewer columns do): {counts}; "
        f"people with one or more: {uniques.people:,}"
    )
    shares = [share for share in uniques.columns if share.share > 0][:SHARES]
    if shares:
        listed = ", ".join(f"{share.column} {percent(share.share)}" for share in shares)
        yield f" share of SUDA scores by column: {listed}"
    if uniques.dis is not None:
        yield (
            f" DIS: a match with one of the {uniques.unique:,} unique people is right with chance "
            f"{uniques.dis:.4g}, if the table is a simple random sample"
        )


def _steps(places: "RiskPlaces") -> Grid:
    """Return a table of the best single changes of the table, with people below k and bits lost.

    k is the smallest safe equivalence class; a bit lost is entropy of the columns that attackers
    know.
    """
    rows = [
        (
            change_words(step),
            f"{places.below_k:,}",
            f"{step.below_k:,}",
            f"{step.bits:.3f}",
            f"{step.taken_out / step.bits:,.0f}" if step.bits else "free",
        )
        for step in _printed_steps(places)
    ]
    rows = rows or [("no single change lowers the number", "", "", "", "")]
    headings = ("change", "below k now", "then", "bits lost a row", "people a bit")
    return Grid(headings, rows, (1, 2, 3, 4))


def _printed_steps(places: "RiskPlaces") -> "list[SingleChange]":
    """Return the best single changes of the table; at most a single merge in each column.

    They are the changes, each made alone, that reduce the people below k.
    """
    printed_changes, merged = list["SingleChange"](), set[str]()
    for step in places.steps:
        if step.taken_out <= 0 or (step.change == "merged" and step.column in merged):
            continue
        if step.change == "merged":
            merged.add(step.column)
        printed_changes.append(step)
    return printed_changes[:STEPS]


def change_words(step: "SingleChange") -> str:
    """Return a single change of the table in words, such as "drop age"."""
    match step.change:
        case "coarser":
            return f"{step.column}: {step.what}"
        case "dropped":
            return f"drop {step.column}"
        case "merged":
            return f"{step.column}: merge {step.what}"
        case _:
            return f"leave out {step.what}"


def tidy_lines(places: "RiskPlaces") -> Iterator[tuple[str, str, int | str, object]]:
    """Yield the rows of the table for CSV: subject, measure, k ("" if it has no k) and value."""
    for value in places.values:
        subject = f"{value.column}={value.value}"
        yield subject, "value_people", "", value.people
        yield subject, "value_people_below", places.k, value.below_k
        yield subject, "value_excess", places.k, value.excess
        if value.score_share is not None:
            yield subject, "value_score_share", "", value.score_share
        yield subject, "value_merge_takes_out", places.k, value.taken_out
    if places.uniques is not None:
        for share in places.uniques.columns:
            yield share.column, "score_share", "", share.share
        for size, count in enumerate(places.uniques.counts, 1):
            yield f"{size} columns", "minimal_uniques", "", count
    for step in places.steps:
        yield change_words(step), "step_people_below", places.k, step.below_k
        yield change_words(step), "step_bits_lost", "", step.bits
