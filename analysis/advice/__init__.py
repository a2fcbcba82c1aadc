"""Advice: how coarse each column of a table has to be so that its people are k-anonymous.

Here live ladders of coarser values, the search for the choice that loses least, and what a choice
costs. May import `exposure`. Must never know files or what a value means: a value is a code.
"""

from .ladder import Ladder, Level
from .lattice_search import Advice, Choice, search

__all__ = ["Advice", "Choice", "Ladder", "Level", "search"]
