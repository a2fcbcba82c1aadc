"""The section of a run's page on noise: estimates with limits and truth, and privacy parameters."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...scenarios.programs.randomized.tradeoff import Trade, trades
from ...scenarios.serialization.record import plain
from ..blocks import Block, PageFigure, Section
from ..svg import Drawing, PositionScale, number, plot, shorten
from ..text_blocks import Line, PageNumbers, score_grid
from .noise_scores import error_rows, privacy_rows
from .noise_tables import (
    error_meaning,
    estimated,
    found_grid,
    found_promise,
    number_grid,
    share_columns,
    share_grid,
)

if TYPE_CHECKING:
    from ...scenarios.programs.randomized.score import Randomized
    from ...scenarios.programs.randomized.share_estimates import Estimated
    from ...scenarios.schema.model import Scenario

VALUES = 24  # number of values of a feature that are drawn: those with the largest estimates
ROW = 20
NAMES = 170


def section(scenario: "Scenario", findings: "Randomized") -> Section:
    """Return the section on noisy reports: estimates, error against epsilon, privacy guarantees."""
    estimates = estimated(findings)
    blocks: list[Block] = [_estimates(place, feature) for place, feature in enumerate(estimates)]
    traded = trades(scenario, plain(findings))
    if len(traded) > 1:
        blocks.append(_trade(traded, scenario.local.epsilon or 0.0))
    if findings.measured:
        caption = f"Numbers; {error_meaning(findings.mechanism)}"
        blocks.append(replace(number_grid(findings.measured), caption=caption))
    if findings.found:
        blocks.append(replace(found_grid(findings.found), caption="Values found"))
        blocks += (
            Line(f"{feature.feature}: {found_promise(feature)}.") for feature in findings.found
        )
    if estimates:
        caption = "All estimates; projected: the nearest distribution, biased"
        blocks.append(replace(share_grid(estimates), caption=caption, folded=True))
    rows = [*error_rows(findings), *privacy_rows(findings)]
    blocks.append(score_grid(rows, "Errors of the estimates, and the privacy of one person"))
    lead = f"People randomized their answers before sealing them ({findings.rule}). "
    if estimates:
        lead += (
            "The estimates are unbiased and may leave 0 to 100 %; the bars are 95 % intervals for "
            "the noise, given these people, and do not leave it."
        )
    return Section("noise", "Noise against benefit", lead, tuple(blocks))


def _estimates(place: int, feature: "Estimated") -> PageFigure:
    """Draw a row for each value of a feature: the estimate with its interval, and the truth.

    place: index of the feature, which makes the identifier of the picture unique on the page.
    """
    count, truth = len(feature.values), feature.truth
    order = list(range(count))
    if count > VALUES:
        order = sorted(order, key=lambda i: -feature.shares[i])[:VALUES]
    low = min(0.0, *(feature.shares[i] for i in order))
    drawn = (feature.high, feature.shares, *([truth] if truth else []))
    high = max(0.01, *(shares[i] for shares in drawn for i in order))
    height = 26 + ROW * len(order) + 48
    title = f"{feature.feature}: estimated shares" + (" and the truth" if truth else "")
    hold = "the truth is unknown"
    if truth:
        hold = f"{feature.covered} of {count} intervals hold the truth"
    about = f"{plural(count, 'value')}; {hold}"
    drawing = Drawing(f"estimate-{place}", title, about, 720, height)
    x = PositionScale(low, high, NAMES, 700)
    drawing.ruler(x, 20, "share of people", [(tick, f"{100 * tick:.4g} %") for tick in x.ticks()])
    drawing.text(0, 12, title, "label")
    for row, i in enumerate(order):
        y = 32 + ROW * row
        drawing.text(NAMES - 10, y + 4, shorten(feature.values[i], 24), anchor="end")
        drawing.line((x(feature.low[i]), y), (x(feature.high[i]), y), "bounds")
        for end in (feature.low[i], feature.high[i]):
            drawing.line((x(end), y - 4), (x(end), y + 4), "bounds")
        drawing.mark((x(feature.shares[i]), y), "square", "estimate", 4)
        if truth:
            drawing.mark((x(truth[i]), y), "diamond", "promise", 4)
    more = f" The {VALUES} largest of {count} values." if count > VALUES else ""
    caption = (
        f"Square: estimate from {feature.reports:,} reports, with its 95 % interval. "
        f"{'Open diamond: truth. ' if truth else ''}{hold[0].upper()}{hold[1:]}.{more}"
    )
    columns = share_columns(feature)
    rows = list(zip(feature.values, *columns.values(), strict=True))
    numbers = PageNumbers(f"estimates-{feature.feature}", ("value", *columns), rows)
    return PageFigure(drawing.svg(), caption, numbers)


def _trade(trades: tuple[Trade, ...], run_epsilon: float) -> PageFigure:
    """Draw two curves against epsilon: the error of an estimated share, and the average privacy.

    Average privacy is the share of a value that a report leaves hidden. Both are in percent.
    run_epsilon: the epsilon of the run, marked by a line.
    """
    top = max(0.02, *(trade.error for trade in trades))
    hidden = [trade for trade in trades if trade.hidden is not None]
    high = 100.0 if hidden else 100 * top
    picture = plot(
        "trade",
        "Noise against benefit",
        "; ".join(f"epsilon {trade.epsilon:.3g}: error {percent(trade.error)}" for trade in trades),
        (trades[0].epsilon, trades[-1].epsilon, True),
        (0.0, max(high, 100 * top), False),
        head=22,
    )
    ticks = [(trade.epsilon, number(round(trade.epsilon, 3))) for trade in trades]
    picture.axes("epsilon, local: a person's whole budget (nats)", "percent", ticks)
    picture.upright(run_epsilon, f"this run: {run_epsilon:g}")
    errors = [(trade.epsilon, 100 * trade.error) for trade in trades]
    picture.curve(errors, 2, "standard error of a share (% of people)")
    if hidden:
        privacy = [(trade.epsilon, 100 * (trade.hidden or 0.0)) for trade in hidden]
        picture.curve(privacy, 4, "S_mu: what a report leaves hidden (%)")
    for trade in trades:
        picture.drawing.mark(
            (picture.x(trade.epsilon), picture.y(100 * trade.error)), "square", "dot s2", 3
        )
    for trade in hidden:
        place = picture.x(trade.epsilon), picture.y(100 * (trade.hidden or 0.0))
        picture.drawing.mark(place, "circle", "dot s4", 3.4)
    picture.strip()
    rows = [(trade.epsilon, trade.error, trade.hidden) for trade in trades]
    headings = ("epsilon_nats", "standard_error_share", "average_privacy_S_mu")
    caption = (
        "What the same people and the same mechanism give with more or less noise: exact standard "
        "error of one share, and average privacy, of one feature (the mean over all)."
    )
    return PageFigure(picture.drawing.svg(), caption, PageNumbers("noise-benefit", headings, rows))
