#!/usr/bin/env python3
"""Every command that a report prints has the form that its tool takes, wherever it is pasted.

usage: pasted_commands_test.py RNNCHECK

Collects the commands of all remedies of the recorded machines, of combinations of versions and of public logs. A shell reads each one; pip's
own parser reads those of pip, apt-get those of apt-get, and rnncheck runs its own.
"""

import json
import os
import pathlib
import re
import shlex
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from printed_commands import commands_of, findings, run

PROGRAM = os.path.abspath(sys.argv.pop(1))
TESTS = pathlib.Path(__file__).parents[1]
MACHINES = sorted((TESTS / "machines").glob("*/facts.json"))
HEALTHY = TESTS / "machines/h200_healthy/facts.json"
COMBINATIONS = """
pytorch=2.4 gpu="RTX 5090" driver=570.26
tensorflow=2.15 gpu=4090 driver=470.57
jax=0.4.13 cudnn=9.1 gpu=3090
tensorflow=2.20 gpu="GTX 1080"
pytorch=1.7 gpu=H100
onnxruntime=1.20 cuda=11.8 cudnn=8.9
ctranslate2=4.4 cudnn=9.1
cupy=12.0 cuda=13.0
tensorflow=2.10 cuda=12.0
paddle=2.6 gpu=5090
torch=2.9.1+cu128 tensorflow=2.19.1+and-cuda
pytorch=2.6+cu124 driver=525.60.13
tensorflow=2.16.1 python=3.13
pytorch=2.1.0+cu121 gpu=5080
jax=0.5 python=3.9
tensorflow=1.15 gpu=3090
keras=3.0 tensorflow=2.15
driver=450.80 cuda=12.4 gpu=A100
pytorch=2.0 cudnn=9.0
gpu=K80 cuda=12.0
gpu=V100 cuda=13.0
gpu=P100 pytorch=2.8+cu128
gpu=GTX1060 cudnn=9.11
tensorflow=2.4 gpu=4090
pytorch=2.7+cu126 gpu=5090
image=nvidia/cuda:12.4.1-base-ubuntu22.04 tensorflow=2.15
image=tensorflow/tensorflow:2.15.0-gpu driver=470.82
pytorch=2.12 driver=535.104
jax=0.6 driver=520.61
onnxruntime=1.22 driver=470.57
python=3.14 pytorch=2.5
cudnn=7.6 gpu=A100
os=windows tensorflow=2.15
os=windows pytorch=2.4 gpu=5090
gpu=GB10 pytorch=2.7
gpu=Orin pytorch=2.4
driver=620.10 cuda=13.5 gpu=T4
jax=0.4.25 driver=470.57
tensorflow=2.12 cudnn=8.0
pytorch=2.2 python=3.13
""".strip().splitlines()
WINDOWS = re.compile(
    r"^(where(\.exe)?|wsl(\.exe)?|setx|\$env:|set )|findstr|powershell", re.IGNORECASE
)
KNOWN = set(
    """cat conda df dkms docker dpkg echo export ffmpeg find free gcc getenforce grep head kubectl ldconfig ldd ls lscpu lspci modinfo
    modprobe module mokutil nvcc nvidia-ctk nvidia-modprobe nvidia-smi paste pip podman printenv ps python python3 reboot rm rmmod rnncheck
    sacct sinfo ss strings sysctl systemctl tail tr ulimit unset apt-get dmesg wget curl chmod mount update-pciids scontrol sbatch srun
    ldconfig.real test sed awk wc uname id true cp mv ln mkdir which command source tee sort uniq timeout env kill pkill ps sh bash""".split()
)


def public_logs(count):
    logs = [
        json.loads(line) for line in (TESTS / "log/public_failures.jsonl").read_text().splitlines()
    ]
    return [log["log"] for log in logs if zlib.crc32(log["source"].encode()) % 2 == 0][:count]


def printed_commands():
    found = {}
    for facts in MACHINES:
        found.update(
            (command, facts.parent.name)
            for one in findings(PROGRAM, "doctor", "--facts", facts)
            for command in commands_of(one)
        )
    for words in COMBINATIONS:
        found.update(
            (command, words)
            for one in findings(PROGRAM, "matrix", "check", *shlex.split(words))
            for command in commands_of(one)
        )
    for log in public_logs(60):
        found.update(
            (command, log[:60])
            for one in findings(PROGRAM, "diagnose", "-", text=log)
            for command in commands_of(one)
        )
    return found


def simple_commands(line):
    """The words of each command between ; | && and newlines, without the quoted text of a substitution."""
    words, lexer = [], shlex.shlex(line, posix=True, punctuation_chars=";|&<>()\n")
    lexer.whitespace_split, lexer.commenters = True, ""
    for word in lexer:
        if re.fullmatch(r"[;|&()\n]+", word):
            if words:
                yield words
            words = []
        else:
            words.append(word)
    if words:
        yield words


def without_prefix(words):
    """What is run, without sudo and variables."""
    while words and (
        words[0] in ("sudo", "-E", "do", "then") or re.match(r"[A-Z_0-9]+=", words[0])
    ):
        words = words[1:]
    return words


