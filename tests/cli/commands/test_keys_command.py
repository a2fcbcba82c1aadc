"""`veilmix keys`: two files, a fingerprint, and no secret on the screen."""

import json
import stat
from pathlib import Path

import pytest
from veilmix.scenarios.records.identity_files import read_identity


def test_an_identity_is_two_files(typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    said = typed("keys", "ada")
    assert said.code == 0
    mine = read_identity(tmp_path / "ada.key.toml")
    assert mine.public.fingerprint in said.out
    assert mine.seed.hex() not in said.out + said.err
    assert stat.S_IMODE(Path("ada.key.toml").stat().st_mode) == 0o600
    again = typed("keys", "ada")
    assert again.code == 2
    assert "is there already" in again.err
    assert read_identity(tmp_path / "ada.key.toml").seed == mine.seed


def test_keys_as_data_and_where(typed, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    said = typed("keys", "bob", "--in", str(tmp_path), "--format", "json")
    told = json.loads(said.out)
    assert told["name"] == "bob"
    assert Path(told["secret"]) == tmp_path / "bob.key.toml"
    assert typed("keys", "../bob", "--in", str(tmp_path)).code == 2
    assert typed("keys", "eve", "--in", str(tmp_path / "nowhere")).code == 2


def test_a_run_that_is_signed_is_authentic_to_whom_knows_the_signer(typed, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for name in ("ada", "eve"):
        assert typed("keys", name).code == 0
    assert typed("run", "blood-type", "--quiet", "--sign", "ada.key.toml").code == 0
    shows = {}
    for name in ("ada", "eve"):
        said = typed(
            "verify", "blood-type-0007", "--identities", f"{name}.pub.toml", "--format", "json"
        )
        assert said.code == 0
        shows[name] = {check["check"]: check["shows"] for check in json.loads(said.out)}["files"]
    assert shows == {"ada": "authenticity", "eve": "consistency"}
    assert typed("run", "blood-type", "--quiet", "--sign", "ada.pub.toml").code == 2
    (tmp_path / "bad.toml").write_text("x = 1")
    assert typed("verify", "blood-type-0007", "--identities", "bad.toml").code == 2
