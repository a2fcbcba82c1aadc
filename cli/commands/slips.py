"""`veilmix poll --slips` and `--with-slips`: paper slips with codes that admit phones to a poll."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ...installation import missing

if TYPE_CHECKING:
    from ...poll.slips import SlipsFile
    from ...scenarios.schema.model import Scenario


def write_slips(
    scenario: "Scenario", questions: Path | None, host: str, port: int, count: int, lang: str | None
) -> None:
    """Write a page of paper slips to print, and the file of their codes; no poll is held.

    A code admits one phone to the poll. The page and the file of codes are named after the file of
    questions. questions: the file of questions; None for the demo. host, port: the address of the
    poll, which the slips show. count: number of slips. lang: language of the slips; None for
    English.

    Raises UsageError if phones cannot reach the address.
    """
    from ...languages.language import language_of
    from ...machines.gate import LOOPBACKS
    from ...poll.sheet import sheet
    from ...poll.slips import fresh_slips

    if host in LOOPBACKS or not port:
        raise click.UsageError(
            f"--slips: found --host {host} --port {port}; the address is printed, so it has to be "
            "the one that phones will reach in the lesson, such as --host 192.168.1.20"
        )
    slips = fresh_slips(scenario.scenario.title, host, port, count)
    address = slips.address
    try:
        page = sheet(slips.title, address, slips.codes, language_of(lang))
    except ImportError:
        raise click.UsageError(missing("web", "--slips")) from None
    name = questions.stem if questions else "demo"
    printable, codes = Path(f"{name}.slips.html"), Path(f"{name}.slips.toml")
    write_with_codes(printable, page, codes, slips)
    click.echo(f"wrote {printable}   print it, cut, mix; some to spare, and hand out unordered")
    click.echo(f"wrote {codes}   the codes: keep it to yourself; delete both after the lesson")
    click.echo(f"in the lesson: veilmix poll {questions or '--demo'} --with-slips {codes}")


def write_with_codes(printable: Path, page: str, codes: Path, slips: "SlipsFile") -> None:
    """Write a page with slips, and the file of their codes; only the owner can read these files.

    StorageError if either exists already. If the codes cannot be written, the page is removed.
    """
    from ...errors import StorageError
    from ...scenarios.serialization.atomic_file import write_whole

    for path in (printable, codes):
        if path.exists():
            raise StorageError(
                f"{path}: exists already; slips are never overwritten: move this file away"
            )
    write_whole(printable, page, force=False, private=True)
    try:
        write_whole(codes, slips.text, force=False, private=True)
    except BaseException:
        printable.unlink()  # a sheet without its codes admits no phone
        raise


def use_slips(path: Path, scenario: "Scenario", host: str, port: int) -> "SlipsFile":
    """Read the file of slips for a poll; return its contents with the address of this poll.

    A slip is a piece of paper with a code that admits one phone, and the address of the poll. host,
    port: the values of the options `--host` and `--port`. Given options replace the printed
    address. Then a note tells phones to type the new address, because the printed address
    leads elsewhere.
    """
    from msgspec.structs import replace

    from ...poll.slips import read_slips

    slips = read_slips(path, scenario.scenario.title)
    explicit_options = {name: _is_given(name) for name in ("host", "port")}
    updated_slips = replace(
        slips,
        host=host if explicit_options["host"] else slips.host,
        port=port if explicit_options["port"] else slips.port,
    )
    click.echo(
        f"{len(slips.codes)} slips: each admits one phone, once; no file says who has which slip"
    )
    if (updated_slips.host, updated_slips.port) != (slips.host, slips.port):
        click.echo(
            f"the slips are printed with {slips.host} port {slips.port}, where a scanned slip "
            "leads; let all open the address on the projector's page, and type their code"
        )
    return updated_slips


def _is_given(name: str) -> bool:
    """Whether the user gave this option of the current command; if not, it has its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT
