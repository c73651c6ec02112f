#!/usr/bin/env python3
"""Each format of real reports, and of reports full of hostile texts, passes the checker of those who read it.

usage: formats_test.py samples RNNCHECK SIM_DIRECTORY WORK_DIRECTORY
           writes reports of simulated machines in all formats
       formats_test.py FORMAT TEST_REPORT WORK_DIRECTORY [COUNT [SEED]]
           checks those, and COUNT hostile reports of TEST_REPORT
       formats_test.py browser|node_exporter|issue_form TEST_REPORT WORK_DIRECTORY
           checks those in Chromium, in node_exporter, and the issue forms
77 when a checker is missing. .ci/run puts those that no package of Debian has into build/checkers/, as wheels. With RNNCHECK_PICTURES=DIRECTORY
`browser` keeps what it saw.
"""

import csv
import glob
import html.parser
import io
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
import chromium  # noqa: E402
from doctor import Checks  # noqa: E402
from simulated_machine import build_root, environment_of  # noqa: E402

MACHINES = (
    "no_driver",
    "healthy_cudnn8",
    "healthy_cudnn9",
    "eight_gpus_three_bad",
    "adv_part_missing",
    "hang_in_one_case",
    "one_card_other_bits",
    "container_without_gpu_docker",
    "rnn_call_fails_always",
    "wsl_without_windows_driver",
)
FORMATS = sorted(
    file.stem for file in (here.parents[1] / "src" / "report" / "formats").glob("*.cpp")
)
SYSTEM_PYTHON = "/usr/bin/python3"
EXPORTER = "prometheus-node-exporter"
NEGATE = "/usr/lib/nagios/plugins/negate"
LOG = "2024 E cuda_dnn.cc:439] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
check = Checks()


def write_samples(program, sim, work):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    root = work / "root"

    def run(name, scenario, command, *options):
        outputs = [f"--output={form}={work}/{name}.{form}" for form in FORMATS]
        done = subprocess.run(
            [program, *command.split(), *options, *outputs],
            capture_output=True,
            check=False,
            env={**os.environ, **environment_of(scenario, root)},
        )
        check.that(
            done.returncode in (0, 1, 3),
            f"{name}: exit code {done.returncode}; {done.stderr[:300]}",
        )

    for name in MACHINES:
        scenario = json.loads((here.parent / "scenarios" / f"{name}.json").read_text())
        build_root(scenario, root, sim)
        run(
            name,
            scenario,
            "doctor",
            f"--root={root}",
            "--label=node=gpu017",
            *scenario.get("options", []),
        )
    build_root({}, root, sim)
    run("eight_gpus", {"sim": "gpus=8"}, "doctor", f"--root={root}")
    run("lstm", {}, "lstm", f"--root={root}", "--level=standard")
    (work / "train.log").write_text(LOG)
    run("log_only", {}, "diagnose", f"{work}/train.log")
    run(
        "matrix_check",
        {},
        "matrix check",
        "gpu=RTX 3090",
        "driver=535.54",
        "cuda=12.4",
        "cudnn=9.1.0",
        "tensorflow=2.15",
    )
    run("model", {}, "model", f"{here.parent}/models/files/keras3/lstm_activation.keras")
    run("diff", {}, "diff", f"{work}/healthy_cudnn9.json", f"{work}/adv_part_missing.json")
    run(
        "fleet",
        {},
        "fleet merge",
        *(f"{work}/{name}.json" for name in (*MACHINES, "eight_gpus")),
        "--nodes=gpu[001-128]",
        "--name=file",
    )
    run(
        "fleet_node",
        {},
        "fleet show",
        "no_driver",
        *(f"{work}/{name}.json" for name in MACHINES),
        "--name=file",
    )
    shutil.rmtree(root)


def expected_of(path):
    """(findings, checks) of a sample. Where its JSON has no list of findings (diff, fleet, model), its HTML tells how many."""
    document = json.loads(path.with_suffix(".json").read_text())
    if "findings" in document:
        return len(document["findings"]), len(document["verdicts"])
    differing = {
        one["layer"]
        for one in document.get("differences", [])
        if one["significant"] and mode in ("github", "prometheus")
    }
    rows = (
        len(document.get("differences", [])) + len(document.get("unknown", []))
        if mode == "csv"
        else 0
    )
    return path.with_suffix(".html").read_text().count("<article") + len(differing) + rows, None


