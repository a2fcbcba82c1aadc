"""A session is repeated by its file and by its commands: the same table, the same numbers."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from veilmix.cli.app import start
from veilmix.cli.commands.open import _session_files, _session_hierarchies
from veilmix.errors import DataError
from veilmix.workbench.choices import NAMED, UserChoices, read_session
from veilmix.workbench.options import OPTIONS, quoted_line
from workbench_server import State, workbench
from workbench_walk import write_patients

pytestmark = pytest.mark.slow
ROLES = {"sex": "quasi", "age": "quasi", "zip": "quasi", "diagnosis": "sensitive"}
SESSIONS: dict[str, tuple[int, dict[str, Any]]] = {
    "defaults": (1, {}),
    "goal": (
        1,
        {
            "roles": ROLES,
            "k": 9,
            "suppress": 0.3,
            "l": {"diagnosis": 2},
            "missing_text": ["-1"],
            "importance": {"age": 3.0},
            "keep": ["sex"],
        },
    ),
    "persons": (3, {"person": "patient", "roles": ROLES, "k": 4, "max_exposure": 0.2}),
    "one row": (
        3,
        {
            "person": "patient",
            "one_row": "last",
            "coarsen": ["age.bins.width=20"],
            "as_number": ["age"],
        },
    ),
    "columns": (1, {"columns": ["age", "zip", "diagnosis"], "known": "all", "max_exposure": 0.3}),
    "cells": (1, {"roles": ROLES, "k": 9, "suppress_cells": 0.3, "header_row": 1}),
    "cells of persons": (
        3,
        {
            "person": "patient",
            "roles": ROLES,
            "k": 4,
            "suppress_cells": 0.4,
            "l": {"diagnosis": 2},
        },
    ),
    "closeness": (1, {"roles": ROLES, "t": {"diagnosis": 0.6}, "nominal": ["diagnosis"]}),
}


@pytest.mark.parametrize("name", SESSIONS)
def test_the_shown_commands_give_the_table_and_the_numbers_of_the_page(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    visits, wanted = SESSIONS[name]
    with workbench(tmp_path, write_patients(tmp_path / "my people.csv", visits)) as asker:
        asker.settled()
        state = asker.change(**wanted)
        others = [point for point in state["choices"]["points"] if not point["over"]]
        state = asker.change(levels=others[0]["levels"])
        assert state["result"]["status"] == "ready", state["choices"]["error"]
        table, score = (asker.ask("GET", what)[1] for what in ("released/csv", "score"))
        page = asker.ask("GET", "sign")[1]
    monkeypatch.chdir(tmp_path)
    for line in state["command"]:
        command, *arguments = shlex.split(line)
        assert command == "veilmix"
        capsys.readouterr()
        assert start(arguments) == 0, line
        printed = capsys.readouterr().out
        if arguments[0] == "advise":
            assert printed == state["choices"]["text"]
    assert (tmp_path / "my people-released.csv").read_bytes() == table
    assert (tmp_path / "my people-score.json").read_bytes() == score
    assert (tmp_path / "my people-score.html").read_bytes() == page


def test_all_other_shown_commands_give_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_patients(tmp_path / "my people.csv")
    lines = data.read_text("utf-8").splitlines()
    (tmp_path / "other.csv").write_text("\n".join(lines[:300]) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    wanted: dict[str, Any] = {
        "roles": {**ROLES, "diagnosis": "quasi"},  # a scenario counts all columns
        "k": 4,
        "max_exposure": 0.3,
        "scored": True,
        "population_factor": 1.0,
        "worst_case": 50,
        "unique_size": 2,
        "score_figure": "svg",
        "score_table": "csv",
        "score_counts": "parquet",
        "score_save": "json",
        "score_anyway": True,
        "score_bom": True,
        "counts_tables": ["sex,diagnosis", "age"],
        "counts_table": "xlsx",
        "counts_least": "cells",
        "counts_steps": 50,
        "counts_close_empty": True,
        "release": "other.csv",
        "control": str(data),
        "advise_figure": "png",
        "advise_write": "toml",
    }
    with workbench(tmp_path, data) as asker:
        asker.settled()
        state = asker.change(**wanted)
        assert state["result"]["status"] == "ready", state["choices"]["error"]
        for place, part in state["further"].items():
            assert part["status"] == "ready", (place, part["error"])
        texts = {place: run.output.text for place, run in asker.bench.desk.further.items()}
        names = {
            f"further/{place}/{file['option']}": file["name"]
            for place, part in state["further"].items()
            for file in part["files"]
        }
        names |= {what: state["result"]["names"][what] for what in ("figure", "scenario")}
        names["further/scored/sign"] = "my people-as-it-is.html"
        shown = {name: asker.ask("GET", what) for what, name in names.items()}
        advice = asker.ask("GET", "advice")[1]
    assert len(names) == 8
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    (tmp_path / "there" / "other.csv").write_bytes((tmp_path / "other.csv").read_bytes())
    places = iter(("scored", "counts", "judged"))
    for line in state["command"]:
        _, *arguments = shlex.split(line)
        capsys.readouterr()
        assert start(arguments) == 0, line
        if arguments[0] in ("score", "counts"):
            assert capsys.readouterr().out == texts[next(places)]
    for name, (status, data_shown) in shown.items():
        assert status == 200
        if not name.endswith((".xlsx", ".toml")):  # the one names its time, the other its folder
            assert (tmp_path / "there" / name).read_bytes() == data_shown, name
    capsys.readouterr()
    form = [*shlex.split(state["command"][1])[1:], "--force", "--format", "json"]
    assert start(form) == 0
    assert capsys.readouterr().out.encode() == advice


def test_earlier_advice_is_applied_by_the_page_and_by_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = write_patients(tmp_path / "may.csv")
    with workbench(tmp_path, first) as asker:
        asker.settled()
        asker.change(roles=ROLES, k=4, suppress=0.3)
        advice = asker.ask("GET", "advice")[1]
    (tmp_path / "may.json").write_bytes(advice)
    june = tmp_path / "june.csv"
    june.write_text(first.read_text("utf-8").replace(";flu", ";cold"), "utf-8")
    with workbench(tmp_path, june) as asker:
        asker.settled()
        asker.change(roles=ROLES)
        assert asker.ask("POST", "given/like/may.json", advice)[0] == 200
        state = asker.settled()
        assert state["result"]["status"] == "ready", (state["choices"], state["result"])
        values = {option["name"]: option["value"] for option in state["options"]}
        assert [values[name] for name in ("like", "k", "suppress")] == ["may.json", 4, 0.3]
        assert len(state["choices"]["points"]) == 1
        table, score = (asker.ask("GET", what)[1] for what in ("released/csv", "score"))
        refused = asker.change(importance={"age": 2.0})
        assert "no use with --like" in refused["choices"]["error"]["text"]
        assert refused["choices"]["error"]["option"] == "importance"
        asker.change(importance={}, suppress=None)
        assert asker.settled()["choices"]["error"]["option"] == "suppress"
        assert asker.change(suppress=0.3)["result"]["status"] == "ready"
        session = asker.state()["session"]
    monkeypatch.chdir(tmp_path)
    line = state["command"][1]
    capsys.readouterr()
    assert start(shlex.split(line)[1:]) == 0, line
    assert capsys.readouterr().out == state["choices"]["text"]
    assert (tmp_path / "june-released.csv").read_bytes() == table
    assert (tmp_path / "june-score.json").read_bytes() == score
    choices = read_session(session, "session.toml")
    monkeypatch.chdir(tmp_path.parent)
    assert _session_files(tmp_path / "session.toml", choices) == {"like": tmp_path / "may.json"}


def test_a_saved_session_is_repeated(tmp_path: Path) -> None:
    data = write_patients(tmp_path / "patients.csv")
    with workbench(tmp_path, data) as asker:
        asker.settled()
        first = asker.change(roles=ROLES, k=9, suppress=0.3)
        over = [point for point in first["choices"]["points"] if not point["over"]]
        first = asker.change(levels=over[0]["levels"])
    choices = read_session(first["session"], "session.toml")
    with workbench(tmp_path, data, choices) as asker:
        second = asker.settled()
    for part in ("choices", "result", "session", "command"):
        assert first[part] == second[part]
    data.write_text(data.read_text().replace("flu", "cold"))
    with workbench(tmp_path, data, choices) as asker:
        third = asker.settled()
    assert "SHA-256" in warnings_of(third)
    assert "SHA-256" not in warnings_of(second)


def warnings_of(state: State) -> str:
    return " ".join(warning["text"] for warning in state["file"]["warnings"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('k = "five"', "s.toml:1: no session of `veilmix open`"),
        ("king = 5", "s.toml:1: no session of `veilmix open`"),
        ("k = ", "s.toml:1: no session of `veilmix open`"),
        (
            'threshold = "nobody"',
            "s.toml: no session of `veilmix open`: threshold: .* are accepted",
        ),
        ('encoding = "hex"', "s.toml: no session of `veilmix open`: encoding: .* is accepted"),
    ],
)
def test_a_file_that_is_no_session_is_refused(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_session(text, "s.toml")


def test_every_choice_has_an_option_and_a_line_of_the_session() -> None:
    names = {option.name for option in OPTIONS}
    ours = {"data", "sha256", "dismissed", "scored"}
    assert names == set(UserChoices.__struct_fields__) - ours
    choices = UserChoices(data="a.csv", header=False, roles={'a "b"\\': "quasi"}, t={"a": 0.25})
    assert read_session(choices.session(), "s.toml") == choices


def test_windows_quotes_its_own_way() -> None:
    line = quoted_line(["advise", "C:\\Data\\Käthe's table.csv", "--k", "5"], "nt")
    assert line == "veilmix advise 'C:\\Data\\Käthe''s table.csv' --k 5"


def test_a_column_with_a_comma_is_refused_where_a_list_names_it(tmp_path: Path) -> None:
    data = tmp_path / "t.csv"
    data.write_text('"age, years",sex\n' + "30,f\n41,m\n" * 30)
    with workbench(tmp_path, data) as asker:
        asker.settled()
        revision = asker.state()["revision"]
        status, answer = asker.post(
            "change", revision=revision, set={"roles": {"age, years": "quasi"}}
        )
    assert status == 400
    assert "with a comma in its name" in answer["error"]["text"]
    assert answer["error"]["option"] == "roles"


def test_the_page_to_sign_names_no_threshold_that_was_taken_back(tmp_path: Path) -> None:
    data = write_patients(tmp_path / "patients.csv")
    with workbench(tmp_path, data) as asker:
        asker.settled()
        state = asker.change(roles=ROLES, threshold=NAMED[0], k=12, suppress=0.3)
        assert state["result"]["status"] == "ready", state
        named = asker.ask("GET", "sign")[1]
        asker.change(threshold=None)
        after = asker.ask("GET", "sign")[1]
    with workbench(tmp_path, data) as asker:
        asker.settled()
        asker.change(roles=ROLES, k=12, suppress=0.3)
        assert asker.ask("GET", "sign")[1] == after != named


def test_a_hierarchy_that_is_not_here_is_asked_for(tmp_path: Path) -> None:
    data = write_patients(tmp_path / "patients.csv")
    choices = UserChoices(hierarchy={"zip": "hierarchy-1.csv"}, roles=ROLES)
    with workbench(tmp_path, data, choices) as asker:
        error = asker.settled()["choices"]["error"]
        assert "this file is missing; upload it again" in error["text"]
        assert error["option"] == "hierarchy"


def test_a_refused_change_keeps_the_hierarchy(tmp_path: Path) -> None:
    data = write_patients(tmp_path / "patients.csv")
    with workbench(tmp_path, data) as asker:
        asker.settled()
        codes = sorted({line.split(";")[4] for line in data.read_text().splitlines()[1:]})
        text = "".join(f"{code},all\n" for code in codes)
        assert asker.ask("POST", "hierarchy/zip", text.encode())[0] == 200
        first = asker.settled()
        wanted = {"hierarchy": {}, "k": 0}
        assert asker.post("change", revision=first["revision"], set=wanted)[0] == 400
        assert asker.change(k=4)["choices"]["status"] == first["choices"]["status"] == "ready"


def test_a_hierarchy_beside_the_session_is_found(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a,b\n")
    choices = UserChoices(hierarchy={"zip": "h.csv", "age": "none.csv"})
    assert _session_hierarchies(tmp_path / "s.toml", choices) == {"zip": tmp_path / "h.csv"}
