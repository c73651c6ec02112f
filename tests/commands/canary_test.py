#!/usr/bin/env python3
"""Nothing private leaves rnncheck: a machine salted with canaries, and every output of every command searched for each of them.

usage: canary_test.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY

A canary is a text as it stands in logs, paths and settings, and the part of it that nobody may see. With --show-private all must be seen: a canary
that no output would show proves nothing.
"""

import html
import json
import pathlib
import random
import re
import shutil
import string
import subprocess
import sys
import urllib.parse

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from doctor import Checks, Run  # noqa: E402
from simulated_machine import SYSTEM, build_root, environment_of  # noqa: E402

program, sim, work = (
    pathlib.Path(sys.argv[1]).resolve(),
    pathlib.Path(sys.argv[2]),
    pathlib.Path(sys.argv[3]).resolve(),
)
check = Checks()
dice = random.Random(20)


def some(alphabet, length):
    return "".join(dice.choice(alphabet) for _ in range(length))


def word(length=9):
    """A name that is no word of any language."""
    return "zq" + some("bcdfghjkmnpqrstvwxz", length - 2)


ALNUM, HEX, UPPER = (
    string.ascii_letters + string.digits,
    "0123456789abcdef",
    string.ascii_uppercase + string.digits,
)
# How the tokens of services look, by gitleaks' rules (https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml).
TOKENS = [
    ("ghp_", ALNUM, 36),
    ("gho_", ALNUM, 36),
    ("ghu_", ALNUM, 36),
    ("ghs_", ALNUM, 36),
    ("ghr_", ALNUM, 36),
    ("github_pat_", ALNUM, 82),
    ("glpat-", ALNUM, 20),
    ("glrt-", ALNUM, 20),
    ("gldt-", ALNUM, 20),
    ("glcbt-a1_", ALNUM, 20),
    ("hf_", string.ascii_letters, 34),
    ("api_org_", string.ascii_letters, 34),
    ("sk-", ALNUM, 48),
    ("sk-proj-", ALNUM, 74),
    ("sk-ant-api03-", ALNUM, 93),
    ("AKIA", UPPER, 16),
    ("ASIA", UPPER, 16),
    ("ABSK", ALNUM, 110),
    ("AIza", ALNUM, 35),
    ("xoxb-", string.digits, 24),
    ("xoxp-", string.digits, 24),
    ("xapp-1-", UPPER, 20),
    ("dapi", HEX, 32),
    ("dop_v1_", HEX, 64),
    ("dp.pt.", ALNUM, 43),
    ("npm_", ALNUM, 36),
    ("pypi-AgEIcHlwaS5vcmc", ALNUM, 60),
    ("rubygems_", HEX, 48),
    ("SG.", ALNUM, 66),
    ("sk_live_", ALNUM, 24),
    ("rk_test_", ALNUM, 24),
    ("SK", HEX, 32),
    ("hvs.", ALNUM, 95),
    ("hvb.", ALNUM, 140),
    ("glsa_", ALNUM, 32),
    ("glc_", ALNUM, 40),
    ("lin_api_", ALNUM, 40),
    ("ntn_12345678901", ALNUM, 35),
    ("PMAK-", HEX, 59),
    ("pul-", HEX, 40),
    ("pnu_", ALNUM, 36),
    ("pplx-", ALNUM, 48),
    ("pscale_tkn_", ALNUM, 40),
    ("rdme_", string.ascii_lowercase + string.digits, 70),
    ("tk-us-", ALNUM, 48),
    ("xkeysib-", HEX, 64),
    ("sntrys_", ALNUM, 60),
    ("sntryu_", HEX, 64),
    ("sm_pat_", ALNUM, 16),
    ("shippo_live_", HEX, 40),
    ("shpat_", HEX, 32),
    ("sgp_", HEX, 40),
    ("sq0atp-", ALNUM, 22),
    ("LTAI", ALNUM, 20),
    ("AKCp", ALNUM, 69),
    ("HRKU-AA", ALNUM, 58),
    ("fo1_", ALNUM, 43),
    ("duffel_live_", ALNUM, 43),
    ("EZAK", ALNUM, 54),
    ("fio-u-", ALNUM, 64),
    ("ico-", ALNUM, 32),
    ("sha256~", ALNUM, 43),
    ("ops_eyJ", ALNUM, 250),
]


