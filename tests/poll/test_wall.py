"""The wall shows a session live and nobody's answer; a phone finds its own way, by itself."""

import json
import socket
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from phone_kit import Class, Client, together, unhurried
from veilmix.cli import main
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.record import outcome_of_phones
from veilmix.poll.wall import Wall
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario

pytestmark = pytest.mark.slow

ROWS = [("on foot", "yes", "never"), ("by car", "no", "once")]


def demo(**mix: int) -> Scenario:
    return unhurried(read_questions(DEMO), **mix)


def phones(address: str, many: int) -> list[Client]:
    return [Client(address, f"pupil {i}", ROWS[i % 2]) for i in range(many)]


def events(room: Class) -> list[dict[str, Any]]:
    """What the wall was told in its last run."""
    log = room.session.wall.log  # type: ignore[attr-defined]
    return [json.loads(entry) for entry in log.entries]


def test_what_the_wall_is_sent_holds_nobodys_answer() -> None:
    scenario = demo()
    with Class(scenario, 6) as room:
        clients = phones(room.address, 6)
        together(clients)
    told = events(room)
    kept = room.done().board.decision.kept  # type: ignore[union-attr]
    text = json.dumps(told)
    for column, feature in enumerate(scenario.feature):
        for value in feature.values or ():
            if column not in kept and len(value) > 3:
                assert value not in text
    assert not [entry for entry in told if "answers" in entry]
    assert not [client for client in clients if client.name in text or client.secret in text]
    sends = [entry for entry in told if entry["what"] == "send"]
    assert sorted(send["person"] for send in sends if send["round"] == 1) == list(range(6))
    assert all(set(send) == {"what", "by", "to", "round", "person"} for send in sends)
    batches = [entry for entry in told if entry["what"] == "batch"]
    assert len(batches) == 4  # two shufflers, two rounds
    assert all(batch["onions"] == list(range(len(batch["onions"]))) for batch in batches)
    assert told[-1] == {"what": "over"}
    words = [entry["word"] for entry in told if entry["what"] == "word"]
    assert any(word.endswith(" of 6 have answered") for word in words)


def test_the_wall_says_that_everybody_answered_the_same() -> None:
    """Beside what is promised, as soon as the counts of the release are on the board."""
    with Class(demo(), 6) as room:
        together([Client(room.address, f"pupil {i}", ROWS[0]) for i in range(6)])
    told = events(room)
    kept = room.done().board.decision.kept  # type: ignore[union-attr]
    assert len(kept) > 1
    said = [entry for entry in told if entry.get("alike")]
    assert [(entry["what"], entry["kind"], entry["alike"]) for entry in said] == [
        ("post", "tally", ["All 6 people answered the same: their answer is public now."])
    ]


def test_simulated_people_fill_up_a_class_and_are_labelled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Class(demo(), 2, simulated=5) as room:
        clients = phones(room.address, 2)
        together(clients)
    assert all(client.counted() == [True, True] for client in clients)
    assert clients[0].facts["simulated"] == 5
    assert any("7 people are here, 5 of them simulated" in line for line in room.said)
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert any(
        note.startswith("5 of 7 are simulated, and no people: user-") for note in outcome.notes
    )
    folder = save(outcome, tmp_path)
    assert [check.name for check in verify(read(folder)) if check.ok is False] == []
    page = tmp_path / "theatre.html"
    for words in (["leak"], ["report"], ["theatre", "--out", str(page)], ["verify"]):
        assert main([words[0], str(folder), *words[1:]]) == 0, words
    for written in (folder / "scenario.toml", folder / "report.html", page):
        assert "5 of 7 people are simulated" in written.read_text("utf-8"), written
    assert '"people":7' in page.read_text("utf-8")
    assert main(["leak", str(folder), "--cheating"]) == 2
    assert "they cannot be asked again" in capsys.readouterr().err
    crowds = [entry for entry in events(room) if entry["what"] == "people"]
    assert crowds[-1]["people"] == 7
    assert len(crowds[-1]["simulated"]) == 5


