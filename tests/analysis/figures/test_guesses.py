"""Guesses of a class: read strictly, drawn beside the truth."""

import pytest
from veilmix.analysis.figures.guesses import draw_choice, draw_number, read

ANSWERS = ("the curator", "shuffler 1", "nobody")


@pytest.mark.parametrize(
    ("text", "numbers", "refused"),
    [
        ("", (), ()),
        ("1\n2\n2", (1, 2, 2), ()),
        ("1, 2;3", (1, 2, 3), ()),
        ("12 %\n7.5%", (12, 7.5), ()),
        ("0 101 -1", (0,), ("101", "-1")),
        ("nan inf 1e3 x 4", (4,), ("nan", "inf", "1e3", "x")),
    ],
)
def test_pasted_guesses_are_read_or_refused(
    text: str, numbers: tuple[float, ...], refused: tuple[str, ...]
) -> None:
    guesses = read(text, 0, 100)
    assert (guesses.numbers, guesses.refused) == (numbers, refused)


@pytest.mark.slow
def test_answers_are_counted_and_the_true_one_has_its_colour() -> None:
    made = draw_choice(ANSWERS, 2, 0, "1 1 2 9")
    (axes,) = made.axes
    assert [bar.get_width() for bar in axes.patches] == [2, 1, 0]
    colours = [bar.get_facecolor() for bar in axes.patches]
    assert colours[0] == colours[1] != colours[2]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "the truth",
        "your guess",
    ]
    assert "left out: 9" in axes.get_xlabel()
    assert len(draw_choice(ANSWERS, 2, None).axes[0].get_legend().get_texts()) == 1


@pytest.mark.slow
def test_numbers_become_a_histogram_with_two_lines() -> None:
    (axes,) = draw_number(0, 100, 16, 40, "10 10 90", "people").axes
    assert sum(bar.get_height() for bar in axes.patches) == 3
    assert [line.get_xdata()[0] for line in axes.lines] == [16, 40]
    (alone,) = draw_number(0, 100, 16, None).axes
    assert len(alone.lines) == 1
