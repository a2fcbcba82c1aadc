"""The server of the page: who may ask, what it answers, and what it never does."""

import csv
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from errno import ENOSPC
from io import StringIO
from math import exp, log
from pathlib import Path
from socket import create_connection
from threading import Event
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from veilmix.cli.app import start
from veilmix.errors import StorageError
from veilmix.workbench import files as files_module
from veilmix.workbench import other_commands as further_module
from veilmix.workbench.choices import UserChoices
from veilmix.workbench.files import OwnFiles
from veilmix.workbench.options import Files, advise_arguments
from veilmix.workbench.result import ReleaseResult
from workbench_server import STEPS, Asker, workbench
from workbench_walk import PEOPLE, write_patients

pytestmark = pytest.mark.slow
ROLES = {"sex": "quasi", "age": "quasi", "zip": "quasi", "diagnosis": "sensitive"}


@pytest.fixture
def handed(tmp_path: Path) -> Path:
    """A folder for files that are handed over."""
    folder = tmp_path / "handed"
    folder.mkdir()
    return folder


@pytest.fixture
def asker(tmp_path: Path, handed: Path) -> Iterator[Asker]:
    """A client of a page with patients."""
    with workbench(handed, write_patients(tmp_path / "patients.csv")) as client:
        client.settled()
        yield client


def statuses(state: dict[str, dict[str, str]]) -> list[str]:
    return [state[step]["status"] for step in STEPS]


def test_all_six_steps_are_worked_out(asker: Asker) -> None:
    state = asker.change(roles=ROLES, k=4, suppress=0.2, l={"diagnosis": 2})
    assert statuses(state) == ["ready"] * 6
    assert state["file"]["shape"]["text"] == f"{PEOPLE} rows, 6 columns"
    assert state["persons"]["ways"][0]["people"] == PEOPLE
    roles = {column["name"]: column["role"] for column in state["columns"]["columns"]}
    assert roles == {**ROLES, "patient": "identifier", "name": "identifier"}
    assert state["goal"]["allowed"]["text"] == "96 people"
    assert [point["chosen"] for point in state["choices"]["points"]].count(True) == 1
    assert state["choices"]["final"]
    _, table = asker.ask("GET", "released/csv")
    rows = list(csv.DictReader(StringIO(table.decode())))
    assert state["result"]["after"]["caption"]["text"].startswith(f"{len(rows)} rows")
    assert state["result"]["sha256"] == hashlib.sha256(table).hexdigest()
    crowds: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        known = tuple(row.get(name, "") for name in ("sex", "age", "zip"))
        crowds.setdefault(known, []).append(row["diagnosis"])
    smallest, fewest = (
        min(map(len, kinds)) for kinds in (crowds.values(), map(set, crowds.values()))
    )
    shown = [measure["headline"]["text"] for measure in state["result"]["measures"]]
    assert (shown[0], shown[2]) == (str(smallest), str(fewest))
    assert smallest >= 4
    assert fewest >= 2
    status, page = asker.ask("GET", "sign")
    assert status == 200
    assert b"patients.csv" in page


def test_a_foreign_page_or_another_address_learns_nothing(asker: Asker) -> None:
    port = asker.origin.rpartition(":")[2]
    for method, what, headers in (
        ("GET", "", {"host": f"evil.example:{port}"}),
        ("GET", "news/0", {"host": "127.0.0.1:1"}),
        ("GET", "news/0", {"origin": "http://evil.example"}),
        ("POST", "cancel", {"origin": "null"}),
        ("POST", "change", {"origin": f"http://evil.example:{port}"}),
    ):
        status, body = asker.ask(method, what, b"{}" if method == "POST" else None, **headers)
        assert status in (403, 404, 421)
        assert b"patients" not in body


@pytest.mark.parametrize("what", ["", "news/0", "released/csv", "sign", "session"])
def test_without_the_token_there_is_no_page(asker: Asker, what: str) -> None:
    for token in ("0" * 32, "", asker.bench.address.rsplit("/", 2)[1][:-1]):
        with pytest.raises(HTTPError) as no:
            urlopen(f"{asker.origin}/{token}/{what}")
        with no.value:
            assert no.value.code == 404
            assert b"patients" not in no.value.read()


