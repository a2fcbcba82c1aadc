"""The output of `veilmix check SCENARIO --people N`: traffic, time, memory and limits."""

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from ...number_text import size
from ...presentation.text_blocks import Grid, Line
from ...roles.compute.spool import MEMORY_LIMIT, folder

if TYPE_CHECKING:
    from ...analysis.scaling import PeopleLimit, SessionCosts
    from ...presentation.blocks import Block
    from ...scenarios.studies.costs.scale import SessionScale
    from ...scenarios.studies.costs.traffic import LinkTraffic
    from .records import EstimatedScale

HEADINGS = ("round", "from", "to", "messages", "bytes", "")
TIMES = ((3600.0, "h"), (60.0, "min"), (1.0, "s"))
FOREVER = 1_000 * 24 * 3600.0  # seconds; longer times are printed in years


def links(link_traffic: "tuple[LinkTraffic, ...]") -> "list[tuple[int, str, str, int, int]]":
    """Return rows (round, sender, receiver, messages, bytes): a row for each link in each round.

    All posts of a round on the board are a single link, from `all` to `board`.
    """
    rows = list[tuple[int, str, str, int, int]]()
    for number, round_traffic in groupby(link_traffic, key=lambda message: message.round):
        links: dict[tuple[str, str], tuple[int, int]] = {}
        for link_bytes in round_traffic:
            link = (
                ("all", "board")
                if link_bytes.receiver == "board"
                else (link_bytes.sender, link_bytes.receiver)
            )
            messages, size = links.get(link, (0, 0))
            links[link] = messages + link_bytes.messages, size + link_bytes.bytes
        rows += [(number, *link, *counts) for link, counts in links.items()]
    return rows


def span(seconds: float) -> str:
    """Return a time with two digits in seconds, minutes or hours; above 1,000 days, in years."""
    if seconds > FOREVER:
        return f"{seconds / 3600 / 24 / 365.25:,.1f} years"
    for each, unit in TIMES:
        if seconds >= each:
            quantity = seconds / each
            return f"{quantity:.2g} {unit}" if quantity < 99.5 else f"{quantity:,.0f} {unit}"
    return f"{seconds:.2g} s"


def grid(scale: "SessionScale") -> Grid:
    """Return a table of the traffic of each link in plain numbers, for CSV."""
    return Grid(HEADINGS[:-1], links(scale.link_traffic), (0, 3, 4))


def scale_blocks(name: str, scale: "SessionScale") -> Iterator["Block"]:
    """Yield the estimate for a number of people as lines and tables to print.

    name: name of the scenario.
    """
    from ...analysis.scaling import MEASURED

    yield Line(f"{name} with {scale.people:,} people: an estimate, nothing was played")
    yield Line()
    if scale.costs is None:
        yield from map(Line, scale.unsaid)
        return
    rows = [
        (number, sender, to, f"{messages:,}", f"{byte_count:,}", size(byte_count))
        for number, sender, to, messages, byte_count in links(scale.link_traffic)
    ]
    yield Grid(HEADINGS, rows, (3, 4, 5))
    yield Line(
        " every round at its largest; what is on the board, whoever wants to may read", "dim"
    )
    yield Line()
    yield from _costs(scale, scale.costs)
    for number, limit in enumerate(scale.broken):
        yield Line(f"{'' if number else 'breaks':9} {_broken(limit, number)}")
    holds = [limit for limit in scale.limits if limit not in scale.broken]
    if holds:
        first = "" if scale.broken else "nothing; "
        limit_text = f"{first}next, above {holds[0].people:,} people: {holds[0].consequence}"
        yield Line(f"{'' if scale.broken else 'breaks':9} {limit_text}")
    for number, line in enumerate(scale.unsaid):
        yield Line(f"{'' if number else 'left out':9} {line}")
    yield Line(f"{'constants':9} {constants()}")
    missed = f"up to {MEASURED.error:.0%} of CPU time in runs of up to {MEASURED.tried:,} people"
    yield Line(
        f"{'error':9} bytes are exact; hours are that processor's, and were missed by {missed}; "
        "beyond, and for wall time, nothing was measured (docs/scale.md)"
    )


def _broken(limit: "PeopleLimit", number: int) -> str:
    """Return in words a limit that the number of people exceeds.

    limit: the number of people, and the failure above it. number: rank of the limit, 0 for the
    lowest.
    """
    return f"{'then' if number else 'first'}, above {limit.people:,} people: {limit.consequence}"


def _costs(scale: "SessionScale", costs: "SessionCosts") -> Iterator["Block"]:
    """Yield lines on bytes, rounds, core hours, memory, disk and wall time."""
    whole, where = sum(message.bytes for message in scale.link_traffic), scale.cluster
    each = f"{where.cores:,} cores, {where.gigabits:g} Gbit/s and {where.gigabytes:g} GB of memory"
    yield Line(f"bytes     {size(whole)} in all, exact")
    yield Line(f"rounds    {costs.rounds}; {costs.layers:,} layers of {scale.suite}")
    yield Line(
        f"cores     {_hours(costs.cpu)} core hours: {_hours(costs.sealing)} to seal (people's "
        f"own), {_hours(costs.opening)} to open, {_hours(costs.handling)} for all else"
    )
    yield Line(
        f"memory    {size(costs.memory)} in one process that plays everybody, {size(costs.party)} "
        "in that of one shuffler"
    )
    if costs.disk > MEMORY_LIMIT:
        yield Line(
            f"disk      {size(costs.disk)} in {folder()}, where memory ends; gone afterwards"
        )
    yield Line(
        f"wall      {span(costs.wall)} where each party has {each}: "
        f"{span(costs.sending)} of sending, {span(costs.working)} of work; people's own apart"
    )


def _hours(seconds: float) -> str:
    """Return seconds as a number of hours, with two digits or more."""
    hours = seconds / 3600
    return f"{hours:,.0f}" if hours >= 99.5 else f"{hours:.2g}"


def constants() -> str:
    """Return a line: the measured time of each operation, and the processor that was measured."""
    from ...analysis.scaling import MEASURED

    suites = ", ".join(
        f"{name} {seal:.0f} and {open_:.0f}" for name, (seal, open_) in MEASURED.suites.items()
    )
    return (
        f"{MEASURED.processor}, {MEASURED.measured}: microseconds of one core to seal and to open "
        f"a layer: {suites}; and {MEASURED.summed.layer:.0f} a layer besides, "
        f"{MEASURED.summed.envelope:.0f} an envelope"
    )


def record(name: str, scale: "SessionScale") -> "EstimatedScale":
    """Return the estimate as a record for JSON. name: the scenario."""
    from ...analysis.scaling import MEASURED
    from .records import Breaks, EstimatedScale, LinkBytes

    costs = scale.costs
    return EstimatedScale(
        name,
        scale.people,
        scale.suite,
        tuple(LinkBytes(*row) for row in links(scale.link_traffic)),
        None if costs is None else costs.rounds,
        None if costs is None else costs.layers,
        None if costs is None else costs.sealing,
        None if costs is None else costs.opening,
        None if costs is None else costs.handling,
        None if costs is None else round(costs.memory),
        None if costs is None else round(costs.party),
        None if costs is None else round(costs.disk),
        None if costs is None else costs.wall,
        scale.cluster.cores,
        scale.cluster.gigabits,
        scale.cluster.gigabytes,
        tuple(
            Breaks(limit.people, limit.consequence, limit in scale.broken) for limit in scale.limits
        ),
        scale.unsaid,
        MEASURED.processor,
        MEASURED.error,
    )
