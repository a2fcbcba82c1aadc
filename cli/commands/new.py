"""`veilmix new`: list the shipped scenarios, or write a copy, role cards, a table or a package."""

import tomllib
from pathlib import Path

import click

from ...presentation.text_blocks import Grid
from ..options import FILE, PATH, read_language
from ..text.layout import format_option, lay_out, page, say, write_csv, write_json, write_text


@click.command("new")
@click.argument("name", required=False)
@click.argument("file", required=False, type=PATH)
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option(
    "--cards",
    is_flag=True,
    help="Write role cards instead (NAME-cards.html), for a class that plays on paper.",
)
@click.option(
    "--people",
    type=click.IntRange(2, 60),
    metavar="N",
    help="With --cards: number of people with a card, instead of the scenario's.",
)
@click.option(
    "--lang",
    metavar="LANGUAGE",
    help=(
        "With --cards: language of the cards, such as de; questions and answers are not translated."
    ),
)
@click.option(
    "--table",
    type=FILE,
    help="Write a made-up table of 30,000 patients instead, to practise on.",
)
@click.option(
    "--package",
    metavar="PACKAGE",
    help="Write a folder PACKAGE instead, to be installed: a program, an attack, a randomizer and "
    "a population of your own, with tests.",
)
@format_option
def command(
    name: str | None,
    file: Path | None,
    table: Path | None,
    package: str | None,
    people: int | None,
    lang: str | None,
    *,
    force: bool,
    cards: bool,
    form: str,
) -> None:
    """Write a commented copy of the shipped scenario NAME to FILE (NAME.toml; - is stdout).

    Without NAME: list the shipped scenarios. With --cards NAME may also be a file of your own.
    """
    from ...scenarios.lab.validation.gallery import source
    from ...scenarios.serialization.atomic_file import write_whole

    for option, value in (("--people", people), ("--lang", lang)):
        if value is not None and not (cards and name):
            raise click.UsageError(f"{option} is accepted only with NAME --cards")
    if package is not None:
        if name is not None or cards or force or table is not None:
            raise click.UsageError(
                "--package is not accepted with NAME, FILE, --cards, --table or --force: it writes "
                "a new folder, and replaces no file"
            )
        _package(package)
        return
    if table is not None:
        _patients(table, force=force)
        return
    if name is None:
        gallery(form)
        return
    if cards:
        _cards(name, file, people, lang, force=force)
        return
    text = source(name)
    if str(file) == "-":
        write_text(text)
        return
    path = file or Path(f"{name}.toml")
    write_whole(path, text, force=force)
    base = tomllib.loads(text).get("extends")
    extends = "" if base is None else f"   extends {base}: veilmix new {base} - shows it"
    click.echo(f"wrote {path}{extends}   next: veilmix check {path}")


def _patients(path: Path, *, force: bool) -> None:
    """Write a made-up table of patients as CSV with semicolons, as spreadsheets in Europe do.

    force: replace an existing file.
    """
    from ...own_data.sample_patients import COLUMNS, PEOPLE, patients
    from ...scenarios.serialization.atomic_file import write_whole

    lines = (";".join(row) for row in (COLUMNS, *patients()))
    write_whole(path, "\n".join(lines) + "\n", force=force)
    click.echo(f"wrote {path}: {PEOPLE:,} patients who do not exist   next: veilmix score {path}")


def _package(name: str) -> None:
    """Write the folder of a package that extends veilmix; print how to install and try it."""
    from ...installation import installing
    from ...scenarios.serialization.new_package import write_package

    folder, files = write_package(name)
    install = installing(["--editable", str(folder), "pytest"])
    click.echo(
        f"wrote {folder}/ ({files} files): a program, an attack, a randomizer, a population, "
        "tests\n"
        f"next: {install}\n"
        f"then: pytest {folder}   veilmix run {folder}/release.toml   docs/extending.md"
    )


def _cards(
    name: str, file: Path | None, people: int | None, lang: str | None, *, force: bool
) -> None:
    """Write the role cards of a scenario as an HTML page, for a class that plays on paper.

    name: the scenario. file: the page to write; `-` is stdout; None: NAME-cards.html in this
    folder. people: number of cards; None: as in the scenario. lang: tag of a language; None:
    English. force: replace an existing file.
    """
    from ...report.cards import cards, commands
    from ...scenarios.lab.validation.load import load
    from ...scenarios.serialization.atomic_file import write_whole

    scenario = load(name)
    text = cards(scenario, people, read_language(lang))
    if str(file) == "-":
        write_text(text)
        return
    path = file or Path(f"{scenario.scenario.name}-cards.html")
    write_whole(path, text, force=force)
    _, shows = commands(scenario, people)
    click.echo(f"wrote {path}; print it   then watch the same people: {shows}")


def gallery(form: str) -> None:
    """Print name and title of the shipped scenarios, in three groups.

    The groups are scenarios to start from, attacks, and the scenarios that these attacks extend.
    form: `table`, `json` or `csv`.
    """
    from ...scenarios.lab.validation.gallery import attacks, bases, shipped

    listed = {"to start from": shipped(), "attacks": attacks(), "bases of attacks": bases()}
    groups = [(group, _titles(names)) for group, names in listed.items()]
    header = ("scenario", "shows")
    if form == "json":
        from ..text.records import ShippedScenario

        write_json(
            [ShippedScenario(name, title, group) for group, rows in groups for name, title in rows]
        )
    elif form == "csv":
        rows = [(name, title, group) for group, entries in groups for name, title in entries]
        write_csv(Grid((*header, "group"), rows))
    else:
        for group, entries in groups:
            lay_out(page(), Grid((group, "shows"), entries))
            say(page())
        say(page(), "veilmix run NAME plays one; veilmix new NAME writes a copy to change")


def _titles(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return name and title of each shipped scenario."""
    from ...scenarios.lab.validation.gallery import source

    return [(name, tomllib.loads(source(name))["scenario"].get("title", "")) for name in names]
