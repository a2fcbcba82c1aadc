"""A library that is missing, broken or of another version: one sentence with a remedy, exit code 2.

Each is played in copies of one process that has imported nothing but the command line.
"""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest
from veilmix import installation
from veilmix.installation import library, requirements, unusable

# In forked copies of the process, put a module in the place of another, and run a command. It lies
# in a folder that Python searches first, where processes that the command starts find it too.
PLAY = """
import os, sys
from pathlib import Path

GONE = 'raise ModuleNotFoundError("No module named {0!r}", name={0!r})'
for line in sys.stdin.read().splitlines():
    how, name, *command = line.split()
    print(f'== {line}', flush=True)
    if (child := os.fork()) == 0:
        folder = Path('modules', how + '-' + name)
        folder.mkdir(parents=True)
        text = GONE.format(name) if how == 'no' else '__version__ = "99.0"; __path__ = []'
        (folder / f'{name}.py').write_text(text)
        sys.path.insert(0, str(folder.absolute()))
        os.dup2(1, 2)
        sys.argv = ['veilmix', *command]
        from veilmix.cli import main
        code = main()
        print('exit', code, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
RUN = "run blood-type --no-save --worst-case 0"
COMMANDS = {  # module -> a command that needs it
    "click": "--version",
    "rich": "new",
    "numpy": RUN,
    "msgspec": RUN,
    "trio": RUN,
    "highspy": RUN,
    "scipy": "run noise-mean --seed 4 --no-save",
    "nacl": RUN,
    "matplotlib": "score t.csv --k 2 --figure f.svg",
    "openpyxl": "score t.xlsx --k 2",
    "duckdb": "score t.parquet --k 2",
    "segno": "new",
}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="makes copies of the process")
def test_each_library_that_is_missing_or_another_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "x,y\nz,w\n" * 5, "utf-8")
    for name in ("t.xlsx", "t.parquet"):
        (tmp_path / name).write_bytes(b"never read")
    lines = [f"{how} {name} {line}" for name, line in COMMANDS.items() for how in ("no", "other")]
    done = subprocess.run(
        [sys.executable, "-B", "-c", PLAY], input="\n".join(lines), cwd=tmp_path,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    said = dict(part.split("\n", 1) for part in done.stdout.split("== ")[1:])
    assert list(said) == lines
    for line in lines:
        name = line.split()[1]
        if name == "segno":  # a list of scenarios needs none
            assert said[line].endswith("exit 0\n")
            continue
        *told, code = said[line].splitlines()
        assert code == "exit 2", said[line]
        sentence = told[-1]  # after what was found without the library
        assert name == "matplotlib" or len(told) == 1, said[line]
        assert installation.DISTRIBUTIONS.get(name, name) in sentence
        assert "; to install that: " in sentence
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["modules", "t.csv", "t.parquet", "t.xlsx"]


def test_the_sentence_names_library_version_reason_and_remedy() -> None:
    version = importlib.metadata.version("numpy")
    wanted = next(line for line in requirements("core") if library(line) == "numpy")
    end = f"; veilmix needs {wanted}; to install that: {installation.advice('core')}"
    gone = ModuleNotFoundError("No module named 'numpy'", name="numpy.linalg")
    assert unusable(gone) == f"numpy {version} is not installed{end}"
    with pytest.raises(ImportError) as name_gone:
        from numpy import no_such_name  # noqa: F401
    assert unusable(name_gone.value) == (
        f"numpy {version} cannot be used (cannot import name 'no_such_name' from 'numpy'){end}"
    )
    with pytest.raises(AttributeError) as lacking:
        importlib.import_module("numpy").no_such_name  # noqa: B018
    assert (
        unusable(lacking.value) == f"numpy {version} cannot be used (it has no 'no_such_name'){end}"
    )


def test_bugs_stay_bugs() -> None:
    own = ModuleNotFoundError("No module named 'veilmix.none'", name="veilmix.none")
    assert unusable(own) is None
    assert unusable(ImportError("cannot import name 'x' from 'os'", name="os")) is None
    assert unusable(AttributeError("'int' object has no attribute 'x'")) is None
    assert unusable(AttributeError("module 'veilmix.cli' has no attribute 'x'")) is None
    assert unusable(KeyError("x")) is None
