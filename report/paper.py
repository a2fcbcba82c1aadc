"""A scenario on paper, by topology: the teacher's plan, the roles, the slips on a card."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..analysis.trust import minimal
from ..analysis.trust.peer_paths import path_share
from ..scenarios.programs.topology import CENTRAL, PEERS, topology_of
from ..scenarios.schema.model import Scenario
from ..scenarios.scoring.outcome import Outcome
from ..scenarios.wording import percent, plural

BLANK = "blank"
CENTRAL_STEPS = """\
Cut the cards out. Hand one to each pupil; {others} more play the shufflers, the curator and the \
analyst. The last sheet stays with you.
Bring per person {envelopes} small envelopes and 2 large ones (for both rounds). A sealed envelope \
is encryption: only who is named on it may open it.
Ask first, and write the answers down: will the curator learn what your neighbour said? Who could \
find out?
Round 1: everybody fills in one slip for each question, with a long random number that nobody else \
will think of, and packs it: the slip into an envelope for the curator{inner}; all of them into \
the large one for shuffler-1.
Why the number? So that two equal slips are two slips, and everybody can recognize the own one.
The shufflers open, shuffle and hand on; the curator counts and announces what is asked in round \
2. Round 2 goes the same way, with one slip a person for the analyst.
Now try to name somebody: the curator alone; the curator and shuffler-1; all shufflers; everybody \
together."""
PEER_STEPS = """\
Cut the cards out and hand one to each pupil; the card of every peer is the same for all: put it \
where everybody reads it. The last sheet stays with you.
Bring per person {envelopes} envelopes (for both rounds), and a large table for the middle: it is \
the board, and all that is put there is seen by all.
Ask first, and write the answers down: who will learn what your neighbour said? How many would \
have to work together?
Play round 1 by the card of every peer, step by step, all at the same time.
When all slips are unfolded, let everybody count; ask for what may be released, and show what can \
be proved.
Round 2 goes the same way, with one slip for the kept questions and all others blank.
Now try to name somebody: one alone; {path} together, who hope that a whole path was theirs; half \
the class."""
PEER_DUTY = """\
Fill in your slips, the blank ones too. Fold each, its random number outside.
For each slip draw {path} different others, evenly and in secret. Put it into an envelope for the \
last of them, that into one for the one before, and so on.
Lay all your envelopes on the table: whose they are everybody sees, and who is to open them.
{path} times: take what has your number, open it, put aside and count aloud what is not sealed or \
is there twice, shuffle under the table, and lay down what was inside.
Say whether as many lie there as before. Whoever lost one is named by the count.
When the folded slips lie there, look for your numbers. Say: none of mine is missing. Before all \
have said so nobody unfolds any.
Unfold all, and count them, each for yourself. At most {share} of you may be in a crowd smaller \
than k = {k}: say what you would release."""
Rows = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PartyCard:
    """The card of a party that handles envelopes.

    Attributes:
        name: of the party.
        duty: its purpose, in a sentence.
        steps: in order.
    """

    name: str
    duty: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip on a person's card.

    Attributes:
        round: from 1.
        about: the question that is answered on it.
        fields: the boxes to write in.
    """

    round: int
    about: str
    fields: tuple[str, ...] = ("value", "random number")


@dataclass(frozen=True, slots=True)
class PaperScenario:
    """A scenario on paper.

    Attributes:
        intro: the players, in a sentence.
        steps: of the teacher's plan.
        rule: a sentence on every person's card.
        slips: on a person's card.
        roles: other cards.
        readers: the readers of round 1 and of round 2, in words.
        naming: the coalitions that link people: rows of the teacher's last table.
    """

    intro: str
    steps: tuple[str, ...]
    rule: str
    slips: tuple[Slip, ...]
    roles: tuple[PartyCard, ...]
    readers: tuple[str, str]
    naming: Rows


def on_paper(scenario: Scenario, outcome: Outcome, names: Sequence[str]) -> PaperScenario:
    """Return a scenario as a class plays it. names: of the features; outcome: of its ideal run."""
    return PAPERS[topology_of(scenario).name](scenario, outcome, names)


def _names_text(names: Sequence[str]) -> str:
    return f"{plural(len(names), 'question')} ({', '.join(names)})"


def _central(scenario: Scenario, outcome: Outcome, names: Sequence[str]) -> PaperScenario:
    hops = scenario.mix.shufflers
    inner = "".join(f", that into one for shuffler-{hop}" for hop in range(hops, 1, -1))
    steps = CENTRAL_STEPS.format(others=hops + 2, envelopes=(len(names) + 1) * hops, inner=inner)
    people = plural(outcome.users, "person", "people")
    return PaperScenario(
        f"{people}, {_names_text(names)}, {plural(hops, 'shuffler')}, a curator and an analyst.",
        tuple(steps.splitlines()),
        f"You are one of {outcome.users} people. Say the truth; show this card to nobody.",
        (
            *(Slip(1, name) for name in names),
            Slip(2, "", ("answers to the questions announced", "random number")),
        ),
        tuple(_roles(scenario, outcome)),
        ("read by the curator", "read by the analyst"),
        tuple(
            (" + ".join(parties), "everybody's slips")
            for parties in minimal(
                {coalition.parties: coalition.linked for coalition in outcome.coalitions}
            )
        ),
    )


