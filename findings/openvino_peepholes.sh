#!/usr/bin/env bash
# What surprises: OpenVINO reads an ONNX LSTM with peepholes (input P) or with coupled gates (input_forget=1) without an error and computes an
#   ordinary LSTM: the results are exactly those of the same node without them. Activations that it does not know are an error instead.
# Versions: openvino 2026.4.1, onnx 1.23.2; the right values are computed with NumPy by the formulas of the ONNX specification.
# Behaviour: the results differ from the formulas by 0.01 to 0.3, from those of a plain LSTM by less than 1e-6.
# Why it matters: older speech models have peepholes. cuDNN does not, so that such models are moved to runtimes for the CPU, of which this one
#   silently drops the weights.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir onnx==1.23.2 openvino==2026.4.1

"$work/venv/bin/python" - > "$work/seen" <<'PY'
import numpy as np
import openvino
from onnx import TensorProto, checker, helper, numpy_helper

steps, batch, width, hidden = 4, 2, 3, 5
random = np.random.RandomState(1)
x, w, r, p = (random.uniform(-1, 1, shape).astype(np.float32) for shape in ((steps, batch, width), (4 * hidden, width), (4 * hidden, hidden), (3, hidden)))

def sigmoid(values):
    return 1 / (1 + np.exp(-values))

def by_formula(peepholes, coupled):
    """Gates in ONNX's order: input, output, forget, cell."""
    h, c = np.zeros((batch, hidden)), np.zeros((batch, hidden))
    p_input, p_output, p_forget = p if peepholes else np.zeros((3, hidden))
    for step in x:
        gates = np.split(step @ w.T + h @ r.T, 4, axis=1)
        i = sigmoid(gates[0] + p_input * c)
        f = 1 - i if coupled else sigmoid(gates[2] + p_forget * c)
        c = f * c + i * np.tanh(gates[3])
        h = sigmoid(gates[1] + p_output * c) * np.tanh(c)
    return h

def by_openvino(peepholes, coupled, activations=None):
    constants = {"W": w[None], "R": r[None]} | ({"P": p.reshape(1, -1)} if peepholes else {})
    settings = {"input_forget": 1} if coupled else {}
    if activations:
        settings["activations"] = activations
    node = helper.make_node("LSTM", ["X", "W", "R"] + (["", "", "", "", "P"] if peepholes else []), ["", "Y_h"], hidden_size=hidden, **settings)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("X", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("Y_h", TensorProto.FLOAT, (1, batch, hidden))],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    checker.check_model(model, full_check=True)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return compiled([x])[0][0]

plain = by_formula(False, False)
for peepholes, coupled, words in ((False, False, "plain"), (True, False, "peepholes"), (False, True, "input_forget")):
    result = by_openvino(peepholes, coupled)
    right, as_plain = (np.abs(result - expected).max() < 1e-5 for expected in (by_formula(peepholes, coupled), plain))
    print(f"{words}: {'right' if right else 'wrong'}, {'equal to' if as_plain else 'unlike'} a plain LSTM")
try:
    by_openvino(False, False, ["Sigmoid", "Softsign", "Softsign"])
    print("softsign: accepted")
except RuntimeError:
    print("softsign: error")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
plain: right, equal to a plain LSTM
peepholes: wrong, equal to a plain LSTM
input_forget: wrong, equal to a plain LSTM
softsign: error
SEEN
