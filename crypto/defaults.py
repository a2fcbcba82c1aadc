"""The suite that is taken where nobody names one: the only place that decides it.

A name, so that a scenario can be judged without loading any cryptography.
"""

from typing import Final

SUITE: Final = "sealedbox"
