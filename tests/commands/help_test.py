#!/usr/bin/env python3
"""The help of every command, and the sentences about values that options do not accept, as approved.

`cmake --build build/dev --target bless` rewrites them; the difference is then to be read.

usage: help_test.py RNNCHECK [unittest arguments]
"""

import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Run  # noqa: E402

PROGRAM = sys.argv.pop(1)
APPROVED = pathlib.Path(__file__).parent / "approved"
HIDDEN = (["probe"], ["read_model"])
# "  -v,--verbose  Show all details" and "  --device N  Use only": the names, and the type of the value.
OPTION = re.compile(r"^  ((?:-\w,)?--\S+)(?: (\S.*?))?(?:  +\S.*)?$", re.M)
# Values of these types are checked when the options are read; others may be any text.
NUMBER = re.compile(r"N|N,N,\.\.\.|X|P|S")
CHECKED = re.compile(rf"{NUMBER.pattern}|DIR|F|[a-z0-9_]+(\|[a-z0-9_]+)+")


def rnncheck(*arguments):
    return Run(
        PROGRAM,
        *arguments,
        environment={"COLUMNS": "100", "LC_ALL": "C.UTF-8", "TERM": "dumb"},
        without=("RNNCHECK_PYTHON",),
    )


def help_of(command):
    return rnncheck(*command, "--help").text


def commands_of(command):
    section = help_of(command).partition("\nCommands:\n")[2].partition("\n\n")[0]
    return [[*command, name] for name in re.findall(r"^  (\w+)", section, re.M)]


def all_commands():
    found = [[], *HIDDEN]
    for command in commands_of([]):
        found += [command, *commands_of(command)]
    return sorted(found)


def errors_of(command):
    """What is printed for each option with an empty value and with one that cannot be."""
    for names, kind in OPTION.findall(help_of(command)):
        name = names.split(",")[-1]
        if not kind:
            continue
        kind = kind.removesuffix(" ...")
        values = [""]
        if CHECKED.fullmatch(kind):
            values.append("no/such")
        if NUMBER.fullmatch(kind):
            values.append("-1")
        for value in values:
            run = rnncheck(*command, name, value)
            shown = " ".join([*command, name, value or "''"])
            yield f"{shown}\n  {run.code} {run.err.strip()}"


class Help(unittest.TestCase):
    maxDiff = None

    def is_approved(self, name, text):
        path = APPROVED / name
        if os.environ.get("RNNCHECK_BLESS"):
            path.write_text(text)
        self.assertEqual(text.splitlines(), path.read_text().splitlines())

    def test_help_of_every_command(self):
        self.is_approved(
            "help.txt",
            "".join(
                f"---- {' '.join(['rnncheck', *command])} --help\n{help_of(command)}"
                for command in all_commands()
            ),
        )

    def test_values_that_an_option_does_not_accept(self):
        self.is_approved(
            "option_errors.txt",
            "\n".join(line for command in all_commands() for line in errors_of(command)) + "\n",
        )

    def test_no_option_is_lost_on_the_way(self):
        self.assertGreater(len(all_commands()), 20)
        self.assertGreater(sum(len(OPTION.findall(help_of(one))) for one in all_commands()), 150)


if __name__ == "__main__":
    unittest.main()
