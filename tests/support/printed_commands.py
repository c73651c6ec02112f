"""The commands that rnncheck prints: of every finding of one call."""

import json
import os
import subprocess


def run(*command, text=None, **more):
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        input=text,
        check=False,
        timeout=120,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        **more,
    )


def findings(program, *arguments, text=None):
    """The findings of the JSON report. An AssertionError where the call is rejected."""
    done = run(program, *arguments, "--json", text=text)
    if done.returncode == 2:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return json.loads(done.stdout)["findings"]


def commands_of(finding):
    for remedy in finding["remedies"]:
        yield from remedy.get("commands", ())
        yield from remedy.get("checks", ())
        if remedy.get("verify"):
            yield remedy["verify"]
    if finding.get("decided_by", {}).get("command"):
        yield finding["decided_by"]["command"]
