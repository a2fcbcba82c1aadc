"""The data of the page's panel on malicious coalitions, from a study saved with the run.

The panel shows one attack of the study: the first in the list that the chosen parties can commit.
The list begins with the worst attack, so a larger choice of parties gets an attack at least as bad.
Each attack has its parties, and the number of users that have to join them.
"""

from typing import Any

from ..languages.language import Language
from ..scenarios.schema.model import Scenario
from ..scenarios.studies.cheating.cheating_file import unmeasured
from ..scenarios.studies.cheating.cheating_result import WHEN, AttackResult, CheatingStudy, badness
from .language import theatre_sentences


def cheating_data(
    scenario: Scenario, study: CheatingStudy | None, language: Language | None = None
) -> dict[str, Any]:
    """Return the data of the page's panel on malicious coalitions.

    scenario: the scenario of the run. study: the study that was saved with the run; without it
    (None) the data only give the reason for its absence, or the command that makes a study.
    language: language of the sentences; None: English.
    """
    words = theatre_sentences(language)
    # A sentence on the study's limit: it plays the attacks of the catalogue, which lacks some known
    # attacks.
    limit = words.say("says-cheating-limit")
    if study is None:
        return {"none": _absence(scenario, words)}
    reading = sorted((attack for attack in study.attacks if attack.read), key=badness, reverse=True)
    attacks = words.say("says-attacks", n=len(study.attacks))
    runs = words.say("says-runs", n=study.min_runs)
    return {
        "none": None,  # None, because there is a study; otherwise the reason why there is none
        # a sentence with the study's numbers of attacks and runs
        "told": _study_numbers(study, words),
        "limit": limit,
        # shown if the chosen parties can commit no attack of the study that read a row
        "nothing": words.say("says-cheating-none", attacks=attacks, runs=runs),
        "found": [_attack_data(attack, words) for attack in reading],
    }


def _absence(scenario: Scenario, words: Language) -> str:
    """Return the reason why there is no study of attacks, or the command that makes a study."""
    if scenario.mix.kind == "verified":
        once = scenario.mix.submit == "once"
        sentence = words.say("says-cheating-proved")
        return f"{sentence} {words.say('says-cheating-once')}" if once else sentence
    if unmeasured(scenario):
        return words.say("says-cheating-noise")
    return words.say("says-cheating-unmeasured", limit=words.say("says-cheating-limit"))


def _attack_data(attack: AttackResult, words: Language) -> dict[str, Any]:
    """Return an attack that has read a person's row: parties, rate, interval, detection."""
    low, high = f"{100 * attack.low:.0f}", f"{100 * attack.high:.0f}"
    return {
        "parties": list(attack.parties),
        "friends": attack.friends,
        "attack": attack.attack,
        "read": words.say("says-cheating-rate", read=attack.read, runs=attack.runs),
        "ends": words.say("says-cheating-ends", low=low, high=high),
        "noticed": _detection(attack, words),
    }


def _detection(attack: AttackResult, words: Language) -> str:
    """Return when an attack was noticed, over the runs in which a person's row was read."""
    times = zip(WHEN, (attack.before, attack.after, attack.never), strict=True)
    runs_by_time = {words.say(f"says-noticed-{when}"): runs for when, runs in times if runs}
    if len(runs_by_time) <= 1:
        return next(iter(runs_by_time), "-")
    return ", ".join(f"{when} {words.count(runs)}" for when, runs in runs_by_time.items())


def _study_numbers(study: CheatingStudy, words: Language) -> str:
    """Return a sentence with the study's numbers of attacks, runs, seeds and missing runs."""
    first, last = str(study.seed), str(study.seed + study.runs - 1)
    seeds = "says-cheating-seed" if study.runs == 1 else "says-cheating-seeds"
    played = words.say(
        "says-cheating-played",
        attacks=words.say("says-attacks", n=len(study.attempts)),
        runs=words.say("says-runs", n=study.runs),
        seeds=words.say(seeds, first=first, last=last),
    )
    if study.whole:
        return played
    return words.say("says-cheating-partly", played=played, done=study.played, due=study.due)
