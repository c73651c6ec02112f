#!/usr/bin/env python3
"""What a maintainer has to correct in the tables of compat_matrix/, and in the commands and links of docs/rules/, beside what
`rnncheck matrix verify` reports: versions that are missing, texts and commands that do not fit their row, advice that would do harm.

usage: lint_tables.py PROJECT_DIRECTORY     exits 1 and prints one line per issue
"""

import datetime
import functools
import json
import pathlib
import re
import sys

CLAUSES = {
    "model_rules": ["rule"],
    "rnn_defects": ["symptom"],
    "rnn_limits": ["rule"],
    "status_names": ["meaning", "remedy"],
    "xid": ["meaning", "remedy"],
}
HEAD = {"about", "columns", "holes", "sources", "rows"}


@functools.cache
def numbers(version):
    return tuple(int(number) for number in version.split("."))


def agree(a, b):
    """Where both are written out: 12.4 and 12.4.1 do, 12.4 and 12.5 do not."""
    return all(one == other for one, other in zip(numbers(a), numbers(b)))


def padded(version):
    return (numbers(version) + (0, 0, 0))[:4]


def covers(first, last, version):
    """2.4 as the last version covers every 2.4.x."""
    last = numbers(last or first)
    return padded(first) <= padded(version) and numbers(version)[: len(last)] <= last


class Tables:
    def __init__(self, directory, today):
        self.today = today
        self.issues = []
        self.texts = {path.stem: path.read_text() for path in sorted(directory.glob("*.json"))}
        self.all = {
            name: json.loads(text, object_pairs_hook=functools.partial(self.unique, name))
            for name, text in self.texts.items()
        }
        for table in self.all.values():
            for number, row in enumerate(table["rows"], 1):
                row["number"] = number

    def unique(self, name, pairs):
        for key in {key for key, _ in pairs if sum(other == key for other, _ in pairs) > 1}:
            self.report(name, None, f"the key '{key}' is duplicated; keep one of them")
        return dict(pairs)

    def rows(self, name):
        return self.all[name]["rows"]

    def holes(self, name):
        return self.all[name].get("holes", {})

    def report(self, name, row, what):
        self.issues.append(f"{name}, row {row['number']}: {what}" if row else f"{name}: {what}")


# The text of a table and its sources


def strings_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings_in(part)


def check_text(tables, name):
    table = tables.all[name]
    for part in table.keys() - HEAD:
        tables.report(name, None, f"the head has no '{part}'; remove it")
    if tables.texts[name].count('\n    {"') != len(table["rows"]):
        tables.report(
            name,
            None,
            "not every row has a line of its own: write one row per line, indented by four blanks",
        )
    places = [({part: value for part, value in table.items() if part != "rows"}, None)] + [
        (row, row) for row in table["rows"]
    ]
    for value, row in places:
        for text in strings_in(value):
            if re.search(r"[\x00-\x1f\x7f-\x9f]", text):
                tables.report(name, row, f"a control character in {text!r}; remove it")


def fault_of_link(text):
    if re.search(r"/deeplearning/sdk/|/deeplearning/cudnn/(latest/)?support-matrix", text):
        return "an old address that leads to another page with every version of cuDNN; link to deeplearning/cudnn/archives/ or deeplearning/cudnn/backend/"
    return ""


def check_sources(tables, name):
    for id, source in tables.all[name]["sources"].items():
        if source["seen"] > tables.today:
            tables.report(
                name,
                None,
                f"source '{id}': 'seen' is {source['seen']}, a future date; write the date on which it was read",
            )
        if fault := fault_of_link(source["url"]):
            tables.report(name, None, f"source '{id}': {fault}")


def check_wording(tables, name):
    for row in tables.rows(name):
        if row["provenance"] in ("unconfirmed", "inferred") and not row.get("note"):
            tables.report(
                name, row, f"an {row['provenance']} row needs a note with the reason or origin"
            )
        for column in CLAUSES.get(name, []):
            if row.get(column, "").endswith("."):
                tables.report(name, row, f"'{column}' is a clause; remove the full stop")
    if name == "rnn_defects":
        for row in tables.rows(name):
            if row["workaround"].endswith("."):
                tables.report(
                    name, row, "'workaround' is a sentence that others follow; remove the full stop"
                )
    if name == "status_names":
        for row in tables.rows(name):
            if row["library"] != "cudnn" and not row.get("meaning"):
                tables.report(name, row, "'meaning' is empty; add what the number means")


# Holes: versions that a table must have because it has those before and after them. What really does not exist is declared in the head of
# the table: "holes": {"12.7": "no such toolkit was released"}


