"""A scenario to act out with paper envelopes: the teacher's plan, the cards of parties, the slips.

There are other steps for each topology (shufflers with a curator and an analyst, or peers). The
sentences on the cards are in the table `[cards]` of a language file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..analysis.trust import minimal
from ..analysis.trust.peer_paths import path_share
from ..languages.language import Language
from ..number_text import percent
from ..protocol.wire import parties
from ..scenarios.lab.scoring.outcome import Outcome
from ..scenarios.programs.topology import CENTRAL, PEERS, topology_of
from ..scenarios.schema.model import Scenario

CENTRAL_STEPS = (
    *("central-cut", "central-bring", "central-ask", "central-first", "central-number"),
    *("central-second", "central-name"),
)
PEER_STEPS = (
    *("peers-cut", "peers-bring", "peers-ask", "peers-first", "peers-count"),
    *("peers-second", "peers-name"),
)
PEER_DUTY = (
    *("duty-fill", "duty-draw", "duty-lay", "duty-open", "duty-lost"),
    *("duty-look", "duty-count"),
)
Rows = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PartyCard:
    """The printed card of a party that handles paper envelopes, such as a shuffler or the curator.

    Attributes:
        name: the name of the party.
        duty: its task, in a sentence.
        steps: its steps, in order.
    """

    name: str
    duty: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip of paper on a person's printed card, to be filled in and put into an envelope.

    Attributes:
        round: the round in which it is used, from 1.
        about: the question answered on the slip; "": all questions together, or a blank slip.
        fields: labels of the boxes to write in.
        blank: whether it carries no answer, and only hides the number of answers.
    """

    round: int
    about: str
    fields: tuple[str, ...]
    blank: bool = False


@dataclass(frozen=True, slots=True)
class PaperScenario:
    """A scenario that a class acts out with paper envelopes: all texts of the printed cards.

    Attributes:
        intro: the players, in a sentence.
        steps: the steps of the teacher's plan.
        rule: a sentence on every person's card.
        slips: the slips on a person's card.
        roles: the cards of all other parties.
        readers: the parties that open the answers of round 1 and of round 2, in words.
        naming: rows of the teacher's last table: coalitions that link people to their answers, and
            the share of answers that they link.
    """

    intro: str
    steps: tuple[str, ...]
    rule: str
    slips: tuple[Slip, ...]
    roles: tuple[PartyCard, ...]
    readers: tuple[str, str]
    naming: Rows


def on_paper(
    scenario: Scenario, outcome: Outcome, names: Sequence[str], language: Language
) -> PaperScenario:
    """Return the texts of the cards with which a class acts out a scenario, by its topology.

    Args:
        scenario: the scenario that is acted out.
        outcome: the outcome of an ideal run of the scenario.
        names: the names of the features.
        language: the language of the cards, with their sentences.
    """
    return PAPERS[topology_of(scenario).name](scenario, outcome, names, language)


def share_text(share: float, language: Language) -> str:
    """Return a share (0 to 1) as a percentage, with the decimal sign of the language."""
    return percent(share).replace(".", language.decimal)


def person_name(scenario: Scenario, index: int, language: Language) -> str:
    """Return the name on a person's card, such as `Person 7`.

    index: the person's index, from 0.
    """
    key = "peer" if topology_of(scenario).is_symmetric else "user"
    return language.say(key, n=index + 1)


def _questions(names: Sequence[str], language: Language) -> str:
    """Return the number and the names of the questions as a phrase."""
    return language.say("questions", n=len(names), names=", ".join(names))


def _central(
    scenario: Scenario, outcome: Outcome, names: Sequence[str], language: Language
) -> PaperScenario:
    """Return the texts of the cards for the topology with shufflers, a curator and an analyst."""
    hops, say = scenario.mix.shufflers, language.say
    later_shufflers = (say("shuffler", n=hop) for hop in range(hops, 1, -1))
    placeholders = {
        "others": hops + 2,
        "envelopes": (len(names) + 1) * hops,
        "inner": "".join(say("central-inner", shuffler=name) for name in later_shufflers),
        "first": say("shuffler", n=1),
    }
    shufflers, people = say("shufflers", n=hops), outcome.users
    questions = _questions(names, language)
    return PaperScenario(
        say("central-intro", n=people, questions=questions, shufflers=shufflers),
        tuple(say(step, **placeholders) for step in CENTRAL_STEPS),
        say("central-rule", people=people),
        (
            *(Slip(1, name, (say("field-value"), say("field-number"))) for name in names),
            Slip(2, "", (say("field-announced"), say("field-number"))),
        ),
        tuple(_roles(scenario, outcome, language)),
        (say("read-curator"), say("read-analyst")),
        tuple(
            (" + ".join(_party(name, language) for name in names), say("all-slips"))
            for names in minimal(
                {coalition.parties: coalition.linked for coalition in outcome.coalitions}
            )
        ),
    )


