"""Runs the doctor and reads its report; used by the tests that run the whole program."""

import json
import os
import subprocess

# Saved facts of a machine on which no driver was found.
NO_DRIVER = {
    "schema": 2,
    "driver": {"module_loaded": False, "device_nodes": []},
    "host": {"environment": {}, "pci_gpus": []},
    "probe_runs": [
        {
            "probe": "library_files",
            "target": "",
            "end": "finished",
            "failed_calls": [],
            "elapsed_ms": 1,
        }
    ],
}


class Checks:
    """Counts what was checked and prints what did not hold."""

    def __init__(self):
        self.done = 0
        self.failed = 0

    def that(self, holds, what):
        self.done += 1
        if not holds:
            self.failed += 1
            print(f"FAILED: {what}")

    def close(self):
        print(f"{self.done} checks, {self.failed} failed")
        return 1 if self.failed or not self.done else 0


def with_each_run(facts):
    """The facts with the case of every recurrent-network run in it."""
    cases = {
        case["case_id"]: {key: value for key, value in case.items() if key != "case_id"}
        for case in facts.get("rnn_cases", [])
    }
    runs = [
        {key: value for key, value in run.items() if key != "case_id"}
        | {"case": cases[run["case_id"]]}
        for run in facts["rnn_runs"]
    ]
    return {**facts, "rnn_runs": runs}


class Run:
    """One run of the program: exit code, standard output (bytes, text, JSON), standard error."""

    def __init__(
        self,
        program,
        *arguments,
        given=b"",
        environment=None,
        without=(),
        stdout=subprocess.PIPE,
        before=None,
        directory=None,
    ):
        clean = {name: value for name, value in os.environ.items() if name not in without}
        done = subprocess.run(
            [
                program,
                *(
                    argument if isinstance(argument, bytes) else str(argument)
                    for argument in arguments
                ),
            ],
            input=given,
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
            timeout=120,
            env={**clean, **(environment or {})},
            preexec_fn=before,
            cwd=directory,
        )
        self.code, self.out, self.err = (
            done.returncode,
            done.stdout or b"",
            done.stderr.decode(errors="replace"),
        )

    @property
    def text(self):
        return self.out.decode()

    def json(self):
        return json.loads(self.out)


class Report:
    """One run of the doctor: exit code, document (None when stdout was not exactly one JSON document)."""

    def __init__(self, program, *options, environment=None, wrapper=(), before=None):
        clean = {
            name: value
            for name, value in os.environ.items()
            if name not in ("CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")
        }
        result = subprocess.run(
            [*wrapper, program, "doctor", "--json", *options],
            capture_output=True,
            check=False,
            env={**clean, **(environment or {})},
            preexec_fn=before,
        )
        self.code = result.returncode
        self.stderr = result.stderr.decode(errors="replace")
        try:
            self.document = json.loads(result.stdout)
        except ValueError:
            self.document = None

    @property
    def facts(self):
        return with_each_run(self.document["facts"])

    @property
    def verdict(self):
        return self.document["verdict"]

    def rules(self, severity=None):
        return [
            finding["rule"]
            for finding in self.document["findings"]
            if severity in (None, finding["severity"])
        ]

    def finding(self, rule):
        return next(
            (finding for finding in self.document["findings"] if finding["rule"] == rule), None
        )

    def outcome(self, rule):
        return next(
            verdict["outcome"] for verdict in self.document["verdicts"] if verdict["rule"] == rule
        )

    def probe_runs(self, probe):
        return [run for run in self.facts["probe_runs"] if run["probe"] == probe]
