"""Figures of a run with local noise: estimates beside the truth, and its epsilons side by side.

Both figures are drawn from `local` of result.json alone. An estimate is unbiased and may lie below
0 or above 100 %; the bar is the 95 % interval, which stays within 0 to 100 %. Epsilons are in nats.
If an epsilon is known by a lower and an upper bound, the point is the upper bound and a line
reaches back to the lower bound.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import drawing
from .registry import Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# limit of the values of a feature that are drawn, most frequent first; equal to the limit of the
# terminal's table
VALUES = 12
FEATURES = 8  # limit of the features drawn in a figure, the first of the run
KINDS = {
    "local": (drawing.BLACK, "s"),
    "probabilistic": (drawing.VERMILION, "D"),
    "hockey-stick": (drawing.BLUE, "o"),
}
# most characters drawn of the name of a feature or value, or of a scope; the rest is cut off
LONGEST = 24

Local = Mapping[str, Any]
# An epsilon: the features or reports that it protects, in words; its kind (local, probabilistic or
# hockey-stick); lower and upper bound; delta; and the rule that computed the bounds.
Epsilon = tuple[str, str, float, float, float | None, str]


def figures(local: Local) -> list[Redrawn]:
    """Return the figures of a run with local noise; an empty list if no report could be read.

    local: the entry `local` of result.json.
    """
    if not local["features"]:
        return []
    values = Numbers("estimates", ESTIMATED, list(_estimated(local)))
    epsilon_table = Numbers("epsilons", BOUNDED, list(epsilons(local)))
    return [
        Redrawn("estimates", (values,), (), lambda: draw_estimates(local)),
        Redrawn("epsilons", (epsilon_table,), (), lambda: draw_epsilons(local)),
    ]


ESTIMATED = (
    "feature", "value", "unbiased", "standard_error", "low_95", "high_95", "projected", "truth",
)  # fmt: skip
BOUNDED = ("reports", "kind", "epsilon_at_least", "epsilon", "delta", "rule")


def _estimated(local: Local) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the table `ESTIMATED`: a row for each value of each feature."""
    for feature in _drawn_features(local):
        columns = (feature["values"], *(feature[name] for name in ESTIMATED[2:]))
        yield from ((feature["feature"], *row) for row in zip(*columns, strict=True))


def epsilons(local: Local) -> Iterator[Epsilon]:
    """Yield every epsilon of a run: the features it protects, kind, bounds, delta and rule.

    local: the entry `local` of result.json.
    """
    budget, privacy = local["epsilon"], local["privacy"]
    unit = "one bit" if local["mechanism"] == "bit-flip" else "one feature"
    several = len(local["features"]) > 1
    if privacy["together"]:
        yield from _shuffled(privacy["together"], "all features")
    yield "all features" if several else "the report", "local", *(2 * (budget["local"],)), None, ""
    seen_keys: set[tuple[float, float | None]] = set()
    for feature in privacy["shuffled"]:
        if (key := (feature["hockey_stick"], feature["probabilistic"])) not in seen_keys:
            seen_keys.add(key)
            equal_features = [x["feature"] for x in privacy["shuffled"] if _is_equal(x, feature)]
            scope = (
                equal_features[0]
                if len(equal_features) == 1
                else f"each of {len(equal_features)} features"
            )
            yield from _shuffled(feature, scope if several else "the report")
    if several:
        yield unit, "local", *(2 * (budget["each"],)), None, ""


