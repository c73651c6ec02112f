#!/usr/bin/env python3
"""Each recipe of packaging/ does what it promises on a machine that is healthy, damaged or undetermined.

usage: recipes_test.py RNNCHECK SIM_DIRECTORY PACKAGING_DIRECTORY WORK_DIRECTORY TEST     exits 77 where a tool is missing
"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import zipfile

from machine import DAMAGED, Machine  # noqa: I001
from doctor import Checks

program, sim, packaging, work = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
name = sys.argv[5]
check = Checks()


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            print(f"SKIPPED: {tool} is not installed")
            sys.exit(77)


def need_full():
    if os.environ.get("RNNCHECK_CI_FULL") != "1":
        print("SKIPPED: takes a minute; RNNCHECK_CI_FULL=1 runs it")
        sys.exit(77)


def run(*command, **options):
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, **options
    )


def expect(what, done, code, text=""):
    check.that(
        done.returncode == code and text in done.stdout + done.stderr,
        f"{what}: exit code {done.returncode}, expected {code} and '{text}'; {done.stdout[-1500:]} {done.stderr[-1500:]}",
    )


def accepts(*command, file, broken):
    """The checker accepts the file, and rejects it with (old, new) in it."""
    need(command[0])
    expect(f"{command[0]} {file.name}", run(*command, file), 0)
    wrong = work / "broken" / file.name
    wrong.parent.mkdir(parents=True, exist_ok=True)
    wrong.write_text(file.read_text().replace(*broken))
    check.that(
        run(*command, wrong).returncode != 0, f"{command[0]} accepts {file.name} with {broken}"
    )


def block_of(path, key, number=0):
    """The text of the number-th block `key |` in a YAML file."""
    lines = path.read_text().splitlines()
    start = [i for i, line in enumerate(lines) if line.strip() == f"{key} |"][number] + 1
    indent = len(lines[start]) - len(lines[start].lstrip())
    taken = []
    for line in lines[start:]:
        if line.strip() and not line.startswith(" " * indent):
            break
        taken.append(line[indent:])
    return "\n".join(taken)


def by_verdict(run_recipe, what, codes, calls=None):
    """codes: exit code for what the machine's next checks find; calls: how many checks that takes."""
    for modes, code in codes.items():
        machine.finds(modes)
        done = run_recipe()
        expect(f"{what}, {modes}", done, code)
        if calls:
            check.that(len(machine.calls()) == calls[modes], f"{what}, {modes}: {machine.calls()}")
        if modes == "damaged" and code:
            check.that(
                "damaged" in done.stdout + done.stderr,
                f"{what} does not show the problem: {done.stdout} {done.stderr}",
            )


TWICE = {
    "healthy": 0,
    "damaged": 1,
    "damaged healthy": 0,
    "damaged undetermined": 0,
    "undetermined": 0,
}
TWICE_CALLS = {
    "healthy": 1,
    "damaged": 2,
    "damaged healthy": 2,
    "damaged undetermined": 2,
    "undetermined": 1,
}


def test_shell():
    need("shellcheck")
    files = [
        path
        for path in packaging.rglob("*")
        if path.is_file()
        and re.match(r"#!/bin/(ba)?sh|# shellcheck", path.read_text(errors="replace")[:30])
    ]
    check.that(len(files) >= 4, f"only {files} are shell scripts")
    expect("shellcheck", run("shellcheck", *files), 0)


def slurm(tool, node_line, modes):
    """Runs the health check once for each mode, with what `scontrol show node` prints; returns the changes made."""
    log = work / "scontrol.log"
    log.write_text("")
    machine.write(
        machine.bin / "scontrol",
        f'#!/bin/sh\nif [ "$1" = update ]; then echo "$*" >>{log}; else echo "{node_line}"; fi\n',
    )
    for mode in modes.split():
        machine.finds(mode)
        expect(f"Slurm, {mode}", run(tool, env={"SLURMD_NODENAME": "n1"}), 0)
        check.that(
            len(machine.calls()) == 1,
            f"Slurm: more than one check for one verdict: {machine.calls()}",
        )
    return log.read_text().splitlines()


