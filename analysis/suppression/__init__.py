"""Suppression: which columns, values or cells to leave out, so that a promise can be kept.

May import `exposure`, `estimation`, `composition` and the ground files. Must never know who asked,
and never promises by itself: its choices carry the certificates of `composition`.
"""

from .column_choice import ColumnChoice, Considered, Dropped, Promise
from .column_suppression import choose_columns
from .priced_choice import choose_priced

__all__ = ["ColumnChoice", "Considered", "Dropped", "Promise", "choose_columns", "choose_priced"]
