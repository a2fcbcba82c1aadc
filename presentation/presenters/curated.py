"""Presenters of programs that choose columns by the counts of single columns."""

from typing import TYPE_CHECKING

from ..decision_captions import share_in
from .presenter import Presenter

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...scenarios.schema.model import Policy, Scenario


class ExposurePresenter(Presenter):
    """The words of the program with the heaviest set of columns."""

    def stage_rule(self, policy: "Policy", language: "Language") -> str:
        """Return the condition for a release, in a sentence."""
        share = share_in(policy.max_exposure, language)
        return language.say("says-rule-set", share=share, k=policy.k)


class ReleaseAllPresenter(Presenter):
    """The words of the program that releases every column."""

    largest = None
    stage_key = "says-rule-all"

    def decision(self, scenario: "Scenario", reader: str, limit: str) -> str:  # noqa: ARG002
        """Return a line that the columns were chosen beforehand."""
        kind = scenario.policy.kind
        return f"{reader}: releases the columns it was told to ({kind}), at any bound"

    def decides(self, policy: "Policy") -> str:  # noqa: ARG002
        """Return a clause: every column is released."""
        return "it keeps every feature, whatever the bound says"

    def promise(self, scenario: "Scenario") -> str:  # noqa: ARG002
        """Return a sentence that there is no promise."""
        return "none: the columns are chosen beforehand; the bound is printed all the same"


class FixedPresenter(ReleaseAllPresenter):
    """The words of the program that releases the columns of the scenario."""

    def decides(self, policy: "Policy") -> str:
        """Return the released columns, as a clause."""
        return f"it keeps {', '.join(policy.keep)}, whatever the bound says"

    def stage_rule(self, policy: "Policy", language: "Language") -> str:
        """Return the columns of the scenario, in a sentence."""
        return language.say("says-rule-fixed", columns=", ".join(policy.keep))


class PairsPresenter(Presenter):
    """The words of the program with a cross table."""

    stage_key = "says-rule-pairs"

    def decides(self, policy: "Policy") -> str:
        """Return the released columns, as a clause."""
        return f"it keeps the best two features that it can promise for, by the rule {policy.rule}"


class InformativePresenter(Presenter):
    """The words of the program with the columns of largest entropy."""

    stage_key = "says-rule-informative"

    def decides(self, policy: "Policy") -> str:
        """Return the released columns, as a clause."""
        return f"it keeps the features that tell most, by the rule {policy.rule}"
