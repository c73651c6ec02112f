#!/usr/bin/env bash
# What surprises: MNN and OpenCV, two runtimes for small devices, take an ONNX GRU with
#   direction="reverse" and compute a forward one.
# Versions: MNN 3.6.1, opencv-python-headless 5.0.0.93, onnx 1.23.2, compared with onnxruntime
#   1.32.0.
# Behaviour: Y and Y_h are those of direction="forward" to 1e-5, without a message. Bidirectional
#   layers are right, their backward halves too. MNN does the same with an RNN; OpenCV rejects that.
# Why it matters: PyTorch exports both directions at once, which works. A backward layer alone comes
#   from Keras (go_backwards=True); its weights are run over the sequence in the wrong order.
# MNN's module for logs is left out: it would run "pip install" and report conversions.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir MNN==3.6.1 opencv-python-headless==5.0.0.93 \
    onnx==1.23.2 onnxruntime==1.32.0

cat > "$work/compare.py" <<'PY'
import subprocess, sys
import MNN.expr as expr, MNN.nn as nn
import cv2
import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper, numpy_helper

steps, batch, width, hidden = 5, 2, 3, 4
convert = """import sys
sys.modules["MNN.tools.utils.log"] = None
from MNN.tools.mnnconvert import main
main()"""

def model_of(kind, direction):
    random = np.random.RandomState(0)
    count, rows = 1 + (direction == "bidirectional"), {"GRU": 3, "RNN": 1}[kind] * hidden
    shapes = {"X": (steps, batch, width), "W": (count, rows, width), "R": (count, rows, hidden),
              "Y": (steps, count, batch, hidden), "Y_h": (count, batch, hidden)}
    x, w, r = (random.uniform(-1, 1, shapes[name]).astype(np.float32) for name in "XWR")
    settings = {"linear_before_reset": 1} if kind == "GRU" else {}
    node = helper.make_node(kind, ["X", "W", "R"], ["Y", "Y_h"], hidden_size=hidden,
                            direction=direction, **settings)
    source, *results = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name])
                        for name in ("X", "Y", "Y_h"))
    constants = [numpy_helper.from_array(w, "W"), numpy_helper.from_array(r, "R")]
    graph = helper.make_graph([node], "g", [source], results, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    checker.check_model(model, full_check=True)
    return model.SerializeToString(), x

def by_onnxruntime(model, x):
    return onnxruntime.InferenceSession(model).run(None, {"X": x})

def by_opencv(model, x):
    network = cv2.dnn.readNetFromONNX(np.frombuffer(model, np.uint8))
    network.setInput(x, "X")
    return network.forward(["Y", "Y_h"])

def by_mnn(model, x):
    with open("model.onnx", "wb") as file:
        file.write(model)
    options = "-f ONNX --modelFile model.onnx --MNNModel model.mnn --bizCode x".split()
    subprocess.run([sys.executable, "-c", convert, *options], check=True, capture_output=True)
    network = nn.load_module_from_file("model.mnn", ["X"], ["Y", "Y_h"])
    source = expr.const(x.flatten().tolist(), list(x.shape), expr.NCHW)
    return [np.array(result.read()) for result in network.forward([source])]

def equal(ones, others):
    return all(one.size == other.size and np.abs(one.ravel() - other.ravel()).max() < 1e-5
               for one, other in zip(ones, others))

for kind, run in (("GRU", by_mnn), ("RNN", by_mnn), ("GRU", by_opencv)):
    for direction in ("forward", "reverse", "bidirectional"):
        results = run(*model_of(kind, direction))
        like = [other for other in ("forward", "reverse", "bidirectional")
                if equal(results, by_onnxruntime(*model_of(kind, other)))]
        print(f"seen: {run.__name__} {kind} {direction}: computed {' '.join(like)}")
PY
(cd "$work" && "$work/venv/bin/python" compare.py > all 2> messages)
grep '^seen: ' "$work/all" | tee "$work/seen"
diff "$work/seen" - <<'SEEN'
seen: by_mnn GRU forward: computed forward
seen: by_mnn GRU reverse: computed forward
seen: by_mnn GRU bidirectional: computed bidirectional
seen: by_mnn RNN forward: computed forward
seen: by_mnn RNN reverse: computed forward
seen: by_mnn RNN bidirectional: computed bidirectional
seen: by_opencv GRU forward: computed forward
seen: by_opencv GRU reverse: computed forward
seen: by_opencv GRU bidirectional: computed bidirectional
SEEN
