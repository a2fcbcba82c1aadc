"""The kinds of policy by name, and the place of each program: no program is loaded for a name.

The built-in kinds stand here; kinds of other installed packages are entry points of the group
`veilmix.programs` (docs/extending.md). A name that stands here cannot be taken by another package.
"""

from collections.abc import Mapping

from .plugs import homes

HOME = "veilmix.scenarios.programs"
KIND = "histogram"  # the kind of policy that asks for reports
SETS = "incidence"  # the kind that asks owners for their sets (populations/sets.py)
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
}  # kind -> module:class


def kinds() -> Mapping[str, str]:
    """Return every kind of policy, in the order of messages: built-in kinds first."""
    return homes("programs", BUILT_IN)
