"""The page in Firefox, driven over WebDriver BiDi: the other half of the phones."""

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from bidi_kit import Firefox, own_firefox
from class_kit import ROWS, alike
from phone_kit import Class, Client, together, unhurried
from pupil_kit import KEPT
from veilmix.crypto.entropy import OSEntropy
from veilmix.crypto.signing import Signer
from veilmix.poll.questions import DEMO, read_questions

pytestmark = pytest.mark.slow

ROW = ("by car", "no", "once")


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[Firefox]:
    """A Firefox of its own."""
    with own_firefox(tmp_path) as started:
        yield started


def press(phone: Firefox, words: str) -> None:
    """Press the button with these words, when it is there."""
    find = f"[...document.querySelectorAll('button')].find((b) => b.textContent === {words!r})"
    phone.until(f"(() => {{ const found = {find}; found?.click(); return Boolean(found); }})()")


def answer(phone: Firefox, name: str, row: tuple[str, ...]) -> None:
    """Join, agree, answer each question, and hand in."""
    phone.until("document.querySelector('#name') !== null")
    phone.evaluate(f"document.querySelector('#name').value = {name!r}")
    press(phone, "Join")
    press(phone, "They are the same: begin")
    for number, value in enumerate(row):
        title = f"Question {number + 1} of {len(row)}"
        phone.until(f"document.querySelector('h1').textContent === {title!r}")
        choice = f"document.querySelector('input[value={json.dumps(value)}]')"
        phone.evaluate(f"(() => {{ {choice}.click(); return 1; }})()")
        press(phone, "Next")
    press(phone, "Seal and hand in")


def kept_nothing(phone: Firefox, address: str) -> None:
    """No cookie, nothing but what ends with the tab, and no request to anybody else."""
    assert phone.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    assert phone.cookies() == []
    base = address.rpartition("/")[0]
    urls = [request["url"] for request in phone.requests]
    assert len(urls) > 20
    assert [url for url in urls if not url.startswith((f"{base}/", "data:", "about:"))] == []


def test_a_class_with_firefox_in_it(phone: Firefox) -> None:
    with Class(unhurried(read_questions(DEMO)), 6) as room:
        phone.open(room.address)
        clients = [Client(room.address, f"pupil {i}", ROW) for i in range(5)]
        rest = Thread(target=together, args=(clients,), daemon=True)
        rest.start()
        answer(phone, "Fox", ROW)
        phone.until("document.querySelector('h1').textContent === 'This was published'")
        told = str(phone.evaluate("document.querySelector('main').innerText"))
        kept_nothing(phone, room.address)
        rest.join()
    assert told.count("Answers of 6 of 6 people were counted.") == 2
    assert "by car, no, once" in told
    assert all(client.counted() == [True, True] for client in clients)


def test_firefox_asks_randomness_and_opens_what_three_say_alike(
    phone: Firefox, tmp_path: Path
) -> None:
    scenario = alike(tmp_path)
    with Class(scenario, len(ROWS)) as room:
        phone.open(room.address)
        clients = [Client(room.address, f"pupil {i}", row) for i, row in enumerate(ROWS[1:])]
        rest = Thread(target=together, args=(clients,), daemon=True)
        rest.start()
        answer(phone, "Fox", ROWS[0])
        phone.until("document.querySelector('h1').textContent === 'This was published'")
        told = str(phone.evaluate("document.querySelector('main').innerText"))
        asked = phone.evaluate(f"JSON.parse({KEPT}).asked")
        kept_nothing(phone, room.address)
        rest.join()
    assert "people were counted" in told
    assert "Of what you said this was opened: never, yes. 3 people gave it." in told
    assert "everybody knows what 4 people did not say" in told
    assert "once, closed" in told
    assert asked is None  # the blinding is gone with its use
    assert all(client.counted() == [True] for client in clients)
    seeds = [request["url"] for request in phone.requests if request["url"].endswith("/seed")]
    assert len(seeds) == 1


def test_firefox_locks_its_answers_once_and_finds_them_on_the_board(phone: Firefox) -> None:
    scenario = unhurried(read_questions(DEMO), kind="verified", submit="once")
    with Class(scenario, 6) as room:
        phone.open(room.address)
        signers = [Signer(OSEntropy()) for _ in range(5)]
        clients = [
            Client(room.address, f"pupil {i}", ROW, signer=signer)
            for i, signer in enumerate(signers)
        ]
        rest = Thread(target=together, args=(clients,), daemon=True)
        rest.start()
        answer(phone, "Fox", ROW)
        phone.until("document.querySelector('h1').textContent === 'This was published'")
        said = str(phone.evaluate("document.querySelector('main').textContent"))
        rest.join()
        kept_nothing(phone, room.address)
    assert "Your phone has found your answers on the board: locked, unchanged" in said
    assert "Answers of 6 of 6 people were counted." in said
