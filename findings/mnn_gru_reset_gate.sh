#!/usr/bin/env bash
# What surprises: MNN's converter turns an ONNX GRU with linear_before_reset=0, ONNX's default and
#   the form of Keras's reset_after=False, into one that resets behind the matrix. Its option
#   --useOriginRNNImpl, which chooses how a network is computed, makes the results right.
# Versions: MNN 3.6.1, onnx 1.23.2; the right values are computed with NumPy by ONNX's formulas.
# Behaviour: the candidate is tanh(W x + r * (R h) + b), not tanh(W x + R (r * h) + b). Neither
#   setting has that form, because the bias stays outside. With linear_before_reset=1 all is right.
#   There is no message.
# Why it matters: cuDNN and PyTorch reset behind the matrix, so that networks trained there convert
#   well and are those that are tested. A GRU of the original form gets other numbers on the device.
# The converter's module for logs is left out: it would run "pip install" and report conversions.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir MNN==3.6.1 onnx==1.23.2

cat > "$work/convert.py" <<'PY'
import sys
sys.modules["MNN.tools.utils.log"] = None
from MNN.tools.mnnconvert import main
main()
PY
cat > "$work/compare.py" <<'PY'
import subprocess, sys
import MNN.expr as expr
import MNN.nn as nn
import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

steps, batch, width, hidden = 5, 2, 3, 4
random = np.random.RandomState(0)
shapes = {"X": (steps, batch, width), "W": (1, 3 * hidden, width), "R": (1, 3 * hidden, hidden),
          "B": (1, 6 * hidden), "Y": (steps, 1, batch, hidden), "Y_h": (1, batch, hidden)}
x, w, r, b = (random.uniform(-1, 1, shapes[name]).astype(np.float32) for name in "XWRB")

def sigmoid(values):
    return 1 / (1 + np.exp(-values))

def by_formula(form):
    """The last state; gates in ONNX's order: update, reset, candidate."""
    h = np.zeros((batch, hidden))
    (w_z, w_r, w_h), (r_z, r_r, r_h) = np.split(w[0], 3), np.split(r[0], 3)
    b_z, b_r, b_h, d_z, d_r, d_h = np.split(b[0], 6)
    for step in x:
        update = sigmoid(step @ w_z.T + b_z + h @ r_z.T + d_z)
        reset = sigmoid(step @ w_r.T + b_r + h @ r_r.T + d_r)
        recurrent = {"0": (reset * h) @ r_h.T + d_h, "1": reset * (h @ r_h.T + d_h),
                     "neither": reset * (h @ r_h.T) + d_h}[form]
        h = (1 - update) * np.tanh(step @ w_h.T + b_h + recurrent) + update * h
    return h

def info(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name])

def by_mnn(linear, options):
    node = helper.make_node("GRU", ["X", "W", "R", "B"], ["Y", "Y_h"], hidden_size=hidden,
                            linear_before_reset=linear)
    constants = [numpy_helper.from_array(value, name) for name, value in zip("WRB", (w, r, b))]
    graph = helper.make_graph([node], "g", [info("X")], [info("Y"), info("Y_h")], constants)
    opset = helper.make_opsetid("", 14)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    checker.check_model(model, full_check=True)
    with open("gru.onnx", "wb") as file:
        file.write(model.SerializeToString())
    command = "convert.py -f ONNX --modelFile gru.onnx --MNNModel gru.mnn --bizCode x".split()
    subprocess.run([sys.executable, *command, *options], check=True, capture_output=True)
    network = nn.load_module_from_file("gru.mnn", ["X"], ["Y", "Y_h"])
    result = network.forward([expr.const(x.flatten().tolist(), list(x.shape), expr.NCHW)])
    return np.array(result[1].read()).reshape(batch, hidden)

for linear in (0, 1):
    for options in ((), ("--useOriginRNNImpl",)):
        result = by_mnn(linear, options)
        [form] = [form for form in ("0", "1", "neither")
                  if np.abs(by_formula(form) - result).max() < 1e-4]
        way = " ".join(options) or "as it is"
        print(f"seen: linear_before_reset={linear}, converted {way}: that of {form}")
PY
(cd "$work" && "$work/venv/bin/python" compare.py > all 2> messages)
grep '^seen: ' "$work/all" | tee "$work/seen"
diff "$work/seen" - <<'SEEN'
seen: linear_before_reset=0, converted as it is: that of neither
seen: linear_before_reset=0, converted --useOriginRNNImpl: that of 0
seen: linear_before_reset=1, converted as it is: that of 1
seen: linear_before_reset=1, converted --useOriginRNNImpl: that of 1
SEEN
