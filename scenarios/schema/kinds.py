"""The kinds of policy by name, with the location of each kind's release program.

To know the names no program is imported. This module lists the built-in kinds. Other installed
packages declare kinds as entry points of the group `veilmix.programs` (docs/extending.md). A
built-in name cannot be taken by another package.
"""

from collections.abc import Mapping

from .plugs import homes

HOME = "veilmix.scenarios.programs"
KIND = "histogram"  # kind of policy in which people answer with noisy reports
# kind of policy in which each owner reports a set of elements, such as places (populations/sets.py)
SETS = "incidence"
BUILT_IN = {
    "exposure": f"{HOME}.curated.choices:ExposureProgram",
    "fixed": f"{HOME}.curated.choices:Fixed",
    "hierarchical": f"{HOME}.hierarchical.program:HierarchicalProgram",
    "local-suppression": f"{HOME}.local_suppression.program:LocalSuppressionProgram",
    KIND: f"{HOME}.randomized.program:Histogram",
    SETS: f"{HOME}.incidence.program:IncidenceProgram",
    "all": f"{HOME}.curated.choices:ReleaseAll",
    "pairs": f"{HOME}.pairs.program:PairsProgram",
    "informative": f"{HOME}.informative.program:Informative",
    "threshold": f"{HOME}.threshold.program:Threshold",
}  # kind of policy -> location of its release program, `module:class`


def kinds() -> Mapping[str, str]:
    """Return the location of every release program: kind of policy -> `module:class`.

    The order is that in which messages list the kinds: built-in kinds come first.
    """
    return homes("programs", BUILT_IN)
