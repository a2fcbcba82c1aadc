"""The figures of paper 000 that can be redrawn."""

from .figure2 import figure2
from .figure3 import figure3
from .reproduction import Paper

PAPER = Paper(
    "Statistical anonymity: quantifying reidentification risks without reidentifying users",
    {
        "2": ("census: exposure of columns, alone and together, and its bounds", figure2),
        "3": ("plug-in exposure against statistical exposure, 1,000 simulations", figure3),
    },
)
