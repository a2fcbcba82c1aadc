"""The page as text: small, whole, and closed to everything outside."""

import base64
import gzip
import hashlib
import json
import re

import pytest
from veilmix.errors import ParameterError
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.serialization.transcripts import ordered
from veilmix.theatre.page import LIVE, LIVE_STYLE, SCRIPTS, STATIC, embedded, render
from veilmix.theatre.show import MAX_PEOPLE, outcome_data, show

ELSEWHERE = re.compile(r"""(?:src|href|url|import|fetch)\s*[=(]\s*["']?(?:https?:)?//""")


def test_twelve_people_take_less_than_130_kb(shown) -> None:
    assert len(shown("classroom").page.encode()) < 130_000


@pytest.mark.slow
def test_three_hundred_people_take_less_than_150_kb_compressed(shown) -> None:
    assert len(gzip.compress(shown("crowd").page.encode())) < 150_000


def test_the_page_asks_for_nothing_and_may_not(shown) -> None:
    page = shown("classroom").page
    assert not ELSEWHERE.search(page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    rules = dict(rule.split(" ", 1) for rule in policy[1].split("; "))
    assert rules["default-src"] == rules["connect-src"] == "'none'"
    assert "unsafe" not in policy[1]
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_only_the_live_page_may_hear_its_server() -> None:
    data = {"bill": {"topology": "central"}, "moves": [], "choices": []}
    assert "connect-src 'none'" in render(data)
    assert "connect-src 'self'" in render(data, live=True)


def test_what_people_say_cannot_leave_its_script() -> None:
    said = {"value": "</script><script>alert(1)</script><!-- & {{style}}"}
    text = embedded(said)
    assert "<" not in text
    assert json.loads(text) == said
    page = render({"bill": said | {"topology": "peers"}, "moves": [], "choices": []})
    assert page.count("<script") == 2
    assert page.count("</style>") == 1


def test_every_static_file_is_used() -> None:
    scripts = {path.stem for path in STATIC.glob("*.js")}
    assert scripts == {*LIVE}.union(*SCRIPTS.values())
    assert {path.suffix for path in STATIC.iterdir()} == {".js", ".css", ".html"}
    assert {path.name for path in STATIC.glob("*.css")} == {"theatre.css", LIVE_STYLE}


def test_no_glyph_needs_a_font_of_its_own(shown) -> None:
    """Icons are drawn; what is text is ASCII, but for what people say and a space that holds."""
    for path in STATIC.iterdir():
        assert path.read_text("utf-8").isascii(), path.name
    moves = shown("faulty").data["moves"]
    assert all(move["says"].isascii() for move in moves if move["what"] == "post")


def test_every_message_is_one_move(shown) -> None:
    for name in ("classroom", "faulty", "statistical"):
        transcript = ordered(shown(name).outcome.transcript)
        moves = shown(name).data["moves"]
        messages = [move for move in moves if move["what"] in ("post", "send", "batch")]
        assert [move["by"] for move in messages] == [event.sender for event in transcript.events]
        assert [move["round"] for move in messages] == [event.round for event in transcript.events]
        assert sum(move["what"] == "count" for move in moves) == len(transcript.reads)


def test_the_choices_are_those_the_run_considered(shown) -> None:
    run = shown("classroom")
    assert [
        (tuple(choice["columns"]), choice["promised"], choice["safe"])
        for choice in run.data["choices"]
    ] == [
        (candidate.columns, candidate.promised, candidate.safe)
        for candidate in run.outcome.considered
    ]
    assert len(run.data["choices"]) == 7


def test_a_shuffler_that_does_not_sort_is_not_said_to_sort(shown) -> None:
    honest = [m["says"] for m in shown("classroom").data["moves"] if m.get("kind") == "mixed"]
    assert all(", sorts the " in says for says in honest)
    lesson = change(load("classroom"), {"mix.order": "kept", "mix.lesson": True})
    data = outcome_data(run(lesson, worst_case_nodes=0))
    kept = [m["says"] for m in data["moves"] if m.get("kind") == "mixed"]
    assert all(", does not sort the " in says for says in kept)
    assert len(kept) == len(honest) == 4
    assert (shown("classroom").data["bill"]["sorted"], data["bill"]["sorted"]) == (True, False)


def test_what_cannot_be_shown_says_why() -> None:
    scenario = load("classroom")
    with pytest.raises(ParameterError, match=f"at most {MAX_PEOPLE:,}"):
        show(Transcript(MAX_PEOPLE + 1), scenario, ("A",), (2,), None)
    ideal = run(change(scenario, {"scenario.seed": 1}), mode="ideal", worst_case_nodes=0)
    with pytest.raises(ParameterError, match="ideal"):
        outcome_data(ideal)
