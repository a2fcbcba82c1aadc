"""Peers on the page of a run: knowledge of each, messages coalitions follow, charges."""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import astuple

from ....presentation.pieces import (
    Block,
    PageFigure,
    PageGrid,
    PageNumbers,
    Paragraph,
    Section,
    VerdictAnswer,
)
from ....presentation.svg import Plot, plot
from ....presentation.wording import percent, plural
from ....protocol.peers.view import PeerRecord
from ..peer_findings import OfSize, PeersFound, Spread, smallest_linking
from .peer_knowledge import PeerLearned, learned
from .text import SIZES, numbers, rows_by_size

TRUSTED = "Who must be trusted?"
NOTE = (
    "Followed: from who sent it to what it says. Expected: the share of messages that pass members "
    "alone. Members know their own messages, so where all others in a batch are one person's they "
    "follow these, too: that is what is above it."
)


HANDLED = (
    "Sent: its own messages, each over a path of so many others. Opened: layers of others' "
    "messages. Shown: ballots that it found at the end of their paths. Fewest senders: the "
    "smallest crowd behind a batch that it opened; with one, whoever looks on follows that batch. "
    "Followed and linked alone: others' messages whose whole way it knows with nobody's help, and "
    "others of whom that tells a value."
)


def answer(among: PeersFound) -> VerdictAnswer:
    """Return the answer on trust: the size of a coalition that links people."""
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
        return VerdictAnswer(TRUSTED, "nobody looked at links anyone", text)
    smallest_size = plural(smallest, "peer")
    short = f"{smallest_size} linked somebody" if smallest == 1 else f"{smallest_size} must collude"
    first = next(size.size for size in sizes if size.people.mean > 0)
    drawn = f" The smallest that linked anybody had {plural(first, 'peer')}."
    if first > smallest:
        drawn += f" Whoever holds the {plural(smallest, 'peer')} of one path links whom it is of."
    return VerdictAnswer(TRUSTED, short, f"{text}{drawn}")


def section(among: PeersFound, record: PeerRecord) -> Section:
    """Return the section of the page on peers."""
    each = learned(record)
    blocks: list[Block] = []
    if among.sizes:
        blocks += [_figure(among), _by_size(among), Paragraph(NOTE)]
    blocks += [_each(each, among.path), Paragraph(HANDLED), *_named(among)]
    lead = (
        f"Each of {among.peers:,} peers sent {plural(among.onions, 'message')} a round, every "
        f"one over a path of its own: {plural(among.path, 'other peer')}, drawn evenly. All of it "
        "is posted, for everybody to read; a coalition knows besides what its members sealed and "
        "opened."
    )
    return Section("peers", "What peers learned", lead, tuple(blocks))


def _figure(among: PeersFound) -> PageFigure:
    """Return the figure: shares of messages followed and of people linked, by coalition size."""
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
    return PageFigure(picture.drawing.svg(), caption, _numbers(among))


def _measured(
    picture: Plot,
    sizes: Sequence[OfSize],
    series: int,
    label: str,
    part: Callable[[OfSize], tuple[Spread, int]],
) -> None:
    """Plot a curve with its intervals. part: the measured spread of a size, and its maximum."""
    points = []
    for size in sizes:
        spread, whole = part(size)
        mean, low, high = (100 * end / whole for end in astuple(spread))
        picture.span(size.size, max(low, 0.0), min(high, 100.0), "bounds")
        points.append((size.size, mean))
    picture.curve(points, series, label)


def _numbers(among: PeersFound) -> PageNumbers:
    return PageNumbers("coalitions-by-size", *numbers(among))


def _by_size(among: PeersFound) -> PageGrid:
    rows = [tuple(map(str, row)) for row in rows_by_size(among)]
    return PageGrid("Coalitions by their size", SIZES, rows, (0, 2, 3, 4, 5), _numbers(among))


def _each(each: Sequence[PeerLearned], path: int) -> PageGrid:
    headings = (
        *("peer", "sent", "path", "opened", "shown", "fewest senders"),
        *("followed alone", "linked alone"),
    )
    rows = [
        (
            *(
                peer.name.removeprefix("peer-"),
                f"{peer.sent_messages:,}",
                f"{path}",
                f"{peer.opened:,}",
            ),
            *(
                f"{peer.posted_ballots:,}",
                f"{peer.senders:,}",
                _or_dash(peer.followed),
                _or_dash(peer.linked),
            ),
        )
        for peer in each
    ]
    keys = ("sent", "path", "opened", "shown", "senders", "followed", "linked")
    plain = [
        (
            peer.name,
            peer.sent_messages,
            path,
            peer.opened,
            peer.posted_ballots,
            peer.senders,
            peer.followed,
            peer.linked,
        )
        for peer in each
    ]
    caption = "What each peer handled, and what it learned of others by itself"
    page_numbers = PageNumbers("peers", ("peer", *keys), plain)
    return PageGrid(caption, headings, rows, tuple(range(1, 8)), page_numbers)


def _or_dash(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _named(among: PeersFound) -> Iterator[Block]:
    named = among.charges
    if not named:
        yield Paragraph("Nobody was named: everybody did what was agreed on.")
        return
    rows = [(charge.peer, str(charge.round), str(charge.step), charge.why) for charge in named]
    yield PageGrid("Named by everybody", ("peer", "round", "step", "it"), rows)
