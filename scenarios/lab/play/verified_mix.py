"""A check that a scenario's answers fit a verified mix: a ciphertext holds 29 bytes."""

from typing import TYPE_CHECKING

from ....errors import DataError
from ...programs.capability import AnswerKind
from ...programs.registry import announced_schema, answers_in
from ...schema.model import Scenario

if TYPE_CHECKING:
    from ....protocol.wire.schema import Schema

HIDDEN = 2  # most texts that stand for suppressed or masked values, besides the values of a column


def check_answers(scenario: Scenario, schema: "Schema") -> None:
    """Raise DataError if an answer may be too long for a ballot of a verified mix.

    The widest possible query is checked: all columns, because the curator chooses columns later. If
    people submit once, or add noise, a ballot holds one column. schema: the features of the people.
    """
    if scenario.mix.kind != "verified":
        return
    from ....crypto.verified.values import LONGEST
    from ....protocol.rounds.verified_answers import answer_size

    announced_features = announced_schema(scenario, schema).features
    single = answers_in(scenario) is AnswerKind.REPORTS or scenario.mix.submit == "once"
    for features in (
        *((feature,) for feature in announced_features),
        *(() if single else (announced_features,)),
    ):
        sizes = [None if f.values is None else len(f.values) + HIDDEN for f in features]
        size = answer_size(sizes, [feature.width for feature in features])
        if size > LONGEST:
            names = ", ".join(feature.name for feature in features)
            raise DataError(
                f'mix.kind = "verified": answers to {names} take up to {size} bytes, and at most '
                f"{LONGEST} are accepted; list the values of open features, or lower their width"
            )
