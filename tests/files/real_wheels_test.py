#!/usr/bin/env python3
"""What the doctor says of real wheels, unpacked but never run.

usage: real_wheels_test.py RNNCHECK     exit code 77: RNNCHECK_WHEELS names no directory

RNNCHECK_WHEELS is a directory of *.whl files, fetched for example with
  pip download --no-deps --only-binary=:all: --python-version 3.11 --platform manylinux2014_x86_64 tensorflow==2.18.0
Each release below that is there is unpacked, in the combinations named, and must be reported with the right package, flavour and
versions, and with the right copy of cuDNN. At least one must be there.
"""

import os
import pathlib
import shutil
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks, Report  # noqa: E402

directory = os.environ.get("RNNCHECK_WHEELS", "")
if not directory or not os.path.isdir(directory):
    print("SKIPPED: RNNCHECK_WHEELS names no directory of wheels")
    sys.exit(77)
program, wheels, check = sys.argv[1], pathlib.Path(directory), Checks()
CUDNN = {
    version: f"nvidia_cudnn_cu{cuda}-{version}"
    for cuda, version in (
        ("11", "8.7.0.84"),
        ("12", "8.9.7.29"),
        ("12", "9.1.0.70"),
        ("12", "9.3.0.75"),
    )
}

# wheels, expected of the framework: name, build, version, CUDA, cuDNN, soname of cuDNN
CPU = None
CASES = [
    (["tensorflow-2.18.0"], "tensorflow", "cuda", "2.18.0", "12.5.1", "9.3.0", "libcudnn.so.9"),
    (
        ["tensorflow-2.18.0", CUDNN["9.3.0.75"]],
        "tensorflow",
        "and-cuda",
        "2.18.0",
        "12.5.1",
        "9.3.0",
        "libcudnn.so.9",
    ),
    (["tensorflow-2.15.1"], "tensorflow", "cuda", "2.15.1", "12.2", "8.9.4", "libcudnn.so.8"),
    (
        ["tensorflow-2.15.1", CUDNN["8.9.7.29"]],
        "tensorflow",
        "and-cuda",
        "2.15.1",
        "12.2",
        "8.9.4",
        "libcudnn.so.8",
    ),
    (["tensorflow_cpu-2.18.0"], "tensorflow", "cpu", "2.18.0", CPU, CPU, CPU),
    (["tensorflow_cpu-2.10.0"], "tensorflow", "cpu", "2.10.0", CPU, CPU, CPU),
    (
        ["tensorflow_cpu-2.10.0", "tensorflow_directml_plugin-0.4.0"],
        "tensorflow",
        "directml",
        "2.10.0",
        CPU,
        CPU,
        CPU,
    ),
    (
        ["torch-2.4.1-cp311-cp311-manylinux1"],
        "pytorch",
        "cu121",
        "2.4.1",
        "12.1",
        "9.1.0",
        "libcudnn.so.9",
    ),
    (
        ["torch-2.4.1-cp311-cp311-manylinux1", CUDNN["9.1.0.70"]],
        "pytorch",
        "cu121",
        "2.4.1",
        "12.1",
        "9.1.0",
        "libcudnn.so.9",
    ),
    (
        ["torch-1.13.1-cp310-cp310-manylinux1"],
        "pytorch",
        "cu117",
        "1.13.1",
        "11.7",
        "8.5.0",
        "libcudnn.so.8",
    ),
    (
        ["torch-1.13.1-cp310-cp310-manylinux1", CUDNN["8.7.0.84"]],
        "pytorch",
        "cu117",
        "1.13.1",
        "11.7",
        "8.5.0",
        "libcudnn.so.8",
    ),
    (["torch-2.4.1-cp311-cp311-manylinux2014_aarch64"], "pytorch", "cpu", "2.4.1", CPU, CPU, CPU),
    (["torch-1.13.1-cp310-cp310-manylinux2014_aarch64"], "pytorch", "cpu", "1.13.1", CPU, CPU, CPU),
    (["jax-0.4.35", "jaxlib-0.4.35"], "jax", "cpu", "0.4.35", CPU, CPU, CPU),
    (
        ["jaxlib-0.4.35", "jax_cuda12_plugin-0.4.35", "jax_cuda12_pjrt-0.4.35", CUDNN["9.3.0.75"]],
        "jax",
        "cuda12",
        "0.4.35",
        "12",
        "9.1",
        "libcudnn.so.9",
    ),
    (["onnxruntime-1.20.1"], "onnxruntime", "cpu", "1.20.1", CPU, CPU, CPU),
    (["onnxruntime_gpu-1.18.1"], "onnxruntime", "cuda", "1.18.1", "11", "8", "libcudnn.so.8"),
    (
        ["ctranslate2-4.4.0"],
        "ctranslate2",
        "cuda",
        "4.4.0",
        "12",
        "8.9.7",
        "libcudnn_ops_infer.so.8",
    ),
    (["ctranslate2-4.5.0"], "ctranslate2", "cuda", "4.5.0", "12", "9.1.0", "libcudnn_ops.so.9"),
]


