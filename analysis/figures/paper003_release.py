"""People of a release found by an attacker that knows some columns of all people (census data).

Not in the paper: its attacker, applied to an exact release. For every number of known columns, the
best and the worst choice of them; the release shows all columns.
"""

from itertools import combinations
from typing import TYPE_CHECKING

from .. import drawing
from ..reidentification.attacks.side_information import Identified, find_people
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def release(material: Material) -> Redrawn:
    """Attack the shipped census table with every set of known columns."""
    codes, names = material.people("census")
    attacks: list[Identified] = []
    for size in range(1, len(names) + 1):
        material.progress(f"release: {size} known columns")
        attacks += [find_people(codes, known) for known in combinations(range(len(names)), size)]
    rows = [
        (
            len(a.known), " ".join(names[j] for j in a.known), a.found, a.certain, a.bits, a.error,
            a.fano, a.people,
        )
        for a in attacks
    ]  # fmt: skip
    held = all(a.fano <= a.error for a in attacks)
    check = Check(
        "release", "Bayes error >= Fano bound of the bits", "(9)", "always", str(held), held
    )
    headings = ("columns", "known", "found", "certain", "bits", "error", "fano", "people")
    numbers = (Numbers("release", headings, rows),)
    return Redrawn("release", numbers, (check,), lambda: draw(attacks, names))


@drawing.styled
def draw(attacks: list[Identified], names: tuple[str, ...]) -> "Figure":
    """Each set of known columns is a point; the most dangerous of each size is named."""
    figure, (ax,) = drawing.new(7.2, 4.4)
    for a in attacks:
        ax.plot(len(a.known), a.found, "o", ms=4, mfc="none", color=drawing.BLUE)
    for size in range(1, len(names) + 1):
        worst = max((a for a in attacks if len(a.known) == size), key=lambda a: a.found)
        ax.plot(size, worst.found, "o", ms=5, color=drawing.VERMILION)
        ax.annotate(
            "\n".join(names[j] for j in worst.known), (size, worst.found), (4, 6),
            textcoords="offset points", fontsize=7, ha="left", va="bottom",
        )  # fmt: skip
    n = attacks[0].people
    ax.set(yscale="log", xlabel="columns that the attacker knows", ylabel="people found (expected)")
    ax.set_title(f"census, all columns released, {n:,} people")
    ax.set_xticks(range(1, len(names) + 1))
    ax.set_xlim(0.5, len(names) + 0.9)
    ax.set_ylim(top=ax.get_ylim()[1] * 4)
    return figure