def _roles(scenario: Scenario, outcome: Outcome) -> Iterator[PartyCard]:
    for hop in range(1, scenario.mix.shufflers + 1):
        yield _shuffler(hop, scenario.mix.shufflers)
    yield _curator(scenario, outcome)
    yield _analyst(scenario)


def _shuffler(hop: int, last: int) -> PartyCard:
    receiver = f"shuffler-{hop + 1}" if hop < last else "the reader"
    first = (
        "Wait until everybody has handed in. Open the large envelopes and throw all small "
        "ones of all people together."
        if hop == 1
        else f"Take the batch from shuffler-{hop - 1}. Open the envelopes with your number."
    )
    return PartyCard(
        f"shuffler-{hop}",
        "You see who hands in, and not what they say."
        if hop == 1
        else "You see neither who hands in nor what they say.",
        (
            first,
            "Put aside, and count aloud, what is not sealed or is there twice.",
            "Shuffle well. Do not look through the paper.",
            (
                f"Hand all of it to {receiver} at once: in round 1 the curator reads, in "
                "round 2 the analyst."
            ),
        ),
    )


def _curator(scenario: Scenario, outcome: Outcome) -> PartyCard:
    policy = scenario.policy
    return PartyCard(
        "curator",
        "You read round 1: how often each value of each question was said, and by nobody in "
        "particular.",
        (
            (
                "Open your envelopes and count the slips question by question, on the board for "
                "yourself only."
            ),
            (
                f"Nobody should hide in a crowd smaller than k = {policy.k}, except for at most "
                f"{percent(policy.max_exposure)} of the {outcome.users} people."
            ),
            (
                "Which questions may be asked together in round 2? Guess, and say why; then the "
                "teacher shows what can be proved."
            ),
            "Announce the questions of round 2.",
        ),
    )


def _analyst(scenario: Scenario) -> PartyCard:
    return PartyCard(
        "analyst",
        "You read round 2: one slip a person, with all released answers on it.",
        (
            "Count how many people said each combination. This is the release.",
            f"Is there a combination with fewer than {scenario.policy.k} people?",
            (
                "Whom can you name? Whom could you name together with the curator? With a "
                "shuffler? With all of them?"
            ),
        ),
    )


def _peers(scenario: Scenario, outcome: Outcome, names: Sequence[str]) -> PaperScenario:
    mix, people, policy = scenario.mix, outcome.users, scenario.policy
    onions = len(names) + mix.cover
    steps = PEER_STEPS.format(envelopes=2 * onions * mix.path, path=mix.path)
    duty = PEER_DUTY.format(path=mix.path, share=percent(policy.max_exposure), k=policy.k)
    everybody = "You are user, shuffler, curator and analyst. Nobody else is."
    return PaperScenario(
        f"{plural(people, 'peer')}, {_names_text(names)}, paths of {mix.path}; nobody else plays.",
        tuple(steps.splitlines()),
        f"You are one of {people} peers. Say the truth; show this card to nobody.",
        tuple(_slips(names, onions)),
        (PartyCard("every peer", everybody, tuple(duty.splitlines())),),
        ("read by everybody", "read by everybody"),
        tuple(_shares(people, mix.path)),
    )


def _slips(names: Sequence[str], onions: int) -> Iterator[Slip]:
    """Yield the slips of a peer: the same number in both rounds, so that blanks hide the answer."""
    yield from (Slip(1, name) for name in names)
    yield from (Slip(1, BLANK, ("random number",)) for _ in range(onions - len(names)))
    yield Slip(2, "", ("answers to the kept questions", "random number"))
    yield from (Slip(2, BLANK, ("random number",)) for _ in range(onions - 1))


def _shares(people: int, path: int) -> Iterator[tuple[str, str]]:
    """Yield the expected share of slips that a few, half and all but one of the peers follow."""
    for size in sorted({path, people // 2, people - 1}):
        if path <= size < people:
            share = percent(path_share(size, people, path))
            told = f"{share} of the others' slips: those whose whole path is theirs"
            yield f"{size} peers together", told


PAPERS: Mapping[str, Callable[[Scenario, Outcome, Sequence[str]], PaperScenario]] = {
    CENTRAL.name: _central,
    PEERS.name: _peers,
}  # topology -> how it is played on paper
