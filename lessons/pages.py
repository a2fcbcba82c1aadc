"""The pages of lessons: self-contained files that load no other file; at most a guess is sent.

    index       all lessons
    lesson      guess, verdict, the picture to drag: for pupils
    handout     a sheet of A4, without the answers
    answers     the teacher's sheet
    wall        the guesses of a class, on the class's computer

The content security policy of a page names the page's own style and script by their SHA-256. A page
that sends a guess may connect to its own server, and so may the wall; other pages connect nowhere.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from pathlib import Path

from ..languages.language import Language
from ..theatre.page import embedded, policy
from .lesson import LESSONS, Lesson, NumberGuess
from .tables import Table
from .voice import Voice

STATIC = Path(__file__).parent / "static"
BLANK = re.compile(r"\{\{([a-z-]+)\}\}")
PARTS = ("room", "guess", "drag", "think")  # parts of a lesson, in the order of `Lesson.plan`
LINES = '<div class="line"></div>' * 2  # empty lines of the hand-out to write on
Served = Mapping[str, str]  # values that only a server knows, by name: `post`, `address`, `qr`


def index(language: Language) -> str:
    """Return the page with the list of all lessons."""
    ours = language.part("lessons")
    items = "".join(
        f'<li><a href="lesson-{lesson.number}.html">{lesson.number} '
        f"{escape(Voice.in_language(lesson, language).say('title'))}</a>"
        f"<p>{escape(Voice.in_language(lesson, language).terms)}</p></li>"
        for lesson in LESSONS
    )
    body = f"<main><h1>{escape(ours.say('lessons'))}</h1><ol class=plainly>{items}</ol></main>"
    return _page(language, ours.say("lessons"), body, "lessons.css")


def lesson_page(lesson: Lesson, language: Language, served: Served | None = None) -> str:
    """Return the page of a lesson for pupils.

    served: `post`, the address to which a guess is sent; None: guesses stay in the page.
    """
    voice = Voice.in_language(lesson, language)
    data = {
        **_frame_data(voice),
        "picture": voice.table.picture,
        "post": (served or {}).get("post"),
    }
    body = fill_template(
        "lesson.html",
        {
            "before": _link(_neighbour(lesson, -1), language, "before"),
            "after": _link(_neighbour(lesson, 1), language, "after"),
            "title": escape(voice.say("title")),
            "terms": escape(voice.terms),
            "aims": sentence_items(voice, "aim", lesson.aims),
            "intro": escape(voice.say("intro")),
            "question": escape(voice.say("question")),
            "because": escape(voice.say("because")),
            "source": escape(voice.say("source")),
            "seen": escape(voice.common("seen" if served else "seen-alone")),
        },
        voice.common,
    )
    scripts = ("kit.js", "axis.js", f"lesson{lesson.number}.js", "lesson.js")
    return _page(language, voice.say("title"), body, "lessons.css", scripts, data)


def handout(lesson: Lesson, language: Language) -> str:
    """Return the page of the hand-out: a sheet of A4 to write on."""
    title = Voice.in_language(lesson, language).say("title")
    body = f"<main>{handout_body(lesson, language)}</main>"
    return _page(language, title, body, "handout.css")


def answers(lesson: Lesson, language: Language) -> str:
    """Return the page of the teacher's sheet: the hand-out with its answers."""
    title = Voice.in_language(lesson, language).common("answers")
    body = f"<main>{answers_body(lesson, language)}</main>"
    return _page(language, title, body, "handout.css")


def handout_body(lesson: Lesson, language: Language) -> str:
    """Return the HTML of the hand-out, without the page around it."""
    blank = '<span class="blank"></span>'
    return _sheet(Voice.in_language(lesson, language), "handout.html", "think", LINES, blank)


def answers_body(lesson: Lesson, language: Language) -> str:
    """Return the HTML of the teacher's sheet, without the page around it."""
    return _sheet(Voice.in_language(lesson, language), "answers.html", "answer", "", "")


def wall(lesson: Lesson, language: Language, served: Served) -> str:
    """Return the page with the guesses of a class, for the class's projector.

    served: `address`, at which phones find the lesson, and `qr`, this address as a QR code in SVG.
    """
    voice = Voice.in_language(lesson, language)
    values = {
        "title": escape(voice.say("title")),
        "question": escape(voice.say("question")),
        "address": escape(served["address"]),
        "qr": served["qr"],
        "number": str(lesson.number),
    }
    body = fill_template("wall.html", values, voice.common)
    scripts, data = ("kit.js", "axis.js", "wall.js"), _frame_data(voice)
    return _page(language, voice.say("title"), body, "wall.css", scripts, data)


