#!/usr/bin/env python3
"""What `rnncheck run` prints about a command that failed, or that succeeded but did not use the GPU as expected.

usage: report_test.py RNNCHECK COMPILER SIM_DIRECTORY [unittest arguments]
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from simulated_machine import build_root, environment_of  # noqa: E402

PROGRAM, COMPILER, SIM = (
    os.path.abspath(sys.argv.pop(1)),
    sys.argv.pop(1),
    pathlib.Path(sys.argv.pop(1)),
)
LOGS = pathlib.Path(__file__).parents[1] / "log"
SCENARIOS = pathlib.Path(__file__).parents[1] / "scenarios"
# A /dev of this mount namespace with files in place of a GPU's device files.
FALSE_GPU = (
    "set -e; mount --make-rprivate /; made=$(mktemp -d); mount -t tmpfs rnncheck_test $made; "
    "for name in null zero random urandom tty full; do touch $made/$name; mount --bind /dev/$name $made/$name; done; "
    "touch $made/nvidia0 $made/nvidiactl; mount --move $made /dev; rmdir $made"
)
FALSE_GPU_MACHINE = ("unshare", "-m", "sh", "-c", FALSE_GPU + '; exec "$0" "$@"')
LOOK = ["--look-only", "--only", "proc_sys_hidden"]


def run(*command, options=("--look-only",), environment=None, wrapper=(), **more):
    return subprocess.run(
        [*wrapper, PROGRAM, "run", *options, "--", *command],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=120,
        env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "200", **(environment or {})},
        **more,
    )


def until_next_look():
    """Python's words: rnncheck looks again when about as much time as before has passed, and on a busy machine all takes longer."""
    return f"time.sleep(3 + 2 * (time.time() - {time.time()}))"


def rules_of(text):
    return json.loads(text)["findings"]


