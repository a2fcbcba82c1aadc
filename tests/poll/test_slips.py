"""Slips: a code admits one phone once, and nothing keeps which phone or name it admitted."""

import json
import stat
from pathlib import Path
from typing import Any

import click
import pytest
import segno
from veilmix.cli import main
from veilmix.cli.commands.poll import command
from veilmix.cli.commands.slips import use_slips
from veilmix.errors import StorageError
from veilmix.languages.language import english
from veilmix.machines.gate import Gate
from veilmix.machines.http import HttpResponse, Request
from veilmix.poll import sheet as sheets
from veilmix.poll import slips as slips_module
from veilmix.poll.class_settings import ClassTerms
from veilmix.poll.classroom import MOST_PHONES, Classroom
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.refusal import Unwelcome
from veilmix.poll.session import PhoneSession
from veilmix.poll.sheet import sheet
from veilmix.poll.slips import LENGTH, LETTERS, Slips, fresh_slips, printed, read_slips
from veilmix.poll.wall import Wall
from veilmix.poll.web import PhoneServer

TITLE, HOST, PEER = "Three questions", "192.168.1.20", "192.168.1.33"
CODES = ("K7M2PX4Q9RTA", "K7M2PX4Q9RTB", "Z3Y5X7W9V2U4")


def secret(number: int) -> str:
    return f"{number:032x}"


def room() -> Classroom:
    return Classroom(60.0, slips=Slips(CODES))


def refusal(here: Classroom, number: int, slip: str, name: str = "Ann") -> tuple[int, str]:
    phones = len(here.phones)
    with pytest.raises(Unwelcome) as caught:
        here.join(secret(number), name, PEER, slip)
    assert len(here.phones) == phones
    return caught.value.status, str(caught.value)


async def test_a_code_admits_one_phone_once_and_that_phone_again_without_it() -> None:
    here = room()
    first = here.join(secret(1), "Ann", PEER, CODES[0])
    used = (409, "This slip was used already: each admits one phone, once.")
    assert refusal(here, 2, CODES[0], "Ben") == used
    assert here.join(secret(1), "Ann", PEER, CODES[0]) is first
    assert here.join(secret(1), "Ann", PEER) is first  # after a reload
    assert here.join(secret(2), "Ben", PEER, CODES[1]).name == "Ben"
    assert here.slips is not None
    assert (here.slips.used, here.slips.number) == (2, 3)


async def test_each_used_code_is_refused() -> None:
    here = room()
    for number, code in enumerate(CODES[:2]):
        here.join(secret(number), f"pupil {number}", PEER, code)
    for code in CODES[:2]:
        assert refusal(here, 7, code)[0] == 409


@pytest.mark.parametrize(
    "slip", ["K7M2PX4Q9RT", "K7M2PX4Q9RTC", "K7M2PX4Q9RTAA", "7M2PX4Q9RTA", "é", "\ud800", "x" * 99]
)
async def test_a_wrong_code_admits_no_phone(slip: str) -> None:
    assert refusal(room(), 1, slip)[0] == 403


async def test_without_a_code_the_phone_is_asked_for_it() -> None:
    assert refusal(room(), 1, " - ") == (403, "Type the code on your slip.")


@pytest.mark.parametrize("typed", ["k7m2-px4q-9rta", " K7M2 PX4Q 9RTA ", printed(CODES[0])])
async def test_a_code_is_read_as_people_type_it(typed: str) -> None:
    assert room().join(secret(1), "Ann", PEER, typed).name == "Ann"


async def test_a_phone_that_is_refused_for_another_reason_keeps_its_slip() -> None:
    here = room()
    here.join(secret(1), "Ann", PEER, CODES[0])
    assert refusal(here, 2, CODES[1], "Ann")[0] == 409
    assert here.join(secret(2), "Ben", PEER, CODES[1]).name == "Ben"


async def test_nothing_keeps_which_phone_or_name_a_code_admitted() -> None:
    """Three phones in two orders leave the same about slips, and phones hold no code."""
    left = []
    for order in ((0, 1), (1, 0)):
        here = room()
        for number, code in enumerate(order):
            phone = here.join(secret(number), f"pupil {number}", PEER, CODES[code])
            assert not any(known in str(phone) for known in CODES)
        left.append((here.slips._used, str(here.phones)))  # type: ignore[union-attr]
    assert left[0] == left[1]


async def test_every_code_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []

    def compare(code: bytes, tried: bytes) -> bool:
        compared.append(code)
        return code == tried

    monkeypatch.setattr(slips_module, "compare_digest", compare)
    Slips(CODES).place_of(CODES[0])
    assert compared == [code.encode() for code in CODES]


async def test_wrong_codes_keep_no_other_phone_of_that_address_waiting() -> None:
    here = room()
    for number in range(100):
        assert refusal(here, number, "wrong")[0] == 403
    assert here.join(secret(1), "Ann", PEER, CODES[0]).name == "Ann"


