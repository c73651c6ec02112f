#!/usr/bin/env python3
"""tools/refresh_tables against an index of tiny wheels on this machine.

usage: refresh_tables_test.py PROJECT_DIRECTORY
"""

import http.server
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

root = pathlib.Path(sys.argv.pop(1))
TABLES = (
    "framework_builds",
    "framework_cuda",
    "cudnn_builds",
    "cudnn_parts",
    "driver_for_cuda",
    "windows_driver_for_cuda",
    "keras_backends",
)


def fat_binary(*targets):
    entries = b""
    for target in targets:
        number = int("".join(filter(str.isdigit, target)))
        flags = 1 << 20 if target.endswith("a") else 1 << 21 if target.endswith("f") else 0
        kind = 1 if target.startswith("compute") else 2
        entries += (
            struct.pack("<HHIQIIHHIQQ16x", kind, 257, 64, 24, 24, 0, 7, 1, number, 0, flags)
            + b"payload " * 3
        )
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


def wheel(package, version, requires=(), **files):
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr(
            f"{package.replace('-', '_')}-{version}.dist-info/METADATA",
            "Metadata-Version: 2.1\n" + "".join(f"Requires-Dist: {one}\n" for one in requires),
        )
    return stored.getvalue()


def library(*targets, text=b""):
    """With kernels for one GPU alone, which show nothing about the build, and a random-looking start before the fat binaries."""
    return (
        os.urandom(100_003)
        + fat_binary(*targets) * 3
        + text
        + fat_binary("sm_90a") * 9
        + bytes(1_100_000)
        + fat_binary(*targets)
    )


class Index(http.server.BaseHTTPRequestHandler):
    wheels, wheels_read = {}, 0

    def log_message(self, *_):
        pass

    def do_GET(self):
        if found := re.fullmatch(r"/pypi/(.+)/json", self.path):
            releases = {}
            for (package, version, name), _ in self.wheels.items():
                if package == found[1]:
                    releases.setdefault(version, []).append(
                        {
                            "filename": name,
                            "url": f"../../files/{name}",
                            "yanked": version.endswith("99"),
                        }
                    )
            return (
                self.answer(json.dumps({"releases": releases}).encode())
                if releases
                else self.send_error(404)
            )
        content = next(
            data for (_, _, name), data in self.wheels.items() if self.path == f"/files/{name}"
        )
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        return self.answer(content[first : last + 1], f"bytes {first}-{last}/{len(content)}")

    def answer(self, content, part=None):
        Index.wheels_read += bool(part)
        self.send_response(206 if part else 200)
        self.send_header("Content-Length", str(len(content)))
        if part:
            self.send_header("Content-Range", part)
        self.end_headers()
        self.wfile.write(content)


def publish(package, version, python="cp311-cp311", platform="manylinux_2_28_x86_64", **contents):
    name = f"{package.replace('-', '_')}-{version}-{python}-{platform}.whl"
    Index.wheels[package, version, name] = wheel(package, version, **contents)


def publish_everything():
    older, newer = ("sm_80", "sm_90", "compute_90"), ("sm_80", "sm_90", "sm_100f", "compute_100")
    for version, python, targets in (
        ("4.0.0", "cp311-cp311", older),
        ("4.1.0", "cp311-cp311", older),
        ("4.2.0", "cp312-cp312", newer),
        ("4.2.99", "cp312-cp312", newer),
        ("4.3.0rc1", "cp312-cp312", newer),
    ):
        publish(
            "ctranslate2",
            version,
            python,
            **{"ctranslate2/libc.so.4": library(*targets, text=b"libcudnn.so.9")},
        )
    for version, cuda, cudnn in (("2.15.0", "13.2", "9.26.0.51"), ("2.16.0", "13.4", "9.28.0.42")):
        publish(
            "torch",
            version,
            requires=[f'nvidia-cudnn-cu13=={cudnn}; platform_system == "Linux"'],
            **{
                "torch/version.py": f"cuda: Optional[str] = '{cuda}'\n",
                "torch/lib/libtorch_cuda.so": library("sm_80", "sm_90"),
            },
        )
    for version, toolkit, more in (
        ("9.27.0.1", b"13.4", {}),
        ("9.28.0.2", b"13.5", {"nvidia/cudnn/lib/libcudnn_new.so.9": b""}),
    ):
        publish(
            "nvidia-cudnn-cu13",
            version,
            "py3-none",
            **{
                "nvidia/cudnn/lib/libcudnn_adv.so.9": library(
                    "sm_75", "sm_90a", "sm_121", text=b"release " + toolkit + b", V"
                ),
                **more,
            },
        )
    publish("nvidia-cuda-runtime", "13.9.1", "py3-none", **{"nvidia/lib": b""})


