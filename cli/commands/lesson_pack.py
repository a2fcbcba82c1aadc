"""`veilmix lesson NUMBER --pack FILE`: all papers of a lesson, in one HTML file to print."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...installation import missing
from ..options import POLL_PORT
from .slips import write_with_codes

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...lessons.lesson import Lesson
    from ...lessons.pack import PackPart
    from ...poll.slips import SlipsFile

# spare slips of paper to replace lost slips; each slip has a code that admits a phone to a poll
SPARE = 5
ADDRESS_PLACEHOLDER = "ADDRESS"  # printed if no address for phones is known


def write_pack(path: Path, lesson: "Lesson", host: str, language: "Language", people: int) -> None:
    """Write the papers of a lesson to a file: plan, slides, hand-out, answers and role cards.

    If phones can reach `host`, slips of paper are added, each with a code that admits one phone to
    `veilmix poll`, and their codes are written to a second file. people: number of cards; there are
    `SPARE` slips more.
    """
    from ...lessons.pack import PackPart, pack
    from ...machines.gate import LOOPBACKS
    from ...poll.questions import DEMO, read_questions
    from ...poll.slips import fresh_slips
    from ...report.cards import STYLE, cards_body, commands
    from ...report.write import file_of
    from ...scenarios.lab.validation.load import load

    codes = path.with_suffix(".slips.toml")
    scenario = load(lesson.cards)
    parts = {"cards": PackPart(file_of(STYLE), cards_body(scenario, people, language))}
    slips = None
    if host not in LOOPBACKS:
        title = read_questions(DEMO).scenario.title
        slips = fresh_slips(title, host, POLL_PORT, people + SPARE)
        parts["slips"] = _slips(slips, language)
    _, shows = commands(scenario, people)
    poll = f"veilmix poll --demo --host {host if slips else ADDRESS_PLACEHOLDER}"
    lines = (
        shows,
        f"veilmix lesson {lesson.number} --host {host if slips else ADDRESS_PLACEHOLDER}",
        f"{poll} --with-slips {codes}" if slips else poll,
    )
    text = pack(lesson, language, parts, "\n".join(lines))
    if slips is None:
        from ...scenarios.serialization.atomic_file import write_page

        write_page(path, text)
        click.echo(
            f"wrote {path}   print it; it has no slips, as they need the address for phones, --host"
        )
        return
    write_with_codes(path, text, codes, slips)
    click.echo(f"wrote {path}   print it; cut and mix the slips, and hand them out unordered")
    click.echo(f"wrote {codes}   the codes: keep it to yourself; delete both after the lesson")


def _slips(slips: "SlipsFile", language: "Language") -> "PackPart":
    """Return the sheets of slips, each with a code that admits one phone, for the papers.

    Raises UsageError without the library that draws the QR codes of the slips.
    """
    from ...lessons.pack import PackPart
    from ...poll.sheet import STYLE, slip_sheets

    try:
        body = slip_sheets(slips.title, slips.address, slips.codes, language)
    except ImportError:
        raise click.UsageError(missing("web", "--pack")) from None
    return PackPart(STYLE.read_text("utf-8"), body)
