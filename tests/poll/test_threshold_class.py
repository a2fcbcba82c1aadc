"""A class of which only that opens which k people say alike: who is counted, and what is left."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from class_kit import ROWS, alike
from phone_kit import Class, Client, together
from pupil_kit import KEPT, alone, begin, choose, join, narrow, pick, seal
from veilmix.cli import main
from veilmix.crypto.entropy import OSEntropy
from veilmix.poll.party_places import cast_of
from veilmix.poll.record import outcome_of_phones
from veilmix.poll.seeds import question
from veilmix.protocol.ideal import PeopleTable, run_through
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.hiding_rules import BLANK
from veilmix.protocol.wire.token_messages import Query
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario

VEILMIX = str(Path(sys.executable).with_name("veilmix"))
pytestmark = pytest.mark.slow

RELEASED = {
    "true": {("never", "yes"): 3, ("once", BLANK): 3, (BLANK, BLANK): 1},
    "false": {("never", "yes"): 3, (BLANK, BLANK): 4},
}


def ideal(scenario: Scenario, rows: Any) -> Any:
    """What comes of these rows without a message."""
    import numpy as np

    cast, values = cast_of(scenario), tuple(feature.values or () for feature in scenario.feature)
    codes = [[values[j].index(value) for j, value in enumerate(row)] for row in rows]
    table = PeopleTable(values, np.array(codes, dtype=np.int32))
    terms = cast.policy, cast.rules, cast.decide
    return run_through(cast.program, cast.schema, lambda _: table, *terms)  # type: ignore[arg-type]


def phones(address: str) -> list[Client]:
    return [Client(address, f"pupil {i}", row) for i, row in enumerate(ROWS)]


def answered(client: Client) -> None:
    """Join, and answer the first round."""
    client.join()
    client.asked(1)
    assert client.hand_in(client.sealed()) == (204, b"")


def test_less_is_published_where_few_would_be_known_by_exclusion(tmp_path: Path) -> None:
    """One person is blank, and one answer is left: `once` stays unpublished too."""
    with Class(alike(tmp_path, "true", "published"), len(ROWS)) as room:
        together(phones(room.address))
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.release == ideal(room.scenario, ROWS).release == RELEASED["false"]
    assert (outcome.findings.excluded, outcome.findings.reader_excluded) == (0, 4)
    checks = verify(read(save(outcome, tmp_path)))
    assert [check for check in checks if check.ok is False] == []


@pytest.mark.parametrize("prefixes", RELEASED)
def test_only_what_k_people_say_alike_is_opened(
    tmp_path: Path, prefixes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Class(alike(tmp_path, prefixes), len(ROWS)) as room:
        clients = phones(room.address)
        together(clients)
    assert all(client.counted() == [True] for client in clients)
    assert clients[0].facts["opens"] == 3
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.release == RELEASED[prefixes] == ideal(room.scenario, ROWS).release
    assert outcome.findings.depths[-1].people == 3
    links = {frozenset(row.parties): row for row in outcome.coalitions}
    alone = [row for members, row in links.items() if len(members) == 1]
    assert [row.linked for row in alone] == [0] * 5  # two shufflers, two readers, randomness
    everybody = next(row for members, row in links.items() if len(members) == 5)
    assert everybody.linked == len(ROWS)  # this computer, which is all of them
    folder = save(outcome, tmp_path)
    checks = {check.name: check for check in verify(read(folder))}
    assert [check for check in checks.values() if check.ok is False] == []
    monkeypatch.chdir(tmp_path)  # where the theatre writes its page
    for command in ("leak", "report", "verify", "theatre"):
        assert main([command, str(folder)]) == 0


def test_a_run_folder_says_what_each_person_said_though_it_stayed_closed(tmp_path: Path) -> None:
    """This computer is reader and randomness at once, and tries all rows: that is the lesson."""
    with Class(alike(tmp_path), len(ROWS)) as room:
        together(phones(room.address))
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert sorted(made.answers[0][1] for made in outcome.transcript.sealed_answers) == sorted(ROWS)
    assert not any("cannot be opened" in note for note in outcome.notes)


def test_the_desk_answers_once_and_in_words(tmp_path: Path) -> None:
    with Class(alike(tmp_path), 5) as room:
        clients = phones(room.address)[:5]
        first, vandal = clients[0], clients[4]
        assert first.seed(b"x") == (409, b"Nothing is asked at the moment.")
        for client in clients:
            client.join()
        first.asked(1)
        plan = first.plan()
        asked = question(plan, first.row, OSEntropy())
        good = Message(plan.session, 1, asked.asking.body)
        element = asked.asking.body.elements[0]
        wrong = (
            *(b"", b"rubbish", bytes(200_000), asked.data[:-1], asked.data + b"x"),
            Message(plan.session, 2, good.body).encode(),
            Message(bytes(32), 1, good.body).encode(),
            Message(plan.session, 1, Query((element,))).encode(),
            Message(plan.session, 1, Query((element, bytes(32)))).encode(),
        )
        for data in wrong:
            status, said = first.seed(data)
            assert (status, said[:22]) == (400, b"This asks for nothing "), data[:40]
        assert Client(room.address, "nobody").seed(asked.data)[0] == 403
        status, answer = first.seed(asked.data)
        assert status == 200
        assert first.seed(asked.data) == (200, answer)  # a connection was lost: the same again
        other = question(plan, ROWS[-1], OSEntropy())
        assert first.seed(other.data)[0] == 409
        while 1 not in first.board.mints:
            first.news()
        data = asked.sealed(answer, first.board.mints[1])
        assert first.hand_in(data) == (204, b"")
        vandal.asked(1)
        vandal.seed(question(vandal.plan(), vandal.row, OSEntropy()).data)  # and says nothing
        together(clients[1:4], answered)
        room.close_round()
        while not clients[1].news()["ended"]:
            pass
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.refused == {}
    assert outcome.release == ideal(room.scenario, ROWS[:4]).release
    assert any("user-2 asked for a seed, and sent nothing" in note for note in outcome.notes)
    assert [check for check in verify(read(save(outcome, tmp_path))) if check.ok is False] == []


def test_who_asks_after_half_of_the_time_is_told_that_it_is_too_late(tmp_path: Path) -> None:
    with Class(alike(tmp_path), 4) as room:
        clients = phones(room.address)[:4]
        late = clients[3]
        for client in clients:
            client.join()
        late.asked(1)
        together(clients[:3], answered)
        assert room.session is not None
        room.session._clock.skip_to(room.session.room.asking_closes + 0.1)
        status, said = late.seed(question(late.plan(), late.row, OSEntropy()).data)
        assert (status, said[:9]) == (409, b"Too late:")
        assert late.news()["asking"] == 0
        room.end()
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.release == {ROWS[0]: 3}


def sealed_with_a_reload(page: Any) -> dict[str, Any]:
    """A page that is loaded anew while it asks: what it kept of its question."""
    choose(page, (0, 0))
    page.route("**/seed", lambda route: route.abort())
    seal(page)
    page.wait_for_selector("h1:has-text('Asking randomness')")
    asked: dict[str, Any] = json.loads(page.evaluate(KEPT))["asked"]
    page.unroute("**/seed")
    page.reload()
    return asked


def seal_without_network(page: Any) -> None:
    """A page that loses the network between two answers, and has it again while it asks."""
    begin(page)
    pick(page, 0, (0, 0))
    page.context.set_offline(True)
    pick(page, 1, (0, 0))
    seal(page)
    page.wait_for_selector("h1:has-text('Asking randomness')")
    page.context.set_offline(False)


def test_phones_in_chromium_ask_seal_and_find_what_opened(
    new_phone: Callable[[str], Any], tmp_path: Path
) -> None:
    """Three pages that say the same, of which one reloads and one loses the network, and others."""
    with Class(alike(tmp_path), 7) as room:
        pages = [new_phone(room.address) for _ in range(3)]
        first, reloads, offline = pages
        for number, page in enumerate(pages):
            join(page, f"page {number}")
        others = phones(room.address)[3:]
        for other in others:
            other.join()
        choose(first, (0, 0))
        first.wait_for_selector("text=Your phone now asks randomness")
        assert "a question to the party randomness" in first.inner_text("main")
        seal(first)
        asked = sealed_with_a_reload(reloads)
        seal_without_network(offline)
        for page in pages:
            page.wait_for_selector("text=Your envelope was handed in")
        sealed = first.inner_text("main")
        assert "your first answer is opened if 3 people or more gave the same" in sealed
        assert "at most 1 %" not in sealed  # what other programs promise
        layers = first.locator("details.layer")
        assert layers.count() == 3 + 2  # two shufflers, the analyst; a lock for each question
        titles = layers.locator("> summary").all_text_contents()
        assert titles[2:] == ["For analyst", *["Locked: opens for 3 alike"] * 2]
        together(others)
        for page in pages:
            page.wait_for_selector("h1:has-text('This was published')")
        told = [str(page.inner_text("main")) for page in pages]
        kept = [json.loads(page.evaluate(KEPT)) for page in pages]
        first.get_by_role("button", name="Show me where I was").click()
        way = first.locator("ol.way li strong").all_inner_texts()
        assert all(narrow(page) for page in pages)
    assert way == ["your phone", "randomness", "shuffler 1", "shuffler 2", "analyst"]
    assert asked["frame"]
    assert [storage["asked"] for storage in kept] == [None] * 3  # the blinding is gone with its use
    for words in told:
        assert "people were counted" in words
        assert "Of what you said this was opened: never, yes. 3 people gave it." in words
        assert "everybody knows what 4 people did not say" in words
        assert "once, closed" in words
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.release == RELEASED["true"]
    assert outcome.refused == {}


def test_a_phone_that_is_answered_with_another_key_says_so_and_seals_nothing(
    new_phone: Callable[[str], Any], tmp_path: Path
) -> None:
    def marked(route: Any) -> None:
        """Change one byte of the proof."""
        answer = route.fetch()
        body = answer.body()
        route.fulfill(response=answer, body=body[:-1] + bytes((body[-1] ^ 1,)))

    with Class(alike(tmp_path), 4) as room:
        page, honest = new_phone("about:blank"), phones(room.address)[:3]
        page.route("**/seed", marked)  # before it loads: Chromium may let what has begun go by
        page.goto(room.address, wait_until="commit")
        sent: list[str] = []
        page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
        alone(page, "Ann", (0, 0))
        others = Thread(target=together, args=(honest, answered))
        others.start()  # aside: what is changed on the way is changed while this thread waits
        page.wait_for_selector("h1:has-text('This phone does not go on')")
        others.join()
        assert "answered with another key than the one on the board" in page.inner_text("main")
        room.end()
    assert [url.rpartition("/")[2] for url in sent] == ["join", "seed"]
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.release == {ROWS[0]: 3}


def test_simulated_people_ask_as_phones_do(tmp_path: Path) -> None:
    with Class(alike(tmp_path), 3, simulated=5) as room:
        clients = phones(room.address)[:3]
        together(clients)
    assert all(client.counted() == [True] for client in clients)
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert sum(outcome.release.values()) == 8
    assert [check for check in verify(read(save(outcome, tmp_path))) if check.ok is False] == []


def test_others_mix_what_k_people_open(started: Any, tmp_path: Path) -> None:
    """Reader and randomness are on the computer that asks; who mixes knows who they are."""
    with Class(alike(tmp_path), len(ROWS), others=True) as room:
        two = [started(VEILMIX, "serve", f"shuffler-{hop}", room.address) for hop in (1, 2)]
        clients = phones(room.address)
        together(clients)
        said = [process.communicate() for process in two]
    assert all(client.counted() == [True] for client in clients)
    held = room.done()
    assert held.board is not None
    assert held.board.burned is None
    assert set(held.keys) == {"curator", "analyst", "randomness"}
    (counts,) = held.board.tallies[0].counts or ()
    assert counts == RELEASED["true"]
    for out, err in said:
        assert out.splitlines()[0] == "copied,slept,count"
        assert "never,yes,3" in out
        assert not re.search(r"pupil|user-\d", err)