class Causes(unittest.TestCase):
    def test_the_cause_is_that_of_diagnose(self):
        """Messages are printed by a small program that then fails; the first cause is the same, or this machine shows another one."""
        cases = [json.loads(line) for line in (LOGS / "messages.jsonl").read_text().splitlines()]
        different = []
        with tempfile.TemporaryDirectory() as directory:
            log, page = pathlib.Path(directory, "log"), pathlib.Path(directory, "page.json")
            for case in cases[::12]:
                log.write_text(case["log"])
                alone = subprocess.run(
                    [PROGRAM, "diagnose", str(log)],
                    capture_output=True,
                    text=True,
                    check=False,
                    env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "200"},
                ).stdout
                done = run("sh", "-c", 'cat "$0" >&2; exit 1', str(log), options=["--look-only"])
                printed = done.stderr[
                    done.stderr.index("rnncheck: the command ended with exit code 1") :
                ]
                headlines = [
                    re.search(r"^rnncheck \d.*", text, re.M)[0] for text in (alone, printed)
                ]
                from_machine = "✗ cause: " in headlines[1] or "✗ likely cause: " in headlines[1]
                if (
                    headlines[0] != headlines[1]
                    and not from_machine
                    and "This machine does not show it" not in printed
                ):
                    different.append((case["cause"], headlines))
        self.assertEqual(different, [])

    def test_what_the_machine_shows_joins_the_cause(self):
        """A toolkit's stub of the driver library that the loader finds: its file is named, which no line of the output does."""
        with tempfile.TemporaryDirectory() as directory:
            stubs = pathlib.Path(directory, "lib64/stubs")
            stubs.mkdir(parents=True)
            source = pathlib.Path(directory, "stub.c")
            source.write_text("int cuInit(unsigned flags) { return 34; }")
            subprocess.run(
                [
                    COMPILER,
                    "-shared",
                    "-fPIC",
                    "-Wl,-soname,libcuda.so.1",
                    str(source),
                    "-o",
                    str(stubs / "libcuda.so.1"),
                ],
                check=True,
            )
            failing = (
                "sh",
                "-c",
                "echo 'RuntimeError: CUDA error: CUDA driver is a stub library' >&2; exit 1",
            )
            with_stub, without = (
                run(*failing, environment={"LD_LIBRARY_PATH": str(stubs)}),
                run(*failing),
            )
        self.assertRegex(with_stub.stderr, r"✗ cause: A CUDA Toolkit stub of libcuda")
        self.assertIn(f"{stubs}/libcuda.so.1", with_stub.stderr)
        self.assertNotIn("stubs/libcuda.so.1", without.stderr)

    def test_a_shadowed_library(self):
        """Its directory in LD_LIBRARY_PATH is named, and the command leaves the others there."""
        message = "OSError: /env/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12"
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "libnvJitLink.so.12.1.105").touch()
            failing = ("sh", "-c", 'echo "$0" >&2; exit 1', message)
            shadowed = run(
                *failing, environment={"LD_LIBRARY_PATH": f"/opt/own:{directory}"}
            ).stderr
            alone = run(*failing, environment={"LD_LIBRARY_PATH": directory}).stderr
            other = run(*failing, environment={"LD_LIBRARY_PATH": "/opt/own"}).stderr
        self.assertIn(
            "✗ cause: Another CUDA library is found before that of the Python packages", shadowed
        )
        self.assertIn(
            f"{directory} contains libnvJitLink.so.12.1.105", re.sub(r"\s+", " ", shadowed)
        )
        self.assertIn("export LD_LIBRARY_PATH=/opt/own\n", shadowed)
        self.assertIn("unset LD_LIBRARY_PATH\n", alone)
        self.assertIn("✗ likely cause: Another CUDA library", other)

    def test_output_files(self):
        with tempfile.TemporaryDirectory() as directory:
            page, document = (
                pathlib.Path(directory, "issue.md"),
                pathlib.Path(directory, "report.json"),
            )
            run(
                "sh",
                "-c",
                "echo 'AssertionError: Torch not compiled with CUDA enabled'; exit 3",
                options=["--look-only", f"--output=markdown={page}", f"--output=json={document}"],
            )
            self.assertIn("CPU-only build", page.read_text())
            findings = json.loads(document.read_text())["findings"]
            self.assertIn("cpu_only_build", [one["rule"] for one in findings])
            self.assertIn("exit code 3", [one["value"][:11] for one in findings[0]["evidence"]])

    def test_only_chooses_what_judges_the_machine(self):
        """The cause in the output is shown all the same."""
        done = run(
            "sh",
            "-c",
            "echo 'AssertionError: Torch not compiled with CUDA enabled'; exit 3",
            options=LOOK,
        )
        self.assertIn("A framework is a CPU-only build", done.stderr)

    def test_a_command_that_prints_nothing(self):
        self.assertIn(
            "undetermined: the command printed nothing", run("false", options=LOOK).stderr
        )
        crashed = run("sh", "-c", "kill -SEGV $$", options=LOOK).stderr
        self.assertNotIn("✓", crashed)

    def test_a_long_command_leaves_time_for_the_machine(self):
        """The deadline is that of the check, which begins when the command has ended."""
        with tempfile.TemporaryDirectory() as directory:
            document = pathlib.Path(directory, "report.json")
            run(
                "sh",
                "-c",
                "sleep 4.2; echo 'RuntimeError: x' >&2; exit 1",
                options=["--deadline=4", "--look-only", f"--output=json={document}"],
            )
            ends = {one["end"] for one in json.loads(document.read_text())["facts"]["probe_runs"]}
            self.assertEqual(ends, {"finished"})

    def test_success_is_silent(self):
        done = run("echo", "fine")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "fine\n", ""))

    def test_quiet(self):
        self.assertEqual(run("false", options=["-q"]).stderr.count("\n"), 1)
        self.assertEqual(
            run("sh", "-c", "echo 'Layer lstm will not use cuDNN kernels'", options=["-q"]).stderr,
            "",
        )

    def test_nothing_private_is_printed(self):
        """In the first and in the last part of a stream, in every format, and without what a long stream contains besides."""
        private = ("canaryname", "hf_abcdefghijk", "canarymail")
        secret = (
            "RuntimeError: cuDNN error: CUDNN_STATUS_MAPPING_ERROR /home/canaryname/x canarymail@mail.canary.test "
            "token=hf_abcdefghijklmnopqrstuvwxyz1234567890"
        )
        program = (
            "import sys\nfor stream in (sys.stdout, sys.stderr):\n    print(sys.argv[1], file=stream)\n"
            "    print('canaryname is in the middle ' * 40, *range(600000), sep='\\n', file=stream)\n"
            "    print(sys.argv[1], file=stream)\nsys.exit(1)"
        )
        formats = (
            "json",
            "markdown",
            "html",
            "text",
            "junit",
            "github",
            "csv",
            "nagios",
            "prometheus",
        )
        with tempfile.TemporaryDirectory() as directory:
            outputs = [f"--output={name}={directory}/{name}" for name in formats]
            done = run(sys.executable, "-c", program, secret, options=["--look-only", *outputs])
            reports = {name: pathlib.Path(directory, name).read_text() for name in formats}
        reports["screen"] = done.stderr[done.stderr.index("rnncheck: the command ended") :]
        self.assertIn("CUDNN_STATUS_MAPPING_ERROR", reports["json"] + reports["markdown"])
        for name, text in reports.items():
            self.assertEqual([word for word in private if word in text], [], name)


