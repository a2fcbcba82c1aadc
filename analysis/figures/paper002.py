"""The figures of paper 002 that can be redrawn; Figure 1 is a diagram."""

from .paper002_privacy import privacy_figure
from .paper002_tradeoff import tradeoff_figure
from .registry import ResearchPaper

PAPER = ResearchPaper(
    "Information-theoretic metrics for local differential privacy protocols",
    {
        "2": ("average privacy at one worst case, for up to 1,000 inputs", privacy_figure),
        "3": ("utility against privacy of four protocols for three inputs", tradeoff_figure),
    },
)
