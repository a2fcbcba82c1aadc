"""Every command, on blood-type: what a newcomer types, and what a program reads."""

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from veilmix.installation import PROJECT_FOLDER
from veilmix.number_text import give_or_take
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.gallery import names, source
from veilmix.scenarios.lab.validation.load import loads

PARTIES = {"curator", "analyst", "shuffler-1", "shuffler-2"}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_new_lists_the_gallery_and_writes_a_copy(typed) -> None:
    listed = typed("new")
    everything = names()
    assert all(name in listed.out for name in everything)
    told = json.loads(typed("new", "--format", "json").out)
    assert tuple(entry["scenario"] for entry in told) == everything
    groups = ["to start from", "attacks", "bases of attacks"]
    assert list(dict.fromkeys(entry["group"] for entry in told)) == groups
    assert typed("new", "zipf", "mine.toml").code == 0
    assert Path("mine.toml").read_text("utf-8") == source("zipf")
    again = typed("new", "titanic", "mine.toml")
    assert again.code == 2
    assert "--force" in again.err
    assert Path("mine.toml").read_text("utf-8") == source("zipf")
    assert typed("new", "titanic", "mine.toml", "--force").code == 0
    assert Path("mine.toml").read_text("utf-8") == source("titanic")
    assert typed("new", "titanic", "-").out == source("titanic")
    assert "did you mean `titanic`" in typed("new", "titanik").err
    assert typed("new", "titanic", "no/such/folder.toml").code == 2
    assert [path.name for path in Path().iterdir()] == ["mine.toml"]


def test_check_says_what_it_will_cost(typed) -> None:
    said = typed("check", "blood-type")
    assert said.code == 0
    for word in ("30", "shuffler-1, shuffler-2 and the curator", "k = 2", "8.0 %", "one core"):
        assert word in said.out
    plain = json.loads(typed("check", "blood-type", "--format", "json").out)
    first, second = plain["rounds"]
    assert (first["onions"], first["layers"]) == (90, 30 * (3 * 2 + 1))
    assert (second["onions"], second["layers"]) == (30, 30 * (1 * 2 + 1))
    assert plain["cpu_seconds"] > 0
    assert len(rows(typed("check", "blood-type", "--format", "csv").out)) == 2


def test_what_check_says_of_sizes_is_what_a_run_sends(typed, played: Outcome) -> None:
    assert played.transcript is not None
    plain = json.loads(typed("check", "blood-type", "--format", "json").out)
    sent = next(e for e in played.transcript.events if e.receiver == "shuffler-1")
    assert plain["rounds"][0]["bytes_per_person"] == sent.size


def test_run_prints_the_release_and_the_scores(typed, played: Outcome) -> None:
    said = typed("run", "blood-type", "--worst-case", "0")
    assert said.code == 0
    head = "30 people, 3 features, 2 shufflers, seed 7 (seeded: reproducible, not secret)"
    assert head in said.out
    assert "90 onions -> curator" in said.out
    assert f"released: {', '.join(played.released_columns)}" in said.out
    assert "30 of 30" in said.out
    assert "curator + shuffler-1 + shuffler-2" in said.out
    assert "saved runs/blood-type-0007/   next: veilmix show runs/blood-type-0007" in said.out
    assert said.err == ""
    files = {path.name for path in Path("runs/blood-type-0007").iterdir()}
    assert files == {
        *("scenario.toml", "transcript.jsonl.gz", "result.json", "release.csv", "versions.json"),
        "seal.json",
    }


def test_a_run_prints_json_and_csv_for_programs(typed, played: Outcome) -> None:
    said = typed("run", "blood-type", "--format", "json")
    assert json.loads(said.out) == json.loads(json.dumps(played.result()))
    assert said.out == Path("runs/blood-type-0007/result.json").read_text("utf-8")
    table = typed("run", "blood-type", "--format", "csv").out
    assert table == Path("runs/blood-type-0007-2/release.csv").read_text("utf-8")
    assert typed("run", "blood-type", "--quiet").out == "runs/blood-type-0007-3\n"
    assert typed("run", "blood-type", "--no-save", "--quiet").out == ""
    assert len(list(Path("runs").iterdir())) == 3


def test_system_randomness_is_said_and_named_by_its_digest(typed) -> None:
    Path("fresh.toml").write_text(source("blood-type").replace("seed  = 7", ""), "utf-8")
    said = typed("run", "fresh.toml", "--worst-case", "0")
    assert "system randomness" in said.out
    (kept,) = Path("runs").iterdir()
    digest = json.loads((kept / "result.json").read_text("utf-8"))["digest"]
    assert kept.name == f"blood-type-{digest[:8]}"


