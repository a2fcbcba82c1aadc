"""Search for the worst number m of 1-bits among other people, without visiting all m.

delta depends on m in two ways: slowly, through the skewness of the law, and by a ripple, because
the best threshold must be a whole number. The envelope lets it be real: it is smooth in m and never
below the value. Branch and bound: intervals of m with an envelope below the best value found are
dropped, the most promising interval is cut, short intervals are evaluated at every m. For few
people every m is evaluated. The bound between two visited points of the envelope is its larger end
plus its curvature there, which is sound for a function as smooth as this one but is no proof in
interval arithmetic; without an envelope all m are visited, and the tests compare the two.
"""

from collections.abc import Callable

import numpy as np

from ..validation import Floats

Profile = Callable[[Floats], Floats]

# If the number m of other people with a 1 has at most this many values, all are evaluated.
MAX_LISTED = 1000
# Intervals not longer than this are evaluated at every m (number of other people with a 1).
SHORT = 48
# Intervals up to this length are filtered by the rounding of the threshold at each m (other people
# with a 1), which makes delta ripple, where it decides.
LONG = 8192
# Distance from the ends of the range of m (other people with a 1) in which a first large value is
# sought.
NEAR = 1 << 14
# Number of parts into which the search cuts an interval of m (other people with a 1).
PARTS = 8
# Upper bounds on an interval are raised by this share, for rounding errors and the error of the
# parabola through three points.
SLACK = 1e-9


def worst(
    value: Profile,
    envelope: Profile | None,
    phase: Profile,
    size: int,
    promising: Callable[[int, int, float], Floats] | None = None,
) -> tuple[float, int]:
    """Return the maximum of `value` over m = 0 .. size - 1, and the m where it is reached.

    m is the number of other people with a 1.

    Args:
        value: the exact function on arrays of whole m.
        envelope: a smooth function of real m, never below `value`; None evaluates every m.
        phase: the real threshold, up to a constant: the ripple has its period. Only a guide.
        size: number of values of m.
        promising: the m of an interval that may reach a value, where most cannot; None: all.
    """
    if envelope is None or size <= MAX_LISTED:
        return _best_of_all(value, np.arange(size, dtype=np.float64))
    best = _guess(value, phase, size)
    ends = _best_of_all(value, np.arange(size - 8, size, dtype=np.float64))
    if ends[0] > best[0] * (1 - 1e-4):
        best = max(best, ends, _guess(value, phase, size, last=True))
    cells = _cut(envelope, 0, size - 1)
    while cells := sorted(c for c in cells if c[0] * (1 + SLACK) > best[0]):
        bound, first, last = cells.pop()
        if promising is not None and last - first <= LONG:
            m = promising(first, last, best[0])
            best = max(best, _best_of_all(value, m)) if len(m) else best
        elif last - first <= SHORT:
            best = max(best, _best_of_all(value, np.arange(first, last + 1, dtype=np.float64)))
        else:
            cells += [(min(bound, b), i, j) for b, i, j in _cut(envelope, first, last)]
    return best


def _guess(value: Profile, phase: Profile, size: int, *, last: bool = False) -> tuple[float, int]:
    """Return a large value and its m (other people with a 1), as a start of the search.

    The search is near an end, among the m at which rounding the threshold costs least so far.
    """
    m = np.arange(min(size, NEAR), dtype=np.float64)
    m = size - 1 - m if last else m
    ripple = phase(m)
    best = _best_of_all(value, m[:SHORT])
    for _ in range(2):
        best_ripple = ripple[np.flatnonzero(m == best[1])[0]]
        phase_distance = np.abs((ripple - best_ripple + 0.5) % 1 - 0.5)
        nearest_phases = np.argpartition(phase_distance, min(SHORT, len(m) - 1))[:SHORT]
        best = max(best, _best_of_all(value, m[nearest_phases]))
    return best


def _best_of_all(value: Profile, m: Floats) -> tuple[float, int]:
    """Return the largest value over these m (numbers of other people with a 1), and its m."""
    values = value(m)
    at = int(values.argmax())
    return float(values[at]), int(m[at])


def _cut(envelope: Profile, first: int, last: int) -> list[tuple[float, int, int]]:
    """Cut an interval of m into parts, each with an upper bound: (bound, first m, last m).

    m is the number of other people with a 1.
    """
    nodes = np.unique(np.rint(np.linspace(first, last, PARTS + 1)))
    values = envelope(nodes)
    bend = np.abs(np.diff(values, 2)).max(initial=0.0) if len(values) > 2 else 0.0
    if len(nodes) == 1:
        return [(float(values[0]), first, last)]
    bounds = np.maximum(values[:-1], values[1:]) + bend
    ends = nodes.astype(int)
    # The last part includes its right end; the right end of other parts belongs to the next part.
    right = np.append(ends[1:-1] - 1, ends[-1])
    return [(float(b), int(i), int(j)) for b, i, j in zip(bounds, ends[:-1], right, strict=True)]