def wheel(name):
    return next(
        (
            path
            for path in sorted(wheels.glob("*.whl"))
            if path.name.startswith(name + "-")
            or path.name.startswith(name + ".")
            or path.name.startswith(name)
        ),
        None,
    )


def unpacked(name, store):
    """The wheel's directory below `store`, filled once. What decides is small, or an ELF file; the rest would only cost time."""
    target = store / name
    if not target.exists():
        with zipfile.ZipFile(wheel(name)) as archive:
            archive.extractall(
                target,
                [
                    entry
                    for entry in archive.namelist()
                    if ".so" in entry
                    or ".dist-info/" in entry
                    or entry.endswith("version.py")
                    or entry.endswith("build_info.py")
                    or entry.endswith("/__init__.py")
                ],
            )
    return target


def installed(names, root, store):
    site = root / "lib/python3.11/site-packages"
    for name in names:
        shutil.copytree(unpacked(name, store), site, copy_function=os.link, dirs_exist_ok=True)
    return site


def cudnn_of(framework):
    return next(
        (library for library in framework["libraries"] if library["soname"].startswith("libcudnn")),
        None,
    )


def check_case(case, root, store):
    names, name, build, version, cuda, cudnn, soname = case
    site = installed(names, root, store)
    report = Report(program, "--look-only", "--show-private", "--python", str(root))
    framework = next(
        (
            one
            for one in report.facts["frameworks"]
            if one["environment"] == str(root) and one["name"] == name
        ),
        None,
    )
    check.that(framework is not None, f"{names}: {name} is found")
    if framework is None:
        return
    for field, expected in (
        ("build", build),
        ("version", version),
        ("cuda", cuda),
        ("cudnn", cudnn),
        ("uses_cuda", soname is not None),
    ):
        check.that(
            framework.get(field) == expected,
            f"{names}: {field} is {framework.get(field)}, expected {expected}",
        )
    check.that(
        names[0].split("-")[0].replace("_", "-").split("-cuda12")[0] in framework["package"],
        f"{names}: the package is {framework['package']}",
    )
    used = cudnn_of(framework)
    check.that(
        (used["soname"] if used else None) == soname,
        f"{names}: cuDNN is opened as {used}, expected {soname}",
    )
    brought = next((one for one in names if one.startswith("nvidia_cudnn")), None)
    if brought:
        check.that(
            used.get("path") == str(site / "nvidia/cudnn/lib" / soname),
            f"{names}: the wheel's own cuDNN is taken: {used}",
        )
        check.that(used.get("version") == brought.split("-")[1], f"{names}: its release: {used}")
        check_wrong_copy(names, root, name, used)
    damaged = [
        package
        for one in report.facts["pythons"]
        if one["active"]
        for package in one["packages"]
        if package["missing_files"] or package["changed_files"]
    ]
    check.that(not damaged, f"{names}: whole packages are whole: {damaged}")


def check_wrong_copy(names, root, name, used):
    """A cuDNN of the same file name in LD_LIBRARY_PATH comes before a run path, not before an RPATH."""
    other = root / "other"
    other.mkdir()
    shutil.copy(used["path"], other)
    report = Report(
        program,
        "--look-only",
        "--show-private",
        "--python",
        str(root),
        environment={"LD_LIBRARY_PATH": str(other)},
    )
    framework = next(
        one
        for one in report.facts["frameworks"]
        if one["environment"] == str(root) and one["name"] == name
    )
    found_by = cudnn_of(framework)["found_by"]
    check.that(
        found_by == ("LD_LIBRARY_PATH" if name == "tensorflow" else "rpath"),
        f"{names}: with another copy ahead: {found_by}",
    )


tried = 0
with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as work:
    for number, one in enumerate(CASES):
        if not all(wheel(name) for name in one[0]):
            print(f"SKIPPED: not all of {one[0]} are in {wheels}")
            continue
        tried += 1
        print(" ".join(one[0]), flush=True)
        check_case(one, pathlib.Path(work) / str(number), pathlib.Path(work) / "wheels")
check.that(tried > 0, "no wheel of the list is there")
sys.exit(check.close())
