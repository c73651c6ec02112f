#!/usr/bin/env bash
# What surprises: PyTorch Geometric's LSTMAggregation and GRUAggregation run over the padding. What a
#   node receives from its neighbors depends on how many neighbors the largest node in the batch has.
# Versions: torch_geometric 2.8.1 with torch 2.15.0, on the CPU.
# Behaviour: the neighbors are padded with zeros to the longest list, the network runs over all of it,
#   and the output of the last step of the padding is returned. Only the longest list gets its own
#   state, the others that after further steps with the input 0. The lengths are not used; there is no
#   message. So it is in SAGEConv(aggr="lstm"): a new edge elsewhere in the graph changes a node.
# Documentation: "the elements to aggregate are interpreted as a sequence",
#   https://pytorch-geometric.readthedocs.io/en/stable/generated/torch_geometric.nn.aggr.LSTMAggregation.html
#   It names the order of the elements as the only condition. No public issue was found.
# Why it matters: results of a graph differ with the graphs that share its batch, so that evaluation
#   depends on the batch size and a node cannot be computed by itself as it was in training.
# Needs nm, readelf and a C compiler: torch's wheel for Linux is linked with CUDA's libraries. They are not
#   installed here; an empty library with their names replaces them, since no GPU is used.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
pip() { "$work/venv/bin/pip" install -q --no-cache-dir --no-compile "$@"; }
pip torch_geometric==2.8.1 filelock sympy networkx typing_extensions setuptools
pip --no-deps torch==2.15.0

cat > "$work/replace_cuda.py" <<'PY'
"""Builds one library that defines, with their versions, the CUDA symbols that torch needs."""
import os, re, subprocess, sys
from pathlib import Path

torch, out = Path(sys.argv[1]), Path(sys.argv[2])
files = sorted(torch.glob("*.so*"))

def read(*command):
    return subprocess.run([*command, *files], check=True, capture_output=True, text=True).stdout

versions, names = {}, set()
for symbol in re.findall(r" U (\S+)", read("nm", "-D", "--undefined-only")):
    name, _, version = symbol.partition("@")
    if re.match(r"(cu|nccl|nvrtc|nvshmem|__cuda)", name):
        names.add(name)
        if version:
            versions.setdefault(version, []).append(name)
needed = set(re.findall(r"\[(lib(?:cu|nccl|nvrtc|nvshmem)[^\]]*)\]", read("readelf", "-d")))
lines = [f".globl {name}\n.type {name}, @function\n{name}:" for name in sorted(names)]
(out / "all.s").write_text("\n".join([".text", *lines, "mov $100, %eax\nret\n"]))
nodes = (f"{version} {{ {'; '.join(own)}; }};" for version, own in versions.items())
(out / "all.map").write_text("\n".join(nodes))
script = f"-Wl,--version-script={out}/all.map"
subprocess.run(["cc", "-shared", "-nostdlib", script, "-o", out / "all.so", out / "all.s"], check=True)
for name in needed - {file.name for file in files}:
    os.symlink("all.so", out / name)
PY
mkdir "$work/cuda"
"$work/venv/bin/python" "$work/replace_cuda.py" "$work"/venv/lib/python3*/site-packages/torch/lib "$work/cuda"

LD_LIBRARY_PATH="$work/cuda" "$work/venv/bin/python" - > "$work/seen" 2> "$work/messages" <<'PY'
import torch
from torch_geometric.nn import SAGEConv, aggr

torch.manual_seed(0)
x = torch.randn(8, 3)

def same(a, b):
    return "same" if torch.allclose(a, b, atol=1e-6) else "different"

for kind, layer in ((aggr.LSTMAggregation, "lstm"), (aggr.GRUAggregation, "gru")):
    module = kind(3, 4).eval()
    network = getattr(module, layer)
    alone = module(x[:2], torch.tensor([0, 0]))[0]
    own = network(x[None, :2])[0][0, -1]
    print(f"{kind.__name__}: the sequence alone: {same(alone, own)} as torch's {layer.upper()}")
    for size in (2, 3, 6):
        index = torch.tensor([0, 0] + [1] * size)
        result = module(x[: 2 + size], index)
        padded = torch.cat([x[:2], torch.zeros(size - 2, 3)])
        after = network(padded[None])[0][0, -1]
        print(f"  beside one of {size}: {same(result[0], own)};",
              f"with {size - 2} steps of zeros: {same(result[0], after)}")
conv = SAGEConv(3, 4, aggr="lstm").eval()
edges = torch.tensor([[1, 2, 3, 4, 5, 6], [0, 0, 7, 7, 7, 7]])
print("SAGEConv, node 0 without the edges to node 7:", same(conv(x, edges)[0], conv(x, edges[:, :2])[0]))
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LSTMAggregation: the sequence alone: same as torch's LSTM
  beside one of 2: same; with 0 steps of zeros: same
  beside one of 3: different; with 1 steps of zeros: same
  beside one of 6: different; with 4 steps of zeros: same
GRUAggregation: the sequence alone: same as torch's GRU
  beside one of 2: same; with 0 steps of zeros: same
  beside one of 3: different; with 1 steps of zeros: same
  beside one of 6: different; with 4 steps of zeros: same
SAGEConv, node 0 without the edges to node 7: different
SEEN