def verdict_of(document):
    outcome = document.get("verdict") or document["outcome"]
    return {"different": "problems", "same": "healthy"}.get(outcome, outcome)


def hostile_reports(test_report, work, wanted, count, seed):
    """(text, findings, checks) of each."""
    path = work / f"hostile.{wanted}.list"
    subprocess.run(
        [test_report, "formats: hostile reports for formats_test.py"],
        check=True,
        stdout=subprocess.DEVNULL,
        env={
            **os.environ,
            "RNNCHECK_FUZZ_FILE": str(path),
            "RNNCHECK_FUZZ_COUNT": str(count),
            "RNNCHECK_FUZZ_SEED": str(seed),
            "RNNCHECK_FUZZ_FORMAT": wanted,
        },
    )
    with path.open("rb") as file:
        while line := file.readline():
            size, findings, checks = map(int, line.split())
            yield file.read(size), findings, checks
    path.unlink()


class Tags(html.parser.HTMLParser):
    """What a browser would make of a page: its tags, and whether they are balanced."""

    VOID = {"meta", "br", "hr", "link", "img", "input", "rect", "circle", "path"}

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.attributes, self.wrong, self.words = [], [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attrs]

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()
        elif tag not in self.VOID:
            self.wrong.append(f"</{tag}> closes {self.open[-3:]}")

    def handle_data(self, data):
        if not {"code", "pre", "style"} & set(self.open):
            self.words.append(data)


# What a terminal, an editor or GitHub's runner (which obeys "##[command]" anywhere in a line) would act on.
ACTIVE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]|##\[|^[ \t]*::[a-z]",
    re.MULTILINE,
)


def complaints_of(text, findings, checks):
    try:
        words = text.decode()
    except UnicodeDecodeError as error:
        return [str(error)]
    active = ACTIVE.search(
        re.sub("^::(error|warning|notice) title=", "", words, flags=re.MULTILINE)
        if mode == "github"
        else words
    )
    wrong = [f"active at {active.start()}: {active[0]!r}"] if active else []
    specific = globals().get("check_" + mode)
    return wrong + (
        specific(text, findings, checks) if specific else [] if words.strip() else ["empty"]
    )


def complaints_of_markup(text, allowed):
    tags = Tags(text)
    wrong = tags.wrong + [f"<{tag}>" for tag in set(tags.seen) - allowed]
    for tag, name, value in tags.attributes:
        if (
            name.startswith("on")
            or name == "src"
            or (name == "href" and not value.startswith("https://"))
        ):
            wrong.append(f"{tag} {name}={value}")
    return wrong, tags


def check_json(text, findings, checks):
    try:
        document = json.loads(text)
    except ValueError as error:
        return [str(error)]
    if "findings" not in document:
        return [] if document.get("sentence") else ["no sentence"]
    found = (len(document["findings"]), len(document["verdicts"]))
    return [] if found == (findings, checks) else [f"{found} findings and verdicts"]


def check_markdown(text, findings, checks):
    wrong, tags = complaints_of_markup(
        markdown.render(text.decode()),
        {
            "h2",
            "h3",
            "p",
            "code",
            "pre",
            "ul",
            "li",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "br",
            "strong",
            "details",
            "summary",
            "a",
        },
    )
    # Without the JSON, in which a number is no heading.
    headings = tags.seen.count("h3")
    left_out = int(next(iter(re.findall(r"65,536 characters: ([0-9]+) finding", text.decode())), 0))
    if not findings - left_out <= headings <= findings - left_out + 4:
        wrong.append(f"{headings} headings for {findings} findings")
    if tags.seen.count("h2") != 1:
        wrong.append(f"{tags.seen.count('h2')} titles")
    if len(text) > 60_000:
        wrong.append(f"{len(text)} characters")
    if b"`" * 81 in text:
        wrong.append("more backticks than GitHub's parser takes")
    if any(re.search(r"(?<!\w)[@#]\w", words) for words in tags.words):
        wrong.append("somebody or an issue is mentioned")
    return wrong