def slurm_unchecked(tool, idle):
    """What could not be checked stands in the node's comment, and is gone after the next check that decides."""
    begin = "update NodeName=n1 Comment=rnncheck: undetermined: "
    made = slurm(tool, idle, "undetermined")
    check.that(
        len(made) == 1 and made[0].startswith(begin) and len(made[0]) > len(begin),
        f"undetermined: {made}",
    )
    commented = f"{idle} Comment={made[0].partition('Comment=')[2]}"
    check.that(slurm(tool, commented, "undetermined") == [], "the same comment is written again")
    check.that(
        slurm(tool, commented, "healthy") == ["update NodeName=n1 Comment="],
        "the comment stays after the repair",
    )
    check.that(
        slurm(tool, f"{idle} Comment=new fan", "undetermined healthy") == [],
        "another's comment is changed",
    )
    slurm(tool, idle, "healthy")
    hidden = machine.bin / "rnncheck.hidden"
    (machine.bin / "rnncheck").rename(hidden)
    try:
        done = run(tool, env={"SLURMD_NODENAME": "n1"})
        job = run(tool, env={"SLURMD_NODENAME": "n1", "SLURM_JOB_ID": "7", "SLURM_JOB_GPUS": "0"})
    finally:
        hidden.rename(machine.bin / "rnncheck")
    made = (work / "scontrol.log").read_text().splitlines()
    check.that(
        done.returncode == 0
        and "is missing" in done.stderr
        and len(made) == 1
        and "is missing" in made[0],
        f"no rnncheck: {done.returncode}, {done.stderr}, {made}",
    )
    check.that(
        job.returncode == 0 and "before job 7" in job.stderr, f"prolog without rnncheck: {job}"
    )


def slurm_dry_run(tool, idle, drained, gpu_job):
    """Nothing is changed; what would be is in the log."""
    shutil.rmtree(work / "state", ignore_errors=True)
    dry = {"RNNCHECK_DRY_RUN": "1", "SLURMD_NODENAME": "n1"}
    slurm(tool, idle, "healthy")
    machine.finds("damaged")
    run(tool, env=dry)
    done, prolog = run(tool, env=dry), run(tool, env={**dry, **gpu_job})
    for what, tried in (("health check", done), ("prolog", prolog)):
        check.that(
            tried.returncode == 0
            and "dry run: scontrol update NodeName=n1 State=DRAIN" in tried.stderr,
            f"dry run, {what}: {tried.returncode}, {tried.stderr}",
        )
    check.that((work / "scontrol.log").read_text() == "", "a dry run changes the node")
    shutil.rmtree(work / "state", ignore_errors=True)


def test_slurm():
    tool = machine.installed(
        packaging / "slurm" / "rnncheck-node", {"PATH=": f"PATH={machine.bin}:"}
    )
    idle = "NodeName=n1 Arch=x86_64 Gres=gpu:h100:1 OS=Linux State=IDLE Reason=none"
    drained = "NodeName=n1 Gres=gpu:1 State=IDLE+DRAIN Reason=rnncheck: some_rule: text [root@2026-11-23T10:00:00]"
    drain = f"update NodeName=n1 State=DRAIN Reason=rnncheck: {DAMAGED}: nothing was run on a GPU: A cuDNN library is damaged or cannot be read"
    resume = "update NodeName=n1 State=RESUME"
    for line, modes, changes in (
        (idle, "damaged damaged", [drain]),
        (idle, "damaged", []),
        (idle, "damaged healthy damaged", []),
        (idle, "undetermined undetermined", []),
        (idle, "damaged undetermined damaged", []),
        (idle, "healthy healthy", []),
        (drained, "healthy healthy", [resume]),
        (drained, "healthy", []),
        (drained, "undetermined undetermined", []),
        (drained, "damaged damaged", []),
        (drained.replace("IDLE+DRAIN", "DOWN+DRAIN"), "healthy healthy", []),
        (drained.replace("rnncheck:", "fan broken, see rnncheck:"), "healthy healthy", []),
        (idle.replace("gpu:h100:1", "(null)"), "damaged damaged", []),
    ):
        shutil.rmtree(work / "state", ignore_errors=True)
        made = [change for change in slurm(tool, line, modes) if "Comment=" not in change]
        check.that(made == changes, f"Slurm, {line}, {modes}: {made}, expected {changes}")
    gpu_job = {"SLURMD_NODENAME": "n1", "SLURM_JOB_ID": "7", "SLURM_JOB_GPUS": "0"}
    for modes, code in TWICE.items():
        slurm(tool, idle, "healthy")
        machine.finds(modes)
        expect(f"prolog, {modes}", run(tool, env=gpu_job), code)
        check.that(
            len(machine.calls()) == TWICE_CALLS[modes], f"prolog, {modes}: {machine.calls()}"
        )
        check.that(
            (work / "scontrol.log").read_text().splitlines() == ([drain] if code else []),
            f"prolog, {modes}",
        )
        if code:
            check.that(
                slurm(tool, drained, "healthy") == [],
                "one health check resumes the node that the prolog drained",
            )
            check.that(
                slurm(tool, drained, "healthy") == [resume],
                "the second health check does not resume the node that the prolog drained",
            )
    slurm_unchecked(tool, idle)
    slurm_dry_run(tool, idle, drained, gpu_job)
    machine.finds("damaged")
    expect(
        "prolog of a job without a GPU",
        run(tool, env={"SLURMD_NODENAME": "n1", "SLURM_JOB_ID": "7"}),
        0,
    )
    check.that(not machine.calls(), "the prolog checks the node of a job without a GPU")


