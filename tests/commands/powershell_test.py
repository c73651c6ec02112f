#!/usr/bin/env python3
"""On Windows every command that a report prints can be pasted into PowerShell.

usage: powershell_test.py RNNCHECK

Reads the commands for Windows in the tables about logs, and those of the findings with os=windows: of every message of tests/log, of combinations
of versions, and of the recorded machines as if they were ones of Windows. What is checked is where PowerShell differs from a POSIX shell
(https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.core/about/about_quoting_rules, about_parsing, about_aliases); PowerShell
itself reads nothing here.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from printed_commands import commands_of, findings

PROGRAM = os.path.abspath(sys.argv.pop(1))
TESTS = pathlib.Path(__file__).parents[1]
TABLES = TESTS.parent / "compat_matrix"
COMBINATIONS = """
tensorflow=2.15
tensorflow=2.10 cuda=12.0
tensorflow=2.10+directml
pytorch=2.4 gpu="RTX 5090"
pytorch=1.7 gpu=H100
pytorch=2.6+cu124 driver=525.60
pytorch=2.0 cudnn=9.0
python=3.14 pytorch=2.5
onnxruntime=1.20 cuda=11.8 cudnn=8.9
ctranslate2=4.4 cudnn=9.1
cupy=12.0 cuda=13.0
paddle=2.6 gpu=5090
keras=3.0 tensorflow=2.15
driver=450.80 cuda=12.4 gpu=A100
gpu=K80 cuda=12.0
jax=0.5 python=3.9
""".strip().splitlines()
# What Windows or the frameworks' users have. `where` is an alias of Where-Object, `set` one of Set-Variable, and `curl` of Windows PowerShell
# another command.
PROGRAMS = set(
    """cargo conda dir docker dotnet ffmpeg findstr git julia ncu nvcc nvidia-smi pip pixi py python reg rnncheck setx where.exe whoami winget
    wsl wsl.exe Get-ChildItem Get-Item Get-PSDrive Move-Item Remove-Item Rename-Item Select-String""".split()
)
ELSEWHERE = re.compile(
    r"/usr/|/etc/|/proc/|/dev/|(?<![\w.])~/|LD_LIBRARY_PATH|\.so\b|\blibcu\w+\*|%[A-Za-z_]+%|\bsudo\b|\bexport\b|\bapt(-get)?\b|\bldconfig\b"
)


def parts_of(command):
    """The statements and the texts in double quotes of a line, as PowerShell reads quotes; raises ValueError where a quote has no end."""
    statements, texts, text, quote = [""], [], "", None
    for character in command:
        if quote:
            if character == quote:
                texts += [text] if quote == '"' else []
                quote = None
            text += character
            statements[-1] += character
        elif character in "\"'":
            quote, text = character, ""
            statements[-1] += character
        elif character in ";|":
            statements.append("")
        else:
            statements[-1] += character
    if quote:
        raise ValueError(f"{quote} without an end")
    return [one.strip() for one in statements], texts


def without_quoted(statement):
    return re.sub(r"\"[^\"]*\"|'[^']*'", "''", statement)


def problem_of_statement(statement):
    plain = without_quoted(statement)
    if re.match(r"\$env:\w+( = '')?$", plain):
        return None
    if re.search(r"&&|[<`@{}$]|\\ |>(?=.*nul)", plain):
        return "what only another shell reads"
    if plain.startswith("& ''"):
        return None
    words = plain.split()
    if words and "\\Scripts\\" in words[0]:
        return None
    if not words or words[0] not in PROGRAMS:
        return "no command of Windows"
    return None


def problem(command):
    """Why PowerShell does not run the line as it is meant; nothing where it does."""
    if found := ELSEWHERE.search(command):
        return f"{found[0]} is not one of Windows"
    try:
        statements, texts = parts_of(command)
    except ValueError as error:
        return str(error)
    for text in texts:
        if text.endswith("\\"):
            return "a backslash does not escape a quote"
        if re.search(r"\$(?!env:)", text):
            return "a variable in double quotes"
    return next(filter(None, map(problem_of_statement, statements)), None)


def table_commands():
    for name in ("log_causes", "log_remedies"):
        for row in json.loads((TABLES / f"{name}.json").read_text())["rows"]:
            for column in ("windows_command", "windows_check_command"):
                for command in row.get(column, "").replace("{library}", "cudart64_").split(" && "):
                    if command:
                        yield f"{name}: {row.get('cause') or row['causes']}", command


# A log of these was not written by Windows, whatever was specified.
OF_LINUX = re.compile(
    r"[Ll]inux|\bWSL|\.so\b|/(usr|opt|home|lib|bin)/|[Ss]lurm|docker|[Pp]odman|kubectl|factory\.go|OCI|CDI|Nouveau|NVRM|bash|\$ "
)


def logs_that_windows_may_write():
    """For each cause up to three messages; all of them with RNNCHECK_CI_FULL=1."""
    most = 1000 if os.environ.get("RNNCHECK_CI_FULL") == "1" else 3
    chosen = collections.defaultdict(list)
    for line in (TESTS / "log/messages.jsonl").read_text().splitlines():
        message = json.loads(line)
        if not OF_LINUX.search(message["log"] + str(message["given"])):
            chosen[message["cause"]].append(message)
    return [message for messages in chosen.values() for message in messages[:most]]


def of_log(message):
    given = {**message["given"], "os": "windows"}
    arguments = [word for key, value in given.items() for word in ("--given", f"{key}={value}")]
    for finding in findings(PROGRAM, "diagnose", "-", *arguments, text=message["log"]):
        for command in commands_of(finding):
            yield f"{finding['rule']}: {message['log'][:60]}", command


def of_combination(words):
    for finding in findings(PROGRAM, "matrix", "check", "os=windows", *shlex.split(words)):
        for command in commands_of(finding):
            yield f"{finding['rule']}: {words}", command


def of_machine(facts):
    document = json.loads(facts.read_text())
    document["host"]["platform"] = "windows"
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "facts.json")
        path.write_text(json.dumps(document))
        for finding in findings(PROGRAM, "doctor", "--facts", path):
            for command in commands_of(finding):
                yield (
                    f"{finding['rule']}: {facts.parent.name}",
                    command.replace(str(path), "f.json"),
                )


class PowerShell(unittest.TestCase):
    maxDiff = None

    def check(self, commands, least):
        wrong = sorted(
            {(command, place, why) for place, command in commands if (why := problem(command))}
        )
        self.assertGreater(len(commands), least)
        self.assertEqual(wrong, [])

    def all_of(self, source, items):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return [
                one for all_of in pool.map(lambda item: list(source(item)), items) for one in all_of
            ]

    def test_the_check_sees_what_it_has_to(self):
        for command in (
            "export A=1",
            "set A=1",
            "where nvcc",
            "A=1 python a.py",
            "python a.py && python b.py",
            "python a.py 2>/dev/null",
            "python a.py 2>nul",
            'python -c "print(\\"a\\")"',
            'python -m pip list | grep -i "torch"',
            "where.exe libcudart*.dll",
            "cat /proc/driver/nvidia/version",
            'rmdir "%APPDATA%\\a"',
            "!nvidia-smi",
            'echo "$HOME"',
            "python -m pip install a<2",
            "ls -l",
        ):
            self.assertIsNotNone(problem(command), command)
        for command in (
            '$env:PATH = "C:\\Program Files\\a;$env:PATH"',
            "python -c \"import os; print(os.name, 'a')\"",
            'python -m pip install "cupy-cuda101<8"',
            'python -m pip list | findstr /i "a b"',
            '& "C:\\a b\\python.exe" -m pip list',
            "where.exe cudart64_*.dll",
        ):
            self.assertIsNone(problem(command), command)

    def test_the_tables(self):
        self.check(list(table_commands()), 80)

    def test_logs(self):
        self.check(self.all_of(of_log, logs_that_windows_may_write()), 200)

    def test_combinations(self):
        self.check(self.all_of(of_combination, COMBINATIONS), 10)

    def test_machines(self):
        self.check(self.all_of(of_machine, sorted((TESTS / "machines").glob("*/facts.json"))), 10)


unittest.main()