def minors(prefix, first, end, after, declared):
    for minor in range(first, end):
        if f"{prefix}{minor}" not in declared:
            yield f'{prefix}{minor} is missing after {after}; add its row, or declare in "holes" that it does not exist'


def gap(name, last, following, parts, declared):
    """Versions between two of which the first 2 or 3 numbers count: 12.6 is followed by 12.7 or by 13.0, 8.9.6 by 8.9.7 or by the .0 of a
    later minor or major."""
    (major, minor, patch), (next_major, next_minor, next_patch) = (
        padded(last)[:3],
        padded(following)[:3],
    )
    same_minor = (major, minor) == (next_major, next_minor)
    prefix = f"{name}{next_major}."
    if parts == 2 or not same_minor:
        yield from minors(
            prefix, minor + 1 if major == next_major else 0, next_minor, last, declared
        )
    if parts == 3:
        yield from minors(
            f"{prefix}{next_minor}.", patch + 1 if same_minor else 0, next_patch, last, declared
        )


def check_holes(tables):
    for name in ("driver_for_cuda", "windows_driver_for_cuda"):
        versions = [row["cuda"] for row in tables.rows(name)]
        found = [
            text
            for last, following in zip(versions, versions[1:])
            for text in gap("", last, following, 2, tables.holes(name))
        ]
        found += [
            f'"holes" declares {version}, which has a row; remove one of them'
            for version in versions
            if version in tables.holes(name)
        ]
        for text in found:
            tables.report(name, None, text)
    branches = tables.rows("cuda_of_driver")
    for row, following in zip(branches, branches[1:]):
        for text in minors("", row["last_branch"] + 1, following["branch"], row["last_branch"], {}):
            tables.report("cuda_of_driver", None, text)
    last, found = {}, {}  # a version missing for several CUDA majors is one hole
    for row in tables.rows("cudnn_builds"):
        if before := last.get(row["cuda_major"]):
            found.update(
                dict.fromkeys(gap("", before, row["cudnn"], 3, tables.holes("cudnn_builds")))
            )
        last[row["cuda_major"]] = row.get("cudnn_last", row["cudnn"])
    for text in found:
        tables.report("cudnn_builds", None, text)


def check_holes_of_frameworks(tables):
    """By framework and system, all flavours together, then those with CUDA alone. Of 0.x every version counts, for its minors are what
    others' majors are."""
    newest, found = {}, {}
    for row in tables.rows("framework_builds"):
        if is_of_conda(row):
            continue  # it fills no gap between the project's own
        suffix = f" for {row['os']}"
        declared = [name.removesuffix(suffix) for name in tables.holes("framework_builds")]
        first, end = row["first"], row.get("last", row["first"])
        for kind in ("", "with CUDA, ") if "cuda" in row else ("",):
            key = (kind, row["framework"], row["os"])
            last = newest.get(key, first)
            every_version = (
                numbers(first)[0] == 0 and len(numbers(first)) == len(numbers(last)) == 3
            )
            if padded(first) > padded(last):
                found.update(
                    {
                        f"{kind}{suffix[1:]} {text}": None
                        for text in gap(
                            row["framework"] + " ", last, first, 3 if every_version else 2, declared
                        )
                    }
                )
            newest[key] = max(newest.get(key, end), end, key=padded)
    for text in found:
        tables.report("framework_builds", None, text)


def check_skipped_cudnn(tables):
    """A version that other rows name and that lies between two of a CUDA major which both pass it over."""
    named = {}
    for row in tables.rows("cudnn_builds"):
        for version in (row["cudnn"], row.get("cudnn_last")):
            named.setdefault(version, f"it exists for CUDA {row['cuda_major']}")
    for name, columns in (
        ("rnn_defects", ("first", "fixed")),
        ("rnn_limits", ("first", "last")),
        ("framework_builds", ("cudnn",)),
    ):
        for row in tables.rows(name):
            for column in columns:
                named.setdefault(row.get(column), f"{name} names it")
    exact = {
        version: who for version, who in named.items() if version and len(numbers(version)) == 3
    }
    holes = tables.holes("cudnn_builds")
    for major in sorted({row["cuda_major"] for row in tables.rows("cudnn_builds")}):
        ranges = [
            (row["cudnn"], row.get("cudnn_last", row["cudnn"]))
            for row in tables.rows("cudnn_builds")
            if row["cuda_major"] == major
        ]
        for version, who in exact.items():
            between = padded(ranges[0][0]) < padded(version) < padded(ranges[-1][1])
            if (
                between
                and not any(covers(*range, version) for range in ranges)
                and version not in holes
                and f"{version} for CUDA {major}" not in holes
            ):
                tables.report(
                    "cudnn_builds",
                    None,
                    f'{version} for CUDA {major} is missing, but {who}; add its row, or declare in "holes" that it does not exist',
                )


