"""What axe finds wrong with a page, for people who see little, hear it read, or use no mouse.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from typing import Any

from axe_playwright_python.sync_playwright import Axe

AXE = Axe()


def violations(page: Any) -> list[str]:
    """Give each rule that the page breaks, with the elements that break it."""
    found = AXE.run(page).response["violations"]
    return [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]
