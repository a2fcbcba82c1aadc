"""Write docs/result.schema.json, the JSON schema of result.json, from its definition.

python tools/make_schema.py            write
python tools/make_schema.py --check    exit 1 if the file is another
"""

import sys
from inspect import cleandoc
from typing import Any

import msgspec
from generated import DOCS, write_or_check
from veilmix.scenarios.lab.scoring.result import result_type
from veilmix.scenarios.lab.scoring.result_schemas import SCHEMA
from veilmix.scenarios.serialization.json_text import pretty

FILE = DOCS / "result.schema.json"


def schema() -> dict[str, Any]:
    """The schema, with the number of the format as the only one."""
    made: dict[str, Any] = msgspec.json.schema(result_type())
    made["$defs"]["Result"]["properties"]["schema"] = {"const": SCHEMA}
    for record in made["$defs"].values():
        if "description" in record:  # docstrings: Python 3.13 has removed their indentation
            record["description"] = cleandoc(record["description"])
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return about | {"title": f"result.json of veilmix, schema {SCHEMA}"} | made


if __name__ == "__main__":
    sys.exit(write_or_check(sys.argv[1:], {FILE: pretty(schema())}))
