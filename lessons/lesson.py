"""A lesson: its record. Its numbers are in its table, its sentences in languages/.

A further lesson N is made in five steps:

1. `tools/lesson_N_table.py`: `table()` runs veilmix and returns the table (tables.py lists its
   fields); `samples(known)` yields pairs: a cell of a table `known`, and the same cell computed
   anew, at little cost. Then `python tools/make_lessons.py N` writes
   `lessons/tables/lesson_N.json`.
2. A record in `LESSONS`, in the order of the numbers.
3. `static/lessonN.js` with `function picture(root, table, t)`: it appends the picture that pupils
   drag to the element `root`, from `table` (the field `picture` of the table) and sentences
   `t(key, values)`. It may use all functions of kit.js and axis.js: `element`, `shape`, `dial`,
   `selection`, `figure`, `percent`, `fitted`, `scaleOf`. Styles are in lessons.css, not in
   attributes.
4. The sentences in the table `[lessons]` of languages/en.toml and de.toml, with the prefix `lN-`:
   the keys of `Lesson.keys`; `lN-row` and `lN-column` if the table has a `sheet`; the keys of
   the table's `marks` and of the picture. They hold no digit: a number is a placeholder such as
   `{people}`, filled in from `facts` of the table (names that end in `share` as a percentage).
   `{truth}` is the true answer with its unit, `{guess}` that of the pupil.
5. `tests/lessons/test_lesson_N.py`: drag, and compare the page with the table. All else is
   tested for each record: tests/lessons/test_tables.py, test_sentences.py, test_pages.py.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class NumberGuess:
    """The kind of guess of a lesson: a number on an axis; the table's `truth` is the true number.

    Attributes:
        low, high: ends of the axis.
        start: the first position of the marker; far from the truth.
        scale: scale of the axis.
        tolerance: a guess is right if it is within this factor of the truth (logarithmic axis), or
            within this distance (linear axis).
        digits: significant digits of a guess on a logarithmic axis; decimals on a linear axis.
        share: whether the number is a share, written as a percentage.
    """

    low: float
    high: float
    start: float
    scale: Literal["logarithmic", "linear"]
    tolerance: float
    digits: int = 2
    share: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the guess's sentences: verdicts on a guess, and a value with its unit."""
        return ("low", "right", "high", "value")

    def accepts(self, value: object) -> bool:
        """Whether a value that a phone sent is a number on the axis."""
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and self.low <= value <= self.high  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class ChoiceGuess:
    """The kind of guess of a lesson in which pupils choose from several answers.

    In the lesson's table `truth` is the number of the right answer, from 1.

    Attributes:
        choices: the number of answers; their sentences are `lN-choice-1` and so on.
    """

    choices: int

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the guess's sentences: the verdicts on a guess, and the answers."""
        return ("right", "wrong", *_numbered_names("choice", self.choices))

    def accepts(self, value: object) -> bool:
        """Whether a value that a phone sent is the number of an answer, from 1."""
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and 1 <= value <= self.choices  # type: ignore[operator]


Guess = NumberGuess | ChoiceGuess
OF_ALL = (
    *("title", "needs", "intro", "question", "because", "source"),
    *("room", "drag", "guess-answer", "drag-answer"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """The record of a lesson; its numbers are in its table, its sentences in a language file.

    Attributes:
        number: number of the lesson, from 1; the names of its sentences, table and picture contain
            it.
        age: the least age of pupils.
        prerequisites: the numbers of lessons that come before.
        guess: the kind of guess with which it begins: a number or one of several answers.
        plan: minutes in the room, for the guess, for dragging, for the exercises.
        aims: number of objectives; their sentences are `lN-aim-1` and so on.
        exercises: number of exercises; their sentences are `lN-think-1` and, for the teacher,
            `lN-answer-1`.
        cards: name of the scenario of the role cards, for 30 people.
    """

    number: int
    age: int
    prerequisites: tuple[int, ...]
    guess: Guess
    plan: tuple[int, int, int, int] = (3, 2, 5, 10)
    aims: int = 3
    exercises: int = 3
    cards: str = "class-of-thirty"

    @property
    def minutes(self) -> int:
        """The minutes that the lesson takes: the sum of its plan."""
        return sum(self.plan)

    def key(self, name: str) -> str:
        """Return the key of a sentence of this lesson, such as `l2-title`."""
        return f"l{self.number}-{name}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all sentences that the pages of this lesson need.

        The sentences of the lesson's picture are not included.
        """
        numbered_names = (
            *_numbered_names("aim", self.aims),
            *_numbered_names("think", self.exercises),
        )
        answers = _numbered_names("answer", self.exercises)
        return tuple(map(self.key, (*OF_ALL, *self.guess.keys, *numbered_names, *answers)))


def _numbered_names(name: str, count: int) -> tuple[str, ...]:
    """Return the names `NAME-1` to `NAME-count`."""
    return tuple(f"{name}-{at}" for at in range(1, count + 1))


LESSONS = (
    Lesson(number=1, age=14, prerequisites=(), guess=ChoiceGuess(4)),
    Lesson(
        number=2,
        age=14,
        prerequisites=(),
        guess=NumberGuess(low=100, high=30_000, start=600, scale="logarithmic", tolerance=1.4),
    ),
    Lesson(number=3, age=14, prerequisites=(1,), guess=ChoiceGuess(4)),
    Lesson(
        number=4,
        age=16,
        prerequisites=(2,),
        guess=NumberGuess(low=0, high=100, start=20, scale="linear", tolerance=10, digits=0),
    ),
    Lesson(
        number=5,
        age=14,
        prerequisites=(),
        guess=NumberGuess(low=4, high=2_000, start=400, scale="logarithmic", tolerance=1.5),
    ),
    Lesson(
        number=6,
        age=14,
        prerequisites=(),
        guess=NumberGuess(low=0, high=300, start=150, scale="linear", tolerance=10, digits=0),
    ),
    Lesson(
        number=7,
        age=14,
        prerequisites=(2, 6),
        guess=NumberGuess(low=0, high=100, start=5, scale="linear", tolerance=8, digits=0),
    ),
)


def lesson_of(number: int) -> Lesson | None:
    """Return the lesson with this number; None if there is none."""
    return next((lesson for lesson in LESSONS if lesson.number == number), None)