def row(framework, version, build, **columns):
    return {
        "framework": framework,
        "first": version,
        "last": version,
        "os": "linux",
        "build": build,
        "python_first": "3.11",
        "python_last": "3.11",
        **columns,
        "source": "old",
        "provenance": "documented",
    }


ROWS = {
    "framework_builds": [
        row(
            "ctranslate2",
            "4.0.0",
            "conda-cuda128",
            cuda="12.8",
            libraries="wheels",
            package="ctranslate2",
            install='conda install -c conda-forge "ctranslate2={version}"',
        ),
        row(
            "ctranslate2",
            "4.0.0",
            "cuda",
            cuda="12.8",
            cudnn="9",
            libraries="system",
            targets="sm_80 sm_90 compute_90",
            package="ctranslate2",
            install="pip install ctranslate2=={version}",
        ),
        row(
            "pytorch",
            "2.15.0",
            "cu130",
            cuda="13.0",
            libraries="wheels",
            package="torch",
            install="pip install torch=={version} --index-url https://download.pytorch.org/whl/cu130",
        ),
        {
            **row(
                "pytorch",
                "2.15.0",
                "cu132",
                cuda="13.2",
                cudnn="9.26.0",
                libraries="wheels",
                targets="sm_80 sm_90",
                driver_min="580.1",
                package="torch",
                install="pip install torch=={version}",
            ),
            "note": "requires nvidia-cudnn-cu13==9.26.0.51",
        },
    ],
    "framework_cuda": [
        {
            "framework": "pytorch",
            "first": "2.15",
            "last": "2.15.0",
            "newest_cuda": "13.2",
            "cudnn_major": 9,
            "source": "old",
            "provenance": "documented",
        }
    ],
    "cudnn_builds": [
        {
            "cudnn": "9.27.0",
            "cuda_major": 13,
            "cuda_min": "13.0",
            "cuda_max": "13.4",
            "capability_min": "7.5",
            "capability_max": "12.1",
            "driver_min": "580",
            "source": "wheels",
            "provenance": "documented",
            "note": "read",
        }
    ],
    "cudnn_parts": [
        {
            "major": 9,
            "soname": "libcudnn_adv.so.9",
            "needed_by_rnn": True,
            "needed_by_version": False,
            "needed_to_train": False,
            "since": "9.0.0",
            "source": "old",
            "provenance": "documented",
        }
    ],
    "driver_for_cuda": [
        {
            "cuda": "13.4",
            "full_driver": "615",
            "oldest_driver": "580",
            "source": "old",
            "provenance": "documented",
        }
    ],
    "windows_driver_for_cuda": [
        {
            "cuda": "13.4",
            "full_driver": "615",
            "oldest_driver": "580",
            "source": "old",
            "provenance": "documented",
        }
    ],
    "keras_backends": [],
}


