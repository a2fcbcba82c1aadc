"""The numbers of lessons are those that veilmix computes."""

from typing import Any

import make_lessons
import msgspec
import pytest
from lesson_kit import name_of
from veilmix.lessons.lesson import LESSONS, ChoiceGuess, Lesson
from veilmix.lessons.tables import FOLDER, table_of

each = pytest.mark.parametrize("lesson", LESSONS, ids=name_of)


def raw(lesson: Lesson) -> dict[str, Any]:
    return dict(msgspec.json.decode((FOLDER / f"lesson_{lesson.number}.json").read_bytes()))


def test_each_lesson_has_a_table_and_each_table_a_lesson() -> None:
    numbers = [lesson.number for lesson in LESSONS]
    assert numbers == sorted(set(numbers))
    assert make_lessons.numbers() == numbers
    assert sorted(path.stem for path in FOLDER.iterdir()) == [f"lesson_{n}" for n in numbers]


@each
@pytest.mark.slow
def test_cells_of_a_table_are_what_veilmix_computes(lesson: Lesson) -> None:
    pairs = list(make_lessons.maker(lesson.number).samples(raw(lesson)))
    assert len(pairs) > 1
    assert [written for written, _ in pairs] == [computed for _, computed in pairs]


@each
def test_the_truth_is_a_guess_and_no_start_is_right(lesson: Lesson) -> None:
    guess, table = lesson.guess, table_of(lesson.number)
    assert table.lesson == lesson.number
    assert guess.accepts(table.truth)
    assert table.seeds
    if isinstance(guess, ChoiceGuess):
        return
    assert guess.accepts(guess.start)
    assert all(guess.accepts(mark.at) for mark in table.marks)
    assert table.range is None or table.range[0] <= table.truth <= table.range[1]
    if guess.scale == "logarithmic":
        ratio = guess.start / table.truth
        assert max(ratio, 1 / ratio) > guess.tolerance
    else:
        assert abs(guess.start - table.truth) > guess.tolerance


@each
def test_a_sheet_has_a_cell_for_each_row_and_column(lesson: Lesson) -> None:
    sheet = table_of(lesson.number).sheet
    if sheet is not None:
        assert [len(row) for row in sheet.cells] == [len(sheet.columns)] * len(sheet.rows)
