#!/usr/bin/env python3
"""How fast `rnncheck diagnose` reads large logs, against ripgrep looking for as many fixed strings in the same run.

usage: log_bench.py RNNCHECK [MIB] [KIND...]

ripgrep is run twice: for the long words in the patterns of the reader's table, whose lines it counts (`rg -c -a -F -f`), and for the same number
of strings of the same lengths of which one is in the log, at its end. Both programs read the same file from the page cache, in turn;
each runs on one thread. Wall time, processor time and peak memory are printed. Nothing is asserted. Use a release build.

A process that starts another one lends it its own peak memory, so logs are written by a process of their own and this one stays
small; what it uses itself is printed as the least that can be reported.
"""

import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

rounds = 3
tests = pathlib.Path(__file__).parents[1]
tables = pathlib.Path(__file__).parents[2] / "compat_matrix"
last_line = "RuntimeError: cuDNN error: CUDNN_STATUS_MAPPING_ERROR\n"
random.seed(20261121)


def number(most=9999):
    return random.randrange(most)


def training():
    """Training as Keras and PyTorch print it, with whole healthy logs in between."""
    healthy = [
        path.read_bytes()
        for path in sorted((tests / "log" / "healthy").iterdir())
        if "utf16" not in path.name
    ]
    while True:
        yield random.choice(healthy)
        for step in range(number(4000)):
            yield (
                f"{step}/4000 [==>......] - ETA: {number()}s - loss: {random.random():.4f} - accuracy: {random.random():.4f}\n"
                if step % 2
                else f"2026-11-21 10:{step % 60:02}:07,{number(999):03} INFO train: Epoch {step}, iter {number()}: "
                f"lr 0.00{number()} grad_norm {random.random():.3f} samples/s {number()}.{number(9)} data_time 0.0{number()}\n"
            ).encode()


def dmesg():
    lines = [
        "usb 1-{0}: new high-speed USB device number {1} using xhci_hcd",
        "nvidia 0000:{0:02x}:00.0: enabling device ({1:04x})",
        'audit: type=1400 audit({1}.{0}): apparmor="ALLOWED" operation="open" name="/proc/{1}/stat"',
        "CPU{0}: Core temperature above threshold, cpu clock throttled (total events = {1})",
        "EXT4-fs (nvme0n1p{0}): mounted filesystem with ordered data mode. Opts: errors=remount-ro",
        "docker0: port {0}(veth{1:x}) entered blocking state",
        "pcieport 0000:00:{0:02x}.0: AER: Corrected error received: 0000:{0:02x}:00.0",
        "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  535.{0}.{1}",
    ]
    while True:
        yield "".join(
            f"[{number(999999):6}.{number(999999):06}] {random.choice(lines).format(number(64), number())}\n"
            for _ in range(999)
        ).encode()


def near_misses():
    """Lines that hold words of the messages that matter, and are none."""
    words = [word for row in rows for word in row["meaning"].split()] + [
        word for literal in literals for word in literal.split("_")
    ]
    common = [
        "cuda",
        "error",
        "Error",
        "CUDA",
        "cuDNN",
        "failed",
        "driver",
        "Error:",
        "error:",
        "GPU",
        "RNN",
        "memory",
        "device",
    ]
    while True:
        yield "".join(
            " ".join(
                [
                    random.choice(common),
                    random.choice(words),
                    random.choice(common),
                    str(number()),
                    random.choice(words),
                    f"error: {number()}",
                ]
            )
            + "\n"
            for _ in range(999)
        ).encode()


def repeated(line):
    while True:
        yield line * 999


def failures():
    """Whole failing logs of every kind, in any order: what somebody's directory of logs looks like when it is put into one file."""
    logs = [
        json.loads(line)["log"].encode()
        for line in (tests / "log" / "messages.jsonl").read_text().splitlines()
    ]
    while True:
        random.shuffle(logs)
        yield b"\n".join(logs) + b"\n"


def warning():
    """The same few warnings over and over, as a broken data loader prints them."""
    return repeated(
        b"W tensorflow/core/data/root_dataset.cc:167] Optimization loop failed: CANCELLED: Operation was cancelled\n"
        b"UserWarning: RNN module weights are not part of single contiguous chunk of memory.\n"
        b"  warnings.warn('Detected call of `lr_scheduler.step()` before `optimizer.step()`.')\n"
    )


def glog():
    """Caffe, Paddle and TensorFlow: every line has a time, a file and a line number."""
    while True:
        yield "".join(
            f"I0613 10:{number(60):02}:{number(60):02}.{number():06} 69692 solver.cpp:228] Iteration {step}, loss = 0.{number()}\n"
            f"2026-11-21 10:{number(60):02}:{number(60):02}.{number():06}: I tensorflow/core/framework/local_rendezvous.cc:{number(500)}] "
            f"Local rendezvous {number()} is done\n"
            for step in range(999)
        ).encode()


def tracebacks():
    """A loader that fails for one file after the other, and goes on."""
    while True:
        yield "".join(
            "Traceback (most recent call last):\n"
            f'  File "/usr/lib/python3/site-packages/torch/utils/data/_utils/worker.py", line {number()}, in _worker_loop\n'
            f"    data = fetcher.fetch(index)\nFileNotFoundError: [Errno 2] No such file or directory: '/data/{number()}.jpg'\n"
            for _ in range(999)
        ).encode()


