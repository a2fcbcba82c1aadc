"""Identity files: a secret one for its owner, a public one for others, and one kind of refusal."""

import logging
import ssl
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from veilmix.errors import StorageError
from veilmix.scenarios.records.identity_files import create, read_identity, read_known


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("identities")
    for name in ("ada", "bob", "eve"):
        create(folder, name)
    return folder


def test_the_secret_file_is_for_its_owner(made: Path) -> None:
    secret, public = made / "ada.key.toml", made / "ada.pub.toml"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    identity = read_identity(secret)
    assert read_known(public) == {"ada": identity.public} == read_known(secret)
    told = public.read_text()
    assert identity.seed.hex() not in told
    assert "PRIVATE" not in told
    assert identity.public.fingerprint in told


def test_an_identity_is_never_replaced(made: Path) -> None:
    before = (made / "ada.key.toml").read_bytes()
    with pytest.raises(StorageError, match="is there already"):
        create(made, "ada")
    assert (made / "ada.key.toml").read_bytes() == before


def test_a_secret_that_others_may_read_is_refused(made: Path, tmp_path: Path) -> None:
    loose = tmp_path / "ada.key.toml"
    loose.write_bytes((made / "ada.key.toml").read_bytes())
    for mode in (0o640, 0o604, 0o644):
        loose.chmod(mode)
        with pytest.raises(StorageError, match="chmod 600"):
            read_identity(loose)
    loose.chmod(0o400)
    assert read_identity(loose).public.name == "ada"


def test_public_files_one_after_the_other_are_a_file_of_whom_one_knows(
    made: Path, tmp_path: Path
) -> None:
    known = tmp_path / "class.toml"
    parts = [(made / f"{name}.pub.toml").read_text() for name in ("ada", "bob")]
    known.write_text("".join(parts))
    assert list(read_known(known)) == ["ada", "bob"]
    known.write_text("".join([*parts, parts[0]]))
    with pytest.raises(StorageError, match="two identities are called ada"):
        read_known(known)


def edited(change: Callable[[str], str]) -> Callable[[Path, Path], Path]:
    def write(made: Path, folder: Path) -> Path:
        path = folder / "x.key.toml"
        path.write_text(change((made / "ada.key.toml").read_text()))
        path.chmod(0o600)
        return path

    return write


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text[:-9],
        lambda text: text.replace("[[identity]]", "[identity]"),
        lambda text: text + "more = 1\n",
        lambda text: text + "[other]\n",
        lambda text: text.replace("seed =", "sead ="),
        lambda text: text.replace('name = "ada"', 'name = "eve"'),
        lambda text: text.replace('name = "ada"', "name = 3"),
        lambda text: text.replace('key = "', 'key = "zz', 1),
        lambda text: text.replace('seed = "', 'seed = "zz'),
        lambda text: text.replace('seed = "', 'seed = "00'),
        lambda text: text.replace("BEGIN PRIVATE", "BEGIN PUBLIC"),
        lambda text: "a = " + "[" * 10_000,
        lambda text: text + "#" * (1 << 22),
    ],
)
def test_no_identity_is_one_kind_of_error_without_its_secret(
    change: Callable[[str], str], made: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    seed = read_identity(made / "ada.key.toml").seed.hex()
    with pytest.raises(StorageError) as caught:
        read_identity(edited(change)(made, tmp_path))
    assert seed not in str(caught.value) + caplog.text
    assert "PRIVATE" not in str(caught.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    for read in (read_identity, read_known):
        with pytest.raises(StorageError, match="cannot be read"):
            read(tmp_path / "nothing")  # type: ignore[operator]
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(StorageError, match="not TOML"):
        read_known(tmp_path / "bytes")


def shake(server: tuple[Path, Path], client: tuple[Path, Path]) -> str:
    """Shake hands in memory; each side has its own file and the file of whom it knows."""
    sides = []
    for (own, known), purpose in (
        (server, ssl.PROTOCOL_TLS_SERVER),
        (client, ssl.PROTOCOL_TLS_CLIENT),
    ):
        context = ssl.SSLContext(purpose)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(own)
        context.load_verify_locations(known)
        sides.append((context, purpose))
    inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
    connection = sides[0][0].wrap_bio(inward, outward, server_side=True)
    other = sides[1][0].wrap_bio(outward, inward)
    for _ in range(5):
        for end in (connection, other):
            with suppress(ssl.SSLWantReadError):
                end.do_handshake()
    seen = connection.getpeercert()
    assert seen is not None
    return str(seen["subjectAltName"])


def test_tls_reads_the_files_as_they_are(made: Path) -> None:
    ada = made / "ada.key.toml", made / "bob.pub.toml"
    assert "bob" in shake(ada, (made / "bob.key.toml", made / "ada.pub.toml"))
    with pytest.raises(ssl.SSLCertVerificationError):
        shake(ada, (made / "eve.key.toml", made / "ada.pub.toml"))