# Rows that contradict themselves or each other


def check_life(tables):
    for row in tables.rows("driver_branches"):
        seen, until = (
            tables.all["driver_branches"]["sources"][row["source"]]["seen"],
            row.get("supported_until", ""),
        )
        if "last_release" in row and numbers(row["last_release"])[0] != row["branch"]:
            tables.report(
                "driver_branches",
                row,
                f"last_release {row['last_release']} is not of branch {row['branch']}",
            )
        if until and not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", until):
            tables.report(
                "driver_branches", row, "column 'supported_until': write a month, e.g. 2028-06"
            )
        elif until and row["ended"] != (until < seen[:7]):
            tables.report(
                "driver_branches",
                row,
                f"'ended' does not agree with supported_until {until} on the day of the source",
            )
    for row in tables.rows("architectures"):
        if ("last_driver_branch" in row) != ("driver_source" in row):
            tables.report(
                "architectures",
                row,
                "last_driver_branch and driver_source belong together; add the missing one",
            )
    for row in tables.rows("cudnn_parts"):
        if (
            not row["soname"].endswith(f".so.{row['major']}")
            or numbers(row["since"])[0] != row["major"]
        ):
            tables.report(
                "cudnn_parts",
                row,
                f"'{row['soname']}' since {row['since']} is no file of cuDNN {row['major']}",
            )


def check_names(tables):
    capabilities = {}
    for row in tables.rows("gpu_products"):
        capabilities.setdefault(row["name"], set()).add(row["capability"])
    for row in tables.rows("gpu_products"):
        for other in sorted(capabilities[row["name"]] - {row["capability"]}):
            if not row.get("note"):
                tables.report(
                    "gpu_products",
                    row,
                    f"'{row['name']}' has capability {row['capability']} here and {other} in another row; "
                    "correct one, or add to each note that the name is used for different chips",
                )


def check_rnn(tables):
    builds = tables.rows("cudnn_builds")
    for row in tables.rows("rnn_defects"):
        for version in (row["first"], row.get("fixed")):
            if (
                version
                and padded(version) >= padded(builds[0]["cudnn"])
                and not any(
                    covers(build["cudnn"], build.get("cudnn_last"), version) for build in builds
                )
            ):
                tables.report(
                    "rnn_defects",
                    row,
                    f"cudnn_builds has no cuDNN {version}; use an existing version, or add its builds there",
                )
    for row in tables.rows("rnn_required_support"):
        for limit in tables.rows("rnn_limits"):
            if limit["feature"] not in (row["dtype"], row["algorithm"]):
                continue
            if padded(row["first"]) < padded(limit["first"]):
                tables.report(
                    "rnn_required_support",
                    row,
                    f"required from cuDNN {row['first']} on, but {limit['feature']} begins with {limit['first']} (rnn_limits)",
                )
            if "last" in limit and padded(row.get("last", "9999")) > padded(limit["last"]):
                tables.report(
                    "rnn_required_support",
                    row,
                    f"required for longer than {limit['feature']}, which ends with {limit['last']} (rnn_limits)",
                )
            if padded(row["capability_min"]) < padded(limit.get("capability_min", "0")):
                tables.report(
                    "rnn_required_support",
                    row,
                    f"required on capability {row['capability_min']}, but {limit['feature']} begins with {limit['capability_min']} (rnn_limits)",
                )


def is_of_conda(build):
    """Not the project's own build, which framework_cuda is about."""
    return build["build"].startswith("conda-")


def check_newest_cuda(tables):
    """At each version with which some build begins."""
    for row in tables.rows("framework_cuda"):
        builds = [
            build
            for build in tables.rows("framework_builds")
            if build["framework"] == row["framework"] and "cuda" in build and not is_of_conda(build)
        ]
        for version in sorted(
            {
                build["first"]
                for build in builds
                if covers(row["first"], row["last"], build["first"])
            },
            key=padded,
        ):
            newest = max(
                (
                    build["cuda"]
                    for build in builds
                    if covers(build["first"], build.get("last"), version)
                ),
                key=padded,
            )
            if padded(newest) != padded(row["newest_cuda"]):
                tables.report(
                    "framework_cuda",
                    row,
                    f"newest_cuda is {row['newest_cuda']}, but framework_builds has {row['framework']} {version} "
                    f"with CUDA {newest} as its newest; correct one of them or split the row",
                )
                break