def test_a_post_without_its_origin_is_refused(asker: Asker) -> None:
    with pytest.raises(HTTPError) as no:
        urlopen(Request(asker.bench.address + "end", data=b"", method="POST"))
    no.value.close()
    assert no.value.code == 403
    assert not asker.bench.ended.is_set()


def test_the_page_may_run_and_reach_nothing_but_its_own_files(asker: Asker) -> None:
    with urlopen(asker.bench.address) as answer:
        policy = answer.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
    assert policy.startswith("default-src 'none'; script-src 'self'")
    assert "unsafe" not in policy
    for name in ("../server.py", "..%2fserver.py", "workbench.html", "nothing.js"):
        assert asker.ask("GET", f"static/{name}")[0] == 404


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no JSON"),
        (b"[]", "revision, set is accepted"),
        (b'{"revision": 1}', "revision, set is accepted"),
        (b'{"revision": 1, "set": {}, "more": 1}', "revision, set is accepted"),
        (
            b'{"revision": REV, "set": {"data": "x"}}',
            "data: cannot be changed as a setting; open another file",
        ),
        (
            b'{"revision": REV, "set": {"hierarchy": {"age": "/etc/passwd"}}}',
            "hierarchy: cannot be changed as a setting; upload a hierarchy file",
        ),
        (b'{"revision": REV, "set": {"k": 0}}', "k: a whole number of at least 1 is accepted"),
        (b'{"revision": REV, "set": {"k": "5"}}', "k: a whole number is accepted, found a text"),
        (b'{"revision": REV, "set": {"suppress": 1.5}}', "suppress: a number of at most 1"),
        (b'{"revision": REV, "set": {"nothing": 1}}', "unknown field `nothing`"),
        (b'{"revision": REV, "set": {"roles": {"age": "king"}}}', "roles"),
        (
            b'{"revision": REV, "set": []}',
            "choices: a JSON object of names and values is accepted",
        ),
    ],
)
def test_what_is_no_choice_is_refused_in_a_sentence(asker: Asker, body: bytes, said: str) -> None:
    before = asker.state()
    sent = body.replace(b"REV", str(before["revision"]).encode())
    status, answer = asker.ask("POST", "change", sent)
    assert status == 400
    assert said in json.loads(answer)["error"]["text"]
    assert asker.state()["session"] == before["session"]


def test_a_tab_that_is_behind_is_told(asker: Asker) -> None:
    old = asker.state()["revision"]
    asker.change(k=4)
    status, answer = asker.post("change", revision=old, set={"k": 9})
    assert status == 409
    assert answer["error"]["text"].startswith("Another tab")
    assert answer["state"]["session"] == asker.state()["session"]
    assert "k = 4" in asker.state()["session"]


def test_only_an_upload_may_be_long(asker: Asker) -> None:
    status, _ = asker.ask("POST", "change", b" " * ((1 << 20) + 1))
    assert status == 413
    rows = "age,text\n" + f"30,{'a' * 1_000}\n41,b\n" * 1_200  # 1.2 MB
    assert asker.ask("POST", "upload/long.csv", rows.encode())[0] == 200
    assert asker.settled()["file"]["rows"] == 2_400


def test_an_uploaded_file_is_kept_under_a_plain_name(asker: Asker, handed: Path) -> None:
    data = "age,sex\n" + "30,f\n41,m\n" * 20
    for name, kept in (("..%2f..%2fx.csv", "x.csv"), ("C%3A%5Cd%5Cb%C3%A4r.csv", "bär.csv")):
        assert asker.ask("POST", f"upload/{name}", data.encode())[0] == 200
        assert [path.name for path in handed.rglob("*.csv")] == [kept]
        assert asker.settled()["file"]["name"] == kept
    assert asker.ask("POST", "upload/..", data.encode())[0] == 400