def test_trace_tells_every_move(typed) -> None:
    said = typed("run", "blood-type", "--trace", "--no-save")
    assert len(re.findall(r"user-\d+ -> shuffler-1 +submission +[0-9a-f]{8}", said.out)) == 60
    assert "curator has opened and counted 90 ballots" in said.out
    assert "round 1: A, B, Rh, for the curator" in said.out
    program = typed("run", "blood-type", "--trace=all", "--no-save", "--format", "json")
    assert json.loads(program.out)["users"] == 30
    assert program.err.count("submission") == 60


@pytest.mark.slow
def test_a_trace_of_many_people_is_short(typed) -> None:
    short = ["run", "who-must-collude", "--no-save", "--worst-case", "0"]
    Path("many.toml").write_text(source("who-must-collude").replace("200 ", "201 "), "utf-8")
    said = typed("run", "many.toml", *short[2:], "--trace")
    assert "201 submissions" in said.out
    assert said.out.count("submission ") == 0
    assert typed("run", "many.toml", *short[2:], "--trace=all").out.count(" submission ") == 402


def test_show_through_different_eyes(typed, folder: Path) -> None:
    listed = typed("show", str(folder))
    assert listed.code == 0
    assert all(party in listed.out for party in (*PARTIES, "network", "user-30"))
    curator = typed("show", str(folder), "--as", "curator")
    assert "no value can be pinned on anybody" in curator.out
    assert "submission" not in curator.out.split("opens")[0]
    broken = typed("show", str(folder), "--as", "curator+shuffler-1+shuffler-2")
    assert "30 of 30 people" in broken.out
    assert "user-1  A=" in broken.out
    plain = json.loads(
        typed("show", str(folder), "--as", "curator", "--as", "shuffler-1", "--format", "json").out
    )
    assert plain["parties"] == ["curator", "shuffler-1"]
    assert plain["linked"] == 0
    assert sum(event["kind"] == "submission" for event in plain["events"]) == 60
    own = json.loads(typed("show", str(folder), "--as", "user-3", "--format", "json").out)
    assert set(own["pinned"]) == {"user-3"}


def test_show_as_a_diagram(typed, folder: Path) -> None:
    lines = typed("show", str(folder), "--as", "shuffler-1", "--format", "mermaid").out.splitlines()
    assert lines[0] == "sequenceDiagram"
    assert "    users->>shuffler_1: 30 x submission" in lines
    assert not any("curator->>analyst" in line for line in lines)
    named = {line.split()[1] for line in lines if line.startswith("    participant")}
    drawn = [line.split(":")[0].strip().split("->>") for line in lines if "->>" in line]
    assert {name for arrow in drawn for name in arrow} == named


def test_show_as_somebody_who_is_not_there(typed, folder: Path) -> None:
    said = typed("show", str(folder), "--as", "shuffler-3")
    assert said.code == 2
    assert "shuffler-2" in said.err
    assert typed("show", str(folder), "--as", "user-31").code == 2
    assert "did you mean `curator`" in typed("show", str(folder), "--as", "curatr").err


def test_leak_is_computed_from_the_transcript(typed, folder: Path, played: Outcome) -> None:
    plain = json.loads(typed("leak", str(folder), "--format", "json").out)
    coalitions = {tuple(record["parties"]): record for record in plain["coalitions"]}
    assert set(coalitions) == {coalition.parties for coalition in played.coalitions}
    for coalition in played.coalitions:
        said = coalitions[coalition.parties]
        assert (said["linked"], said["cells_certain"]) == (
            coalition.linked,
            coalition.cells_certain,
        )
        assert said["bits_per_person"] == pytest.approx(coalition.bits_per_person)
    assert plain["smallest"] == [
        ["analyst", "shuffler-1", "shuffler-2"],
        ["curator", "shuffler-1", "shuffler-2"],
    ]


