"""The files a browser is given, and the policy under which it runs them.

    default-src 'none'     nothing from anywhere but this server, and from it only what follows
    script-src 'self'      the modules; `wasm-unsafe-eval` lets libsodium compile itself, and the
                           hash is of the import map, which says where libsodium is

No file is made or changed on the way: what is served is what lies here.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
FOLDERS = ("static", "vendor")
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
}
LIBSODIUM = {
    "libsodium-wrappers-sumo": "/vendor/libsodium-wrappers-sumo.mjs",
    "libsodium-sumo": "/vendor/libsodium-sumo.mjs",
}  # the name that a module calls it by -> where it is


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is served.

    Attributes:
        data: its bytes.
        type: what kind of text they are, for the browser.
    """

    data: bytes
    type: str


@cache
def assets() -> Mapping[str, Asset]:
    """Every file that may be asked for, by its path on the server, such as `/static/seal.js`."""
    by_path = {}
    for folder in FOLDERS:
        for path in sorted((HERE / folder).iterdir()):
            if path.suffix in TYPES:
                by_path[f"/{folder}/{path.name}"] = Asset(path.read_bytes(), TYPES[path.suffix])
    return by_path


def import_map() -> str:
    """Where a page's modules find libsodium: the text of its script of type `importmap`."""
    return json.dumps({"imports": LIBSODIUM})


def policy() -> str:
    """The content security policy of every page."""
    digest = base64.b64encode(hashlib.sha256(import_map().encode()).digest()).decode()
    own = {
        "default-src": "'none'",
        "script-src": f"'self' 'wasm-unsafe-eval' 'sha256-{digest}'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in own.items())


def page(name: str, code: str) -> bytes:
    """A page of `static/`, with its import map, and the code of its session.

    code: letters and digits.
    """
    text = (HERE / "static" / f"{name}.html").read_text("utf-8")
    return text.replace("{{import map}}", import_map()).replace("{{code}}", code).encode()
