"""The output of `veilmix score --release FILE --of FILE`: a release compared with its original.

The comparison is printed as lines and tables for people, or as numbers for CSV.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...presentation.score_grids import question_text, questions_grid, sensitive_grid
from ...presentation.text_blocks import Grid, Line

if TYPE_CHECKING:
    from ...own_data.judged_record import JudgedRelease, MatchedColumn
    from ...presentation.blocks import Block


def judged_blocks(judged: "JudgedRelease") -> Iterator["Block"]:
    """Yield the comparison of a release with its original as lines and tables to print."""
    yield from map(Line, _head(judged))
    for line in _alarms(judged):
        yield Line(f"caution   {line}", "yellow")
    yield Line("\ncolumns in both files")
    yield _columns(judged)
    yield Line(f"\nthe {judged.links.people:,} people of the original, looked for in the release")
    yield _links(judged)
    yield Line("\ncopies of rows of the original, in all columns of both files")
    yield from map(Line, _copies(judged))
    control = "people outside" if judged.control else "if not in it"
    yield Line("\nthree questions of regulators, of the release")
    yield questions_grid(judged.questions, control)
    if not judged.control:
        yield Line(" no --control: what the release adds is not set apart from guessing", "dim")
    if judged.sensitive:
        yield Line("\nsensitive columns, among rows of the release that agree in the known columns")
        yield sensitive_grid(judged.sensitive)
    yield Line("\nwhat remains of use")
    yield from map(Line, _use(judged))
    if judged.limits:
        yield Line(f" not counted: {'; '.join(judged.limits)}", "dim")


def _head(judged: "JudgedRelease") -> Iterator[str]:
    """Yield the first lines: sizes of both files, columns that attackers know, smallest class.

    Columns that are in only one of the files, or that are not judged, are named too.
    """
    yield (
        f"{judged.release}  {plural(judged.rows, 'row')}, "
        f"{plural(len(judged.columns), 'column')} of {judged.original} "
        f"({judged.links.people:,} people{_in_rows(judged)})"
    )
    if judged.suppressed:
        yield (
            f"{judged.suppressed:,} suppressed rows (* in every known column) are set apart and "
            "in no crowd"
        )
    known_names = ", ".join(column.column for column in judged.columns if column.known)
    yield f"others know {known_names}"
    yield (
        f"the release by itself: smallest crowd {judged.release_smallest:,}, "
        f"{judged.release_below_k:,} rows below k = {judged.k}"
    )
    if judged.lacking:
        yield f"not released: {', '.join(judged.lacking)}"
    if judged.added:
        yield f"not in the original, and not judged: {', '.join(judged.added)}"
    if judged.not_judged:
        yield f"released, and not judged: {', '.join(judged.not_judged)}"


def _in_rows(judged: "JudgedRelease") -> str:
    """Return " in N rows" if a person of the original may have several rows, else ""."""
    return f" in {judged.person_rows:,} rows" if judged.person_rows else ""


def _alarms(judged: "JudgedRelease") -> Iterator[str]:
    """Yield a line for each serious finding, such as released identifiers or copied unique rows."""
    if judged.identifiers:
        yield f"direct identifiers are released: {', '.join(judged.identifiers)}"
    if judged.free_text:
        yield (f"free text is released, in which names may stand: {', '.join(judged.free_text)}")
    for column in judged.columns:
        if column.strange:
            examples = ", ".join(map(repr, column.examples))
            yield (
                f"column {column.column}: {column.strange:,} cells stand for no value of the "
                f"original ({examples}){'; no person fits their rows' if column.known else ''}"
            )
    if judged.links.pairs:
        rows, them = ("rows", "fit") if judged.person_rows else ("a single row", "fits")
        yield (
            f"{judged.links.pairs:,} people fit {rows} that {them} only them: whoever knows "
            f"them finds {'these' if judged.person_rows else 'it'}"
        )
    if judged.copies.of_unique:
        yield (
            f"{judged.copies.of_unique:,} rows copy the row of somebody whom no other person "
            f"resembles ({_unique_people(judged)})"
        )


def _unique_people(judged: "JudgedRelease") -> str:
    """Return in words the number of people with a copied row that no other person has.

    If there is a control table of people outside the release, the share expected by chance follows.
    """
    copies = judged.copies
    people = f"{copies.people:,} people, {percent(copies.people_share)}"
    if copies.control_share is None:
        return people
    return f"{people}; by chance {percent(copies.control_share)}, as of the people outside"


def _columns(judged: "JudgedRelease") -> Grid:
    """Return a table of the columns in both files: values, entropy in bits, and distance.

    The distance is the total variation distance between the values in the two files.
    """
    rows = [
        (
            column.column,
            f"{column.values:,} of {column.original_values:,}",
            f"{column.coarser:,}",
            f"{column.bits:.2f} of {column.original_bits:.2f}",
            f"{column.distance:.3f}",
        )
        for column in judged.columns
    ]
    return Grid(("column", "values", "coarser", "bits", "distance"), rows, (1, 2, 3, 4))


def _links(judged: "JudgedRelease") -> Grid:
    """Return a table: people of the original with a matching row in the release, and their risks.

    The risks are those of re-identification: prosecutor, journalist and marketer risk.
    """
    links = judged.links
    shares = [
        ("with a row that fits", links.fitted),
        (f"of these, fewer than k = {judged.k} rows fit", links.below_k),
        ("of these, a single row fits", links.single),
        ("of these, the row fits no other person", links.pairs),
    ]
    if judged.person_rows:
        shares = [
            ("with a row that is fitted", links.fitted),
            (f"of these, rows of fewer than k = {judged.k} persons may fit", links.below_k),
            ("of these, rows of a single person may fit", links.single),
            ("of these, the rows fit no other person", links.pairs),
        ]
    behind = "persons behind rows" if judged.person_rows else "rows"
    rows = [(name, f"{people:,}", percent(people / links.people)) for name, people in shares]
    rows += [
        (f"fewest {behind} that fit one of these people", f"{links.fewest:,}", ""),
        ("prosecutor, largest chance", f"{links.prosecutor_largest:.4g}", ""),
        ("prosecutor, mean chance", f"{links.prosecutor_mean:.4g}", ""),
        ("journalist, largest chance", f"{links.journalist_largest:.4g}", ""),
        ("journalist, mean chance", f"{links.journalist_mean:.4g}", ""),
        ("marketer, share of rows expected right", f"{links.marketer:.4g}", ""),
    ]
    return Grid(("", "people", "share"), rows, (1, 2))


def _copies(judged: "JudgedRelease") -> Iterator[str]:
    """Yield lines: the number of copied rows, and how near released rows are to original rows."""
    copies = judged.copies
    yield (
        f" {copies.rows:,} of {judged.rows:,} rows ({percent(copies.rows / judged.rows)}) are "
        f"copies; {copies.of_unique:,} of a row that a single person has"
    )
    near = judged.nearest
    if near is None:
        return
    yield (
        f" distance to the nearest original row (0 to 1; {near.rows:,} rows): median "
        f"{near.median:.4f}, {percent(near.zero)} at 0"
    )
    if near.nearer is not None:
        yield (
            f" to the nearest person outside: median {near.control_median:.4f}; nearer to the "
            f"original {percent(near.nearer.value)} ({percent(near.nearer.low)} to "
            f"{percent(near.nearer.high)}), 50 % if nothing is copied"
        )


def _use(judged: "JudgedRelease") -> Iterator[str]:
    """Yield lines on utility: the entropy of the columns, and the distance of two-way tables.

    The distance compares counts of two columns in the release with the counts in the original,
    after the original is generalized to the same levels.
    """
    bits = sum(column.bits for column in judged.columns)
    whole = sum(column.original_bits for column in judged.columns)
    yield f" entropy of the columns one by one: {bits:.2f} bits a row; {whole:.2f} originally"
    if judged.two_way is not None:
        yield (
            f" two-way tables: {judged.two_way:.3f} from the original, generalized alike "
            "(total variation: 0 the same, 1 nothing in common)"
        )


def tidy(judged: "JudgedRelease") -> Grid:
    """Return the comparison as a table for CSV: each row has subject, measure, k and value."""
    return Grid(("subject", "measure", "k", "value"), list(_lines(judged)))


def _lines(judged: "JudgedRelease") -> Iterator[tuple[str, str, int | str, object]]:
    """Yield the rows of the table for CSV: subject, measure, k ("" if it has no k) and value."""
    whole = judged.release
    yield whole, "rows", "", judged.rows
    yield whole, "rows_suppressed", "", judged.suppressed
    yield whole, "smallest_crowd", "", judged.release_smallest
    yield whole, "rows_below", judged.k, judged.release_below_k
    links = judged.links
    for name in links.__struct_fields__:
        yield "people", name, judged.k if name == "below_k" else "", getattr(links, name)
    for name in judged.copies.__struct_fields__:
        yield "copies", name, "", getattr(judged.copies, name)
    if judged.nearest is not None:
        yield "nearest", "zero", "", judged.nearest.zero
        yield "nearest", "median", "", judged.nearest.median
        if judged.nearest.nearer is not None:
            yield "nearest", "nearer_than_control", "", judged.nearest.nearer.value
    for question in judged.questions:
        yield question_text(question), "right", "", question.attack.share
        yield question_text(question), "right_by_guessing", "", question.baseline
        yield question_text(question), "risk", "", question.risk.share
    for column in judged.columns:
        yield from _column_lines(column)
    if judged.two_way is not None:
        yield whole, "two_way", "", judged.two_way


def _column_lines(column: "MatchedColumn") -> Iterator[tuple[str, str, str, object]]:
    """Yield the rows of the table for CSV about one column."""
    for name in ("values", "original_values", "coarser", "strange", "bits", "original_bits"):
        yield column.column, name, "", getattr(column, name)
    yield column.column, "distance", "", column.distance
