"""Make the pictures of the README and the documentation: docs/images/NAME.png.

    python tools/make_pictures.py [NAME ...]

Each is a page that veilmix itself writes of a seeded run, looked at with a headless Chromium. The
figures that belong to tables are made with them: tools/make_choosing.py, `veilmix attack`.
"""

import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veilmix.cli import main as veilmix

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
LARGEST = 200_000  # bytes; a README is read over slow lines too
COLOURS = 128  # of the palette: these are drawings, not photographs
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")


@dataclass(frozen=True, slots=True)
class Picture:
    """A page, by the commands that make it; where on it to look, and at what part (all of it).

    Attributes:
        commands: of a shell, one after the other.
        page: the file that they make.
        place: what follows the address of the page, such as #crowds; empty: its top.
        part: a selector of what is shown; empty: all of it.
        width: of the window, in pixels.
    """

    commands: tuple[str, ...]
    page: str
    place: str = ""
    part: str = ""
    width: int = 1280


THEATRE = ("theatre classroom --out page.html",)
TITANIC = ("run titanic --seed 1 --quiet", "report runs/titanic-0001")
PICTURES = {
    "theatre-curator": Picture(THEATRE, "page.html", "#eyes=curator&at=9999"),
    "theatre-coalition": Picture(
        THEATRE, "page.html", "#eyes=curator+shuffler-1+shuffler-2&at=9999"
    ),
    "crowds-titanic": Picture(
        TITANIC, "runs/titanic-0001/report.html", part="#crowds figure >> nth=0 >> svg", width=1000
    ),
}


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium, or an exit that says what is missing."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("no Chromium here; apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield opened
        opened.close()


def written(picture: Picture) -> Path:
    """Write its page in the current folder, unless that has been done."""
    page = Path(picture.page).absolute()
    if not page.exists():
        for command in picture.commands:
            with contextlib.redirect_stdout(io.StringIO()):
                code = veilmix(command.split())
            if code:
                sys.exit(f"veilmix {command}: exit code {code}")
    return page


def looked_at(picture: Picture, opened: Any) -> bytes:
    """Take the picture as PNG."""
    page = opened.new_page(viewport={"width": picture.width, "height": 720})
    page.goto(written(picture).as_uri() + picture.place)
    page.evaluate("document.fonts.ready")
    shot: bytes = (page.locator(picture.part) if picture.part else page).screenshot()
    page.close()
    return small(shot)


def small(shot: bytes) -> bytes:
    """The same with a palette: about half the bytes."""
    from PIL import Image

    image = Image.open(io.BytesIO(shot)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    made = io.BytesIO()
    image.save(made, "PNG", optimize=True)
    return made.getvalue()


def main(names: list[str]) -> int:
    """Make the pictures named, or all; 1 if one is too large."""
    large, start = 0, Path.cwd()
    with tempfile.TemporaryDirectory() as folder, browser() as opened:
        os.chdir(folder)
        for name in names or PICTURES:
            made = looked_at(PICTURES[name], opened)
            (IMAGES / f"{name}.png").write_bytes(made)
            large += len(made) > LARGEST
            print(f"{name}.png  {len(made) / 1000:.0f} kB")
        os.chdir(start)
    return int(large > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
