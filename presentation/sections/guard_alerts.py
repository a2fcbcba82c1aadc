"""Checks of a run for attacks, linking coalitions, and guards (countermeasures) that are off.

Each check yields alerts for the page of the run.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import first_few, people, plural, sentence
from ...scenarios.records.verification.deviations import NOT_BY_WATCHING
from ..blocks import Alert
from ..presenters.coalitions import coalition_name, outsiders_linked
from ..presenters.peers import named
from ..presenters.unsafe_settings import (
    ORDER,
    PADDING,
    TEXTBOOK,
    unsafe_settings,
)

if TYPE_CHECKING:
    from ..presenters.page_facts import PageFacts

FIRST = 10**9  # weight that puts an alert before all other alerts of its level


def deviated(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of deviating parties, successful attacks, and confirmed alarms."""
    if facts.deviations:
        yield Alert(
            "serious",
            "deviated",
            "The protocol was not followed, or an attack succeeded",
            f"{'; '.join(facts.deviations)}. {sentence(NOT_BY_WATCHING)}",
            "Do not use the release before each of these is explained.",
            FIRST,
        )


def coalition(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of a coalition that links people although it is smaller than the trust line.

    The trust line is the set of parties that a coalition should need to link people.
    """
    below = [learner for learner in facts.breaking if not facts.trusted(learner)]
    if below:
        max_linked = max(outsiders_linked(learner) for learner in below)
        names = first_few(list(map(coalition_name, below)))
        yield Alert(
            "serious",
            "coalition",
            "A coalition below the trust line links people",
            f"{names}: values of up to {people(max_linked)} can be pinned on them by fewer than "
            f"{facts.topology_words.line(facts.run.scenario)}.",
            "Look at the guards that are switched off, and at the faults of this run.",
            max_linked,
        )


def alarms(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of an alarm that the board confirms, and note an alarm that it does not confirm."""
    raised = [alarm for alarm in facts.alarms if alarm.borne_out]
    false = len(facts.alarms) - len(raised)
    if raised:
        yield Alert(
            "serious",
            "alarm",
            plural(len(raised), "alarm was", "alarms were") + " raised",
            "A party saw that another one did not do as announced; the faults are listed below.",
            "Do not use the release before each alarm is explained.",
            len(raised),
        )
    if false:
        yield Alert(
            "note",
            "false-alarm",
            plural(false, "alarm", "alarms") + " about nothing",
            "A party says that something is wrong, and the board does not bear it out.",
            "Nothing ends by it; the alarms are listed below.",
            false,
        )


def charged(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of a peer at fault: the posts on the board prove that it deviated from the protocol."""
    among = facts.result.peers
    if among and among.charges:
        peer_count = len({charge.peer for charge in among.charges})
        yield Alert(
            "serious",
            "named-peer",
            plural(peer_count, "peer was", "peers were") + " named",
            f"{first_few(list(named(among)))}. The posts prove it to everybody, and the round was "
            "burned.",
            "Agree on another session without them.",
            len(among.charges),
        )


def uneven_sizes(facts: "PageFacts") -> Iterator[Alert]:
    """Warn if messages differ in length, so that the length reveals the answer.

    Warn also if padding is off.
    """
    round_sizes = facts.traffic.sizes if facts.traffic else {}
    uneven = {number: sizes for number, sizes in round_sizes.items() if len(sizes) > 1}
    if uneven:
        round_texts = [f"round {number}: {len(sizes)} lengths" for number, sizes in uneven.items()]
        yield Alert(
            "serious",
            "size",
            "The length of a message tells who said what",
            f"Submissions of one round differ in length ({'; '.join(round_texts)}), and whoever "
            "watches "
            "the network sees who sent which.",
            "Switch padding on: pad = true in [mix].",
            max(len(sizes) for sizes in uneven.values()),
        )
    elif off := unsafe_settings(facts.run.scenario).get(PADDING):
        yield Alert(
            "warning",
            "padding",
            "Padding is off",
            sentence(off)
            + (" All answers of this run happen to be equally long." if round_sizes else ""),
            "Switch padding on: pad = true in [mix].",
        )


def textbook(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of the deterministic cipher suite `textbook`, which exists only to show an attack."""
    if off := unsafe_settings(facts.run.scenario).get(TEXTBOOK):
        yield Alert(
            "serious",
            "textbook",
            "Textbook encryption: anyone can read it",
            sentence(off),
            "For lessons only. Use suite = sealedbox, hpke-x25519 or hpke-pq.",
            2,
        )


def guards_off(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of countermeasures that are off, although only a scenario for teaching may do so."""
    off = facts.guards_off
    if off:
        unsafe = unsafe_settings(facts.run.scenario)
        consequences = [sentence(unsafe[name]) for name in off if name in unsafe]
        yield Alert(
            "serious",
            "guards",
            f"{plural(len(off), 'guard is', 'guards are')} switched off: {', '.join(off)}",
            " ".join((*consequences, "docs/attacks.md lists the attacks that each guard stops.")),
            "For lessons only.",
            1,
        )


def achieved(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of an attack in the scenario that reached its goal, wholly or in part."""
    won = [effect for effect in facts.result.attacks if effect.value > 0]
    if won:
        effect_texts = [
            f"{effect.attack}: {effect.value:g} of {effect.of:g} {effect.unit}" for effect in won
        ]
        yield Alert(
            "serious",
            "attack",
            f"{plural(len(won), 'attack')} succeeded in part or in all",
            f"{first_few(effect_texts)}.",
            "The guards that were on, and those that would stop it, are listed below.",
            len(won),
        )


def kept_order(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of shufflers that keep the order of messages, which reveals their senders."""
    if off := unsafe_settings(facts.run.scenario).get(ORDER):
        yield Alert(
            "serious",
            "order",
            "The shufflers keep the order of messages",
            sentence(off),
            "For lessons only. Use order = sorted in [mix].",
            1,
        )


def seeded(facts: "PageFacts") -> Iterator[Alert]:
    """Warn that keys and salts of a real run follow from a seed, so they are not secret."""
    seed = facts.result.seed
    if seed is not None and facts.result.mode == "real":
        yield Alert(
            "warning",
            "seeded",
            f"Seeded with {seed}: reproducible, and not secret",
            "Every key and salt follows from the seed: whoever knows it opens every layer and "
            "links everybody.",
            "For people who exist, leave the seed out: system randomness is then used.",
        )


def one_shuffler(facts: "PageFacts") -> Iterator[Alert]:
    """Note that a mix has one shuffler, so that the shuffler and a reader can link all people."""
    if len(facts.shufflers) == 1 and facts.learners:
        yield Alert(
            "note",
            "one-shuffler",
            "One shuffler: two parties are enough",
            "The shuffler and one who reads link everybody, if they work together.",
            "More shufflers make the smallest such coalition larger.",
        )
