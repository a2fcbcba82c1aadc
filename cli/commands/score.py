"""`veilmix score`: how anonymous the people of a table are, without any protocol."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..stages import stages
from ..text.layout import clean, format_option, page, say, write_csv, write_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...scenarios.populations.people import Table

USUAL = ("?", "*", "-", ".", "na", "n/a", "nan", "null", "none", "missing", "(missing)", "unknown")


@click.command("score")
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--k", default=5, show_default=True, type=click.IntRange(1), help="Crowd size.")
@click.option(
    "--max-exposure",
    default=0.01,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of people who may be in a smaller crowd.",
)
@click.option("--columns", help="Only these columns, with commas between them.", metavar="A,B,...")
@click.option(
    "--missing",
    type=click.Choice(["category", "wildcard"]),
    default="category",
    show_default=True,
    help="Missing cells are a value of their own, or match anything.",
)
@click.option(
    "--missing-text",
    "texts",
    multiple=True,
    metavar="TEXT",
    help='Cells with this text are missing, as are empty ones; e.g. "?". May be repeated.',
)
@click.option(
    "--population-factor",
    "factor",
    default=1.0,
    show_default=True,
    type=click.FloatRange(1),
    help="People in the population for each one in the table, for the journalist's risk.",
)
@click.option(
    "--worst-case",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Search that long for the worst table with the same columns.",
)
@click.option(
    "--figure",
    "picture",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw the exposure curves to a .png or .svg file.",
)
@format_option
def command(
    data: Path,
    k: int,
    max_exposure: float,
    columns: str | None,
    missing: str,
    texts: tuple[str, ...],
    factor: float,
    seconds: float | None,
    picture: Path | None,
    form: str,
) -> None:
    """Score the people of DATA, a .csv or .parquet file with a header and one row for each.

    Exposure of every column and of all together, the bounds that the columns' counts alone can
    promise, the risk of re-identification, which sets of columns are safe and what to drop.
    """
    from ...analysis import drawing
    from ...analysis.scoring.table_score import score_table
    from ..text import score as score_text

    if picture is not None:
        drawing.require()
        drawing.check_path(picture)
    texts = tuple(text.strip() for text in texts)  # as those of the cells are
    with stages() as stage:
        stage(f"reading {data}")
        table = _read(data, columns)
        codes, lacking = _missing(table, texts)
        score = score_table(
            codes,
            table.columns,
            k,
            max_exposure,
            missing=missing,
            missing_codes=lacking,
            factor=factor,
            worst_case_seconds=seconds,
            progress=stage,
        )
        if picture is not None:
            from ...analysis.scoring.figure import figure

            stage(f"drawing {picture}")
            drawing.save(figure(score), picture)
    for warning in (*table.warnings, *_suspects(table, texts)):
        say(page(err=True), f"warning   {clean(warning)}", style="yellow")
    lacks = ("", *texts)
    if form == "json":
        write_json(score_text.plain(score, data.name, lacks))
    elif form == "csv":
        write_csv(score_text.tidy(score))
    else:
        score_text.tell(page(), score, data.name, lacks)
    if picture is not None:
        say(page(err=True), f"drawn     {picture}")


def _read(path: Path, columns: str | None) -> "Table":
    """Read the chosen columns; an empty cell is the empty text."""
    from ...errors import DataError
    from ...scenarios.populations import files
    from ...scenarios.schema.model import Population

    names = files.header(path)
    chosen = _chosen(path, names, columns)
    table = files.read(
        path, [(name, name) for name in chosen], Population(source=str(path), missing="")
    )
    if len(table.codes) < 2:
        raise DataError(
            f"{path}: one person only; nobody hides in a crowd of one, at least two rows are needed"
        )
    return table


def _chosen(path: Path, names: Sequence[str], columns: str | None) -> list[str]:
    from ...errors import DataError
    from ...scenarios.schema.problems import did_you_mean, listed

    if columns is None:
        return list(names)
    chosen = [name.strip() for name in columns.split(",")]
    for name in chosen:
        if name not in names:
            raise DataError(
                f"{path}: no column is called {name!r}; it has {listed(names)}"
                f"{did_you_mean(name, names)}"
            )
    if len(set(chosen)) < len(chosen):
        raise DataError(f"--columns: found {columns}; each column once is accepted")
    return chosen


def _suspects(table: "Table", texts: Sequence[str]) -> list[str]:
    """Name texts that often mean missing, but were not said to."""
    import numpy as np

    found = []
    for j, values in enumerate(table.values):
        for code, text in enumerate(values):
            if text.casefold() in USUAL and text not in texts:
                cells = np.count_nonzero(table.codes[:, j] == code)
                found.append(
                    f"column {table.columns[j]!r}: {text!r} in {cells:,} cells is read as a value "
                    f'like any other; if it means missing, say --missing-text "{text}"'
                )
    return found


def _missing(table: "Table", texts: Sequence[str]) -> "tuple[NDArray[np.int32], list[int | None]]":
    """Give all missing texts of a column one code; return the codes, and that code per column."""
    wanted = {"", *texts}
    codes, found = table.codes, list[int | None]()
    for j, values in enumerate(table.values):
        lacking = [code for code, text in enumerate(values) if text in wanted]
        found.append(lacking[0] if lacking else None)
        if len(lacking) > 1:
            import numpy as np

            codes = codes.copy() if codes is table.codes else codes
            codes[np.isin(codes[:, j], lacking), j] = lacking[0]
    return codes, found
