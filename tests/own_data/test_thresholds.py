"""Thresholds of authorities: whose they are, how they count, and where they were read."""

import re

import pytest
from veilmix.cli import main
from veilmix.cli.threshold_option import NAMES
from veilmix.errors import DataError
from veilmix.own_data.thresholds import AuthorityThreshold, check_k, thresholds


def test_each_has_a_source_and_says_what_it_states() -> None:
    assert tuple(thresholds()) == NAMES
    for threshold in thresholds().values():
        assert len(threshold.source) > 30, threshold.name
        assert re.search(r"\d{4}|www\.", threshold.source), threshold.name
        assert threshold.states
        assert threshold.about
        assert threshold.risk is None or threshold.size is None


def test_a_chance_is_a_crowd_that_is_never_below_it() -> None:
    ema = thresholds()["ema-0070"]
    assert (ema.risk, ema.k, ema.rounded_k) == (0.09, 12, 11)
    for k in range(1, 200):
        exact = AuthorityThreshold("own", "own", "", "", "", risk=1 / k)
        assert exact.k == k
        above = AuthorityThreshold("own", "own", "", "", "", risk=1 / k - 1e-6)
        assert above.k == k + 1


def test_k_contradicts_no_threshold() -> None:
    ema, expert = thresholds()["ema-0070"], thresholds()["hipaa-expert"]
    assert [check_k(ema, k) for k in (None, 12, 11)] == [12, 12, 11]
    with pytest.raises(DataError, match=r"found --k 10; 12 or 11 is accepted"):
        check_k(ema, 10)
    with pytest.raises(DataError, match=r"gives no number .*--k NUMBER is accepted"):
        check_k(expert, None)


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("age,sex\n" + "30,f\n" * 12 + "40,m\n" * 11)


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize(("more", "below"), [((), "47.8 %"), (("--k", "11"), "0.0 %")])
def test_the_command_says_whose_k_is(
    more: tuple[str, ...], below: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "t.csv", "--threshold", "ema-0070", *more]) == 0
    out, err = capsys.readouterr()
    (truth,) = [line for line in out.splitlines() if line.startswith(" in this table")]
    assert below in truth
    words = " ".join(err.split())
    assert f"threshold k = {more[1] if more else 12} is of European Medicines Agency" in words
    assert "1/11 = 0.0909 is 0.09 if it is rounded" in words
    assert "PhUSE 2016" in words


@pytest.mark.usefixtures("people")
def test_another_k_is_refused_before_the_table_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["advise", "nowhere.csv", "--threshold", "cms-11", "--k", "5"]) == 2
    assert "--threshold cms-11: found --k 5; 11 is accepted" in capsys.readouterr().err