def test_saving_replaces_a_file_only_if_told(asker: Asker, tmp_path: Path) -> None:
    asker.change(roles=ROLES)
    place = tmp_path / "out.csv"
    asked = {"what": "table", "path": str(place), "replace": False}
    assert asker.post("save", **asked)[0] == 200
    written = place.read_bytes()
    assert written == asker.ask("GET", "released/csv")[1]
    place.write_text("mine")
    status, answer = asker.post("save", **asked)
    assert (status, answer["exists"]) == (409, True)
    assert place.read_text() == "mine"
    assert asker.post("save", **{**asked, "replace": True})[0] == 200
    assert place.read_bytes() == written
    for what, name, status in (
        ("table", "out.doc", 400),
        ("sign", "page.html", 200),
        ("session", "s.toml", 200),
        ("score", "score.json", 200),
        ("secret", "x", 404),
        ("sign", "nowhere/page.html", 400),
    ):
        answer = asker.post("save", what=what, path=str(tmp_path / name), replace=False)
        assert answer[0] == status, answer
        assert (tmp_path / name).exists() == (status == 200)


def test_no_file_that_is_read_is_written_over(asker: Asker, tmp_path: Path) -> None:
    ledger = tmp_path / "l.toml"
    state = asker.change(roles=ROLES, ledger=str(ledger))
    assert state["result"]["status"] == "ready"
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith("l.toml")]
    ledger.write_text("mine")
    for name in ("patients.csv", "handed/../patients.csv", "l.toml"):
        before = (tmp_path / name).read_bytes()
        what = "session" if name == "l.toml" else "table"
        asked = {"what": what, "path": str(tmp_path / name), "replace": True}
        status, answer = asker.post("save", **asked)
        assert status == 400
        assert "is read by this page" in answer["error"]["text"]
        assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("command", ["score", "advise"])
