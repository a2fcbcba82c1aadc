"""Guesses of pupils in a class beside the truth: reading typed guesses, and their figures.

Guesses are numbers, separated by lines, commas or spaces. For a multiple-choice question a guess is
the number of an answer, from 1. Other text is left out, and reported.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BARS = 20  # number of bars in a histogram
WORD = 40  # most characters of an answer that label its bar; the rest is cut off
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Guesses:
    """The guesses of a class, read from text.

    Attributes:
        numbers: the guesses that can be drawn.
        refused: words of the text that are not a number in the accepted range.
    """

    numbers: tuple[float, ...]
    refused: tuple[str, ...]


def read(text: str, low: float, high: float) -> Guesses:
    """Return the numbers from low to high in a pasted text, and the words that are refused."""
    words = re.split(r"[\s,;%]+", text.strip())
    numbers, refused = [], []
    for word in filter(None, words):
        if _NUMBER.fullmatch(word) and low <= float(word) <= high:
            numbers.append(float(word))
        else:
            refused.append(word)
    return Guesses(tuple(numbers), tuple(refused))


@drawing.styled
def draw_choice(
    answers: Sequence[str], truth: int, guess: int | None, pasted: str = ""
) -> "Figure":
    """Draw the number of guesses per answer, with the true answer and the user's guess marked.

    Args:
        answers: the answers of the multiple-choice question, in order.
        truth: index of the true answer, from 0.
        guess: index of the guess of the person who runs the notebook, from 0; None without a guess.
        pasted: the guesses of the pupils, as text.
    """
    from matplotlib.ticker import MaxNLocator

    group = read(pasted, 1, len(answers))
    chosen = Counter(int(number) - 1 for number in group.numbers)
    figure, (axes,) = drawing.new(7.5, 0.9 + 0.42 * len(answers))
    places = range(len(answers))
    colours = [drawing.GREEN if place == truth else drawing.GREY for place in places]
    axes.barh(places, [chosen[place] for place in places], color=colours, height=0.6)
    axes.plot(
        [0], [truth], "s", color=drawing.GREEN, markersize=11, label="the truth", clip_on=False
    )
    if guess is not None:
        axes.plot([0], [guess], "o", color=drawing.VERMILION, label="your guess", clip_on=False)
    axes.set_yticks(list(places), [answer[:WORD] for answer in answers])
    axes.invert_yaxis()
    axes.set_xlim(0, max([1, *chosen.values()]) * 1.05)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _finish(axes, group, "people of the class")
    return figure


@drawing.styled
def draw_number(
    low: float, high: float, truth: float, guess: float | None, pasted: str = "", unit: str = ""
) -> "Figure":
    """Draw a histogram of pupils' guesses, with lines at the truth and at the guess of the user.

    Args:
        low: the smallest accepted number.
        high: the largest accepted number.
        truth: the true number.
        guess: the guess of the person who runs the notebook; None without a guess.
        pasted: the guesses of the pupils, as text.
        unit: label of the axis of numbers.
    """
    group = read(pasted, low, high)
    figure, (axes,) = drawing.new(7.5, 2.4)
    if group.numbers:
        axes.hist(group.numbers, bins=BARS, range=(low, high), color=drawing.GREY)
    else:
        axes.set_yticks([])
    axes.axvline(truth, color=drawing.GREEN, linewidth=3, label=f"the truth, {truth:.4g}")
    if guess is not None:
        axes.axvline(
            guess,
            color=drawing.VERMILION,
            linestyle=(0, (5, 1.5)),
            label=f"your guess, {guess:.4g}",
        )
    axes.set_xlim(low, high)
    axes.set_ylabel("people of the class")
    _finish(axes, group, unit)
    return figure


def _finish(axes: "Axes", group: Guesses, label: str) -> None:
    """Add to a figure of guesses the x label, the refused words, and the legend.

    group: the guesses that were read. label: label of the x axis.
    """
    left_out = f"; left out: {', '.join(group.refused[:5])}" if group.refused else ""
    axes.set_xlabel(f"{label}{left_out}")
    axes.legend(loc="best")
