"""Search for the worst number m of other people with a 1, without visiting all m.

The delta of a one-bit report after shuffling depends on m in two ways. One is slow,
through the skewness of the distribution of the reported count. The other is a ripple: outcomes up
to a threshold favour one value, and the threshold must be a whole count. The envelope is delta
computed with a real threshold. It is smooth in m and never below delta. An epsilon at a fixed delta
is searched in the same way.

For at most 1,000 values of m, or without an envelope, every m is visited. Else branch and bound:
the range of m is cut into intervals. Intervals with an envelope below the best delta found are
dropped, the interval with the largest envelope is cut, and short intervals are evaluated at every
m. Between two visited points, the bound is the larger envelope of both, raised by the curvature
found. That is sound for a function as smooth as the envelope, but no proof in interval arithmetic.
"""

from collections.abc import Callable

import numpy as np

from ..validation import Floats

Profile = Callable[[Floats], Floats]

# Every m (number of other people with a 1) is evaluated if there are at most this many.
MAX_LISTED = 1000
# Intervals not longer than this are evaluated at every m (number of other people with a 1).
SHORT = 48
# In intervals of m (other people with a 1) up to this length, only some m are evaluated: the m at
# which rounding the threshold count costs so little that delta may reach the best value found.
LONG = 8192
# The search starts with a large delta among this many m (other people with a 1) at an end of the
# range, because the worst m is usually near an end.
NEAR = 1 << 14
# Number of parts into which the search cuts an interval of m (other people with a 1).
PARTS = 8
# The envelope is delta computed with a real threshold count: smooth in m, never below delta. On a
# part of an interval of m (other people with a 1) it is bounded by the larger value at the part's
# ends, plus the largest second difference in the interval, as if it were a parabola. The bound is
# raised by this share, for rounding errors and because the envelope is not exactly a parabola.
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
        value: the function to maximise, such as delta, on arrays of whole m.
        envelope: a smooth function of real m, never below `value`; None: every m is evaluated.
        phase: the real threshold count at each m, up to a constant; rounding it makes `value`
            ripple. The phase only guides the search.
        size: number of values of m.
        promising: `promising(first, last, best)` returns the m of first .. last at which `value`
            may reach `best`; None: all m.
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
    """Return a large value of `value` and its m (other people with a 1), to start the search.

    The m are taken near one end of the range: the m at which rounding the threshold count costs
    about as little as at the best m so far.

    value: the function of m to maximize. phase: the real threshold count at each m, up to a
    constant. size: number of values of m, from 0. last: whether the upper end is taken.
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
    """Cut the interval first .. last of m into parts, and bound the envelope from above in each.

    m is the number of other people with a 1. Each part is (bound, first m, last m). `envelope` is a
    smooth function of m.
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
