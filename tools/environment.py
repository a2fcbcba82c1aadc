"""Make the environment in which veilmix runs: `python3 tools/environment.py [core|dev]`.

Creates `.venv`, installs the pinned requirements of the level asked for (every file checked against
its hash), and makes the checkout importable as the package `veilmix`.

The checkout is the package itself, under whatever name its folder bears. An editable install would
hide that from static tools, so the environment gets a folder `.venv/checkout` with one link,
`veilmix`, to the checkout, and a `.pth` file that puts the folder on the path (docs/adr/0001).
Only the standard library is used here: this file runs before anything is installed.
"""

import hashlib
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv"
NEEDS = (3, 11)

COMMAND = """#!{python}
import sys

from veilmix.cli import main

if __name__ == "__main__":  # processes of a pool read this file too
    sys.exit(main())
"""


def run(*command: str | Path) -> None:
    """Run a command and stop with its exit code if it fails."""
    done = subprocess.run([str(part) for part in command], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def fingerprint(level: str) -> str:
    """What the environment must hold at this level; a change means it must be installed again."""
    pins = (ROOT / "requirements" / f"{level}.txt").read_bytes()
    made = f"{sys.version}{ROOT}{COMMAND}".encode()
    return hashlib.sha256(made + pins).hexdigest()


def link_checkout(python: Path) -> None:
    """Make `import veilmix` find this checkout, and `veilmix` a command."""
    paths = sysconfig.get_paths(
        "venv", vars={"base": str(HOME), "platbase": str(HOME), "installed_base": str(HOME)}
    )
    folder = HOME / "checkout"
    folder.mkdir(exist_ok=True)
    link = folder / "veilmix"
    if link.is_symlink():
        link.unlink()
    link.symlink_to(ROOT, target_is_directory=True)
    Path(paths["purelib"], "veilmix-checkout.pth").write_text(f"{folder}\n", encoding="utf-8")
    command = Path(paths["scripts"], "veilmix")
    command.write_text(COMMAND.format(python=python), encoding="utf-8")
    command.chmod(0o755)


def main(level: str) -> None:
    """Bring `.venv` up to `level`; does nothing where it is there already (dev includes core)."""
    if sys.version_info < NEEDS:
        found = ".".join(map(str, sys.version_info[:3]))
        sys.exit(
            f"veilmix needs Python {NEEDS[0]}.{NEEDS[1]} or newer; `python3` here is {found}. "
            "Name another one: make PYTHON=python3.12 ..."
        )
    marks = {name: HOME / f"installed-{name}" for name in ("core", "dev")}
    if any(
        mark.exists() and mark.read_text(encoding="utf-8") == fingerprint(name)
        for name, mark in marks.items()
        if name in (level, "dev")
    ):
        return
    print(f"veilmix: preparing the environment .venv ({level}), once", file=sys.stderr, flush=True)
    run(sys.executable, "-m", "venv", HOME)
    python = HOME / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(
        *(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--require-hashes", "-r", ROOT / "requirements" / f"{level}.txt"),
    )
    link_checkout(python)
    marks[level].write_text(fingerprint(level), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "core")
