"""The curator's information, round by round, in a program with several queries."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....presentation.wording import Block, Grid, Line

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


def row(record: "RoundRecord") -> tuple[str, ...]:
    """Return a round as a row under HEADINGS."""
    return (
        str(record.round),
        _groups(record),
        _masks(record),
        f"{record.counts:,}",
        f"{record.exposed:,}",
        _certain(record),
        "" if record.promised is None else f"{record.promised:,}",
        f"{record.bits_are.mark}{record.bits_per_person:.3f}",
    )


def _groups(record: "RoundRecord") -> str:
    """Return the groups of a round: each by name, or their number and size."""
    size = len(record.groups[0])
    if size == 1:
        return "every feature by itself"
    if len(record.groups) > NAMED:
        return f"{len(record.groups)} groups of {size}"
    return ", ".join(" x ".join(map(str, group)) for group in record.groups)


def _certain(record: "RoundRecord") -> str:
    """Return the number of certain people, or its lower and upper bound."""
    low, high = record.certain.low, record.certain.high
    return f"{low:,}" if record.certain.exact else f"{low:,} to {high:,}"


def _masks(record: "RoundRecord") -> str:
    mask_notes = [f"{name}: {hidden}" for name, hidden in record.masked.items() if hidden]
    return ", ".join(mask_notes) or "-"


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
