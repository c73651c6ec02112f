#!/usr/bin/env python3
"""Every JSON document that rnncheck prints satisfies the schema that it prints.

usage: schema_test.py RNNCHECK APPROVED_DIRECTORY     77 when the module jsonschema is missing
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3 has no module jsonschema (package python3-jsonschema)")
    sys.exit(77)

program, approved = sys.argv[1], pathlib.Path(sys.argv[2])


def printed(*arguments):
    return json.loads(
        subprocess.run([program, *arguments], capture_output=True, check=False).stdout
    )


schema = printed("schema")
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
documents = {path.name: json.loads(path.read_text()) for path in sorted(approved.glob("*.json"))}
for arguments in (
    ["doctor", "--json", "--look-only"],
    ["doctor", "--json"],
    ["doctor", "--json", "--only", "nonsense"],
    ["doctor", "--json", "--facts", "/nonexistent"],
    ["docter", "--json"],
    ["matrix", "show", "--json"],
    ["matrix", "show", "cudnn_builds", "--json"],
    ["matrix", "verify", "--json"],
    ["matrix", "plan", "gpu=8.6", "driver=535", "--json"],
    ["matrix", "plan", "gpu=8.7", "--json"],
    ["matrix", "plan", "--for", "tensorflow==2.15", "--json"],
    ["lstm", "--json"],
    ["lstm", "--json", "--fit", "batch"],
    ["which", "--json"],
    ["which", "ls", "--all", "--json"],
    ["selftest", "--json"],
    [
        "model",
        str(approved.parent.parent / "models/files/keras3/nested.keras"),
        "--batch",
        "8",
        "--length",
        "20",
        "--json",
    ],
    ["diff", str(approved / "healthy.json"), str(approved / "many_findings.json"), "--json"],
    *(["list", kind, "--json"] for kind in ("rules", "probes", "formats", "tables", "commands")),
):
    documents[" ".join(arguments)] = printed(*arguments)
with tempfile.TemporaryDirectory() as place:
    printed("doctor", "--json", "--save-facts", place + "/facts.json")
    documents["saved facts"] = json.loads(pathlib.Path(place, "facts.json").read_text())
assert len(documents) >= 15, "approved files are missing"

failed = 0
for name, document in documents.items():
    for error in validator.iter_errors(document):
        print(f"{name}: {error.message[:300]}")
        failed += 1


def breach(change):
    """A schema that lets everything pass would be no schema."""
    document = copy.deepcopy(documents["many_findings.json"])
    change(document)
    return not validator.is_valid(document)


def breach_of_facts(change):
    document = copy.deepcopy(documents["saved facts"])
    change(document)
    return not validator.is_valid(document)


breaches = [
    breach_of_facts(lambda d: d.pop("schema")),
    breach_of_facts(lambda d: d.update(drivers={})),
    breach(lambda d: d.pop("verdict")),
    breach(lambda d: d.update(verdict="fine")),
    breach(lambda d: d.update(more=1)),
    breach(lambda d: d["facts"]["cuda_devices"][0].update(index="0")),
    breach(lambda d: d.update(schema=1)),
    breach(lambda d: d["facts"]["driver"].update(cuda_version=12.4)),
]
if not all(breaches):
    print("the schema lets wrong documents pass:", breaches)
    failed += 1
print(f"{len(documents)} documents, {failed} failures")
sys.exit(1 if failed else 0)
