"""The curator's information, round by round, in a program with several queries."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...wording import Block, Grid, Line

if TYPE_CHECKING:
    from .rounds import RoundRecord

HEADINGS = (
    *("round", "the curator asks for", "masked", "counts", "small crowds"),
    *("certain", "promise", "bits/person"),
)
NAMED = 4  # groups of a round that are named one by one
NOTE = (
    "small crowds: people of one table, at most, whom fewer than k share their answer with; "
    "certain: people whom the curator knows to be in a cell of fewer than k, by all tables up to "
    "this round (a range where tables are too many to be listed); promise: people exposed at most "
    "if all features were released, as far as can be proved by then; bits: what the counts tell of "
    "who has which row, all rounds up to this one together"
)


def summary(outcome: Any) -> Iterator[Block]:
    """Yield a table with a row per round; empty if the curator may ask only once."""
    if not outcome.findings:
        return
    yield Grid(HEADINGS, list(map(row, outcome.findings.rounds)), (3, 4, 5, 6, 7))
    yield Line(NOTE, "dim")
    yield Line()


def row(asked: "RoundRecord") -> tuple[str, ...]:
    """Return a round as a row under HEADINGS."""
    return (
        str(asked.round),
        _groups(asked),
        _masks(asked),
        f"{asked.counts:,}",
        f"{asked.exposed:,}",
        _certain(asked),
        "" if asked.promised is None else f"{asked.promised:,}",
        f"{asked.bits_are.mark}{asked.bits_per_person:.3f}",
    )


def _groups(asked: "RoundRecord") -> str:
    """Return the groups of a round: each by name, or their number and size."""
    size = len(asked.groups[0])
    if size == 1:
        return "every feature by itself"
    if len(asked.groups) > NAMED:
        return f"{len(asked.groups)} groups of {size}"
    return ", ".join(" x ".join(map(str, group)) for group in asked.groups)


def _certain(asked: "RoundRecord") -> str:
    """Return the number of certain people, or its lower and upper bound."""
    low, high = asked.certain.low, asked.certain.high
    return f"{low:,}" if asked.certain.exact else f"{low:,} to {high:,}"


def _masks(asked: "RoundRecord") -> str:
    said = [f"{name}: {hidden}" for name, hidden in asked.masked.items() if hidden]
    return ", ".join(said) or "-"


CHOSEN = (
    "Then it asks for one group of features after the other, each a round of its own: of those it "
    "can promise as much of as of a release, the one that should lower its promise most for each "
    "bit it learns, by what has been counted so far. Rare values are not said by name in them: who "
    'has one answers "other". People answer what is asked, and no more.'
)
DEEPER = (
    "Then it asks for pairs of features, triples and so on, each a round of its own, as long as it "
    "can promise as much of the table it asks for as of a release. Rare values are not said by "
    'name in them: who has one answers "other". People answer what is asked, and no more.'
)
