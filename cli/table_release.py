"""The record of a table that `score` or `advise` releases: the source of the page to sign.

It holds the command, the size of the table, the target and a hash of the written file, but no
values of the table. `veilmix report` makes the page.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from .text.layout import page, say
from .threshold_option import named_threshold

if TYPE_CHECKING:
    from ..analysis.scoring import TableScore
    from ..own_data.advise import Advised
    from ..own_data.attacker_columns import Roles
    from ..own_data.read_table import Reading
    from ..own_data.release_record import ReleasedFile, TableRelease
    from ..own_data.score_record import ScoredTable
    from ..scenarios.populations.people import SourceTable

# The values in a rule COLUMN.merge=... are not published, because perhaps only a few people have
# them.
MERGED = re.compile(r"(\.merge\s*=).*", re.DOTALL)


def given_command() -> tuple[str, ...]:
    """Return the words of the running command line, to be published with the result.

    Only options that the user gave are included. Files are named without their folders. Values in
    merge rules are left out, because perhaps only a few people have them.
    """
    context = click.get_current_context()
    words = ["veilmix", context.info_name or ""]
    for option in context.command.params:
        name = option.name or ""
        is_explicit = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_explicit and name in context.params:
            words += _words(option, context.params[name])
    if (threshold := named_threshold()) is not None:
        words += ["--threshold", threshold.name]
    return tuple(words)


def _words(option: click.Parameter, value: Any) -> Iterator[str]:
    """Yield the words of one option or argument of the command line, as a user would type them."""
    if isinstance(option, click.Argument):
        yield _word(value)
    elif isinstance(option, click.Option) and option.is_flag:
        yield option.opts[0] if value or not option.secondary_opts else option.secondary_opts[0]
    else:
        for item in value if option.multiple else [value]:
            yield from (max(option.opts, key=len), _word(item))


def _word(value: Any) -> str:
    """Return a value of the command line as text: paths without folders, merge rules as "...".

    A merge rule lists column values, which perhaps only a few people have.
    """
    text = value.name if isinstance(value, Path) else str(value)
    return MERGED.sub(r"\1...", text)


def scored_release(
    table: "SourceTable",
    reading: "Reading",
    file: "ReleasedFile | None" = None,
    *,
    anyway: bool = False,
) -> "TableRelease":
    """Return the record of the release of a table that was read and scored.

    table: the scored table. reading: the options by which the table was read. file: the file to
    which the table was written, with its hash; None if it was not written. anyway: whether it was
    written although it misses its target.
    """
    from ..own_data.attacker_columns import known_by_default
    from ..own_data.release_record import NamedThreshold, TableRelease
    from ..scenarios.populations.files import FileSource

    threshold, k = named_threshold(), click.get_current_context().params.get("k", 0)
    judged = {column.column for column in table.judged}
    source_columns = table.source.columns if table.source else table.columns
    file_columns = table.source.file_columns if isinstance(table.source, FileSource) else None
    return TableRelease(
        command=given_command(),
        input_rows=len(table.codes),
        input_people=table.n,
        input_columns=len(source_columns if file_columns is None else file_columns),
        not_read=tuple(name for name in source_columns if name not in judged),
        known=known_by_default(reading),
        person_said=reading.person is not None or reading.each_row,
        file=file,
        threshold=None
        if threshold is None
        else NamedThreshold(threshold.name, threshold.in_words(k), threshold.source),
        anyway=anyway and file is not None,
    )


def save_advised(
    advised: "Advised",
    roles: "Roles",
    data: Path,
    reading: "Reading",
    written: Path | None,
    saved: Path | None,
    stage: Callable[[str], None],
) -> None:
    """Score the table as the advice generalizes it, and save the score, if a file is named for it.

    The advice of `veilmix advise` is a generalization level for each column of a table.

    Args:
        advised: the advice.
        roles: the roles of columns that the options give.
        data: the file of the original table.
        reading: the options by which the table was read.
        written: the file to which the generalized table was written; None if it was not.
        saved: the file for the score; None: no score is made.
        stage: receives the names of the stages of the work, for progress.
    """
    if saved is None:
        return
    from ..own_data.advised_table import released_table
    from ..own_data.release_record import released_file

    released, file = released_table(advised), None
    if written is not None:
        file = released_file(written, len(released.codes), released.columns)
    _, record = advised_record(advised, released, roles, data, reading, file, stage)
    save_record(record, saved)


def advised_record(
    advised: "Advised",
    released: "SourceTable",
    roles: "Roles",
    data: Path,
    reading: "Reading",
    file: "ReleasedFile | None",
    stage: Callable[[str], None],
) -> "tuple[TableScore, ScoredTable]":
    """Return the score of the table as the advice generalizes it, and the record of this score.

    The advice of `veilmix advise` is a generalization level for each column of a table.

    Args:
        advised: the advice.
        released: the table with each column at its advised level.
        roles: the roles of columns that the options give.
        data: the file of the original table.
        reading: the options by which the table was read.
        file: the file with the generalized table, with its hash; None if it was not written.
        stage: receives the names of the stages of the work, for progress.
    """
    from msgspec.structs import replace as changed

    from ..own_data.advised_table import advised_features, cells_left_out, rows_left_out
    from ..own_data.release_record import SensitiveTarget
    from ..own_data.table_score import frequent, score_read
    from ..scenarios.populations.coarsening import coarser_lines
    from .text.score_record import scored_table

    score = score_read(
        released, (advised.missing,), advised.k, advised.released_limit, progress=stage
    )
    lines = coarser_lines(advised_features(advised), frequent(released, advised.k))
    record = scored_table(score, data, ("", advised.missing), released, lines)
    targets = (
        SensitiveTarget(column, measure, limit)
        for column, target in roles.targets.items()
        for measure, limit in (("l", target.l), ("entropy-l", target.entropy_l), ("t", target.t))
        if limit is not None
    )
    release = changed(
        scored_release(replace(advised.whole, judged=advised.table.judged), reading, file),
        known=advised.knowledge,
        targets=tuple(targets),
        left_out=rows_left_out(advised, released),
        cells=cells_left_out(advised),
    )
    return score, changed(record, release=release)


def save_record(record: "ScoredTable", file: Path) -> None:
    """Save the record of a score as JSON, from which `veilmix report` makes a page to sign.

    Only the owner can read the file. The values of people below k are left out, because perhaps
    only a few people have them.
    """
    from msgspec.structs import replace

    from ..scenarios.serialization.atomic_file import write_whole
    from ..scenarios.serialization.json_text import pretty
    from ..scenarios.serialization.record import plain

    # The values at risk are left out, because perhaps only a few people have them.
    shared = replace(record, places=None)
    write_whole(file, pretty(plain(shared)), force=True, private=True)
    say(page(err=True), f"saved     {file}   next: veilmix report {file}")
