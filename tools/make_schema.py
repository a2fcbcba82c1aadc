"""Write docs/result.schema.json, the JSON schema of result.json, from its definition.

python tools/make_schema.py            write
python tools/make_schema.py --check    exit 1 if the file is another
"""

import sys
from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec
from veilmix.scenarios.lab.scoring.result import result_type
from veilmix.scenarios.lab.scoring.result_schemas import SCHEMA
from veilmix.scenarios.serialization.json_text import pretty

FILE = Path(__file__).parent.parent / "docs" / "result.schema.json"


def schema() -> dict[str, Any]:
    """The schema, with the number of the format as the only one."""
    made: dict[str, Any] = msgspec.json.schema(result_type())
    made["$defs"]["Result"]["properties"]["schema"] = {"const": SCHEMA}
    for record in made["$defs"].values():
        if "description" in record:  # docstrings: Python 3.13 has removed their indentation
            record["description"] = cleandoc(record["description"])
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return about | {"title": f"result.json of veilmix, schema {SCHEMA}"} | made


def main(arguments: list[str]) -> int:
    """Write the file, or say that it is out of date."""
    if "--check" in arguments:
        return int(FILE.read_text("utf-8") != pretty(schema()))
    FILE.write_text(pretty(schema()), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
