"""`veilmix lesson`: serve a lesson to the phones of a class, or write its pages to a folder."""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import StorageError
from ...installation import missing
from ...presentation.text_blocks import Grid
from ..options import FILE, read_language
from ..text.class_opening import check_reachable, say_reach
from ..text.layout import lay_out, page, say
from .lesson_pack import write_pack

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...lessons.lesson import Lesson
    from ...lessons.server import LessonServer

FOLDER = click.Path(path_type=Path, file_okay=False)
MAX_PEOPLE = 60  # most people for whom cards can be made, a limit of report/cards.py


@click.command("lesson")
@click.argument("number", required=False, type=int)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address at which phones reach this computer. Otherwise: only this computer can join.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8767,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--lang",
    metavar="LANGUAGE",
    help="Language of all pages, such as de.  [default: as each browser prefers; en in a folder]",
)
@click.option(
    "--people",
    type=click.IntRange(2, MAX_PEOPLE),
    default=30,
    show_default=True,
    metavar="N",
    help="Number of pupils who get a card.",
)
@click.option(
    "--out",
    type=FOLDER,
    help="Write the pages of all lessons to this folder, for a web server or a memory stick, and "
    "serve nothing.",
)
@click.option(
    "--teacher",
    type=FOLDER,
    help="Write the answers and cards of all lessons to this folder, and serve nothing.",
)
@click.option(
    "--pack",
    type=FILE,
    help="Write one file to print, and serve nothing: plans for 45 and 90 minutes, slides, "
    "hand-out and answers of lesson NUMBER, cards; with --host slips for `veilmix poll --demo`, "
    "too, and the file of their codes.",
)
def command(
    number: int | None,
    host: str,
    port: int,
    lang: str | None,
    people: int,
    out: Path | None,
    teacher: Path | None,
    pack: Path | None,
) -> None:
    """Serve lesson NUMBER to the phones of a class; without NUMBER, list the lessons.

    On each phone a pupil guesses a result, then tries parameters by dragging. The wall, a page of
    this computer, shows the guesses together, without names; this computer sees from which network
    address each guess comes. It also has the answers and the cards, which phones cannot open.
    --out, --teacher and --pack write pages instead.
    """
    from ...languages.language import english

    language = read_language(lang)
    if pack is not None:
        if number is None:
            raise click.UsageError(
                "--pack: the number of the lesson is missing; accepted: veilmix lesson NUMBER "
                "--pack FILE"
            )
        write_pack(pack, _lesson(number), host, language or english(), people)
    elif out is not None or teacher is not None:
        _write(out, teacher, language or english(), people)
    elif number is None:
        _list()
    else:
        _serve(_lesson(number), host, port, lang, people)


def _lesson(number: int) -> "Lesson":
    """Return the lesson with a number. Raises UsageError if there is no such lesson."""
    from ...lessons.lesson import LESSONS, lesson_of

    lesson = lesson_of(number)
    if lesson is None:
        accepted_numbers = ", ".join(str(listed_lesson.number) for listed_lesson in LESSONS)
        raise click.UsageError(f"NUMBER: found {number}; {accepted_numbers} are accepted")
    return lesson


def _list() -> None:
    """Print number, title, minutes and age of each lesson."""
    from ...languages.language import english
    from ...lessons.lesson import LESSONS
    from ...lessons.voice import Voice

    rows = [
        (
            lesson.number,
            Voice.in_language(lesson, english()).say("title"),
            lesson.minutes,
            lesson.age,
        )
        for lesson in LESSONS
    ]
    lay_out(page(), Grid(("lesson", "title", "minutes", "from age"), rows))
    say(page(), "veilmix lesson NUMBER --host ADDRESS serves one to the phones of a class")


def _cards(people: int, lesson: "Lesson", language: "Language") -> str:
    """Return the HTML page of a lesson's role cards, a card for each of `people` pupils."""
    from ...report.cards import cards
    from ...scenarios.lab.validation.load import load

    return cards(load(lesson.cards), people, language)


def _write(out: Path | None, teacher: Path | None, language: "Language", people: int) -> None:
    """Write the pages of all lessons to folders, and print the number of pages.

    out: the folder of the pages for pupils. teacher: the folder of the answers and cards. None:
    this folder is not written. people: number of cards of each lesson.
    """
    from ...scenarios.serialization.atomic_file import write_page

    for folder, pages in (
        (out, _for_pupils(language)),
        (teacher, _for_teachers(language, people)),
    ):
        if folder is None:
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as bad:
            raise StorageError(f"{folder}: cannot be made ({bad.strerror or bad})") from None
        written = 0
        for name, text in pages:
            write_page(folder / name, text)
            written += 1
        click.echo(f"wrote {folder}/: {written} pages")


def _for_pupils(language: "Language") -> Iterator[tuple[str, str]]:
    """Yield file name and HTML of each page for pupils: index, lessons, hand-outs."""
    from ...lessons import pages
    from ...lessons.lesson import LESSONS

    yield "index.html", pages.index(language)
    for lesson in LESSONS:
        yield f"lesson-{lesson.number}.html", pages.lesson_page(lesson, language)
        yield f"handout-{lesson.number}.html", pages.handout(lesson, language)


def _for_teachers(language: "Language", people: int) -> Iterator[tuple[str, str]]:
    """Yield file name and HTML of each page for teachers: answers, and cards.

    people: number of cards of each lesson.
    """
    from ...lessons import pages
    from ...lessons.lesson import LESSONS

    for lesson in LESSONS:
        yield f"answers-{lesson.number}.html", pages.answers(lesson, language)
        yield f"cards-{lesson.number}.html", _cards(people, lesson, language)


def _serve(lesson: "Lesson", host: str, port: int, lang: str | None, people: int) -> None:
    """Serve a lesson to the phones of a class at an address until Ctrl-C.

    host, port: the address. lang: tag of the language of all pages; None: as each browser prefers.
    people: number of cards.
    """
    check_reachable(host)
    if find_spec("h11") is None:
        raise click.UsageError(missing("web", "lesson"))
    from ...lessons.server import LessonServer, serve_lessons
    from ..text.qr import qr_svg

    make = partial(
        LessonServer, lesson, host=host, cards=partial(_cards, people), qr=qr_svg, language=lang
    )
    serve_lessons(make, host, port, _say_opened, click.echo)


def _say_opened(desk: "LessonServer") -> None:
    """Print the addresses of a lesson that is served: for phones, and for this computer alone.

    desk: the server of the lesson, which has these addresses.
    """
    from ..text.qr import qr_code

    if (code := qr_code(desk.address)) is not None:
        click.echo(code)
    click.echo(f"open {desk.address}   (Ctrl-C ends it)")
    click.echo(f"the wall, on this computer alone: {desk.wall}")
    answers = desk.wall.replace("wall-", "answers-")
    click.echo(f"answers and cards, on this computer alone: {answers}")
    click.echo("this computer sees the network address of each guess, and stores no guess")
    say_reach(desk.address)