def _party(name: str, language: Language) -> str:
    """Return the name of a party on its card, in the language of the cards."""
    if parties.role(name) is parties.Role.SHUFFLER:
        return language.say("shuffler", n=parties.index(name) + 1)
    return language.say(name)


def _roles(scenario: Scenario, outcome: Outcome, language: Language) -> Iterator[PartyCard]:
    """Yield the printed cards of the shufflers in order, of the curator, and of the analyst.

    With the cards, a class acts out the protocol with paper envelopes.
    """
    for hop in range(1, scenario.mix.shufflers + 1):
        yield _shuffler(hop, scenario.mix.shufflers, language)
    say, policy = language.say, scenario.policy
    placeholders = {
        "k": policy.k,
        "share": share_text(policy.max_exposure, language),
        "people": outcome.users,
    }
    curator = ("curator-count", "curator-rule", "curator-guess", "curator-announce")
    analyst = ("analyst-count", "analyst-small", "analyst-name")
    for party, duty, steps in (
        ("curator", "curator-duty", curator),
        ("analyst", "analyst-duty", analyst),
    ):
        yield PartyCard(say(party), say(duty), tuple(say(step, **placeholders) for step in steps))


def _shuffler(hop: int, last: int, language: Language) -> PartyCard:
    """Return the printed card of a shuffler, with its task and steps.

    hop: the number of the shuffler, from 1. last: the number of shufflers.
    """
    say = language.say
    receiver = say("shuffler", n=hop + 1) if hop < last else say("the-reader")
    first = say("first-step") if hop == 1 else say("later-step", before=say("shuffler", n=hop - 1))
    return PartyCard(
        say("shuffler", n=hop),
        say("first-duty") if hop == 1 else say("later-duty"),
        (first, say("put-aside"), say("shuffle"), say("hand-on", receiver=receiver)),
    )


def _peers(
    scenario: Scenario, outcome: Outcome, names: Sequence[str], language: Language
) -> PaperScenario:
    """Return the texts of the cards for the topology of peers, who forward envelopes."""
    mix, people, say = scenario.mix, outcome.users, language.say
    onions = len(names) + mix.cover
    placeholders = {
        "envelopes": 2 * onions * mix.path,
        "path": mix.path,
        "share": share_text(scenario.policy.max_exposure, language),
        "k": scenario.policy.k,
    }
    duty = tuple(say(step, **placeholders) for step in PEER_DUTY)
    return PaperScenario(
        say("peers-intro", n=people, questions=_questions(names, language), path=mix.path),
        tuple(say(step, **placeholders) for step in PEER_STEPS),
        say("peers-rule", people=people),
        tuple(_slips(names, onions, language)),
        (PartyCard(say("every-peer"), say("everybody"), duty),),
        (say("read-all"), say("read-all")),
        tuple(_shares(people, mix.path, language)),
    )


def _slips(names: Sequence[str], onions: int, language: Language) -> Iterator[Slip]:
    """Yield the slips on a peer's printed card.

    Both rounds have equally many slips. Blank slips hide the number of answers.

    names: the questions. onions: the number of slips of each round.
    """
    number = language.say("field-number")
    yield from (Slip(1, name, (language.say("field-value"), number)) for name in names)
    yield from (Slip(1, "", (number,), blank=True) for _ in range(onions - len(names)))
    yield Slip(2, "", (language.say("field-kept"), number))
    yield from (Slip(2, "", (number,), blank=True) for _ in range(onions - 1))


def _shares(people: int, path: int, language: Language) -> Iterator[tuple[str, str]]:
    """Yield the size of a coalition of peers, and the expected share of slips that it can trace.

    Three sizes: the number of peers that a slip passes (`path`), half of the people, and all people
    but the writer of a slip.
    """
    for size in sorted({path, people // 2, people - 1}):
        if path <= size < people:
            share = share_text(path_share(size, people, path), language)
            yield language.say("peers-together", n=size), language.say("path-share", share=share)


Paper = Callable[[Scenario, Outcome, Sequence[str], Language], PaperScenario]
PAPERS: Mapping[str, Paper] = {
    CENTRAL.name: _central,
    PEERS.name: _peers,
}  # name of a topology -> function that returns the texts of its cards
