"""Role cards: the people on them are those of the run, and the teacher's sheet is its result."""

import re
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace
from veilmix import report
from veilmix.errors import ParameterError
from veilmix.languages.language import languages
from veilmix.report.cards import cards
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load


def people(text: str) -> list[dict[str, str]]:
    """The values on each person's card."""
    articles = re.findall(r"<h2>(?:user|peer)-\d+</h2>.*?</article>", text, re.DOTALL)
    return [dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", card)) for card in articles]


def checked_people(text: str, outcome: Outcome) -> list[dict[str, str]]:
    """The people on the cards, who are those that were counted."""
    persons = people(text)
    assert len(persons) == 12
    for name, counts in zip(outcome.schema.names, outcome.marginals or (), strict=True):
        assert Counter(card[name] for card in persons) == {v[0]: n for v, n in counts.items()}
    return persons


@pytest.mark.slow
def test_the_people_on_the_cards_are_those_of_the_run() -> None:
    outcome = run("classroom", mode="ideal", worst_case_nodes=0)
    text = cards(load("classroom"))
    persons = checked_people(text, outcome)
    assert (
        Counter(tuple(card[name] for name in outcome.released_columns) for card in persons)
        == outcome.release
    )
    assert text.count('class="slip"') == 12 * (3 + 1)
    for role in ("shuffler-1", "shuffler-2", "curator", "analyst"):
        assert f"<h2>{role}</h2>" in text
    assert "curator + shuffler-1 + shuffler-2" in text


@pytest.mark.slow
def test_peers_play_with_nobody_in_the_middle() -> None:
    outcome = run("village", mode="ideal", worst_case_nodes=0)
    text = cards(load("village"))
    checked_people(text, outcome)
    assert text.count('class="slip"') == 12 * 2 * (3 + 4)  # as many in round 2, to hide the one
    assert "<h2>every peer</h2>" in text
    assert not re.search("curator</h2>|shuffler-1|read by the analyst", text)
    assert "3 peers together</td><td>0.6 %" in text  # 6 of 11 x 10 x 9 paths
    assert "Bring per person 42 envelopes" in text


def test_a_mix_of_three_has_three_shufflers() -> None:
    text = cards(change(load("classroom"), {"mix.shufflers": 3}))
    assert "<h2>shuffler-3</h2>" in text
    assert "Hand all of it to shuffler-3 at once" in text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"population.users": 61}, "at most 60"),
        ({"population.setting": "statistical"}, "the same people play both rounds"),
    ],
)
def test_what_is_not_played_on_paper(changes: dict[str, object], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        cards(change(load("classroom"), changes))


def test_each_sentence_of_cards_is_used_and_each_that_is_used_is_there() -> None:
    room = Path(report.__file__).parent
    code = "".join(
        (room / name).read_text("utf-8")
        for name in ("paper.py", "cards.py", "templates/cards.html", "templates/cards_body.html")
    )
    known = set(languages()["en"].cards)
    assert {key for key in known if f'"{key}"' not in code} == set()
    assert set(re.findall(r'say\(\s*"([a-z-]+)"', code)) - known == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["classroom", "village"])
def test_german_cards_have_no_english_sentence(name: str) -> None:
    scenario = load(name)
    german = cards(scenario, None, languages()["de"])
    assert '<html lang="de" dir="ltr">' in german
    text = re.sub(r"<style>.*?</style>|<code>.*?</code>|<[^>]*>", "\n", german, flags=re.DOTALL)
    said = text.replace(scenario.scenario.title, "")
    assert re.findall(r"\b(?:the|of|and|you|your|with|which|is|are|by|round)\b", said) == []
    english = cards(scenario)
    numbers = [
        re.findall(r"\d+", unescape(re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)))
        for page in (english, german)
    ]
    assert sorted(numbers[0]) == sorted(numbers[1])  # the same cards, the same results


def test_without_a_seed_the_class_could_not_watch_its_own_run() -> None:
    unseeded = load("classroom")
    about = replace(unseeded.scenario, seed=None)
    with pytest.raises(ParameterError, match="without a seed"):
        cards(replace(unseeded, scenario=about))


def test_nobody_flips_coins_on_paper() -> None:
    with pytest.raises(ParameterError, match="not played on paper"):
        cards(load("randomized-class"))
