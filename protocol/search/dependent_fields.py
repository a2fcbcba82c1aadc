"""Fields of a message that follow from its other fields.

After a change of a field, the board accepts a message only if the fields that follow from it fit.
`derive` computes them as the honest author does. The account and the trace of a batch follow from
the batch and not from each other (mixing.account, audit.trace).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..wire.messages import Body, Tally


def _tally(body: Tally) -> Tally:
    if body.counts is None:
        return body
    return replace(body, totals=tuple(sum(cells.values()) for cells in body.counts))


DERIVED: Mapping[type, Callable[[Any], Body]] = {Tally: _tally}


def derive(body: Body) -> Body:
    """Return the message with every derived field computed from the other fields."""
    how = DERIVED.get(type(body))
    return body if how is None else how(body)