def check_junit(text, findings, checks):
    try:
        tree = lxml.etree.fromstring(text)
    except lxml.etree.XMLSyntaxError as error:
        return [str(error)]
    wrong = [] if junit_schema.validate(tree) else [str(junit_schema.error_log.last_error)]
    cases = tree.findall("testcase")
    if (checks is not None and len(cases) != checks + 1) or int(tree.get("tests", -1)) != len(
        cases
    ):
        wrong.append(f"{len(cases)} test cases for {checks} checks")
    for kind in ("failure", "error", "skipped"):
        plural = kind + ("s" if kind != "skipped" else "")
        if int(tree.get(plural, -1)) != sum(case.find(kind) is not None for case in cases):
            wrong.append(f"{tree.get(plural)} {plural}")
    return wrong


METRIC = re.compile(r'[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\})? [0-9.e+-]+')


def check_prometheus(text, findings, checks):
    wrong = [
        line
        for line in text.decode().split("\n")[:-1]
        if not METRIC.fullmatch(line) and not line.startswith(("# HELP ", "# TYPE "))
    ]
    counted = sum(
        int(float(line.rsplit(" ", 1)[1]))
        for line in text.decode().split("\n")
        if line.startswith("rnncheck_finding{") and METRIC.fullmatch(line)
    )
    if counted != findings:
        wrong.append(f"{counted} findings")
    return wrong


def promtool_output(text):
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, check=False
    )
    return done.returncode, (done.stdout + done.stderr).decode()


def check_github(text, findings, checks):
    lines = text.decode().split("\n")
    wrong = [
        line
        for line in lines[:-1]
        if not re.fullmatch(r"::(error|warning|notice) title=[^:,\r\n]+::[^\r\n]*", line)
    ]
    for kind in ("error", "warning", "notice"):
        if sum(line.startswith(f"::{kind} ") for line in lines) > 10:
            wrong.append(f"more than 10 of {kind}")
    if len(lines) - 2 != findings and "which GitHub would not show" not in text.decode():
        wrong.append(f"{len(lines) - 2} findings")
    return wrong


def check_csv(text, findings, checks):
    try:
        rows = list(csv.reader(io.StringIO(text.decode(), newline=""), strict=True))
    except csv.Error as error:
        return [str(error)]
    wrong = [
        row
        for row in rows
        if len(row) != len(rows[0])
        or len(row) < 4
        or any(cell[:1] in set("=+-@\t\r") or "\n" in cell for cell in row)
    ]
    if rows[0][0] != "group" and len(rows) - 1 != findings:  # a fleet has a row for each value
        wrong.append(f"{len(rows) - 1} findings")
    return wrong


def check_nagios(text, findings, checks):
    number = r"[a-z_]+=[0-9.e+-]+s?(;[0-9]*){0,3}"
    if re.fullmatch(
        rf"RNNCHECK (OK|WARNING|CRITICAL|UNKNOWN): [^|\n\r]* \| {number}( {number})*\n",
        text.decode(),
    ):
        return []
    return [text.decode()[:200]]


def negate_output(text, code):
    """The monitoring plugins' own wrapper, reported to make OK of this state."""
    state = ("OK", "WARNING", "CRITICAL", "UNKNOWN")[code]
    with open("/dev/null") as nothing, (work / "nagios.txt").open("wb") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(
            [
                NEGATE,
                "-s",
                f"--{state.lower()}=OK",
                "/bin/sh",
                "-c",
                f"cat '{file.name}'; exit {code}",
            ],
            stdin=nothing,
            capture_output=True,
            check=False,
        )
    return done.returncode == 0 and done.stdout.startswith(b"RNNCHECK OK: ")


def check_html(text, findings, checks):
    wrong, tags = complaints_of_markup(
        text.decode(),
        {
            "html",
            "head",
            "meta",
            "style",
            "title",
            "body",
            "main",
            "h1",
            "h2",
            "h3",
            "p",
            "span",
            "strong",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "br",
            "article",
            "pre",
            "code",
            "a",
            "dl",
            "div",
            "h4",
            "ol",
            "li",
            "dt",
            "dd",
            "details",
            "summary",
            "figure",
            "figcaption",
            "svg",
            "g",
            "rect",
            "circle",
            "path",
            "text",
        },
    )
    if len(text) > 300_000:
        wrong.append(f"{len(text)} bytes")
    # The causes of one error in a log are items of a list in one article.
    found = tags.seen.count("article") + max(0, tags.seen.count("li") - tags.seen.count("ol"))
    if found != findings:
        wrong.append(f"{found} findings")
    if re.search(rb"url\(|@import", text):
        wrong.append("something is loaded")
    return wrong


