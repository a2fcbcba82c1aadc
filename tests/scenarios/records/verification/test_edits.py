"""Every edit of one field of a run folder is noticed, or changes nothing that is read."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from edits_kit import edits
from sample_kit import sampled
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.identity import PublicIdentity, make_identity
from veilmix.errors import StorageError, VerificationError
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.records.folder_seal import SEAL, read_seal
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.verification.checks import CheckResult, Shows, verify
from veilmix.scenarios.records.verification.evidence import RecordEvidence
from veilmix.scenarios.records.verification.signers import folder as check_files

# Without the seal only the scenario itself says these: what was expected, guards that found nothing
# to do, and where people come from; whether a worst case was sought and with which limits, if other
# limits find the same; and what the clock showed, which is not another machine's.
ONLY_SEALED = (
    r"scenario\.toml: .*",
    r"result\.json: exposure\.worst_case(: .*|\.search.*)",
    r"transcript\.jsonl\.gz: .*: time.*",
)
# scenario, mode, and of how many edits one is tried
KINDS = [("blood-type", "real", 1), ("blood-type", "ideal", 3), ("randomized-class", "real", 7),
         ("incidence-class", "real", 7), ("village", "real", 7),
         ("attack-flood", "real", 14)]  # fmt: skip


@contextmanager
def edited(folder: Path, file: str, data: bytes | None) -> Iterator[None]:
    """The folder with one file edited, or without it."""
    path = folder / file
    before = path.read_bytes()
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
    try:
        yield
    finally:
        path.write_bytes(before)


def seen(folder: Path) -> bool:
    """Whether the files of a folder are found not to be as they were written."""
    try:
        check_files(RecordEvidence(read(folder), wants_replay=False))
    except (StorageError, VerificationError):
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("thinner", sampled([12, 1], 0))
@pytest.mark.parametrize(("name", "mode", "step"), KINDS)
def test_every_edit_is_noticed(
    name: str, mode: str, step: int, thinner: int, tmp_path: Path
) -> None:
    folder = save(run(name, 7, mode, worst_case_nodes=0), tmp_path)  # type: ignore[arg-type]
    assert not seen(folder)
    all_edits = list(edits(folder))
    assert len(all_edits) > 300
    for file, what, data in all_edits[:: step * thinner]:
        with edited(folder, file, data):
            assert seen(folder), f"{file}: {what}"


def noticed(record: Run, *, again: bool | None) -> bool:
    checks = verify(record, wants_replay=again)
    return any(check.ok is False for check in checks if check.name != "files")


@pytest.mark.slow
def test_most_edits_are_noticed_without_the_seal(tmp_path: Path) -> None:
    """One edit in twelve, with a replay: a seal made anew hides only what is listed."""
    folder = save(run("blood-type", 7, worst_case_nodes=10), tmp_path)
    honest = read(folder)
    missed = []
    for file, what, data in list(edits(folder))[5::12]:
        try:
            with edited(folder, file, data):
                record = read(folder)
        except StorageError:
            continue
        if noticed(record, again=False) or noticed(record, again=None):
            continue
        same = (record.scenario, record.result, record.transcript, record.release) == (
            *(honest.scenario, honest.result, honest.transcript, honest.release),
        )
        if not same:
            missed.append(f"{file}: {what}")
    assert missed
    assert not [edit for edit in missed if not any(re.fullmatch(p, edit) for p in ONLY_SEALED)]


def test_a_seal_that_is_gone_or_damaged_is_noticed(tmp_path: Path) -> None:
    folder = save(run("blood-type", 7, worst_case_nodes=0), tmp_path)
    text = (folder / SEAL).read_text()
    for other in ("", "{}", "[" * 9999, text.replace("files", "filed"), "x" * 99_999):
        (folder / SEAL).write_text(other)
        with pytest.raises(StorageError, match=r"seal\.json"):
            read(folder)
    (folder / SEAL).unlink()
    checks = {check.name: check for check in verify(read(folder), wants_replay=False)}
    assert checks["files"].ok is False


def test_who_signs_a_folder_is_known_by_its_key(tmp_path: Path) -> None:
    ada, eve = make_identity("ada", SeededEntropy(1)), make_identity("ada", SeededEntropy(2))
    outcome = run("blood-type", 7, worst_case_nodes=0)
    folder = save(outcome, tmp_path, recorder=ada)
    for known, shows in (
        ({}, Shows.CONSISTENCY),
        ({"ada": eve.public}, Shows.CONSISTENCY),
        ({"ada": ada.public}, Shows.AUTHENTICITY),
    ):
        checks = {
            check.name: check
            for check in verify(read(folder), wants_replay=False, known_identities=known)
        }
        assert checks["files"].ok is True
        assert checks["files"].shows is shows
    seal = read_seal(folder)
    assert seal is not None
    assert seal.recorder is not None
    text = (folder / SEAL).read_text().replace(seal.recorder.key, eve.public.key.hex())
    (folder / SEAL).write_text(text)
    checks = {check.name: check for check in verify(read(folder), wants_replay=False)}
    assert (checks["files"].ok, checks["files"].shows) == (False, Shows.CONSISTENCY)


def test_what_is_shown_of_posts(tmp_path: Path) -> None:
    """A run of people who do not exist passes, and is said to be signed by nobody known."""
    folder = save(run("blood-type", 7, worst_case_nodes=0), tmp_path)
    checks = {check.name: check for check in verify(read(folder), wants_replay=False)}
    assert checks["signatures"].ok is True
    assert checks["signatures"].shows is Shows.CONSISTENCY
    assert "keys from the run's seed" in checks["signatures"].detail
    assert checks["replay"].shows is Shows.NEITHER
    assert {check.shows for check in checks.values() if check.ok} == {Shows.CONSISTENCY}


def test_posts_of_parties_that_are_known_are_authentic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("board", "curator", "analyst", "shuffler-1", "shuffler-2")
    people = {name: make_identity(f"x-{name}", SeededEntropy(i)) for i, name in enumerate(names)}
    signing = {name: person.signer for name, person in people.items()}
    monkeypatch.setattr("veilmix.roles.session.identities_of", lambda _: signing)
    folder = save(run("blood-type", 7, worst_case_nodes=0), tmp_path)
    known = {person.public.name: person.public for person in people.values()}

    def shown(**some: PublicIdentity) -> CheckResult:
        return next(
            check
            for check in verify(read(folder), known_identities=some)
            if check.name == "signatures"
        )

    assert shown(**known).shows is Shows.AUTHENTICITY
    assert "curator is x-curator" in shown(**known).detail
    del known["x-curator"]
    assert shown(**known).shows is Shows.CONSISTENCY
    assert "nobody known: curator" in shown(**known).detail
    assert "no key is known" in shown().detail


def test_posts_that_should_be_signed_and_are_not_are_found(tmp_path: Path) -> None:
    plain = run(change(load("blood-type"), {"defence.signed": False}), 7, worst_case_nodes=0)
    record = read(save(plain, tmp_path))
    checks = {check.name: check for check in verify(record, wants_replay=False)}
    assert (checks["signatures"].ok, checks["signatures"].shows) == (None, Shows.NEITHER)
    claimed = replace(record, scenario=load("blood-type"))
    assert next(check for check in verify(claimed) if check.name == "signatures").ok is False
