"""The presenter of the program `hierarchical`: the curator asks for joint counts, round by round.

It asks for single columns, then for groups of columns, as long as the counts are safe.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...number_text import plural
from ...scenarios.programs.hierarchical.program import chooses
from ...scenarios.programs.hierarchical.rounds import RoundRecord, Rounds
from ..blocks import Block, Section
from ..text_blocks import Grid, Line
from .presenter import COUNTING, Presenter, last_round_sentence

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...protocol.wire.messages import Call
    from ...scenarios.programs.evidence import Claims
    from ...scenarios.schema.model import Policy, Scenario

HEADINGS = (
    *("round", "the curator asks for", "masked", "counts", "small crowds"),
    *("certain", "promise", "bits/person"),
)
NAMED = 4  # largest number of column groups of a round that are listed by name
NOTE = (
    "small crowds: people of one table, at most, whom fewer than k share their answer with; "
    "certain: people whom the curator knows to be in a cell of fewer than k, by all tables up to "
    "this round (a range where tables are too many to be listed); promise: people exposed at most "
    "if all features were released, as far as can be proved by then; bits: what the counts tell of "
    "who has which row, all rounds up to this one together"
)
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
PATH_LEVELS = "Round after round the curator asked for all safe groups of one more feature."
PATH_CHOSEN = (
    "The curator asked for one group a round: of those that are safe, the one that should lower "
    "what it can promise most for each bit it learns. Everybody who has read the same finds the "
    "same group, and `veilmix verify` does."
)


class HierarchicalPresenter(Presenter):
    """The texts on the program in which the curator asks for joint counts as long as it is safe."""

    unsearched = "the curator knows more than the marginals"
    largest = "rounds 2 and later at their largest: as if every question were safe"

    def steps(self, scenario: "Scenario", answering: str, mixing: str) -> list[str]:
        """Return the steps of a session, a sentence each.

        answering, mixing: the sentences on users and on shufflers, which most programs share.
        """
        deeper = CHOSEN if chooses(scenario.policy) else DEEPER
        decides = f"When nothing is left to ask that is safe, {self.decides(scenario.policy)}."
        return [answering, mixing, f"{COUNTING}. {deeper}", decides, last_round_sentence(scenario)]

    def decides(self, policy: "Policy") -> str:  # noqa: ARG002
        """Return the choice of the curator, as a clause: the most columns that are proved safe."""
        return "it keeps the most features that it can promise for, by all it knows"

    def summary(self, outcome: Any) -> Iterator[Block]:
        """Yield the table of rounds; without findings, as in an aborted run, no table."""
        if outcome.findings:
            yield from (rounds_grid(outcome.findings.rounds), Line(NOTE, "dim"), Line())

    def section(self, scenario: "Scenario", result: "Claims") -> Iterator[Section]:
        """Yield the section of a page: queries round by round, and the bounds after each."""
        if not isinstance(result.findings, Rounds):
            return
        rounds = result.findings.rounds
        path = [record.promised for record in rounds if record.promised is not None]
        lead = PATH_CHOSEN if chooses(scenario.policy) else PATH_LEVELS
        if path:
            lead += (
                f" From single features at most {path[0]:,} people were exposed in a release of "
                f"all; after {plural(len(rounds) - 1, 'round')} more at most {path[-1]:,}."
            )
        blocks = rounds_grid(rounds), Line(f"{NOTE}.")
        yield Section("asked", "What the curator asked", lead, blocks)

    def stage_rule(self, policy: "Policy", language: "Language") -> str:
        """Return the caption on the curator's queries and the release, for the theatre."""
        return language.say("says-rule-chosen" if chooses(policy) else "says-rule-deeper")

    def stage_hiding(self, call: "Call", language: "Language") -> str:
        """Return the clause that rare values are replaced by "other" in a query; "" if not."""
        return language.say("says-hiding-rare") if call.hidden else ""


def rounds_grid(rounds: Sequence[RoundRecord]) -> Grid:
    """Return the table of rounds: queries, counts, and the curator's knowledge after each."""
    rows = list(map(row, rounds))
    return Grid(HEADINGS, rows, (3, 4, 5, 6, 7), "What the curator was told")


def row(record: RoundRecord) -> tuple[str, ...]:
    """Return the record of a round as a table row under `HEADINGS`."""
    masks = ", ".join(f"{name}: {hidden}" for name, hidden in record.masked.items() if hidden)
    low, high = record.certain.low, record.certain.high
    return (
        str(record.round),
        _groups(record),
        masks or "-",
        f"{record.counts:,}",
        f"{record.exposed:,}",
        f"{low:,}" if record.certain.exact else f"{low:,} to {high:,}",
        "" if record.promised is None else f"{record.promised:,}",
        f"{record.bits_are.mark}{record.bits_per_person:.3f}",
    )


def _groups(record: RoundRecord) -> str:
    """Return the groups of columns that were counted in a round, in words.

    They are named if they are few; otherwise the text has their number and size.
    """
    size = len(record.groups[0])
    if size == 1:
        return "every feature by itself"
    if len(record.groups) > NAMED:
        return f"{len(record.groups)} groups of {size}"
    return ", ".join(" x ".join(map(str, group)) for group in record.groups)
