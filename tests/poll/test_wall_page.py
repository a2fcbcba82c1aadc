"""The wall: one screen at a time, of public data alone, to be read from the last row."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from axe_kit import violations
from class_kit import alike, noisy
from phone_kit import Class, Client, together, unhurried
from veilmix.languages.language import languages
from veilmix.poll.cheats import with_cheat
from veilmix.poll.fingerprint_words import compared_digest, session_words
from veilmix.poll.questions import DEMO, read_questions

pytestmark = pytest.mark.slow

ROWS = (("on foot", "yes", "never"), ("by car", "no", "once"))
OTHERS = (("by bicycle", "yes", "never"), ("by bus or train", "no", "once"))
SIZES = ((1024, 768), (1920, 1080))
SMALLEST = 19  # pixels of a letter, on a wall of 768


def people(room: Class, many: int, rows: Any = ROWS) -> list[Client]:
    return [Client(room.address, f"pupil {i}", rows[i % len(rows)]) for i in range(many)]


def state(room: Class) -> dict[str, Any]:
    """What the wall is sent now."""
    status, said = Client(room.address, "").ask("/wall/news/0")
    assert status == 200, said
    told: dict[str, Any] = json.loads(said)
    return told


def hand_in(clients: list[Client], number: int) -> None:
    """Let phones answer in a round."""
    for client in clients:
        client.asked(number)
        while not client.able:
            client.news()
        assert client.hand_in(client.sealed())[0] == 204


def ended(room: Class) -> dict[str, Any]:
    """What the wall is sent when all is over, and measured."""
    while not (now := state(room))["ended"] or not (now["attack"] or now["eyes"]):
        pass
    return now


def values(room: Class) -> list[str]:
    """The answers to all questions that are long enough to be found in a text."""
    every = [value for feature in room.scenario.feature for value in feature.values]
    return [value for value in every if len(value) > 5]


def test_each_phase_has_its_screen_and_nobodys_secret() -> None:
    with Class(unhurried(read_questions(DEMO)), 6) as room:
        clients = people(room, 6)
        seen = [state(room)]
        together(clients[:5], Client.join)
        seen.append(state(room))
        clients[5].join()
        clients[5].asked(1)
        seen.append(state(room))
        hand_in(clients[:4], 1)
        seen.append(state(room))
        hand_in(clients[4:], 1)
        for client in clients:
            client.asked(2)
        hand_in(clients[:1], 2)
        seen.append(state(room))
        hand_in(clients[1:], 2)
        last = ended(room)
        board = clients[0].board
        while not clients[0].news()["ended"]:
            pass
    assert [now["screen"] for now in seen] == ["join", "join", "words", "answering", "answering"]
    assert [now["people"] for now in seen] == [0, 5, 6, 6, 6]
    assert [(now["answered"], now["due"]) for now in seen[2:]] == [(0, 6), (4, 6), (1, 6)]
    assert seen[2]["words"] == session_words(compared_digest(board)).split()
    assert seen[3]["way"] == {"reader": "curator", "hops": 2, "passed": 0, "answers": None}
    assert seen[4]["way"]["reader"] == "analyst"
    assert f"http://{seen[0]['address']}" == room.address
    for now in seen:
        text = json.dumps(now)
        assert now["release"] is now["eyes"] is now["attack"] is None
        assert [value for value in values(room) if value in text] == []
    for now in (*seen, last):
        text = json.dumps(now)
        hidden = [secret for client in clients for secret in (client.name, client.secret)]
        assert room.session is not None
        hidden += [room.session.page.secret]
        assert [secret for secret in hidden if secret in text] == []
    assert last["screen"] == "over"
    told = {tuple(cell): many for cell, many in last["release"]["counts"]}
    assert told == dict(board.tallies[-1].counts[0])  # type: ignore[index]
    assert last["eyes"] == {"people": 6, "linked": [0, 0, 6]}


def test_envelopes_are_where_the_board_says() -> None:
    """Of a round that was passed on, with the number of answers that the last shuffler states."""
    from veilmix.poll.wall_page import way_of

    with Class(unhurried(read_questions(DEMO)), 5) as room:
        clients = people(room, 5)
        together(clients)
    board = room.done().board
    assert board is not None
    way = way_of(board)
    assert way == {"reader": "analyst", "hops": 2, "passed": 2, "answers": 5}
    del board.mixed[-1]
    assert way_of(board) == {**way, "passed": 1}


def test_other_requests_are_none_of_its() -> None:
    with Class(unhurried(read_questions(DEMO)), 5) as room:
        client = Client(room.address, "")
        for path in ("/wall/", "/wall/news", "/wall/news/x", "/wall/news/0/0", "/wall/qr"):
            assert client.ask(path)[0] == 404, path
        assert client.ask("/wall", b"{}")[0] == 404
        status, page = client.ask("/wall")
        assert (status, b"<svg" in page, b"{{" in page) == (200, True, False)


def test_a_question_is_held_back_with_the_promised_and_the_certain_number() -> None:
    rows = [
        (way, *ROWS[i % 2][1:]) for i, way in enumerate(["on foot", "by car", "by bicycle"] * 3)
    ]
    with Class(unhurried(read_questions(DEMO)), 9) as room:
        together(people(room, 9, rows))
        release = ended(room)["release"]
    decision = room.done().board.decision  # type: ignore[union-attr]
    names = [feature.name for feature in room.scenario.feature]
    assert release["held"] == [name for i, name in enumerate(names) if i not in decision.kept]
    assert (release["most"], release["certain"]) == (2, decision.certificate.people)
    assert release["certain"] <= release["most"]


@pytest.mark.parametrize("name", ["size", "surround", "lie-marginals", "drop"])
def test_the_effect_of_an_attack_is_that_of_the_record(name: str) -> None:
    from veilmix.poll.record import outcome_of_phones

    with Class(with_cheat(unhurried(read_questions(DEMO)), name), 10) as room:
        together(people(room, 10, ROWS + OTHERS))
        now = ended(room)
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    (effect,) = outcome.attacks
    assert (now["attack"], now["eyes"]) == ([effect.value, effect.of], None)


# --- in a browser ---


class Wall:
    """The page, looked at on every screen and in both sizes."""

    def __init__(self, page: Any, tag: str) -> None:
        self.page = page
        self.say = languages()[tag].say
        self.seen: list[str] = []

    def look(self, name: str) -> None:
        """Wait for a screen, and look at it."""
        self.page.wait_for_selector(f"main[data-id='{name}']")
        for width, height in SIZES:
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.evaluate(DRAWN)
            assert self.page.evaluate(FITS) == [], (name, width)
            small = self.page.evaluate(SMALL, SMALLEST * height / 768)
            assert small == [], (name, width)
            assert violations(self.page) == [], (name, width)
        self.seen.append(name)

    def look_at_the_end(self) -> None:
        """Look at each screen of the end, once."""
        self.page.wait_for_selector("#next")
        while (name := self.page.get_attribute("main", "data-id")) not in self.seen:
            self.look(name)
            self.page.keyboard.press("PageDown")


# until the page has been drawn for the window's size
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# what sticks out, or has to be scrolled
FITS = """[...document.querySelectorAll('html, body, main, header, footer')].filter((one) =>
  one.scrollWidth > Math.ceil(one.clientWidth) || one.scrollHeight > Math.ceil(one.clientHeight) + 1
).map((one) => one.tagName)"""
# texts that are drawn in smaller letters
SMALL = """(least) => [...document.querySelectorAll('body *')].filter((one) =>
  one.getClientRects().length && !one.closest('.heard, noscript') &&
  [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) &&
  (one.ownerSVGElement
    ? parseFloat(getComputedStyle(one).fontSize) * one.ownerSVGElement.getScreenCTM().a
    : parseFloat(getComputedStyle(one).fontSize)) < least
).map((one) => one.textContent)"""


@contextmanager
def looked_at(room: Class, new_phone: Callable[[str], Any], tag: str) -> Iterator[Wall]:
    """The wall of a class, on a page of its own."""
    wall = Wall(new_phone(f"{room.address}/wall"), tag)
    yield wall


@pytest.mark.parametrize("tag", sorted(languages()))
def test_a_class_on_the_wall_from_its_first_phone_to_its_results(
    new_phone: Callable[[str], Any], tag: str
) -> None:
    with (
        Class(unhurried(read_questions(DEMO)), 8, language=tag) as room,
        looked_at(room, new_phone, tag) as wall,
    ):
        clients = people(room, 8, (*ROWS, *ROWS, *OTHERS))
        wall.look("join")
        box = "document.querySelector('.qr svg').getBoundingClientRect().height / innerHeight"
        assert wall.page.evaluate(box) >= 0.5
        together(clients, Client.join)
        clients[0].asked(1)
        wall.look("words")
        shown = wall.page.locator(".words li").all_inner_texts()
        session = session_words(compared_digest(clients[0].board)).split()
        assert [text.split() for text in shown] == [[str(i + 1), w] for i, w in enumerate(session)]
        hand_in(clients[:5], 1)
        wall.look("answering")
        of = wall.say("wall-of", answered=5, n=8)
        wall.page.wait_for_selector(f".big:text-is('{of}')")
        assert wall.say("wall-missing", n=3) in wall.page.inner_text("main")
        hand_in(clients[5:], 1)
        hand_in(clients, 2)
        now = ended(room)
        wall.look_at_the_end()
        bars = read_bars(wall)
    assert wall.seen[3:] == ["results-1", "promise", "eyes"]
    assert bars == [(", ".join(cell), str(many)) for cell, many in now["release"]["counts"]]


def read_bars(wall: Wall) -> list[tuple[str, str]]:
    """The rows of the first screen of results."""
    while wall.page.get_attribute("main", "data-id") != "results-1":
        wall.page.keyboard.press("PageDown")
    rows = wall.page.locator(".bars li")
    return [
        (rows.nth(i).locator("span").inner_text(), rows.nth(i).locator("b").inner_text())
        for i in range(rows.count())
    ]


@pytest.mark.parametrize("tag", sorted(languages()))
def test_cheating_stands_first_and_in_red(new_phone: Callable[[str], Any], tag: str) -> None:
    scenario = with_cheat(unhurried(read_questions(DEMO)), "surround")
    with (
        Class(scenario, 8, language=tag) as room,
        looked_at(room, new_phone, tag) as wall,
    ):
        together(people(room, 8))
        value, most = ended(room)["attack"]
        wall.page.wait_for_selector("main[data-id=cheated] .red .big-bad")
        got = wall.say("wall-cheat-got", value=round(value), n=round(most))
        assert got in wall.page.inner_text(".red")
        first = "document.querySelector('main').firstElementChild.className"
        while (name := wall.page.get_attribute("main", "data-id")) not in wall.seen:
            wall.look(name)
            assert wall.page.evaluate(first) == ("red" if name == "cheated" else "red-short")
            assert wall.page.locator(".good, .big-good").count() == 0
            wall.page.keyboard.press("PageDown")
    assert wall.seen[0] == "cheated"
    assert wall.seen[-1] == "promise"
    assert "eyes" not in wall.seen


KINDS: dict[str, Callable[[Path], Any]] = {"noise": noisy, "threshold": alike}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_other_kinds_of_class_end_on_the_wall(
    new_phone: Callable[[str], Any], tmp_path: Path, kind: str
) -> None:
    rows = [("never", "yes")] * 4 + [("once", "no")] * 3
    with (
        Class(KINDS[kind](tmp_path), 7) as room,
        looked_at(room, new_phone, "en") as wall,
    ):
        together(people(room, 7, rows))
        wall.look_at_the_end()
    assert wall.seen[0] == "results-1"
    assert wall.seen[-2:] == ["promise", "eyes"]


def test_a_class_that_ends_early_says_why(new_phone: Callable[[str], Any]) -> None:
    with (
        Class(unhurried(read_questions(DEMO)), 6) as room,
        looked_at(room, new_phone, "en") as wall,
    ):
        clients = people(room, 2)
        together(clients, Client.join)
        room.wait_no_longer()
        wall.look("ended")
        assert "2 came, and fewer than 5 are not asked anything." in wall.page.inner_text("main")


# --- states that are rare, or over in no time ---

TALLY = [[[f"an answer {i // 3}", "more than once", "sometimes"], 30 - i] for i in range(28)]
RELEASE = {
    "names": ["How did you come here?", "Slept?", "Copied?"],
    "held": ["Which way?", "Why?"],
    "chosen": True,
    "counts": TALLY,
    "people": sum(many for _, many in TALLY),
    "k": 5,
    "share": 0.05,
    "most": 23,
    "certain": 21,
    "two": True,
    "domains": [10, 3, 3],
    "shape": None,
}
OVER = {"screen": "over", "ended": "over", "started": True, "round": 2, "answered": 462, "due": 462}
RUNS = {
    "started": True,
    "round": 1,
    "answered": 24,
    "due": 24,
    "people": 24,
    "left": 0,
    "words": ["harbor", "lamp", "giant", "copper", "blanket", "feather"],
}
MIXED = {"reader": "curator", "hops": 2, "passed": 1, "answers": 72}
APART = [
    {"party": f"shuffler-{hop}", "who": name, "host": f"192.168.1.{hop}", "here": False}
    for hop, name in enumerate(("Ada Lovelace", "Emmy Noether"), start=1)
]
SINGLE = {
    "people": 24,
    "missing": 2,
    "counts": {name: [["never", 12], ["once", 7], ["more often", 5]] for name in "ABCDEF"},
}
FORECAST = {
    "sentence": "12 people, epsilon 3: shares within 30.1 %, too few to say anything",
    "people": 12,
    "title": "",
    "explains": "",
    "least": "",
    "low": 0.2,
    "high": 0.8,
}
STATES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "mixing": ({**RUNS, "screen": "mixing", "way": MIXED}, ["mixing"]),
    "counting": ({**RUNS, "screen": "mixing", "way": {**MIXED, "passed": 2}}, ["mixing"]),
    "proved": (
        {**RUNS, "screen": "mixing", "verified": True, "kept": False, "way": MIXED},
        ["mixing"],
    ),
    "many-shufflers": (
        {**RUNS, "screen": "mixing", "way": {**MIXED, "hops": 9, "passed": 4}},
        ["mixing"],
    ),
    "slips": (
        {"slips": True, "used": [7, 30], "people": 12, "simulated": 5, "expected": FORECAST},
        ["join"],
    ),
    "others": ({"others": APART[:1], "people": 24, "needed": 30, "attempt": 2}, ["join"]),
    "keys": ({"started": True}, ["begins"]),
    "large": ({**OVER, "release": RELEASE}, [*"12345", "promise", "eyes"]),
    "singles": ({**OVER, "singles": SINGLE, "simulated": 3}, ["1", "2", "eyes"]),
    "apart": (
        {**OVER, "others": APART, "release": {**RELEASE, "counts": TALLY[:3], "held": []}},
        ["1", "promise", "eyes"],
    ),
    "broken": (
        {**OVER, "release": {**RELEASE, "people": 10, "counts": [[["yes"], 6], [["no"], 4]]}},
        ["1", "promise", "eyes"],
    ),
    "silent": ({**OVER, "ended": "2 of 24 are missing", "answered": 460}, ["ended"]),
    "aborted": ({**OVER, "ended": "a proof does not hold: shuffler-1"}, ["ended"]),
    "stopped": ({**OVER, "ended": "stopped", "stopped": True, "again": True}, ["ended"]),
}


@pytest.mark.parametrize("tag", sorted(languages()))
def test_each_state_has_room(new_phone: Callable[[str], Any], tag: str) -> None:
    """In both sizes, in each language."""
    with Class(unhurried(read_questions(DEMO)), 40, language=tag) as room:
        usual = state(room)
        for name, (told, screens) in STATES.items():
            wall = Wall(new_phone("about:blank"), tag)
            body = json.dumps({**usual, **told})
            wall.page.route("**/wall/news/*", partial(once, body))
            wall.page.goto(f"{room.address}/wall")
            if len(screens) > 1:
                wall.look_at_the_end()
            else:
                wall.look(screens[0])
            assert wall.seen[-1].endswith(screens[-1]), name
            if name == "broken":
                wall.page.keyboard.press("PageDown")
                wall.page.wait_for_selector("h1.bad")
            if name == "large":
                assert len(wall.seen) > 4


def once(body: str, route: Any) -> None:
    """Answer with a state, and then no more."""
    if route.request.url.endswith("/news/0"):
        route.fulfill(body=body, headers={"content-type": "application/json"})
