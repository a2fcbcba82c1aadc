"""Suppression: choose columns, values or cells to leave out so that a bound on exposure holds.

May import `exposure`, `estimation`, `composition` and the ground files. Must never know the
requesting party, and proves no bound alone: its choices carry the certificates of `composition`.
"""

from .column_choice import ColumnChoice, Considered, Dropped, Promise
from .column_suppression import choose_columns
from .priced_choice import choose_priced

__all__ = ["ColumnChoice", "Considered", "Dropped", "Promise", "choose_columns", "choose_priced"]
