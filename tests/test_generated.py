"""Generated files are written, or compared, and pages keep what is outside of their blocks."""

from pathlib import Path

import generated
import pytest

PAGE = "# A\n<!-- one -->\nold\n<!-- end -->\ntext\n<!-- two -->\nkept\n<!-- end -->\n"


def test_only_the_named_block_of_a_page_is_replaced() -> None:
    made = generated.filled(PAGE, {"one": "new\n"})
    assert made == PAGE.replace("old", "new")
    assert generated.block(made, "one") == "new\n"


def test_files_are_written_compared_and_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    files = generated.vector_files(tmp_path / "vectors", {"a.json": {"x": 1}})
    folder = tmp_path / "vectors"
    assert generated.write_or_check(["--check"], files, folder) == 1
    assert generated.write_or_check([], files, folder) == 0
    assert generated.write_or_check(["--check"], files, folder) == 0
    (folder / "b.json").write_text("{}", "utf-8")
    assert generated.write_or_check(["--check"], files, folder) == 1
    assert generated.write_or_check([], files, folder) == 0
    assert [path.name for path in folder.iterdir()] == ["a.json"]