# What leaves its frame, on the page and in a picture.
CUT_OFF = """
(() => {
  const wrong = [], root = document.documentElement
  if (root.scrollWidth > innerWidth) wrong.push(`${root.scrollWidth} pixels wide`)
  for (const text of document.querySelectorAll('svg text')) {
    const box = text.getBoundingClientRect(), frame = text.ownerSVGElement.getBoundingClientRect()
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) wrong.push(text.textContent)
  }
  for (const cell of document.querySelectorAll('th, td'))
    if (cell.scrollWidth > cell.clientWidth + 1) wrong.push(`${cell.textContent} leaves its cell`)
  for (const one of document.querySelectorAll('body *')) {
    if (!one.checkVisibility() || one.getBoundingClientRect().right <= innerWidth + 1) continue
    let frame = one
    while (frame && getComputedStyle(frame).overflowX !== 'auto') frame = frame.parentElement
    if (!frame) wrong.push(`${one.tagName} ${one.textContent.slice(0, 40)} is beyond the edge`)
  }
  const hidden = [...document.querySelectorAll('dd')].filter(one => !one.checkVisibility())
  if (matchMedia('print').matches && hidden.length) wrong.push(`${hidden.length} hidden, first: ${hidden[0].textContent}`)
  return wrong
})()"""
FOLD = """(state => document.querySelectorAll('details').forEach(one => {
  one.wasOpen ??= one.open
  one.open = state === 'unfolded' || (state === 'as it is' && one.wasOpen)
}))"""
AXE = "axe.run().then(result => result.violations.map(one => one.id + ' ' + one.nodes[0].html.slice(0, 200)))"


def check_browser(pages):
    """axe finds nothing in both colour schemes, and nothing is cut off in a window of any width, nor on paper."""
    axe = from_wheel("axe_playwright_python", "axe_playwright_python/axe.min.js")
    browser = chromium.Chromium(work / "chromium")
    pictures = os.environ.get("RNNCHECK_PICTURES")

    def complaints_of_page(page):
        browser.show(page)
        browser.send("Runtime.evaluate", expression=axe)
        wrong = []
        for scheme, width in itertools.product(("light", "dark"), (400, 1000, 1600)):
            browser.set(width, scheme)
            for state in ("as it is", "folded", "unfolded", "as it is"):
                browser.run(FOLD + f"('{state}')")
                wrong += [f"{width} {scheme} {state}: {what}" for what in browser.run(CUT_OFF)]
            if (scheme, width) in (("light", 400), ("dark", 1000)):
                browser.run(FOLD + "('unfolded')")
                wrong += [f"axe, {scheme}: {what}" for what in browser.run(AXE)]
                browser.run(FOLD + "('as it is')")
            if pictures:
                browser.picture(pathlib.Path(pictures) / f"{page.stem}.{width}.{scheme}.png")
        browser.set(700, media="print")
        wrong += [f"print: {what}" for what in browser.run(CUT_OFF)]
        if pictures:
            browser.picture(pathlib.Path(pictures) / f"{page.stem}.print.png")
        return wrong

    for page in pages:
        wrong = complaints_of_page(page)
        check.that(not wrong, f"{page.name}: {wrong[:3]}")
    good, broken = pages[0].read_text(), work / "broken.htm"
    for old, new in (
        ("--faint:#a0a9b2", "--faint:#45484c"),
        ("--faint:#57606a", "--faint:#c7c8ca"),
        ('lang="en"', ""),
        ("<h1>", "<h1 style='white-space:nowrap'>" + "x " * 400),
        ("content-visibility:visible", ""),
        ("minmax(7rem,max-content)", "4rem"),
        ("<p ", "<p style='margin-left:-50px;width:500px' "),
    ):
        check.that(old in good, f"no {old} in {pages[0].name}")
        broken.write_text(good.replace(old, new))
        check.that(complaints_of_page(broken), f"a page with {new[:30]} passes")
    browser.close()


