"""`veilmix keys`: an identity of one's own, and what others are to know of it."""

from pathlib import Path

import click

from ..text.layout import Grid, format_option, page, say, write_csv, write_json


@click.command("keys")
@click.argument("name")
@click.option(
    "--in",
    "folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=".",
    help="Folder for both files.  [default: this one]",
)
@format_option
def command(name: str, folder: Path, form: str) -> None:
    """Make the identity NAME: a key to sign with and a TLS key, in a file for you alone.

    NAME.key.toml stays with you. NAME.pub.toml is for others; read its fingerprint out to them.
    """
    from ...scenarios.records.identity_files import create, read_known

    secret, public = create(folder, name)
    print_ = read_known(public)[name].fingerprint
    told = {"name": name, "secret": str(secret), "public": str(public), "fingerprint": print_}
    if form == "json":
        write_json(told)
    elif form == "csv":
        write_csv(Grid(tuple(told), [tuple(told.values())]))
    else:
        out = page()
        say(out, f"wrote {secret}   keep it: whoever has it signs as {name}")
        say(out, f"wrote {public}   give it to others")
        say(out, f"fingerprint {print_}   read it out to them")
