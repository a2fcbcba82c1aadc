"""The figures of paper 002 that can be redrawn; Figure 1 is a diagram."""

from .privacy_figure import privacy_figure
from .reproduction import Paper
from .tradeoff_figure import tradeoff_figure

PAPER = Paper(
    "Information-theoretic metrics for local differential privacy protocols",
    {
        "2": ("average privacy at one worst case, for up to 1,000 inputs", privacy_figure),
        "3": ("utility against privacy of four protocols for three inputs", tradeoff_figure),
    },
)
