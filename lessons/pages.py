"""The pages of lessons: self-contained files, which load nothing and send a guess at most.

    index       all lessons
    lesson      guess, verdict, the picture to drag: for pupils
    handout     one sheet of A4, without the answers
    answers     the teacher's sheet
    wall        the guesses of a class, on the class's computer

The content security policy names the page's own style and script by their SHA-256. A page with an
address to send a guess to may connect to its own server; every other page connects nowhere.
"""

import base64
import hashlib
import html
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from ..languages.language import Language
from ..theatre.page import embedded
from .lesson import LESSONS, Lesson, NumberGuess
from .tables import Table
from .voice import Voice

STATIC = Path(__file__).parent / "static"
BLANK = re.compile(r"\{\{([a-z-]+)\}\}")
PARTS = ("room", "guess", "drag", "think")  # of the plan and of the hand-out
Served = Mapping[str, str]  # what a server adds: `post`, `address`, `qr`


def index(language: Language) -> str:
    """Return the list of all lessons."""
    ours = language.part("lessons")
    items = "".join(
        f'<li><a href="lesson-{lesson.number}.html">{lesson.number} '
        f"{_text(Voice.of(lesson, language).say('title'))}</a>"
        f"<p>{_text(_terms(Voice.of(lesson, language)))}</p></li>"
        for lesson in LESSONS
    )
    body = f"<main><h1>{_text(ours.say('lessons'))}</h1><ol class=plainly>{items}</ol></main>"
    return _page(language, ours.say("lessons"), body, "lessons.css")


def lesson_page(lesson: Lesson, language: Language, served: Served | None = None) -> str:
    """Return the page for pupils. served: `post`, the address to which a guess is sent."""
    voice = Voice.of(lesson, language)
    data = {
        **_frame_data(voice),
        "picture": voice.table.picture,
        "post": (served or {}).get("post"),
    }
    body = _filled(
        "lesson.html",
        {
            "before": _link(_beside(lesson, -1), language, "before"),
            "after": _link(_beside(lesson, 1), language, "after"),
            "title": _text(voice.say("title")),
            "terms": _text(_terms(voice)),
            "aims": _list(voice, "aim", lesson.aims),
            "intro": _text(voice.say("intro")),
            "question": _text(voice.say("question")),
            "because": _text(voice.say("because")),
            "source": _text(voice.say("source")),
            "seen": _text(voice.common("seen" if served else "seen-alone")),
        },
        voice.common,
    )
    scripts = ("kit.js", "axis.js", f"lesson{lesson.number}.js", "lesson.js")
    return _page(language, voice.say("title"), body, "lessons.css", scripts, data)


def handout(lesson: Lesson, language: Language) -> str:
    """Return the hand-out: a sheet of A4 to write on."""
    voice = Voice.of(lesson, language)
    blank = '<span class="blank"></span>'
    body = _sheet(voice, "handout.html", "think", '<div class="line"></div>' * 2, blank)
    return _page(language, voice.say("title"), body, "handout.css")


def answers(lesson: Lesson, language: Language) -> str:
    """Return the teacher's sheet: the hand-out with its answers."""
    voice = Voice.of(lesson, language)
    body = _sheet(voice, "answers.html", "answer", "", "")
    return _page(language, voice.common("answers"), body, "handout.css")


def wall(lesson: Lesson, language: Language, served: Served) -> str:
    """Return the page with the guesses of a class. served: `address`, and `qr`, its code as SVG."""
    voice = Voice.of(lesson, language)
    values = {
        "title": _text(voice.say("title")),
        "question": _text(voice.say("question")),
        "address": _text(served["address"]),
        "qr": served["qr"],
        "number": str(lesson.number),
    }
    body = _filled("wall.html", values, voice.common)
    scripts, data = ("kit.js", "axis.js", "wall.js"), _frame_data(voice)
    return _page(language, voice.say("title"), body, "wall.css", scripts, data)


def policy(style: str, script: str, *, sends: bool) -> str:
    """Return the content security policy of a page with this style and script."""
    own = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script) if script else "'none'",
        "img-src": "data:",
        "connect-src": "'self'" if sends else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in own.items())