def cuda_of_digits(digits):
    """118 is 11.8, 92 is 9.2, 12 is 12: until CUDA 9 two digits are major and minor."""
    if len(digits) == 2 and digits[0] < "7":
        return digits
    return f"{digits[:-1]}.{digits[-1]}"


def toolkits_named(text):
    """The toolkits of a flavour or command: cu118 in any place, cuda12 and cuda-12 with the major alone; PaddlePaddle's 2.6.1.post117."""
    named = [
        cuda_of_digits(digits) for digits in re.findall(r"(?<![a-zA-Z0-9])cu(\d{2,3})(?!\d)", text)
    ]
    named = [version for version in named if "." in version] + re.findall(
        r"(?<![a-zA-Z0-9])cuda-?(\d\d)(?!\d)", text
    )
    return named + [cuda_of_digits(digits) for digits in re.findall(r"\.post(\d{3})(?!\d)", text)]


def check_builds(tables):
    for name in ("framework_builds", "framework_builds_arm"):
        check_builds_of(tables, name)


def check_builds_of(tables, name):
    sources = tables.all[name]["sources"]
    for row in tables.rows(name):
        install, cuda = row.get("install", ""), row.get("cuda")
        for column in ("build", "install"):
            for named in toolkits_named(row.get(column, "")):
                if not cuda or not (
                    agree(named, cuda) if "." not in named else padded(named) == padded(cuda)
                ):
                    tables.report(
                        name,
                        row,
                        f"column '{column}' names CUDA {named}, the row {'CUDA ' + cuda if cuda else 'none'}; correct one of them",
                    )
        if cuda and ("/whl/cpu" in install or "+cpu" in install):
            tables.report(
                name,
                row,
                "column 'install' is the command of a build without CUDA; correct it or remove 'cuda'",
            )
        pin = "={version}=" if is_of_conda(row) else "=={version}"
        if install and pin not in install:
            tables.report(
                name, row, f"column 'install' pins no version or another one; write {pin}"
            )
        for fault in faults_of_commands(install):
            tables.report(name, row, f"column 'install': {fault}")
        # 3.9 came in October 2020 and one minor each October since (PEP 602); wheels for the next are made a year ahead.
        seen = sources[row["source"]]["seen"]
        for column in ("python_first", "python_last"):
            if column in row and numbers(row[column]) > (3, int(seen[:4]) - 2010):
                tables.report(
                    name,
                    row,
                    f"column '{column}': Python {row[column]} did not exist on {seen}, when the source was seen; correct it",
                )
        if bool(cuda) == (row["libraries"] == "none"):
            tables.report(
                name,
                row,
                "a build without CUDA has libraries 'none', one with CUDA the origin of its libraries; correct one of them",
            )
        if row.get("without_cudnn") and ("cudnn" in row or not cuda):
            tables.report(
                name,
                row,
                "without_cudnn is for builds with CUDA that have no cuDNN; remove one of them",
            )
        # One command cannot install two builds. What takes the system's CUDA may be one package for several.
        for other in tables.rows(name)[row["number"] :]:
            if (
                install
                and other.get("install") == install
                and other["os"] == row["os"]
                and "system" not in (row["libraries"], other["libraries"])
            ):
                if covers(other["first"], other.get("last"), row["first"]) or covers(
                    row["first"], row.get("last"), other["first"]
                ):
                    tables.report(
                        name,
                        row,
                        f"'{install}' also installs the build '{other['build']}' of row {other['number']}; correct one of the commands",
                    )


# Advice that would do harm, or cannot be followed


def value_at(text):
    """To the next blank outside of $(...)."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character in " `":
            return text[:at]
    return text


def overwrites_a_path(text):
    """ "export LD_LIBRARY_PATH=DIR" takes from the variable what it had: in containers and WSL the driver's own directory."""
    if re.search(r"unset (LD_LIBRARY_)?PATH|setx PATH", text):
        return True
    set_here = re.finditer(r"(?<![A-Za-z_])(PATH|LD_LIBRARY_PATH|PYTHONPATH)=", text)
    return any(
        not re.search(rf"\$\{{?{found[1]}|%{found[1]}", value_at(text[found.end() :]))
        for found in set_here
    )


def redirects(text):
    """ "pip install tensorflow<2.11"; what is in double quotes or, as a placeholder, in braces is no redirection."""
    bare = re.sub(r'"[^"]*"?|\{[^}]*\}?', "", text)
    return re.search(r"pip install [^ <>]+[<>]", bare) is not None