def test_simulated_people_need_no_slip_and_use_none() -> None:
    here = room()
    here.simulate(secret(1), "simulated 1")
    assert here.phones[secret(1)].simulated
    assert here.slips is not None
    assert here.slips.used == 0


# --- the server ---


def desk(here: Classroom) -> PhoneServer:
    return PhoneServer(here, "K7M2PX", Gate(("here",)), lambda _: {}, Wall("", 2))


async def said(here: PhoneServer, given: dict[str, Any], **headers: str) -> HttpResponse:
    body = json.dumps(given).encode()
    kept = {"host": "here", "origin": "http://here", **headers}
    return await here.answer(Request("POST", "/K7M2PX/join", kept, body, PEER))


async def test_a_phone_says_its_code_where_slips_admit_phones_and_only_there() -> None:
    plain = {"phone": secret(1), "name": "Ann"}
    slip = {**plain, "slip": CODES[0]}
    assert (await said(desk(Classroom(60.0)), slip)).status == 400
    here = desk(room())
    for wrong in (plain, {**slip, "slip": 7}, {**slip, "more": 1}):
        assert (await said(here, wrong)).status == 400
    assert (await said(here, slip)).status == 200
    again = await said(here, {**slip, "phone": secret(2), "name": "Ben"})
    assert again.status == 409
    german = {"accept-language": "de"}
    again = await said(here, {**slip, "phone": secret(2), "name": "Ben"}, **german)
    assert "Zettel" in again.body.decode()  # type: ignore[union-attr]


async def test_a_phone_that_comes_back_is_told_whether_it_has_handed_in() -> None:
    here = room()
    given = {"phone": secret(1), "name": "Ann", "slip": CODES[0]}
    first = await said(desk(here), given)
    here.phones[secret(1)].message_hashes[1] = b"a hash"
    again = await said(desk(here), {**given, "name": "Anna"})
    replies = [json.loads(answer.body) for answer in (first, again)]  # type: ignore[arg-type]
    assert replies == [{"name": "Ann", "answered": known} for known in (False, True)]
    assert here.slips is not None
    assert here.slips.used == 1


async def test_the_short_address_leads_to_the_page_where_slips_admit_phones() -> None:
    request = Request("GET", "/", {"host": "here"}, b"", PEER)
    answer = await desk(room()).answer(request)
    assert (answer.status, dict(answer.headers)["location"]) == (302, "/K7M2PX")
    assert (await desk(Classroom(60.0)).answer(request)).status == 200


async def test_the_wall_says_how_many_slips_are_used_or_phones_share_an_address() -> None:
    def note(slips: tuple[str, ...]) -> str:
        terms = ClassTerms("127.0.0.1", 0, None, 1.0, has_run_folder=False, slips=slips)
        session = PhoneSession(read_questions(DEMO), terms, lambda _: None)
        for number in range(2):
            session.room.join(secret(number), f"pupil {number}", PEER, CODES[number])
            session._count()
        told = [json.loads(entry) for entry in session.wall.log.entries]
        return str(([told[0]["bill"]] + [entry for entry in told if "note" in entry])[-1]["note"])

    assert "One slip, one phone: 2 of 3 slips are used." in note(CODES)
    assert "Up to 2 phones joined from one network address." in note(())


def test_with_slips_many_phones_may_come_from_one_address() -> None:
    terms = ClassTerms("127.0.0.1", 0, None, 1.0, has_run_folder=False, most_of_one=2, slips=CODES)
    assert PhoneSession(read_questions(DEMO), terms, print).room.most_of_one == MOST_PHONES


# --- the file and the page ---


def test_no_text_of_the_objects_holds_a_code() -> None:
    slips = fresh_slips("canteen", "192.0.2.1", 8_766, 3)
    terms = ClassTerms("192.0.2.1", 8_766, None, 60.0, has_run_folder=False, slips=slips.codes)
    told = f"{slips!r} {slips} {terms!r} {Slips(slips.codes)!r}"
    assert "canteen" in told
    assert not [code for code in slips.codes if code in told]


def test_codes_are_drawn_with_sixty_bits_each() -> None:
    assert len(set(LETTERS)) ** LENGTH == 2**60
    codes = fresh_slips(TITLE, HOST, 8766, 50).codes
    assert len(set(codes)) == 50
    assert all(len(code) == LENGTH and set(code) <= set(LETTERS) for code in codes)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "demo.slips.toml"
    made.write_text(fresh_slips(TITLE, HOST, 8766, 5).text, "utf-8")
    made.chmod(0o600)
    return made


def test_what_is_written_is_read(path: Path) -> None:
    slips = read_slips(path, TITLE)
    assert (slips.title, slips.host, slips.port, len(slips.codes)) == (TITLE, HOST, 8766, 5)
    assert slips.codes == tuple(sorted(slips.codes))


