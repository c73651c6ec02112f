#!/usr/bin/env bash
# What surprises: quantize_dynamic of ONNX Runtime drops the attribute layout of an LSTM. A model with batch-major data, which ONNX Runtime
#   refuses, becomes one that it runs, with batch and time exchanged: every sequence is read across the batch.
# Versions: onnxruntime 1.32.0, onnx 1.23.2 (whose reference computes layout=1).
# Behaviour: the float model is an error ("Batchwise recurrent operations (layout == 1) are not supported"); the quantised one has the node
#   DynamicQuantizeLSTM with hidden_size only and runs. Its results are those of time-major data, far from the reference; that the output's
#   shape is not the declared one is a warning on stderr. GRU and RNN nodes keep layout and stay in fp32 without a message.
# Why it matters: an error that was honest becomes numbers. A model that uses the last state alone goes on with values of which only the
#   first sequence's first step is right, and the loss of accuracy is blamed on int8.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir onnx==1.23.2 onnxruntime==1.32.0

"$work/venv/bin/python" - "$work" > "$work/seen" 2> "$work/stderr" <<'PY'
import sys
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnxruntime.quantization import quantize_dynamic

directory = sys.argv[1]
batch, steps, width, hidden = 2, 7, 8, 6

def model_of(kind, gates, layout):
    random = np.random.RandomState(3)
    constants = {"W": random.randn(1, gates * hidden, width).astype(np.float32), "R": random.randn(1, gates * hidden, hidden).astype(np.float32)}
    node = helper.make_node(kind, ["X", "W", "R"], ["Y"], hidden_size=hidden, layout=layout)
    shape = (batch, steps, 1, hidden) if layout else (batch, 1, steps, hidden)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("X", TensorProto.FLOAT, (batch, steps, width))],
                              [helper.make_tensor_value_info("Y", TensorProto.FLOAT, shape)], [numpy_helper.from_array(value, name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    return model

def run(model, x):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"X": x})[0]

for kind, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
    x = np.random.RandomState(4).randn(batch, steps, width).astype(np.float32)
    batch_major = model_of(kind, gates, 1)
    try:
        run(batch_major, x)
        print(kind, "in fp32: runs")
    except Exception as error:
        print(kind, "in fp32:", "layout is not supported" if "layout == 1" in str(error) else error)
    onnx.save(batch_major, f"{directory}/model.onnx")
    quantize_dynamic(f"{directory}/model.onnx", f"{directory}/quantised.onnx")
    quantised = onnx.load(f"{directory}/quantised.onnx")
    [node] = quantised.graph.node
    print(kind, "quantised:", node.op_type, [attribute.name for attribute in node.attribute])
    if node.op_type != kind:
        result, right, exchanged = run(quantised, x), ReferenceEvaluator(batch_major).run(None, {"X": x})[0], run(model_of(kind, gates, 0), x)
        print(f"  declared {right.shape}, returned {result.shape}; as time-major: {np.abs(result - exchanged).max() < 0.1}; "
              f"as the reference: {np.abs(result.swapaxes(1, 2) - right).max() < 0.1}")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LSTM in fp32: layout is not supported
LSTM quantised: DynamicQuantizeLSTM ['hidden_size']
  declared (2, 7, 1, 6), returned (2, 1, 7, 6); as time-major: True; as the reference: False
GRU in fp32: layout is not supported
GRU quantised: GRU ['hidden_size', 'layout']
RNN in fp32: layout is not supported
RNN quantised: RNN ['hidden_size', 'layout']
SEEN