def canaries():
    """[(kind, text, [what must not be seen])]"""
    found = []

    def add(kind, text, *secrets):
        found.append((kind, text, list(secrets)))

    for prefix, alphabet, length in TOKENS:
        token = prefix + some(alphabet, length)
        add("token", f"using {token} now", token[len(prefix) :])
    for _ in range(8):
        for text in (
            "/home/{}/data",
            "/Users/{}/data",
            "C:\\Users\\{}\\data",
            "/mnt/c/Users/{}/x",
            "/export/home/{}/lib",
            "/nfs/homes/{}/lib",
            "user={}",
            "uid=1000({})",
            "USERNAME={}",
        ):
            name = word()
            add("user", text.format(name), name)
        for text in (
            "hostname={}",
            'host": "{}"',
            "for host: {}",
            "Nov 21 10:00:01 {} kernel: x",
            "https://{}.corp/simple",
            "http://pypi.{}.example.net/simple",
            "srun: error: {}: task 0",
            "{}:4711:4712 [0] NCCL INFO",
            "on {}.internal now",
            "*** JOB 17 ON {} CANCELLED",
        ):
            name = word()
            add("host", text.format(name), name)
        for text in ("{}@{}.example.net", "{}.x@mail.{}.org", "<{}@{}.co.uk>"):
            names = word(), word()
            add("email", text.format(*names), names[0], names[1])
        names = word(20) + "47", "11" + word(20)
        add("coloured", f"using hf_{names[0]}\x1b[31m{names[1]} now", *names)
        add("quoted", f"password='{names[1]} {names[0]}'", *names)
        add(
            "key",
            f"-----BEGIN PRIVATE KEY-----\\n{names[0]}\\n{names[1]}\\n-----END PRIVATE KEY-----",
            *names,
        )
        name = word().capitalize()
        add("two names", f"/home/Lena {name}/data", name)
        name = "".join(f"%{ord(letter):02X}" for letter in word())
        add("percent", f"file=%2Fhome%2F{name}%2Fdata", name)
        name = word()
        add("shell", f"{name}@{word()}:~/x$", name)
        add("password", f"https://svc:{name}77@pypi.example.org/simple", name + "77")
        for text in (
            "password={}",
            "api_key: {}",
            'SECRET_KEY="{}"',
            "passwd={}",
            "Authorization: Bearer {}",
            "token={}",
            "access_key={}",
        ):
            name = word(20) + "4711"
            add("secret", text.format(name), name)
        octets = f"{dice.randint(20, 250)}.{dice.randint(20, 250)}.{dice.randint(20, 250)}.{dice.randint(20, 250)}"
        for text in ("connect to {} failed", "({})", "tcp://{}:29500", "[{}]"):
            add("ipv4", text.format(octets), octets)
        inner = f"10.{dice.randint(20, 250)}.{dice.randint(20, 250)}.{dice.randint(20, 250)}"
        for text in ("{}:29500", "ip={}", "MASTER_ADDR={}", "tcp://{}", "inet {}/24", "host {}"):
            add("ipv4", text.format(inner), inner)
        for text in (
            f"fe80::{some(HEX[1:], 4)}:{some(HEX[1:], 4)}",
            f"2a01:{some(HEX[1:], 4)}:{some(HEX[1:], 4)}::{some(HEX[1:], 3)}",
            ":".join(some(HEX[1:], 4) for _ in range(8)),
        ):
            add("ipv6", f"[{text}] gone", text)
        mac = ":".join(some(HEX, 2) for _ in range(6))
        add("mac", f"eth0 {mac}", mac)
        mac = "-".join(some(HEX, 2) for _ in range(6))
        add("mac", f"Ethernet {mac}", mac)
        for text in ('SSID="{}"', 'ESSID:"{}"', "ssid={}"):
            name = word()
            add("ssid", text.format(name), name)
        for text in ("Serial Number: {}", "serial={}", "board serial no. {}"):
            number = "13" + some(string.digits, 11)
            add("serial", text.format(number), number)
        uuid = "-".join(some(HEX[1:], length) for length in (8, 4, 4, 4, 12))
        for text in ("GPU-{}", "MIG-{}", "id {}"):
            add("uuid", text.format(uuid), uuid)
        board = f"{some('456789', 4)}:{some(HEX, 4)}"
        add("pci", f"pci 0000:65:00.0: [{board}]", board)
        name = word()
        add("process", f"NVRM: Xid (PCI:0000:01:00): 13, pid=4711, name={name}, x", name)
    return found


