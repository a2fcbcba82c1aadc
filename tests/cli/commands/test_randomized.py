"""A run in which people randomize what they say, as a reader and as a program see it."""

import csv
import io
import json
from pathlib import Path

import pytest
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.records.run_folder import save

CLASS = "randomized-class"


@pytest.fixture(scope="module")
def lying() -> Outcome:
    return run(CLASS, 7)


@pytest.fixture(scope="module")
def kept(lying: Outcome, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save(lying, tmp_path_factory.mktemp("kept")))


def scenario(path: Path, *lines: str) -> str:
    text = ["[scenario]", 'name = "s"', "seed = 3", "[population]", *lines]
    path.write_text("\n".join(text), "utf-8")
    return str(path)


def test_estimates_with_intervals_and_every_epsilon_with_its_kind(typed, lying: Outcome) -> None:
    said = typed("run", CLASS, "--seed", "7", "--no-save")
    assert said.code == 0
    assert lying.findings is not None
    for word in ("estimate", "95 % from", "projected", "truth", "epsilon, local", "... of one bit"):
        assert word in said.out
    for feature in lying.findings.features:
        for share, low, high in zip(feature.shares, feature.low, feature.high, strict=True):
            assert f"{100 * share:.1f} %" in said.out
            assert f"{100 * low:.1f} %" in said.out
            assert f"{100 * high:.1f} %" in said.out
    assert "nats, certified, at least" in said.out
    assert "replace one" in said.out
    assert "tell nobody theirs" not in said.out
    assert "bit-flip epsilon=3 each of 3" in said.out
    assert "A x B x Rh" in said.out
    assert "a report pinned on a person is not a value" in said.out
    assert "curator:" not in said.out


@pytest.mark.slow
def test_one_bit_has_exact_epsilons_after_shuffling(typed, tmp_path: Path) -> None:
    for mechanism in ("grr", "bit-flip"):
        path = scenario(
            tmp_path / "one.toml",
            'source = "builtin:bits"',
            "users = 400",
            '[[feature]]\nname = "x"',
            f'[policy]\nkind = "histogram"\n[local]\nmechanism = "{mechanism}"\nepsilon = 1',
        )
        said = typed("run", path, "--no-save", "--mode", "ideal")
        assert said.code == 0
        for kind in ("hockey-stick", "probabilistic"):
            assert f"{kind} (epsilon, delta = 1e-06)" in said.out
        plain = json.loads(
            typed("run", path, "--no-save", "--mode", "ideal", "--format", "json").out
        )
        (bound,) = plain["findings"]["privacy"]["shuffled"]
        assert 0 < bound["hockey_stick"] < bound["probabilistic"] < 1
        epsilon = {"local": 1, "each": 1, "mixed": False, "unit": "nats"}
        epsilon["adjacency"] = "replace one"
        assert plain["findings"]["epsilon"] == epsilon


@pytest.mark.slow
def test_many_values_are_cut_and_said_to_be(typed, tmp_path: Path) -> None:
    path = scenario(
        tmp_path / "wide.toml",
        'source = "builtin:zipf"',
        "users = 1500",
        '[[feature]]\nname = "word"\nlevels = 40',
        '[policy]\nkind = "histogram"\n[local]\nmechanism = "oue"\nepsilon = 2',
    )
    said = typed("run", path, "--no-save", "--mode", "ideal")
    assert "word: the 12 largest; all are in result.json" in said.out
    assert "different reports: too many to list, not kept" in said.out
    plain = json.loads(typed("run", path, "--no-save", "--mode", "ideal", "--format", "json").out)
    assert plain["release"] is None
    assert len(plain["findings"]["features"][0]["unbiased"]) == 40


def test_programs_read_the_counts_of_reports(typed) -> None:
    counts = list(
        csv.DictReader(io.StringIO(typed("run", CLASS, "--no-save", "--format", "csv").out))
    )
    assert set(counts[0]) == {"feature", "report", "count"}
    assert sum(int(row["count"]) for row in counts) == 30


def test_check_says_what_people_do(typed) -> None:
    said = typed("check", CLASS)
    assert said.code == 0
    for word in ("randomizes", "the analyst", "local epsilon = 3 nats", "A+B+Rh"):
        assert word in said.out
    plain = json.loads(typed("check", CLASS, "--format", "json").out)
    assert [record["reader"] for record in plain["rounds"]] == ["analyst"]
    assert len(list(csv.DictReader(io.StringIO(typed("check", CLASS, "--format", "csv").out)))) == 1


def test_leak_and_show_speak_of_reports(typed, kept: str) -> None:
    leak = typed("leak", kept)
    assert "30 reports linked" in leak.out
    assert "nothing is certain" in leak.out
    assert "everything" not in leak.out
    shown = typed("show", kept, "--as", "analyst+shuffler-1+shuffler-2")
    assert "to reports that they had randomized" in shown.out
    assert "A+B+Rh=" in shown.out
    plain = json.loads(typed("show", kept, "--as", "analyst", "--format", "json").out)
    assert plain["read"][0]["columns"] == ["A+B+Rh"]
    assert plain["linked"] == 0


def test_a_kept_randomized_run_verifies(typed, kept: str) -> None:
    said = typed("verify", kept, "--format", "csv")
    assert said.code == 0
    assert "estimates" in said.out
    assert "people randomize: bit-flip epsilon=3 each of 3" in said.out


@pytest.mark.slow
def test_repeated_runs_tell_the_mean_error(typed, tmp_path: Path) -> None:
    path = scenario(
        tmp_path / "again.toml",
        'source = "builtin:bits"',
        "users = 50",
        '[policy]\nkind = "histogram"\n[local]\nmechanism = "blh"\nepsilon = 6',
    )
    text = Path(path).read_text("utf-8").replace("seed = 3", "seed = 3\nrepeat = 3")
    Path(path).write_text(text, "utf-8")
    said = typed("run", path, "--no-save", "--mode", "ideal")
    assert said.code == 0
    assert "largest error of a share" in said.out
    assert "promise held" not in said.out
    assert "exposure" not in said.out
    assert "nothing" not in said.out


def test_a_burned_round_is_3_and_says_why(typed, tmp_path: Path) -> None:
    path = scenario(
        tmp_path / "burned.toml",
        'source = "builtin:bits"',
        "users = 5",
        "[mix]\nmin_batch = 5",
        '[policy]\nkind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = 1',
        '[[fault]]\nattack = "absent"\nusers = 1',
    )
    said = typed("run", path, "--no-save")
    assert said.code == 3
    assert "round 1  burned: 4 people took part" in said.out
    assert "nothing could be released" in said.err


@pytest.mark.slow
def test_figures_are_drawn_into_the_run_folder(typed, tmp_path: Path) -> None:
    said = typed("run", CLASS, "--mode", "ideal", "--seed", "7", "--out", "kept", "--figures")
    assert said.code == 0
    (folder,) = Path("kept").iterdir()
    names = {path.name for path in (folder / "figures").iterdir()}
    assert names == {f"{a}.{b}" for a in ("estimates", "epsilons") for b in ("png", "svg", "csv")}
    assert (folder / "figures" / "estimates.csv").read_text().startswith("feature,value,unbiased")
    assert typed("verify", str(folder)).code == 0


def test_figures_need_noise_and_a_folder(typed) -> None:
    said = typed("run", "blood-type", "--figures")
    assert said.code == 2
    assert "randomized answers" in said.err
    said = typed("run", CLASS, "--figures", "--no-save")
    assert said.code == 2
    assert "--no-save" in said.err
