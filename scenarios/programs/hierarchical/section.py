"""The curator's queries, round by round, on the page of a run."""

from collections.abc import Sequence

from ....presentation.pieces import PageGrid, Paragraph, Section
from ....presentation.wording import plural
from .rounds import RoundRecord
from .text import HEADINGS, NOTE, row

PATH_LEVELS = "Round after round the curator asked for all safe groups of one more feature."
PATH_CHOSEN = (
    "The curator asked for one group a round: of those that are safe, the one that should lower "
    "what it can promise most for each bit it learns. Everybody who has read the same finds the "
    "same group, and `veilmix verify` does."
)


def section(rounds: Sequence[RoundRecord], *, chosen: bool) -> Section:
    """Return the section on the queries. rounds: not empty; chosen: a single group per round."""
    path = [record.promised for record in rounds if record.promised is not None]
    lead = PATH_CHOSEN if chosen else PATH_LEVELS
    if path:
        further_rounds = plural(len(rounds) - 1, "round")
        lead += (
            f" From single features at most {path[0]:,} people were exposed in a release of all; "
            f"after {further_rounds} more at most {path[-1]:,}."
        )
    rows = list(map(row, rounds))
    grid = PageGrid("What the curator was told", HEADINGS, rows, (3, 4, 5, 6, 7))
    return Section("asked", "What the curator asked", lead, (grid, Paragraph(f"{NOTE}.")))
