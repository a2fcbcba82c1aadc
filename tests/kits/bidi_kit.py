"""Firefox, driven over WebDriver BiDi (w3.org/TR/webdriver-bidi): the few commands a test needs.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
PREFS = {
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.active-protocols": 1,  # BiDi
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}


class Firefox:
    """A browser with one tab. events: of the network, as they come."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._number = 0
        self.requests: list[dict[str, Any]] = []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["network.beforeRequestSent"])
        self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **given: Any) -> Any:
        """Say a command and wait for its result."""
        self._number += 1
        self._stream.send(json.dumps({"id": self._number, "method": method, "params": given}))
        while True:
            said = json.loads(self._stream.recv())
            if said.get("id") == self._number:
                assert said["type"] == "success", said
                return said["result"]
            if said.get("method") == "network.beforeRequestSent":
                self.requests.append(said["params"]["request"])

    def open(self, address: str) -> None:
        """Go to an address."""
        self.call("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """What a script of the page's gives: something that JSON has."""
        said = self.call(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression}) ?? null))()",
            target={"context": self.tab},
            awaitPromise=True,
        )
        assert said["type"] == "success", said
        return json.loads(said["result"]["value"])

    def until(self, expression: str) -> Any:
        """Wait until a script gives something, and give that."""
        return self.evaluate(
            f"""(async () => {{
              for (;;) {{
                const found = {expression};
                if (found) return found;
                await new Promise((done) => setTimeout(done, 50));
              }}
            }})()"""
        )

    def cookies(self) -> list[Any]:
        """All that it keeps."""
        cookies: list[Any] = self.call("storage.getCookies")["cookies"]
        return cookies


@contextmanager
def firefox(path: str, profile: Path) -> Iterator[Firefox]:
    """Start a headless Firefox with a new profile; it ends with the `with`."""
    profile.mkdir()
    lines = (
        f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFS.items()
    )
    (profile / "user.js").write_text("\n".join(lines), "utf-8")
    command = [path, "--headless", "--remote-debugging-port=0", "--profile", str(profile)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            address = next(match[1] for line in process.stderr if (match := LISTENS.search(line)))
            with connect(f"{address}/session", open_timeout=None, max_size=None) as stream:
                yield Firefox(stream)
        finally:
            process.terminate()
            process.communicate()


BROWSERS = ("firefox", "firefox-esr")
WITHOUT = (
    "no Firefox here, so the page was not looked at in it; `apt-get install firefox-esr` has it"
)


@contextmanager
def own_firefox(folder: Path) -> Iterator[Firefox]:
    """Start a Firefox with a profile in a folder. Without one the test is skipped, or fails."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        say = pytest.fail if os.environ.get("VEILMIX_BROWSER") == "required" else pytest.skip
        say(WITHOUT)
    with firefox(path, folder / "profile") as started:
        yield started
