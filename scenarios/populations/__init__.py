"""The people of a scenario: shipped tables, generated people, and files.

May import `protocol.schema`, `serialization`, the scenario model and numpy; duckdb only to open a
Parquet file. Must never know rounds, keys or parties: a population is rows of values, the order in
which its people are numbered, and where they come from.
"""

from .build import population
from .people import Population

__all__ = ["Population", "population"]
