"""The kinds of policy by name: what a scenario file may say of them before any program is loaded.

    kind                           program on the wire
    exposure, fixed, all           two-round
    hierarchical                   hierarchical
    local-suppression              local-suppression
    histogram, incidence           randomized

How each is played stands in `programs/`.
"""

KIND = "histogram"  # the kind of policy that asks for reports
SETS = "incidence"  # the kind that asks owners for their sets (populations/sets.py)
RANDOMIZED = (KIND, SETS)
PROGRAMS = {
    "histogram": "randomized",
    "incidence": "randomized",
    "hierarchical": "hierarchical",
    "local-suppression": "local-suppression",
}  # kind of policy -> program; every other kind is of the program two-round


def most_rounds(kind: str, features: int) -> int:
    """The most rounds that a scenario with a kind of policy and so many features may have."""
    match kind:
        case "hierarchical":
            return features + 1
        case "histogram" | "incidence":
            return 1
        case _:
            return 2
