"""The people whom releases of a ledger really expose; the laboratory has their table."""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace as changed

from ...analysis.exposure import joint_counts, users_below
from ...errors import DataError
from ..populations import Population
from ..populations.build import columns_of, named_identifiers
from ..populations.people import Codes
from ..schema.model import Feature, Scenario
from .people import source_name


def true_exposure(
    columns: Sequence[str], scenario: Scenario, people: Population, k: int
) -> int | None:
    """People really exposed on these columns of the source; None if it has not all of them."""
    names = [source_name(scenario, name) for name in people.schema.names]
    if set(columns) <= set(names):
        table, places = people.codes, [names.index(column) for column in columns]
    elif (cells := _cells(columns, scenario, people)) is not None:
        table, places = cells, list(range(len(columns)))
    else:
        return None
    return int(users_below(joint_counts(table, places), k))


def _cells(columns: Sequence[str], scenario: Scenario, people: Population) -> Codes | None:
    """The codes of these people in columns of the source; None if it does not have all of them."""
    if people.source is None:
        return None
    asked = tuple(Feature(name=column) for column in columns)
    section = changed(scenario.population, columns={})
    try:
        whole = columns_of(people.source, section, asked)
    except DataError:
        return None
    if named_identifiers(whole):
        return None
    rows = np.arange(len(people.source_codes)) if people.origin is None else people.origin
    there = np.arange(len(whole.codes)) if whole.origin is None else whole.origin
    places = np.minimum(np.searchsorted(there, rows), len(there) - 1)
    return whole.codes[places] if np.array_equal(there[places], rows) else None
