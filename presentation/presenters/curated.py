"""Presenters of programs in which the curator chooses columns from the counts of single columns."""

from typing import TYPE_CHECKING

from ..decision_captions import share_in
from .presenter import Presenter

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...scenarios.schema.model import Policy, Scenario


class ExposurePresenter(Presenter):
    """The texts on the program `exposure`: it releases the safe column set of largest weight."""

    def stage_rule(self, policy: "Policy", language: "Language") -> str:
        """Return the condition for a release, as a caption of the theatre (an animated run)."""
        share = share_in(policy.max_exposure, language)
        return language.say("says-rule-set", share=share, k=policy.k)


class ReleaseAllPresenter(Presenter):
    """The texts on the program `all`: it releases every column, at any exposure bound."""

    largest = None
    stage_key = "says-rule-all"

    def decision(self, scenario: "Scenario", reader: str, limit: str) -> str:  # noqa: ARG002
        """Return the line above the column sets: the columns were chosen before the session.

        reader: the party that decides.
        """
        kind = scenario.policy.kind
        return f"{reader}: releases the columns it was told to ({kind}), at any bound"

    def decides(self, policy: "Policy") -> str:  # noqa: ARG002
        """Return the clause that every column is released."""
        return "it keeps every feature, whatever the bound says"

    def promise(self, scenario: "Scenario") -> str:  # noqa: ARG002
        """Return the sentence that the release program promises no bound."""
        return "none: the columns are chosen beforehand; the bound is printed all the same"


class FixedPresenter(ReleaseAllPresenter):
    """The texts on the program `fixed`: it releases the columns that the scenario names.

    It does so however large the bound on exposure is.
    """

    def decides(self, policy: "Policy") -> str:
        """Return the columns named in the scenario, as a clause."""
        return f"it keeps {', '.join(policy.keep)}, whatever the bound says"

    def stage_rule(self, policy: "Policy", language: "Language") -> str:
        """Return the columns that the scenario releases, as a caption of the theatre."""
        return language.say("says-rule-fixed", columns=", ".join(policy.keep))


class PairsPresenter(Presenter):
    """The texts on the program that releases the best safe pair of columns, as a cross table."""

    stage_key = "says-rule-pairs"

    def decides(self, policy: "Policy") -> str:
        """Return the choice of the curator, as a clause: the best pair of columns."""
        return f"it keeps the best two features that it can promise for, by the rule {policy.rule}"


class InformativePresenter(Presenter):
    """The texts on the program that releases the safe set of columns with the largest entropy."""

    stage_key = "says-rule-informative"

    def decides(self, policy: "Policy") -> str:
        """Return the choice of the curator, as a clause: the most informative columns."""
        return f"it keeps the features that tell most, by the rule {policy.rule}"
