"""The data of the panel on malicious coalitions: the study saved beside the run, with its limit.

The panel shows the first attack of the list that a set of eyes contains: its parties, and its
number of people. The worst attack is first, so a larger set of eyes never does worse.
"""

from typing import Any

from ..scenarios.schema.model import Scenario
from ..scenarios.studies.cheating_file import unmeasured
from ..scenarios.studies.cheating_result import CheatingStudy, badness
from ..scenarios.studies.cheating_text import ON_REPORTS, detection_text, no_success, played, rate
from ..scenarios.wording import OUTSIDE_CATALOGUE, sentence

MISSING = (
    "If these eyes cheat: not measured; veilmix leak RUN --cheating plays the attacks of the "
    f"catalogue. {sentence(OUTSIDE_CATALOGUE)}"
)
PROVED = (
    "If these eyes cheat: while one shuffler is not among them, they learn who takes part and how "
    "often each answer was given, and no more. That is a proof sketch, not checked by a machine. "
    "They can keep people away, answer for friends, and stop the session (docs/verified.md)."
)
ONCE = (
    " All shufflers with the analyst hold the keys of each answer, also of columns that are not "
    "released: people answer once, for both readers."
)


def cheating_data(scenario: Scenario, study: CheatingStudy | None) -> dict[str, Any]:
    """Return the data of the panel. study: saved beside the run; None: there is no study.

    Without a study the data are only the reason for its absence, or the command that makes a study.
    """
    if study is None:
        if scenario.mix.kind == "verified":
            return {"none": PROVED + ONCE * (scenario.mix.submit == "once")}
        return {"none": sentence(ON_REPORTS) if unmeasured(scenario) else MISSING}
    reading = sorted((attack for attack in study.attacks if attack.read), key=badness, reverse=True)
    rates = [rate(attack) for attack in reading]
    return {
        "none": None,  # with a study no reason for its absence is given
        "told": played(study),  # attacks and runs of the study
        "limit": sentence(OUTSIDE_CATALOGUE),  # the catalogue lacks known attacks
        # statement for eyes that contain no successful attack of the catalogue
        "nothing": no_success(len(study.attacks), study.min_runs, "them"),
        "found": [
            {
                "parties": list(attack.parties),
                "friends": attack.friends,
                "attack": attack.attack,
                "read": often,
                "ends": ends,
                "noticed": detection_text(attack),
            }
            for attack, (often, ends) in zip(reading, rates, strict=True)
        ],
    }
