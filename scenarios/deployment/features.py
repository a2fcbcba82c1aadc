"""Features of a session between machines: a domain, and complete rules for coarser values.

In a scenario, a rule may depend on the table of all people, such as bins by quantiles. Between
machines no party has such a table. So the session file must state each rule completely; otherwise
the file is refused.
"""

from pathlib import Path

from ...errors import DataError, ParameterError
from ...protocol.wire.coarsening import Bins, Rule
from ...protocol.wire.schema import Feature
from ..populations.coarsening import is_coarser, levels, rules_of
from ..schema.model import FeatureSection


def column_of(feature: FeatureSection, base: Path) -> Feature:
    """Return a feature as it is announced: name, domain, and rules for coarser values.

    base: the folder from which the path of a hierarchy file starts. Raises ParameterError for a
    rule or a domain that depends on the data of all people.
    """
    if not is_coarser(feature):
        return Feature(feature.name, _domain(feature, ()))
    _check_settled(feature)
    rule_values = _rule_values(feature, base)
    try:
        rules = rules_of(feature, rule_values, [1] * len(rule_values), "", base)
    except DataError as wrong:
        raise ParameterError(str(wrong)) from None
    return Feature(feature.name, _domain(feature, rules), rules=rules)


def _check_settled(feature: FeatureSection) -> None:
    """Raise ParameterError if a rule of a feature depends on the values of all people."""
    bins = feature.bins
    unsaid = {
        "merge_below": feature.merge_below is not None,
        "bins.width (say edges)": bins is not None and bins.width is not None,
        "bins.quantiles (say edges)": bins is not None and bins.quantiles is not None,
        "day_first (say it)": feature.date == "month" and feature.day_first is None,
    }
    if wrong := [name for name, is_so in unsaid.items() if is_so]:
        raise ParameterError(
            f"feature {feature.name}: {', '.join(wrong)}: needs the values of all people, which no "
            "machine has before the session; state it in the session file, or leave it out"
        )


def _rule_values(feature: FeatureSection, base: Path) -> tuple[str, ...]:
    """Return the values that rules need: all values of a hierarchy, or the edges of bins as text.

    base: the folder from which the path of a hierarchy file starts.
    """
    if feature.hierarchy is not None:
        return tuple(levels(base / feature.hierarchy))
    if feature.bins is not None and feature.bins.edges is not None:
        return tuple(repr(edge) for edge in feature.bins.edges)
    return ()


def _domain(feature: FeatureSection, rules: tuple[Rule, ...]) -> tuple[str, ...]:
    """Return the domain of a feature: the listed values, or all intervals of its bins.

    Raises ParameterError if the feature has neither values nor bins.
    """
    if feature.values is not None:
        return feature.values
    bins = next((rule for rule in rules if isinstance(rule, Bins)), None)
    if bins is None:
        raise ParameterError(
            f"feature {feature.name}: values is missing; list the answers that people may give, as "
            "no machine has their data before the session"
        )
    return bins.labels
