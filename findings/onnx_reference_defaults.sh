#!/usr/bin/env bash
# What surprises: onnx.reference, the reference evaluator of the ONNX project, computes LSTM, GRU and RNN
#   without sequence_lens, clip and, for LSTM and GRU, without activations. It reports nothing; the numbers are those of the defaults.
# Versions: onnx 1.23.2, compared with onnxruntime 1.32.0.
# Behaviour: with lengths, clipping or other activations the results of the reference are, to the last digit, those of the same node without
#   them, while ONNX Runtime's differ by up to 1. Without these settings both agree to 1e-6.
# Why it matters: who tests a converter against it finds that one that loses lengths or clipping is right, and one that keeps them wrong.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir onnx==1.23.2 onnxruntime==1.32.0

"$work/venv/bin/python" - > "$work/seen" <<'PY'
import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

steps, batch, width, hidden = 5, 3, 4, 3
gates = {"LSTM": 4, "GRU": 3, "RNN": 1}

def results(kind, lengths=None, **settings):
    """The last hidden states by the reference and by ONNX Runtime."""
    random = np.random.RandomState(0)
    rows = gates[kind] * hidden
    x, weights, recurrent = (random.uniform(-2, 2, shape).astype(np.float32) for shape in ((steps, batch, width), (1, rows, width), (1, rows, hidden)))
    constants = [numpy_helper.from_array(weights, "W"), numpy_helper.from_array(recurrent, "R")]
    names = ["X", "W", "R"]
    if lengths:
        constants.append(numpy_helper.from_array(np.array(lengths, np.int32), "lengths"))
        names += ["", "lengths"]
    node = helper.make_node(kind, names, ["Y", "Y_h"], hidden_size=hidden, **settings)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("X", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("Y_h", TensorProto.FLOAT, (1, batch, hidden))], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return ReferenceEvaluator(model).run(None, {"X": x})[0], session.run(None, {"X": x})[0]

def compare(kind, words, **settings):
    plain, (reference, runtime) = results(kind)[0], results(kind, **settings)
    print(f"{kind} {words}: reference {'==' if np.array_equal(reference, plain) else '!='} without, "
          f"{'==' if np.abs(reference - runtime).max() < 1e-5 else '!='} ONNX Runtime")

for kind, activations in (("LSTM", ["Sigmoid", "Relu", "Relu"]), ("GRU", ["Sigmoid", "Relu"]), ("RNN", None)):
    compare(kind, "as it is")
    compare(kind, "sequence_lens", lengths=[5, 3, 1])
    compare(kind, "clip", clip=0.1)
    if activations:
        compare(kind, "activations", activations=activations)
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LSTM as it is: reference == without, == ONNX Runtime
LSTM sequence_lens: reference == without, != ONNX Runtime
LSTM clip: reference == without, != ONNX Runtime
LSTM activations: reference == without, != ONNX Runtime
GRU as it is: reference == without, == ONNX Runtime
GRU sequence_lens: reference == without, != ONNX Runtime
GRU clip: reference == without, != ONNX Runtime
GRU activations: reference == without, != ONNX Runtime
RNN as it is: reference == without, == ONNX Runtime
RNN sequence_lens: reference == without, != ONNX Runtime
RNN clip: reference == without, != ONNX Runtime
SEEN