def check_node_exporter(samples):
    """What node_exporter's own collector reads of each file is what was written."""
    place = work / "textfile"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    server = subprocess.Popen(
        [
            EXPORTER,
            "--collector.disable-defaults",
            "--collector.textfile",
            f"--collector.textfile.directory={place}",
            "--web.listen-address=127.0.0.1:0",
            "--web.disable-exporter-metrics",
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    address = next(
        match[1]
        for line in server.stderr
        if (match := re.search(r'"Listening on" address=(\S+)', line))
    )

    def scraped(text):
        (place / "rnncheck.prom").write_bytes(text)
        lines = (
            urllib.request.urlopen(f"http://{address}/metrics", timeout=20)
            .read()
            .decode()
            .split("\n")
        )
        return "node_textfile_scrape_error 0" in lines, sorted(
            without_number(line) for line in lines if line.startswith("rnncheck_")
        )

    def without_number(line):
        """Of a line, its name and its labels, which node_exporter sorts."""
        return line.split(" ")[0].split("{")[0], sorted(
            re.findall(r'[a-z_]+="(?:[^"\\]|\\.)*"', line)
        )

    try:
        for path in samples:
            text = path.read_bytes()
            written = sorted(
                without_number(line)
                for line in text.decode().split("\n")
                if line.startswith("rnncheck_")
            )
            check.that(
                scraped(text) == (True, written), f"{path.name}: node_exporter does not read it"
            )
        for broken in BROKEN["prometheus"]:
            check.that(not scraped(broken)[0], f"node_exporter takes {broken}")
    finally:
        server.kill()
        server.wait()


def check_issue_form():
    """GitHub's schema, as SchemaStore keeps it."""
    schema = json.loads(
        from_wheel(
            "check_jsonschema", "check_jsonschema/builtin_schemas/vendor/github-issue-forms.json"
        )
    )
    validator = jsonschema.Draft7Validator(schema)
    for path in sorted((here.parents[1] / "docs" / "issue-templates").glob("*.yml")):
        text = path.read_text()
        for error in validator.iter_errors(yaml.safe_load(text)):
            check.that(False, f"{path.name}: {error.message[:300]}")
        for old, new in (
            ("type: dropdown", "type: menu"),
            ("required: true", "required: perhaps"),
            ("description:", "descriptions:"),
            ("label:", "caption:"),
        ):
            check.that(
                old in text and not validator.is_valid(yaml.safe_load(text.replace(old, new, 1))),
                f"{path.name}: with {new} it is valid, too",
            )


def from_wheel(package, member):
    wheels = glob.glob(f"{here.parents[1]}/build/checkers/{package}-*.whl")
    if not wheels:
        raise ImportError(f"build/checkers/{package}-*.whl (.ci/run puts it there)")
    with zipfile.ZipFile(wheels[0]) as wheel:
        return wheel.read(member).decode()


def need_program(name, package):
    if not shutil.which(name):
        raise ImportError(f"{name} (package {package})")


BROKEN = {
    "csv": [
        b'"severity","rule","subject","message"\r\n"error","a","b"\r\n',
        b'"severity","rule","subject","message"\r\n',
        b'"a","b","c","d"\r\n"e","f","g","=1+1"\r\n',
        b'"a","b","c","d"\r\n"e","f","g"x,"h"\r\n',
    ],
    "json": [b'{"findings": [], "verdicts": []', b'{"findings": [], "verdicts": [], "x": NaN}x'],
    "markdown": [
        b"## a\n\n### b\n<script>x</script>\n",
        b"## a\n\n### b\n\n<details>\n",
        b"## a\n\n### b\n" + b"x" * 60_000,
        b"## a\n\n### b\n@octocat\n",
        b"## a\n\n### b\n" + b"`" * 81 + b" <b> " + b"`" * 81,
    ],
    "junit": [
        b"<testsuite",
        b'<testsuite name="x" tests="2" failures="0" errors="0" skipped="0"><testcase classname="a" name="b"/><testcase classname="a" name="c" mood="good"/></testsuite>',
        b'<testsuite name="x" tests="2" failures="1" errors="0" skipped="0"><testcase classname="a" name="b"/><testcase classname="a" name="c"/></testsuite>',
    ],
    "prometheus": [b'rnncheck_finding{gpu="0} 1\n', b'rnncheck_finding{gpu="a\nb"} 1\n'],
    "github": [b"::error title=x::a\nb\n", b"::error title=a:b::c\n::error title=x::y\n"],
    "nagios": [
        b"RNNCHECK FINE: x | a=1\n",
        b"RNNCHECK OK: a | b | a=1\n",
        b"RNNCHECK OK: a\n | a=1\n",
    ],
    "html": [
        b"<html><article></p></article></html>",
        b"<html><article></article><script></script></html>",
        b'<html><article></article><p onclick="x">a</p></html>',
    ],
}
ANY_BROKEN = [
    "problem \u202etxt.so\n".encode(),
    b"problem\n  ::error::x\n",
    b"see ##[add-mask]x\n",
    b"\x1b[31mred\n",
]  # whatever the format

mode = sys.argv[1]
if mode == "samples":
    write_samples(sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]))
    sys.exit(check.close())