class Refresh(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.tables = pathlib.Path(work.name)
        old = {"title": "read before", "url": "https://example.org/", "seen": "2026-01-01"}
        for name in TABLES:
            table = json.loads((root / "compat_matrix" / f"{name}.json").read_text())
            holes = (
                ["  " + f'"holes": {json.dumps({"1.0": "no such version"})},\n']
                if "holes" in table
                else []
            )
            self.write(
                name,
                table["about"],
                table["columns"],
                holes,
                {"old": old, "wheels": old} if name == "cudnn_builds" else {"old": old},
                ROWS[name],
            )
        self.run_tool("2026-02-02")

    def write(self, name, about, columns, holes, sources, rows):
        lines = lambda found: ",\n".join("    " + one for one in found)  # noqa: E731
        (self.tables / f"{name}.json").write_text(
            f'{{ "about": {json.dumps(about, ensure_ascii=False)},\n  "columns": {json.dumps(columns)},\n'
            + "".join(holes)
            + '  "sources": {\n'
            + lines(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in sources.items())
            + '\n  },\n  "rows": [\n'
            + lines(map(json.dumps, rows))
            + "\n  ]\n}\n"
        )

    def run_tool(self, date):
        environment = {
            "PATH": os.environ["PATH"],
            "PIP_INDEX_URL": f"http://127.0.0.1:{server.server_port}/simple",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [
                sys.executable,
                root / "tools/refresh_tables",
                "--tables",
                self.tables,
                "--date",
                date,
            ],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.stated = done.stdout
        return done.stdout

    def rows(self, table, **equal):
        return [
            one
            for one in json.loads((self.tables / f"{table}.json").read_text())["rows"]
            if equal.items() <= one.items()
        ]

    def texts(self):
        return {name: (self.tables / f"{name}.json").read_text() for name in TABLES}

    def test_same_contents_extend_the_row(self):
        self.assertIn("ctranslate2 4.1.0 for linux (cuda): as 4.0.0\n", self.stated)
        (old,) = self.rows("framework_builds", framework="ctranslate2", first="4.0.0", build="cuda")
        self.assertEqual(
            (old["last"], old["source"], old["provenance"]),
            ("4.1.0", "pypi_ctranslate2_4_0_0_4_1_0", "documented"),
        )

    def test_what_differs_is_in_a_new_row(self):
        (new,) = self.rows("framework_builds", framework="ctranslate2", first="4.2.0", build="cuda")
        self.assertEqual(
            new["last"], "4.2.0"
        )  # neither the withdrawn 4.2.99 nor the release candidate
        self.assertEqual(
            (new["targets"], new["python_last"], new["cudnn"]),
            ("sm_80 sm_90 sm_100f compute_100", "3.12", "9"),
        )
        self.assertEqual(new["provenance"], "documented")

    def test_builds_of_conda_are_not_on_the_index(self):
        (only,) = self.rows("framework_builds", build="conda-cuda128")
        self.assertEqual((only["last"], only["source"]), ("4.0.0", "old"))

    def test_a_pin_and_a_toolkit(self):
        (new,) = self.rows("framework_builds", framework="pytorch", build="cu134")
        self.assertEqual((new["cuda"], new["cudnn"]), ("13.4", "9.28.0"))
        self.assertIn("requires nvidia-cudnn-cu13==9.28.0.42", new["note"])
        newest = self.rows("framework_cuda")[-1]
        self.assertEqual((newest["first"], newest["newest_cuda"]), ("2.16.0", "13.4"))

    def test_what_no_file_shows_is_marked(self):
        (new,) = self.rows("framework_builds", framework="pytorch", build="cu134")
        self.assertNotIn("driver_min", new)
        self.assertEqual(new["provenance"], "inferred")
        self.assertIn("the oldest driver is in no file of the package", new["note"])
        (other,) = self.rows("framework_builds", framework="pytorch", first="2.16.0", build="cu130")
        self.assertEqual(other["provenance"], "unconfirmed")
        self.assertIn("is to be read on download.pytorch.org", other["note"])
        self.assertIn("left: pytorch 2.16.0 for linux (cu130)", self.stated)

    def test_cudnn_and_cuda(self):
        (new,) = self.rows("cudnn_builds", cudnn="9.28.0")
        self.assertEqual(
            (new["cuda_max"], new["capability_min"], new["capability_max"]), ("13.5", "7.5", "12.1")
        )
        (part,) = self.rows("cudnn_parts", soname="libcudnn_new.so.9")
        self.assertEqual((part["since"], part["provenance"]), ("9.28.0", "unconfirmed"))
        for name in ("driver_for_cuda", "windows_driver_for_cuda"):
            self.assertIn("13.9", json.loads((self.tables / f"{name}.json").read_text())["holes"])

    def test_the_second_run_finds_nothing(self):
        before = self.texts()
        self.assertEqual(self.run_tool("2026-03-03"), "")
        self.assertEqual(self.texts(), before)

    def test_a_removed_row_comes_back(self):
        before = self.texts()
        for name, needle in (
            ("framework_builds", '"first": "4.2.0"'),
            ("framework_builds", '"build": "cu134"'),
            ("cudnn_builds", '"cudnn": "9.28.0"'),
        ):
            path = self.tables / f"{name}.json"
            kept = [line for line in path.read_text().splitlines() if needle not in line]
            path.write_text(re.sub(r"\},(\n  \])", r"}\1", "\n".join(kept) + "\n"))
            self.assertNotEqual(self.texts(), before)
            self.run_tool("2026-03-03")
            self.assertEqual(
                {
                    key: text.replace("2026-03-03", "2026-02-02")
                    for key, text in self.texts().items()
                },
                before,
                needle,
            )

    def test_without_anything_new_no_wheel_is_read(self):
        Index.wheels_read = 0
        self.run_tool("2026-03-03")
        self.assertEqual(Index.wheels_read, 0)


publish_everything()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
threading.Thread(target=server.serve_forever, daemon=True).start()
unittest.main()