def forms(secret):
    """As it may stand in any format."""
    return {
        secret,
        json.dumps(secret)[1:-1],
        html.escape(secret),
        urllib.parse.quote(secret),
        secret.lower(),
    }


salt = canaries()
SECRETS = {secret: kind for kind, _, secrets in salt for secret in secrets}
NEEDLES = {
    form.encode(): (secret, kind) for secret, kind in SECRETS.items() for form in forms(secret)
}
ANY = re.compile(b"|".join(re.escape(needle) for needle in sorted(NEEDLES, key=len, reverse=True)))
outputs, seen = 0, set()


def search(what, data, private=False):
    global outputs
    found = {NEEDLES[match] for match in ANY.findall(data)}
    if private:
        seen.update(secret for secret, _ in found)
        return
    outputs += 1
    check.that(not found, f"{what} shows {sorted(found, key=str)[:6]} ({len(found)})")


def run(what, *arguments, private=None, files=(), **more):
    """Searches all that one command writes; with `private` also a second run that shows it."""
    for show in (False, True) if private else (False,):
        for path in files:
            path.unlink(missing_ok=True)
        done = Run(program, *arguments, *(["--show-private"] if show else []), **more)
        search(f"{what}: standard output", done.out, show)
        search(f"{what}: standard error", done.err.encode(), show)
        for path in files:
            check.that(path.exists(), f"{what}: {path.name} was not written: {done.err[:300]}")
            if path.exists():
                search(f"{what}: {path.name}", path.read_bytes(), show)
    return done


def salted(facts, schema, rest):
    """Every text of the facts that may be any text, with a canary behind it."""
    while "anyOf" in schema:
        schema = next(
            one
            for one in schema["anyOf"]
            if (one.get("type") == "array") == isinstance(facts, list)
        )
    if "properties" in schema and isinstance(facts, dict):
        return {
            name: salted(value, schema["properties"].get(name, {}), rest)
            for name, value in facts.items()
        }
    if isinstance(facts, list):
        return [salted(value, schema.get("items", {}), rest) for value in facts]
    if isinstance(facts, dict):
        return {name: salted(value, {"type": "string"}, rest) for name, value in facts.items()}
    is_text = schema.get("type") == "string" and "enum" not in schema and "pattern" not in schema
    return (
        f"{facts} {rest.pop()[1]}"
        if is_text and rest and schema.get("description") not in OWN
        else facts
    )


OWN = {"id of the probe", "id in the table log_signatures"}
shutil.rmtree(work, ignore_errors=True)
root = work / "root"
build_root({}, root, sim)
environment = environment_of({}, root)
formats = [item["name"] for item in Run(program, "list", "formats", "--json").json()["items"]]
schema = next(one for one in Run(program, "schema").json()["oneOf"] if "facts" in one["title"])
Run(
    program,
    "doctor",
    "-q",
    f"--root={root}",
    f"--save-facts={work}/plain.json",
    environment=environment,
)
plain = json.loads((work / "plain.json").read_text())
plain["probe_runs"][0].update(
    end="crashed", signal="SIGSEGV", last_call="cuInit", output_tail="the end", reason="why"
)

