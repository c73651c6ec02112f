"""The man page and the completions of bash, zsh and fish, from what `rnncheck help` prints of each command."""

import collections
import json
import os
import re
import subprocess
import textwrap
from dataclasses import dataclass, field


@dataclass
class Option:
    names: list  # ["-v", "--verbose"]
    value: str  # "FILE", "auto|always|never", "" for a flag
    text: str


@dataclass
class Command:
    words: tuple  # ("matrix", "check")
    title: str
    usage: str
    inner: list = field(default_factory=list)  # (name, title) of its commands
    options: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    literal: dict = field(default_factory=dict)  # "Examples": its lines


COLUMN = 30  # of the help, where the descriptions begin


def output_of(program, *arguments):
    plain = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    return subprocess.run(
        [program, *arguments], env=plain, check=True, capture_output=True, text=True
    ).stdout


def entries(lines):
    """Pairs of what is on the left and its description, whose lines are joined."""
    found = []
    for line in lines:
        if line.startswith(" " * COLUMN):
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
        elif len(line) > COLUMN and line[COLUMN - 1] == " ":
            found.append([line[:COLUMN].strip(), line[COLUMN:].strip()])
        else:
            found.append([line.strip(), ""])
    return found


def read_command(program, words):
    title, usage, *lines = output_of(program, *words, "--help").splitlines()
    command = Command(words, title, usage.removeprefix("Usage: "))
    sections, section = {}, []
    for line in lines:
        if re.fullmatch(r"\S.*:", line):
            section = sections.setdefault(line[:-1], [])
        elif line.startswith("  "):
            section.append(line)
        elif line:
            section = []  # a paragraph of text
    for name, section in sections.items():
        if name in ("Examples", "Keys"):
            command.literal[name] = section
        elif name == "Commands":
            command.inner = entries(section)
        elif name == "Arguments":
            command.arguments = [
                Option([], re.sub(" TEXT| REQUIRED", "", left), text)
                for left, text in entries(section)
            ]
        else:
            for left, text in entries(section):
                names, _, value = left.partition(" ")
                command.options.append(Option(names.split(","), value, text))
    return command


def read_commands(program, words=()):
    command = read_command(program, words)
    found = [command]
    for name, _ in command.inner:
        found += read_commands(program, (*words, name))
    return found


# The man page -------------------------------------------------------------------------------------------------------


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def protected(lines):
    """A line that begins with a point or an apostrophe would be a request to the formatter."""
    return "\n".join(("\\&" if line[:1] in (".", "'") else "") + line for line in lines)


def roff(text):
    return protected(escaped(text).split("\n"))


def filled(text):
    """Lines of at most 80 bytes, as mandoc's style check wants them."""
    return protected(textwrap.wrap(escaped(text), 76, break_on_hyphens=False))


def as_is(lines):
    return ".PP\n.nf\n" + roff("\n".join(lines)) + "\n.fi\n"


def tagged(options):
    text = ""
    for option in options:
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option.names)
        text += f".TP\n{names}{' ' if names and option.value else ''}" + (
            f"\\fI{roff(option.value)}\\fR" if option.value else ""
        )
        text += f"\n{filled(option.text)}\n"
    return text


DESCRIPTION = """\
rnncheck finds out why LSTM, GRU and other recurrent networks fail, run slowly or return incorrect results on an NVIDIA GPU.
A program that prints an error: rnncheck diagnose reads its output and names the cause.
A program that is slow: rnncheck model reads the model or the program and shows which layers do not use cuDNN, and why.
A machine: rnncheck doctor checks driver, CUDA, cuDNN, GPUs and frameworks, and runs small networks against an exact reference.
Versions: rnncheck matrix answers from a table with sources which of them fit together."""
SHARED_BY = 3  # so many commands have an option with the same words: it is described once


def paragraphs(text):
    """Sentences are filled; lines in columns stay as they are."""
    parts = [part.splitlines() for part in text.strip().split("\n\n")]
    return "".join(
        as_is(lines)
        if any(re.search(r"\S  +\S", line) for line in lines)
        else f".PP\n{filled(' '.join(lines))}\n"
        for lines in parts
    ).removeprefix(".PP\n")


def key_of(option):
    return (tuple(option.names), option.value, option.text)


def options_of(command, shared):
    own = [
        one for one in command.options if "--help" not in one.names and key_of(one) not in shared
    ]
    common = [one.names[-1] for one in command.options if key_of(one) in shared]
    text = tagged(command.arguments + own)
    return text + (f".PP\n{filled('Common options: ' + ', '.join(common))}.\n" if common else "")


