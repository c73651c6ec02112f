"""What the project's pages refer to: files, names in files, links. missing() finds what no longer exists.

A page names a function, type, field or row as `src/facts/merge.cpp:merge`, a file or directory as `src/facts/`.
"""

import pathlib
import re

SOURCES = "src|probes|tests|docs|compat_matrix|packaging|tools|findings|cmake"
NAMED = re.compile(rf"`((?:{SOURCES})/[\w./-]*)(?::([A-Za-z_][\w:]*))?`")
LINK = re.compile(r"\]\(([^)\s]*)\)")
INLINE_CODE, BLOCK_OF_CODE = re.compile(r"`[^`\n]*`"), re.compile(r"^```.*?^```", re.S | re.M)
STANDS_FOR_ANY = re.compile(r"(?:/|\.)[tx](?:_test)?(?:\.|$)")  # `docs/rules/x.md` of the recipes


def pages_of(root):
    pages = [*root.glob("*.md")]
    for directory in ("docs", "src", "probes", "compat_matrix"):
        pages += root.glob(f"{directory}/**/*.md")
    return sorted(pages)


def is_declared(name, text):
    """Whether a line of C++ declares the name: a function, type, field or enumeration. A call is no declaration."""
    code = re.sub(r"//.*", "", text)
    word = re.escape(name)
    declared = [
        rf"\b(?!return|throw|else|case|co_return)\w+[>&*]?[ ]+[&*]?{word}(?:\(|\{{|;| = | :|,)",
        rf">[ ]+{word}\(",
        rf"(?:struct|class|enum|concept) {word}\b",
        rf"RNNCHECK_ENUM\(\s*{word}\b",
        rf"RNNCHECK_FIELD\w*\((?:[^;\"])*\b{word},",
    ]
    return any(re.search(pattern, code) for pattern in declared)


def has_name(path, name):
    text = path.read_text()
    if path.suffix in (".cpp", ".hpp"):
        return is_declared(name, text)
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def missing_names(root, page):
    for path, name in NAMED.findall(page):
        if STANDS_FOR_ANY.search(path):
            continue
        if not (root / path).exists():
            yield f"names {path}, which does not exist"
        elif name and not has_name(root / path, name):
            yield f"names {name} of {path}, which does not declare it"


def missing_files_of_module(root, path, page):
    """A module's README names its own files without a directory, and sometimes tests."""
    if path.name != "README.md" or path.parent.parent.name != "src":
        return
    for name in re.findall(r"`((?:\.\./)?[\w/-]+\.[ch]pp)`", page):
        plain = pathlib.PurePath(name).name
        in_module = any(path.parent.rglob(plain)) or (path.parent / name).exists()
        if (
            not in_module
            and not (root / "src" / name).exists()
            and not any((root / "tests").rglob(plain))
        ):
            yield f"names {name}, which does not exist"


def anchor_of(heading):
    """As GitHub forms it: '## JSON, schema 3' is #json-schema-3."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors_of(path):
    headings = re.findall(r"^#+ (.*)", BLOCK_OF_CODE.sub("", path.read_text()), re.M)
    return {anchor_of(heading) for heading in headings}


def broken_links(path, page):
    for link in LINK.findall(INLINE_CODE.sub("", BLOCK_OF_CODE.sub("", page))):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists():
            yield f"links to {link}, which does not exist"
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            yield f"links to {link}, but no heading is named so"


def missing(root):
    """Pairs of a page and what is wrong in it."""
    for path in pages_of(root):
        page = path.read_text()
        wrong = [*missing_names(root, page), *missing_files_of_module(root, path, page)]
        for what in wrong + [*broken_links(path, page)]:
            yield path.relative_to(root), what
