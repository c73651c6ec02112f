#!/usr/bin/env python3
"""100 machines of 25 kinds: the Python that the shell runs is the one that is examined, or the facts name it and why it is not.

Each kind is a small tree of files and some variables, in four variants. What the shell runs is what `sh -c 'command -v python'` shows; where that
is a shim, what its tool's documented rules select. usage: pythons_test.py RNNCHECK [NAME...]
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
WANTED = sys.argv[2:]
check = Checks()
VERSIONS = ("3.9.18", "3.10.13", "3.11.7", "3.12.1")


class Machine:
    """A home directory, a place for systems' Pythons, and the variables of a shell."""

    def __init__(self, directory, number):
        self.top = pathlib.Path(directory)
        self.number = number
        self.version = VERSIONS[number]
        self.minor = self.version.rpartition(".")[0]
        self.home = self.top / ("home of ada" if number == 3 else "ada")
        self.here = self.home / "project"
        self.here.mkdir(parents=True)
        self.usr = self.interpreter(self.top / "usr", "3.8.20")
        self.path = [self.usr / "bin"]
        self.more = {}
        self.arguments = []

    def file(self, path, text="", executable=False):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if executable else 0o644)
        return path

    def interpreter(self, prefix, version):
        """A Python without a manager."""
        minor = version.rpartition(".")[0]
        self.file(prefix / f"bin/python{minor}", "\x7fELF", executable=True)
        (prefix / f"lib/python{minor}/site-packages").mkdir(parents=True)
        for name in ("python3", "python"):
            (prefix / "bin" / name).symlink_to(f"python{minor}")
        return prefix

    def venv(self, prefix, base=None, names=("python3", "python")):
        base = base or self.usr
        python = os.path.realpath(base / "bin/python3")
        minor = os.path.basename(python).removeprefix("python")
        self.file(prefix / "pyvenv.cfg", f"home = {base}/bin\nversion = {minor}.1\n")
        (prefix / f"lib/python{minor}/site-packages").mkdir(parents=True)
        (prefix / "bin").mkdir()
        for name in names:
            (prefix / "bin" / name).symlink_to(python)
        return prefix

    def conda(self, prefix, version=None):
        version = version or self.version
        self.interpreter(prefix, version)
        self.file(prefix / f"conda-meta/python-{version}-h0_0.json", "{}")
        return prefix

    def installed(self, prefix, package):
        site = next(prefix.glob("lib/python*/site-packages"))
        name, version = package.split("==")
        self.file(
            site / f"{name}-{version}.dist-info/METADATA", f"Name: {name}\nVersion: {version}\n"
        )

    def activate(self, prefix, variable="VIRTUAL_ENV"):
        self.path.insert(0, prefix / "bin")
        self.more[variable] = str(prefix)

    def manager(self, data, versions, set_by=()):
        for version in VERSIONS:
            self.interpreter(data / versions / version, version)
        for name in ("python", "python3"):
            self.file(data / "shims" / name, "#!/bin/sh\nexit 1\n", executable=True)
        self.path.insert(0, data / "shims")
        return data / versions

    def variables(self):
        return {
            "HOME": str(self.home),
            "PATH": ":".join(map(str, self.path)),
            "PWD": str(self.here),
            "LC_ALL": "C.UTF-8",
            **self.more,
        }


def of_shell(machine):
    """The first python, or else python3, of a shell with these variables."""
    found = subprocess.run(
        ["/bin/sh", "-c", "command -v python || command -v python3"],
        capture_output=True,
        text=True,
        check=False,
        env=machine.variables(),
        cwd=machine.here,
    ).stdout.strip()
    return pathlib.Path(machine.here, found) if found else None


def prefix_of(python):
    """As Python finds it: beside pyvenv.cfg, else behind all links."""
    if python is None:
        return None
    beside = python.parent.parent
    return (
        beside
        if (beside / "pyvenv.cfg").exists()
        else pathlib.Path(os.path.realpath(python)).parent.parent
    )


def newest(versions, wanted):
    """What pyenv and mise take for 3.11: the newest installed 3.11.x."""
    matching = [
        path.name
        for path in versions.iterdir()
        if path.name == wanted or path.name.startswith(wanted + ".")
    ]
    return versions / max(matching, key=lambda name: [int(number) for number in name.split(".")])


# Each kind prepares the machine and returns the prefix that is to be examined, or nothing for that of the shell; and words that the facts
# about those passed over must contain.


def plain_system(m):
    m.path = [m.interpreter(m.top / "opt", m.version) / "bin", m.usr / "bin"][m.number % 2 :]


def only_python3(m):
    (m.usr / "bin/python").unlink()
    if m.number % 2:
        m.path.append(m.venv(m.home / "later", names=("python3",)) / "bin")


def no_execute_bit(m):
    m.file(m.top / "data/python", "text")
    (m.top / "directory/python").mkdir(parents=True)
    m.path = [m.top / "data", m.top / "directory", m.top / "missing", *m.path]


