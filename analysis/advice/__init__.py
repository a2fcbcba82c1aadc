"""Advice: coarse levels of each column of a table that make its people k-anonymous.

A ladder is a column with its levels, from its own values to ever coarser values. This package
searches the choice of one level per column that loses the least information, and measures the
loss of a choice. It may import `exposure`. It never reads files, and never knows the meaning of a
value: a value is an integer code.
"""

from .choice import Advice, Choice
from .ladder import Ladder, LadderLevel
from .lattice_search import search

__all__ = ["Advice", "Choice", "Ladder", "LadderLevel", "search"]