def test_kubernetes():
    plugin = machine.installed(packaging / "kubernetes" / "rnncheck-npd")
    by_verdict(
        lambda: run(plugin, env={}),
        "node-problem-detector",
        {**TWICE, "undetermined": 3, "damaged undetermined": 3},
        TWICE_CALLS,
    )
    config = json.loads((packaging / "kubernetes" / "rnncheck-npd.json").read_text())
    settings, rule = config["pluginConfig"], config["rules"][0]
    check.that(
        config["plugin"] == "custom"
        and rule["type"] == "permanent"
        and rule["condition"] == config["conditions"][0]["type"]
        and pathlib.Path(rule["path"]).name == plugin.name,
        f"node-problem-detector would reject {config}",
    )
    deadline = 2 * int(re.search(r"--deadline (\d+)", plugin.read_text())[1])
    check.that(
        deadline < int(settings["timeout"].removesuffix("s")),
        f"two checks take {deadline} s, node-problem-detector allows {settings}",
    )
    gate = block_of(packaging / "kubernetes" / "gate.yaml", "-").replace(
        "/rnncheck/rnncheck", str(machine.program)
    )
    by_verdict(lambda: run("sh", "-c", gate), "gate", TWICE, TWICE_CALLS)


def test_kubernetes_run():
    """The container's command, without Kubernetes: the report is in the file of the termination message."""
    text = (packaging / "kubernetes" / "run.yaml").read_text()
    command = re.search(r"command: \[(/rnncheck/rnncheck.*)\]", text)[1].split(", ")
    message = work / "termination-log"
    command = [
        word.replace("/rnncheck/rnncheck", program).replace("/dev/termination-log", str(message))
        for word in command
    ]
    program_and_options, failing = (
        command[: command.index("--") + 1],
        ["sh", "-c", "echo 'AssertionError: Torch not compiled with CUDA enabled' >&2; exit 3"],
    )
    expect("run.yaml", run(*program_and_options, *failing), 3, "CPU-only build")
    check.that(
        "cpu_only_build" in message.read_text(),
        f"the termination message lacks the cause: {message.read_text()[:300]}",
    )


def test_slurm_run():
    """The job's script with an srun that runs two tasks: each writes its report."""
    machine.write(
        work / "job_bin" / "srun",
        '#!/bin/sh\nfor SLURM_PROCID in 0 1; do export SLURM_PROCID; "$@"; done\n',
    )
    directory = work / "job"
    directory.mkdir(parents=True, exist_ok=True)
    variables = {
        "PATH": f"{work / 'job_bin'}:{pathlib.Path(program).parent}:{os.environ['PATH']}",
        "SLURM_JOB_ID": "7",
        "SLURMD_NODENAME": "n1",
    }
    done = run(
        "bash",
        packaging / "slurm" / "train.sbatch",
        "sh",
        "-c",
        'echo "RuntimeError: No CUDA GPUs are available, $0" >&2; exit 3',
        "two words",
        cwd=directory,
        env=variables,
    )
    expect("train.sbatch", done, 3, "No CUDA GPUs are available, two words")
    for task in (0, 1):
        page = directory / f"report-7-{task}.md"
        check.that(
            page.exists() and "no_gpu_visible" in page.read_text(),
            f"task {task} has no report: {list(directory.iterdir())}",
        )


