"""Packs a program and its documents: tarball, .zip, .deb, .rpm, wheel; and lists what is linked into it."""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

SUMMARY = "Finds out why recurrent networks (cuDNN LSTM, GRU) fail on this machine"
DESCRIPTION = """rnncheck checks the driver, CUDA, every cuDNN installation and the GPUs, runs
small LSTMs with the installed cuDNN, compares the results with an exact
reference, and reports each problem with its fix. It needs glibc alone.
"""
DEBIAN_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass
class Build:
    version: str
    commit: str
    seconds: int  # of the commit: the time of all files in packages
    maintainer: str
    machine: str
    program: Path
    readme: Path
    licence: Path
    linked: list  # (name, version, licence, URL, SHA-256 or "", text of its licence)
    man: str
    completions: dict
    recipes: dict  # of docs/deploy.md: "recipes/slurm/slurm.conf" to its text
    work: Path
    dist: Path

    def time(self, form):
        return datetime.fromtimestamp(self.seconds, timezone.utc).strftime(form)

    @property
    def name(self):
        return f"rnncheck-{self.version}"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


def packed(text):
    return gzip.compress(text.encode(), 9, mtime=0)


def write_tree(directory, files):
    """`files` maps paths to text or bytes; the bytes are the program, or packed."""
    shutil.rmtree(directory, ignore_errors=True)
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(0o755 if isinstance(content, bytes) and path.suffix != ".gz" else 0o644)
    for path in directory.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    return directory


def notices(build):
    text = "rnncheck contains the following software.\n"
    for name, version, licence, url, _, licence_text in build.linked:
        text += f"\n{'=' * 80}\n{name} {version}: {licence}\n{url}\n\n{licence_text.strip()}\n"
    return text


def sbom(build):
    """SPDX 2.3"""

    def package(name, version, licence, url, sha256):
        found = {
            "SPDXID": "SPDXRef-" + re.sub("[^A-Za-z0-9]", "-", name),
            "name": name,
            "versionInfo": version,
            "downloadLocation": url,
            "filesAnalyzed": False,
            "licenseConcluded": licence,
            "licenseDeclared": licence,
            "copyrightText": "NOASSERTION",
        }
        return found | (
            {"checksums": [{"algorithm": "SHA256", "checksumValue": sha256}]} if sha256 else {}
        )

    digest = hashlib.sha256(build.program.read_bytes()).hexdigest()
    packages = [
        package("rnncheck", f"{build.version}+{build.commit}", "Apache-2.0", "NOASSERTION", digest)
    ]
    packages += [package(*fields) for *fields, _ in build.linked]
    links = [
        {
            "spdxElementId": one["SPDXID"],
            "relationshipType": "STATIC_LINK",
            "relatedSpdxElement": "SPDXRef-rnncheck",
        }
        for one in packages[1:]
    ]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": build.name,
        "documentNamespace": f"urn:rnncheck:{build.version}:{build.commit}:{build.machine}",
        "creationInfo": {
            "created": build.time("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: rnncheck-packaging"],
        },
        "packages": packages,
        "relationships": [
            {
                "spdxElementId": "SPDXRef-DOCUMENT",
                "relationshipType": "DESCRIBES",
                "relatedSpdxElement": "SPDXRef-rnncheck",
            }
        ]
        + links,
    }
    return json.dumps(document, indent=1) + "\n"


def tarball(build):
    name = f"{build.name}-linux-{build.machine}"
    write_tree(
        build.work / "tar" / name,
        {
            "rnncheck": build.program.read_bytes(),
            "rnncheck.1": build.man,
            "completions/rnncheck.bash": build.completions["bash"],
            "completions/_rnncheck": build.completions["zsh"],
            "completions/rnncheck.fish": build.completions["fish"],
            "README.md": build.readme.read_text(),
            "LICENSE": build.licence.read_text(),
            "NOTICES": notices(build),
            "sbom.spdx.json": sbom(build),
            **build.recipes,
        },
    )
    archive = run(
        "tar",
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        f"--mtime=@{build.seconds}",
        "-c",
        name,
        cwd=build.work / "tar",
        capture_output=True,
    ).stdout
    (build.dist / f"{name}.tar.gz").write_bytes(gzip.compress(archive, 9, mtime=0))


def installed_files(build):
    """What the .deb and the .rpm put below /usr."""
    documents = "share/doc/rnncheck"
    return {
        "bin/rnncheck": build.program.read_bytes(),
        "share/man/man1/rnncheck.1.gz": packed(build.man),
        "share/bash-completion/completions/rnncheck": build.completions["bash"],
        "share/fish/vendor_completions.d/rnncheck.fish": build.completions["fish"],
        f"{documents}/README.md": build.readme.read_text(),
        f"{documents}/notices.gz": packed(notices(build)),
        f"{documents}/sbom.spdx.json": sbom(build),
        **{f"{documents}/{name}": text for name, text in build.recipes.items()},
    }