def relative_path(m):
    m.venv(m.here / "env")
    m.path = [
        pathlib.Path("env/bin") if m.number % 2 else pathlib.Path("../project/env/bin"),
        *m.path,
    ]


def active_venv(m):
    m.activate(m.venv(m.here / ".venv"))


def active_conda(m):
    m.activate(m.conda(m.home / "miniconda3/envs/rnn"), "CONDA_PREFIX")


def venv_over_conda(m):
    m.activate(m.conda(m.home / "miniconda3"), "CONDA_PREFIX")
    m.activate(m.venv(m.here / ".venv"))


def conda_over_venv(m):
    venv = m.venv(m.here / ".venv")
    m.activate(venv)
    m.activate(m.conda(m.home / "miniconda3/envs/rnn"), "CONDA_PREFIX")
    return None, f"{venv} (VIRTUAL_ENV): the python on PATH is another one"


def variable_without_path(m):
    venv = m.venv(m.home / "venv")
    m.more["VIRTUAL_ENV" if m.number % 2 else "CONDA_PREFIX"] = str(venv)
    return (
        None,
        f"{venv} ({'VIRTUAL_ENV' if m.number % 2 else 'CONDA_PREFIX'}): the python on PATH is another one",
    )


def dead_venv(m):
    base = m.interpreter(m.top / "old", m.version)
    venv = m.venv(m.here / ".venv", base)
    m.activate(venv)
    for path in (base / "bin").iterdir():
        path.unlink()
    return None, f"{venv} (VIRTUAL_ENV): its interpreter does not exist"


def removed_venv(m):
    m.activate(m.home / "gone")
    return None, f"{m.home}/gone (VIRTUAL_ENV): its interpreter does not exist"


def link_to_interpreter(m):
    target = m.conda(m.top / "opt/conda") if m.number % 2 else m.venv(m.home / "venv")
    (m.top / "links").mkdir()
    (m.top / "links/python").symlink_to(target / "bin/python")
    m.path.insert(0, m.top / "links")


def pyenv_global(m):
    versions = m.manager(m.home / ".pyenv", "versions")
    m.file(m.home / ".pyenv/version", f"{m.version}\n")
    return versions / m.version


def pyenv_local_minor(m):
    versions = m.manager(m.home / ".pyenv", "versions")
    m.interpreter(versions / f"{m.minor}.2", f"{m.minor}.2")
    m.file(
        (m.here if m.number % 2 else m.home) / ".python-version",
        f"# set by a tool\n{m.minor}\n" if m.number == 2 else f"{m.minor}\n",
    )
    m.file(m.home / ".pyenv/version", "3.12.1\n")
    return newest(versions, m.minor)


def pyenv_variable(m):
    versions = m.manager(m.home / ".pyenv", "versions")
    m.file(m.here / ".python-version", "3.12.1\n")
    m.more["PYENV_VERSION"] = [
        m.version,
        f"{m.minor}",
        f"python-{m.version}",
        f"3.7.1:{m.version}",
    ][m.number]
    return versions / m.version


def pyenv_system(m):
    m.manager(m.home / ".pyenv", "versions")
    if m.number % 2:
        m.file(m.here / ".python-version", "system\n")
    return m.usr


def pyenv_virtualenv(m):
    versions = m.manager(m.home / ".pyenv", "versions")
    m.venv(versions / m.version / "envs/work", versions / m.version)
    (versions / "work").symlink_to(versions / m.version / "envs/work")
    m.file(m.here / ".python-version", "work\n")
    return versions / "work"


def asdf(m):
    versions = m.manager(m.home / ".asdf", "installs/python")
    m.file(
        (m.here, m.home)[m.number % 2] / ".tool-versions",
        f"nodejs 20.1.0\npython 3.7.0 {m.version} # old\n"
        if m.number > 1
        else f"python {m.version}\n",
    )
    return versions / m.version


def asdf_without_version(m):
    m.manager(m.home / ".asdf", "installs/python")
    if m.number % 2:
        m.file(m.here / ".tool-versions", f"python {m.minor}\n")
    why = (
        f"version {m.minor}, set by {m.here}/.tool-versions, is not installed"
        if m.number % 2
        else "no version is set"
    )
    return m.usr, f"{m.home}/.asdf/shims/python (PATH): it is a shim of asdf, and {why}"


def mise(m):
    versions = m.manager(m.home / ".local/share/mise", "installs/python")
    text = [
        f'[tools]\npython = "{m.minor}"\n',
        f'[env]\npython = "x"\n[tools]\npython = ["{m.version}", "3.12"]\n',
        f'[tools]\n"core:python" = {{ version = "{m.minor}" }}\n',
        f"python {m.minor}\n",
    ][m.number]
    m.file(
        (
            m.here / "mise.toml",
            m.home / ".config/mise/config.toml",
            m.here / ".mise.toml",
            m.here / ".tool-versions",
        )[m.number],
        text,
    )
    return newest(versions, m.version if m.number == 1 else m.minor)


