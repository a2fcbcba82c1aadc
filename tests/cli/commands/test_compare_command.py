"""`veilmix compare`: tables for people, data for programs, and what is wrong said plainly."""

import csv
import io
import json

import pytest

ONLY = ("--programs", "exposure,trusted,shares", "--seed", "7")


@pytest.mark.slow
def test_it_tells_and_keeps(typed) -> None:
    said = typed("compare", "blood-type", *ONLY)
    assert said.code == 0
    assert "30 people, 3 features, k = 2, seed 7; all messages sent" in said.out
    assert "aggregator-1 + aggregator-2" in said.out
    assert "(or 1 other)" in said.out
    roles = next(line for line in said.out.splitlines() if "all together" in line)
    assert roles.split() == [
        "program",
        "curator",
        "analyst",
        "shuffler",
        "aggregator",
        "all",
        "together",
    ]
    trusted = [line.split() for line in said.out.splitlines() if line.startswith(" trusted")][1]
    assert trusted[1:3] == ["3.00,", "90"]
    assert trusted[5:7] == ["-", "-"]
    assert "saved runs/compare-blood-type-0007/" in said.out
    assert not said.err


@pytest.mark.slow
def test_csv_and_json_hold_the_same_programs(typed) -> None:
    form = typed("compare", "blood-type", *ONLY, "--no-save", "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(form.out)))
    data = json.loads(typed("compare", "blood-type", *ONLY, "--no-save", "--format", "json").out)
    assert [line["program"] for line in lines] == ["exposure", "trusted", "shares"]
    assert [program["program"] for program in data["programs"]] == [
        "exposure",
        "trusted",
        "shares",
    ]
    assert data["schema"] == 1
    assert {line["epsilon_adjacency"] for line in lines} == {""}
    assert float(lines[0]["true_exposure"]) == data["programs"][0]["privacy"]["true"]


@pytest.mark.slow
def test_noise_is_told_as_noise(typed) -> None:
    said = typed("compare", "blood-type", "--programs", "local", "--seed", "7", "--no-save")
    assert "30 reports" in said.out
    assert "no rows" in said.out
    assert "e = 4" in said.out
    assert "e: local, of a person's whole answer; adjacency: replace one." in said.out
    assert "joint: one noisy report" in said.out
    assert "runs/" not in said.out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--programs", "trusted,peer"), "no program is called 'peer'; there are exposure"),
        (("--out", "a-file"), "is not a folder"),
        (("--format", "xml"), "xml"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_played(typed, tmp_path, arguments, why) -> None:
    (tmp_path / "a-file").write_text("", "utf-8")
    said = typed("compare", "blood-type", *arguments)
    assert said.code == 2
    assert why in said.err
    assert not said.out


@pytest.mark.slow
def test_a_burned_program_says_why(typed, tmp_path) -> None:
    text = (
        '[scenario]\nname = "few"\nseed = 1\n[population]\nsource = "builtin:titanic"\n'
        "users = 12\n[mix]\nmin_batch = 12\n[policy]\nk = 2\n"
        '[[fault]]\nattack = "malformed"\nby = "user-1"\nround = 1\n'
    )
    (tmp_path / "few.toml").write_text(text, "utf-8")
    said = typed("compare", "few.toml", "--programs", "exposure,shares,trusted", "--no-save")
    assert said.code == 0
    assert "shares: nothing released: 11 people's shares arrived at both aggregators" in said.out
    assert "exposure: nothing released: 11 people took part" in said.out
    assert "shares: refused 2 does-not-open" in said.out


def test_the_mode_is_named_as_everywhere_and_the_next_step_is(typed) -> None:
    said = typed("compare", "blood-type", "--programs", "trusted", "--mode", "ideal")
    assert "counts without messages" in said.out
    assert "next: veilmix report runs/compare-blood-type-0007" in said.out
    sent = typed("compare", "blood-type", "--programs", "trusted", "--mode", "real", "--no-save")
    assert "all messages sent" in sent.out


@pytest.mark.slow
def test_an_old_name_is_answered_with_the_new_one(typed) -> None:
    said = typed("compare", "blood-type", "--programs", "two-round", "--seed", "7", "--no-save")
    assert said.code == 0
    assert said.err.startswith("--programs: 'two-round' is now 'exposure' (since 0.2.0; the old ")
    assert "\n exposure " in said.out
    assert "\n two-round " not in said.out


@pytest.mark.slow
def test_which_program_leaks_least_to_a_coalition_is_answered(typed) -> None:
    few = ("compare", "blood-type", *ONLY, "--no-save", "--coalition")
    said = typed(*few, "curator+shuffler-1")
    assert said.code == 0
    lines = [line.split() for line in said.out.splitlines()]
    assert [line[0] for line in lines[1:] if line and line[-1] == "yes"][-1] == "trusted"
    assert said.out.splitlines()[-1].startswith(
        "least leakage to curator + shuffler-1 at cells no worse than exposure's: "
    )
    assert ", 3.00 bits" not in said.out.splitlines()[-1]
    data = json.loads(typed(*few, "curator", "--equal", "error", "--format", "json").out)
    assert data["reference"] == "exposure"
    assert [leak["program"] for leak in data["leaks"]][-1] == "trusted"


def test_a_misspelt_party_is_refused_before_a_program_is_played(typed) -> None:
    said = typed("compare", "no-such-scenario", "--coalition", "curator+shufler-1")
    assert (said.code, said.out) == (2, "")
    assert said.err.count("\n") == 1
    assert said.err.startswith('coalition: no party is called "shufler-1"; the programs have ')
    assert said.err.endswith("(did you mean `shuffler-1`?)\n")


@pytest.mark.parametrize(
    ("programs", "coalition", "has"),
    [
        ("", "shuffler-9", "curator, aggregator-1, aggregator-2, peer-1, ..., shuffler-1, "),
        ("exposure", "aggregator-1", "analyst, curator, shuffler-1, shuffler-2"),
        ("exposure,histogram", "randomness", "analyst, curator, shuffler-1, shuffler-2"),
        ("trusted", "shuffler-1", "analyst, curator"),
        ("local", "curator", "analyst"),
        ("peers", "curator", "peer-1, ..."),
        ("shares", "aggregator-3", "analyst, curator, aggregator-1, aggregator-2, shuffler-1, "),
    ],
)
def test_a_party_that_no_program_has_is_refused_before_a_program_is_played(
    typed, programs: str, coalition: str, has: str
) -> None:
    only = ("--programs", programs) if programs else ()
    said = typed("compare", "blood-type", *only, "--coalition", coalition)
    assert (said.code, said.out) == (2, "")
    assert f'no party is called "{coalition}"; the programs have ' in said.err
    assert has in said.err
    assert "playing" not in said.err