def test_pytest():
    python = "/usr/bin/python3"
    if run(python, "-c", "import pytest").returncode:
        print("SKIPPED: pytest is not installed for /usr/bin/python3")
        sys.exit(77)
    directory = work / "pytest"
    directory.mkdir(parents=True, exist_ok=True)
    shutil.copy(packaging / "pytest" / "conftest.py", directory)
    (directory / "test_model.py").write_text(
        "def test_gpu():\n    raise AssertionError('Torch not compiled with CUDA enabled')\n\n\n"
        "def test_sum():\n    assert 1 + 1 == 3\n\n\ndef test_passes():\n    print('CUDA error: out of memory')\n"
    )
    variables = {
        **os.environ,
        "PATH": f"{pathlib.Path(program).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(packaging / "python"),
    }
    done = run(python, "-B", "-m", "pytest", "-p", "no:cacheprovider", directory, env=variables)
    expect("pytest", done, 1, "cpu_only_build")
    check.that("2 failed, 1 passed" in done.stdout, f"pytest: {done.stdout}")
    check.that("out of memory" not in done.stdout, "pytest explains a test that passed")


def test_kubernetes_schema():
    for file in ("job.yaml", "gate.yaml", "run.yaml"):
        accepts(
            "kubernetes-validate",
            "--strict",
            file=packaging / "kubernetes" / file,
            broken=("restartPolicy:", "restartPolicies:"),
        )


BASH = [
    "bash",
    "--noprofile",
    "--norc",
    "-eo",
    "pipefail",
    "-c",
]  # as GitHub and GitLab run a script


def test_github():
    machine.write(work / "rnncheck" / "bin" / "rnncheck", machine.program.read_text())
    summary = work / "summary.md"
    script = block_of(packaging / "github" / "action.yml", "run:", 1)
    variables = machine.environment(
        RUNNER_TEMP=str(work),
        GITHUB_STEP_SUMMARY=str(summary),
        OPTIONS="--no-run --ignore $(touch oops)",
    )
    check.that("${{" not in script, "an input is pasted into the script")
    expect("hostile options", run(*BASH, script, env=variables, cwd=work), 2)
    check.that(not (work / "oops").exists(), "the action runs its options as a command")
    variables["OPTIONS"] = "--deadline 60"
    summary.write_text("# Before\n")
    by_verdict(
        lambda: run(*BASH, script, env=variables),
        "the action",
        {"healthy": 0, "damaged": 1, "undetermined": 3},
    )
    machine.finds("damaged")
    expect("annotation", run(*BASH, script, env=variables), 1, f"\n::error title={DAMAGED}::")
    text = summary.read_text()
    check.that(
        text.startswith("# Before\n")
        and text.count(DAMAGED) >= 2
        and "recurrent networks work" in text,
        f"job summary: {text[:500]}",
    )


def test_gitlab():
    template = packaging / "gitlab" / "rnncheck.yml"
    machine.write(work / ".rnncheck" / "bin" / "rnncheck", machine.program.read_text())
    variables = machine.environment(CI_PROJECT_DIR=str(work), RNNCHECK_OPTIONS="--deadline 60")
    by_verdict(
        lambda: run(*BASH, block_of(template, "-", 1), env=variables, cwd=work),
        "the template",
        {"healthy": 0, "undetermined": 3, "damaged": 1},
    )
    paths = re.findall(r"(?:paths: \[|junit: )([\w.]+)", template.read_text())
    check.that(
        len(paths) == 2 and all(DAMAGED in (work / path).read_text() for path in paths),
        f"artifacts {paths}",
    )
    expect(
        "no package",
        run(*BASH, block_of(template, "-"), env=variables, cwd=work),
        1,
        "set it to the path of a wheel",
    )


def test_ci_install():
    """Both install a wheel with the machine's program, which is named as in their examples: pip rejects other names."""
    need_full()
    example = re.search(
        r"PACKAGE: (dist/\S+\.whl)", (packaging / "gitlab" / "rnncheck.yml").read_text()
    )[1]
    check.that(
        f"package: {example}}}" in (packaging.parent / "docs" / "deploy.md").read_text(),
        f"docs/deploy.md names another wheel than {example}",
    )
    wheel = work / pathlib.Path(example).name.replace("x86_64", platform.machine())
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(machine.program, "rnncheck-0.1.0.data/scripts/rnncheck")
        archive.writestr(
            "rnncheck-0.1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: rnncheck\nVersion: 0.1.0\n",
        )
        archive.writestr(
            "rnncheck-0.1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n",
        )
        archive.writestr("rnncheck-0.1.0.dist-info/RECORD", "")
    variables = machine.environment(
        RUNNER_TEMP=str(work),
        CI_PROJECT_DIR=str(work),
        PACKAGE=str(wheel),
        RNNCHECK_PACKAGE=str(wheel),
    )
    for file, key, place in (
        ("github/action.yml", "run:", "rnncheck"),
        ("gitlab/rnncheck.yml", "-", ".rnncheck"),
    ):
        expect(file, run(*BASH, block_of(packaging / file, key), env=variables), 0)
        expect(
            file,
            run(work / place / "bin" / "rnncheck", "doctor", "-q"),
            0,
            "recurrent networks work",
        )


