#!/usr/bin/env python3
"""The doctor on real vendor libraries: the CUDA and cuDNN of this machine, and Debian's user-mode drivers.

usage: real_test.py RNNCHECK DRIVERS_DIRECTORY     exit code 77: there is no cuDNN in /usr/local/cuda
"""

import glob
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks, Report  # noqa: E402

program, drivers = sys.argv[1], pathlib.Path(sys.argv[2])
check = Checks()
fronts = [path for path in glob.glob("/usr/local/cuda/lib*/libcudnn.so.9") if os.path.exists(path)]
if not fronts:
    print("SKIPPED: no cuDNN 9 in /usr/local/cuda")
    sys.exit(77)
real_front = os.path.realpath(fronts[0])
no_driver = not os.path.exists("/proc/driver/nvidia/version") and not os.path.exists(
    "/dev/nvidiactl"
)


def system_cudnn(report):
    return next(
        (
            entry
            for entry in report.facts["cudnns"]
            if os.path.realpath(entry["library"]) == real_front
        ),
        None,
    )


def check_as_it_is():
    report = Report(program)
    check.that(report.document is not None, "one JSON document")
    cudnn = system_cudnn(report)
    check.that(
        cudnn and cudnn.get("rnn_usable") is True,
        f"the system's cuDNN has a usable RNN half: {cudnn}",
    )
    check.that(
        cudnn and {"version", "built_for_cuda"} <= cudnn.keys(), "its version and CUDA are reported"
    )
    check.that(
        report.facts["runtimes"]
        and all("version" in runtime for runtime in report.facts["runtimes"]),
        "runtimes answer",
    )
    check.that(all(nvrtc.get("compiles") for nvrtc in report.facts["nvrtcs"]), "NVRTC compiles")
    if no_driver:
        check.that(
            report.rules("error")[:1] == ["driver_missing"],
            f"driver_missing is the first error: {report.rules('error')}",
        )
        check.that(report.code == 1, f"exit code {report.code}")
        check.that(
            report.rules("error") == ["driver_missing"],
            f"nothing else is an error: {report.rules('error')}",
        )
        allowed = Report(program, "--allow-no-gpu")
        check.that(
            allowed.code == 0, f"--allow-no-gpu: exit code {allowed.code}, {allowed.rules('error')}"
        )


def check_driver_library(branch, cuda):
    directory = drivers / branch
    if not no_driver or not directory.exists():
        print(
            f"SKIPPED: driver {branch}: "
            + ("a driver is installed here" if not no_driver else "not fetched")
        )
        return
    before = set(os.listdir("/dev"))
    report = Report(program, environment={"LD_LIBRARY_PATH": str(directory)})
    driver = report.facts["driver"]
    check.that(driver.get("cuda_version") == cuda, f"{branch}: CUDA {driver.get('cuda_version')}")
    check.that(
        str(driver.get("library_version", "")).startswith(branch + "."),
        f"{branch}: release {driver.get('library_version')}",
    )
    errors = report.rules("error")
    check.that(
        "kernel_module_missing" in errors, f"{branch}: the missing kernel module is reported: {errors}"
    )
    check.that(
        "driver_too_old" in errors,
        f"{branch}: the runtime that needs a newer driver is reported: {errors}",
    )
    check.that(
        "driver_missing" not in report.rules() and "no_gpu_visible" not in errors,
        f"{branch}: one cause, reported once: {errors}",
    )
    check.that(set(os.listdir("/dev")) == before, f"{branch}: no device node was made")


HIDE = """
f="$1"; d=$(dirname "$f"); shift
mount -t tmpfs none /mnt && mkdir /mnt/up /mnt/work &&
    mount -t overlay overlay -o "lowerdir=$d,upperdir=/mnt/up,workdir=/mnt/work" "$d" && rm "$f" || exit 99
exec "$@"
"""


def without(part, *options):
    path = os.path.join(os.path.dirname(real_front), f"libcudnn_{part}.so.9")
    wrapper = ("unshare", "-m", "bash", "-c", HIDE, "hide", os.path.realpath(path))
    if subprocess.run([*wrapper, "true"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: files cannot be hidden in a mount namespace here")
        return None
    return Report(program, *options, wrapper=wrapper)


def check_hidden_adv():
    report = without("adv")
    if report is None:
        return
    cudnn = system_cudnn(report)
    check.that(cudnn and cudnn.get("version"), "without libcudnn_adv the version is still reported")
    check.that(
        cudnn and cudnn.get("rnn_usable") is False,
        "without libcudnn_adv the RNN half is not usable",
    )
    missing = report.finding("cudnn_part_missing")
    check.that(
        missing and "libcudnn_adv.so.9" in missing["message"],
        f"the missing part is named: {missing}",
    )
    check.that(
        missing and os.path.dirname(real_front) in str(missing),
        "the directories searched are named",
    )
    unusable = report.finding("cudnn_rnn_unusable")
    check.that(unusable is not None or missing is not None, "the RNN half is reported unusable")


def check_hidden_graph():
    report = without("graph")
    if report is None:
        return
    missing = report.finding("cudnn_part_missing")
    check.that(
        missing and "libcudnn_graph.so.9" in missing["message"],
        f"the missing libcudnn_graph is reported: {missing}",
    )
    check.that(
        report.finding("probe_crashed") is None, "the aborted version query is no second finding"
    )
    check.that(report.code == 1, f"exit code {report.code}")


check_as_it_is()
check_driver_library("535", "12.2")
check_driver_library("470", "11.4")
check_hidden_adv()
check_hidden_graph()
sys.exit(check.close())
