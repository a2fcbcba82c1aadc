"""Lower bound on the bits leaked by counts of groups of columns: from the most even table."""

from collections.abc import Sequence

from ..contingency.frechet import Margin
from ..contingency.maximum_entropy import bits_at_least
from ..validation import Counts
from .group_counts import Group


def leaked_bits(shape: Sequence[int], counted: Sequence[tuple[Group, Counts]]) -> float:
    """Return a lower bound on the bits that counts leak about each person's cell in a table.

    contingency/maximum_entropy.py has the bound and its proof.

    Args:
        shape: values of each column.
        counted: groups, ascending columns, and their counts, an axis for each; of the same people.
    """
    return bits_at_least(shape, [Margin(group, counts) for group, counts in counted])
