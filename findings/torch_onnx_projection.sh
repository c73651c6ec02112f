#!/usr/bin/env bash
# What surprises: PyTorch's ONNX exporter takes an LSTM with proj_size and writes an LSTM node without the projection. The weight weight_hr is
#   not in the file, the output size becomes the hidden size, and the export reports success.
# Versions: torch 2.15.0, onnx 1.23.2, onnxscript 0.7.2, onnxruntime 1.32.0.
# Behaviour: nn.LSTM(8, 16, proj_size=5) becomes a node with hidden_size 5. onnx.checker passes, unless full_check=True; ONNX Runtime creates the session and fails at
#   the first run, because initial_c has 16 columns. The older exporter (dynamo=False) is an error that names projections.
# Why it matters: cuDNN and PyTorch have projections, ONNX does not. Who only exports and checks the file ships one that cannot run.
# Costly: about 5 GB of packages, because PyTorch's wheel for Linux needs its CUDA libraries to be imported.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir torch==2.15.0 onnx==1.23.2 onnxscript==0.7.2 onnxruntime==1.32.0

"$work/venv/bin/python" - "$work/model.onnx" > "$work/all" 2> "$work/stderr" <<'PY'
import sys
import onnx
import onnxruntime
import torch

path = sys.argv[1]
lstm, x = torch.nn.LSTM(8, 16, proj_size=5).eval(), torch.randn(4, 3, 8)
try:
    torch.onnx.export(lstm, (x,), path, dynamo=False)
    print("seen: dynamo=False: exported")
except Exception as error:
    print("seen: dynamo=False: error,", "projections" if "projections" in str(error) else error)
torch.onnx.export(lstm, (x,), path, verbose=False)
model = onnx.load(path)
onnx.checker.check_model(path)
try:
    onnx.checker.check_model(path, full_check=True)
    full = "passes"
except Exception as error:
    full = "shapes differ" if "differ" in str(error) else str(error)
[node] = [node for node in model.graph.node if node.op_type == "LSTM"]
[hidden] = [attribute.i for attribute in node.attribute if attribute.name == "hidden_size"]
print(f"seen: exported and checked (full check: {full}): hidden_size {hidden}, weight_hr {'kept' if any('weight_hr' in value.name for value in model.graph.initializer) else 'missing'}")
session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
try:
    session.run(None, {session.get_inputs()[0].name: x.numpy()})
    print("seen: ONNX Runtime: runs")
except Exception as error:
    print("seen: ONNX Runtime:", str(error)[str(error).index("Input initial_c"):].strip())
PY
grep '^seen: ' "$work/all" | tee "$work/seen"
diff "$work/seen" - <<'SEEN'
seen: dynamo=False: error, projections
seen: exported and checked (full check: shapes differ): hidden_size 5, weight_hr missing
seen: ONNX Runtime: Input initial_c must have shape {1,3,5}. Actual:{1,3,16}
SEEN
