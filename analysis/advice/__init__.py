"""Advice: coarse levels of each column of a table that make its people k-anonymous.

This room holds ladders (a column in ever coarser values), the search for the choice of levels with
the least loss of information, and the losses of a choice. May import `exposure`. Must never know
files or the meaning of a value: a value is a code.
"""

from .choice import Advice, Choice
from .ladder import Ladder, LadderLevel
from .lattice_search import search

__all__ = ["Advice", "Choice", "Ladder", "LadderLevel", "search"]
