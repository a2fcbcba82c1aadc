"""The picture of the house shows rooms, arrows, and what is wrong; this house has nothing wrong."""

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from draw_house import drawing

ROOT = Path(__file__).parent.parent


def built(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in {"__init__.py": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def test_files_rooms_and_arrows_are_counted(tmp_path: Path) -> None:
    files = {
        "low/__init__.py": "",
        "low/a.py": "",
        "high/__init__.py": "",
        "high/b.py": "from ..low import a\nfrom ..low.a import thing\nfrom . import c",
        "high/c.py": "import os\n\n\ndef f():\n    from ..low.a import thing",
    }
    picture, counts = drawing(built(tmp_path, files))
    assert counts == (
        "6 files in 3 rooms, 3 imports; 1 arrows between rooms, 0 of them up or sideways; "
        "0 circles of 0 files; the largest room is high with 3 files"
    )
    tree = ET.fromstring(picture)
    titles = [node.text for node in tree.iter() if node.tag.endswith("title")]
    assert "high imports low: 2" in titles
    assert {"high.b", "low.a"} <= {*titles}


def test_a_circle_and_an_arrow_that_leads_up_are_red(tmp_path: Path) -> None:
    files = {
        "low/__init__.py": "",
        "low/a.py": "from ..high.b import thing",
        "high/__init__.py": "",
        "high/b.py": "from ..low.a import thing",
    }
    picture, counts = drawing(built(tmp_path, files))
    assert "2 arrows between rooms, 2 of them up or sideways; 1 circles of 2 files" in counts
    assert picture.count("#c00") == 4


def test_this_house_has_neither() -> None:
    _, counts = drawing(ROOT)
    assert ", 0 of them up or sideways; 0 circles of 0 files;" in counts