def _page(
    language: Language,
    title: str,
    body: str,
    style: str,
    scripts: tuple[str, ...] = (),
    data: Mapping[str, object] | None = None,
) -> str:
    """Return a whole page: a body with its style, its scripts and the data that they read."""
    sheet, code = _file("colours.css") + _file(style), "\n".join(map(_file, scripts))
    sends = data is not None and (data.get("post") is not None or "wall.js" in scripts)
    known = f'<script type="application/json" id="data">{embedded(data)}</script>' if data else ""
    values = {
        "lang": language.tag,
        "dir": language.direction,
        "policy": policy(sheet, code, sends=sends),
        "title": _text(title),
        "style": sheet,
        "body": body,
        "data": known,
        "script": f"<script>{code}</script>" if code else "",
    }
    return _filled("page.html", values)


def _frame_data(voice: Voice) -> dict[str, object]:
    """Return what scripts of the frame read: the guess, the truth, the sentences."""
    guess, table = voice.lesson.guess, voice.table
    number = isinstance(guess, NumberGuess)
    axis = {name: getattr(guess, name) for name in guess.__dataclass_fields__}
    return {
        "number": voice.lesson.number,
        "language": voice.language.tag,
        "kind": "number" if number else "choice",
        "guess": axis,
        "truth": table.truth,
        "range": table.range,
        "marks": [{"at": mark.at, "key": mark.key} for mark in table.marks],
        "facts": dict(voice.facts),
        "texts": voice.texts,
    }


def _sheet(voice: Voice, template: str, questions: str, below: str, blank: str) -> str:
    """Return a hand-out. below: follows each question; blank: stands where a guess is written."""
    lesson, plan = voice.lesson, dict(zip(PARTS, voice.lesson.plan, strict=True))
    values = {f"{name}-minutes": str(minutes) for name, minutes in plan.items()}
    for name in ("title", "room", "question", "drag", "guess-answer", "drag-answer", "source"):
        values[name] = _text(voice.say(name))
    values |= {
        "terms": _text(_terms(voice)),
        "blank": blank,
        "number": str(lesson.number),
        "truth": _text(voice.value(voice.table.truth)),
        "aims": _list(voice, "aim", lesson.aims),
        "choices": _list(voice, "choice", getattr(lesson.guess, "choices", 0)),
        "think": _list(voice, questions, lesson.exercises, below),
        "sheet": _table(voice, voice.table, answered=questions == "answer"),
    }
    return _filled(template, values, voice.common)


def _table(voice: Voice, table: Table, *, answered: bool) -> str:
    """Return the table to fill in, with its cells empty or answered; "" if there is none."""
    if table.sheet is None:
        return ""
    head = "".join(f"<th scope=col>{voice.number(at)}</th>" for at in table.sheet.columns)
    rows = "".join(
        f"<tr><th scope=row>{_text(voice.say('row', value=voice.number(at)))}</th>"
        + "".join(f"<td>{voice.number(cell) if answered else ''}</td>" for cell in cells)
        + "</tr>"
        for at, cells in zip(table.sheet.rows, table.sheet.cells, strict=True)
    )
    column = _text(voice.say("column"))
    return f"<table><tr><th scope=col>{column}</th>{head}</tr>{rows}</table>"


def _terms(voice: Voice) -> str:
    lesson = voice.lesson
    return voice.common("terms", minutes=lesson.minutes, age=lesson.age, needs=voice.say("needs"))


def _list(voice: Voice, name: str, many: int, below: str = "") -> str:
    items = (_text(voice.say(f"{name}-{at}")) for at in range(1, many + 1))
    return "".join(f"<li>{item}{below}</li>" for item in items)


def _beside(lesson: Lesson, step: int) -> Lesson | None:
    """Return the lesson before (-1) or after (1); None if there is none."""
    at = LESSONS.index(lesson) + step
    return LESSONS[at] if 0 <= at < len(LESSONS) else None


def _link(lesson: Lesson | None, language: Language, key: str) -> str:
    if lesson is None:
        return "<span></span>"
    voice = Voice.of(lesson, language)
    text = _text(voice.common(key, title=voice.say("title")))
    rel = {"before": "prev", "after": "next"}[key]
    return f'<a rel="{rel}" href="lesson-{lesson.number}.html">{text}</a>'


def _filled(name: str, values: Mapping[str, str], say: Callable[[str], str] | None = None) -> str:
    """Fill a template: `{{name}}` with a value, or with the sentence of that key."""

    def fill(blank: re.Match[str]) -> str:
        if blank[1] in values or say is None:
            return values[blank[1]]
        return _text(say(blank[1]))

    return BLANK.sub(fill, _file(name))


def _text(text: str) -> str:
    return html.escape(text)


@cache
def _file(name: str) -> str:
    return (STATIC / name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
