#!/usr/bin/env bash
# What surprises: for a sequence of length 0, ONNX Runtime and OpenVINO return zeros as the last state, not the initial state that was given.
#   A sequence without a step forgets everything.
# Versions: onnxruntime 1.32.0, openvino 2026.4.1, onnx 1.23.2.
# Behaviour: with sequence_lens [4, 0] and initial states of 1, the rows of length 0 of Y_h (and of Y_c of the LSTM) are 0 in LSTM, GRU and
#   RNN in both programs; no step was made, so that the state should still be 1. The row of length 4 is as without lengths.
# Why it matters: streams are batched in chunks and carry their state from chunk to chunk. A stream that is silent in one chunk has length 0
#   there and starts from scratch afterwards. What cuDNN returns for such a row is not documented; PyTorch rejects the length.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir onnx==1.23.2 onnxruntime==1.32.0 openvino==2026.4.1

"$work/venv/bin/python" - > "$work/seen" <<'PY'
import numpy as np
import onnxruntime
import openvino
from onnx import TensorProto, checker, helper, numpy_helper

steps, batch, width, hidden = 4, 2, 3, 2
for kind, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
    random = np.random.RandomState(2)
    x = random.randn(steps, batch, width).astype(np.float32)
    constants = {"W": random.randn(1, gates * hidden, width).astype(np.float32), "R": random.randn(1, gates * hidden, hidden).astype(np.float32),
                 "lengths": np.array([steps, 0], np.int32), "state": np.ones((1, batch, hidden), np.float32)}
    states = ["Y_h"] + (["Y_c"] if kind == "LSTM" else [])
    node = helper.make_node(kind, ["X", "W", "R", "", "lengths"] + ["state"] * len(states), ["", *states], hidden_size=hidden)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("X", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, batch, hidden)) for name in states],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    checker.check_model(model, full_check=True)
    text = model.SerializeToString()
    by_ort = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"]).run(None, {"X": x})
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(text), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    by_openvino = list(compiled([x]).values())
    for name, one, other in zip(states, by_ort, by_openvino):
        assert np.abs(one[0, 0] - other[0, 0]).max() < 1e-5 and one[0, 0].any()
        print(f"{kind} {name} of length 0 after a state of 1: ONNX Runtime {one[0, 1].tolist()}, OpenVINO {other[0, 1].tolist()}")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LSTM Y_h of length 0 after a state of 1: ONNX Runtime [0.0, 0.0], OpenVINO [0.0, 0.0]
LSTM Y_c of length 0 after a state of 1: ONNX Runtime [0.0, 0.0], OpenVINO [0.0, 0.0]
GRU Y_h of length 0 after a state of 1: ONNX Runtime [0.0, 0.0], OpenVINO [0.0, 0.0]
RNN Y_h of length 0 after a state of 1: ONNX Runtime [0.0, 0.0], OpenVINO [0.0, 0.0]
SEEN