def wrong(path: Path, title: str = TITLE) -> str:
    codes = path.read_text("utf-8").split('"')
    with pytest.raises(StorageError) as caught:
        read_slips(path, title)
    message = str(caught.value)
    assert not [code for code in codes if len(code) == LENGTH and code in message]
    return message.removeprefix(str(path))


def test_every_cut_of_the_file_is_refused(path: Path) -> None:
    whole = path.read_text("utf-8")
    start = whole.index("version")
    for end in range(start, len(whole) - 1):
        path.write_text(whole[:end], "utf-8")
        wrong(path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("port = 8766", "port = 8767", ": was changed after it was written; write new slips"),
        ('codes = [\n  "', 'codes = [\n  "2', ": was changed after it was written"),
        ("version = 1", "version = 2", ": version: found 2; 1 is accepted"),
        ("version = 1", "more = 1\nversion = 1", ":1: cut short, or no file of slips"),
        ("codes = ", "codes = 5 #", ":"),
    ],
)
def test_a_changed_file_is_refused_in_one_sentence(
    path: Path, old: str, new: str, words: str
) -> None:
    text = path.read_text("utf-8")
    path.write_text(text.replace(old, new, 1), "utf-8")
    assert wrong(path).startswith(words)


@pytest.mark.parametrize("check", ["0" * 64, "f" * 64])
def test_a_file_with_another_check_is_refused(path: Path, check: str) -> None:
    text = path.read_text("utf-8")
    path.write_text(f'{text[: text.index("check")]}check = "{check}"\n', "utf-8")
    assert wrong(path).startswith(": was changed after it was written")


@pytest.mark.parametrize("codes", [(), (CODES[0], CODES[0]), ("K7M2PX4Q9RT0",), ("K7M2",)])
def test_codes_that_cannot_have_been_drawn_are_refused(path: Path, codes: tuple[str, ...]) -> None:
    made = slips_module.SlipsFile(version=1, title=TITLE, host=HOST, port=1, codes=codes)
    path.write_text(made.text, "utf-8")
    assert "different codes are accepted" in wrong(path)


def test_slips_of_other_questions_and_other_files_are_refused(path: Path) -> None:
    assert wrong(path, "canteen") == f': slips of "{TITLE}"; slips of "canteen" are accepted'
    path.write_bytes(DEMO.read_bytes())
    assert "no file of slips" in wrong(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(StorageError, match="no file of slips"):
        read_slips(path, TITLE)


def test_a_file_that_others_can_read_is_refused(path: Path) -> None:
    path.chmod(0o640)
    assert "other users can read these codes" in wrong(path)


def test_the_page_has_each_code_once_in_an_order_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = iter([b"c", b"b", b"a"])
    monkeypatch.setattr(sheets.secrets, "token_bytes", lambda _: next(keys))
    page = sheet("A & B", "http://192.168.1.20:8766/", CODES, english())
    places = [page.index(printed(code)) for code in CODES]
    assert places == sorted(places, reverse=True)
    for code in CODES:
        drawn = segno.make(f"http://192.168.1.20:8766/#{code}", error="m", micro=False)
        assert drawn.svg_inline(border=2, omitsize=True) in page
    assert "A &amp; B" in page
    assert page.count('class="slip"') == 3
    assert "<script" not in page
    assert "@page" in page


def test_the_command_writes_both_files_for_their_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["poll", "--demo", "--slips", "20", "--host", HOST]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "veilmix poll --demo --with-slips demo.slips.toml" in told
    for name in ("demo.slips.html", "demo.slips.toml"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    slips = read_slips(tmp_path / "demo.slips.toml", TITLE)
    page = (tmp_path / "demo.slips.html").read_text("utf-8")
    assert all(page.count(printed(code)) == 1 for code in slips.codes)
    assert not any(code in told for code in slips.codes)
    assert main(words) == 2  # neither is replaced
    assert read_slips(tmp_path / "demo.slips.toml", TITLE) == slips


def test_slips_need_an_address_that_phones_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["poll", "--demo", "--slips", "20"]) == 2
    assert "found --host 127.0.0.1 --port 8766" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_address_of_the_slips_counts_unless_another_is_given(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def used(*words: str) -> tuple[str, int]:
        given = click.Context(command)
        command.parse_args(given, ["--demo", *words])
        with given:
            held = use_slips(path, read_questions(DEMO), given.params["host"], given.params["port"])
        return held.host, held.port

    assert used() == (HOST, 8766)
    assert "5 slips: each admits one phone, once" in capsys.readouterr().out
    assert used("--host", "192.168.7.7") == ("192.168.7.7", 8766)
    assert f"the slips are printed with {HOST} port 8766" in capsys.readouterr().out
    assert used("--port", "80") == (HOST, 80)