def deb(build):
    files = {f"usr/{name}": content for name, content in installed_files(build).items()}
    files["usr/share/zsh/vendor-completions/_rnncheck"] = build.completions["zsh"]
    files["usr/share/doc/rnncheck/copyright"] = (
        f"Copyright {build.time('%Y')} the authors of rnncheck\n\nApache License, version 2.0: /usr/share/common-licenses/Apache-2.0\n\n"
        "The licenses of the software that is linked into rnncheck are in notices.gz.\n"
    )
    files["usr/share/lintian/overrides/rnncheck"] = (
        "# One program must start on machines with and without the packages of its libraries.\n"
        "rnncheck: embedded-library zlib *\n"
    )
    files["usr/share/doc/rnncheck/changelog.gz"] = packed(
        f"rnncheck ({build.version}) unstable; urgency=medium\n\n  * Built from commit {build.commit}.\n\n"
        f" -- {build.maintainer}  {build.time('%a, %d %b %Y %H:%M:%S +0000')}\n"
    )
    sums = "".join(
        f"{hashlib.md5(content.encode() if isinstance(content, str) else content).hexdigest()}  {name}\n"
        for name, content in sorted(files.items())
    )
    size = sum(len(content) for content in files.values()) // 1024
    description = "".join(f" {line}\n" for line in DESCRIPTION.splitlines())
    files["DEBIAN/md5sums"] = sums
    files["DEBIAN/control"] = (
        f"Package: rnncheck\nVersion: {build.version}\nArchitecture: {DEBIAN_NAMES[build.machine]}\nMaintainer: {build.maintainer}\n"
        f"Installed-Size: {size}\nDepends: libc6 (>= 2.17)\nSection: utils\nPriority: optional\n"
        f"Description: {SUMMARY[0].lower()}{SUMMARY[1:]}\n{description}"
    )
    tree = write_tree(build.work / "deb", files)
    run(
        "dpkg-deb",
        "--root-owner-group",
        "-Zxz",
        "--build",
        tree,
        build.dist,
        stdout=sys.stderr,
        env={**os.environ, "DPKG_DEB_THREADS_MAX": "1"},
    )  # several threads write other bytes


def rpm(build):
    files = installed_files(build) | {
        "share/zsh/site-functions/_rnncheck": build.completions["zsh"],
        "share/licenses/rnncheck/LICENSE": build.licence.read_text(),
    }
    tree = write_tree(build.work / "rpm/tree/usr", files)
    listed = "".join(f'"/usr/{name}"\n' for name in sorted(files))
    spec = build.work / "rpm/rnncheck.spec"
    spec.write_text(
        f"Name: rnncheck\nVersion: {build.version}\nRelease: 1\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
        f"%description\n{DESCRIPTION}\n%install\nmkdir -p %{{buildroot}}\ncp -a {tree} %{{buildroot}}/\n%files\n{listed}"
    )
    settings = {
        "_topdir": build.work / "rpm/top",
        "_rpmdir": build.dist,
        "_rpmfilename": f"{build.name}-1.{build.machine}.rpm",
        "_buildhost": "reproducible",
        "use_source_date_epoch_as_buildtime": 1,
        "clamp_mtime_to_source_date_epoch": 1,
        "_build_id_links": "none",
        "__os_install_post": "%{nil}",
        "_binary_payload": "w9.gzdio",
    }
    run(
        "rpmbuild",
        "-bb",
        "--quiet",
        "--target",
        f"{build.machine}-linux",
        *(f"--define={key} {value}" for key, value in settings.items()),
        spec,
        stdout=sys.stderr,
    )


def zip_archive(build):
    name = f"{build.name}-windows-x86_64"
    files = {
        "rnncheck.exe": build.program.read_bytes(),
        "README.md": build.readme.read_text(),
        "LICENSE": build.licence.read_text(),
        "NOTICES": notices(build),
        "sbom.spdx.json": sbom(build),
    }
    time = datetime.fromtimestamp(build.seconds, timezone.utc).timetuple()[:6]
    with zipfile.ZipFile(build.dist / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"{name}/{file}", time), content, zipfile.ZIP_DEFLATED)


def wheel(build):
    data, info = f"{build.name}.data", f"{build.name}.dist-info"
    if build.machine == "windows":
        platforms, beside = ["win_amd64"], {}
    else:
        platforms = [f"{tag}_{build.machine}" for tag in ("manylinux_2_17", "manylinux2014")]
        beside = {
            f"{data}/data/share/man/man1/rnncheck.1": build.man,
            f"{data}/data/share/bash-completion/completions/rnncheck.bash": build.completions[
                "bash"
            ],
            f"{data}/data/share/zsh/site-functions/_rnncheck": build.completions["zsh"],
            f"{data}/data/share/fish/vendor_completions.d/rnncheck.fish": build.completions["fish"],
        }
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms)
    tree = write_tree(
        build.work / "wheel",
        beside
        | {
            f"{data}/scripts/{build.program.name}": build.program.read_bytes(),
            **{
                f"rnncheck/{file.name}": file.read_text()
                for file in sorted((Path(__file__).parent / "python/rnncheck").iterdir())
                if file.is_file()
            },
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: rnncheck\nVersion: {build.version}\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
            "License-File: LICENSE\nLicense-File: NOTICES\nRequires-Python: >=3.8\n"
            f"Description-Content-Type: text/markdown\n\n{build.readme.read_text()}",
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: rnncheck\nRoot-Is-Purelib: false\n{tags}",
            f"{info}/licenses/LICENSE": build.licence.read_text(),
            f"{info}/licenses/NOTICES": notices(build),
            f"{info}/sboms/rnncheck.spdx.json": sbom(build),
        },
    )
    run(sys.executable, "-m", "wheel", "pack", tree, "-d", build.dist, stdout=sys.stderr)


LINUX = (tarball, deb, rpm, wheel)
WINDOWS = (zip_archive, wheel)
