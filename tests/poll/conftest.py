"""A browser that has the page's modules, from a server of this test alone."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pupil_kit import PHONE
from veilmix.poll.assets import POLL_FOLDER, assets, policy

VECTORS = {f"/{path.name}": path for path in Path(__file__).parent.glob("*vectors.js")}
PAGE = """<!doctype html><meta charset="utf-8"><title>vectors</title>
<link rel="icon" href="data:,">
<script type="module" src="/vectors.js"></script>"""


class _Files(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asset = assets().get(self.path)
        if asset is not None:
            data, kind = asset.data, asset.type
        elif self.path in VECTORS:
            data, kind = VECTORS[self.path].read_bytes(), "text/javascript; charset=utf-8"
        else:
            data, kind = PAGE.encode(), "text/html; charset=utf-8"
        self.send_response(200)
        for name, value in (("content-type", kind), ("content-security-policy", policy())):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *said: Any) -> None:
        """Nothing: nobody reads it."""


class Phone:
    """The modules in a browser, called from here."""

    def __init__(self, page: Any) -> None:
        self._page = page

    def call(self, name: str, *given: Any) -> Any:
        """Call one of the functions of vectors.js; what is sent and what comes is JSON."""
        said = self._page.evaluate(
            "async ([name, given]) =>"
            " JSON.stringify(await globalThis.vectors[name](...JSON.parse(given)))",
            [name, json.dumps(given)],
        )
        return json.loads(said)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server that gives the modules under the policy that pages have."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Files) as serving:
        serving.daemon_threads = True
        Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()


@pytest.fixture(scope="module")
def opened_phone(module_tab: Any, server: str) -> Phone:
    """A browser with the modules, for all tests of a file: what they call keeps nothing."""
    return _opened(module_tab, server)


@pytest.fixture
def phone(opened_phone: Phone, module_tab: Any) -> Iterator[Phone]:
    """The same, which complains of nothing while a test calls it."""
    yield opened_phone
    assert module_tab.complaints == []


@pytest.fixture
def phone_without(new_tab: Any, server: str) -> Callable[[str, str, str], Phone]:
    """Open a browser in which one module has another text: what it refuses is not refused there."""

    def opened(module: str, text: str, becomes: str) -> Phone:
        source = (POLL_FOLDER / "static" / module).read_text("utf-8")
        assert source.count(text) == 1, f"{module}: {text}"
        changed, tab = source.replace(text, becomes), new_tab()
        kind = {"content-type": "text/javascript; charset=utf-8"}
        tab.page.route(
            f"**/static/{module}", lambda route: route.fulfill(body=changed, headers=kind)
        )
        return _opened(tab, server)

    return opened


def _opened(tab: Any, server: str) -> Phone:
    page = tab.open(server)
    page.wait_for_load_state("load")
    while not page.evaluate("Boolean(globalThis.vectors)"):  # the policy forbids wait_for_function
        page.wait_for_timeout(20)
    return Phone(page)


@pytest.fixture
def new_phone(chromium: Any) -> Iterator[Callable[[str], Any]]:
    """Open pages on phones of their own; none may ask another computer for anything."""
    contexts, asked, complaints = [], [], []

    def opened(address: str) -> Any:
        context = chromium.new_context(viewport=PHONE)
        context.set_default_timeout(0)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address, wait_until="commit")
        return page

    yield opened
    for context in contexts:
        assert context.cookies() == []
        context.close()
    assert [url for url in asked if not url.startswith(("http://127.0.0.1:", "data:"))] == []
    assert complaints == []