def starts():
    """Nothing but programs that start, print what they find and end."""
    logs = [
        path.read_text()
        for path in sorted((tests / "log" / "healthy").iterdir())
        if "utf16" not in path.name
    ]
    while True:
        yield re.sub(
            "[0-9]+",
            lambda digits: str(number(10 ** len(digits[0]))).zfill(len(digits[0])),
            random.choice(logs),
        ).encode()


def same_error():
    return repeated(b"RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n")


def devices():
    """Lines that name a device each."""
    while True:
        yield "".join(
            f"[{step}] rank 0 device cuda:{number(8)} step {number()} train error: 0.{number()} mem {number()} MiB "
            "/usr/lib/python3/site-packages/torch/nn/modules/rnn.py\n"
            for step in range(999)
        ).encode()


def utf16():
    pieces = training()
    yield b"\xff\xfe"
    while True:
        yield next(pieces).decode("latin-1").encode("utf-16-le")


def noise():
    while True:
        yield random.randbytes(1 << 20)


def one_line():
    while True:
        yield "".join(
            f"step {number()} loss {random.random():.4f} of the run, " for _ in range(9999)
        ).encode()


def zeros():
    while True:
        yield b"\0" * (1 << 20)


def invalid():
    while True:
        yield b"".join(
            b"\xff\xc3(\xe2\x82 loss \xf0\x9f %d \xed\xa0\x80\n" % number() for _ in range(9999)
        )


kinds = {
    kind.__name__: kind
    for kind in (
        training,
        glog,
        tracebacks,
        starts,
        failures,
        warning,
        same_error,
        devices,
        dmesg,
        near_misses,
        noise,
        one_line,
        zeros,
        invalid,
        utf16,
    )
}


def write_log(kind, size, path):
    """32 MiB of one kind, again and again; what is wrong comes last."""
    block, pieces = bytearray(), kinds[kind]()
    while len(block) < min(size, 32 << 20):
        block += next(pieces)
    if kind == "utf16":
        del block[len(block) // 2 * 2 :]
    end = ("\n" + last_line).encode("utf-16-le" if kind == "utf16" else "utf-8")
    with open(path, "wb") as file:
        while file.tell() < size:
            file.write(block[: size - file.tell()])
        file.write(end)


def measured(command):
    """Wall and processor time in seconds, peak memory in MiB, and what was stated."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    stated = child.stdout.read()
    _, _, used = os.wait4(child.pid, 0)
    return time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, stated


def strangers():
    """As many strings of the same lengths, of which only one is in the log."""
    letters = "QZXJVKWYqzxjvkwy"
    return ["".join(random.choice(letters) for _ in literal) for literal in literals[1:]] + [
        "CUDNN_STATUS_MAPPING_ERROR"
    ]


def compare(program, size, chosen):
    own_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(literals)} literals, {size >> 20} MiB, fastest of {rounds}: wall s, processor s, peak MiB (not below {own_memory:.0f})"
    )
    with tempfile.TemporaryDirectory() as directory:
        log, own, others = (
            str(pathlib.Path(directory) / name) for name in ("log", "literals", "strangers")
        )
        pathlib.Path(own).write_text("\n".join(literals) + "\n")
        pathlib.Path(others).write_text("\n".join(strangers()) + "\n")
        searches = {
            "rnncheck": [program, "diagnose", log, "--json"],
            "rg, own words": ["rg", "-c", "-a", "-F", "-f", own, log],
            "rg, one is there": ["rg", "-c", "-a", "-F", "-f", others, log],
        }
        for kind in chosen:
            subprocess.run([sys.executable, __file__, "--write", kind, str(size), log], check=True)
            results = {name: [] for name in searches}
            for _ in range(rounds):
                for name, command in searches.items():
                    results[name].append(measured(command))
            found = b"status_mapping_error" in results["rnncheck"][0][3]
            print(f"{kind}{'' if found else ': THE LAST LINE WAS NOT SEEN'}")
            for name, runs in results.items():
                print(
                    f"  {name:18} {min(run[0] for run in runs):7.2f} {min(run[1] for run in runs):7.2f} {max(run[2] for run in runs):7.1f}",
                    flush=True,
                )


rows = json.loads((tables / "log_signatures.json").read_text())["rows"]
literals = sorted(
    {
        word
        for row in rows
        for word in re.findall(
            "[A-Za-z_]{7,}", re.sub(r"\(\?P<\w+>|\\.|\[[^\]]*\]", " ", row["pattern"])
        )
    }
)
if sys.argv[1] == "--write":
    write_log(sys.argv[2], int(sys.argv[3]), sys.argv[4])
elif not shutil.which("rg"):
    print("skipped: ripgrep (rg) is not installed, so there is nothing to compare with")
else:
    compare(
        sys.argv[1],
        (int(sys.argv[2]) if len(sys.argv) > 2 else 1024) << 20,
        sys.argv[3:] or list(kinds),
    )
