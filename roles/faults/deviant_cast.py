"""A session whose members deviate: their places, the wires, the questions of the curator."""

from dataclasses import replace

from ..cast import Cast
from .deviant_place import places
from .deviant_questions import questions
from .deviant_wire import wire
from .deviation import Deviations


def deviant_cast(cast: Cast, deviations: Deviations) -> Cast:
    """Return a session in which a strategy is carried out, and its record kept."""
    return replace(
        cast,
        faults={**cast.faults, **places(deviations)},
        wire=wire(deviations),
        adversary=deviations.record,
        lies=questions(cast, deviations),
    )
