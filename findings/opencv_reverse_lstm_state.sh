#!/usr/bin/env bash
# What surprises: OpenCV reads an ONNX LSTM with direction="reverse" from the end, as it should, but
#   gives as its last state Y_h the one at the last time, which is the state after the first step.
# Versions: opencv-python-headless 5.0.0.93, onnx 1.23.2, compared with onnxruntime 1.32.0.
# Behaviour: the sequence Y agrees with ONNX Runtime to 1e-5. Y_h is Y at the last time instead of Y
#   at time 0. It is so with the new and with the classic engine. Forward and bidirectional layers
#   are right, the backward half of the latter too. No message.
# Why it matters: a classifier on the last state of a reverse LSTM (Keras: go_backwards=True) sees
#   one step of its sequence and nothing else. Whoever checks Y finds the layer right.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir opencv-python-headless==5.0.0.93 onnx==1.23.2 \
    onnxruntime==1.32.0

"$work/venv/bin/python" - > "$work/seen" 2> "$work/messages" <<'PY'
import cv2
import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper, numpy_helper

steps, batch, width, hidden = 5, 2, 3, 4
random = np.random.RandomState(0)
x = random.uniform(-1, 1, (steps, batch, width)).astype(np.float32)

def model_of(direction):
    count = 2 if direction == "bidirectional" else 1
    weights = {"W": (count, 4 * hidden, width), "R": (count, 4 * hidden, hidden)}
    constants = [numpy_helper.from_array(random.uniform(-1, 1, shape).astype(np.float32), name)
                 for name, shape in weights.items()]
    node = helper.make_node("LSTM", ["X", "W", "R"], ["Y", "Y_h"], hidden_size=hidden,
                            direction=direction)
    shapes = {"X": x.shape, "Y": (steps, count, batch, hidden), "Y_h": (count, batch, hidden)}
    source, *results = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                        for name, shape in shapes.items())
    graph = helper.make_graph([node], "g", [source], results, constants)
    opset = helper.make_opsetid("", 14)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    checker.check_model(model, full_check=True)
    return model.SerializeToString()

def equal(one, other):
    return np.abs(one.reshape(other.shape) - other).max() < 1e-5

for direction in ("forward", "reverse", "bidirectional"):
    model = model_of(direction)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    right_y, right_h = session.run(None, {"X": x})
    for engine in ("ENGINE_NEW", "ENGINE_CLASSIC"):
        buffer = np.frombuffer(model, np.uint8)
        network = cv2.dnn.readNetFromONNX(buffer, getattr(cv2.dnn, engine))
        network.setInput(x, "X")
        y, h = network.forward(["Y", "Y_h"])
        words = ["Y right" if equal(y, right_y) else "Y wrong"]
        words.append("Y_h right" if equal(h, right_h) else "Y_h wrong")
        if direction != "bidirectional":
            assert equal(right_h, right_y[0] if direction == "reverse" else right_y[-1])
            words += [f"Y_h is Y[{step}]" for step in range(steps) if equal(h, right_y[step])]
        print(f"{direction}, {engine}: {', '.join(words)}")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
forward, ENGINE_NEW: Y right, Y_h right, Y_h is Y[4]
forward, ENGINE_CLASSIC: Y right, Y_h right, Y_h is Y[4]
reverse, ENGINE_NEW: Y right, Y_h wrong, Y_h is Y[4]
reverse, ENGINE_CLASSIC: Y right, Y_h wrong, Y_h is Y[4]
bidirectional, ENGINE_NEW: Y right, Y_h right
bidirectional, ENGINE_CLASSIC: Y right, Y_h right
SEEN
