"""Names beside points: none is cut, none lies on another or on a mark."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.figures.frontier import FrontierPoint, figure
from veilmix.analysis.figures.labels import Box, place_labels

ROOM = Box(0, 0, 900, 500)
AT = st.tuples(st.floats(5, 895), st.floats(5, 495))
SIZE = st.tuples(st.floats(10, 120), st.just(14.0))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(AT, SIZE), min_size=1, max_size=16))
def test_every_name_has_a_place_of_its_own(given: list[tuple[tuple[float, float], ...]]) -> None:
    points, sizes = [point for point, _ in given], [two for _, two in given]
    marks = [Box(x - 5, y - 5, x + 5, y + 5) for x, y in points]
    placed = [label.box for label in place_labels(points, sizes, ROOM, marks)]
    assert all(box.within(ROOM) for box in placed)
    assert not any(frame.meets(two) for frame, two in combinations(placed, 2))
    assert not any(box.meets(mark) for box in placed for mark in marks)
    for box, (width, height) in zip(placed, sizes, strict=True):
        assert (box.right - box.left, box.high - box.low) == pytest.approx((width, height))


def test_a_name_alone_is_right_of_its_point_and_needs_no_line() -> None:
    (label,) = place_labels([(100, 100)], [(50, 14)], ROOM)
    assert label.box.left == 108
    assert not label.far


def crowded() -> list[FrontierPoint]:
    """Programs as close to each other as comparisons have them."""
    exact = [
        FrontierPoint("exposure", "mix", 1.58, 0.003, 0.02, 0.225, None, 0.9),
        FrontierPoint("shares", "shares", 1.58, 0.003, 0.02, 0.225, None, 0.9),
        FrontierPoint("hierarchical", "mix", 1.66, 0.004, 0.02, 0.0, None, 1.0),
        FrontierPoint("local-suppression", "mix", 1.63, 0.001, 0.04, 0.009, None, 0.7),
        FrontierPoint("trusted", "central", 5.0, 0.004, 0.04, 0.0, None, 1.0),
        FrontierPoint("trusted-cells", "central", 5.0, 0.0, 0.0, 0.001, None, 1.0),
    ]
    noisy = [
        FrontierPoint(
            f"{name} e={e}", family, bits * e, 0.0, None, 0.2 / e, (0.1 / e, 0.3 / e), 0.1,
            rows=False, is_lower_bound=True,
        )
        for e in (1, 2, 4)
        for name, family, bits in (
            ("randomized", "mix", 0.0), ("local joint", "local", 0.03),
            ("local features", "local", 0.02),
        )
    ]  # fmt: skip
    return [*exact, *noisy]


@pytest.mark.slow
@pytest.mark.parametrize("dots", [100, 160])
def test_the_frontier_has_every_name_once_in_each_panel_and_none_on_another(dots: int) -> None:
    made = figure(crowded(), "a title", 5)
    made.set_dpi(dots)
    made.draw_without_rendering()
    for axes, wanted in zip(made.axes, (crowded()[:6], crowded()), strict=True):
        area = axes.get_window_extent()
        names = [text for text in axes.texts if text.get_text()]
        told = [name for text in names for name in text.get_text().split(", ")]
        assert sorted(told) == sorted(point.name for point in wanted)
        boxes = [text.get_window_extent() for text in names]
        for box in boxes:
            assert area.x0 <= box.x0 <= box.x1 <= area.x1
            assert area.y0 <= box.y0 <= box.y1 <= area.y1
        assert not any(frame.overlaps(two) for frame, two in combinations(boxes, 2))
