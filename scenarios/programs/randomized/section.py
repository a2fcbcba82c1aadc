"""Noise against benefit: estimates from randomized reports, their errors and their epsilon."""

from collections.abc import Iterator, Mapping
from typing import Any

from ....presentation.pieces import (
    EXPOSED,
    RELEASED,
    Block,
    PageFigure,
    PageGrid,
    PageNumbers,
    Section,
    VerdictAnswer,
)
from ....presentation.svg import Drawing, PositionScale, number, plot, shorten
from ....presentation.wording import percent, plural
from ...schema.model import Scenario
from ...serialization.record import plain
from .numeric_estimates import MeasuredFeature, error_meaning
from .open_domain_values import FoundFeature, promised, rows_of
from .privacy import ADJACENCY
from .score import Randomized
from .text import NEIGHBOURS, relying
from .tradeoff import Trade, trades

VALUES = 24  # of a feature that are drawn, the largest estimates first
ROW = 20
NAMES = 170


def answers(findings: Randomized | None, burned: str | None) -> tuple[VerdictAnswer, VerdictAnswer]:
    """Return the answers on release and exposure. burned: the reason for an abort, if any."""
    if not findings:
        why = burned or "no report was counted"
        no_release = VerdictAnswer(RELEASED, "nothing", f"Nothing was released: {why}.")
        return no_release, VerdictAnswer(EXPOSED, "not at all", "No report was counted.")
    if findings.found:
        return _value_answers(findings)
    if not findings.features:
        return _number_answers(findings)
    shares = sum(len(feature.values) for feature in findings.features)
    names = ", ".join(feature.feature for feature in findings.features)
    off = f"The largest error is {percent(findings.largest_error)} of people."
    if findings.error is None:
        max_error = max(max(feature.errors) for feature in findings.features)
        off = (
            f"The largest standard error is {percent(max_error)} of people; the truth nobody knows."
        )
    release_text = (
        f"{plural(shares, 'estimated share')} of {names}, from reports that people randomized "
        f"themselves ({findings.rule}). {off}"
    )
    return VerdictAnswer(RELEASED, "estimates", release_text), _exposed(findings)


def _value_answers(findings: Randomized) -> tuple[VerdictAnswer, VerdictAnswer]:
    """Return the answers if values were found."""
    value_list = "; ".join(
        f"{feature.feature}: {', '.join(value.value for value in feature.found[:5]) or 'nothing'} "
        f"({promised(feature)})"
        for feature in findings.found
    )
    release_text = (
        f"Found: {value_list}; from reports that people randomized themselves ({findings.rule})."
    )
    return VerdictAnswer(RELEASED, "values that many have", release_text), _exposed(findings)


def _number_answers(findings: Randomized) -> tuple[VerdictAnswer, VerdictAnswer]:
    """Return the answers if the reports are about numbers."""
    number_list = "; ".join(
        f"{feature.feature}: {number.name} {number.estimate:,.4g} (95 %: {number.low_95:,.4g} to "
        f"{number.high_95:,.4g})"
        for feature in findings.measured
        for number in feature.measures[:2]
    )
    release_text = (
        f"{number_list}; from reports that people randomized themselves ({findings.rule})."
    )
    return VerdictAnswer(RELEASED, "estimates", release_text), _exposed(findings)


def _exposed(findings: Randomized) -> VerdictAnswer:
    information = findings.privacy.information
    text = "One person's reports are randomized before they are sealed. "
    if information is not None:
        error = findings.privacy.information_error
        spread = f" +- {error:.2g}" if error else ""
        text += f"Pinned on it, they would tell {information:.3g}{spread} bits about its values. "
    text += "The mix hides whose report is whose."
    kind = "after the mix, by it alone" if findings.budget.mixed else "local"
    epsilon = f"epsilon {findings.epsilon:g} nats, {kind}"
    return VerdictAnswer(EXPOSED, epsilon, text)


