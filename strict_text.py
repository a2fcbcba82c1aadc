"""Strict decoding of JSON and TOML files; text that is not accepted raises Unreadable.

    from_json     decodes JSON to a record, each field of its type, or to plain data
    from_toml     decodes TOML in the same way

Python's own parsers accept more than JSON and TOML allow. They also fail in four different ways: on
bytes that are not UTF-8, on wrong syntax, on a whole number of too many digits, and on deep
nesting. Here all of these are the error `Unreadable`. So are a JSON key that occurs twice, NaN and
infinity, a decimal number too large for a float, and one half of a surrogate pair, which UTF-8
cannot encode. The error names the line, and the field where the text has one.
"""

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from math import isinf
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")
DEEP = "lists or tables nested too deeply to be read"
# most digits of a whole number in JSON or TOML, because Python converts no more by default; a
# number with more digits is refused (an environment variable may change Python's limit)
MOST_DIGITS = 4_300

_DIGITS = re.compile(r"\d[\d_]*")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_FIELD = re.compile(r"^(.*) - at `(key in )?\$?\.?(.*)`$", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Unreadable(ValueError):
    """The error for text that is not accepted as JSON or TOML.

    Attributes:
        line: the line of the fault, from 1; the last line if the text ends too early.
        why: the value found and the accepted values, after the field's name if there is a field.
    """

    def __init__(self, line: int, why: str) -> None:
        """Set line and reason; the message of the error is "line N: reason"."""
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


class _Refused:
    """A placeholder in parsed data for a value that is not accepted.

    The parser's hooks do not know the field of a value. So they return a placeholder, and a later
    pass over the data finds its field. why: the reason. key: the key that occurs twice, if any.
    """

    def __init__(self, why: str, key: str | None = None) -> None:
        self.why = why
        self.key = key


@overload
def from_json(data: bytes | str) -> Any: ...
@overload
def from_json(data: bytes | str, kind: type[T]) -> T: ...
def from_json(data: bytes | str, kind: Any = Any) -> Any:
    """Return JSON decoded to the type `kind`, or to plain data. Raises Unreadable."""
    text = decoded(data)
    try:
        return converted(_Json().parse(text), kind, text)
    except json.JSONDecodeError as bad:
        raise Unreadable(bad.lineno, f"not JSON: {bad.msg}") from None
    except RecursionError:
        raise Unreadable(1, DEEP) from None


@overload
def from_toml(data: bytes | str) -> dict[str, Any]: ...
@overload
def from_toml(data: bytes | str, kind: type[T]) -> T: ...
def from_toml(data: bytes | str, kind: Any = Any) -> Any:
    """Return TOML decoded to the type `kind`, or to plain data. Raises Unreadable.

    A byte-order mark at the beginning is accepted.
    """
    text = decoded(data, "utf-8-sig").replace("\r\n", "\n")
    try:
        return converted(tomllib.loads(text), kind, text)
    except tomllib.TOMLDecodeError as bad:
        raise _no_toml(text, str(bad)) from None
    except Unreadable:
        raise
    except ValueError:  # Python refuses to convert a number of so many digits
        raise _long_number(text) from None
    except RecursionError:
        raise Unreadable(1, DEEP) from None


def converted(plain: Any, kind: Any, text: str) -> Any:
    """Return plain data (dicts, lists, numbers, texts) converted to the type `kind`.

    text: the text from which the data were decoded. Raises Unreadable with the line in `text`.
    """
    try:
        return plain if kind is Any else msgspec.convert(plain, kind)
    except msgspec.ValidationError as bad:
        why, field = _placed(bad)
        raise Unreadable(line_of(text, field), why) from None


def lines_of(kind: Any) -> Callable[[bytes, int], Any]:
    """Return a fast decoder of single JSON lines, for long files: (line, its number) -> record.

    kind: the type of the record. The decoder is several times as fast as `from_json`, as it does
    not look for keys that occur twice: the last value counts.
    """
    decode = msgspec.json.Decoder(kind).decode

    def record(data: bytes, number: int) -> Any:
        """Return the record of a line. number: the line's number, for the error."""
        try:
            return decode(data)
        except msgspec.ValidationError as bad:
            raise Unreadable(number, _placed(bad)[0]) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as bad:
            raise Unreadable(number, f"not JSON: {bad}") from None
        except RecursionError:
            raise Unreadable(number, DEEP) from None

    return record


def decoded(data: bytes | str, encoding: str = "utf-8") -> str:
    """Return the text of a file, or a text unchanged. Raises Unreadable for invalid bytes.

    encoding: `utf-8`, or `utf-8-sig`, which also accepts a byte-order mark at the beginning.
    """
    if isinstance(data, str):
        return data
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as bad:
        # The codec `utf-8-sig` removes a byte-order mark first, so the error's offset does not
        # count it.
        whole = bad.object
        line = whole.count(b"\n", 0, bad.start) + 1
        at = bad.start + len(data) - len(whole)
        fault = f"byte 0x{whole[bad.start]:02x} at offset {at:,}; save the file as UTF-8"
        raise Unreadable(line, f"not UTF-8: {fault}") from None


def _placed(bad: msgspec.ValidationError) -> tuple[str, str]:
    """Return the reason of a validation error, with the field's name before it; and the name.

    The name is dotted, such as `exposure.true`; "" if the error names no field.
    """
    match = _FIELD.match(str(bad))
    if match is None:
        return str(bad), ""
    reason = f"a key: {match[1]}" if match[2] else match[1]
    return (f"{match[3]}: {reason}", match[3]) if match[3] else (reason, "")


def line_of(text: str, field: str) -> int:
    """Return the line of a text, from 1, with the first key of a dotted field; 1 if not found."""
    key = re.escape(re.split(r"[.\[]", field, maxsplit=1)[0])
    match = re.search(rf'^\s*(?:"{key}"\s*:|\[*{key}\b)', text, re.MULTILINE) if key else None
    return text.count("\n", 0, match.start()) + match[0].count("\n") + 1 if match else 1


class _Json:
    """A JSON parser: Python's parser, which also refuses values that JSON does not have."""

    def __init__(self) -> None:
        """Note that no value has been refused yet."""
        self.refused = False

    def parse(self, text: str) -> Any:
        """Return the plain data of a JSON text; raise Unreadable for values JSON does not have."""
        plain = json.loads(
            text,
            parse_int=self._whole,
            parse_float=self._decimal,
            parse_constant=self._constant,
            object_pairs_hook=self._table,
        )
        if self.refused or "\\ud" in text or "\\uD" in text:
            _check(plain, text)
        return plain

    def _refuse(self, why: str, key: str | None = None) -> _Refused:
        """Return a placeholder for a value that is not accepted, and note that one exists.

        why: the reason. key: the key that occurs twice, if this is the fault.
        """
        self.refused = True
        return _Refused(why, key)

    def _whole(self, digits: str) -> int | _Refused:
        """Return a whole number; a placeholder if it has too many digits."""
        try:
            if len(digits) <= MOST_DIGITS:
                return int(digits)
        except ValueError:  # an environment variable has lowered Python's limit
            pass
        return self._refuse(_too_long(len(digits.lstrip("-"))))

    def _decimal(self, digits: str) -> float | _Refused:
        """Return a decimal number; a placeholder if it is too large for a float."""
        number = float(digits)
        if isinf(number):
            return self._refuse(f"found {digits:.20}; no number so large can be read")
        return number

    def _constant(self, name: str) -> _Refused:
        """Return a placeholder for NaN or infinity, which JSON does not have."""
        return self._refuse(f"found {name}; a finite number is accepted")

    def _table(self, pairs: list[tuple[str, Any]]) -> Any:
        """Return a JSON object as a dict; a placeholder if a key occurs twice."""
        table = dict(pairs)
        if len(table) == len(pairs):
            return table
        keys = [key for key, _ in pairs]
        twice = next(key for at, key in enumerate(keys) if key in keys[:at])
        return self._refuse("this key is there twice", twice)


def _check(plain: Any, text: str) -> None:
    """Raise Unreadable for the first value in parsed data that is not accepted.

    plain: the parsed data. text: the text from which the data were parsed, for the line.
    """
    for field, why in _faults(plain, ""):
        printable = field.encode("ascii", "backslashreplace").decode()
        raise Unreadable(line_of(text, field), f"{printable}: {why}" if field else why)


def _faults(value: Any, field: str) -> Iterator[tuple[str, str]]:
    """Yield the dotted field and the reason of each value in parsed data that is not accepted.

    field: the field of `value`; "" for the whole data.
    """
    dot = f"{field}." if field else ""
    match value:
        case _Refused():
            yield (field if value.key is None else dot + value.key), value.why
        case dict():
            for key, item in value.items():
                yield from _faults(key, dot + key)
                yield from _faults(item, dot + key)
        case list():
            for index, item in enumerate(value):
                yield from _faults(item, f"{field}[{index}]")
        case str() if _SURROGATE.search(value):
            yield field, "one half of a surrogate pair, which is no text"


def _no_toml(text: str, message: str) -> Unreadable:
    """Return the error for a text that is not TOML, from the message of Python's parser."""
    place = _PLACE.search(message)
    reason = _PLACE.sub("", message)
    reason = reason.replace("Cannot overwrite a value", "this key was given a value before")
    line = int(place[1]) if place and place[1] else text.rstrip("\n").count("\n") + 1
    column = f" in column {place[2]}" if place and place[2] else " at the end of the file"
    return Unreadable(line, f"not TOML: {reason}{column}")


def _long_number(text: str) -> Unreadable:
    """Return the error for a TOML text with a number of too many digits for Python."""
    max_digits = sys.get_int_max_str_digits()
    long = next((digits for digits in _DIGITS.finditer(text) if len(digits[0]) > max_digits), None)
    line = text.count("\n", 0, long.start()) + 1 if long else 1
    return Unreadable(line, _too_long(len(long[0]) if long else max_digits + 1))


def _too_long(digits: int) -> str:
    """Return the reason for refusing a number. digits: the number of its digits."""
    max_digits = min(MOST_DIGITS, sys.get_int_max_str_digits() or MOST_DIGITS)
    return f"a number of {digits:,} digits; at most {max_digits:,} digits can be read"
