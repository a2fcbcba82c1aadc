"""The picture of a sweep: runs of a point, breaks of lines, logarithmic axes."""

import pytest
from veilmix.analysis.figures.sweep import BREAKS, RUNS_NOTE, PointMean, SweepPanel, draw

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.slow

PEOPLE = (200, 800, 3200)
ALONG = {"population.users": PEOPLE, "policy.rule": ("printed", "coverage")}


def means(columns: dict[str, tuple[int, int, int]], **more) -> list[PointMean]:
    return [
        PointMean(
            {"population.users": n, "policy.rule": rule},
            *(0.2 + 0.1 * at, 0.1, 0.5),
            **{"runs": 5, "columns": frozenset({columns[rule][at]}), **more},
        )
        for rule in columns
        for at, n in enumerate(PEOPLE)
    ]


def drawn(ax) -> list[int]:
    """How many points each line joins, without legend and marks."""
    return sorted(
        len(line.get_xdata())
        for line in ax.get_lines()
        if line.get_linestyle() != "None" and len(line.get_xdata()) > 1
    )


def test_no_line_crosses_a_change_of_columns() -> None:
    points = means({"printed": (1, 1, 2), "coverage": (2, 2, 2)})
    picture = draw("x", ALONG, [SweepPanel("true exposure", "share of people", points)], [5] * 6)
    (ax,) = picture.axes
    assert drawn(ax) == [2, 3]
    assert BREAKS in picture.get_suptitle()
    assert "5 runs a point" in picture.get_suptitle()
    assert [text.get_text() for text in picture.legends[0].get_texts()] == ["printed", "coverage"]
    whole = means({"printed": (2, 2, 2), "coverage": (2, 2, 2)})
    unbroken = draw("x", ALONG, [SweepPanel("true exposure", "share of people", whole)], [5] * 6)
    assert drawn(unbroken.axes[0]) == [3, 3]
    assert BREAKS not in unbroken.get_suptitle()


def test_values_that_grow_by_factors_are_equally_far() -> None:
    points = means({"printed": (1, 1, 1), "coverage": (2, 2, 2)})
    picture = draw("x", ALONG, [SweepPanel("true exposure", "share of people", points)], [5] * 6)
    (ax,) = picture.axes
    ticks = list(ax.get_xticks())
    assert ticks[1] - ticks[0] == pytest.approx(ticks[2] - ticks[1])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["200", "800", "3,200"]
    assert ax.get_xlabel() == "population.users (logarithmic)"
    assert ax.get_yscale() == "linear"


def test_a_score_that_falls_by_factors_has_a_logarithmic_axis() -> None:
    points = [PointMean({"population.users": n}, 40 / n, 30 / n, 50 / n) for n in (10, 100, 1000)]
    along = {"population.users": (10, 100, 1000)}
    picture = draw("x", along, [SweepPanel("epsilon after shuffling", "nats", points)], [1] * 3)
    (ax,) = picture.axes
    assert ax.get_yscale() == "log"
    assert ax.get_ylabel() == "nats (logarithmic)"
    assert "one run a point" in picture.get_suptitle()
    assert "95 %" not in picture.get_suptitle()


def test_points_with_other_numbers_of_runs_say_so_beside_them() -> None:
    points = [PointMean({"k": k}, 0.1, 0.1, 0.1, runs=runs) for k, runs in ((2, 5), (3, 4), (4, 5))]
    panels = [SweepPanel("true exposure", "share of people", points)]
    picture = draw("x", {"k": (2, 3, 4)}, panels, [5, 5, 5])
    assert sorted(text.get_text() for text in picture.axes[0].texts) == ["4", "5", "5"]
    assert RUNS_NOTE in picture.get_suptitle()
    same = [PointMean(point.where, 0.1, 0.1, 0.1, runs=5) for point in points]
    plain = draw("x", {"k": (2, 3, 4)}, [SweepPanel("true exposure", "share", same)], [5, 5, 5])
    assert [*plain.axes[0].texts] == []
    mixed = draw("x", {"k": (2, 3, 4)}, panels, [5, 4, 5])
    assert "4 to 5 runs a point" in mixed.get_suptitle()
