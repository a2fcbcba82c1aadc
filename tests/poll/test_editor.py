"""The editor of the questions: one set of rules, files that are never lost, and a session told."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from phone_kit import Class, Client
from veilmix.errors import ScenarioError
from veilmix.machines.http import Request
from veilmix.poll.cheats import with_cheat
from veilmix.poll.class_settings import ClassTerms
from veilmix.poll.editor import LARGEST, SETTINGS
from veilmix.poll.questions import DEMO, NEW, read_questions
from veilmix.poll.questions_file import QuestionsFile, questions_text
from veilmix.poll.refusal import Unwelcome
from veilmix.poll.session import PhoneSession
from veilmix.protocol.wire.announcement import decode_announcement
from veilmix.scenarios.serialization import atomic_file
from veilmix.strict_text import from_toml

HOST = "192.168.1.20"
TEXT = NEW.read_text("utf-8")
NOISY = (
    'title = "noise"\n[[feature]]\nname = "meal"\nvalues = ["meat", "plants"]\n'
    '[policy]\nkind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = 3\n'
)
ONCE = TEXT.replace("# kind =", "kind =").replace("# submit =", "submit =")
THRESHOLD = TEXT.replace('"exposure"', '"threshold"')
NEW_QUESTION = {"name": "Was schmeckt?", "values": ["Suppe", 'Brot "frisch"', "nichts\\davon"]}


class Desk:
    """A session that waits for people, and requests to its teacher's page."""

    def __init__(
        self, path: Path | None, cheat: str = "", slips: tuple[str, ...] = (), simulated: int = 0
    ) -> None:
        self.said: list[str] = []
        self.file = QuestionsFile.read(path)
        scenario = self.file.scenario
        scenario = with_cheat(scenario, cheat) if cheat else scenario
        lang = self.file.table.lang
        terms = ClassTerms(
            *(HOST, 0, None, 1.0, True, False, simulated), slips=slips, language=lang
        )
        self.session = PhoneSession(scenario, terms, self.said.append, self.file)

    def ask(self, method: str, what: str, body: bytes = b"", **given: Any) -> Any:
        """Return the answer to a request of the editor."""
        given = {"peer": HOST, "secret": self.session.page.secret, **given}

        async def main() -> bytes:
            await trio.lowlevel.checkpoint()
            headers = {"accept-language": "de"}
            request = Request(method, "/", headers, body, given["peer"])
            rest = [given["secret"], *what.split("/")]
            page = self.session.page
            answer = await page.answer(request, "ABCDEF", rest, self.session._language)
            assert isinstance(answer.body, bytes)
            return answer.body

        said = trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
        return json.loads(said) if what.startswith("editor/") else said

    def refusal(self, *words: Any, **given: Any) -> tuple[int, str]:
        """Return status and sentence of a refused request."""
        with pytest.raises(Unwelcome) as refused:
            self.ask(*words, **given)
        return refused.value.status, str(refused.value)

    @property
    def state(self) -> dict[str, Any]:
        """Return the questions as the page receives them."""
        return dict(self.ask("GET", "editor/questions"))

    def draft(self, **changes: Any) -> dict[str, Any]:
        """Return the questions as the page sends them, some changed."""
        state = self.state
        settings = {**state["settings"], **changes.pop("settings", {})}
        draft = {key: state[key] for key in ("title", "lang", "feature")}
        return {**draft, "settings": settings, **changes}

    def body(self, where: str = "file", name: str = "", edition: Any = None, **draft: Any) -> bytes:
        """Return the request that saves a draft."""
        edition = self.state["edition"] if edition is None else edition
        save = {"edition": edition, "where": where, "name": name, "draft": self.draft(**draft)}
        return json.dumps(save).encode()

    def save(self, *words: Any, **draft: Any) -> dict[str, Any]:
        """Save a draft."""
        return dict(self.ask("POST", "editor/save", self.body(*words, **draft)))

    def check(self, **draft: Any) -> list[dict[str, Any]]:
        """Return the mistakes of a draft."""
        said = self.ask("POST", "editor/check", json.dumps(self.draft(**draft)).encode())
        return list(said["problems"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of questions."""
    file = tmp_path / "canteen.toml"
    file.write_text(TEXT, "utf-8")
    return file


@pytest.fixture
def desk(path: Path) -> Desk:
    """A session of its questions."""
    return Desk(path)


def test_the_editor_answers_the_computer_of_the_class_alone(desk: Desk) -> None:
    for method, what in (("GET", "questions"), ("POST", "check"), ("POST", "save")):
        assert desk.refusal(method, f"editor/{what}", peer="192.168.1.21")[0] == 403
        assert desk.refusal(method, f"editor/{what}", secret="0" * 16)[0] == 404
    assert desk.refusal("GET", "preview", peer="192.168.1.21")[0] == 403
    for method, what in (("GET", "save"), ("POST", "questions"), ("POST", "x"), ("GET", "check")):
        assert desk.refusal(method, f"editor/{what}")[0] == 404
    assert b"Preview: a phone shows it like this." in desk.ask("GET", "preview")


def test_questions_without_a_file_stay_as_they_are() -> None:
    terms = ClassTerms(HOST, 0, None, 1.0, has_run_folder=True)
    desk = Desk(None)
    desk.session = PhoneSession(read_questions(DEMO), terms, str)
    assert desk.refusal("GET", "editor/questions")[0] == 404


def test_the_questions_are_those_of_the_file(desk: Desk) -> None:
    state = desk.state
    assert (state["title"], state["lang"], state["file"]) == ("My class", None, "canteen.toml")
    assert state["feature"][1]["values"] == ["yes", "no"]
    values = (3, 0.1, 90, 8, 3)
    assert state["settings"] == dict(zip(SETTINGS, values, strict=True))
    assert desk.check() == []


BAD = {
    "not JSON": b"{",
    "no UTF-8": b'"\xff"',
    "a list": b"[]",
    "an unknown field": {"colour": "red"},
    "an unknown field of a question": {"feature": [{**NEW_QUESTION, "width": 3}]},
    "a title that is a number": {"title": 3},
    "a language that is a list": {"lang": ["de"]},
    "a question that is text": {"feature": ["meal"]},
    "an answer that is a number": {"feature": [{"name": "meal", "values": ["a", 1]}]},
    "a setting that is true": {"settings": {"policy.k": True}},
    "a setting that is a list": {"settings": {"policy.k": [3]}},
    "a setting that is nothing": {"settings": {"policy.k": None}},
    "another setting": {"settings": {"policy.kind": "all"}},
    "a setting of no table": {"settings": {"k": 3}},
}


@pytest.mark.parametrize("what", BAD)
def test_a_draft_of_another_form_is_refused(desk: Desk, what: str) -> None:
    given = BAD[what]
    body = given if isinstance(given, bytes) else json.dumps(desk.draft(**given)).encode()  # type: ignore[arg-type]
    said = 400, "This is no draft of questions as this page sends it."
    for place in ("check", "preview"):
        assert desk.refusal("POST", f"editor/{place}", body) == said
    assert desk.refusal("POST", "editor/save", body) == said


@pytest.mark.parametrize(
    "change", [{"edition": True}, {"edition": "0"}, {"where": "all"}, {"name": 3}, {"more": 1}]
)
def test_a_save_of_another_form_is_refused(desk: Desk, path: Path, change: Any) -> None:
    body = json.dumps({**json.loads(desk.body()), **change}).encode()
    assert desk.refusal("POST", "editor/save", body)[0] == 400
    assert path.read_text("utf-8") == TEXT


def test_a_setting_that_is_missing_is_refused(desk: Desk) -> None:
    draft = desk.draft()
    del draft["settings"]["policy.k"]
    assert desk.refusal("POST", "editor/check", json.dumps(draft).encode())[0] == 400


def test_a_draft_has_a_size(desk: Desk) -> None:
    body = json.dumps(desk.draft()).encode()
    fits = body + b" " * (LARGEST - len(body))
    assert desk.ask("POST", "editor/check", fits) == {"problems": []}
    assert desk.refusal("POST", "editor/check", fits + b" ")[0] == 413


WRONG: dict[str, Any] = {
    "title": "",
    "lang": "tlh",
    "feature": [
        {"name": "meal", "values": ["meat"]},
        {"name": "meal", "values": ["a", "a"]},
        {"name": "", "values": ["a", "b"]},
    ],
    "settings": {"policy.k": "many", "policy.max_exposure": 1.5, "mix.deadline": 0.5},
}


def test_all_mistakes_are_said_at_once_as_of_a_file(desk: Desk, tmp_path: Path) -> None:
    found = desk.check(**WRONG)
    settings = {**desk.state["settings"], **WRONG["settings"]}
    tables = {key: WRONG[key] for key in ("title", "lang", "feature")}
    for key, value in settings.items():
        section, _, name = key.partition(".")
        tables.setdefault(section, {})[name] = value
    file = tmp_path / "wrong.toml"
    file.write_text(questions_text(tables), "utf-8")
    with pytest.raises(ScenarioError) as wrong:
        read_questions(file)
    of_file = sorted(line.split(": ", 1)[1] for line in str(wrong.value).splitlines())
    assert sorted(f"{one['where']}: {one['message']}" for one in found) == of_file
    paths = [one["path"] for one in found]
    assert ["feature", 0, "values"] in paths
    assert ["feature", 1, "name"] in paths
    said = {one["where"]: one["message"] for one in found}
    assert said["policy.k"] == 'found "many"; a whole number of at least 1 is accepted'
    assert len(found) >= 8


def test_a_promise_names_the_questions_that_are_asked(path: Path) -> None:
    name = "How did you come here today?"
    fixed = TEXT.replace('kind = "exposure"', f'kind = "fixed"\nkeep = ["{name}"]')
    path.write_text(fixed, "utf-8")
    desk = Desk(path)
    assert desk.check() == []
    (wrong,) = desk.check(feature=[NEW_QUESTION])
    assert wrong["where"] == "policy.keep[0]"
    assert wrong["message"].startswith(f'no feature is called "{name}"')


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (TEXT, SETTINGS),
        (NOISY, ("mix.deadline", "mix.min_batch")),
        (THRESHOLD, ("policy.k", "mix.deadline", "mix.min_batch")),
        (ONCE, SETTINGS[:-1]),
    ],
)
def test_settings_are_those_that_the_kinds_read(
    path: Path, text: str, settings: tuple[str, ...]
) -> None:
    path.write_text(text, "utf-8")
    assert tuple(Desk(path).state["settings"]) == settings


def test_a_save_writes_the_file_and_the_session_asks_it(desk: Desk, path: Path) -> None:
    session = desk.session
    session.room.join("0" * 32, "Ann")
    before = session.room.version
    changed = {"policy.k": 4, "mix.deadline": 30, "mix.min_batch": 2}
    said = desk.save(
        title="Mensa", lang="de", feature=[*desk.state["feature"], NEW_QUESTION], settings=changed
    )
    assert said == {
        "problems": [],
        "saved": str(path),
        "copy": "canteen.toml.bak",
        "begun": False,
    }
    assert path.with_name("canteen.toml.bak").read_text("utf-8") == TEXT
    read = read_questions(path)
    assert read.feature[2].name == NEW_QUESTION["name"]
    assert list(read.feature[2].values or ()) == NEW_QUESTION["values"]
    assert (read.policy.k, read.mix.deadline, read.mix.min_batch) == (4, 30, 2)
    assert from_toml(path.read_bytes())["policy"]["kind"] == "exposure"
    assert "# the smallest crowd wanted" in path.read_text("utf-8")
    facts = session.facts()
    told = [facts[key] for key in ("title", "questions", "seconds", "needed", "language")]
    assert told == ["Mensa", 3, 30, 2, ("de", "ltr")]
    assert session.room.version > before
    assert (session.teacher.needed, session.scenario.feature) == (2, read.feature)
    assert "Mensa" in session.wall.log.entries[0]
    assert "Alle Beteiligten" in session.wall.log.entries[0]
    (line,) = desk.said
    assert line == (
        "the questions were changed on the teacher's page: Mensa: 3 questions, from 2 people on, "
        "30 seconds for a round; promised: at most 0.1 of them in a crowd smaller than 4 in what "
        "is published"
    )
    assert desk.save(title="Mensa 2", lang=None)["copy"] == ""  # the old one held its tables alone
    assert QuestionsFile.read(path).table.lang is None
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "canteen.toml",
        "canteen.toml.bak",
    ]


def test_a_copy_replaces_no_other_and_is_as_private(desk: Desk, path: Path) -> None:
    path.with_name("canteen.toml.bak").write_text("mine", "utf-8")
    path.chmod(0o600)
    assert desk.save(title="Mensa")["copy"] == "canteen.toml.bak2"
    assert path.with_name("canteen.toml.bak").read_text("utf-8") == "mine"
    for file in (path, path.with_name("canteen.toml.bak2")):
        assert file.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link(path: Path) -> None:
    link = path.with_name("link.toml")
    link.symlink_to(path)
    Desk(link).save(title="Mensa")
    assert link.is_symlink()
    assert read_questions(path).scenario.title == "Mensa"


def test_nothing_is_written_while_there_is_a_mistake(desk: Desk, path: Path) -> None:
    assert desk.save(title="")["problems"][0]["path"] == ["title"]
    assert path.read_text("utf-8") == TEXT
    assert desk.session.facts()["title"] == "My class"
    assert desk.state["edition"] == 0


@pytest.mark.parametrize("gone", [False, True])
def test_a_file_that_changed_meanwhile_is_not_overwritten(
    desk: Desk, path: Path, *, gone: bool
) -> None:
    path.write_text(TEXT + "# by hand\n", "utf-8")
    if gone:
        path.unlink()
    before = sorted(path.parent.iterdir())
    status, said = desk.refusal("POST", "editor/save", desk.body(title="Mensa"))
    assert status == 409
    assert said.startswith("The file was changed on the disk")
    assert sorted(path.parent.iterdir()) == before
    assert gone or path.read_text("utf-8") == TEXT + "# by hand\n"
    assert desk.session.facts()["title"] == "My class"
    assert desk.save("new", "other.toml", title="Mensa")["saved"] == str(
        path.with_name("other.toml")
    )


@pytest.mark.parametrize("fails", [1, 2])  # the copy, the file
def test_a_full_disk_loses_nothing(
    desk: Desk, path: Path, fails: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def full(handle: int) -> None:
        calls.append(1)
        if len(calls) == full_at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    full_at = 1 if fails == 1 else 3  # a file, its folder, the next file
    monkeypatch.setattr(atomic_file.os, "fsync", full)
    monkeypatch.setattr(atomic_file.systems, "FOLDER_SYNC", True)
    status, said = desk.refusal("POST", "editor/save", desk.body(title="Mensa"))
    assert status == 409
    assert said.startswith("Nothing was saved, and the questions are as they were: ")
    assert "No space left on device; make room" in said
    assert path.read_text("utf-8") == TEXT
    left = {file.name: file.read_text("utf-8") for file in path.parent.iterdir()}
    copy = {} if fails == 1 else {"canteen.toml.bak": TEXT}
    assert left == {"canteen.toml": TEXT, **copy}
    assert desk.session.facts()["title"] == "My class"
    assert desk.state["edition"] == 0
    monkeypatch.undo()
    assert desk.save(title="Mensa")["copy"] == "canteen.toml.bak"  # one copy is enough
    assert len(list(path.parent.iterdir())) == 2


@pytest.mark.parametrize("how", ["wanted", "settled", "over"])
def test_a_session_that_has_begun_keeps_its_questions(desk: Desk, path: Path, how: str) -> None:
    body = desk.body("session", title="Mensa")
    desk.session.teacher.is_starting = how == "wanted"
    desk.session.room.settled = how == "settled"
    desk.session.room.ended = "over" if how == "over" else ""
    status, said = desk.refusal("POST", "editor/save", body)
    assert status == 409
    assert said.startswith("The session has begun with the questions as they were")
    assert path.read_text("utf-8") == TEXT
    assert desk.save(title="Mensa")["begun"] is True
    assert read_questions(path).scenario.title == "Mensa"
    assert desk.session.facts()["title"] == "My class"
    assert desk.said == []


def test_a_draft_of_an_older_edition_is_refused(desk: Desk, path: Path) -> None:
    older = desk.body(title="one tab")
    desk.save("session", title="the other")
    for body in (older, desk.body(edition=2)):
        assert desk.refusal("POST", "editor/save", body)[0] == 409
    assert desk.session.facts()["title"] == "the other"
    assert path.read_text("utf-8") == TEXT


def test_the_demo_is_changed_for_a_session_or_saved_under_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demo, desk = DEMO.read_bytes(), Desk(None)
    assert desk.state["file"] == ""
    assert desk.save("session", title="Mensa")["saved"] == ""
    assert desk.session.facts()["title"] == "Mensa"
    assert list(tmp_path.iterdir()) == []
    assert desk.refusal("POST", "editor/save", desk.body())[0] == 409  # it is no file of anybody's
    assert desk.save("new", "Größe 1.toml", feature=[NEW_QUESTION])["saved"] == str(
        tmp_path / "Größe 1.toml"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["Größe 1.toml"]
    (feature,) = read_questions(tmp_path / "Größe 1.toml").feature
    assert feature.name == NEW_QUESTION["name"]
    assert desk.state["file"] == "Größe 1.toml"
    assert desk.save(title="Mensa 2")["copy"] == ""
    assert DEMO.read_bytes() == demo


@pytest.mark.parametrize(
    "name",
    [
        *("", "x", ".toml", ".x.toml", "x.txt", "x.toml.exe", "/tmp/x.toml", "../x.toml"),
        *("a/x.toml", "a\\x.toml", "x\n.toml", "x\0.toml", "-x.toml", "x" * 99 + ".toml"),
        "~x.toml",
    ],
)
def test_a_new_file_is_beside_the_old_one_and_new(desk: Desk, path: Path, name: str) -> None:
    status, said = desk.refusal("POST", "editor/save", desk.body("new", name, title="Mensa"))
    assert (status, said.startswith(f"Found {name};")) == (400, True)
    assert list(path.parent.iterdir()) == [path]
    assert desk.session.facts()["title"] == "My class"
    taken = desk.refusal("POST", "editor/save", desk.body("new", path.name, title="Mensa"))
    assert taken[0] == 409
    assert path.read_text("utf-8") == TEXT


def test_a_cheat_stays(path: Path) -> None:
    desk = Desk(path, "surround")
    before = desk.session.scenario
    desk.save(title="Mensa", settings={"mix.deadline": 30})
    after = desk.session.scenario
    assert (after.fault, after.mix.lesson) == (before.fault, True)
    assert not after.defence.sums
    assert after.mix.deadline < before.mix.deadline
    assert "lesson" not in path.read_text("utf-8")


def test_slips_are_for_their_title(path: Path) -> None:
    desk = Desk(path, slips=("ABCDEFGHJKLM",))
    for title in ("Mensa", "a class"):
        (wrong,) = desk.check(title=title)
        said = f'found "{title}"; "My class" is accepted: it is printed on the slips'
        assert wrong["message"] == said
    assert desk.check(feature=[NEW_QUESTION]) == []


@pytest.mark.parametrize("text", [TEXT, NOISY, THRESHOLD, ONCE])
def test_a_preview_is_of_the_draft_and_changes_nothing(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    desk = Desk(path, simulated=2)
    draft = desk.draft(title="Mensa", feature=[NEW_QUESTION], lang="de")
    said = desk.ask("POST", "editor/preview", json.dumps(draft).encode())
    told = decode_announcement(bytes.fromhex(said["announcement"]))
    assert [feature.name for feature in told.schema.features] == [NEW_QUESTION["name"]]
    facts = said["facts"]
    assert [facts[key] for key in ("title", "questions", "people")] == ["Mensa", 1, 3]
    assert facts["language"] == ["de", "ltr"]
    assert desk.session.facts()["title"] != "Mensa"
    assert path.read_text("utf-8") == text
    draft["title"] = ""
    wrong = desk.ask("POST", "editor/preview", json.dumps(draft).encode())
    assert [one["where"] for one in wrong["problems"]] == ["title"]
    plain = desk.ask("POST", "editor/preview")
    assert plain["facts"]["title"] == desk.state["title"]
    assert plain["facts"]["language"] == ["de", "ltr"]  # of the browser


@pytest.mark.parametrize(
    "tables",
    [
        {"title": 'a "b" \\ \t \u2028 ü \U0001f35e', "feature": [{"name": "#", "values": ["="]}]},
        {"title": "x", "policy": {"weights": {"a b": 1e-9, "ü": 2}, "keep": []}, "mix": {}},
        {"title": "x", "mix": {"pad": False, "shufflers": 3}, "local": {"epsilon": 0.5}},
    ],
)
def test_tables_are_written_as_they_are_read(tables: dict[str, Any]) -> None:
    assert from_toml(questions_text(tables)) == tables


def test_the_template_is_written_with_its_explanations() -> None:
    for text in (TEXT, ONCE):
        again = questions_text(from_toml(text))
        assert from_toml(again) == from_toml(text)
        assert "phones find their own answers on the board" in again or text is TEXT
        assert again.count("# ") > 10


def test_simulated_people_answer_the_changed_questions(path: Path) -> None:
    """And a class begins with those that the new number lets begin."""
    text = TEXT.replace("deadline = 90", "deadline = 86400")
    path.write_text(text, "utf-8")
    file = QuestionsFile.read(path)
    with Class(file.scenario, 1_000, simulated=3, file=file) as room:
        assert room.session is not None
        desk = Desk(path)
        desk.session = room.session
        client = Client(room.address, "Ann", ("Suppe",))
        client.join()
        assert client.news()["questions"] == 2
        address = f"/teacher/{room.session.page.secret}"
        saved = _saved(client, address, feature=[NEW_QUESTION], settings={"mix.min_batch": 4})
        assert saved["problems"] == []
        assert (client.news()["questions"], client.facts["needed"]) == (1, 4)
        assert client.ask(f"{address}/begin", b"")[0] == 204
        client.live()
    board = room.done().board
    assert board is not None
    assert board.announcement is not None
    assert [one.name for one in board.announcement.schema.features] == [NEW_QUESTION["name"]]
    assert board.tallies[0].totals == (4,)


def _saved(client: Client, address: str, **changes: Any) -> Any:
    state = json.loads(client.ask(f"{address}/editor/questions")[1])
    settings = {**state["settings"], **changes.pop("settings")}
    draft = {key: state[key] for key in ("title", "lang", "feature")}
    draft = {**draft, "settings": settings, **changes}
    save = {"edition": state["edition"], "where": "session", "name": "", "draft": draft}
    return json.loads(client.ask(f"{address}/editor/save", json.dumps(save).encode())[1])