# 1. Facts with a canary in every text, in every format.
log_lines = [
    "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED {}",
    "NVRM: Xid (PCI:0000:01:00): 79 {}",
    "Error: something {}",
]
rest = list(reversed(salt))
batch = 0
while rest:
    facts = json.loads(json.dumps(plain))
    facts["driver"]["xids"] = [{"code": 13, "text": "NVRM: Xid 13"}] * 5
    facts["host"]["environment"].update({f"CUDNN_{i}": "x" for i in range(40)})
    facts["pythons"] = [
        {
            "path": "/x",
            "kind": "venv",
            "found_by": "PATH",
            "active": True,
            "package_directories": ["/x"],
            "skipped": ["x"] * 5,
            "packages": [
                {
                    "name": "torch",
                    "version": "2.4.1",
                    "directory": "/x",
                    "missing_files": ["a"] * 5,
                    "changed_files": ["b"] * 5,
                }
            ],
        }
    ]
    facts["log"] = {
        "files": ["train.log"],
        "lines": 9,
        "registered_devices": ["d"] * 9,
        "first_error_line": 3,
        "first_error": "e",
        "user_hints": [],
        "events": [
            {
                "signature": "error_word",
                "kind": "unknown",
                "file": "f",
                "line": n,
                "text": "Error:",
                "count": 1,
                "captures": [{"name": "c", "value": "v"}],
            }
            for n in range(1, 9)
        ],
    }
    facts = salted(facts, schema, rest)
    path = work / "salted.json"
    path.write_text(json.dumps(facts))
    batch += 1
    first = batch == 1
    for name in formats:
        run(
            f"doctor of salted facts {batch} as {name}",
            "doctor",
            "--facts",
            path,
            "--format",
            name,
            *(["-v"] if first else []),
            private=name == "json",
        )
    if first:
        files = [work / f"out.{name}" for name in formats]
        run(
            "doctor --output",
            "doctor",
            "--facts",
            path,
            "--save-facts",
            work / "saved.json",
            *(f"--output={name}={file}" for name, file in zip(formats, files)),
            files=[*files, work / "saved.json"],
        )
    for name in formats if first else ["json"]:
        run(
            f"diff of salted facts {batch} as {name}",
            "diff",
            path,
            work / "plain.json",
            "--format",
            name,
            *(["-v"] if first else []),
        )
        for command in ("merge", "show salted", "diff"):
            run(
                f"fleet {command} of salted facts {batch} as {name}",
                "fleet",
                *command.split(),
                path,
                work / "plain.json",
                "--format",
                name,
            )
print(f"{batch} batches of facts")

# 2. Logs, alone and with the machine.
log = work / "train.log"
log.write_text(
    "\n".join(log_lines[n % len(log_lines)].format(text) for n, (_, text, _) in enumerate(salt))
)
for name in formats:
    run(f"diagnose as {name}", "diagnose", log, "--format", name, "-v")
    run(
        f"doctor --log as {name}",
        "doctor",
        "--facts",
        work / "plain.json",
        "--log",
        log,
        "--format",
        name,
        "-v",
    )

# 3. A machine whose names are canaries: host, user, home directory, library path, process environment.
user, host = word(), word()
for secret in (user, host):
    NEEDLES[secret.encode()] = (secret, "machine")
    SECRETS[secret] = "machine"
ANY = re.compile(b"|".join(re.escape(needle) for needle in sorted(NEEDLES, key=len, reverse=True)))
home = work / "home" / user
machine = home / "machine"
build_root({}, machine, sim)
named = {
    **environment_of({"sim": "cudnnRNNForward=gates_swapped"}, machine),
    "HOME": str(home),
    "USER": user,
    "LOGNAME": user,
    "HOSTNAME": host,
    "PATH": "/usr/bin:/bin",
}
in_namespace = ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', host]
has_namespace = (
    subprocess.run([*in_namespace, "true"], capture_output=True, check=False).returncode == 0
)


