"""The tables that follow from the rows of messages are those of today."""

import wire_tables


def test_the_page_and_the_script_have_the_rows_of_today() -> None:
    assert wire_tables.main(["--check"]) == 0


def test_a_field_more_is_a_field_more_in_both_tables() -> None:
    for name in ("hop:u8", "forwarded:u32", "proof:?96"):
        assert name in wire_tables.page_table()
    assert '["hop", ["number", 1, 0, 255]]' in wire_tables.script()
