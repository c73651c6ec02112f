#!/usr/bin/env python3
"""What the small commands cost, against `cat`, which reads the same file and prints it, in the same run.

usage: small_bench.py RNNCHECK [OTHER_RNNCHECK] [ROUNDS]

Commands are run in turn, so that all see the same machine; medians of processor time, children included, and of wall time are printed.
Nothing is asserted. Use a release build; another program is measured beside it.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

log = """Epoch 1/3
2019-12-24 05:34:15.862520: E tensorflow/stream_executor/cuda/cuda_dnn.cc:319] Loaded runtime CuDNN library: 7.4.1 but source was \
compiled with: 7.6.0.  CuDNN library
UnknownError: Fail to find the dnn implementation.
"""
model = """{"class_name": "Sequential", "keras_version": "2.15.0", "backend": "tensorflow", "config": {"name": "s", "layers": [
{"class_name": "LSTM", "config": {"name": "lstm", "units": 8, "batch_input_shape": [null, 10, 4], "activation": "tanh",
"recurrent_activation": "sigmoid", "use_bias": true, "unroll": false}}]}}
"""


def milliseconds(command):
    """Of processor time, and of wall time."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(child.pid, 0)
    return (used.ru_utime + used.ru_stime) * 1000, (time.perf_counter() - started) * 1000


programs = [argument for argument in sys.argv[1:] if not argument.isdigit()]
rounds = int(sys.argv[-1]) if sys.argv[-1].isdigit() else 50
with tempfile.TemporaryDirectory() as directory:
    files = {"diagnose": f"{directory}/small.log", "model": f"{directory}/model.json"}
    for name, text in (("diagnose", log), ("model", model)):
        with open(files[name], "w") as file:
            file.write(text)
    commands = {"cat": ["cat", files["diagnose"]]}
    for program in programs:
        commands[f"{program} --version"] = [program, "--version"]
        for name, file in files.items():
            commands[f"{program} {name}"] = [program, name, file]
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(milliseconds(command))
median = {name: [statistics.median(kind) for kind in zip(*all)] for name, all in times.items()}
print(f"{rounds} rounds, medians: processor ms, of the floor; wall ms")
for name, (processor, wall) in median.items():
    print(f"  {processor:7.2f} {processor / median['cat'][0]:6.1f}  {wall:7.2f}  {name}")
