"""The figures of paper 003 that can be redrawn: Figure 4 exactly, the rest on other data.

PIE is the information, in bits, that a report contains about the identity of its sender. PSE is the
information, in bits, that an attacker's scores give about that identity.
"""

from .paper003_attacks import figure5, figure6, figure7
from .paper003_bounds import figure4
from .paper003_loss import figure10, figure11, figure12
from .paper003_pie import figure8, figure9
from .paper003_release import release
from .registry import ResearchPaper

PAPER = ResearchPaper(
    "Toward evaluating re-identification risks in the local privacy model",
    {
        "4": ("bounds on the PIE of GRR against epsilon, with the exact supremum", figure4),
        "5": ("PSE with maximum knowledge (generated people)", figure5),
        "6": ("PSE against training events (generated people)", figure6),
        "7": ("detection error trade-off of three algorithms (generated people)", figure7),
        "8": ("bounds, PIE and PSE of one report (generated people)", figure8),
        "9": ("identification error and its bounds (generated people)", figure9),
        "10": ("loss of estimated distributions against epsilon (generated places)", figure10),
        "11": ("twenty most popular places under three promises (generated places)", figure11),
        "12": ("loss against the number of hash values (generated places)", figure12),
        "release": ("census: people found by known columns (not in the paper)", release),
    },
)