def test_ci_schema():
    accepts(
        "check-jsonschema",
        "--builtin-schema",
        "vendor.github-actions",
        file=packaging / "github" / "action.yml",
        broken=("using:", "use:"),
    )
    template = machine.installed(
        packaging / "gitlab" / "rnncheck.yml", {".rnncheck:": "rnncheck:"}
    )  # anything is valid in a hidden job
    accepts(
        "check-jsonschema",
        "--builtin-schema",
        "vendor.gitlab-ci",
        file=template,
        broken=("when: always", "when: ever"),
    )


def test_pre_commit():
    entry = re.search(
        r"entry: (.*)", (packaging / "pre-commit" / ".pre-commit-config.yaml").read_text()
    )[1]
    command = entry.replace("/usr/bin/rnncheck", str(machine.program))
    by_verdict(
        lambda: run("sh", "-c", command),
        "the hook",
        {"healthy": 0, "damaged": 1, "undetermined": 0},
    )


def test_pre_commit_run():
    need("pre-commit", "git")
    machine.installed(packaging / "pre-commit" / ".pre-commit-config.yaml")
    repository = work / "pre-commit"
    variables = {**os.environ, "HOME": str(work), "GIT_CONFIG_GLOBAL": "/dev/null"}
    run("git", "init", "--quiet", repository, env=variables)
    run("git", "add", "-A", cwd=repository, env=variables)
    by_verdict(
        lambda: run(
            "pre-commit",
            "run",
            "--all-files",
            "--hook-stage",
            "pre-push",
            cwd=repository,
            env=variables,
        ),
        "pre-commit",
        {"healthy": 0, "damaged": 1, "undetermined": 0},
    )


def test_systemd():
    service = (packaging / "systemd" / "rnncheck.service").read_text()
    command = re.search(r"ExecStart=(.*)", service)[1].replace(
        "/usr/bin/rnncheck", str(machine.program)
    )
    metrics = re.search(r"prometheus=(\S+)", command)[1]
    check.that(metrics.endswith(".prom"), f"node_exporter does not read {metrics}")
    accepted = {0, *map(int, re.search(r"SuccessExitStatus=(.*)", service)[1].split())}
    for mode, verdict in (
        ("healthy", "healthy"),
        ("damaged", "problems"),
        ("undetermined", "undetermined"),
    ):
        machine.finds(mode)
        code = run(
            *command.replace(metrics, str(work / "rnncheck.prom")).split(), env={}
        ).returncode
        text = (work / "rnncheck.prom").read_text()
        check.that(
            code in accepted and f'rnncheck_verdict{{verdict="{verdict}"}} 1' in text,
            f"systemd, {mode}: {code}: {text}",
        )
    check.that(
        run(*command.replace(metrics, "/nonexistent/x.prom").split(), env={}).returncode
        not in accepted,
        "the unit succeeds without metrics",
    )


def test_systemd_verify():
    need("systemd-analyze")
    machine.installed(packaging / "systemd" / "rnncheck.service")
    timer = machine.installed(packaging / "systemd" / "rnncheck.timer")
    for unit in (timer, timer.with_suffix(".service")):
        done = run("systemd-analyze", "verify", "--man=no", unit)
        check.that(
            done.returncode == 0
            and "rnncheck" not in done.stderr.replace(str(machine.program), ""),
            f"{unit.name}: {done.stderr}",
        )
    timer.write_text(timer.read_text().replace("OnUnitActiveSec", "OnUnitActive"))
    check.that(
        "OnUnitActive" in run("systemd-analyze", "verify", "--man=no", timer).stderr,
        "systemd-analyze accepts anything",
    )


def test_docker():
    line = re.search(
        r"^HEALTHCHECK (.*) CMD (.*)$", (packaging / "docker" / "Dockerfile").read_text(), re.M
    )
    check.that("--retries=2" in line[1], "one check makes the container unhealthy")
    by_verdict(
        lambda: run("/bin/sh", "-c", line[2], env=machine.environment()),
        "HEALTHCHECK",
        {"healthy": 0, "damaged": 1, "undetermined": 0},
    )


