"""The people of a scenario: shipped tables, generated people, and files.

May import `protocol.schema`, `serialization`, the scenario model and numpy; duckdb only to open a
Parquet file. Must never know rounds, keys or parties. A population is rows of values, the order of
its people, and their origin.
"""

from .build import population
from .people import Population

__all__ = ["Population", "population"]
