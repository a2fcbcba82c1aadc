"""What is a program's own to say on the stage, the program says: in its words, on either stage."""

from collections.abc import Sequence

import pytest
import veilmix
from veilmix.languages.language import Language, english
from veilmix.presentation.decision_captions import promise, rule
from veilmix.presentation.presenters.registry import presenter_for
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Program
from veilmix.protocol.wire.hiding_rules import Mask, Redact
from veilmix.protocol.wire.messages import Call, Decision, DecisionCertificate
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.programs.capabilities import LocalNoise, ThresholdOpening
from veilmix.scenarios.programs.curated.choices import ExposureProgram
from veilmix.scenarios.programs.registry import PROGRAMS, ProgramRegistry, heard_as
from veilmix.scenarios.schema.model import Policy
from veilmix.theatre.show import outcome_data

ENGLISH = english().part("theatre")
PROMISED = "at most 5.0 % of the people may end up in a crowd smaller than k = 3"
OPENED = "the analyst can open what 3 or more people share, and nothing else"
NOISE = "everybody adds noise before sealing"
COLUMNS = ("sex", "class", "fare")
PROOF = DecisionCertificate("coverage", 5, 100, 4)
PEOPLE = '[population]\nsource = "builtin:uniform"\nusers = 6\n[mix]\nmin_batch = 2\n'
AMONG_PEERS = f"{PEOPLE}peers = true\n"
FEATURES = "".join(f'[[feature]]\nname = "{name}"\nlevels = 2\n' for name in "ab")


@pytest.mark.parametrize("kind", PROGRAMS)
def test_an_announcement_says_what_its_program_promises(kind: str) -> None:
    program = PROGRAMS[kind]
    said = presenter_for(program).stage_announcement(AnnouncedPolicy(3, 0.05), ENGLISH)
    noisy = program.capability(LocalNoise)
    assert said == (
        NOISE if noisy else OPENED if program.capability(ThresholdOpening) else PROMISED
    )


@pytest.mark.parametrize("questions", Program)
def test_who_has_the_announcement_alone_is_told_in_fitting_words(questions: Program) -> None:
    program = heard_as(questions)
    once = questions is Program.TWO_ROUND_ONCE  # that changes who is asked, and not what
    assert program.wire == (Program.TWO_ROUND if once else questions)
    assert (program.capability(LocalNoise) is not None) == (questions is Program.RANDOMIZED)


@pytest.mark.parametrize(
    ("kind", "rule", "said"),
    [
        ("hierarchical", Mask(0, ("no",)), "rare values are said as `other`"),
        ("local-suppression", Redact(0, ("no",), 9), "some values are left blank"),
        ("exposure", Mask(0, ("no",)), ""),  # asks for nothing hidden
    ],
)
def test_a_call_says_what_people_hide(kind: str, rule: Mask | Redact, said: str) -> None:
    open_, hidden = (Call(2, Role.CURATOR, ((0,),), hide) for hide in ((), (rule,)))
    assert presenter_for(PROGRAMS[kind]).stage_hiding(open_, ENGLISH) == ""
    assert presenter_for(PROGRAMS[kind]).stage_hiding(hidden, ENGLISH) == said


@pytest.mark.parametrize(
    ("kept", "reader", "said"),
    [
        ((), "curator", "The curator releases nothing: with k = 5 no column is safe enough."),
        ((0, 1), "everybody", "Everybody releases sex and class and holds back fare: at most 4"),
        ((1,), "curator", "The curator releases class and holds back sex and fare: at most 4"),
    ],
)
def test_a_decision_says_what_is_released_and_by_whom(
    kept: tuple[int, ...], reader: str, said: str
) -> None:
    presenter = presenter_for(PROGRAMS["exposure"])
    sentence = presenter.stage_decision(Decision(kept, PROOF), COLUMNS, reader, ENGLISH)
    assert sentence.startswith(said)
    assert not kept or sentence.endswith("in a crowd smaller than 5, by the coverage bound.")


def test_a_stage_of_threshold_names_both_trust_assumptions() -> None:
    """The curator reads nothing there, so a sentence about it would be of another program."""
    said = presenter_for(PROGRAMS["threshold"]).stage_rule(Policy(kind="threshold"), ENGLISH)
    assert "shufflers and analyst do not pool" in said
    assert "analyst and `randomness`" in said


