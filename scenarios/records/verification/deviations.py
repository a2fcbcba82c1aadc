"""Sentences on deviations from the protocol in a run: the first lines of all output about it.

Figures on coalitions assume parties that follow the protocol and pool their views. After a
deviation, a successful attack or a justified alarm these figures are no statement of safety. Every
output therefore prints the lines of `deviations` first. If there are lines, `NOT_BY_WATCHING`
replaces each sentence of safety that is computed from views.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from ....languages.language import Language, english
from ...attacks.catalogue.attack import BYSTANDER, PEER, USER
from ...attacks.catalogue.registry import ATTACKS
from ...programs.interface import Effect, Raised
from ...programs.topology import topology_of
from ...schema.model import Fault, Scenario

NOT_BY_WATCHING = (
    "no statement on who must be trusted: figures on coalitions assume parties that follow the "
    "protocol, and here that did not hold"
)
LEAVES = frozenset({"absent", "late"})  # attacks in which users send no ballot, or send it too late
POOLS = frozenset({"collude"})  # attacks in which parties only pool their views


def deviations(
    scenario: Scenario,
    attacks: Sequence[Effect],
    alarms: Sequence[Raised],
    language: Language | None = None,
) -> tuple[str, ...]:
    """Return the lines that precede all figures of a run; () for an honest run.

    Args:
        scenario: the played scenario, with its faults.
        attacks: the measured effects of attacks; empty before the end of a run.
        alarms: the alarms on the board.
        language: a language with the sentences of the theatre; None: English.
    """
    words = language or english().part("theatre")
    findings = (
        *(_effects(attacks, words), _members(scenario, words)),
        *(_faults(scenario, attacks, words), _alarms(alarms, words)),
    )
    return tuple(line for lines in findings for line in lines)


def _members(scenario: Scenario, words: Language) -> Iterator[str]:
    """Yield a line for each deviation that the scenario's [[deviation]] tables set for a member."""
    if scenario.deviation:
        from ...attacks.catalogue.deviations import deviation_of

        for entry in scenario.deviation:
            yield words.say("says-deviated-member", what=deviation_of(entry))


def _effects(attacks: Sequence[Effect], words: Language) -> Iterator[str]:
    """Yield a line for each attack with an effect, and for each deviation without an effect."""
    for effect in attacks:
        if effect.attack in POOLS or not (effect.value or _deviates(effect.attack)):
            continue
        someone = words.say("says-deviated-party")
        unit = f"says-unit-{effect.unit.replace(' ', '-')}"
        yield words.say(
            "says-deviated-effect" if _deviates(effect.attack) else "says-deviated-flaw",
            who=" + ".join(_party_name(party, words) for party in effect.parties) or someone,
            attack=effect.attack,
            value=words.number(effect.value),
            of=words.number(effect.of),
            unit=_word_or(unit, effect.unit, words),
        )


def _faults(scenario: Scenario, attacks: Sequence[Effect], words: Language) -> Iterator[str]:
    """Yield a line for each deviation among the scenario's faults that has no measured effect."""
    measured = {effect.attack for effect in attacks}
    for fault in scenario.fault:
        if fault.attack not in measured and _deviates(fault.attack):
            party_names = _names(scenario, fault, words)
            yield words.say("says-deviated", who=party_names, attack=fault.attack)


def _deviates(attack: str) -> bool:
    """Whether an attack breaks the protocol by more than sending no ballot or sending it late."""
    known_attack = ATTACKS.get(attack)
    return known_attack is not None and known_attack.by != BYSTANDER and attack not in LEAVES


def _party_name(party: str, words: Language) -> str:
    """Return the name of a party in a language; a name without a translation stays as it is."""
    role, _, number = party.partition("-")
    return _word_or(f"party-{role}", party, words, number=number)


def _word_or(key: str, plain: str, words: Language, **values: object) -> str:
    """Return the sentence with a key; `plain` if the language has no such sentence.

    Attacks of other packages may have words of their own, without a sentence.
    """
    return words.say(key, **values) if key in words.sentences else plain


def _names(scenario: Scenario, fault: Fault, words: Language) -> str:
    """Return the names of the parties that commit a fault, in a language."""
    if fault.by is not None:
        return _party_name(fault.by, words)
    role = ATTACKS[fault.attack].by
    if role not in (USER, PEER):
        return words.say(f"says-any-{role}")
    key = f"says-members-{topology_of(scenario).name}"
    return words.say(key, n=fault.users) if fault.users is not None else words.say(f"{key}-some")


def _alarms(alarms: Sequence[Raised], words: Language) -> Iterator[str]:
    """Yield a line for each cause of alarms that the board confirms."""
    causes = Counter(alarm.cause for alarm in alarms if alarm.borne_out)
    for cause, times in causes.items():
        yield words.say(
            "says-deviated-alarms",
            alarms=words.say("says-alarms", n=times),
            cause=_word_or(f"says-alarm-about-{cause}", cause, words),
        )