class Ends(unittest.TestCase):
    def test_exit_code(self):
        self.assertRegex(
            run("sh", "-c", "exit 7", options=LOOK).stderr,
            r"\Arnncheck: the command ended with exit code 7 after 0\.\d s\n",
        )

    def test_a_signal_that_somebody_sent(self):
        running = subprocess.Popen(
            [PROGRAM, "run", "--", "sh", "-c", "echo ready; exec sleep 60"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "SLURM_JOB_ID": "4711"},
        )
        running.stdout.readline()
        running.terminate()
        _, report = running.communicate(timeout=60)
        self.assertEqual(running.returncode, -signal.SIGTERM)
        self.assertRegex(
            report, "SIGTERM was sent by python[^\n]*, in Slurm job 4711: a time limit"
        )
        self.assertNotIn("This machine", report)

    def test_an_interrupt_is_no_failure(self):
        running = subprocess.Popen(
            [PROGRAM, "run", "--", "sh", "-c", "echo ready; exec sleep 60"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        self.assertEqual(
            (running.communicate(timeout=60)[1], running.returncode), ("", -signal.SIGINT)
        )

    def test_a_hang(self):
        done = run("sleep", "60", options=["--time-limit", "1", *LOOK])
        self.assertEqual(done.returncode, 124)
        self.assertIn("the command ended with the time limit after 1", done.stderr)
        self.assertRegex(
            done.stderr, "when the time limit of --time-limit passed, the command was sleeping"
        )

    def test_a_hang_that_ignores_sigterm(self):
        begin = time.monotonic()
        self.assertEqual(
            run(
                sys.executable,
                "-c",
                "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
                options=["--time-limit", "1", *LOOK],
            ).returncode,
            124,
        )
        self.assertLess(time.monotonic() - begin, 40)

    def library(self, directory, text):
        source = pathlib.Path(directory, "cudnn.c")
        source.write_text(text)
        path = pathlib.Path(directory, "libcudnn.so.9")
        subprocess.run(
            [COMPILER, "-shared", "-fPIC", "-O0", str(source), "-o", str(path)], check=True
        )
        return str(path)

    def test_a_crash_in_a_library(self):
        with tempfile.TemporaryDirectory() as directory:
            path = self.library(directory, "void f(void) { *(volatile int*)16 = 1; }")
            program = f"import ctypes, time; library = ctypes.CDLL({path!r}); {until_next_look()}; library.f()"
            done = run(sys.executable, "-c", program, options=LOOK)
            self.assertEqual(done.returncode, -signal.SIGSEGV)
            self.assertIn("the command ended with SIGSEGV", done.stderr)
            self.assertRegex(done.stderr, r"it loaded [^\n]*libcudnn\.so\.9")
            if os.access("/dev/kmsg", os.R_OK) and "segfault at" in done.stderr:
                self.assertIn("the crash was in libcudnn.so.9", done.stderr)

    def test_an_abort_in_a_library(self):
        with tempfile.TemporaryDirectory() as directory:
            path = self.library(
                directory,
                '#include <stdio.h>\n#include <stdlib.h>\nvoid f(void) { fputs("Could not load library libcudnn_adv.so.9. Error: no such file\\n", stderr); abort(); }',
            )
            done = run(
                sys.executable,
                "-c",
                f"import ctypes; ctypes.CDLL({path!r}).f()",
                options=["--look-only"],
            )
            self.assertEqual(done.returncode, -signal.SIGABRT)
            self.assertIn("the command ended with SIGABRT", done.stderr)
            self.assertIn("cuDNN is not installed", done.stderr)

    def test_memory_limit_of_a_control_group(self):
        group = pathlib.Path("/sys/fs/cgroup/memory/rnncheck_test_%d" % os.getpid())
        if not os.path.exists("/sys/fs/cgroup/memory/memory.limit_in_bytes"):
            group = pathlib.Path("/sys/fs/cgroup/rnncheck_test_%d" % os.getpid())
        try:
            group.mkdir()
            limit = group / (
                "memory.limit_in_bytes"
                if (group / "memory.limit_in_bytes").exists()
                else "memory.max"
            )
            limit.write_text("200000000")
        except OSError as error:
            self.skipTest(f"no control group can be created here: {error}")
        try:
            done = run(
                sys.executable,
                "-c",
                "x = bytearray(900_000_000)",
                preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())),
            )
            self.assertEqual(done.returncode, -signal.SIGKILL)
            self.assertIn(f"the memory limit of {group}, 1999", done.stderr)
            self.assertIn("Main memory was exhausted", done.stderr)
        finally:
            time.sleep(0.2)
            group.rmdir()


