#!/usr/bin/env python3
"""The house rules: triples of rule, page and test; borders between modules; sizes; words that are not allowed.

usage: house_test.py PROJECT_DIRECTORY     exits 1 and prints one line per breach
"""

import json
import pathlib
import re
import sys

import pages

root = pathlib.Path(sys.argv[1])
breaches = []
MOST_LINES = 500
MOST_LINES_OF_A_DECISION = 40


def breach(where, what):
    breaches.append(f"{where}: {what}")


def stems(directory, pattern):
    return {
        path.name.removesuffix(pattern.removeprefix("*"))
        for path in (root / directory).glob(pattern)
    }


def same(names, others, directory, pattern):
    for name in sorted(names - others):
        breach(f"{directory}/{pattern.replace('*', name)}", "is missing")
    for name in sorted(others - names):
        breach(f"{directory}/{pattern.replace('*', name)}", "has no counterpart in the code")


def head_of(page):
    """The JSON between the fences that a rule's page begins with; empty for a page of models, not of machines."""
    return (
        json.loads(page.partition("---\n")[2].partition("\n---\n")[0])
        if page.startswith("---\n")
        else {}
    )


def check_rules():
    """A rule is its page, a function of src/rules/ and its test; the page's remedies are those that the code names."""
    sources = [path.read_text() for path in (root / "src/rules").rglob("*.cpp")]
    heads = {path.stem: head_of(path.read_text()) for path in (root / "docs/rules").glob("*.md")}
    rules = {rule for rule, head in heads.items() if head}
    defined = {
        rule
        for source in sources
        for rule in re.findall(
            r"^Verdict (\w+)\(const Facts&[ \w]*, const Matrix&[ \w]*\) \{", source, re.M
        )
    }
    same(
        {rule for rule in rules if re.sub(r"\W", "_", rule) in defined}, rules, "docs/rules", "*.md"
    )
    same(rules, stems("tests/rules", "*_test.cpp") - {"pages"}, "tests/rules", "*_test.cpp")
    named = {
        place
        for source in sources
        for place in re.findall(
            r'"(\w[\w.]*(?:/\w+)?)"', "".join(re.findall(r"\bremedy\(([^;{]*)", source))
        )
    }
    for rule in sorted(rules):
        path = root / "docs/rules" / f"{rule}.md"
        to_do = path.read_text().partition("## What to do")[2].partition("\n## ")[0]
        for remedy in heads[rule].get("remedies", []):
            place = rule + ("/" + remedy["name"] if "name" in remedy else "")
            if not any(f'"{place}"' in source for source in sources):
                breach(path, f"no rule uses the remedy '{place}'")
            named.discard(place)
            for command in remedy.get("commands", []) + remedy.get("checks", []):
                if not re.search(r"\{\d\}", command) and command not in to_do:
                    breach(path, f"the remedy's command '{command}' is not in 'What to do'")
    for place in sorted(named):
        breach("src/rules", f"no page has the remedy '{place}'")
    return len(rules)


def check_probes():
    probes = stems("probes", "*.cpp")
    same(probes, stems("docs/probes", "*.md"), "docs/probes", "*.md")
    same(probes, stems("tests/probes", "*_test.cpp") - {"pages"}, "tests/probes", "*_test.cpp")
    return len(probes)


def module_of(path):
    parts = path.relative_to(root).parts
    if parts[0] == "probes":
        return "probes"
    return parts[1] if len(parts) > 2 else path.stem


def read_borders():
    allowed, only = {}, {}
    for line in (root / "tests/house/borders.txt").read_text().splitlines():
        if line.startswith("only "):
            header, _, modules = line[5:].partition(":")
            only[header.strip()] = set(modules.split())
        elif line.strip() and not line.startswith("#"):
            module, _, modules = line.partition(":")
            allowed[module.strip()] = set(modules.split())
    return allowed, only


def check_order(allowed):
    """No circle: there is an order in which each module includes only those before it."""
    left = dict(allowed)
    while free := [module for module, others in left.items() if others & left.keys() <= {module}]:
        for module in free:
            del left[module]
    if left:
        breach("tests/house/borders.txt", f"there is a circle among {', '.join(left)}")


def target_module(included):
    first = pathlib.PurePosixPath(included).parts
    if first[0] == "support":
        return "probes"
    return first[0] if len(first) > 1 else pathlib.PurePosixPath(included).stem


def check_borders():
    allowed, only = read_borders()
    check_order(allowed)
    files = [
        path for directory in ("src", "probes") for path in (root / directory).rglob("*.[ch]pp")
    ]
    for path in files:
        module = module_of(path)
        if module not in allowed:
            breach(path, f"the module '{module}' is not in tests/house/borders.txt")
            continue
        for kind, included in re.findall(
            r'^\s*#\s*include\s*([<"])([^>"]+)', path.read_text(), re.M
        ):
            if kind == '"' and target_module(included) not in allowed[module]:
                breach(path, f'{module} may not include "{included}"')
            for header, modules in only.items():
                if kind == "<" and f"<{included}>".startswith(header) and module not in modules:
                    breach(path, f"only {' and '.join(sorted(modules))} may include {header}")
    return files


def check_sizes(files):
    sizes = sorted((len(path.read_text().splitlines()), path) for path in files)
    for lines, path in sizes:
        if lines > MOST_LINES and not path.read_text().startswith("// Long because"):
            breach(
                path,
                f"{lines} lines; above {MOST_LINES} the first line must give a reason: '// Long because ...'",
            )
    counts = [lines for lines, _ in sizes]
    print(
        f"{sum(counts)} lines; median {counts[len(counts) // 2]}; {sum(lines < 40 for lines in counts)} files under 40 lines; "
        "largest: "
        + ", ".join(f"{path.relative_to(root)} {lines}" for lines, path in sizes[:-6:-1])
    )


