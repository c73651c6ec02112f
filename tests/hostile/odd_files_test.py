#!/usr/bin/env python3
"""Folders and files that the search for libraries meets and that are not what one expects.

usage: odd_files_test.py RNNCHECK FOLDER_OF_HOSTILE_LIBRARIES
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks, Report  # noqa: E402

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
check = Checks()


def a_path_that_is_no_utf8():
    """A library there is found, opened and told; the saved facts lead to the very same bytes."""
    with tempfile.TemporaryDirectory() as place:
        odd = os.path.join(place, os.fsdecode(b"caf\xe9 \\x41 \\xe9"))
        os.mkdir(odd)
        shutil.copy(folder / "libcudnn.so.9", odd)
        report = Report(program, environment={"LD_LIBRARY_PATH": odd})
        written = place + "/caf\\xe9 \\x41 \\x5cxe9/libcudnn.so.9"
        copies = [entry for entry in report.facts["cudnns"] if entry["library"] == written]
        check.that([copy.get("version") for copy in copies] == ["9.19.0"], f"the copy answers: {report.facts['cudnns']}")
        check.that(report.facts["host"]["environment"]["LD_LIBRARY_PATH"] == os.path.dirname(written), "the variable's value is kept")
        text = subprocess.run([program, "doctor"], capture_output=True, check=False,
                              env={**os.environ, "LD_LIBRARY_PATH": odd}).stdout.decode()
        check.that(place + "/caf\\xe9" in text, f"the text tells the folder: {text[:2000]}")

        os.remove(odd + "/libcudnn.so.9")
        pathlib.Path(odd, "libcudnn.so.9").write_text("text")
        report = Report(program, environment={"LD_LIBRARY_PATH": odd})
        subjects = [finding["subject"] for finding in report.document["findings"] if finding["rule"] == "library_file_damaged"]
        check.that(subjects == [place + "/caf\\xe9 \\x41 \\xe9/libcudnn.so.9"], f"a finding tells the path once escaped: {subjects}")


a_path_that_is_no_utf8()
sys.exit(check.close())
