"""The true exposure in a ledger's releases; only the laboratory knows the true rows."""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace as changed

from ....analysis.exposure import joint_counts, users_below
from ....errors import DataError
from ...populations import Population
from ...populations.build import columns_of, named_identifiers
from ...populations.people import Codes
from ...schema.model import FeatureSection, Scenario
from .people import source_name


def true_exposure(
    columns: Sequence[str], scenario: Scenario, people: Population, k: int
) -> int | None:
    """Return the number of people truly exposed on some columns of the source, or None.

    None if the source lacks a column. columns: names in the source. people: the people with their
    true rows. k: the smallest safe equivalence class.
    """
    names = [source_name(scenario, name) for name in people.schema.names]
    if set(columns) <= set(names):
        table, places = people.codes, [names.index(column) for column in columns]
    elif (cells := _cells(columns, scenario, people)) is not None:
        table, places = cells, list(range(len(columns)))
    else:
        return None
    return int(users_below(joint_counts(table, places), k))


def _cells(columns: Sequence[str], scenario: Scenario, people: Population) -> Codes | None:
    """Return the integer codes of people in some columns of their source.

    None if a column is missing or is a direct identifier, or if rows of the people were dropped.
    columns: names in the source. people: the people of the run.
    """
    if people.source is None:
        return None
    features = tuple(FeatureSection(name=column) for column in columns)
    section = changed(scenario.population, columns={})
    try:
        whole = columns_of(people.source, section, features)
    except DataError:
        return None
    if named_identifiers(whole):
        return None
    rows = np.arange(len(people.source_codes)) if people.origin is None else people.origin
    origin = np.arange(len(whole.codes)) if whole.origin is None else whole.origin
    places = np.minimum(np.searchsorted(origin, rows), len(origin) - 1)
    return whole.codes[places] if np.array_equal(origin[places], rows) else None