def test_nhc():
    function = machine.installed(packaging / "nhc" / "rnncheck.nhc")
    stubs = 'die() { echo "DIED $*"; exit "$1"; }; dbg() { echo "$*" >&2; }; '
    by_verdict(
        lambda: run("bash", "-c", f". {function}; {stubs} check_rnncheck --skip gpu_throttled"),
        "NHC",
        TWICE,
        TWICE_CALLS,
    )
    check.that(
        "--skip gpu_throttled" in machine.calls()[0],
        "check_rnncheck does not pass its arguments on",
    )
    machine.finds("damaged")
    expect(
        "NHC",
        run("bash", "-c", f". {function}; {stubs} check_rnncheck"),
        1,
        "DIED 1 check_rnncheck: ",
    )


def nagios_command():
    line = re.search(r"command_line\s+(.*)", (packaging / "nagios" / "rnncheck.cfg").read_text())[1]
    icinga = re.search(
        r"command = \[ (.*) \]", (packaging / "nagios" / "icinga2.conf").read_text()
    )[1]
    check.that(
        line.split() == re.findall(r'"([^"]*)"', icinga), "Nagios and Icinga run different commands"
    )
    return line.replace("/usr/bin/rnncheck", str(machine.program))


def test_nagios():
    by_verdict(
        lambda: run("sh", "-c", nagios_command()),
        "Nagios",
        {"healthy": 0, "damaged": 2, "undetermined": 3},
    )


def test_nagios_negate():
    os.environ["PATH"] += ":/usr/lib/nagios/plugins"
    need("negate")
    for modes, code in (("healthy", 2), ("damaged", 0), ("undetermined", 3)):
        machine.finds(modes)
        expect(
            f"negate, {modes}",
            run("negate", "--substitute", *nagios_command().split()),
            code,
            "RNNCHECK ",
        )


def test_ansible():
    need_full()
    need("ansible-playbook")
    role = work / "roles" / "rnncheck"
    shutil.copytree(packaging / "ansible" / "rnncheck", role)
    reports = work / "reports"
    play = work / "play.yml"
    play.write_text(f"""---
- hosts: all
  gather_facts: false
  roles:
    - role: rnncheck
      vars:
        rnncheck_source: {machine.program}
        rnncheck_path: {work}/installed/rnncheck
        rnncheck_reports: {reports}
""")
    (work / "installed").mkdir()

    def play_it():
        return run(
            "ansible-playbook",
            "-i",
            "gpu001,",
            "-c",
            "local",
            "-e",
            f"ansible_python_interpreter={sys.executable}",
            play,
            env={**os.environ, "HOME": str(work), "ANSIBLE_NOCOWS": "1"},
        )

    for modes, code, verdict in (
        ("healthy", 0, "healthy"),
        ("damaged", 2, "problems"),
        ("damaged healthy", 0, "healthy"),
        ("undetermined", 0, "undetermined"),
    ):
        machine.finds(modes)
        (reports / "gpu001.json").unlink(missing_ok=True)
        expect(f"Ansible, {modes}", play_it(), code, DAMAGED if code else "")
        report = json.loads((reports / "gpu001.json").read_text())
        check.that(
            report["verdict"] == verdict and report["labels"] == {"node": "gpu001"},
            f"Ansible, {modes}: {report['verdict']} {report['labels']}",
        )
    machine.finds("healthy")
    expect("Ansible, run again", play_it(), 0, "changed=0")


def test_ansible_lint():
    need_full()
    need("ansible-lint")
    role = work / "ansible" / "rnncheck"
    shutil.copytree(packaging / "ansible" / "rnncheck", role)
    command = ["ansible-lint", "--offline", "--strict", "--profile", "production", str(role)]
    expect("ansible-lint", run(*command, cwd=work / "ansible"), 0)
    tasks = role / "tasks" / "main.yml"
    tasks.write_text(tasks.read_text().replace('mode: "0755"', "mode: 755", 1))
    check.that(run(*command, cwd=work / "ansible").returncode != 0, "ansible-lint accepts anything")


work = work / name
machine = Machine(program, sim, work)
os.chdir(work)  # what a recipe writes to its own directory stays there
globals()[f"test_{name}"]()
sys.exit(check.close())
