"""What the commands say of peers, and where they say that they have nothing to say."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def folder(typed) -> Path:
    assert typed("run", "village", "--quiet").code == 0
    return Path("runs/village-0005")


def test_check_says_what_peers_will_do_and_what_it_costs(typed) -> None:
    said = typed("check", "village")
    assert said.code == 0
    assert "each is user, shuffler, curator and analyst" in said.out
    assert "3 answers, one per feature, and 4 blanks" in said.out
    assert "228 posts" in said.out
    told = json.loads(typed("check", "village", "--format", "json").out)
    assert [record["layers"] for record in told["rounds"]] == [12 * 7 * 3] * 2
    assert told["shufflers"] == 0


@pytest.mark.slow
def test_the_cost_is_what_is_posted(typed, folder: Path) -> None:
    told = json.loads(typed("check", "village", "--format", "json").out)["rounds"][0]
    shown = json.loads(typed("show", str(folder), "--as", "network", "--format", "json").out)
    posted = [event for event in shown["events"] if event["round"] == 1]
    bytes_ = sum(event["bytes"] for event in posted if event["kind"] in ("relay", "found"))
    assert told["bytes"] < bytes_ < 1.25 * told["bytes"]  # frames and numbers of peers besides


@pytest.mark.slow
def test_leak_tells_coalitions_by_size(typed, folder: Path) -> None:
    said = typed("leak", str(folder))
    assert said.code == 0
    assert "whole rows linked" in said.out
    assert "half the village does" in said.out
    lines = typed("leak", str(folder), "--format", "csv").out.splitlines()
    assert len(lines) == 1 + 11
    told = json.loads(typed("leak", str(folder), "--format", "json").out)
    assert [group["size"] for group in told["peers"]] == list(range(1, 12))
    assert told["peers"][-1]["onions"]["mean"] == told["peers"][-1]["expected"] == 1
    assert told["smallest"] == []


@pytest.mark.slow
def test_show_and_verify_know_peers(typed, folder: Path) -> None:
    assert "peer-1 ... peer-12" in typed("show", str(folder)).out
    said = typed("show", str(folder), "--as", "peer-1+peer-2")
    assert "links    2 of 12 people" in said.out
    assert "peer-2  A=" in said.out
    assert (
        "peers->>board" in typed("show", str(folder), "--as", "peer-1", "--format", "mermaid").out
    )
    assert "7 of 7 checks made, none failed" in typed("verify", str(folder)).out


@pytest.mark.slow
def test_who_cheats_is_named_and_the_exit_code_is_3(typed) -> None:
    text = typed("new", "village", "-").out
    fault = '[[fault]]\nattack = "tag"\nby = "peer-3"\n'
    Path("tagged.toml").write_text(text + fault, "utf-8")
    said = typed("run", "tagged.toml", "--no-save")
    assert said.code == 3
    assert "peer-3 is named: in round 1" in said.out


@pytest.mark.slow
def test_what_peers_know_is_derived(typed, folder) -> None:
    said = typed("show", str(folder), "--as", "peer-1", "--why", "peer-2")
    assert said.code == 0
    assert said.out.startswith("peer-2, derived by peer-1")
