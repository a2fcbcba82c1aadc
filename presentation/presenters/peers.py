"""The presenter of a run among peers, in which each participant forwards messages of other peers.

It shows the messages that coalitions of peers trace from sender to ballot, the people that they
link to values, and peers that the board proves to have deviated.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import astuple

from ...number_text import percent, plural
from ..blocks import Block, PageFigure, Section, VerdictAnswer
from ..svg import Plot, plot
from ..text_blocks import Grid, Line, PageNumbers, Score

if TYPE_CHECKING:
    from ...protocol.peers.view import PeerRecord
    from ...scenarios.programs.peer_findings import OfSize, PeersFound, Spread
    from ...scenarios.programs.peers.peer_knowledge import PeerLearned
    from ...scenarios.schema.model import Scenario

TRUSTED = "Who must be trusted?"
HANDLED = (
    "Sent: its own messages, each over a path of so many others. Opened: layers of others' "
    "messages. Shown: ballots that it found at the end of their paths. Fewest senders: the "
    "smallest crowd behind a batch that it opened; with one, whoever looks on follows that batch. "
    "Followed and linked alone: others' messages whose whole way it knows with nobody's help, and "
    "others of whom that tells a value."
)
FOLLOWED = (
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
ENDS = ("mean", "low_95", "high_95")


def sizes_grid(among: "PeersFound") -> Grid:
    """Return the table of coalitions of peers by their size: messages traced, and people linked.

    A message is traced if the coalition knows its sender and its ballot. among: the findings of the
    run.
    """
    headings = (
        *("members", "coalitions", "messages followed"),
        *("expected", "people linked", "whole rows linked"),
    )
    rows = [
        (
            f"{size.size:,}",
            f"all {size.coalition_count:,}"
            if size.tried == size.coalition_count
            else f"{size.tried:,} drawn",
            _between(size.onions, share=True),
            percent(size.expected),
            f"{_between(size.people)} of {among.peers - size.size:,}",
            _between(size.rows),
        )
        for size in among.sizes
    ]
    return Grid(headings, rows, (0, 2, 3, 4, 5), "Coalitions by their size", sizes_numbers(among))


def _between(spread: "Spread", *, share: bool = False) -> str:
    """Return a mean as text, with its 95 % interval if it has a width; the lower end is at least 0.

    share: whether the mean is a share, printed in percent.
    """
    mean = percent(spread.mean) if share else f"{spread.mean:.2f}"
    if spread.low == spread.high:
        return mean
    ends = (percent(x) if share else f"{x:.2f}" for x in (max(spread.low, 0.0), spread.high))
    return f"{mean} ({' to '.join(ends)})"


def sizes_numbers(among: "PeersFound") -> PageNumbers:
    """Return the figures of coalitions of peers by their size, unrounded, for a CSV file."""
    parts = [f"{name}_{end}" for name in ("onions", "people", "rows") for end in ENDS]
    rows = [
        (
            *(size.size, size.tried, size.coalition_count, size.expected),
            *(end for part in (size.onions, size.people, size.rows) for end in astuple(part)),
        )
        for size in among.sizes
    ]
    headings = ("members", "tried", "all", "expected", *parts)
    return PageNumbers("coalitions-by-size", headings, rows)


def followed(among: "PeersFound") -> Iterator[Block]:
    """Yield the table of messages that coalitions trace from sender to ballot, with a legend.

    If no message was sent, a line says so.
    """
    if among.sizes:
        yield from (sizes_grid(among), Line(FOLLOWED, "dim"))
    else:
        yield Line("no message was sent, so there is nothing to follow")


def named(among: "PeersFound") -> Sequence[str]:
    """Return a sentence for each deviation of a peer that the posts on the board prove."""
    return [
        f"{charge.peer} is named: in round {charge.round}, step {charge.step}, it {charge.why}"
        for charge in among.charges
    ]


def scores(among: "PeersFound") -> Iterator[Score]:
    """Yield scores: the average number of people that a coalition of peers links to values.

    The coalitions have as many members as a message's path, half of all peers, or all peers except
    a single peer.
    """
    for size in among.sizes:
        if size.size in {among.path, among.peers // 2, among.peers - 1}:
            scope = "all" if size.tried == size.coalition_count else "drawn"
            yield (
                f"linked by {plural(size.size, 'peer')} together",
                f"{size.people.mean:,.1f} of {among.peers - size.size:,}",
                f"others, on average over {scope} coalitions",
            )


def steps(scenario: "Scenario", people: int, features: int) -> list[str]:
    """Return the steps of a session among peers, a line each.

    people: number of peers. features: number of columns.
    """
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
    """Return the number of posts of a session: a key of each peer, then posts in two rounds.

    In each round, each peer posts once for each step of a message's path, and in six other steps.
    people: the number of peers.
    """
    return people + 2 * people * (scenario.mix.path + 6)


def answer(among: "PeersFound") -> VerdictAnswer:
    """Return the answer to the question which parties must be trusted: how many peers link."""
    from ...scenarios.programs.peer_findings import smallest_linking

    sizes = among.sizes
    if not sizes:
        text = "No message was sent, so there was nothing to follow."
        return VerdictAnswer(TRUSTED, "nobody in the middle", text)
    smallest = smallest_linking(among)
    half = min(sizes, key=lambda size: abs(2 * size.size - among.peers))
    outside = among.peers - half.size
    text = (
        f"There is no party in the middle. {plural(half.size, 'peer')} of {among.peers:,} "
        f"together follow {percent(half.onions.mean)} of the others' messages, and link "
        f"{half.people.mean:,.1f} of {outside:,} others to a value, on average over "
        f"{plural(half.tried, 'coalition')}."
    )
    if smallest is None:
        return VerdictAnswer(TRUSTED, "no scored coalition links anyone", text)
    smallest_size = plural(smallest, "peer")
    short = f"{smallest_size} linked a person" if smallest == 1 else f"{smallest_size} must collude"
    first = next(size.size for size in sizes if size.people.mean > 0)
    drawn = f" The smallest that linked a person had {plural(first, 'peer')}."
    if first > smallest:
        path = plural(smallest, "peer")
        drawn += f" A coalition of the {path} of one path links its message to its sender."
    return VerdictAnswer(TRUSTED, short, f"{text}{drawn}")


def section(among: "PeersFound", record: "PeerRecord") -> Section:
    """Return the section of a page on peers: messages traced, and each peer's knowledge.

    among: the findings of the run. record: the record from which each peer's view is computed.
    """
    from ...scenarios.programs.peers.peer_knowledge import learned

    each = learned(record)
    blocks: list[Block] = []
    if among.sizes:
        blocks += [_figure(among), *followed(among)]
    blocks += [_each(each, among.path), Line(HANDLED)]
    blocks += [Line(f"{line}.") for line in named(among)]
    if not among.charges:
        blocks.append(Line("Nobody was named: everybody did what was agreed on."))
    lead = (
        f"Each of {among.peers:,} peers sent {plural(among.onions, 'message')} a round, every "
        f"one over a path of its own: {plural(among.path, 'other peer')}, drawn evenly. All of it "
        "is posted, for everybody to read; a coalition knows besides what its members sealed and "
        "opened."
    )
    return Section("peers", "What peers learned", lead, tuple(blocks))


def _figure(among: "PeersFound") -> PageFigure:
    """Draw the shares of messages traced and of people linked, by size of coalition."""
    sizes, peers = among.sizes, among.peers
    spoken = "; ".join(
        f"{size.size:,} members follow {percent(size.onions.mean)}" for size in sizes
    )
    title = "Messages followed, and people linked, by the number of members"
    picture = plot("followed", title, spoken, (0, peers, False), (0, 100, False), head=22)
    ticks = [(float(size.size), f"{size.size:,}") for size in sizes]
    picture.axes("members of a coalition", "percent of those outside it", ticks)
    expected = [(size.size, 100 * size.expected) for size in sizes]
    picture.curve(expected, 3, "messages expected")
    _measured(picture, sizes, 1, "messages followed", lambda size: (size.onions, 1))
    label = "people linked to a value"
    _measured(picture, sizes, 2, label, lambda size: (size.people, peers - size.size))
    picture.strip()
    caption = (
        "Means over the coalitions looked at, with their 95 % interval where these were drawn. "
        "Messages expected: those that pass members alone."
    )
    return PageFigure(picture.drawing.svg(), caption, sizes_numbers(among))


def _measured(
    picture: Plot,
    sizes: "Sequence[OfSize]",
    series: int,
    label: str,
    part: "Callable[[OfSize], tuple[Spread, int]]",
) -> None:
    """Draw a curve of means over the number of members of a coalition, with intervals, in percent.

    Args:
        picture: the plot.
        sizes: the figures for each number of members.
        series: the number of the curve, which decides its style.
        label: the name of the curve.
        part: returns the mean for a number of members, with its interval, and the largest possible
            value.
    """
    points = []
    for size in sizes:
        spread, whole = part(size)
        mean, low, high = (100 * end / whole for end in astuple(spread))
        picture.span(size.size, max(low, 0.0), min(high, 100.0), "bounds")
        points.append((size.size, mean))
    picture.curve(points, series, label)


def _each(each: "Sequence[PeerLearned]", path: int) -> Grid:
    """Return the table of peers: messages sent and opened, smallest anonymity set, people linked.

    each: the work and the knowledge of each peer. path: number of peers that each message passes.
    """
    headings = (
        *("peer", "sent", "path", "opened", "shown", "fewest senders"),
        *("followed alone", "linked alone"),
    )
    rows = [
        (
            *(peer.name.removeprefix("peer-"), f"{peer.sent_messages:,}", f"{path}"),
            *(f"{peer.opened:,}", f"{peer.posted_ballots:,}", f"{peer.senders:,}"),
            *(_or_dash(peer.followed), _or_dash(peer.linked)),
        )
        for peer in each
    ]
    keys = ("sent", "path", "opened", "shown", "senders", "followed", "linked")
    plain = [
        (
            *(peer.name, peer.sent_messages, path, peer.opened),
            *(peer.posted_ballots, peer.senders, peer.followed, peer.linked),
        )
        for peer in each
    ]
    caption = "What each peer handled, and what it learned of others by itself"
    page_numbers = PageNumbers("peers", ("peer", *keys), plain)
    return Grid(headings, rows, tuple(range(1, 8)), caption, page_numbers)


def _or_dash(value: int | None) -> str:
    """Return a count as text, or a dash if it is missing."""
    return "-" if value is None else f"{value:,}"
