"""The page of a scored table: a first page to sign, then the evidence, as ISO/IEC 27559 orders it.

The standard's headings are context, data, identifiability, mitigation, governance. All content
comes from the JSON of `veilmix score`; no value of the table is in it, only names of columns and
counts. The page describes measurements. It is no certificate.
"""

import shlex
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from ..errors import StorageError
from ..number_text import percent, plural
from ..own_data.score_record import ScoredTable
from ..presentation.blocks import Alert, Block, Listing, Page, PageFigure, Section
from ..presentation.presenters import table_score as score_words
from ..presentation.presenters.table_score import people_limit
from ..presentation.score_grids import questions_grid, sensitive_grid
from ..presentation.sections import table_questions, table_thresholds
from ..presentation.sections.table_facts import (
    below,
    first_names,
    identifiers,
    known_columns,
    release_of,
    target_columns,
)
from ..presentation.sections.table_sheet import measures, sheet
from ..presentation.svg import plot
from ..presentation.text_blocks import Grid, Line, PageNumbers
from ..scenarios.serialization.bounded_file import read_bounded
from ..strict_text import Unreadable, from_json

MAX_BYTES = 256 << 20
KNOWS = (
    "Made by veilmix from a score of the table. This page describes what was measured and by which "
    "method; it certifies nothing, and is no legal advice. It holds names of columns and counts of "
    "people, and none of their values."
)
TO_DECIDE = (
    "To be decided by the signer, and written down beside this page: who receives the table, under "
    "which agreement, for how long, what was released of the same people before, and when this is "
    "looked at again. Releases of the same people add up; no single score sees that."
)


def looks_like_one(path: str | PathLike[str]) -> bool:
    """Whether a file looks like the JSON of a score: by its ending, size and two of its keys."""
    path = Path(path)
    if path.suffix.lower() != ".json" or not path.is_file() or path.stat().st_size > MAX_BYTES:
        return False
    text = path.read_bytes()  # the whole file, because the hash comes after all column sets
    return b'"roles"' in text and b'"sha256"' in text


def read(path: str | PathLike[str]) -> ScoredTable:
    """Read the JSON of a score. Raises StorageError if the file is no score."""
    path = Path(path)
    try:
        return from_json(read_bounded(path, MAX_BYTES, "score"), ScoredTable)
    except Unreadable as bad:
        why = f"not the JSON of a score: {bad.why}"
        raise StorageError(f"{path}:{bad.line}: {why}") from None


def page(score: ScoredTable) -> Page:
    """Make the page of a scored table: a sheet to sign, then the evidence."""
    released = release_of(score).file
    return Page(
        f"{'Release of a' if released else 'A'} table about people: {score.data[:60]}",
        (f"veilmix {score.version}", "the evidence follows in the order of ISO/IEC 27559"),
        tuple(_alerts(score)),
        (),
        tuple(make(score) for make in SECTIONS),
        KNOWS,
        "Few enough people are in a small crowd, and nothing else is to be warned of.",
        sheet(score),
    )


def _alerts(score: ScoredTable) -> Iterator[Alert]:
    """Yield alerts on exposed people, shared sensitive values, identifiers, and guessed roles."""
    yield from _exposed(score)
    yield from _certain(score)
    if direct_identifiers := identifiers(score):
        yield Alert(
            "warning",
            "identifiers",
            f"{plural(len(direct_identifiers), 'direct identifier')} in the file",
            f"{first_names(direct_identifiers)}: not scored, because whoever has them needs "
            "nothing else. They "
            "must not leave with the table.",
        )
    guessed = [role.column for role in score.roles if not role.said]
    if guessed:
        yield Alert(
            "note",
            "guessed",
            f"What {plural(len(guessed), 'column')} are was guessed",
            f"{first_names(guessed)}. The reasons are under Data; somebody who knows the table "
            "has to agree.",
            "Say it with --identifier, --quasi, --sensitive, --other.",
        )


def _exposed(score: ScoredTable) -> Iterator[Alert]:
    """Yield alerts on small crowds: more people below k than allowed, and people alone."""
    exposed, n, k = below(score), score.users, score.k
    if exposed > people_limit(score):
        override_note = (
            " It was written all the same (--anyway)." if release_of(score).anyway else ""
        )
        yield Alert(
            "serious",
            "exposed",
            f"{exposed:,} people are in a crowd smaller than k = {k}",
            f"{percent(exposed / n)} of the people; at most {percent(score.max_exposure)} were "
            f"wanted. The table must not leave as it is.{override_note}",
            "veilmix advise searches how coarse its columns have to be.",
            exposed,
        )
    if unique_people := target_columns(score).curve.people_below(2):
        yield Alert(
            "serious",
            "alone",
            f"{plural(unique_people, 'person is', 'people are')} alone in a crowd of one",
            f"Whoever knows {first_names(known_columns(score))} names them with certainty.",
            "veilmix advise --suppress leaves their rows out.",
            unique_people,
        )