def section(scenario: Scenario, findings: Randomized) -> Section:
    """Return the section of the page on noise."""
    local: Mapping[str, Any] = plain(findings)
    estimates = [*local["features"], *([local["joint"]] if local["joint"] else [])]
    blocks: list[Block] = [_estimates(place, feature) for place, feature in enumerate(estimates)]
    traded = trades(scenario, local)
    if len(traded) > 1:
        blocks.append(_trade(traded, scenario.local.epsilon or 0.0))
    blocks += [_numbers_of(feature, findings.mechanism) for feature in findings.measured]
    blocks += [_values_of(feature) for feature in findings.found]
    blocks += [*([_table(estimates)] if estimates else []), _privacy(local)]
    error = local["error"]
    lead = f"People randomized their answers before sealing them ({local['rule']}). "
    if estimates:
        lead += (
            "The estimates are unbiased and may leave 0 to 100 %; the bars are 95 % intervals for "
            "the noise, given these people, and do not leave it. "
        )
        lead += (
            f"Largest error {percent(error['largest'])}, mean {percent(error['mean'])} of people."
            if error
            else "What is true nobody knows: people added the noise before anything was sent."
        )
    return Section("noise", "Noise against benefit", lead, tuple(blocks))


def _values_of(feature: FoundFeature) -> PageGrid:
    headings = ("found", "estimate", "95 % from", "to", "truth")
    keys = ("value", "unbiased", "standard_error", "low_95", "high_95", "truth")
    plain = [tuple(getattr(value, key) for key in keys) for value in feature.found]
    numbers = PageNumbers(f"found-{feature.feature}", keys, plain)
    caption = f"{feature.feature}: values found; {promised(feature)}"
    return PageGrid(caption, headings, rows_of(feature), (1, 2, 3, 4), numbers)


def _numbers_of(feature: MeasuredFeature, mechanism: str) -> PageGrid:
    keys = ("estimate", "standard_error", "low_95", "high_95", "truth")
    plain = [(number.name, *(getattr(number, key) for key in keys)) for number in feature.measures]
    rows = [(name, *(f"{value:,.4g}" for value in row)) for name, *row in plain]
    headings = ("number", "estimate", "error", "95 % from", "to", "truth")
    numbers = PageNumbers(f"numbers-{feature.feature}", ("number", *keys), plain)
    caption = f"{feature.feature}: numbers; {error_meaning(mechanism)}"
    return PageGrid(caption, headings, rows, (1, 2, 3, 4, 5), numbers)


def _estimates(place: int, feature: Mapping[str, Any]) -> PageFigure:
    """Return a figure with a row per value: estimate with its interval, and the truth."""
    count = len(feature["values"])
    order = list(range(count))
    if count > VALUES:
        order = sorted(order, key=lambda i: -feature["unbiased"][i])[:VALUES]
    low = min(0.0, *(feature["unbiased"][i] for i in order))
    truth = feature["truth"]
    drawn = (feature["high_95"], feature["unbiased"], *([truth] if truth else []))
    high = max(0.01, *(numbers[i] for numbers in drawn for i in order))
    height = 26 + ROW * len(order) + 48
    title = f"{feature['feature']}: estimated shares" + (" and the truth" if truth else "")
    hold = "the truth is unknown"
    if truth:
        within = feature["error"]["intervals_that_hold_the_truth"]
        hold = f"{within} of {count} intervals hold the truth"
    about = f"{plural(count, 'value')}; {hold}"
    drawing = Drawing(f"estimate-{place}", title, about, 720, height)
    x = PositionScale(low, high, NAMES, 700)
    bottom = height - 44
    for tick in x.ticks():
        drawing.line((x(tick), 20), (x(tick), bottom), "axis" if tick == 0 else "grid")
        drawing.text(x(tick), bottom + 18, f"{100 * tick:.4g} %", anchor="middle")
    drawing.text((NAMES + 700) / 2, height - 6, "share of people", "label", "middle")
    drawing.text(0, 12, title, "label")
    for row, i in enumerate(order):
        y = 32 + ROW * row
        drawing.text(NAMES - 10, y + 4, shorten(feature["values"][i], 24), anchor="end")
        drawing.line((x(feature["low_95"][i]), y), (x(feature["high_95"][i]), y), "bounds")
        for end in (feature["low_95"][i], feature["high_95"][i]):
            drawing.line((x(end), y - 4), (x(end), y + 4), "bounds")
        drawing.mark((x(feature["unbiased"][i]), y), "square", "estimate", 4)
        if truth:
            drawing.mark((x(truth[i]), y), "diamond", "promise", 4)
    more = f" The {VALUES} largest of {count} values." if count > VALUES else ""
    caption = (
        f"Square: estimate from {feature['reports']:,} reports, with its 95 % interval. "
        f"{'Open diamond: truth. ' if truth else ''}{hold[0].upper()}{hold[1:]}.{more}"
    )
    return PageFigure(drawing.svg(), caption, _numbers(feature))


