#!/usr/bin/env python3
"""Directories and files that the search for libraries meets and that are not what one expects.

usage: odd_files_test.py RNNCHECK DIRECTORY_OF_HOSTILE_LIBRARIES
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks, Report  # noqa: E402

program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
check = Checks()


def a_path_that_is_no_utf8():
    """A library there is found, opened and reported; the saved facts lead to the very same bytes."""
    with tempfile.TemporaryDirectory() as place:
        odd = os.path.join(place, os.fsdecode(b"caf\xe9 \\x41 \\xe9"))
        os.mkdir(odd)
        shutil.copy(directory / "libcudnn.so.9", odd)
        report = Report(program, environment={"LD_LIBRARY_PATH": odd})
        written = place + "/caf\\xe9 \\x41 \\x5cxe9/libcudnn.so.9"
        copies = [entry for entry in report.facts["cudnns"] if entry["library"] == written]
        check.that(
            [copy.get("version") for copy in copies] == ["9.19.0"],
            f"the copy answers: {report.facts['cudnns']}",
        )
        check.that(
            report.facts["host"]["environment"]["LD_LIBRARY_PATH"] == os.path.dirname(written),
            "the variable's value is kept",
        )
        text = subprocess.run(
            [program, "doctor"],
            capture_output=True,
            check=False,
            env={**os.environ, "LD_LIBRARY_PATH": odd},
        ).stdout.decode()
        check.that(place + "/caf\\xe9" in text, f"the text tells the directory: {text[:2000]}")

        os.remove(odd + "/libcudnn.so.9")
        pathlib.Path(odd, "libcudnn.so.9").write_text("text")
        report = Report(program, environment={"LD_LIBRARY_PATH": odd})
        subjects = [
            finding["subject"]
            for finding in report.document["findings"]
            if finding["rule"] == "library_file_damaged"
        ]
        check.that(
            subjects == [place + "/caf\\xe9 \\x41 \\xe9/libcudnn.so.9"],
            f"a finding tells the path once escaped: {subjects}",
        )


def reported(place):
    report = Report(program, environment={"LD_LIBRARY_PATH": place})
    ends = {run["end"] for run in report.facts["probe_runs"]}
    check.that(ends == {"finished"}, f"{os.listdir(place)}: processes ended {ends}")
    return report


def what_is_no_file():
    """Each is reported as what it is, by one finding; nothing opens it, no other library is blamed."""
    kinds = {
        "named pipe": os.mkfifo,
        "directory": os.mkdir,
        "socket": lambda path: os.mknod(path, 0o140600),
        "symbolic link loop": lambda path: os.symlink(os.path.basename(path), path),
        "device": lambda path: os.symlink("/dev/zero", path),
    }
    for kind, make in kinds.items():
        for name in (
            "libcuda.so.1",
            "libnvidia-ml.so.1",
            "libcudnn.so.9",
            "libcudart.so.12",
            "libnvrtc.so.12",
        ):
            with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as empty:
                make(f"{place}/{name}")
                usual, report = reported(empty), reported(place)
                new = [
                    finding
                    for finding in report.document["findings"]
                    if finding["rule"] not in usual.rules()
                ]
                check.that(
                    len(new) == 1
                    and new[0]["subject"] == f"{place}/{name}"
                    and kind in new[0]["message"],
                    f"{kind} {name}: {[(finding['rule'], finding['message']) for finding in new]}",
                )


def a_pipe_that_libraries_lead_to():
    """cuDNN's parts and the driver library are opened by the other libraries themselves."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("libcudart.so.12", "libcudnn.so.9", "libnvrtc.so.12"):
            shutil.copy(directory / name, place)
        os.mkfifo(place + "/libcuda.so.1")
        report = reported(place)
        failures = [
            str(entry.get("failure"))
            for list_ in ("cudnns", "runtimes", "nvrtcs")
            for entry in report.facts[list_]
        ]
        check.that(
            failures
            and all(
                f"not opened: the loader would come to {place}/libcuda.so.1" in text
                for text in failures
            ),
            f"libraries that open libcuda.so.1 are left alone: {failures}",
        )
        blamed = [finding["subject"] for finding in report.document["findings"]]
        check.that(
            not any("cudnn" in subject or "cudart" in subject for subject in blamed),
            f"blamed: {blamed}",
        )
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(directory / "libcudnn.so.9", place)
        os.mkfifo(place + "/libcudnn_adv.so.9")
        os.mkfifo(place + "/libcudnn_adv_infer.so.8")
        ours = [
            entry for entry in reported(place).facts["cudnns"] if entry["library"].startswith(place)
        ]
        check.that(
            f"{place}/libcudnn_adv.so.9" in str(ours[0].get("failure")),
            f"a part that is a pipe: {ours}",
        )


def processor_seconds(work):
    """Used by the processes that `work` starts, and what it returns; no busy machine makes it longer."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def thousands_of_directories():
    """The loader itself takes time that grows with their square at the start of every process, which nobody can help;
    what comes on top of that must stay small. A library in the last one counts."""
    with tempfile.TemporaryDirectory() as place:
        directories = [f"{place}/{number}" for number in range(3000)]
        for path in directories:
            os.mkdir(path)
        shutil.copy(directory / "libcudnn.so.9", directories[-1])
        environment = {"LD_LIBRARY_PATH": ":".join(directories)}
        loader_alone, _ = processor_seconds(
            lambda: [subprocess.run(["/bin/true"], env=environment, check=True) for _ in range(10)]
        )
        usual, _ = processor_seconds(lambda: Report(program))
        took, report = processor_seconds(lambda: Report(program, environment=environment))
        ours = [
            entry["version"]
            for entry in report.facts["cudnns"]
            if entry["library"].startswith(directories[-1])
        ]
        check.that(
            ours == ["9.19.0"],
            f"the library in the last directory is found: {report.facts['cudnns']}",
        )
        check.that(
            took < 2 * usual + 3 * loader_alone + 0.5,
            f"{took:.2f} s of a processor; without them {usual:.2f} s; ten times nothing {loader_alone:.2f} s",
        )


thousands_of_directories()
a_path_that_is_no_utf8()
what_is_no_file()
a_pipe_that_libraries_lead_to()
sys.exit(check.close())