def faults_of_commands(text):
    faults = {
        "cmd.exe does not know single quotes; write version specifiers in double ones": "install '"
        in text,
        "a shell takes < and > for redirections; quote the version specifier": "install '"
        not in text
        and redirects(text),
        "it replaces a search path that other libraries need; extend it: export LD_LIBRARY_PATH=DIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}": overwrites_a_path(
            text
        ),
        "--upgrade without a bound may install another major version; name the version": re.search(
            r"install --upgrade (?!pip\b)[^ `<=]*(?![^ `])", text
        ),
        "other distributions and machines have another library directory; use ldconfig -p": "x86_64-linux-gnu"
        in text,
        "newer drivers no longer support old GPUs; write to one that still supports the GPU": "pdate the driver"
        in text
        and "support" not in text,
        "'where' is another command in PowerShell; write where.exe": " where " in text
        and ".dll" in text,
    }
    return [fault for fault, is_there in faults.items() if is_there]


def figures_in(text):
    """Versions and limits: "8.0.5", "65535"; not plain counts."""
    return {
        figure
        for figure in re.findall(r"(?<![A-Za-z0-9])\d+(?:\.\d+)*", text)
        if "." in figure or len(figure) > 4
    }


def check_grounds(tables, row):
    """A cause and the row that it rests on must not contradict each other."""
    grounds = [
        other
        for name, id in (("rnn_limits", "feature"), ("rnn_defects", "id"))
        for other in tables.rows(name)
        if other[id] == row["rests_on"]
    ]
    if not grounds:
        tables.report(
            "log_causes",
            row,
            f"rests_on: neither rnn_limits nor rnn_defects has '{row['rests_on']}'; correct one of them",
        )
        return
    known = figures_in(" ".join(str(value) for other in grounds for value in other.values()))
    for figure in sorted(
        figures_in(" ".join(row.get(column, "") for column in ("message", "means", "knows")))
    ):
        if figure not in known and not any(other.startswith(figure + ".") for other in known):
            tables.report(
                "log_causes",
                row,
                f"the text names {figure}, which the rows of '{row['rests_on']}' do not; correct one of them",
            )


def check_advice(tables):
    for row in tables.rows("log_causes"):
        command, remedy = row.get("command", ""), row["remedy"]
        for column, text in row.items():
            for fault in faults_of_commands(str(text)):
                tables.report("log_causes", row, f"'{column}': {fault}")
        for name in re.findall(r"(?<!\$)\{([^}]*)\}", command):
            if name != "plan" and not name.startswith("nvidia-"):
                tables.report(
                    "log_causes",
                    row,
                    f"'command': {{{name}}} is not known; write {{plan}} or {{nvidia-cudnn}}",
                )
        if re.search('install "?nvidia-', command):
            tables.report(
                "log_causes",
                row,
                "'command' names one CUDA version for every log; write {nvidia-cudnn} for the package",
            )
        if not command and "the command" in remedy:
            tables.report("log_causes", row, "'remedy' speaks of a command, but there is none")
        if "{nvidia-" in command and "{search_path}" not in remedy:
            tables.report(
                "log_causes",
                row,
                "'remedy' must name {search_path}, for programs that do not search Python packages",
            )
        if row.get("rests_on"):
            check_grounds(tables, row)
    for name in ("log_remedies", "status_names", "xid"):
        for row in tables.rows(name):
            for column in ("remedy", "command", "windows_command"):
                for fault in faults_of_commands(row.get(column, "")):
                    tables.report(name, row, f"column '{column}': {fault}")


def issues_of_tables(directory, today):
    tables = Tables(directory, today)
    for name in tables.all:
        for check in (check_text, check_sources, check_wording):
            check(tables, name)
    for check in (
        check_holes,
        check_holes_of_frameworks,
        check_skipped_cudnn,
        check_life,
        check_names,
        check_rnn,
        check_newest_cuda,
        check_builds,
        check_advice,
    ):
        check(tables)
    return tables.issues


def issues_of_pages(directory):
    for path in sorted(directory.glob("*.md")):
        for fault in filter(
            None, [*faults_of_commands(path.read_text()), fault_of_link(path.read_text())]
        ):
            yield f"{path}: {fault}"


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    tomorrow = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(
        days=1
    )  # it can be tomorrow elsewhere
    issues = [
        *issues_of_tables(root / "compat_matrix", str(tomorrow)),
        *issues_of_pages(root / "docs/rules"),
    ]
    print("\n".join(issues), end="\n" if issues else "")
    sys.exit(bool(issues))
