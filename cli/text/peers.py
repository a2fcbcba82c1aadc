"""A run among peers in words and tables: who was named, what coalitions follow, what it costs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import astuple

from .layout import Grid, Page, clean, lay_out, many, percent, say

if TYPE_CHECKING:
    from ...scenarios.programs.peers.score import PeersFound, Spread
    from ...scenarios.schema.model import Scenario
    from ...scenarios.scoring.outcome import Outcome

NOTE = (
    "messages followed: of those outside, from who sent it to what it says; expected: those that\n"
    "pass members alone. A coalition follows more where it knows all but one sender of a batch."
)
STEPS = """\
Each of {people} peers posts a fresh key; with the keys everybody works out the session.
Each posts {onions}: {answers}, one per feature, and {blanks}, each for a path of {others}.
In {steps} all open what came and post it sorted; then they agree that nothing is missing, and \
show the ballots that they found.
Everybody counts, decides by the same rule, and posts the digest of the decision. Whoever drops, \
changes or holds back anything is named, and the round is burned.
Once more for the kept features together, again with {onions} each."""
POSTED = (
    "bytes a person: of the layers and ballots that a peer posts, on average; in all: what "
    "everybody reads. Round 2 at its largest"
)
SIZES = (
    "members",
    "coalitions",
    "messages followed",
    "expected",
    "people linked",
    "whole rows linked",
)


def sizes(found: "PeersFound") -> Grid:
    """What coalitions follow, by the number of members."""
    rows = [
        (
            f"{one.size:,}",
            f"all {one.all_:,}" if one.tried == one.all_ else f"{one.tried:,} drawn",
            _between(one.onions, share=True),
            percent(one.expected),
            f"{_between(one.people)} of {found.peers - one.size:,}",
            _between(one.rows),
        )
        for one in found.sizes
    ]
    return Grid(SIZES, rows, (0, 2, 3, 4, 5))


def _between(one: "Spread", *, share: bool = False) -> str:
    """A mean, and its 95 % interval where it has one; no share is below 0."""
    mean = percent(one.mean) if share else f"{one.mean:.2f}"
    if one.low == one.high:
        return mean
    ends = (percent(x) if share else f"{x:.2f}" for x in (max(one.low, 0.0), one.high))
    return f"{mean} ({' to '.join(ends)})"


def csv(found: "PeersFound") -> Grid:
    """The same, for a program."""
    headings = ["members", "tried", "all", "expected"]
    headings += [f"{name}_{end}" for name in ("onions", "people", "rows") for end in ENDS]
    rows = [
        (
            *(one.size, one.tried, one.all_, one.expected),
            *(end for part in (one.onions, one.people, one.rows) for end in astuple(part)),
        )
        for one in found.sizes
    ]
    return Grid(tuple(headings), rows)


ENDS = ("mean", "low_95", "high_95")


def tell_sizes(console: Page, found: "PeersFound") -> None:
    """Print the table, and how to read it."""
    if not found.sizes:
        say(console, "no message was sent, so there is nothing to follow")
        return
    lay_out(console, sizes(found))
    say(console, NOTE, style="dim")


def named(found: "PeersFound") -> Sequence[str]:
    """Who was named, in words."""
    return [
        f"{one.peer} is named: in round {one.round}, step {one.step}, it {one.why}"
        for one in found.charges
    ]


def scores(outcome: "Outcome") -> list[tuple[str, str, str]]:
    """Rows for the scores of a run: what a few and what most peers would link."""
    if outcome.peers is None:
        return []
    found = outcome.peers
    wanted = {found.path, found.peers // 2, found.peers - 1}
    return [
        (
            f"linked by {many(one.size, 'peer')} together",
            f"{one.people.mean:,.1f} of {found.peers - one.size:,}",
            f"others, on average over {'all' if one.tried == one.all_ else 'drawn'} coalitions",
        )
        for one in found.sizes
        if one.size in wanted
    ]


def check(console: Page, scenario: "Scenario", people: int, features: int) -> None:
    """Say what will happen."""
    mix = scenario.mix
    onions = features + mix.cover
    steps_told = STEPS.format(
        people=f"{people:,}",
        onions=many(onions, "onion"),
        answers=many(features, "answer"),
        blanks=many(mix.cover, "blank"),
        others=many(mix.path, "other peer"),
        steps=many(mix.path, "step"),
    )
    for number, line in enumerate(steps_told.splitlines(), start=1):
        say(console, f"  {number}. {clean(line)}")
    say(console)


def posts(scenario: "Scenario", people: int) -> int:
    """How many posts there are: a key each, and in two rounds one a step."""
    return people + 2 * people * (scenario.mix.path + 3)