class Outspoken(ExposureProgram):
    """The program `exposure`, which has words of its own for everything on the stage."""

    def stage_announcement(self, policy: AnnouncedPolicy, language: Language) -> str:
        return f"its own promise for k = {policy.k}"

    def stage_hiding(self, call: Call, language: Language) -> str:
        return f"its own disguise in round {call.round}"

    def stage_decision(
        self,
        decision: Decision,
        columns: Sequence[str],
        reader: str,
        language: Language,
    ) -> str:
        return f"Its own verdict by {reader} on {len(decision.kept)} of {len(columns)}."


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (PEOPLE, {"its own promise for k = 2", "its own disguise in round 1"}),
        (AMONG_PEERS, set[str]()),  # they announce nothing; masks are none of theirs
    ],
    ids=["central", "peers"],
)
def test_a_program_of_another_package_has_its_words_on_the_stage(
    where: str, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f'[scenario]\nname = "s"\nseed = 7\n{where}{FEATURES}[policy]\nk = 2\nmax_exposure = 1.0'
    outcome = veilmix.run(veilmix.loads(text))
    outspoken = Outspoken()
    monkeypatch.setattr(ProgramRegistry, "__getitem__", lambda _self, _kind: outspoken)
    said = " ".join(move.get("says", "") for move in outcome_data(outcome)["moves"])
    assert "Its own verdict by" in said
    assert all(words in said for words in expected)


@pytest.mark.slow
def test_an_announcement_says_below_what_is_answered_coarser() -> None:
    """Behind a line's end, which the page tells in smaller letters: rules may be many."""
    rule = '[[feature]]\nname = "class"\nmerge = { "below" = ["2nd", "3rd"] }\n'
    other = '[[feature]]\nname = "sex"\n'
    people = '[population]\nsource = "builtin:titanic"\nusers = 8\n[mix]\nmin_batch = 2\n'
    head = '[scenario]\nname = "s"\nseed = 1\n'
    for features, below in ((rule + other, True), (other, False)):
        show = outcome_data(veilmix.run(veilmix.loads(f"{head}{people}{features}")))
        (said,) = (
            move["says"]
            for move in show["moves"]
            if "announces the session" in move.get("says", "")
        )
        first, _, more = said.partition("\n")
        assert first.endswith("k = 5.")
        assert bool(more) is below
        assert not more or more == (
            "Answered coarser than people know: class: 2 values are merged into below."
        )


def test_a_promise_of_no_number_of_people_says_what_it_is() -> None:
    """Where k people open what is said it is made before anybody has come."""
    proof = DecisionCertificate("threshold prefixes", 3, 0, 0)
    assert promise(proof, ENGLISH) == "nothing is said that fewer than 3 people share"
    assert rule(proof.rule, ENGLISH) == "nested locks that k people open"


FEW = "for having none of the open values"
EXCLUDED = {
    "threshold": (
        {("n",): 28, (" blank",): 2},
        f"2 people are in a crowd smaller than 5 {FEW}, and 2 values of closed rows follow",
    ),
    "threshold closed": (
        {(" blank",): 30},
        f"nobody is in a crowd smaller than 5 {FEW}; the analyst knows the sizes of closed groups",
    ),
    "threshold sample=5/4294967296": (
        {("n",): 28, (" blank",): 2},
        "Any message may be a cover, so nobody is known",
    ),
}


@pytest.mark.parametrize("rule", EXCLUDED)
def test_a_release_says_who_is_known_by_exclusion(rule: str) -> None:
    counts, said = EXCLUDED[rule]
    schema = Schema((Feature("one", ("n", "y")),))
    policy = AnnouncedPolicy(5, 0.0, rule)
    assert said in presenter_for(PROGRAMS["threshold"]).stage_release(
        policy, schema, counts, ENGLISH
    )
    assert presenter_for(PROGRAMS["exposure"]).stage_release(policy, schema, counts, ENGLISH) == ""


def test_it_is_said_where_counts_are_published() -> None:
    text = f'[scenario]\nname = "s"\nseed = 7\n{PEOPLE}{FEATURES}[policy]\n'
    outcome = veilmix.run(veilmix.loads(f'{text}kind = "threshold"\nk = 2'))
    (said,) = (
        move["says"]
        for move in outcome_data(outcome)["moves"]
        if "publishes the counts" in move.get("says", "")
    )
    assert "\nKnown by exclusion: " in said
