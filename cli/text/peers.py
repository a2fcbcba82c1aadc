"""A run among peers in words and tables: named peers, traces of coalitions, costs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .layout import Block, Grid, Line, plural

if TYPE_CHECKING:
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.programs.peer_findings import PeersFound
    from ...scenarios.schema.model import Scenario

NOTE = (
    "messages followed: of those outside, from who sent it to what it says; expected: those that\n"
    "pass members alone. A coalition follows more where it knows all but one sender of a batch."
)
STEPS = """\
Each of {people} peers posts a fresh key; with the keys everybody works out the session.
Each posts {onions}: {answers}, one per feature, and {blanks}, each for a path of {others}.
In {steps} all open what came and post it sorted; then they agree that nothing is missing, and \
post the sealed ballots that they found.
When everybody has found its own, all show their secrets, and every ballot opens at once.
Everybody counts, decides by the same rule, and posts the digest of the decision. Whoever drops, \
changes or holds back anything is named, and the round is burned.
Once more for the kept features together, again with {onions} each."""
POSTED = (
    "bytes a person: of the layers and ballots that a peer posts, on average; in all: what "
    "everybody reads. Round 2 at its largest"
)


def sizes(peers: "PeersFound") -> Grid:
    """Return a table: messages that coalitions trace, by the number of members."""
    from ...scenarios.programs.peers.text import SIZES, rows_by_size

    return Grid(SIZES, rows_by_size(peers), (0, 2, 3, 4, 5))


def size_blocks(peers: "PeersFound") -> Iterator[Block]:
    """Yield the table, and how to read it."""
    if peers.sizes:
        yield from (sizes(peers), Line(NOTE, "dim"))
    else:
        yield Line("no message was sent, so there is nothing to follow")


def named(peers: "PeersFound") -> Sequence[str]:
    """Return a sentence for each peer that was named."""
    return [
        f"{charge.peer} is named: in round {charge.round}, step {charge.step}, it {charge.why}"
        for charge in peers.charges
    ]


def scores(outcome: "Outcome") -> list[tuple[str, str, str]]:
    """Return rows for the scores of a run: people linked by few, by half and by all other peers."""
    if outcome.peers is None:
        return []
    peers = outcome.peers
    printed_sizes = {peers.path, peers.peers // 2, peers.peers - 1}
    return [
        (
            f"linked by {plural(size.size, 'peer')} together",
            f"{size.people.mean:,.1f} of {peers.peers - size.size:,}",
            (
                "others, on average over "
                f"{'all' if size.tried == size.coalition_count else 'drawn'} coalitions"
            ),
        )
        for size in peers.sizes
        if size.size in printed_sizes
    ]


def steps(scenario: "Scenario", people: int, features: int) -> list[str]:
    """Return the steps of a session, a line each."""
    mix = scenario.mix
    onions = features + mix.cover
    steps_told = STEPS.format(
        people=f"{people:,}",
        onions=plural(onions, "onion"),
        answers=plural(features, "answer"),
        blanks=plural(mix.cover, "blank"),
        others=plural(mix.path, "other peer"),
        steps=plural(mix.path, "step"),
    )
    return steps_told.splitlines()


def posts(scenario: "Scenario", people: int) -> int:
    """Return the number of posts: a key of each peer, and a post a peer and step in two rounds."""
    return people + 2 * people * (scenario.mix.path + 6)