def _is_equal(feature: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two features have equal epsilons after shuffling, so that one row can show both."""
    return all(feature[kind] == second[kind] for kind in ("hockey_stick", "probabilistic"))


def _shuffled(feature: Mapping[str, Any], scope: str) -> Iterator[Epsilon]:
    """Yield the epsilons after shuffling of one feature, or of all features together.

    feature: the entry of result.json with the bounds on these epsilons. scope: the features that
    the epsilons protect, in words.
    """
    for kind in ("hockey_stick", "probabilistic"):
        if (high := feature[kind]) is not None:
            low = feature[f"{kind}_at_least"]
            yield scope, kind.replace("_", "-"), low, high, feature["delta"], feature["rule"]


def _drawn_features(local: Local) -> Sequence[Mapping[str, Any]]:
    """Return the estimates of each feature of a run, and of their joint if it was estimated."""
    return [*local["features"], *([local["joint"]] if local["joint"] else [])]


@drawing.styled
def draw_estimates(local: Local) -> "Figure":
    """Draw the estimates with 95 % intervals, the nearest distribution, and the truth.

    There is a panel for each of the first features. The nearest distribution is the estimate
    projected to shares of at least 0 with sum 1.
    """
    features = _drawn_features(local)
    panel_features = features[:FEATURES]
    rows = [min(VALUES, len(feature["values"])) for feature in panel_features]
    figure, axes = drawing.new(7.6, 1.3 + 0.26 * sum(rows) + 0.3 * len(rows), len(rows))
    if grid := axes[0].get_gridspec():
        grid.set_height_ratios([row_count + 1 for row_count in rows])
    for feature, ax in zip(panel_features, axes, strict=True):
        _estimates(feature, ax)
    axes[-1].set_xlabel("share of people")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    count_note = (
        f", {len(panel_features)} of {len(features)} features"
        if len(panel_features) < len(features)
        else ""
    )
    figure.suptitle(f"{_noise(local)}{count_note}", x=0.01, ha="left", fontsize=10)
    return figure


def _estimates(feature: Mapping[str, Any], ax: "Axes") -> None:
    """Draw the most frequent values of one feature: estimates, intervals and true shares."""
    from matplotlib.ticker import PercentFormatter

    order = sorted(range(len(feature["values"])), key=lambda i: -feature["unbiased"][i])
    order = sorted(order[:VALUES]) if len(order) <= VALUES else order[:VALUES]
    places = range(len(order))
    share, low, high, near, truth = (
        [feature[name][i] for i in order]
        for name in ("unbiased", "low_95", "high_95", "projected", "truth")
    )
    for edge in (0, 1):
        if min(*low, *share, *truth) <= edge <= max(*high, *share, *truth):
            ax.axvline(edge, color=drawing.GREY, linewidth=1)
    # The bar is centred on the interval, not on the estimate, because the estimate may lie outside
    # the interval, which is cut to 0 to 1.
    middles = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    arms = [(b - a) / 2 for a, b in zip(low, high, strict=True)]
    ax.errorbar(
        middles, places, xerr=arms, fmt="none", capsize=3, color=drawing.BLUE, zorder=3,
        label="95 % interval",
    )  # fmt: skip
    ax.plot(share, places, "o", ms=4, color=drawing.BLUE, zorder=3, label="unbiased estimate")
    ax.plot(near, places, "|", ms=9, color=drawing.GREY, zorder=2, label="nearest distribution")
    ax.plot(
        truth, places, "D", ms=5, mfc="none", mew=1.4, color=drawing.VERMILION, zorder=4,
        label="truth",
    )  # fmt: skip
    ax.set_yticks(list(places), [_plain(feature["values"][i], LONGEST) for i in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.grid(visible=False, axis="y")
    cut = (
        f", the {VALUES} largest of {len(feature['values'])}"
        if len(feature["values"]) > VALUES
        else ""
    )
    ax.set_title(f"{_plain(feature['feature'], LONGEST)}, {feature['reports']:,} reports{cut}")


@drawing.styled
def draw_epsilons(local: Local) -> "Figure":
    """Draw every epsilon of the run on one logarithmic axis, with a row for each epsilon.

    local: the entry `local` of result.json.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    epsilon_rows = list(epsilons(local))
    figure, (ax,) = drawing.new(7.6, 1.5 + 0.34 * len(epsilon_rows))
    axis_min = min(low if low > 0 else high for _, _, low, high, _, _ in epsilon_rows) / 3
    for place, (_, kind, low, high, _, _) in enumerate(epsilon_rows):
        colour, mark = KINDS[kind]
        ax.plot([high], [place], mark, ms=7, color=colour)
        if low < high:
            ax.plot([max(low, axis_min), high], [place, place], color=colour)
            ax.plot([max(low, axis_min)], [place], "|", ms=9, color=colour)
        text = f"{high:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
        ax.annotate(text, (high, place), (9, 0), textcoords="offset points", va="center")
    ax.set_xscale("log")
    ax.set_xlim(axis_min, 4 * max(high for _, _, _, high, _, _ in epsilon_rows))
    ax.xaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_yticks(
        range(len(epsilon_rows)),
        [f"{_plain(scope, LONGEST)}: {kind}" for scope, kind, *_ in epsilon_rows],
    )
    ax.set_ylim(len(epsilon_rows) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    delta = next((delta for *_, delta, _ in epsilon_rows if delta is not None), None)
    ax.set_xlabel("epsilon (nats)")
    delta_note = f"; after shuffling at delta = {delta:g}" if delta is not None else ""
    ax.set_title(f"{_noise(local)}{delta_note}")
    return figure


def _noise(local: Local) -> str:
    """Return the randomizer and its local epsilon in words, for a title."""
    return f"{local['mechanism']}, local epsilon = {local['epsilon']['local']:g} nats"


def _plain(text: str, max_length: int) -> str:
    """Return a text for a figure, cut to `max_length` characters, with $ escaped.

    matplotlib would read an unescaped $ as the begin of a formula.
    """
    cut = text if len(text) <= max_length else text[: max_length - 1] + "…"
    return cut.replace("$", r"\$")
