#!/usr/bin/env python3
"""What the fp64 reference, its gradients and its limits cost, beside PyTorch's fp64 networks of the same sizes.

usage: reference_bench.py REFERENCE_BENCH [ROUNDS [SIZE...]]

Needs PyTorch in the Python that runs it: in a separate environment, `pip install torch`. Both are run in turn on the
same machine and the best of all rounds counts; of each, the processor time of all its threads. Nothing is asserted.
"""

import json
import os
import subprocess
import sys
import time

import torch

program = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
sizes = [int(size) for size in sys.argv[3:]] or [256, 512, 1024, 2048]
SHAPES = {256: (32, 64), 512: (32, 64), 1024: (64, 16), 2048: (64, 16)}  # sequences, steps
NETWORKS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "tanh": torch.nn.RNN}
torch.set_default_dtype(torch.float64)


def of_torch(network, x, training):
    processor, wall = time.process_time(), time.perf_counter()
    if training:
        y, _ = network(x)
        y.backward(torch.ones_like(y))
    else:
        with torch.no_grad():
            network(x)
    return time.process_time() - processor, time.perf_counter() - wall


def of_reference(threads, words):
    """In fp32 some products are exact and fused with their sums, in fp64 none of the outputs."""
    output = subprocess.run(
        [program, str(threads), "2", *words], capture_output=True, text=True, check=True
    ).stdout
    times = json.loads(output)
    return times["reference"], times["limits"], times["reference_wall"] + times["limits_wall"]


print(
    f"PyTorch {torch.__version__}; seconds of processor time, best of {rounds} rounds, wall time in brackets"
)
print("| network | size | pass | threads | PyTorch | type | reference | limits | ratio |")
print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for threads in range(1, min(2, os.cpu_count()) + 1):
    torch.set_num_threads(threads)
    for size in sizes:
        batch, steps = SHAPES.get(size, (32, 32))
        for name, network_of in NETWORKS.items():
            for training in (False, True):
                network = network_of(size, size)
                x = torch.randn(steps, batch, size, requires_grad=training)
                words = [name, f"I={size}", f"H={size}", f"B={batch}", f"T={steps}"] + [
                    "training"
                ] * training
                torch_times, our_times = [], {"fp32": [], "fp64": []}
                for _ in range(rounds):
                    torch_times += [of_torch(network, x, training) for _ in range(2)]
                    for dtype, times in our_times.items():
                        times.append(of_reference(threads, [dtype, *words]))
                theirs, their_wall = (min(column) for column in zip(*torch_times))
                for dtype, times in our_times.items():
                    reference, limits, wall = (min(column) for column in zip(*times))
                    print(
                        f"| {name} | {size} | {'gradients' if training else 'forward'} | {threads} | {theirs:.3f} ({their_wall:.3f}) | "
                        f"{dtype} | {reference:.3f} | {limits:.3f} ({wall:.3f}) | {(reference + limits) / theirs:.2f} |",
                        flush=True,
                    )
