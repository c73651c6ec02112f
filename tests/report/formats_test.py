#!/usr/bin/env python3
"""Each format of real reports, and of reports full of hostile texts, passes the checker of those who read it.

usage: formats_test.py samples RNNCHECK SIM_DIRECTORY WORK_DIRECTORY
           writes reports of simulated machines in all formats
       formats_test.py FORMAT TEST_REPORT WORK_DIRECTORY [COUNT [SEED]]
           checks those, and COUNT hostile reports of TEST_REPORT; 77 when a checker is missing
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from doctor import Checks  # noqa: E402
from simulated_machine import build_root, environment_of  # noqa: E402

MACHINES = ("no_driver", "healthy_cudnn8", "healthy_cudnn9", "eight_gpus_three_bad", "adv_part_missing", "hang_in_one_case", "one_card_other_bits",
            "container_without_gpu_docker", "rnn_call_fails_always", "wsl_without_windows_driver")
FORMATS = ("github", "html", "json", "junit", "markdown", "nagios", "prometheus", "text")
NEGATE = "/usr/lib/nagios/plugins/negate"
LOG = "2024 E cuda_dnn.cc:439] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
check = Checks()


def write_samples(program, sim, work):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    root = work / "root"

    def run(name, scenario, command, *options):
        outputs = [f"--output={form}={work}/{name}.{form}" for form in FORMATS]
        done = subprocess.run([program, command, *options, *outputs], capture_output=True, check=False,
                              env={**os.environ, **environment_of(scenario, root)})
        check.that(done.returncode in (0, 1, 3), f"{name}: exit code {done.returncode}; {done.stderr[:300]}")

    for name in MACHINES:
        scenario = json.loads((here.parent / "scenarios" / f"{name}.json").read_text())
        build_root(scenario, root, sim)
        run(name, scenario, "doctor", f"--root={root}", "--label=node=gpu017", *scenario.get("options", []))
    build_root({}, root, sim)
    run("eight_gpus", {"sim": "gpus=8"}, "doctor", f"--root={root}")
    run("lstm", {}, "lstm", f"--root={root}", "--level=standard")
    (work / "train.log").write_text(LOG)
    run("log_only", {}, "diagnose", f"{work}/train.log")
    (work / "matrix").mkdir()
    run("versions", {}, "doctor", f"--root={root}", "--look-only")
    shutil.rmtree(root)


def hostile_reports(test_report, work, wanted, count, seed):
    """(text, findings, checks) of each."""
    path = work / f"hostile.{wanted}"
    subprocess.run([test_report, "formats: hostile reports for formats_test.py"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "RNNCHECK_FUZZ_FILE": str(path), "RNNCHECK_FUZZ_COUNT": str(count), "RNNCHECK_FUZZ_SEED": str(seed),
                        "RNNCHECK_FUZZ_FORMAT": wanted})
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


def complaints_of_markup(text, allowed):
    tags = Tags(text)
    wrong = tags.wrong + [f"<{tag}>" for tag in set(tags.seen) - allowed]
    for tag, name, value in tags.attributes:
        if name.startswith("on") or name == "src" or (name == "href" and not value.startswith("https://")):
            wrong.append(f"{tag} {name}={value}")
    return wrong, tags


def check_json(text, findings, checks):
    try:
        document = json.loads(text)
    except ValueError as error:
        return [str(error)]
    found = (len(document["findings"]), len(document["verdicts"]))
    return [] if found == (findings, checks) else [f"{found} findings and verdicts"]


def check_markdown(text, findings, checks):
    wrong, tags = complaints_of_markup(markdown.render(text.decode()), {
        "h2", "h3", "p", "code", "pre", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "br", "strong", "details", "summary", "a"})
    # Without the JSON, in which a number is no heading.
    headings = tags.seen.count("h3")
    left_out = int(next(iter(re.findall(r"65,536 characters: ([0-9]+) finding", text.decode())), 0))
    if not findings - left_out <= headings <= findings - left_out + 4:
        wrong.append(f"{headings} headings for {findings} findings")
    if tags.seen.count("h2") != 1:
        wrong.append(f"{tags.seen.count('h2')} titles")
    if len(text) > 60_000:
        wrong.append(f"{len(text)} characters")
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
    if len(cases) != checks + 1 or int(tree.get("tests", -1)) != len(cases):
        wrong.append(f"{len(cases)} test cases for {checks} checks")
    for kind in ("failure", "error", "skipped"):
        plural = kind + ("s" if kind != "skipped" else "")
        if int(tree.get(plural, -1)) != sum(case.find(kind) is not None for case in cases):
            wrong.append(f"{tree.get(plural)} {plural}")
    return wrong


METRIC = re.compile(r'[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\})? [0-9.e+-]+')


def check_prometheus(text, findings, checks):
    wrong = [line for line in text.decode().split("\n")[:-1] if not METRIC.fullmatch(line) and not line.startswith(("# HELP ", "# TYPE "))]
    counted = sum(int(float(line.rsplit(" ", 1)[1])) for line in text.decode().split("\n") if line.startswith("rnncheck_finding{") and METRIC.fullmatch(line))
    if counted != findings:
        wrong.append(f"{counted} findings")
    return wrong


def promtool_says(text):
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
    return done.returncode, (done.stdout + done.stderr).decode()


def check_github(text, findings, checks):
    lines = text.decode().split("\n")
    wrong = [line for line in lines[:-1] if not re.fullmatch(r"::(error|warning|notice) title=[^:,\r\n]+::[^\r\n]*", line)]
    for kind in ("error", "warning", "notice"):
        if sum(line.startswith(f"::{kind} ") for line in lines) > 10:
            wrong.append(f"more than 10 of {kind}")
    if len(lines) - 2 != findings and "which GitHub would not show" not in text.decode():
        wrong.append(f"{len(lines) - 2} findings")
    return wrong


def check_nagios(text, findings, checks):
    number = r"[a-z_]+=[0-9.e+-]+s?(;[0-9]*){0,3}"
    if re.fullmatch(rf"RNNCHECK (OK|WARNING|CRITICAL|UNKNOWN): [^|\n\r]* \| {number}( {number})*\n", text.decode()):
        return []
    return [text.decode()[:200]]


def negate_says(text, code):
    """The monitoring plugins' own wrapper, told to make OK of this state."""
    state = ("OK", "WARNING", "CRITICAL", "UNKNOWN")[code]
    with open("/dev/null") as nothing, (work / "nagios.txt").open("wb") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([NEGATE, "-s", f"--{state.lower()}=OK", "/bin/sh", "-c", f"cat '{file.name}'; exit {code}"], stdin=nothing,
                              capture_output=True, check=False)
    return done.returncode == 0 and done.stdout.startswith(b"RNNCHECK OK: ")