def test_a_class_on_the_wall_and_the_way_of_ones_own(chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 640})
    context.set_default_timeout(0)
    asked: list[str] = []
    with Class(demo(min_batch=2), 1, simulated=3) as room:
        wall, phone = context.new_page(), context.new_page()
        wall.set_viewport_size({"width": 1366, "height": 768})
        wall.goto(f"{room.address}/theatre")
        wall.wait_for_selector("text=3 people")
        assert "whoever runs it could read what you say" in wall.inner_text("#outside")
        phone.goto(room.address)
        phone.fill("#name", "Ann")
        phone.get_by_role("button", name="Join").click()
        phone.get_by_role("button", name="They are the same: begin").click()
        for number in range(3):
            phone.wait_for_selector(f"h1:has-text('Question {number + 1} of 3')")
            phone.locator(".choice").nth(0).click()
            phone.get_by_role("button", name="Next").click()
        wall.wait_for_selector("text=4 people, 3 simulated")
        assert wall.locator("#picture text", has_text="simulated").count() == 4
        phone.get_by_role("button", name="Seal and hand in").click()
        phone.wait_for_selector("h1:has-text('It is over'), h1:has-text('This was published')")
        phone.on("request", lambda request: asked.append(request.url))
        before = len([url for url in asked if "/news/" not in url])
        phone.get_by_role("button", name="Show me where I was").click()
        phone.wait_for_selector(".way li:last-child.lit")
        said = phone.inner_text(".way[data-round='1']")
        assert len([url for url in asked if "/news/" not in url]) == before
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "4 people came, and 12 sealed answers went on" in said
    assert "Opened the last layer of 12 sealed answers, and counted 12." in said
    context.close()


def own_address() -> str:
    """An address of this computer that is not the loopback; skips where it has none."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: it only asks for a route
        except OSError:
            pytest.skip("this computer has no address but the loopback")
        address: str = probe.getsockname()[0]
    if address.startswith("127."):
        pytest.skip("this computer has no address but the loopback")
    return address


def reaches(host: str, port: int) -> bool:
    """Whether somebody answers there."""
    try:
        with socket.create_connection((host, port)):
            return True
    except ConnectionRefusedError:
        return False


@pytest.mark.parametrize("given", [False, True])
def test_only_host_lets_other_computers_in(given: bool) -> None:
    mine = own_address()
    host = mine if given else "127.0.0.1"
    with Class(demo(), 5, host=host) as room:
        port = int(room.address.split(":")[2].split("/")[0])
        assert room.address.startswith(f"http://{host}:")
        assert reaches(mine, port) is given
        assert reaches("127.0.0.1", port) is not given
        with urlopen(room.address) as answer:
            assert answer.status == 200


def test_a_phone_says_how_many_were_lost_and_never_whether_its_own_was(phone: Any) -> None:
    """Whoever missed its own answer, and said so, would tell the reader whose that was."""
    for lost in (0, 2):
        _, first, second, (reader, counted, _) = phone.call("wayThrough", lost, 8 - lost)
        assert reader == "curator"
        many = 8 - lost
        assert counted == f"Opened the last layer of {many} sealed answers, and counted {many}."
        assert "should be among them" in first[1]
        assert "should be among them" in second[1]
        assert second[1].endswith(" 2 did not go on.") is (lost > 0)
        assert [first[2], second[2]] == [False, lost > 0]
    assert phone.call("wayThrough", 0, 7)[-1][2] is True
    assert len(phone.call("wayThrough", 0, None)) == 3


def test_the_wall_says_what_to_do_until_a_phone_has_come() -> None:
    """Simulated people need no network, so they do not show that phones reach this computer."""
    wall = Wall("canteen", 2)

    def note() -> str:
        first = json.loads(wall.log.entries[0])
        return str(first["bill"]["note"])

    assert "keep devices apart" in note()
    wall.crowd(3, (), 3)
    assert "keep devices apart" in note()
    wall.mixed_by(("shuffler-1 is Ada at 192.168.1.7",))
    assert "keep devices apart" in note()
    wall.crowd(4, (), 3)
    assert note().endswith("Others mix: shuffler-1 is Ada at 192.168.1.7.")
    wall.crowd(3, (), 3)  # it was there: the network is not the reason
    assert "keep devices apart" not in note()