# A simulated machine, what a framework prints there, and the cause that is to be first or the machine's problem that is to be named.
FAULTS = [
    ("no_driver", "RuntimeError: Found no NVIDIA driver on your system.", "driver_missing"),
    (
        "driver_updated_without_reboot",
        "failed call to cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: system has unsupported display driver / cuda driver combination",
        "driver_userland_kernel_mismatch",
    ),
    (
        "adv_part_missing",
        "Could not load library libcudnn_adv.so.9. Error: libcudnn_adv.so.9: cannot open shared object file: No such file or directory",
        "cudnn_part_missing",
    ),
    ("headless_no_helper", "RuntimeError: No CUDA GPUs are available", "device_nodes_missing"),
    (
        "gpu_hidden_by_setting",
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        "gpu_hidden_by_setting",
    ),
    (
        "container_without_gpu_docker",
        "Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory",
        "container_no_gpu_runtime",
    ),
    (
        "exclusive_mode_busy",
        "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable",
        "gpu_exclusive_mode_busy",
    ),
    (
        "compat_library_on_geforce",
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW",
        "container_cuda_newer_than_driver",
    ),
    (
        "mps_not_reachable",
        "RuntimeError: CUDA error: MPS client failed to connect to the MPS control daemon or the MPS server",
        "driver_init_failed",
    ),
    ("mig_without_instance", "RuntimeError: No CUDA GPUs are available", "no_gpu_visible"),
    ("slurm_job_without_gpu", "RuntimeError: No CUDA GPUs are available", None),
    (
        "memory_held_by_other",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "gpu_memory_held_by_other_process",
    ),
]


