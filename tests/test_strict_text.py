"""JSON and TOML that are read back: what cannot be decoded is one refusal, with line and field."""

import sys
from typing import Any

import msgspec
import pytest
from veilmix.strict_text import (
    DEEP,
    Unreadable,
    decoded,
    from_json,
    from_toml,
    lines_of,
)


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    share: float = 0.0


class Record(msgspec.Struct, forbid_unknown_fields=True):
    users: int
    name: str = ""
    more: list[Inner] = []


DIGITS = "9" * 5_000
TOO_LONG = "a number of 5,000 digits; at most 4,300 digits can be read"
HALF = "one half of a surrogate pair, which is no text"
JSON = {  # text -> the line and what is said
    '{"users": 1,\n"name": "\\ud800"}': (2, f"name: {HALF}"),
    '{"users": 1,\n"more": [{"share": NaN}]}': (
        2,
        "more[0].share: found NaN; a finite number is accepted",
    ),
    '{"users":\n-Infinity}': (1, "users: found -Infinity; a finite number is accepted"),
    '{"users": 1,\n"more": [{}, {"share": 1e999}]}': (
        2,
        "more[1].share: found 1e999; no number so large can be read",
    ),
    f'{{"name": "x",\n"users": {DIGITS}}}': (2, f"users: {TOO_LONG}"),
    f'{{"name": "x",\n"users": -{DIGITS}}}': (2, f"users: {TOO_LONG}"),
    DIGITS: (1, TOO_LONG),
    '{"name": "x",\n"users": 1, "users": 2}': (2, "users: this key is there twice"),
    '{"users": 1, "more": [{"share": 1, "share": 1}]}': (
        1,
        "more[0].share: this key is there twice",
    ),
    '{"users": 1, "\\udc00": 2}': (1, f"\\udc00: {HALF}"),
    '{"name": "x",\n"users": "1"}': (2, "users: Expected `int`, got `str`"),
    '{"users": 1,\n"name": 5}': (2, "name: Expected `str`, got `int`"),
    '{"users": 1,\n"named": 5}': (1, "Object contains unknown field `named`"),
    '{"users": 1,\n"name": "a\0b"}': (2, "not JSON: Invalid control character at"),
    '\ufeff{"users": 1}': (1, "not JSON: Unexpected UTF-8 BOM (decode using utf-8-sig)"),
    "": (1, "not JSON: Expecting value"),
    '{"users": 1': (1, "not JSON: Expecting ',' delimiter"),
    '{"more":' + "[" * 100_000: (1, DEEP),
}
TOML = {
    f'name = "x"\nusers = {DIGITS}': (2, TOO_LONG),
    'name = "x"\nusers = nan': (2, "users: Expected `int`, got `float`"),
    'name = "x"\nusers = 1\nusers = 2': (
        3,
        "not TOML: this key was given a value before at the end of the file",
    ),
    'users = 1\nname = "\\ud800"': (
        2,
        "not TOML: Escaped character is not a Unicode scalar value in column 15",
    ),
    'users = 1\nname = "a\0b"': (2, "not TOML: Illegal character '\\x00' in column 10"),
    "users = 1\n[[more]]\nshare = 'x'": (2, "more[0].share: Expected `float`, got `str`"),
    "users = 1\nmore = " + "[" * 100_000: (1, DEEP),
    "users = 1\nname =": (2, "not TOML: Invalid value at the end of the file"),
    "": (1, "Object missing required field `users`"),
}


def refusal(decode: Any, *given: Any) -> tuple[int, str]:
    with pytest.raises(Unreadable) as found:
        decode(*given)
    return found.value.line, found.value.why


@pytest.mark.parametrize("text", JSON, ids=lambda text: text[:40])
def test_json_is_refused_with_line_and_field(text: str) -> None:
    assert refusal(from_json, text.encode("utf-8", "surrogatepass"), Record) == JSON[text]


@pytest.mark.parametrize("text", TOML, ids=lambda text: text[:40])
def test_toml_is_refused_with_line_and_field(text: str) -> None:
    assert refusal(from_toml, text.encode(), Record) == TOML[text]


def test_what_is_right_is_read() -> None:
    text = '{"users": 3, "name": "\\ud83d\\ude00", "more": [{"share": 0.5}]}'
    expected = Record(3, "\N{GRINNING FACE}", [Inner(0.5)])
    assert from_json(text.encode(), Record) == from_json(text, Record) == expected
    assert lines_of(Record)(text.encode(), 1) == expected
    assert from_json("9" * 4_300) == 10**4_300 - 1
    toml = 'users = 3\nname = "\N{GRINNING FACE}"\n[[more]]\nshare = 0.5\n'
    for data in (toml, toml.replace("\n", "\r\n"), "\ufeff" + toml):
        assert from_toml(data.encode(), Record) == expected


def test_bytes_that_are_no_utf8_are_named_with_their_place() -> None:
    what = "not UTF-8: byte 0xff at offset 5; save the file as UTF-8"
    for decode in (decoded, from_json, from_toml):
        assert refusal(decode, b"a = \n\xff") == (2, what)
    assert refusal(decoded, b"\xef\xbb\xbfa\n\xff", "utf-8-sig") == (2, what)


def test_a_line_of_a_long_file_is_refused_with_its_number() -> None:
    read = lines_of(Record)
    assert refusal(read, b'{"users": "1"}', 7) == (7, "users: Expected `int`, got `str`")
    assert refusal(read, b"{", 8) == (8, "not JSON: Input data was truncated")
    assert refusal(read, b'{"users": 1, "name": "\xff"}', 9)[1].startswith("not JSON: ")
    assert refusal(read, b'{"users": 1, "more": ' + b"[" * 100_000, 9)[0] == 9
    assert refusal(lines_of(Any), b"[" * 100_000, 9) == (9, DEEP)


def test_the_environment_may_lower_pythons_limit() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        what = "users: a number of 700 digits; at most 640 digits can be read"
        assert refusal(from_json, '{"users": ' + "9" * 700 + "}", Record) == (1, what)
        sys.set_int_max_str_digits(0)  # no limit
        assert refusal(from_json, f'{{"users": {DIGITS}}}', Record) == (1, f"users: {TOO_LONG}")
    finally:
        sys.set_int_max_str_digits(before)