def test_leak_does_not_believe_result_json(typed, folder: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(folder, changed)
    text = (changed / "result.json").read_text("utf-8")
    (changed / "result.json").write_text(text.replace('"linked": 30', '"linked": 0'), "utf-8")
    assert typed("leak", str(changed)).out == typed("leak", str(folder)).out
    assert typed("verify", str(changed), "--no-replay").code == 3


def test_tables_are_never_cut_when_piped(typed, folder: Path, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    said = typed("leak", str(folder))
    (line,) = [line for line in said.out.splitlines() if line.startswith(" ● ● ● ●")]
    assert line.split()[4:6] == ["1", "30"]
    assert line.endswith("everything")
    assert "\x1b" not in said.out
    assert len(rows(typed("leak", str(folder), "--format", "csv").out)) == 16


def test_leak_has_a_row_for_each_kind_of_coalition_in_80_columns(typed, folder: Path) -> None:
    lines = typed("leak", str(folder)).out.splitlines()
    table = [line for line in lines if line[1:2] in ("●", "○", "·")]
    assert lines[0].split()[:5] == ["C", "A", "1", "2", "of"]
    assert [line.split()[:5] for line in table] == [
        ["·", "·", "○", "○", "4"],
        ["●", "·", "○", "○", "3"],
        ["·", "●", "○", "○", "3"],
        ["●", "●", "○", "○", "3"],
        ["●", "·", "●", "●", "1"],
        ["·", "●", "●", "●", "1"],
        ["●", "●", "●", "●", "1"],
    ]
    assert max(map(len, [lines[0], *table])) <= 80
    assert max(map(len, lines)) < 120


@pytest.mark.slow
def test_verify_checks_everything_and_replays(typed, folder: Path) -> None:
    said = typed("verify", str(folder))
    assert said.code == 0
    assert "13 of 13 checks made, none failed" in said.out
    plain = json.loads(typed("verify", str(folder), "--no-replay", "--format", "json").out)
    assert [check["check"] for check in plain if check["ok"] is None] == ["replay"]
    assert all(check["ok"] for check in plain if check["check"] != "replay")
    assert {check["shows"] for check in plain if check["ok"]} == {"consistency"}
    assert len(rows(typed("verify", str(folder), "--no-replay", "--format", "csv").out)) == 13


@pytest.mark.slow
def test_doctor_looks_at_everything(typed) -> None:
    said = typed("doctor")
    assert said.code == 0, said.out
    plain = json.loads(typed("doctor", "--format", "json").out)
    states = {finding["what"]: finding["state"] for finding in plain}
    assert {"python", "numpy", "threads", "terminal", "run folders", "extra: data"} <= set(states)
    assert set(states.values()) <= {"ok", "note"}


def test_doctor_fails_where_a_library_is_missing(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veilmix.cli.commands.doctor.speed_up", lambda: 2.0)
    monkeypatch.setattr("veilmix.scenarios.records.run_folder.LIBRARIES", ("no-such-library",))
    said = typed("doctor")
    assert said.code == 2
    (line,) = [line for line in said.out.splitlines() if "no-such-library" in line]
    assert line.split() == [
        "no-such-library",
        "missing",
        "FAIL",
        "make",
        "-C",
        str(PROJECT_FOLDER),
        "demo",
    ]
    Path("runs").write_text("not a folder", "utf-8")
    assert typed("doctor").out.count("FAIL") == 2


def test_an_unknown_run_lists_those_there_are(typed, folder: Path) -> None:
    assert "veilmix run blood-type" in typed("leak", "nothing").err
    shutil.copytree(folder, Path("runs") / folder.name)
    said = typed("leak", "blood-type-0070")
    assert said.code == 2
    assert "runs/blood-type-0007" in said.err
    assert "did you mean" in typed("leak", "bloodtype-0007").err
    assert typed("leak", folder.name).code == 0


def test_an_ideal_run_has_scores_but_no_messages(typed) -> None:
    said = typed("run", "blood-type", "--mode", "ideal", "--worst-case", "0")
    assert said.code == 0
    assert "without a message" in said.out
    assert typed("verify", "blood-type-0007").code == 0
    leak = typed("leak", "blood-type-0007")
    assert leak.code == 2
    assert "ideal" in leak.err


def test_the_gallery_copy_can_be_loaded(typed) -> None:
    typed("new", "blood-type")
    assert loads(Path("blood-type.toml").read_text("utf-8")).scenario.seed == 7
    assert typed("check", "blood-type.toml").code == 0


def test_the_base_of_a_scenario_is_named(typed) -> None:
    wrote = typed("new", "attack-tag", "mine.toml").out
    assert wrote.startswith("wrote mine.toml   extends titanic-200: veilmix new titanic-200 - ")
    assert "extends" not in typed("new", "titanic").out
    assert "\nextends   titanic-200\n" in typed("check", "mine.toml").out
    assert json.loads(typed("check", "mine.toml", "--format", "json").out)["extends"] == [
        "titanic-200"
    ]
    assert "extends" not in json.loads(typed("check", "titanic", "--format", "json").out)
    Path("more.toml").write_text('extends = "mine.toml"\nscenario.name = "more"\n')
    assert "\nextends   mine.toml, which extends titanic-200\n" in typed("check", "more.toml").out
    folder = typed("run", "more.toml", "--mode", "ideal", "--quiet").out.strip()
    bases = "mine.toml, which extends titanic-200"
    assert f"\nscenario more, which extends {bases}\n" in typed("show", folder).out


def test_check_says_who_attacks_and_what_is_on_guard(typed) -> None:
    said = typed("check", "attack-tag").out
    assert "attack    tag: shuffler-1 turns over a bit of some answers, to know them again" in said
    assert "stopped or shown by: balance (on)" in said
    assert "order: somebody can read who is who" in typed("check", "attack-order").out
    assert "poison: each of 10 people lies about itself" in typed("check", "attack-poison").out
    assert "burn (off)" in typed("check", "attack-rerun").out


def test_a_run_tells_what_an_attack_achieved_and_who_noticed(typed) -> None:
    said = typed("run", "attack-order", "--no-save").out
    assert "attack: order" in said
    assert "30 of 30" in said
    noticed = typed("run", "attack-forward", "--no-save")
    assert noticed.code == 0  # nothing could be released, which it expects
    assert "alarm: order" in noticed.out
    assert "raised on the board by shuffler-2" in noticed.out


@pytest.mark.slow
def test_people_who_do_not_exist_are_counted_among_those_linked(typed) -> None:
    said = typed("run", "attack-flood", "--worst-case", "0").out
    assert re.search(r"linked by curator and shufflers +400 of 400 ", said)
    seen = typed("show", "attack-flood-0007", "--as", "curator+shuffler-1+shuffler-2").out
    assert "links    400 of 400 people" in seen


@pytest.mark.parametrize(
    ("error", "said"), [(None, ""), (0.0, ""), (9e-18, ""), (0.034, " +- 0.034")]
)
def test_an_error_of_rounding_is_not_told(error: float | None, said: str) -> None:
    assert give_or_take(error, 2) == said


def test_the_rounds_of_a_scenario_are_numbers_for_a_program(typed) -> None:
    lines = list(csv.reader(io.StringIO(typed("check", "titanic", "--format", "csv").out)))
    assert [int(line[6]) for line in lines[1:]] == [4_910_431, 1_840_036]
    assert "4,910,431" in typed("check", "titanic").out


@pytest.mark.slow
def test_a_ledger_refuses_the_same_people_less_one(typed, tmp_path) -> None:
    source = "[scenario]\nname = 'kept'\nseed = 7\n"
    source += "[population]\nsource = 'builtin:titanic'\nusers = 40\n"
    policy = "[policy]\nkind = 'fixed'\nkeep = ['sex']\nk = 2\nmax_exposure = 1.0\n"
    whole, less = tmp_path / "whole.toml", tmp_path / "less.toml"
    whole.write_text(source + policy)
    less.write_text(source + policy + "[[fault]]\nattack = 'absent'\nby = 'user-3'\n")
    book = str(tmp_path / "book.json")
    said = typed("run", str(whole), "--ledger", book, "--worst-case", "0")
    assert said.code == 0, said.err
    assert "ledger: sessions" in said.out
    refused = typed("run", str(less), "--ledger", book, "--worst-case", "0")
    assert refused.code == 3
    assert "1 people took part in other rounds than everybody else" in refused.err
    (tmp_path / "book.json").write_text("{}")
    damaged = typed("run", str(whole), "--ledger", book, "--worst-case", "0")
    assert damaged.code == 2
    assert "no ledger" in damaged.err


def test_a_table_too_large_to_be_searched_is_named_with_the_option_that_searches_it(typed) -> None:
    rows = "\n".join(f"{i % 6},{i * 5 % 7},{i // 7 % 5}" for i in range(400))
    Path("people.csv").write_text(f"a,b,c\n{rows}\n", "utf-8")
    policy = "[policy]\nk = 3\nmax_exposure = 1.0\n"
    source = '[population]\nsource = "people.csv"\n'
    Path("s.toml").write_text(f'[scenario]\nname = "s"\nseed = 1\n{source}{policy}', "utf-8")
    told = typed("run", "s.toml", "--mode", "ideal", "--no-save").out
    said = " ".join(told.split())
    assert (
        "210 cells are more than the 100 that are searched; --worst-case NODES searches further"
    ) in said
