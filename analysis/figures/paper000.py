"""The figures of paper 000 that can be redrawn."""

from .paper000_estimates import figure3
from .paper000_exposure import figure2
from .registry import ResearchPaper

PAPER = ResearchPaper(
    "Statistical anonymity: quantifying reidentification risks without reidentifying users",
    {
        "2": ("census: exposure of columns, alone and together, and its bounds", figure2),
        "3": ("plug-in exposure against statistical exposure, 1,000 simulations", figure3),
    },
)
