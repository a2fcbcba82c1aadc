"""Reading and writing of every kind of message: `python benchmarks/wire.py [EARLIER] [SECONDS]`.

EARLIER is another checkout of veilmix. Each message of tests/protocol/vectors, and posts about a
thousand people, are read and written by both in turns, so that a busy machine slows both; printed
are the microseconds here (the fastest turn), and the ratio to the earlier checkout's. Without
EARLIER the ratios are left out.
"""

import importlib.util
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent
MANY = 1_000  # people of the long posts
TURNS = 15
FOLDERS = ("protocol.wire.frames", "protocol.frames")  # in this checkout, and in earlier ones


def package(folder: Path, name: str) -> ModuleType:
    """Import a checkout under a name; its modules find each other by that name."""
    places = [str(folder)]
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=places
    )
    assert spec
    assert spec.loader
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def frames(name: str) -> ModuleType:
    """Return the module of a package that reads messages."""
    for place in FOLDERS:
        try:
            return importlib.import_module(f"{name}.{place}")
        except ModuleNotFoundError:
            continue
    raise SystemExit(f"{name}: no module that reads messages")


def messages() -> dict[str, bytes]:
    """Return the messages of the vectors, and long posts, by name."""
    folder, whole = ROOT / "tests" / "protocol" / "vectors", {}
    for path in sorted(folder.glob("message-*.json")):
        vector = json.loads(path.read_text("utf-8"))
        whole[path.stem.removeprefix("message-")] = bytes.fromhex(vector["input"]["data"])
    places = [place.to_bytes(4, "big") for place in range(MANY)]
    number, key = MANY.to_bytes(4, "big"), b"k" * 32
    lists = {
        "accepted": number + b"".join(place + key + 2 * key for place in places),
        "heard": number + (32).to_bytes(4, "big") + b"".join(place + key[4:] for place in places),
        "roll": number + b"".join(places),
        "opened": b"\1"
        + number
        + b"".join(place + b"\0\0\1\0" + 8 * key + key + b"\0" for place in places),
        "handed": number
        + (256).to_bytes(4, "big")
        + b"".join(place + 10 * key for place in places),
        "batch": number + (32).to_bytes(4, "big") + MANY * key,
    }
    return whole | {f"{name} of {MANY}": whole[name][:37] + body for name, body in lists.items()}


def seconds(action: Callable[[], Any], repeats: int) -> float:
    """Return the seconds of one action."""
    start = time.perf_counter()
    for _ in range(repeats):
        action()
    return (time.perf_counter() - start) / repeats


def main(arguments: list[str]) -> None:
    """Measure and print."""
    sys.path[:0] = [str(ROOT)]
    checkouts = {"here": ROOT} | ({"earlier": Path(arguments[0])} if arguments else {})
    modules = []
    for name, folder in checkouts.items():
        package(folder.resolve(), f"veilmix_{name}")
        modules.append(frames(f"veilmix_{name}"))
    print(f"{'microseconds':<34} {'read':>9} {'ratio':>6} {'write':>9} {'ratio':>6}")
    ratios: list[list[float]] = [[], []]
    for name, data in messages().items():
        line = f"{name:<34}"
        decoded = [module.decode_message(data) for module in modules]
        assert all(message.encode() == data for message in decoded)
        reads = [partial(module.decode_message, data) for module in modules]
        for actions, found in zip((reads, [m.encode for m in decoded]), ratios, strict=True):
            repeats = max(1, int(2e-3 / seconds(actions[0], 3)))
            turns = [[seconds(action, repeats) for action in actions] for _ in range(TURNS)]
            fastest = [min(times) for times in zip(*turns, strict=True)]
            ratio = fastest[0] / fastest[1] if len(fastest) > 1 else math.nan
            found.append(ratio)
            line += f" {fastest[0] * 1e6:>9.2f} {ratio:>6.2f}"
        print(line)
    if len(modules) > 1:
        middle, worst = map(statistics.geometric_mean, ratios), map(max, ratios)
        print("geometric mean: read {:.2f}, write {:.2f}".format(*middle), end="; ")
        print("largest: read {:.2f}, write {:.2f}".format(*worst))


if __name__ == "__main__":
    main(sys.argv[1:])
