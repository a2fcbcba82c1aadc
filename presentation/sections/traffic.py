"""The section of a run's page on traffic: messages, bytes, and the lengths of submissions."""

from typing import TYPE_CHECKING

from ...number_text import plural, size
from ..blocks import PageFigure, Section
from ..svg import Drawing
from ..text_blocks import Grid, PageNumbers

if TYPE_CHECKING:
    from ...scenarios.records.traffic import Traffic
    from ..presenters.page_facts import PageFacts

# largest number of bars of a round; if there are more lengths, neighbouring lengths share a bar
BINS = 24


def section(facts: "PageFacts") -> Section | None:
    """Return the section on traffic; None for a run without messages."""
    traffic = facts.traffic
    if traffic is None:
        return None
    lead = (
        f"{plural(traffic.messages, 'message')}, {size(traffic.size)} in all; "
        f"{size(traffic.size / facts.users)} a person. {facts.topology_words.lengths}"
    )
    blocks = (_figure(traffic), _table(traffic)) if traffic.sizes else (_table(traffic),)
    return Section("traffic", "Traffic", lead, blocks)


def _table(traffic: "Traffic") -> Grid:
    """Return the table of messages by kind and round, with their number and bytes."""
    rows = [
        (
            wire.kind,
            str(wire.round) if wire.round else "-",
            f"{wire.messages:,}",
            size(wire.size),
            f"{wire.smallest:,}" if wire.smallest == wire.largest else
            f"{wire.smallest:,} to {wire.largest:,}",
        )
        for wire in traffic.flows
    ]  # fmt: skip
    numbers = PageNumbers(
        "traffic",
        ("kind", "round", "messages", "bytes", "smallest_bytes", "largest_bytes"),
        [(f.kind, f.round, f.messages, f.size, f.smallest, f.largest) for f in traffic.flows],
    )
    headings = ("message", "round", "how many", "in all", "bytes each")
    return Grid(headings, rows, (1, 2, 3, 4), "Messages by kind and round", numbers)


def _binned(sizes: dict[int, int]) -> list[tuple[int, int, int]]:
    """Return the histogram of message lengths: first and last length of a bin, and its count.

    sizes: number of submissions by length in bytes.
    """
    if len(sizes) <= BINS:
        return [(length, length, count) for length, count in sizes.items()]
    low, high = min(sizes), max(sizes)
    step = -(-(high - low + 1) // BINS)
    bins: dict[int, int] = {}
    for length, count in sizes.items():
        start = low + (length - low) // step * step
        bins[start] = bins.get(start, 0) + count
    return [(start, start + step - 1, count) for start, count in sorted(bins.items())]


def _figure(traffic: "Traffic") -> PageFigure:
    """Draw, for each round, a bar for each length of submissions."""
    rounds = {number: _binned(sizes) for number, sizes in traffic.sizes.items()}
    height = 14 + sum(26 + 20 * len(bins) for bins in rounds.values())
    round_texts = [
        f"round {number}: {plural(len(lengths), 'length')}"
        for number, lengths in traffic.sizes.items()
    ]
    drawing = Drawing("sizes", "Length of submissions", "; ".join(round_texts), 720, height)
    max_count = max((count for bins in rounds.values() for _, _, count in bins), default=1)
    y = 14.0
    for number, bins in rounds.items():
        lengths = len(traffic.sizes[number])
        length_note = (
            "one length: nothing shows" if lengths == 1 else f"{lengths} lengths: they tell"
        )
        drawing.text(0, y + 4, f"round {number}: {length_note}", "label")
        y += 12
        for low, high, count in bins:
            name = f"{low:,} bytes" if low == high else f"{low:,} to {high:,} bytes"
            drawing.text(170, y + 13, name, anchor="end")
            width = 380 * count / max_count
            drawing.box(178, y + 3, width, 13, "bar" if lengths == 1 else "bar low")
            drawing.text(184 + width, y + 13, plural(count, "submission"))
            y += 20
        y += 14
    rows = [
        (number, length, count)
        for number, sizes in traffic.sizes.items()
        for length, count in sizes.items()
    ]
    numbers = PageNumbers("sizes", ("round", "bytes", "submissions"), rows)
    return PageFigure(drawing.svg(), "How long the submissions of people were.", numbers)