class SimulatedMachines(unittest.TestCase):
    def run_on(self, name, message, *options, sim=""):
        return self.run_command(
            name, ["sh", "-c", 'echo "$0" >&2; exit 1', message], *options, sim=sim
        )

    def run_command(self, name, command, *options, sim="", wrapper=()):
        scenario = json.loads((SCENARIOS / f"{name}.json").read_text())
        scenario["sim"] = scenario.get("sim", "") + " " + sim
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory, "root")
            build_root(scenario, root, SIM)
            environment = {**environment_of(scenario, root), "PATH": os.environ["PATH"]}
            document = pathlib.Path(directory, "report.json")
            done = run(
                *command,
                options=[f"--root={root}", f"--output=json={document}", *options],
                environment=environment,
                wrapper=wrapper,
            )
            return done, json.loads(document.read_text()), scenario

    def test_faults(self):
        for name, message, rule in FAULTS:
            with self.subTest(name):
                done, document, scenario = self.run_on(name, message)
                rule = rule or scenario["expect"]["findings"][0][0]
                self.assertEqual(done.returncode, 1)
                self.assertIn(rule, [one["rule"] for one in document["findings"]], done.stderr)
                printed = done.stderr[done.stderr.index("rnncheck: the command ended") :]
                self.assertIn(rule, printed)
                self.assertNotIn("✓", printed)

    def headline(self, *what):
        done, _, _ = self.run_on(*what)
        return re.search(r"^rnncheck \d.*", done.stderr, re.M)[0].partition("✗ ")[2]

    def test_an_error_that_only_the_machine_shows(self):
        """The output names a file that was not found, and leaves several causes open; the machine lacks that file."""
        failed = "OSError: {}: cannot open shared object file: No such file or directory"
        self.assertEqual(
            self.headline("adv_part_missing", failed.format("libcudnn_adv.so.9")),
            "cause: A cuDNN library is missing",
        )
        self.assertIn(
            "possible", self.headline("adv_part_missing", failed.format("libcufft.so.11"))
        )
        self.assertNotIn(
            "A cuDNN library is missing",
            self.headline("healthy_cudnn9", failed.format("libcudnn_adv.so.9")),
        )

    def test_an_error_of_the_machine_is_not_blamed_for_anything(self):
        self.assertNotIn("cuDNN", self.headline("adv_part_missing", "KeyError: 'hidden_size'"))

    def test_what_the_machine_does_not_show_comes_last(self):
        done, _, _ = self.run_on(
            "healthy_cudnn9",
            "OSError: libcudnn_adv.so.9: cannot open shared object file: No such file or directory",
        )
        self.assertRegex(
            done.stderr,
            r"\d  cuDNN is not installed[^\n]*\n +This machine does not show it: cuDNN is installed",
        )

    def test_what_the_output_shows_is_not_the_machines(self):
        done, _, _ = self.run_on(
            "healthy_cudnn9", "RuntimeError: cudnn RNN backward can only be called in training mode"
        )
        self.assertRegex(done.stderr, r"\n *This machine: no problem found[^\n]*\n")

    def test_a_warning_of_the_machine_confirms_a_cause(self):
        """Memory that another process holds is no fault until something fails."""
        message = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
        self.assertEqual(
            self.headline("memory_held_by_other", message)[:58],
            "likely cause: Other processes use most of a GPU's memory; ",
        )

    def test_gpu_memory_during_the_command(self):
        """NVML is queried only after the command opened a GPU: the query opens it too."""
        line = r"GPU 0 \(Simulated GPU\): 23\.8 of 24\.0 GiB of its memory were in use \d+ s before the end\n"
        for device, is_measured in (("/dev/nvidia0", True), ("/dev/null", False)):
            program = (
                f"import ctypes, time; ctypes.CDLL('libcuda.so.1'); used = open('{device}'); {until_next_look()}; "
                "print('torch.OutOfMemoryError: CUDA out of memory.'); raise SystemExit(1)"
            )
            done, document, _ = self.run_command(
                "memory_held_by_other",
                ["sh", "-c", 'exec "$0" -c "$1"', sys.executable, program],
                wrapper=FALSE_GPU_MACHINE,
            )
            if "unshare:" in done.stderr or "mount:" in done.stderr:
                self.skipTest(f"no file system can be mounted here: {done.stderr.strip()}")
            kinds = [one["what"] for finding in document["findings"] for one in finding["evidence"]]
            self.assertEqual("GPU memory during the command" in kinds, is_measured, done.stderr)
            self.assertEqual(re.search(line, done.stderr) is not None, is_measured, done.stderr)

    def test_replay(self):
        log = json.loads((SCENARIOS / "memory_held_by_other.json").read_text())["expect"]["lstm"][
            0
        ]["log"]
        for sim, sentence in (
            ("", "replay: cuDNN computes the network of the log correctly here"),
            (
                "cudnnRNNForward=gates_swapped",
                "replay: cuDNN itself fails here with the network of the log",
            ),
        ):
            with self.subTest(sim):
                self.assertIn(
                    sentence, self.run_on("healthy_cudnn9", log, "--replay", sim=sim)[0].stderr
                )
        self.assertIn(
            "replay: the output contains no recurrent network that failed",
            self.run_on("healthy_cudnn9", "error", "--replay")[0].stderr,
        )