def _numbers(feature: Mapping[str, Any]) -> PageNumbers:
    keys: tuple[str, ...] = ("unbiased", "standard_error", "low_95", "high_95", "projected")
    keys += ("truth",) if feature["truth"] else ()
    rows = list(zip(feature["values"], *(feature[key] for key in keys), strict=True))
    return PageNumbers(f"estimates-{feature['feature']}", ("value", *keys), rows)


def _trade(trades: tuple[Trade, ...], run_epsilon: float) -> PageFigure:
    """Return the figure of error and hidden share against epsilon, each in percent."""
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


def _table(estimates: list[Any]) -> PageGrid:
    keys: tuple[str, ...] = ("unbiased", "low_95", "high_95", "projected")
    keys += ("truth",) if estimates[0]["truth"] else ()
    rows: list[tuple[str, ...]] = []
    plain: list[tuple[str | float, ...]] = []
    for feature in estimates:
        for i, value in enumerate(feature["values"]):
            shares = [feature[key][i] for key in keys]
            rows.append((feature["feature"], value, *(f"{100 * share:.1f} %" for share in shares)))
            plain.append((feature["feature"], value, *shares))
    headings: tuple[str, ...] = ("feature", "value", "estimate", "95 % from", "to", "projected")
    headings += keys[4:]
    caption = "All estimates; projected: the nearest distribution, biased"
    numbers = PageNumbers("estimates", headings, plain)
    return PageGrid(caption, headings, rows, tuple(range(2, len(headings))), numbers, folded=True)


def _privacy(local: Mapping[str, Any]) -> PageGrid:
    rows = list(_readings(local))
    return PageGrid(
        "What is known of the privacy of one person", ("reading", "value", "meaning"), rows, (1,)
    )


def _readings(local: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    epsilon, privacy = local["epsilon"], local["privacy"]
    # A number that was split is hidden by the mix and by other people's noise: all messages of the
    # person together are the number, so its local epsilon is not finite.
    if epsilon.get("mixed"):
        yield "epsilon, local", "infinite", "a person's messages together are its number"
    else:
        whole = "nats: whatever is seen of a person's answers, before any mixing"
        yield "epsilon, local", f"{epsilon['local']:g}", whole
    yield "adjacency", epsilon.get("adjacency", ADJACENCY), NEIGHBOURS
    if len(local["features"]) > 1:
        part = "nats: its part of the whole"
        if epsilon["each"] == epsilon["local"]:
            part = "nats: a person reports one feature, which it draws"
        yield "epsilon of one feature", f"{epsilon['each']:.4g}", part
    for shuffled in privacy["shuffled"]:
        yield from _shuffled(shuffled, shuffled["feature"], f"{shuffled['reports']:,} reports")
    if privacy.get("together"):
        yield from _shuffled(privacy["together"], "all features", "together")
    if not privacy["shuffled"]:
        yield "epsilon, shuffled", "-", "nothing better is known for such reports"
    for reading in privacy["readings"]:
        if reading["average_privacy"] is not None:
            meaning = "what a report leaves hidden on average"
            yield f"S_mu, {reading['feature']}", percent(reading["average_privacy"]), meaning
        if reading["participation"] is not None:
            meaning = "100 reports tell as much as so many people without noise"
            yield (
                f"participation, {reading['feature']}",
                f"{100 * reading['participation']:.3g}",
                meaning,
            )
    if privacy["information"] is not None:
        error = privacy["information_error"]
        spread = f" +- {error:.2g}" if error else ""
        meaning = "bits that one person's reports tell about its values, pinned on it"
        yield "information", f"{privacy['information']:.3g}{spread}", meaning


def _shuffled(
    shuffled: Mapping[str, Any], report_owner: str, scope: str
) -> Iterator[tuple[str, str, str]]:
    """Yield both readings of epsilon after shuffling; older results hold exact values only."""
    for kind in ("hockey_stick", "probabilistic"):
        if (value := shuffled[kind]) is not None:
            low = shuffled.get(f"{kind}_at_least", value)
            method = "exact" if shuffled.get("rule", "exact").startswith("exact") else "searched"
            precision = method if low == value else f"certified, at least {low:.4g}"
            meaning = f"nats, {precision}, delta = {shuffled['delta']:g}, {scope}"
            meaning += relying(shuffled.get("relied_on"))
            yield f"{kind.replace('_', '-')} epsilon, {report_owner}", f"{value:.4g}", meaning
