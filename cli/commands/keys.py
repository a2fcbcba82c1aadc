"""`veilmix keys`: make an identity, a secret file to sign with and a public file to give away."""

from pathlib import Path

import click

from ...presentation.text_blocks import Grid
from ..text.layout import format_option, page, say, write_csv, write_json


@click.command("keys")
@click.argument("name")
@click.option(
    "--in",
    "folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=".",
    help="Folder for both key files.  [default: this one]",
)
@click.option(
    "--people",
    type=click.IntRange(1, 1_000_000),
    metavar="NUMBER",
    help=(
        "Also make this number of keys, for the people who answer at that party: NAME.people.toml."
    ),
)
@format_option
def command(name: str, folder: Path, people: int | None, form: str) -> None:
    """Make the identity NAME: a signing key and a TLS key, in a secret file.

    NAME.key.toml is secret: keep it. NAME.pub.toml is public: give it to the other parties, and
    read its fingerprint out to them. NAME.people.toml (--people) is public too: a session with
    `registered` takes from it the keys of the people that may answer.
    """
    from msgspec import UNSET

    from ...scenarios.deployment.people_keys import create_people
    from ...scenarios.records.identity_files import create, read_identity, read_known
    from ...scenarios.serialization.record import plain
    from ..text.records import MadeIdentity

    secret, public = create(folder, name)
    print_ = read_known(public)[name].fingerprint
    people_file = str(create_people(folder, read_identity(secret), people)) if people else UNSET
    identity = MadeIdentity(name, str(secret), str(public), print_, people_file)
    if form == "json":
        write_json(identity)
    elif form == "csv":
        record = plain(identity)
        write_csv(Grid(tuple(record), [tuple(record.values())]))
    else:
        out = page()
        say(out, f"wrote {secret}   keep it: whoever has it signs as {name}")
        say(out, f"wrote {public}   give it to others")
        if people:
            say(out, f"wrote {identity.people}   give it to others: keys of {name}'s people")
        say(out, f"fingerprint {print_}   read it out to them")