def pip_arguments(words):
    program = pathlib.PurePath(words[0]).name
    if program in ("pip", "pip3"):
        return words[1:]
    return (
        words[3:]
        if re.match(r"python[0-9.]*$|py$", program) and words[1:3] == ["-m", "pip"]
        else None
    )


class PastedCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = printed_commands()
        cls.simple = [
            (line, without_prefix(words))
            for line in cls.commands
            if not WINDOWS.search(line)
            for words in simple_commands(line)
        ]

    def test_there_are_enough(self):
        self.assertGreater(len(self.commands), 150)

    def test_a_shell_reads_them(self):
        for line, place in self.commands.items():
            if not WINDOWS.search(line):
                self.assertEqual(run("bash", "-n", text=line + "\n").returncode, 0, (place, line))

    def test_shellcheck_sees_no_error(self):
        if run("sh", "-c", "command -v shellcheck").returncode:
            self.skipTest("shellcheck is not installed")
        script = "#!/bin/bash\n" + "".join(
            line + "\n" for line in self.commands if not WINDOWS.search(line)
        )
        done = run("shellcheck", "--severity=error", "-", text=script)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_there_is_no_placeholder(self):
        for line, place in self.commands.items():
            self.assertIsNone(
                re.search(
                    r"\b(DIRECTORY|GPU_NAME|FILE|VERSION|NAME|PATH_TO|YOUR_?\w*|HOME\d+|USER\d+)\b(?!=)|<[a-z ]+>|\.\.\.",
                    line,
                ),
                (place, line),
            )

    def test_programs_are_known(self):
        for line, words in self.simple:
            name = pathlib.PurePath(words[0]).name if words else ""
            self.assertTrue(not words or name in KNOWN or name.startswith("python3"), (line, words))

    def test_pip_reads_them(self):
        try:
            from pip._internal.commands import create_command
            from pip._vendor.packaging.requirements import Requirement
        except ImportError:
            self.skipTest("this Python has no pip")
        read = 0
        for line, words in self.simple:
            arguments = pip_arguments(words) if words else None
            if not arguments or arguments[0].startswith("-"):
                continue
            redirected = [word for word in arguments[1:] if word not in ("<", ">", "2")]
            try:
                _, rest = create_command(arguments[0]).parse_args(redirected)
            except SystemExit:
                self.fail(f"pip does not read: {line}")
            if arguments[0] == "install":
                for requirement in rest:
                    if not requirement.startswith((".", "/", "http")):
                        Requirement(requirement)
            read += 1
        self.assertGreater(read, 30)

    def test_apt_reads_them(self):
        if run("sh", "-c", "command -v apt-get").returncode:
            self.skipTest("apt-get is not installed")
        for line, words in self.simple:
            if words and words[0] == "apt-get":
                done = run("apt-get", "--simulate", *words[1:])
                self.assertNotRegex(done.stderr, "E: (Command line option|Invalid operation)", line)

    def test_rnncheck_takes_its_own(self):
        with tempfile.TemporaryDirectory() as directory:
            program = pathlib.Path(directory, "rnncheck")
            program.symlink_to(PROGRAM)
            for line, words in self.simple:
                if words and words[0] == "rnncheck":
                    done = run(
                        "bash",
                        "-c",
                        f'PATH="{directory}:$PATH"; nvidia-smi() {{ echo "NVIDIA H200"; }}; {line}',
                        cwd=directory,
                    )
                    self.assertNotEqual(done.returncode, 2, (line, done.stderr))

    def test_verify_fails_before_the_repair_and_passes_after(self):
        """The healthy machine's facts stand for the repaired machine."""
        checked = 0
        for facts in MACHINES:
            if not facts.parent.name.startswith("h200"):
                continue
            for finding in findings(PROGRAM, "doctor", "--facts", facts):
                for verify in {remedy.get("verify", "") for remedy in finding["remedies"]} - {""}:
                    words = shlex.split(verify)
                    if (
                        finding["severity"] != "error"
                        or words[0] != "rnncheck"
                        or str(facts) not in words
                    ):
                        continue
                    repaired = [str(HEALTHY) if word == str(facts) else word for word in words[1:]]
                    self.assertEqual(run(PROGRAM, *words[1:]).returncode, 1, verify)
                    self.assertEqual(run(PROGRAM, *repaired).returncode, 0, verify)
                    checked += 1
        self.assertGreater(checked, 5)

    def test_paths_with_spaces_and_below_the_home_directory(self):
        for directory in ("/opt/my env/torch's", "~/my env", "~"):
            with tempfile.TemporaryDirectory() as home:
                path = directory.replace("~", home)
                facts = pathlib.Path(home, "facts.json")
                facts.write_text(
                    (MACHINES[0].parent.parent / "h200_cudnn_part_missing/facts.json")
                    .read_text()
                    .replace("/opt/torch/.venv", path)
                )
                document = run("env", f"HOME={home}", PROGRAM, "doctor", "--facts", facts, "--json")
                seen = 0
                for finding in json.loads(document.stdout)["findings"]:
                    for line in commands_of(finding):
                        if " -m pip" in line:
                            words = run(
                                "env", f"HOME={home}", "bash", "-c", "printf '%s\\n' " + line
                            ).stdout.splitlines()
                            self.assertEqual(words[0], f"{path}/bin/python", line)
                            seen += 1
                self.assertGreater(seen, 0, document.stdout[:500])


unittest.main()