def test_a_command_does_not_write_over_its_table(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_patients(tmp_path / "patients.csv")
    before = data.read_bytes()
    assert start([command, str(data), "--table", str(data)]) != 0
    assert "is the table that is read" in capsys.readouterr().err
    assert data.read_bytes() == before


def test_a_folder_shows_its_tables_alone(asker: Asker, tmp_path: Path) -> None:
    (tmp_path / "secret.txt.key").write_text("x")
    (tmp_path / ".hidden.csv").write_text("x")
    status, listed = asker.post("folder", path=str(tmp_path))
    assert status == 200
    assert [file["name"] for file in listed["files"]] == ["patients.csv"]
    assert listed["folders"] == ["handed"]
    assert listed["above"] == str(tmp_path.parent)
    assert asker.post("folder", path=str(tmp_path / "none"))[0] == 400


def test_a_file_that_cannot_be_read_is_said_at_its_step(asker: Asker, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n" + "1,2\n" * 9 + "1,2,3\n" + "1,2\n" * 5)
    assert asker.post("open", path=str(bad))[0] == 200
    state = asker.settled()
    assert statuses(state) == ["error", *["empty"] * 5]
    assert "bad.csv:11: 3 cells found" in state["file"]["error"]["text"]
    assert state["file"]["lines"] == ["a,b", *["1,2"] * 9]
    status, answer = asker.post("open", path=str(tmp_path / "none.csv"))
    assert status == 400
    assert answer["error"]["step"] == "file"


def test_a_goal_that_no_choice_meets_is_said_at_the_choices(asker: Asker) -> None:
    state = asker.change(k=PEOPLE + 1)
    assert statuses(state) == [*["ready"] * 4, "error", "empty"]
    assert f"{PEOPLE} people" in state["choices"]["error"]["text"]
    assert asker.ask("GET", "released/csv")[0] == 409
    assert statuses(asker.change(k=3)) == ["ready"] * 6


def test_a_wrong_rule_is_said_at_the_columns(asker: Asker) -> None:
    state = asker.change(coarsen=['sex.fold=["space"]'])
    assert statuses(state) == ["ready", "ready", "error", *["empty"] * 3]
    assert state["columns"]["error"]["option"] == "coarsen"
    assert len(state["columns"]["columns"]) == 6
    assert statuses(asker.change(coarsen=[])) == ["ready"] * 6


def test_a_repeated_identifier_stops_the_steps_until_persons_are_defined(
    tmp_path: Path, handed: Path
) -> None:
    with workbench(handed, write_patients(tmp_path / "visits.csv", visits=3)) as asker:
        state = asker.settled()
        assert statuses(state) == ["ready", "blocked", *["empty"] * 4]
        ways = state["persons"]["ways"]
        assert [way["people"] for way in ways] == [3 * PEOPLE, PEOPLE]
        assert not any(way["chosen"] for way in ways)
        state = asker.change(**ways[1]["set"])
        assert statuses(state) == ["ready"] * 6
        assert state["persons"]["summary"] == f"{PEOPLE} people"
        assert "--person patient" in state["command"][1]


def test_all_that_is_shown_is_shown_again_at_once_after_going_back(asker: Asker) -> None:
    first = asker.change(roles=ROLES, k=4)
    asker.change(k=6)
    second = asker.change(k=4)
    for step in STEPS:
        assert second[step] == first[step]


def test_a_point_is_chosen_and_the_table_follows(asker: Asker) -> None:
    state = asker.change(roles=ROLES, k=9, suppress=0.3)
    other = next(
        point for point in state["choices"]["points"] if not (point["chosen"] or point["over"])
    )
    after = asker.change(levels=other["levels"])
    chosen = next(point for point in after["choices"]["points"] if point["chosen"])
    assert chosen["levels"] == other["levels"]
    assert after["result"]["sha256"] != state["result"]["sha256"]
    wanted = {"levels": dict.fromkeys(other["levels"], 0)}
    status, answer = asker.post("change", revision=after["revision"], set=wanted)
    assert status == 400
    assert "480 people miss the target" in answer["error"]["text"]
    assert asker.settled()["choices"] == after["choices"]
    assert asker.change(k=8)["choices"]["status"] == "ready"  # another goal: its best choice


def test_the_user_is_done_and_the_server_ends(asker: Asker) -> None:
    assert asker.ask("POST", "end", b"")[0] == 204
    assert asker.bench.ended.is_set()


def test_typed_paths_that_no_system_accepts_are_refused_in_a_sentence(asker: Asker) -> None:
    for path in ("~nobody-here/x.csv", "a" * 5_000 + ".csv"):
        cases: list[tuple[str, dict[str, Any]]] = [
            ("open", {}),
            ("folder", {}),
            ("save", {"what": "session", "replace": False}),
        ]
        for what, more in cases:
            status, answer = asker.post(what, path=path, **more)
            assert status == 400, (what, path[:20])
            assert answer["error"]["text"]
    assert asker.ask("GET", "static/" + "a" * 5_000)[0] == 404


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
def test_names_that_are_no_text_are_left_out_of_a_folder(asker: Asker, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.csv")).write_text("a\n1\n")
    (tmp_path / os.fsdecode(b"f\xe9")).mkdir()
    status, listed = asker.post("folder", path=str(tmp_path))
    assert status == 200
    assert [file["name"] for file in listed["files"]] == ["patients.csv"]
    assert listed["folders"] == ["handed"]
    assert start(["open", str(tmp_path / os.fsdecode(b"caf\xe9.csv")), "--no-browser"]) != 0


def test_a_hierarchy_of_no_column_is_refused(asker: Asker) -> None:
    before = asker.state()["session"]
    status, answer = asker.ask("POST", "hierarchy/nothing", b"a,b\n")
    assert status == 400
    assert "the table has no such column" in json.loads(answer)["error"]["text"]
    assert asker.state()["session"] == before


def test_an_upload_that_fails_keeps_the_earlier_table(
    handed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = OwnFiles(handed)
    kept = files.keep_table("a.csv", b"1")

    def full(place: Path, data: bytes) -> None:
        place.write_bytes(data[:1])
        raise OSError(ENOSPC, "no room")

    with monkeypatch.context() as patch:
        patch.setattr(files_module, "keep_private", full)
        with pytest.raises(StorageError, match=r"b\.csv"):
            files.keep_table("b.csv", b"22")
    assert [path.name for path in handed.rglob("*.csv")] == ["a.csv"]
    assert kept.read_bytes() == b"1"


def test_the_page_to_sign_runs_no_script(asker: Asker) -> None:
    asker.change(roles=ROLES)
    with urlopen(asker.bench.address + "sign") as answer:
        policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert policy.endswith("sandbox")


def test_a_request_without_a_path_is_no_fault(asker: Asker) -> None:
    host, _, port = asker.origin.removeprefix("http://").partition(":")
    with create_connection((host, int(port))) as peer:
        peer.sendall(f"GET * HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n".encode())
        assert b" 404 " in peer.recv(1_000)


def test_the_language_is_that_of_the_first_page(tmp_path: Path, handed: Path) -> None:
    with workbench(handed, write_patients(tmp_path / "p.csv"), language=None) as asker:
        for method, accepted, shown in (
            ("HEAD", "de", "en"),
            ("GET", "de", "de"),
            ("GET", "en", "de"),
        ):
            assert asker.ask(method, "", **{"accept-language": accepted})[0] == 200
            assert asker.state()["language"] == shown


def test_done_waits_for_a_table_that_is_on_its_way(
    tmp_path: Path, handed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = Event(), Event()

    def slow(*_: object) -> bytes:
        begun.set()
        go.wait(60)
        return b"whole"

    with workbench(handed, write_patients(tmp_path / "p.csv")) as asker:
        asker.settled()
        asker.change(roles=ROLES)
        monkeypatch.setattr(ReleaseResult, "file", slow)
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(asker.ask, "GET", "released/csv")
            assert begun.wait(60)
            assert asker.ask("POST", "end", b"")[0] == 204
            go.set()
            assert answer.result() == (200, b"whole")


def test_names_of_files_are_arguments_of_commands() -> None:
    choices = UserChoices(data="-x.csv", ledger="~/l.toml")
    line = advise_arguments(choices, Files.named_after(choices))
    assert line[1] == "./-x.csv"
    assert line[line.index("--table") + 1] == "./-x-released.csv"
    assert line[line.index("--ledger") + 1] == str(Path("~/l.toml").expanduser())


def test_a_target_that_some_people_miss_is_shown_with_their_share(asker: Asker) -> None:
    asked = {"l": {"diagnosis": 3}, "entropy_l": {"diagnosis": 2.9}}
    state = asker.change(roles=ROLES, k=2, max_exposure=0.9, **asked)
    assert state["result"]["status"] == "ready", state["choices"]["error"]
    shown = {one["label"]["text"]: one for one in state["result"]["measures"]}
    entropy = next(one for name, one in shown.items() if name.startswith("exp of the least"))
    assert entropy["verdict"] == "unmet"
    _, table = asker.ask("GET", "released/csv")
    rows = list(csv.DictReader(StringIO(table.decode())))
    crowds: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        known = tuple(row.get(name, "") for name in ("sex", "age", "zip"))
        crowds.setdefault(known, []).append(row["diagnosis"])
    missed = 0
    for crowd in crowds.values():
        shares = [count / len(crowd) for count in Counter(crowd).values()]
        missed += len(crowd) * (exp(-sum(share * log(share) for share in shares)) < 2.9)
    assert missed
    assert f"({missed}) of the people" in entropy["asked"]["text"]


def test_another_file_is_handed_over_and_judged(asker: Asker, handed: Path) -> None:
    rows = "sex,age,zip,diagnosis\n" + "f,30,10115,flu\nm,41,10116,gout\n" * 20
    asker.change(roles=ROLES)
    for name, wanted in (("b.csv", rows), ("b.csv", rows + "m,41,10116,flu\n")):
        assert asker.ask("POST", f"given/release/{name}", wanted.encode())[0] == 200
        part = asker.settled()["further"]["judged"]
        assert part["status"] == "ready", part["error"]
        assert part["printed"][0]["line"]["text"].startswith(f"b.csv  {wanted.count(chr(10)) - 1} ")
        assert [path.name for path in handed.rglob("*.csv")] == ["b.csv"]  # the earlier is removed
    assert "--release b.csv --of" in asker.state()["command"][-1]
    state = asker.change(release=None)
    assert state["further"]["judged"]["status"] == "empty"
    assert list(handed.rglob("*.csv")) == []


def test_a_file_that_cannot_be_judged_is_named_as_the_user_knows_it(asker: Asker) -> None:
    assert asker.ask("POST", "given/release/b.csv", b"x,y\n1,2\n")[0] == 200
    state = asker.settled()
    part = state["further"]["judged"]
    assert part["status"] == "error"
    assert part["error"]["text"].startswith("b.csv: no column is called as one of")
    assert statuses(state)[:4] == ["ready"] * 4  # the steps go on


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("given/like/a.json", "a.json: no advice"),
        ("given/nothing/a.json", "like, release, control name files"),
    ],
)
def test_a_file_that_is_of_no_use_is_refused(asker: Asker, what: str, said: str) -> None:
    before = asker.state()["session"]
    status, answer = asker.ask("POST", what, b"{}")
    assert status == 400
    assert said in json.loads(answer)["error"]["text"]
    assert asker.state()["session"] == before


def test_counts_are_there_although_no_choice_meets_the_goal(asker: Asker) -> None:
    state = asker.change(roles=ROLES, k=481, max_exposure=0.0, counts_k=5, counts_tables=["sex"])
    assert state["choices"]["status"] == "error"
    part = state["further"]["counts"]
    assert part["status"] == "ready", part["error"]
    (grid,) = [one["grid"] for one in part["printed"] if "grid" in one]
    assert grid["headings"] == ["sex", "persons"]
    assert grid["rows"][-1][-1] == str(PEOPLE)
    status, table = asker.ask("GET", "further/counts/counts_table")
    assert status == 200
    assert table.decode().splitlines()[0] == "sex,people"


def test_a_wrong_choice_of_a_command_is_said_at_its_place(asker: Asker) -> None:
    for wanted, place, said in (
        ({"counts_tables": ["sex,sex"]}, "counts", "different columns"),
        ({"counts_tables": ["sex"], "counts_round": 5, "counts_outsiders": True}, "counts", "clos"),
        ({"scored": True, "score_table": "csv"}, "scored", "patients-scored.csv: not written"),
        ({"release": "nothing.csv"}, "judged", "nothing.csv"),
    ):
        state = asker.change(**wanted)
        part = state["further"][place]
        assert part["status"] == "error"
        assert said in part["error"]["text"]
    assert state["further"]["scored"]["printed"]  # the score itself is there
    assert asker.ask("GET", "further/scored/score_table")[0] == 409
    assert asker.ask("GET", "further/nothing/score_table")[0] == 409


def test_names_that_no_file_has_are_no_fault(asker: Asker, tmp_path: Path) -> None:
    revision = asker.state()["revision"]
    for like in ("~nobody-here/a.json", "a\0b", "nothing.json", "a" * 5_000):
        status, answer = asker.post("change", revision=revision, set={"like": like})
        assert status == 400, like[:20]
        assert answer["error"]["text"]
    for release in ("~nobody-here/b.csv", "a" * 5_000 + ".csv", str(tmp_path)):
        part = asker.change(release=release)["further"]["judged"]
        assert part["status"] == "error"
        assert "fault of veilmix" not in part["error"]["text"], part["error"]
        place = str(tmp_path / f"{len(release)}.toml")
        assert asker.post("save", what="session", path=place, replace=False)[0] == 200


def test_a_place_is_kept_while_another_choice_is_made(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = asker.change(roles=ROLES, counts_tables=["sex"], counts_k=5)["further"]["counts"]
    ran: list[object] = []
    monkeypatch.setattr(further_module, "run_command", lambda *given: ran.append(given))
    state = asker.change(suppress=0.2)
    assert state["further"]["counts"] == first
    assert ran == []


def test_no_file_that_is_judged_is_written_over(asker: Asker, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("sex,age\nf,3\n")
    asker.change(roles=ROLES, release=str(other))
    status, answer = asker.post("save", what="session", path=str(other), replace=True)
    assert status == 400
    assert "is read by this page" in answer["error"]["text"]
    target = tmp_path / "counts.csv"
    asker.change(counts_tables=["sex"])
    what = "further/counts/counts_table"
    assert asker.post("save", what=what, path=str(target), replace=False)[0] == 200
    assert target.read_bytes() == asker.ask("GET", what)[1]
