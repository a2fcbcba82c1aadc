"""The teacher's pack: plans, slides, hand-out, answers, cards and slips, as one file to print.

    plans       for 45 and for 90 minutes, a step a row
    slides      a page of A4 across each: to print, or to show in full screen
    handout     for pupils; answers: the same for the teacher
    cards       role cards to play on paper (made by the package `report`)
    slips       codes that admit phones (made by the package `poll`), if their address is known

Each part has the style sheet of its own page, restricted to the part by its class, and page sizes
of its own. The file loads no other file and runs no script.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from ..languages.language import Language
from ..theatre.page import policy
from .lesson import ChoiceGuess, Lesson
from .pages import (
    answers_body,
    file_of,
    fill_template,
    handout_body,
    sentence_items,
    whole_page,
)
from .voice import Voice

SHORT, DOUBLE = 45, 90  # minutes of a lesson at school, and of a double lesson
TITLES = {
    "plans": "part-plans",
    "slides": "part-slides",
    "handout": "part-handout",
    "answers": "part-answers",
    "cards": "part-cards",
    "slips": "part-slips",
}  # part of the pack -> key of its title in the language files, which is also its CSS class


@dataclass(frozen=True, slots=True)
class PackPart:
    """A part of the teacher's pack that another package has made: role cards or slips.

    Attributes:
        style: the style sheet of the page on which the part is shown alone.
        body: the HTML of the part.
    """

    style: str
    body: str


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step of the teacher's plan for a lesson, such as a guess or a poll.

    Attributes:
        minutes: the minutes that the step takes.
        activity: key of the sentence on the activity of the class.
        needs: key of the sentence on the things that are needed.
    """

    minutes: int
    activity: str
    needs: str


def plan_of(lesson: Lesson, minutes: int) -> tuple[PlanStep, ...]:
    """Return the steps of a plan for a lesson of this many minutes.

    minutes: `SHORT` or `DOUBLE`. The last step takes the minutes that are left.
    """
    ask = PlanStep(5, "plan-ask", "plan-ask-with")
    play = PlanStep(lesson.minutes, "plan-lesson", "plan-lesson-with")
    steps = {
        SHORT: (ask, play, PlanStep(15, "plan-poll", "plan-poll-with")),
        DOUBLE: (
            ask,
            PlanStep(25, "plan-paper", "plan-paper-with"),
            PlanStep(10, "plan-watch", "plan-watch-with"),
            play,
            PlanStep(20, "plan-poll", "plan-poll-with"),
        ),
    }[minutes]
    remaining_minutes = minutes - sum(step.minutes for step in steps)
    return (*steps, PlanStep(remaining_minutes, "plan-talk", "plan-talk-with"))


def pack(lesson: Lesson, language: Language, parts: Mapping[str, PackPart], commands: str) -> str:
    """Return the teacher's pack of a lesson (plans, slides, hand-out, answers, cards), as HTML.

    Args:
        lesson: the lesson of the hand-out, the slides and the answers.
        language: the language of the parts that this module makes.
        parts: the parts that other packages have made, by name: `cards`, and `slips` if there are
            any.
        commands: the commands to type in the lesson, a line each.
    """
    voice = Voice.in_language(lesson, language)
    lesson_parts = {
        "plans": "".join(_plan(voice, minutes) for minutes in (SHORT, DOUBLE)),
        "slides": "".join(f'<section class="slide">{slide}</section>' for slide in _slides(voice)),
        "handout": handout_body(lesson, language),
        "answers": answers_body(lesson, language),
    }
    supplied_parts = {name: part.body for name, part in parts.items()}
    style = "\n".join(
        (
            file_of("colours.css"),
            nested("handout", file_of("handout.css")),
            nested("answers", file_of("handout.css")),
            *(nested(name, part.style) for name, part in parts.items()),
            file_of("pack.css"),
        )
    )
    title = voice.common("pack", title=voice.say("title"))
    contents = "".join(
        f'<li><a href="#{TITLES[name]}">{escape(voice.common(TITLES[name]))}</a></li>'
        for name in (*lesson_parts, *supplied_parts)
    )
    cover = {
        "title": escape(title),
        "terms": escape(voice.terms),
        "contents": contents,
        "commands": escape(commands),
        "slips-note": escape(voice.common("pack-slips" if "slips" in parts else "pack-no-slips")),
    }
    bodies = "".join(
        f'<section class="{TITLES[name]}" id="{TITLES[name]}">{body}</section>'
        for name, body in {**lesson_parts, **supplied_parts}.items()
    )
    body = fill_template("pack.html", cover, voice.common) + f"<main>{bodies}</main>"
    return whole_page(language, title, style, body, policy(style, "", live=False))


def nested(name: str, style: str) -> str:
    """Return a style sheet whose rules apply to one part of the pack only, nested in its class.

    Browsers ignore the sheet's rules for printed pages (@page), because they are nested. name: name
    of the part. style: the sheet.
    """
    return f".{TITLES[name]} {{\n{style}\n}}"


def _plan(voice: Voice, minutes: int) -> str:
    """Return a plan as an HTML table, with a row for each step.

    A row has the first minute, the duration, the activity, and the things needed.
    """
    rows, begins = "", 0
    for step in plan_of(voice.lesson, minutes):
        rows += (
            f"<tr><td>{begins}</td><td>{step.minutes}</td>"
            f"<td>{escape(voice.common(step.activity))}</td>"
            f"<td>{escape(voice.common(step.needs))}</td></tr>"
        )
        begins += step.minutes
    heads = ("plan-from", "plan-minutes", "plan-what", "plan-needs")
    head = "".join(f"<th scope=col>{escape(voice.common(key))}</th>" for key in heads)
    title = escape(voice.common("plan-title", minutes=minutes))
    return f"<section><h2>{title}</h2><table><tr>{head}</tr>{rows}</table></section>"


def _slides(voice: Voice) -> Iterator[str]:
    """Yield the slides of a lesson as HTML, in the order of the plan."""
    lesson, say, common = voice.lesson, voice.say, voice.common
    aims = sentence_items(voice, "aim", lesson.aims)
    yield f"<h2>{escape(say('title'))}</h2><p>{escape(common('objectives'))}</p><ul>{aims}</ul>"
    yield f"<h2>{escape(common('in-this-room'))}</h2><p>{escape(say('room'))}</p>"
    choices = lesson.guess.choices if isinstance(lesson.guess, ChoiceGuess) else 0
    yield (
        f"<h2>{escape(common('guess-first'))}</h2><p>{escape(say('intro'))}</p>"
        f"<p><b>{escape(say('question'))}</b></p>"
        f"<ol>{sentence_items(voice, 'choice', choices)}</ol>"
    )
    yield f"<h2>{escape(voice.value(voice.table.truth))}</h2><p>{escape(say('because'))}</p>"
    thoughts = sentence_items(voice, "think", lesson.exercises)
    yield f"<h2>{escape(common('think-about'))}</h2><ol>{thoughts}</ol>"
    yield f"<h2>{escape(common('slide-poll'))}</h2><p>{escape(common('slide-trust'))}</p>"