def _certain(score: ScoredTable) -> Iterator[Alert]:
    """Yield an alert for each sensitive column with a crowd that shares a single value: l = 1."""
    for column in score.sensitive:
        if certain := column.certain:
            yield Alert(
                "serious",
                "certain",
                f"l = 1: a whole crowd has the same {column.column}",
                f"{plural(certain, 'person is', 'people are')} in a crowd of which all have the "
                f"same {column.column}: whoever finds the crowd learns it, however large it is.",
                f"veilmix advise --l {column.column}=2 asks for different values.",
                certain,
            )


def _context(score: ScoredTable) -> Section:
    """Return the section on context: the three standard attackers and their success."""
    lead = (
        "Who is to receive the table, what they know and what they may do is for the signer to "
        "describe; the numbers below assume the three attackers of the handbooks."
    )
    return Section("context", "Context", lead, tuple(score_words.attacker_blocks(score)))


def _data(score: ScoredTable) -> Section:
    """Return the section on data: a row for each column of the file, with role and treatment."""
    by_name = {column.name: column for column in score.columns}
    because = {role.column: role.reason for role in score.roles}
    rows: list[tuple[str, ...]] = []
    for name, is_, measure, source in measures(score):
        column = by_name.get(name)
        counts = ("", "") if column is None else (f"{column.values:,}", f"{column.missing:,}")
        reason = f"{source}: {because[name]}" if name in because else source
        rows.append((name, is_, reason, *counts, measure))
    headings = ("column", "is", "because", "values", "missing", "what was done")
    lead = f"{score.read}; SHA-256 {score.sha256}."
    return Section("data", "Data", lead, (Grid(headings, rows, (3, 4), "Columns of the file"),))


def _identifiability(score: ScoredTable) -> Section:
    """Return the section on identifiability: exposure, questions, sensitive columns."""
    lead = (
        "A crowd is everybody with the same values in the columns in question. A person in a crowd "
        f"smaller than k = {score.k} counts as exposed."
    )
    blocks: list[Block] = [_curve(score), *score_words.exposure_blocks(score)]
    if score.questions:
        blocks += [Line(table_questions.MEANS), questions_grid(score.questions)]
    if score.sensitive:
        blocks.append(sensitive_grid(score.sensitive))
    return Section("identifiability", "Identifiability", lead, tuple(blocks))


def _curve(score: ScoredTable) -> PageFigure:
    """Draw the number of people in a crowd smaller than k, for every k."""
    curve, n = score.joint.curve, score.users
    title = "People in a crowd smaller than k, all scored columns"
    steps = list(zip(curve.breakpoints, curve.people, strict=True))
    steps.append((max(n, steps[-1][0]), steps[-1][1]))
    picture = plot("crowds", title, title, (1, max(n, 2), n > 100), (1.0, n, n > 100), zero=n > 100)
    picture.axes("k: the smallest crowd wanted (people)", f"people, of {n:,}")
    picture.upright(score.k, f"k = {score.k:,}")
    picture.curve(steps, 1, "this table", steps=True)
    numbers = PageNumbers("crowds", ("k_from", "people"), steps)
    return PageFigure(picture.drawing.svg(), title, numbers)


def _mitigation(score: ScoredTable) -> Section:
    """Return the section on mitigation: coarser values, and column sets that are safe together."""
    coarser = (Line(f"{line}.") for line in score.coarser)
    lead = "What was done to the columns, and which of them could be released together."
    blocks = (*coarser, *score_words.set_blocks(score))
    return Section("mitigation", "Mitigation", lead, blocks)


def _governance(score: ScoredTable) -> Section:
    """Return the section on governance: hashes, command and thresholds, to check the page by."""
    named = (
        f"The file is named by its hash (SHA-256 {score.sha256}): another file, another page. "
        f"The same numbers come out again with veilmix {score.version} from that file and the "
        "options that the score was made with."
    )
    lead = "What makes this page checkable, and what it leaves to the signer."
    release = release_of(score)
    written = (
        "No table was written by the command of this page."
        if (file := release.file) is None
        else f"The released table {file.name} is named by its hash too (SHA-256 "
        f"{file.sha256}): compare it before the table is handed over."
    )
    blocks = (
        Line(named),
        Line(written),
        Listing("The command (merged values left out)", shlex.join(release.command), "command.txt"),
        Line(table_thresholds.CITED),
        table_thresholds.citations(score),
        Line(TO_DECIDE),
    )
    return Section("governance", "Governance", lead, blocks)


SECTIONS = (_context, _data, _identifiability, _mitigation, _governance)
