#!/usr/bin/env bash
# What surprises: to ONNX Runtime a recurrent layer with the activation Affine, whose scale is not given,
#   is one with the scale 0: all its outputs are 0. The threshold of ThresholdedRelu is 0 instead of 1.
#   There is no error or message.
# Versions: onnxruntime 1.32.0, onnx 1.23.2, numpy 2.4.6.
# Behaviour: RNN(Affine), GRU(Sigmoid, Affine) and LSTM with Affine as the second or third activation
#   return zeros; with activation_alpha=1 the outputs are those of the formulas. RNN(ThresholdedRelu) is
#   that with activation_alpha=0, while the operator ThresholdedRelu of the same runtime has 1. LeakyRelu,
#   Elu and HardSigmoid get their defaults.
# Documentation: ONNX of activation_alpha and activation_beta: "Default values are the same as of
#   corresponding ONNX operators", https://onnx.ai/onnx/operators/onnx__RNN.html, which for ThresholdedRelu
#   is alpha 1, https://onnx.ai/onnx/operators/onnx__ThresholdedRelu.html. Affine, which has left ONNX, was
#   declared with alpha 1 and beta 0 (its removal: https://github.com/onnx/onnx/pull/1909).
# Known: https://github.com/apache/tvm/pull/12213 remarks that up to 1.12 the defaults of all activations
#   were zeros. Those of three are right now; no public issue about the others was found.
# Why it matters: Affine is ONNX's only linear activation, for layers with activation="linear". A layer
#   that returns zeros looks like a fault of the weights or of the GPU.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6

"$work/venv/bin/python" - > "$work/seen" <<'PY'
import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper, numpy_helper

steps, batch, width, hidden = 4, 2, 3, 5
random = np.random.RandomState(1)
output = (steps, 1, batch, hidden)
x = random.uniform(-2, 2, (steps, batch, width)).astype(np.float32)

def sigmoid(values):
    return 1 / (1 + np.exp(-values))

def affine(values):
    return values

def value_of(node, shape, constants=(), check=True):
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("X", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("Y", TensorProto.FLOAT, shape)],
                              [numpy_helper.from_array(value, name) for name, value in dict(constants).items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    if check:
        checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"X": x})[0]

def by_formula(kind, w, r, functions):
    """The outputs of all steps; gates in ONNX's order, no biases, the reset gate before the product."""
    h = c = np.zeros((batch, hidden))
    outputs = []
    for step in x:
        if kind == "LSTM":
            i, o, f, g = np.split(step @ w.T + h @ r.T, 4, axis=1)
            c = functions[0](f) * c + functions[0](i) * functions[1](g)
            h = functions[0](o) * functions[2](c)
        elif kind == "GRU":
            (wz, wr, wn), (rz, rr, rn) = np.split(w, 3), np.split(r, 3)
            z, reset = functions[0](step @ wz.T + h @ rz.T), functions[0](step @ wr.T + h @ rr.T)
            h = (1 - z) * functions[1](step @ wn.T + (reset * h) @ rn.T) + z * h
        else:
            h = functions[0](step @ w.T + h @ r.T)
        outputs.append(h)
    return np.stack(outputs)[:, None]

given = {"Sigmoid": sigmoid, "Tanh": np.tanh, "Affine": affine}

def seen(kind, activations, **settings):
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind]
    generator = np.random.RandomState(2)
    w, r = (generator.uniform(-0.5, 0.5, (1, gates * hidden, size)).astype(np.float32) for size in (width, hidden))
    node = helper.make_node(kind, ["X", "W", "R"], ["Y"], hidden_size=hidden, activations=activations, **settings)
    result = value_of(node, output, {"W": w, "R": r})
    right = by_formula(kind, w[0], r[0], [given[name] for name in activations])
    words = "zeros" if not result.any() else "as the formulas" if np.abs(result - right).max() < 1e-5 else "other values"
    print(f"{kind}({', '.join(activations)}){' with activation_alpha=1' if settings else ''}: {words}")

for kind, activations in (("RNN", ["Affine"]), ("GRU", ["Sigmoid", "Affine"]),
                          ("LSTM", ["Sigmoid", "Tanh", "Affine"]), ("LSTM", ["Sigmoid", "Affine", "Tanh"])):
    seen(kind, activations)
    seen(kind, activations, activation_alpha=[1.0])

w, r = (random.uniform(-1, 1, (1, hidden, size)).astype(np.float32) for size in (width, hidden))
for name, alpha in (("LeakyRelu", 0.01), ("Elu", 1.0), ("HardSigmoid", 0.2), ("ThresholdedRelu", 1.0), ("ThresholdedRelu", 0.0)):
    beta = {"activation_beta": [0.5]} if name == "HardSigmoid" else {}
    default, explicit = (value_of(helper.make_node("RNN", ["X", "W", "R"], ["Y"], hidden_size=hidden, activations=[name], **options),
                                  output, {"W": w, "R": r}) for options in ({}, {"activation_alpha": [alpha]} | beta))
    print(f"RNN({name}): {'as with' if np.array_equal(default, explicit) and default.any() else 'other than with'} activation_alpha={alpha}")

operator, one, zero = (value_of(helper.make_node("ThresholdedRelu", ["X"], ["Y"], **options), x.shape)
                       for options in ({}, {"alpha": 1.0}, {"alpha": 0.0}))
print("the operator ThresholdedRelu:", "as with alpha=1" if np.array_equal(operator, one) and not np.array_equal(one, zero) else "other values")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
RNN(Affine): zeros
RNN(Affine) with activation_alpha=1: as the formulas
GRU(Sigmoid, Affine): zeros
GRU(Sigmoid, Affine) with activation_alpha=1: as the formulas
LSTM(Sigmoid, Tanh, Affine): zeros
LSTM(Sigmoid, Tanh, Affine) with activation_alpha=1: as the formulas
LSTM(Sigmoid, Affine, Tanh): zeros
LSTM(Sigmoid, Affine, Tanh) with activation_alpha=1: as the formulas
RNN(LeakyRelu): as with activation_alpha=0.01
RNN(Elu): as with activation_alpha=1.0
RNN(HardSigmoid): as with activation_alpha=0.2
RNN(ThresholdedRelu): other than with activation_alpha=1.0
RNN(ThresholdedRelu): as with activation_alpha=0.0
the operator ThresholdedRelu: as with alpha=1
SEEN
