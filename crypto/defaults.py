"""The default suite; it is chosen only here.

It is a name, so that a scenario can be judged without loading any cryptography.
"""

from typing import Final

SUITE: Final = "sealedbox"