test_report, work = sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
try:
    if mode == "junit":
        import lxml.etree

        junit_schema = lxml.etree.XMLSchema(lxml.etree.parse(here / "junit-10.xsd"))
    if mode == "markdown":
        import markdown_it

        markdown = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table")
    if mode == "nagios":
        need_program(NEGATE, "monitoring-plugins-basic")
    if mode == "prometheus":
        need_program("promtool", "prometheus")
    if mode == "browser":
        need_program("chromium", "chromium")
        check_browser(sorted(work.glob("*.html")) + [here / "approved" / "many_findings.html"])
    if mode == "node_exporter":
        need_program(EXPORTER, "prometheus-node-exporter")
        check_node_exporter(sorted(work.glob("*.prometheus")))
    if mode == "issue_form":
        import jsonschema
        import yaml

        check_issue_form()
except ImportError as missing:
    if sys.executable != SYSTEM_PYTHON and pathlib.Path(SYSTEM_PYTHON).exists():
        os.execv(
            SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv]
        )  # Debian's packages are modules of that one
    print(f"SKIPPED: {missing}")
    sys.exit(77)
if mode not in FORMATS:
    sys.exit(check.close())

count, seed = (
    int(sys.argv[4]) if len(sys.argv) > 4 else 300,
    int(sys.argv[5]) if len(sys.argv) > 5 else 1,
)
samples = sorted(work.glob("*." + mode))
check.that(len(samples) >= 8, f"{len(samples)} samples")
for path in samples:
    wrong = complaints_of(path.read_bytes(), *expected_of(path))
    if mode == "json" and path.stem.startswith("eight_gpus"):
        # One object for each run: some 12 kB per GPU. A comment gets the Markdown, which is shorter.
        check.that(path.stat().st_size < 120_000, f"{path.name}: {path.stat().st_size} bytes")
    check.that(not wrong, f"{path.name}: {wrong[:3]}")
    if mode == "nagios":
        state = ("healthy", "warnings", "problems", "undetermined").index(
            verdict_of(json.loads(path.with_suffix(".json").read_text()))
        )
        check.that(negate_output(path.read_bytes(), state), f"{path.name}: negate does not read it")
        check.that(not negate_output(b"RNNCHECK FINE: x\n", state), "negate takes a broken sample")
    if mode == "prometheus":
        code, stated = promtool_output(path.read_bytes())
        check.that(code == 0 and not stated.strip(), f"{path.name}: promtool reports {stated}")
if mode == "prometheus":
    check.that(
        promtool_output(b'rnncheck_finding{gpu="0} 1\n')[0] != 0, "promtool takes a broken sample"
    )
for broken in BROKEN.get(mode, []) + ANY_BROKEN:
    check.that(complaints_of(broken, 1, 1), f"a broken sample passes: {broken[:80]}")
longest = 0
for number, (text, findings, checks) in enumerate(
    hostile_reports(test_report, work, mode, count, seed)
):
    longest = max(longest, len(text))
    wrong = complaints_of(text, findings, checks)
    check.that(not wrong, f"hostile report {number}: {wrong[:3]}")
    if mode == "prometheus" and number % 100 == 0:
        check.that(
            promtool_output(text)[0] == 0,
            f"hostile report {number}: promtool reports {promtool_output(text)[1]}",
        )
print(f"longest hostile report: {longest} bytes")
sys.exit(check.close())
