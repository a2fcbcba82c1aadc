"""The files for browsers, and the policy under which a browser runs them.

    default-src 'none'     no source but this server, and from it only the following
    script-src 'self'      the modules; `wasm-unsafe-eval` lets libsodium compile itself

Sentences (languages/) are served as JSON, `/sentences/NAME.json`. Every other file is
served unchanged, with one exception. libsodium's wrapper imports its other half by a
bare name, which browsers without import maps do not know. The server replaces that name
by the path of the file. A browser that accepts gzip gets each file compressed;
compression happens once.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ..languages.language import Language, languages
from ..languages.page_text import filled
from ..machines.http import Header, HttpResponse
from ..machines.web_files import TYPES, WebFile

POLL_FOLDER = Path(__file__).parent
FOLDERS = ("static", "vendor")
WRAPPER = "/vendor/libsodium-wrappers-sumo.mjs"
BARE, PATH = b'from"libsodium-sumo"', b'from"./libsodium-sumo.mjs"'
LASTING = ("cache-control", "private, max-age=3600")


@cache
def assets() -> Mapping[str, WebFile]:
    """Return all files that browsers may request, by path on the server (`/static/seal.js`)."""
    by_path = {}
    for folder in FOLDERS:
        for path in sorted((POLL_FOLDER / folder).iterdir()):
            if path.suffix in TYPES:
                name, data = f"/{folder}/{path.name}", path.read_bytes()
                if name == WRAPPER:
                    data = data.replace(BARE, PATH)
                by_path[name] = WebFile.compressed(data, TYPES[path.suffix])
    for tag, language in languages().items():
        by_path[f"/sentences/{tag}.json"] = WebFile.compressed(language.data, "application/json")
    return by_path


def asset_answer(path: str, accepted: str) -> HttpResponse | None:
    """Return the response with the file at a path; None if there is no such file.

    Args:
        path: on the server.
        accepted: the browser's header `accept-encoding`; "" if it has sent no such header.
    """
    asset = assets().get(path)
    return None if asset is None else asset.answer(accepted, LASTING)


def policy() -> str:
    """Return the content security policy of every page."""
    directives = {
        "default-src": "'none'",
        "script-src": "'self' 'wasm-unsafe-eval'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def page_answer(
    name: str,
    code: str,
    language: Language,
    cache_headers: tuple[Header, ...],
    pictures: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Return the response with a page of `static/`, under the content security policy.

    name: of the page. code: the session's code in web addresses. cache_headers: headers
    about caches. pictures: SVG that this program has made, by the name of its placeholder in the
    page.
    """
    kind = ("content-type", "text/html; charset=utf-8")
    rule = ("content-security-policy", policy())
    text = page(name, code, language)
    for place, svg in (pictures or {}).items():
        text = text.replace(f"{{{{{place}}}}}".encode(), svg.encode())
    return HttpResponse(200, text, (kind, rule, *cache_headers))


def page(name: str, code: str, language: Language) -> bytes:
    """Return a page of `static/` as HTML, with the session's code, in a language.

    code: letters and digits.
    """
    text = (POLL_FOLDER / "static" / f"{name}.html").read_text("utf-8")
    return filled(text.replace("{{code}}", code), language).encode()
