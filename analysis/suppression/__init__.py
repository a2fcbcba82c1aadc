"""Suppression: choose columns, values or cells to leave out so that a bound on exposure holds.

May import `exposure`, `estimation`, `composition`, `optimization` and `validation`. The requesting
party has no influence here. Nor is a bound proved here: a choice of columns carries a certificate
from `composition`.
"""

from .column_choice import ColumnChoice, Considered, Dropped, Promise
from .column_suppression import choose_columns
from .priced_choice import choose_priced

__all__ = ["ColumnChoice", "Considered", "Dropped", "Promise", "choose_columns", "choose_priced"]
