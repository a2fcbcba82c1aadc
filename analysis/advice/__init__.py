"""Advice: coarse levels of each column of a table that make its people k-anonymous.

Contains ladders of coarser values, the search for the choice with the least loss, and the losses of
a choice. May import `exposure`. Must never know files or the meaning of a value: a value is a code.
"""

from .choice import Advice, Choice
from .ladder import Ladder, LadderLevel
from .lattice_search import search

__all__ = ["Advice", "Choice", "Ladder", "LadderLevel", "search"]
