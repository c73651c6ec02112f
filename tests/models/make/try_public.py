#!/usr/bin/env python3
"""Runs `rnncheck model` on public files and compares with ../public_files.tsv.

usage: try_public.py RNNCHECK [--repositories DIRECTORY] [--write]
It needs a network, so it is not part of CI. A line of the table is: pypi:NAME==VERSION or
github:OWNER/NAME@COMMIT, the path in it, the exit code, and what is shown of its layers
(name:kind:input x hidden:cuDNN) or the beginning of the message. Wheels come by `pip download`,
repositories by `git clone`, or are taken from DIRECTORY/OWNER+NAME. --write writes the table again
from what is shown.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

TABLE = pathlib.Path(__file__).resolve().parent.parent / "public_files.tsv"
LONGEST = 60  # of a message


def shown(program, path):
    """The exit code, and the layers or the beginning of the message."""
    done = subprocess.run(
        [program, "model", str(path), "--json"], capture_output=True, text=True, check=False
    )
    if done.returncode in (0, 1, 3, 4):
        report = json.loads(done.stdout)
        layers = [
            layer
            for model in (report.get("models") or [report])
            for layer in model.get("layers", [])
        ]
        words = [
            f"{one['name']}:{one['kind']}:{one.get('input')}x{one.get('hidden')}:{one['cudnn']}"
            for one in layers
        ]
        return done.returncode, " ".join(words) or "no layer"
    message = done.stderr.strip().split("cannot be read: ")[-1]
    return done.returncode, message[:LONGEST]


def wheel_files(requirement, place):
    """Unpacks a wheel, nothing of it is imported."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--ignore-requires-python",
            "--only-binary=:all:",
            "--dest",
            str(place),
            requirement,
        ],
        check=True,
    )
    for wheel in place.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(place)


def repository_files(name, commit, paths, repositories, place):
    """Writes the files and directories of a commit below `place`."""
    clone = repositories and repositories / name.replace("/", "+")
    if not clone or not clone.exists():
        clone = place / ".clone"
        subprocess.run(
            ["git", "clone", "--quiet", "--no-checkout", f"https://github.com/{name}", str(clone)],
            check=True,
        )
    git = next(
        one
        for one in (clone / "repo" / ".git", clone / "repo", clone / ".git", clone)
        if (one / "HEAD").exists()
    )
    show = ["git", f"--git-dir={git}"]
    for path in paths:
        listed = subprocess.run(
            [*show, "ls-tree", "-r", "-z", "--name-only", commit, "--", path],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for file in filter(None, listed.split("\0")):
            target = place / file
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "wb") as out:
                subprocess.run([*show, "show", f"{commit}:{file}"], stdout=out, check=False)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("rnncheck", type=pathlib.Path)
    options.add_argument("--repositories", type=pathlib.Path)
    options.add_argument("--write", action="store_true")
    given = options.parse_args()
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()]
    by_source = collections.defaultdict(list)
    for row in rows:
        by_source[row[0]].append(row)
    different = missing = 0
    for source, of_source in by_source.items():
        kind, name = source.split(":", 1)
        with tempfile.TemporaryDirectory() as directory:
            place = pathlib.Path(directory)
            try:
                if kind == "pypi":
                    wheel_files(name, place)
                else:
                    repository, commit = name.split("@")
                    repository_files(
                        repository, commit, [row[1] for row in of_source], given.repositories, place
                    )
            except subprocess.CalledProcessError as error:
                print(f"{source}: {error}")
            for row in of_source:
                if not (place / row[1]).exists():
                    missing += 1
                    continue
                code, text = shown(given.rnncheck.resolve(), place / row[1])
                if row[2:] != [str(code), text]:
                    different += 1
                    print(f"{source} {row[1]}\n  was {row[2:]}\n  is  {[str(code), text]}")
                row[2:] = [str(code), text]
    if given.write:
        TABLE.write_text("".join("\t".join(row) + "\n" for row in rows))
    print(f"{len(rows)} files, {different} different, {missing} not there")
    return different > 0


sys.exit(main())