def _page(
    language: Language,
    title: str,
    body: str,
    style: str,
    scripts: tuple[str, ...] = (),
    data: Mapping[str, object] | None = None,
) -> str:
    """Return a page: an HTML body with its style sheet, its scripts, and the scripts' data.

    style, scripts: names of files in the folder `static`. data: the values that the scripts
    read, as JSON; None: no data.
    """
    code = "\n".join(map(file_of, scripts))
    sends = data is not None and (data.get("post") is not None or "wall.js" in scripts)
    data_script = (
        f'<script type="application/json" id="data">{embedded(data)}</script>' if data else ""
    )
    more = f"{data_script}\n<script>{code}</script>" if code else data_script
    sheet = file_of("colours.css") + file_of(style)
    return whole_page(language, title, sheet, f"{body}\n{more}", policy(sheet, code, live=sends))


def whole_page(language: Language, title: str, style: str, body: str, rule: str) -> str:
    """Return the HTML file of a page.

    title: plain text, escaped here. style: the style sheet. body: HTML. rule: the content security
    policy.
    """
    values = {
        "lang": language.tag,
        "dir": language.direction,
        "policy": rule,
        "title": escape(title),
        "style": style,
        "body": body,
    }
    return fill_template("page.html", values)


def _frame_data(voice: Voice) -> dict[str, object]:
    """Return the data that the scripts of every lesson need: guess, right answer and sentences."""
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
    """Return a hand-out as HTML.

    template: its HTML file. questions: name of its exercises' sentences, `think` or `answer`.
    below: HTML that follows each exercise. blank: HTML of the space for the guess.
    """
    lesson, plan = voice.lesson, dict(zip(PARTS, voice.lesson.plan, strict=True))
    values = {f"{name}-minutes": str(minutes) for name, minutes in plan.items()}
    for name in ("title", "room", "question", "drag", "guess-answer", "drag-answer", "source"):
        values[name] = escape(voice.say(name))
    values |= {
        "terms": escape(voice.terms),
        "blank": blank,
        "number": str(lesson.number),
        "truth": escape(voice.value(voice.table.truth)),
        "aims": sentence_items(voice, "aim", lesson.aims),
        "choices": sentence_items(voice, "choice", getattr(lesson.guess, "choices", 0)),
        "think": sentence_items(voice, questions, lesson.exercises, below),
        "sheet": _table(voice, voice.table, answered=questions == "answer"),
    }
    return fill_template(template, values, voice.common)


def _table(voice: Voice, table: Table, *, answered: bool) -> str:
    """Return the table that pupils fill in as HTML, empty or with the answers.

    A lesson without such a table gives lines to write on; with the answers, an empty text.
    """
    if table.sheet is None:
        return "" if answered else LINES
    head = "".join(f"<th scope=col>{voice.number(at)}</th>" for at in table.sheet.columns)
    rows = "".join(
        f"<tr><th scope=row>{escape(voice.say('row', value=voice.number(at)))}</th>"
        + "".join(f"<td>{voice.number(cell) if answered else ''}</td>" for cell in cells)
        + "</tr>"
        for at, cells in zip(table.sheet.rows, table.sheet.cells, strict=True)
    )
    column = escape(voice.say("column"))
    return f"<table><tr><th scope=col>{column}</th>{head}</tr>{rows}</table>"


def sentence_items(voice: Voice, name: str, count: int, below: str = "") -> str:
    """Return the sentences `NAME-1` to `NAME-count` as HTML list items.

    below: HTML that follows each sentence.
    """
    items = (escape(voice.say(f"{name}-{at}")) for at in range(1, count + 1))
    return "".join(f"<li>{item}{below}</li>" for item in items)


def _neighbour(lesson: Lesson, step: int) -> Lesson | None:
    """Return the lesson before (-1) or after (1) another; None if there is none."""
    at = LESSONS.index(lesson) + step
    return LESSONS[at] if 0 <= at < len(LESSONS) else None


def _link(lesson: Lesson | None, language: Language, key: str) -> str:
    """Return an HTML link to a neighbouring lesson; an empty element if there is none.

    key: `before` or `after`: the place of the neighbour, and the key of the link's sentence.
    """
    if lesson is None:
        return "<span></span>"
    voice = Voice.in_language(lesson, language)
    text = escape(voice.common(key, title=voice.say("title")))
    rel = {"before": "prev", "after": "next"}[key]
    return f'<a rel="{rel}" href="lesson-{lesson.number}.html">{text}</a>'


def fill_template(
    name: str, values: Mapping[str, str], say: Callable[[str], str] | None = None
) -> str:
    """Return a template with each `{{name}}` replaced by a value, or by the sentence with that key.

    name: file of the template. values: name of a placeholder -> HTML. say: returns the sentence of
    a key; None: all placeholders are in `values`.
    """

    def fill(blank: re.Match[str]) -> str:
        """Return the replacement of one placeholder."""
        if blank[1] in values or say is None:
            return values[blank[1]]
        return escape(say(blank[1]))

    return BLANK.sub(fill, file_of(name))


@cache
def file_of(name: str) -> str:
    """Return the text of a file of the folder `static`."""
    return (STATIC / name).read_text("utf-8")
