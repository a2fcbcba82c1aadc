"""The log of a place: a line for each event, for the operator of a session between machines.

A place is a process of the session: a party, or the users of one machine. The lines are text or
JSON, on stderr or in a file.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import click

from ..errors import StorageError
from .text.layout import clean


class PlaceLog:
    """The log of a place, which contains no keys, no values and no names of people.

    A place is a process of a session between machines: a party, or the users of one machine.

    place: the name of the place, in every line. form: `text` or `json`. path: the file to which
    lines are appended; None for stderr.

    Raises:
        StorageError: the file cannot be opened.
    """

    def __init__(self, place: str, form: str, path: Path | None = None) -> None:
        self._place, self._form, self._path = place, form, path
        self._file: IO[str] | None = None
        self.reopen()
        if (command := click.get_current_context(silent=True)) is not None:
            command.call_on_close(self.close)

    def __call__(self, event: str, detail: str = "", **facts: Any) -> None:
        """Write a line with the current time in UTC.

        event: the kind of event, a word. detail: a sentence. facts: named values, such as numbers.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        if self._form == "json":
            record = {"at": now, "place": self._place, "event": event, "detail": detail, **facts}
            line = json.dumps(record)
        else:
            more = "".join(f"  {name} {value}" for name, value in facts.items())
            line = f"{now[:23]}Z {self._place}  {event}  {clean(detail)}{more}"
        if self._file is None:
            click.echo(line, err=True)
            return
        self._file.write(line + "\n")
        self._file.flush()

    def reopen(self) -> None:
        """Close the log file and open its path again, as log rotation has moved the old file."""
        if self._path is None:
            return
        try:
            file = self._path.open("a", encoding="utf-8")
        except OSError as bad:
            why = bad.strerror or bad
            raise StorageError(f"{self._path}: the log cannot be opened ({why})") from None
        self.close()
        self._file = file

    def close(self) -> None:
        """Close the log file; later lines go to stderr."""
        if self._file is not None:
            self._file.close()
        self._file = None