class Remarks(unittest.TestCase):
    def test_a_layer_without_cudnn(self):
        done = run(
            "sh",
            "-c",
            'echo "WARNING:tensorflow:Layer lstm will not use cuDNN kernels since it doesn\'t meet the criteria." >&2; exit 0',
        )
        self.assertEqual(done.returncode, 0)
        self.assertRegex(
            done.stderr.splitlines()[-1], "^rnncheck: a recurrent layer did not use cuDNN"
        )

    def test_onnx_runtime_on_the_cpu(self):
        done = run(
            "sh",
            "-c",
            "echo 'Failed to create CUDAExecutionProvider. Require cuDNN 9.* and CUDA 12.*' >&2",
        )
        self.assertEqual(
            (done.returncode, done.stderr.splitlines()[-1][:50]),
            (0, "rnncheck: ONNX Runtime could not use CUDA and comp"),
        )

    def test_a_framework_on_the_cpu(self):
        """The GPU may be opened late and briefly, between two looks: then nothing is remarked."""
        with tempfile.TemporaryDirectory() as directory:
            source = pathlib.Path(directory, "empty.c")
            source.write_text("")
            library = f"{directory}/libtorch_cpu.so"
            subprocess.run([COMPILER, "-shared", str(source), "-o", library], check=True)
            for device, is_remarked in (("/dev/nvidiactl", True), ("/dev/nvidia0", False)):
                program = f"import ctypes, time; ctypes.CDLL('{library}'); {until_next_look()}; open('{device}').close()"
                done = run(sys.executable, "-c", program, wrapper=FALSE_GPU_MACHINE)
                if "unshare:" in done.stderr or "mount:" in done.stderr:
                    self.skipTest(f"no file system can be mounted here: {done.stderr.strip()}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(
                    "PyTorch computed on the CPU" in done.stderr, is_remarked, done.stderr
                )

    def test_two_cudnns(self):
        with tempfile.TemporaryDirectory() as directory:
            source = pathlib.Path(directory, "empty.c")
            source.write_text("")
            for name in ("one", "two"):
                os.mkdir(f"{directory}/{name}")
                subprocess.run(
                    [COMPILER, "-shared", str(source), "-o", f"{directory}/{name}/libcudnn.so.9"],
                    check=True,
                )
            program = f"import ctypes, time; [ctypes.CDLL('{directory}/' + n + '/libcudnn.so.9') for n in ('one', 'two')]; {until_next_look()}"
            self.assertIn(
                "several cuDNN installations were loaded", run(sys.executable, "-c", program).stderr
            )

    def test_another_cudnn_than_its_own(self):
        with tempfile.TemporaryDirectory() as directory:
            packages, other = f"{directory}/env/lib/python3.12/site-packages", f"{directory}/other"
            own = f"{packages}/nvidia/cudnn/lib"
            source = pathlib.Path(directory, "empty.c")
            source.write_text("")
            for path in (
                f"{packages}/torch/lib/libtorch_cpu.so",
                f"{own}/libcudnn.so.9",
                f"{other}/libcudnn.so.9",
            ):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                subprocess.run([COMPILER, "-shared", str(source), "-o", path], check=True)
            for cudnn, is_remarked in ((own, False), (other, True)):
                program = f"import ctypes, time; [ctypes.CDLL(f) for f in ('{packages}/torch/lib/libtorch_cpu.so', '{cudnn}/libcudnn.so.9')]; {until_next_look()}"
                done = run(sys.executable, "-c", program, options=["--show-private"])
                sentence = f"PyTorch loaded cuDNN from {other}, and not the one that was installed for it in {own}"
                self.assertEqual(sentence in done.stderr, is_remarked, done.stderr)


class Environments(unittest.TestCase):
    def test_the_python_of_the_command_is_examined(self):
        """By its path, and as what runs a script of its environment."""
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run(
                [sys.executable, "-m", "venv", "--without-pip", f"{directory}/own"], check=True
            )
            script = pathlib.Path(directory, "own/bin/torchrun")
            script.write_text(f"#!{directory}/own/bin/python\nraise SystemExit(1)\n")
            script.chmod(0o755)
            document = pathlib.Path(directory, "report.json")
            for command in (
                [f"{directory}/own/bin/python", "-c", "raise SystemExit(1)"],
                [str(script)],
            ):
                run(
                    *command, options=["--look-only", "--show-private", f"--output=json={document}"]
                )
                examined = [
                    one["path"]
                    for one in json.loads(document.read_text())["facts"]["pythons"]
                    if one["active"]
                ]
                self.assertEqual(examined, [f"{directory}/own"], command)


class Check(unittest.TestCase):
    def test_a_problem_stops_it(self):
        if os.path.exists("/dev/nvidiactl") or os.path.exists("/sys/module/nvidia"):
            self.skipTest("this machine has a driver")
        done = run("echo", "ran", options=["--check", "--look-only", "--only", "driver_missing"])
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("'echo' was not started", done.stderr)

    def test_it_runs_if_no_problem_was_found(self):
        done = run("echo", "ran", options=["--check", *LOOK])
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))


if __name__ == "__main__":
    unittest.main()
