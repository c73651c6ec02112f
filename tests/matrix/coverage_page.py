"""docs/coverage.md: what the tables contain, from which version on, and what they do not, written from the tables.

coverage_page.py CHECKOUT fails when the page is not what the tables give; with RNNCHECK_BLESS in the environment it
writes the page.
"""

import json
import os
import pathlib
import sys

SYSTEMS = ("linux", "windows", "macos")
INTRODUCTION = """# What the compatibility data cover

This page is generated from the tables of `compat_matrix/`: `cmake --build build/dev --target bless` updates it. A
version that is older or newer than those in a table is reported as outside the data, never as compatible. `rnncheck matrix show TABLE`
shows the rows with their sources, `rnncheck matrix show log_causes` the causes that `rnncheck diagnose` finds in logs.
"""


def number(text):
    return [int(part) if part.isdigit() else 0 for part in str(text).replace("+", ".").split(".")]


def span(rows, first, last=None):
    """'7.0.0 to 9.28.0': the oldest and the newest version that the rows cover."""
    ends = [row.get(last) or row[first] for row in rows] if last else [row[first] for row in rows]
    oldest, newest = min((row[first] for row in rows), key=number), max(ends, key=number)
    return str(oldest) if oldest == newest else f"{oldest} to {newest}"


def grouped(rows, *columns):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def table(heads, lines):
    out = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return (
        "\n".join(out + ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines])
        + "\n"
    )


def drivers(tables):
    covered = (
        (
            "Linux drivers, with the newest CUDA version of each",
            "cuda_of_driver",
            "branch",
            "last_branch",
        ),
        ("CUDA versions, with their Linux drivers", "driver_for_cuda", "cuda"),
        ("CUDA versions, with their Windows drivers", "windows_driver_for_cuda", "cuda"),
        ("CUDA compatibility packages", "forward_compatibility", "cuda"),
        ("compute capabilities", "architectures", "capability"),
        ("names of GPUs, by compute capability", "gpu_products", "capability"),
        ("Keras versions, with their backends", "keras_backends", "first", "last"),
    )
    lines = [[what, span(tables[name]["rows"], *columns)] for what, name, *columns in covered]
    return "\n## Drivers, CUDA and GPUs\n\n" + table(["what", "covered"], lines)


def cudnn(tables):
    lines = [
        [
            f"CUDA {major}",
            span(rows, "cudnn", "cudnn_last"),
            span(rows, "capability_min", "capability_max"),
        ]
        for (major,), rows in sorted(grouped(tables["cudnn_builds"]["rows"], "cuda_major").items())
    ]
    return "\n## cuDNN\n\n" + table(["built for", "cuDNN versions", "compute capabilities"], lines)


def known_code(rows):
    """For which builds with CUDA the table lists the GPUs that they have code for."""
    unknown = grouped(
        [
            {"versions": span([row], "first", "last"), "build": row["build"]}
            for row in rows
            if "targets" not in row
        ],
        "versions",
    )
    if not unknown:
        return "all"
    return "all but " + "; ".join(
        f"{versions} ({', '.join(row['build'] for row in builds)})"
        for (versions,), builds in unknown.items()
    )


def frameworks(tables):
    lines = []
    builds = {
        key: rows
        for name, word in (("framework_builds", ""), ("framework_builds_arm", " on Arm"))
        for (framework, system), rows in grouped(tables[name]["rows"], "framework", "os").items()
        for key in [(framework, system + word)]
    }
    for (framework, system), rows in builds.items():
        with_cuda = [row for row in rows if "cuda" in row]
        lines.append(
            [
                framework,
                system,
                span(rows, "first", "last"),
                *([span(with_cuda, "cuda"), known_code(with_cuda)] if with_cuda else ["none", ""]),
            ]
        )
    return (
        "\n## Frameworks\n\nWhere the GPU code of a build is not known, the newest CUDA version of the framework "
        "decides whether a GPU is too new for it.\n\n"
        + table(
            ["framework", "system", "versions", "CUDA versions", "builds with known GPU code"],
            lines,
        )
    )


def images(tables):
    lines = [
        [
            f"`{image}`",
            span(rows, "cuda"),
            rows[0].get("framework", ""),
            span(rows, "capability_min", "capability_max") if "capability_min" in rows[0] else "",
        ]
        for (image,), rows in grouped(tables["container_images"]["rows"], "image").items()
    ]
    return (
        "\n## Container images\n\nThe images of a framework differ in the GPUs that they are for: from 25.01 on they begin "
        "with compute capability 7.5.\n\n"
        + table(["image", "CUDA versions", "framework", "compute capabilities"], lines)
    )


def not_covered(tables):
    builds = grouped(tables["framework_builds"]["rows"], "framework", "os")
    names = sorted({framework for framework, _ in builds})
    missing = [
        f"{name} for {', '.join(absent)}"
        for name in names
        if (absent := [system for system in SYSTEMS if (name, system) not in builds])
    ]
    lines = [
        "Builds for Jetson boards before Thor, which NVIDIA publishes for its JetPack: their GPUs are covered, the builds are not.",
        "GPUs of vendors other than NVIDIA: builds for ROCm, DirectML and Metal are listed without their requirements.",
        "Builds of publishers other than the framework's own and NVIDIA, such as those of Linux distributions.",
        "Frameworks without a build for a system in the data: " + "; ".join(missing) + ".",
    ]
    for name, content in tables.items():
        for hole, reason in content.get("holes", {}).items():
            lines.append(f"`{name}`: {hole}: {reason}.")
    unconfirmed = [
        f"{sum(row['provenance'] == 'unconfirmed' for row in content['rows'])} of `{name}`"
        for name, content in tables.items()
        if any(row["provenance"] == "unconfirmed" for row in content["rows"])
    ]
    planned = [
        f"{row['framework']} {row['first']} ({row['build']}, {row['os']})"
        for row in tables["framework_builds"]["rows"]
        if row["provenance"] == "unconfirmed"
    ]
    lines.append(
        "Builds that are listed but were not confirmed, and are never proposed: "
        + ", ".join(planned)
        + "."
        if planned
        else "Every listed build is confirmed."
    )
    lines.append(
        "Rows that no source confirms yet: " + ", ".join(unconfirmed) + "."
        if unconfirmed
        else "Every row was read in its source or follows from such a row."
    )
    return "\n## What is not covered\n\n" + "".join(f"- {line}\n" for line in lines)


def page(directory):
    tables = {path.stem: json.loads(path.read_text()) for path in sorted(directory.glob("*.json"))}
    parts = (drivers, cudnn, frameworks, images, not_covered)
    return INTRODUCTION + "".join(part(tables) for part in parts)


def main():
    checkout = pathlib.Path(sys.argv[1])
    path, expected = checkout / "docs/coverage.md", page(checkout / "compat_matrix")
    if os.environ.get("RNNCHECK_BLESS"):
        path.write_text(expected)
    if not path.exists() or path.read_text() != expected:
        sys.exit(
            f"{path} differs from the tables: write it again with RNNCHECK_BLESS=1 {sys.argv[0]} {checkout}"
        )


if __name__ == "__main__":
    main()
