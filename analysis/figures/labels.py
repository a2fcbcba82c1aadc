"""Positions for names beside the points of a figure, without cuts and overlaps.

Points and sizes of names are in one unit (pixels of a canvas, units of an SVG); the y axis may
point up or down. A name is put in the nearest free position. A name far from its point should be
joined to the point by a line (`Placed.far`). The search is greedy: points with most neighbours come
first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin

# the 16 directions in which a name is tried, best first, in sixteenths of a turn; 0 is to the right
TURNS = (0, 8, 1, 15, 4, 12, 2, 14, 3, 13, 5, 11, 6, 10, 7, 9)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in a figure, given by its edges; `left <= right` and `low <= high`.

    Attributes:
        left: the left edge; all edges are in the unit of the figure.
        low: the edge with the smaller y.
        right: the right edge.
        high: the edge with the larger y.
    """

    left: float
    low: float
    right: float
    high: float

    def meets(self, box: "Box") -> bool:
        """Whether this rectangle overlaps the rectangle `box`."""
        return (
            self.left < box.right
            and box.left < self.right
            and self.low < box.high
            and box.low < self.high
        )

    def within(self, box: "Box") -> bool:
        """Whether this rectangle lies within the rectangle `box`."""
        return (
            box.left <= self.left
            and self.right <= box.right
            and box.low <= self.low
            and self.high <= box.high
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """The position found for a name.

    Attributes:
        box: the area of the name.
        far: whether a line should join the name to its point.
    """

    box: Box
    far: bool


def place_labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    room: Box,
    obstacles: Sequence[Box] = (),
    gap: float = 8.0,
) -> list[Placed]:
    """Return a place for the name of each point.

    Args:
        points: positions of the points.
        sizes: width and height of the name of each point.
        room: area that contains all names.
        obstacles: areas that names must not cover: marks, arrows.
        gap: smallest distance from a point to the nearest side of its name.

    Returns:
        A place for each point. If the room cannot hold all names, names without a free place are
        put to the right of their points and overlap.
    """
    used = list(obstacles)
    chosen: dict[int, Placed] = {}
    crowded = [sum(hypot(x - a, y - b) < 12 * gap for a, b in points) for x, y in points]
    for i in sorted(range(len(points)), key=lambda i: (-crowded[i], points[i][1], points[i][0])):
        placed = next(
            (
                place
                for place in _tried(points[i], sizes[i], room, gap)
                if place.box.within(room) and not any(place.box.meets(box) for box in used)
            ),
            Placed(_around(points[i], sizes[i], gap, 0), far=True),
        )
        chosen[i] = placed
        used.append(placed.box)
    return [chosen[i] for i in range(len(points))]


def _tried(
    point: tuple[float, float], size: tuple[float, float], room: Box, gap: float
) -> Iterator[Placed]:
    """Yield the positions to try for a name, nearest to its point first, in 16 directions.

    point: position of the point. size: width and height of the name. room: area that contains all
    names. gap: smallest distance from the point to the name.
    """
    reach = hypot(room.right - room.left, room.high - room.low)
    distance = gap
    while distance < reach:
        for turn in TURNS:
            yield Placed(_around(point, size, distance, turn), far=distance > 2 * gap)
        distance += gap / 2


def _around(
    point: tuple[float, float], size: tuple[float, float], distance: float, turn: int
) -> Box:
    """Return the area of a name in a direction from its point.

    point: position of the point. size: width and height of the name. distance: from the point to
    the name's nearest side. turn: the direction, in sixteenths of a full turn.
    """
    (x, y), (width, height) = point, size
    across, up = cos(turn * pi / 8), sin(turn * pi / 8)
    middle_x = x + across * (distance + width / 2)
    middle_y = y + up * (distance + height / 2)
    return Box(
        middle_x - width / 2, middle_y - height / 2, middle_x + width / 2, middle_y + height / 2
    )