def man_page(program, version, date):
    first, *others = read_commands(program)
    counted = collections.Counter(key_of(one) for command in others for one in command.options)
    meanings = collections.Counter(
        names for names, *_ in counted
    )  # more than one is described at each command
    shared = {
        key
        for key, count in counted.items()
        if count >= SHARED_BY and meanings[key[0]] == 1 and "--help" not in key[0]
    }
    text = f'.TH RNNCHECK 1 {date} "rnncheck {version}"\n'
    text += f".SH NAME\n{filled(f'rnncheck - {first.title[0].lower()}{first.title[1:]}')}\n"
    text += ".SH SYNOPSIS\n\\fBrnncheck\\fR [\\fIoptions\\fR] \\fIcommand\\fR ...\n"
    text += ".SH DESCRIPTION\n" + "\n.PP\n".join(map(filled, DESCRIPTION.splitlines())) + "\n"
    text += ".SH OPTIONS\n" + tagged(first.options)
    text += ".SS Common options of several commands\n" + tagged(
        [Option(list(names), *rest) for names, *rest in sorted(shared)]
    )
    text += ".SH COMMANDS\n"
    for command in others:
        text += f".SS {roff(' '.join(command.words))}\n{filled(command.title)}.\n.PP\n{filled(command.usage)}\n"
        text += options_of(command, shared)
        for name, lines in command.literal.items():
            text += f".PP\n{name}:\n{as_is(lines)}"
    for heading, topic in (("EXIT STATUS", "exit-codes"), ("ENVIRONMENT", "environment")):
        text += f".SH {heading}\n{paragraphs(output_of(program, 'help', topic))}"
    text += ".SH EXAMPLES\n" + as_is(first.literal["Examples"]).removeprefix(".PP\n")
    return re.sub(r"\n\n+", "\n.sp\n", text)


# Completions --------------------------------------------------------------------------------------------------------


def choices(program, option):
    """(word, description) of what the option's value can be; empty for numbers and files."""

    def listed(kind):
        return [
            (item["name"], item["title"])
            for item in json.loads(output_of(program, "list", kind, "--json"))["items"]
        ]

    if re.search(r"\bID\b", option.value):
        return listed("rules") + (listed("probes") if "probe" in option.text else [])
    if "KEY=VALUE" in option.value:
        return [
            (f"{key}=", "")
            for key in dict.fromkeys(re.findall(r"\b([a-z][a-z0-9]*)=", option.text))
        ]
    if option.value == "TOPIC ...":
        return listed("commands") + [
            (name, "") for name in ("exit-codes", "environment", "formats")
        ]
    words = re.search(r"(?:One of|Format of the report:) (.+?) and (\w+)", option.text)
    choice = option.value.split(" ")[-1]
    words = (
        [*words[1].split(", "), words[2]] if words else choice.split("|") if "|" in choice else []
    )
    return [(word, "") for word in words]


def completion_table(program):
    """{"rnncheck matrix check": [(word, description)], "--only": what can follow this option of any command}"""
    table = {}
    for command in read_commands(program):
        key = " ".join(("rnncheck", *command.words))
        table[key] = [tuple(one) for one in command.inner]
        keys = [re.match(r"  ([a-z0-9]+=) +(.*)", line) for line in command.literal.get("Keys", [])]
        table[key] += [(one[1], one[2]) for one in keys if one]
        for argument in command.arguments:
            table[key] += [] if any(keys) else choices(program, argument)
        if command.words and command.inner:
            table[" ".join(("rnncheck", "help", *command.words))] = [
                tuple(one) for one in command.inner
            ]
        for option in command.options:
            table[key] += [(name, option.text) for name in option.names]
            for name in option.names if option.value else []:
                table[name] = choices(program, option)
    return table


BASH = """# bash completion of rnncheck; where no word fits, names of files
declare -A _rnncheck_words=(
%s)
_rnncheck() {
    local before=$3 command=rnncheck one
    [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
    for one in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $one == -* || -z ${_rnncheck_words["$command $one"]+x} ]] || command+=" $one"
    done
    COMPREPLY=($(compgen -W "${_rnncheck_words["$before"]-${_rnncheck_words[$command]}}" -- "$2"))
    [[ ${COMPREPLY-} != *= ]] || compopt -o nospace
}
complete -o default -F _rnncheck rnncheck
"""

ZSH = """#compdef rnncheck
local -A table
table=(
%s)
local command=rnncheck one
for one in ${words[2,CURRENT-1]}; do
    [[ $one == -* ]] || (( ! ${+table[$command $one]} )) || command+=" $one"
done
local -a found
found=(${(f)${table[${words[CURRENT-1]}]-$table[$command]}})
local -a suffix
[[ ${found[1]} == *=* ]] && suffix=(-S '')  # a key, which its value follows
(( $#found )) && _describe rnncheck found $suffix || _files
"""

FISH = """# fish completion of rnncheck
function __rnncheck_words
    switch $argv[1]
%s        case '*'
            return 1
    end
end
function __rnncheck_complete
    set -l before (commandline -opc)
    set -l command rnncheck
    for one in $before[2..]
        string match -q -- '-*' $one; or __rnncheck_words "$command $one" >/dev/null; and set command "$command $one"
    end
    __rnncheck_words "$before[-1]"; or __rnncheck_words $command
end
complete -c rnncheck -a '(__rnncheck_complete)'
complete -c rnncheck -f -n 'test (count (commandline -opc)) -eq 1'
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def completions(program):
    """{shell: its script}"""
    bash = zsh = fish = ""
    for key, words in completion_table(program).items():
        bash += f"[{quoted(key)}]={quoted(' '.join(word for word, _ in words))}\n"
        lines = "\n".join(f"{word}:{text}" for word, text in words)
        zsh += f"{quoted(key)} {quoted(lines)}\n"
        pairs = "".join(f" {quoted(word)} {quoted(text)}" for word, text in words)
        fish += f"        case {quoted(key)}\n" + (
            f"            printf '%s\\t%s\\n'{pairs}\n" if words else "            true\n"
        )
    return {"bash": BASH % bash, "zsh": ZSH % zsh, "fish": FISH.replace("%s", fish, 1)}