def check_words():
    banned = [
        r"\bTODO\b",
        r"\bFIXME\b",
        r"\bPLACEHOLDER\b",
        r"(?<![\w.])/work/",
        r"\.\./shared",
        r"\bLLM\b",
    ]
    suffixes = {".cpp", ".hpp", ".md", ".json", ".cmake", ".txt", ".py", ".sh", ".c"}
    ours = [top for top in root.iterdir() if top.name not in {"build", "dist", ".git"}]
    for path in (path for top in ours for path in (top, *top.rglob("*"))):
        if path.suffix not in suffixes or path.name == "house_test.py" or not path.is_file():
            continue
        text = path.read_text(errors="replace")
        for word in banned:
            if re.search(word, text):
                breach(path, f"'{word}' is not allowed")


def banned_words():
    """The first column of the table in CONTRIBUTING.md; a remark in parentheses is no part of a word."""
    table = (
        (root / "CONTRIBUTING.md")
        .read_text()
        .partition("| not | but |\n| --- | --- |\n")[2]
        .partition("\n\n")[0]
    )
    cells = [re.sub(r"\(.*?\)", "", line.split("|")[1]) for line in table.splitlines()]
    return [word.strip() for cell in cells for word in cell.split(",")]


def sentences_of(path):
    """What a file holds that people read: literals of three words or more, prose of a page, wording columns of a table."""
    text = path.read_text()
    if path.suffix in (".md", ".txt"):
        return re.sub(
            r"\"stage\": \"\w+\"|```.*?```|`[^`]*`|https?://\S+|\]\(.*?\)|^\| not \| but \|.*?\n\n",
            " ",
            text,
            flags=re.S | re.M,
        ).split("\n\n")
    if path.suffix == ".json":
        rows = re.sub(r'"sources": \{.*?\n  \},', "", text, flags=re.S)
        return re.findall(rf'"(?:{WORDING})": "((?:[^"\\]|\\.)*)"', rows)
    code = re.sub(r'"\s*\n\s*"', "", re.sub(r"^\s*//.*", "", text, flags=re.M))
    return [
        literal for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code) if literal.count(" ") >= 2
    ]


WORDING = "about|title|message|means|knows|check|remedy|harmless|meaning|symptom|workaround|rule"
def check_terms():
    """Everything that people see uses the terms of CONTRIBUTING.md."""
    banned = re.compile(
        rf"\b(?:{'|'.join(map(re.escape, banned_words()))})\b".replace(r"\ ", r"\s+"), re.I
    )
    places = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("compat_matrix/*.*")]
    places += [
        path for directory in ("src", "probes") for path in (root / directory).rglob("*.[ch]pp")
    ]
    places += root.glob("src/commands/*/*.txt")
    for path in places:
        for text in sentences_of(path):
            if word := banned.search(text):
                breach(
                    path,
                    f"'{word.group(0)}' in '{' '.join(text.split())[:160]}': see the words in CONTRIBUTING.md",
                )


# A comment, a raw literal (quoted files and logs), a literal, a character.
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'""",
    re.S,
)
NAMES_OF_OTHERS = {"Tell"}  # of RapidJSON


def comments_literals_and_code(text):
    comments, literals, code, at = [], [], [], 0
    for token in TOKEN.finditer(text):
        code.append(text[at : token.start()])
        at = token.end()
        found = token.group(0)
        if found.startswith("/"):
            comments.append(found)
        elif found.startswith('"') and found.count(" ") >= 2:
            literals.append(found)
    code.append(text[at:])
    return comments, literals, " ".join(code)


def words_of_name(name):
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def check_names():
    """Names and comments of the code, and the titles of tests, use those terms too; quotations are raw literals."""
    banned = re.compile(
        rf"\b(?:{'|'.join(map(re.escape, banned_words()))})\b".replace(r"\ ", r"\s+"), re.I
    )
    single = {word for word in banned_words() if " " not in word}
    for directory in ("src", "probes", "tests"):
        for path in (root / directory).rglob("*"):
            if path.suffix not in (".cpp", ".hpp", ".c", ".h"):
                continue
            comments, literals, code = comments_literals_and_code(path.read_text())
            for text in comments + (literals if directory == "tests" else []):
                if word := banned.search(text):
                    breach(path, f"'{word.group(0)}' in '{' '.join(text.split())[:160]}'")
            for name in set(re.findall(r"[A-Za-z_]\w*", code)) - NAMES_OF_OTHERS:
                if word := words_of_name(name) & single:
                    breach(path, f"'{word.pop()}' in the name '{name}'")


def check_decisions():
    for path in (root / "docs/decisions").glob("*.md"):
        if len(path.read_text().splitlines()) > MOST_LINES_OF_A_DECISION:
            breach(
                path,
                f"more than {MOST_LINES_OF_A_DECISION} lines: a decision and its reason fit on half a page",
            )


def check_pages():
    for path, what in pages.missing(root):
        breach(path, what)


def check_readme():
    readme = (root / "README.md").read_text()
    for command in ("./run doctor", "./run tests"):
        if command not in readme:
            breach("README.md", f"'{command}' is not named")
    if "./run tests" not in (root / ".ci/run").read_text():
        breach(".ci/run", "does not call the README's test command")


rules = check_rules()
probes = check_probes()
sources = check_borders()
check_sizes(sources)
check_words()
check_terms()
check_names()
check_decisions()
check_pages()
check_readme()
for line in breaches:
    print(line)
print(f"{rules} rules, {probes} probes, {len(sources)} source files: {len(breaches)} breaches")
sys.exit(1 if breaches else 0)