def mise_falls_back(m):
    m.manager(m.home / ".local/share/mise", "installs/python")
    if m.number % 2:
        m.file(m.here / "mise.toml", '[tools]\npython = "2.7"\n')
    return m.usr


def uvx(m):
    tool = m.venv(
        (
            m.home / ".cache/uv/archive-v0/x1y2",
            m.home / ".local/share/uv/tools/rnncheck",
            m.home / "tools/rnncheck",
            m.here / "t",
        )[m.number]
    )
    m.installed(tool, "rnncheck==0.1.0")
    m.path.insert(0, tool / "bin")
    return (
        m.usr,
        f"{tool} (PATH): rnncheck is installed in it and no framework is" if m.number > 1 else "",
    )


def own_environment(m):
    """`python -m rnncheck`, as packaging/wheel_main.py starts it."""
    venv = m.venv(m.home / "rnn")
    m.installed(venv, "rnncheck==0.1.0")
    if m.number % 2:
        m.activate(m.conda(m.home / "miniconda3/envs/other"), "CONDA_PREFIX")
    m.more["RNNCHECK_PYTHON"] = str(venv / "bin/python")
    return venv, f"{prefix_of(of_shell(m))} (PATH): rnncheck was started from another environment"


def named(m):
    """--python, as a person types it."""
    conda = m.conda(m.home / "miniconda3/envs/rnn")
    venv = m.venv(m.here / ".venv")
    newer = m.interpreter(m.home / f".pyenv/versions/{m.version}", m.version)
    m.arguments = [("rnn", conda), (".", venv), (m.minor, newer), ("~/project/.venv/bin", venv)][
        m.number
    ]
    return m.arguments[1]


def both_names_differ(m):
    other = m.interpreter(m.top / "other", m.version)
    (other / "bin/python").unlink()
    m.path = [other / "bin", *m.path] if m.number % 2 else [*m.path, other / "bin"]


KINDS = (
    plain_system,
    only_python3,
    no_execute_bit,
    relative_path,
    active_venv,
    active_conda,
    venv_over_conda,
    conda_over_venv,
    variable_without_path,
    dead_venv,
    removed_venv,
    link_to_interpreter,
    pyenv_global,
    pyenv_local_minor,
    pyenv_variable,
    pyenv_system,
    pyenv_virtualenv,
    asdf,
    asdf_without_version,
    mise,
    mise_falls_back,
    uvx,
    own_environment,
    named,
    both_names_differ,
)


def pythons_found(machine):
    """What the probe reports; --python is resolved by the doctor."""
    if machine.arguments:
        command = [
            "doctor",
            "--look-only",
            "--json",
            "--show-private",
            "--python",
            machine.arguments[0],
        ]
    else:
        command = ["probe", "python_packages"]
    done = subprocess.run(
        [PROGRAM, *command],
        capture_output=True,
        check=False,
        env=machine.variables(),
        cwd=machine.here,
        timeout=120,
    )
    documents = [json.loads(line) for line in done.stdout.splitlines() if line]
    return [
        python for document in documents for python in document.get("facts", {}).get("pythons", [])
    ], done.stderr.decode()


def try_kind(kind, number, directory):
    machine = Machine(directory, number)
    prepared = kind(machine)
    expected, words = prepared if isinstance(prepared, tuple) else (prepared, "")
    shell = of_shell(machine)
    expected = expected or prefix_of(shell)
    found, errors = pythons_found(machine)
    active = next((python for python in found if python["active"]), None)
    examined = active and os.path.realpath(active["path"])
    passed_over = [
        f"{python['path']} ({python['found_by']}): {python['passed_over']}"
        for python in found
        if python.get("passed_over")
    ]
    name = f"{kind.__name__}, variant {number}"
    check.that(
        examined == os.path.realpath(expected),
        f"{name}: examined {examined}, not {expected}; the shell runs {shell} {errors}",
    )
    check.that(
        not words or words in passed_over,
        f"{name}: not among those passed over: {words}; these are {passed_over}",
    )
    check.that(
        words or not passed_over, f"{name}: nothing is unusual, but passed over are {passed_over}"
    )
    if kind.__name__ == "dead_venv":
        dead = [python.get("missing_interpreter") for python in found]
        check.that(
            str(machine.top / f"old/bin/python{machine.minor}") in dead,
            f"{name}: the missing interpreter is not named: {dead}",
        )


with (
    tempfile.TemporaryDirectory(prefix="rnncheck-pythons-") as top,
    concurrent.futures.ThreadPoolExecutor(4) as threads,
):
    top = os.path.realpath(top)
    tries = [
        threads.submit(try_kind, kind, number, os.path.join(top, f"{kind.__name__}{number}"))
        for kind in KINDS
        for number in range(4)
        if not WANTED or kind.__name__ in WANTED
    ]
    for each in tries:
        each.result()
sys.exit(check.close())