def check_html(text, findings, checks):
    wrong, tags = complaints_of_markup(text.decode(), {
        "html", "head", "meta", "style", "title", "body", "main", "h1", "h2", "h3", "p", "span", "strong", "table", "tbody", "tr", "th", "td", "br",
        "article", "pre", "code", "a", "dl", "dt", "dd", "details", "summary", "figure", "figcaption", "svg", "g", "rect", "circle", "path", "text"})
    if tags.seen.count("article") != findings:
        wrong.append(f"{tags.seen.count('article')} findings")
    if re.search(rb"url\(|@import", text):
        wrong.append("something is loaded")
    return wrong


def check_text(text, findings, checks):
    return [] if text.isascii() or text.decode() else []


BROKEN = {
    "json": [b'{"findings": [], "verdicts": []', b'{"findings": [], "verdicts": [], "x": NaN}x'],
    "markdown": [b"## a\n\n### b\n<script>x</script>\n", b"## a\n\n### b\n\n<details>\n", b"## a\n\n### b\n" + b"x" * 60_000, b"## a\n\n### b\n@octocat\n"],
    "junit": [b"<testsuite", b'<testsuite name="x" tests="2" failures="0" errors="0" skipped="0"><testcase classname="a" name="b"/><testcase classname="a" name="c" mood="good"/></testsuite>',
              b'<testsuite name="x" tests="2" failures="1" errors="0" skipped="0"><testcase classname="a" name="b"/><testcase classname="a" name="c"/></testsuite>'],
    "prometheus": [b'rnncheck_finding{gpu="0} 1\n', b'rnncheck_finding{gpu="a\nb"} 1\n'],
    "github": [b"::error title=x::a\nb\n", b"::error title=a:b::c\n::error title=x::y\n"],
    "nagios": [b"RNNCHECK FINE: x | a=1\n", b"RNNCHECK OK: a | b | a=1\n", b"RNNCHECK OK: a\n | a=1\n"],
    "html": [b"<html><article></p></article></html>", b"<html><article></article><script></script></html>", b'<html><article></article><p onclick="x">a</p></html>'],
    "text": [],
}

mode = sys.argv[1]
if mode == "samples":
    write_samples(sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]))
    sys.exit(check.close())
try:
    if mode == "junit":
        import lxml.etree
        junit_schema = lxml.etree.XMLSchema(lxml.etree.parse(here / "junit-10.xsd"))
    if mode == "markdown":
        import markdown_it
        markdown = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table")
    if mode == "nagios" and not pathlib.Path(NEGATE).exists():
        raise ImportError(f"{NEGATE} (package monitoring-plugins-basic)")
    if mode == "prometheus" and not shutil.which("promtool"):
        raise ImportError("promtool (package prometheus)")
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

test_report, work = sys.argv[2], pathlib.Path(sys.argv[3])
count, seed = int(sys.argv[4]) if len(sys.argv) > 4 else 250, int(sys.argv[5]) if len(sys.argv) > 5 else 1
complaints = globals()["check_" + mode]
samples = sorted(work.glob("*." + mode))
check.that(len(samples) >= 8, f"{len(samples)} samples")
for path in samples:
    document = json.loads(path.with_suffix(".json").read_text())
    wrong = complaints(path.read_bytes(), len(document["findings"]), len(document["verdicts"]))
    check.that(not wrong, f"{path.name}: {wrong[:3]}")
    if mode == "nagios":
        state = ["healthy", "warnings", "problems", "undetermined"].index(document["verdict"])
        check.that(negate_says(path.read_bytes(), state), f"{path.name}: negate does not read it")
        check.that(not negate_says(b"RNNCHECK FINE: x\n", state), "negate takes a broken sample")
    if mode == "prometheus":
        code, said = promtool_says(path.read_bytes())
        check.that(code == 0 and not said.strip(), f"{path.name}: promtool says {said}")
if mode == "prometheus":
    check.that(promtool_says(b'rnncheck_finding{gpu="0} 1\n')[0] != 0, "promtool takes a broken sample")
for broken in BROKEN[mode]:
    check.that(complaints(broken, 1, 1), f"a broken sample passes: {broken[:80]}")
longest = 0
for number, (text, findings, checks) in enumerate(hostile_reports(test_report, work, mode, count, seed)):
    longest = max(longest, len(text))
    wrong = complaints(text, findings, checks)
    check.that(not wrong, f"hostile report {number}: {wrong[:3]}")
    if mode == "prometheus" and number % 100 == 0:
        check.that(promtool_says(text)[0] == 0, f"hostile report {number}: promtool says {promtool_says(text)[1]}")
print(f"longest hostile report: {longest} bytes")
sys.exit(check.close())