def here_run(what, *arguments, files=(), code=None):
    command = [*(in_namespace if has_namespace else []), str(program), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, check=False, env=named, cwd=home, timeout=120
    )
    search(f"{what}: standard output", done.stdout)
    search(f"{what}: standard error", done.stderr)
    for path in files:
        check.that(path.exists(), f"{what}: {path} was not written: {done.stderr[:300]}")
        if path.exists():
            search(f"{what}: {path.name}", path.read_bytes())
    check.that(
        code is None or done.returncode == code,
        f"{what}: exit code {done.returncode}: {done.stderr[:300]}",
    )


for name in formats:
    here_run(
        f"doctor of the named machine as {name}", "doctor", f"--root={machine}", "--format", name
    )
here_run(
    "lstm",
    "lstm",
    f"--root={machine}",
    "--json",
    "--save",
    home / "run.json",
    "--svg",
    home / "cases.svg",
    "--emit-repro",
    home / "repro.cpp",
    files=[home / "run.json", home / "cases.svg", home / "repro.cpp"],
)
here_run("lstm --resume", "lstm", f"--root={machine}", "--resume", home / "run.json", "-v")
outputs_of_all = [home / f"all.{name}" for name in formats]
here_run(
    "doctor --output of the named machine",
    "doctor",
    f"--root={machine}",
    *(f"--output={name}={file}" for name, file in zip(formats, outputs_of_all)),
    files=outputs_of_all,
)
here_run("report", "report", f"--root={machine}", log)
here_run("diff with this machine", "diff", home / "run.json", f"--root={machine}")
shutil.copy(here.parent / "models" / "files" / "keras3" / "nested.keras", home / "nested.keras")
for name in formats:
    here_run(f"model as {name}", "model", home / "nested.keras", "-v", "--format", name, code=0)
    here_run(
        f"diff of two reports as {name}",
        "diff",
        home / "run.json",
        home / "all.json",
        "--format",
        name,
    )
    here_run(f"fleet as {name}", "fleet", "merge", home / "all.json", "--format", name)
here_run("matrix check", "matrix", "check", "cudnn=9.1", f"os={home}", "-v")
here_run("help", "help", "environment")
here_run("which", "which", machine / SYSTEM[1:] / "libcudnn.so.9")
here_run("which --json", "which", machine / SYSTEM[1:] / "libcudnn.so.9", "--json")
here_run("exec", "exec", "--look-only", "-v", "--", home / "nothing.sh")
here_run("exec of a machine", "exec", "--look-only", "--", "true")
here_run("selftest", "selftest", "--json")
shutil.copytree(here.parents[1] / "compat_matrix", home / "tables", dirs_exist_ok=True)
(home / "tables" / "driver_for_cuda.json").write_text("[]")
for command in (
    ["matrix", "verify"],
    ["matrix", "show", "--matrix"],
    ["doctor", "--look-only", "--matrix"],
):
    here_run(" ".join(command), *command, home / "tables")
for what in (
    ["doctor", "--facts"],
    ["diagnose"],
    ["diff"],
    ["lstm", "--resume"],
    ["doctor", "--python"],
    ["which"],
    ["doctor", "--root"],
    ["lstm", "--from-log"],
    ["doctor", "--nonsense"],
    ["matrix", "check"],
    ["model"],
    ["report"],
    ["explain"],
    ["doctor", "--only"],
):
    here_run(f"error of {' '.join(what)}", *what, f"{home}/missing", code=2)
    here_run(f"error of {' '.join(what)} as JSON", *what, f"{home}/missing", "--json", code=2)
here_run(
    "a file that cannot be written",
    "doctor",
    "--look-only",
    "--output",
    f"json={home}/missing/x.json",
)
here_run("a file of another format", "doctor", "--facts", home / "repro.cpp")

# 4. All canaries are seen where that is wanted, and are many.
missed = [secret for secret in SECRETS if secret not in seen and SECRETS[secret] != "machine"]
check.that(not missed, f"--show-private does not show {missed[:5]} ({len(missed)})")
check.that(len(salt) > 300, f"only {len(salt)} canaries")
print(f"{len(SECRETS)} canaries of {len(set(SECRETS.values()))} kinds, {outputs} outputs searched")
sys.exit(check.close())
