"""What the page is told of coalitions that cheat: measured beside the run, or that it is not.

none     why nothing was measured, and how to do it; or null
told     what was played
limit    what is known and was not played
nothing  what is said of eyes for which no attack of the catalogue read a row
found    the attacks that read somebody's row, the worst first: for a set of eyes the first of which
         they have all parties and as many people holds, so a larger set never does worse
"""

from typing import Any

from ..scenarios.schema.model import Scenario
from ..scenarios.studies.cheating_file import unmeasured
from ..scenarios.studies.cheating_result import CheatingStudy, badness
from ..scenarios.studies.cheating_text import ON_REPORTS, no_success, played, rate, seen
from ..scenarios.wording import OUTSIDE_CATALOGUE, sentence

MISSING = (
    "If these eyes cheat: not measured; veilmix leak RUN --cheating plays the attacks of the "
    f"catalogue. {sentence(OUTSIDE_CATALOGUE)}"
)


def cheating_data(scenario: Scenario, study: CheatingStudy | None) -> dict[str, Any]:
    """Give what the page is told. found: what was measured beside the run; None: nothing."""
    if study is None:
        return {"none": sentence(ON_REPORTS) if unmeasured(scenario) else MISSING}
    reading = sorted((attack for attack in study.attacks if attack.read), key=badness, reverse=True)
    rates = [rate(attack) for attack in reading]
    return {
        "none": None,
        "told": played(study),
        "limit": sentence(OUTSIDE_CATALOGUE),
        "nothing": no_success(len(study.attacks), study.least_runs, "them"),
        "found": [
            {
                "parties": list(attack.parties),
                "friends": attack.friends,
                "attack": attack.attack,
                "read": often,
                "ends": ends,
                "noticed": seen(attack),
            }
            for attack, (often, ends) in zip(reading, rates, strict=True)
        ],
    }
