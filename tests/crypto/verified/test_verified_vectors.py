"""Records of a verified mix are read alike by veilmix and by a reader without its code."""

import json
from pathlib import Path
from typing import Any

import check_verified
import make_verified_vectors
import pytest
import verified_kit as kit
from imports_kit import imported_by
from veilmix.crypto.verified.ballots import check_ballots, decode_ballot
from veilmix.crypto.verified.keys import decode_key, joint_key
from veilmix.crypto.verified.rows import CiphertextRows, ballot_rows
from veilmix.crypto.verified.shares import DecryptionShares, check_shares, opened_elements
from veilmix.crypto.verified.shuffle import ShuffleProof
from veilmix.crypto.verified.shuffle_checker import check_shuffle
from veilmix.crypto.verified.submit_once import ReaderKeys, check_once, decode_once
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.crypto.verified.values import ValueElements
from veilmix.errors import Refused, VerificationError
from verified_forgeries import FORGERIES

GROUP = kit.GROUP
FILES = sorted((Path(__file__).parent / "vectors").glob("*.json"))
Vector = dict[str, Any]


def unhex(text: str) -> bytes:
    return bytes.fromhex(text)


def rows_of_ballots(vector: Vector, context: ProofContext, key: bytes) -> CiphertextRows:
    rows = list[list[tuple[bytes, bytes]]]()
    if vector["curator_key"]:
        keys = ReaderKeys(unhex(vector["curator_key"]), key)
        for entry in vector["ballots"]:
            both = [decode_once(GROUP, unhex(text)) for text in entry["records"]]
            for ballot in both:
                check_once(context.at(unhex(entry["person"])), keys, ballot)
            rows.append([(ballot.first, ballot.analyst_second) for ballot in both])
        return ballot_rows(rows)
    people = [unhex(entry["person"]) for entry in vector["ballots"]]
    ballots = [
        [decode_ballot(GROUP, unhex(text)) for text in entry["records"]]
        for entry in vector["ballots"]
    ]
    for column in zip(*ballots, strict=True):
        check_ballots(context, key, zip(people, column, strict=True))
    return ballot_rows([[(one.first, one.second) for one in row] for row in ballots])


def read(vector: Vector) -> list[bytes | None]:
    """Read a record with the package."""
    numbers = vector["round"], vector["question"]
    context = ProofContext(GROUP, unhex(vector["announcement"]), *numbers, b"")
    places = [context.at(unhex(entry["place"])) for entry in vector["keys"]]
    keys = [decode_key(context, unhex(entry["record"])) for entry in vector["keys"]]
    key = joint_key(places, keys)
    rows = rows_of_ballots(vector, context, key)
    for hop in vector["hops"]:
        new = CiphertextRows.decode(GROUP, unhex(hop["rows"]))
        proof = ShuffleProof.decode(GROUP, unhex(hop["proof"]))
        checker = kit.entropy("checker")
        check_shuffle(context.at(unhex(hop["place"])), key, rows, new, proof, checker)
        rows = new
    shares = [DecryptionShares.decode(GROUP, unhex(entry["record"])) for entry in vector["shares"]]
    for place, owned, each in zip(places, keys, shares, strict=True):
        check_shares(place, owned.public, rows.firsts, each)
    opened = opened_elements(GROUP, rows.seconds, [each.elements for each in shares])
    return list(ValueElements(GROUP, [*map(unhex, vector["domain"])]).decode_all(opened))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_readers_read_the_same(path: Path) -> None:
    vector = json.loads(path.read_text("utf-8"))
    values = [None if text is None else unhex(text) for text in vector["values"]]
    if not vector["refused"]:
        assert read(vector) == values == check_verified.check_record(vector)
        return
    with pytest.raises((Refused, VerificationError), match=vector["refused"]):
        read(vector)
    with pytest.raises(check_verified.Invalid, match=vector["refused"]):
        check_verified.check_record(vector)


@pytest.mark.parametrize("name", FORGERIES)
def test_the_independent_reader_has_every_equation(name: str) -> None:
    """Each forged proof is refused by the equation that it forges, and no other."""
    statement, proof = FORGERIES[name]()
    names = "group", "announcement", "round", "question"
    context = GROUP.name, kit.HOP.announcement.hex(), kit.HOP.round, kit.HOP.question
    session = check_verified.Session(dict(zip(names, context, strict=True)))
    hop = {
        "place": kit.HOP.place.hex(),
        "rows": statement.new.encode().hex(),
        "proof": proof.encode(GROUP).hex(),
    }
    old = [list(column) for column in statement.old.columns]
    with pytest.raises(check_verified.Invalid, match=f"equation {name.split(maxsplit=1)[0]}$"):
        check_verified.check_hop(session, hop, statement.key, old)


def test_there_are_records_that_hold_and_faults_of_every_part() -> None:
    vectors = [json.loads(path.read_text("utf-8")) for path in FILES]
    assert sum(not vector["refused"] for vector in vectors) == 3
    assert {vector["refused"] for vector in vectors if vector["refused"]} == {
        *("key", "ballot", "rows", "shuffle", "shares")
    }


def test_the_files_are_what_the_script_makes() -> None:
    assert make_verified_vectors.main(["--check"]) == 0


def test_the_independent_reader_has_rbcl_and_python_alone() -> None:
    path = Path(check_verified.__file__)
    assert path.read_text("utf-8").count("\n") <= 400
    standard = {"hashlib", "json", "sys", "collections", "collections.abc", "pathlib", "typing"}
    assert imported_by(check_verified) <= {"rbcl", "Counter", "Sequence", "Path", "Any", *standard}


def test_its_command_prints_counts_or_the_first_fault(capsys: pytest.CaptureFixture[str]) -> None:
    folder = FILES[0].parent
    assert check_verified.main(str(folder / "mix.json")) == 0
    assert capsys.readouterr().out.splitlines() == [
        "3 ballots, each with its sender's proof; shuffles proved: 2",
        "     1 malformed",
        f"     1 {make_verified_vectors.LONG!r}",
        "     1 b'yes'",
    ]
    assert check_verified.main(str(folder / "rogue-key.json")) == 1
    assert "rogue-key.json: key of b'reader'" in capsys.readouterr().err
