#!/usr/bin/env python3
"""Recurrence that is no named layer: small ONNX graphs and files of arrays, each with its line for expected.jsonl.

usage: make_cells.py MODELS_DIRECTORY     writes files/cells/ and the lines of these files in expected.jsonl
Run with onnx 1.22. The graphs are written as exporters write them; the arrays have the names and shapes of Flax 0.12, Haiku 0.0.17, Equinox 0.13.
"""

import json
import pathlib
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

models = pathlib.Path(sys.argv[1])
target = models / "files/cells"
target.mkdir(parents=True, exist_ok=True)
rows = []
H, I = 4, 3
random = np.random.default_rng(1)


def expect(name, framework, layers, why, format="onnx", unclear=False):
    row = {
        "file": f"files/cells/{name}",
        "format": format,
        "framework": framework,
        "version": None,
        "layers": layers,
        "why": why,
    }
    if unclear:
        row["unclear"] = True
    rows.append(row)


def layer(name, kind, cudnn="no", input=I, hidden=H, directions=1, dtype="float32"):
    return {
        "name": name,
        "kind": kind,
        "input": input,
        "hidden": hidden,
        "layers": 1,
        "directions": directions,
        "dtype": dtype,
        "cudnn": cudnn,
    }


def array(name, *shape):
    return numpy_helper.from_array(random.standard_normal(shape).astype(np.float32), name)


def ints(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def value(name, *shape, type=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, type, shape)


def save(name, nodes, inputs, outputs, initializers, functions=(), opsets=(("", 17),)):
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid(*one) for one in opsets],
        functions=list(functions),
        ir_version=8,
    )
    onnx.save(model, target / name)


N = helper.make_node


def lstm_step(step, x, h, c, w="W", r="R", b="B"):
    """One step with Gemm, Split and Mul, as PyTorch's exporter writes an LSTMCell."""
    p = f"s{step}_"
    return [
        N("Gemm", [x, w, b], [p + "xw"], p + "gemm", transB=1),
        N("Gemm", [h, r], [p + "hr"], p + "gemm_1", transB=1),
        N("Add", [p + "xw", p + "hr"], [p + "sum"], p + "add"),
        N("Split", [p + "sum"], [p + "i", p + "f", p + "g", p + "o"], p + "split", axis=1),
        N("Sigmoid", [p + "i"], [p + "si"]),
        N("Sigmoid", [p + "f"], [p + "sf"]),
        N("Tanh", [p + "g"], [p + "tg"]),
        N("Sigmoid", [p + "o"], [p + "so"]),
        N("Mul", [p + "sf", c], [p + "fc"]),
        N("Mul", [p + "si", p + "tg"], [p + "ig"]),
        N("Add", [p + "fc", p + "ig"], [p + "c"], f"cell/step{step}/add"),
        N("Tanh", [p + "c"], [p + "tc"]),
        N("Mul", [p + "so", p + "tc"], [p + "h"]),
    ]


weights = [array("W", 4 * H, I), array("R", 4 * H, H), array("B", 4 * H)]
save(
    "lstm_unrolled.onnx",
    lstm_step(0, "x0", "h0", "c0") + lstm_step(1, "x1", "s0_h", "s0_c"),
    [value("x0", 1, I), value("x1", 1, I), value("h0", 1, H), value("c0", 1, H)],
    [value("s1_h", 1, H)],
    weights,
)
expect(
    "lstm_unrolled.onnx",
    "onnx",
    [layer("cell/step0", "lstm_cell")],
    "two steps with the same matrices are one cell",
)

second = [array("W2", 4 * H, H), array("R2", 4 * H, H), array("B2", 4 * H)]
save(
    "lstm_two_cells.onnx",
    lstm_step(0, "x0", "h0", "c0") + lstm_step(1, "s0_h", "h0", "c0", "W2", "R2", "B2"),
    [value("x0", 1, I), value("h0", 1, H), value("c0", 1, H)],
    [value("s1_h", 1, H)],
    weights + second,
)
expect(
    "lstm_two_cells.onnx",
    "onnx",
    [layer("cell/step0", "lstm_cell"), layer("cell/step1", "lstm_cell", input=H)],
    "two cells with matrices of their own",
)

gru = [
    N("MatMul", ["x", "W"], ["xw"]),
    N("MatMul", ["h", "R"], ["hr"]),
    N("Split", ["xw"], ["xz", "xr", "xn"], axis=1),
    N("Split", ["hr"], ["hz", "hr_", "hn"], axis=1),
    N("Add", ["xz", "hz"], ["az"]),
    N("Sigmoid", ["az"], ["z"]),
    N("Add", ["xr", "hr_"], ["ar"]),
    N("Sigmoid", ["ar"], ["r"]),
    N("Mul", ["r", "hn"], ["rn"]),
    N("Add", ["xn", "rn"], ["an"]),
    N("Tanh", ["an"], ["n"]),
    N("Sub", ["one", "z"], ["rest"]),
    N("Mul", ["z", "h"], ["zh"]),
    N("Mul", ["rest", "n"], ["zn"]),
    N("Add", ["zh", "zn"], ["h_out"], "gru/step/add"),
    N("Identity", ["h_out"], ["y"]),
]
body = helper.make_graph(
    gru, "body", [value("h", 1, H), value("x", 1, I)], [value("h_out", 1, H), value("y", 1, H)]
)
save(
    "gru_scan.onnx",
    [N("Scan", ["h0", "xs"], ["last", "all"], "scan", body=body, num_scan_inputs=1)],
    [value("h0", 1, H), value("xs", 5, 1, I)],
    [value("last", 1, H)],
    [array("W", I, 3 * H), array("R", H, 3 * H), numpy_helper.from_array(np.float32(1), "one")],
)
expect(
    "gru_scan.onnx",
    "onnx",
    [layer("gru/step", "gru_cell")],
    "a GRU in the body of a Scan, matrices of the outer graph",
)

plain = []
for step in range(3):
    before = f"h{step}"
    plain += [
        N("MatMul", [f"x{step}", "W"], [f"xw{step}"]),
        N("MatMul", [before, "R"], [f"hr{step}"]),
        N("Add", [f"xw{step}", f"hr{step}"], [f"a{step}"]),
        N("Tanh", [f"a{step}"], [f"h{step + 1}"], f"rnn/tanh{step}"),
    ]
save(
    "rnn_unrolled.onnx",
    plain,
    [value(f"x{step}", 1, I) for step in range(3)] + [value("h0", 1, H)],
    [value("h3", 1, H)],
    [array("W", I, H), array("R", H, H)],
)
expect(
    "rnn_unrolled.onnx",
    "onnx",
    [layer("rnn", "rnn_cell")],
    "tanh of a step goes into the next with the same matrix",
)

mlp = [
    N("MatMul", ["x", "W1"], ["a"]),
    N("Tanh", ["a"], ["b"]),
    N("MatMul", ["b", "W2"], ["c"]),
    N("Tanh", ["c"], ["d"]),
    N("MatMul", ["d", "W3"], ["e"]),
    N("Sigmoid", ["e"], ["t"]),
    N("Relu", ["e"], ["r"]),
    N("Sub", ["one", "t"], ["rest"]),
    N("Mul", ["t", "r"], ["tr"]),
    N("Mul", ["rest", "d"], ["td"]),
    N("Add", ["tr", "td"], ["y"]),
]
save(
    "highway.onnx",
    mlp,
    [value("x", 1, H)],
    [value("y", 1, H)],
    [array(f"W{k}", H, H) for k in (1, 2, 3)] + [numpy_helper.from_array(np.float32(1), "one")],
)
expect("highway.onnx", "onnx", [], "dense layers and a highway layer, no recurrence")

loop_body = helper.make_graph(
    [N("MatMul", ["s", "M"], ["s_out"]), N("Identity", ["go"], ["go_out"])],
    "steps",
    [value("i", type=TensorProto.INT64), value("go", type=TensorProto.BOOL), value("s", 1, H)],
    [value("go_out", type=TensorProto.BOOL), value("s_out", 1, H)],
)
save(
    "loop_unknown.onnx",
    [N("Loop", ["n", "go0", "s0"], ["end"], "loop", body=loop_body)],
    [value("s0", 1, H), value("n", type=TensorProto.INT64), value("go0", type=TensorProto.BOOL)],
    [value("end", 1, H)],
    [array("M", H, H)],
)
expect(
    "loop_unknown.onnx",
    "onnx",
    [],
    "a loop with a matrix product that is no known cell",
    unclear=True,
)

save(
    "own_operator.onnx",
    [N("FastLSTM", ["x"], ["y"], "fast", domain="my.ops")],
    [value("x", 5, 1, I)],
    [value("y", 5, 1, H)],
    [],
    opsets=(("", 17), ("my.ops", 1)),
)
expect(
    "own_operator.onnx",
    "onnx",
    [],
    "an operator of another domain, named after an LSTM",
    unclear=True,
)

function = helper.make_function(
    "my.ops",
    "Cell",
    ["x", "h", "c", "W", "R", "B"],
    ["s0_h", "s0_c"],
    lstm_step(0, "x", "h", "c"),
    [helper.make_opsetid("", 17)],
)
save(
    "function.onnx",
    [N("Cell", ["x", "h", "c", "W", "R", "B"], ["y", "c1"], "call", domain="my.ops")],
    [value("x", 1, I), value("h", 1, H), value("c", 1, H)],
    [value("y", 1, H)],
    weights,
    [function],
    (("", 17), ("my.ops", 1)),
)
expect(
    "function.onnx",
    "onnx",
    [layer("cell/step0", "lstm_cell")],
    "a function of the file, called with the matrices",
)


def branch(name):
    p = name + "_"
    nodes = [
        N("Slice", ["Wall", "zero", "half", "zero"], [p + "Wa"]),
        N("Slice", ["Wall", "half", "end", "zero"], [p + "Wb"]),
        N("Concat", [p + "Wa", p + "Wb"], [p + "W"], axis=0),
        N("Unsqueeze", [p + "W", "zero"], [p + "W3"]),
        N("Unsqueeze", ["Rall", "zero"], [p + "R3"]),
        N("Identity", ["xs"], [p + "x"]),
        N("LSTM", [p + "x", p + "W3", p + "R3"], [p + "y"], name + "/LSTM", hidden_size=H),
    ]
    return helper.make_graph(
        nodes, name, [], [helper.make_tensor_value_info(p + "y", TensorProto.FLOAT, None)]
    )


save(
    "lstm_by_slices.onnx",
    [N("If", ["c"], ["y"], "choice", then_branch=branch("then"), else_branch=branch("else"))],
    [
        value("c", type=TensorProto.BOOL),
        helper.make_tensor_value_info("xs", TensorProto.FLOAT, None),
    ],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    [
        array("Wall", 4 * H, I),
        array("Rall", 4 * H, H),
        ints("zero", 0),
        ints("half", 2 * H),
        ints("end", 4 * H),
    ],
)
expect(
    "lstm_by_slices.onnx",
    "onnx",
    [layer("else/LSTM", "lstm", "yes"), layer("then/LSTM", "lstm", "yes")],
    "sizes and types through Slice, Concat and Unsqueeze of the outer graph",
)

save(
    "projection_dropped.onnx",
    [N("LSTM", ["x", "W", "R", "", "", "h", "c"], ["y"], "LSTM", hidden_size=2)],
    [value("x", 5, 1, I), value("h", 1, 1, 2), value("c", 1, 1, H)],
    [value("y", 5, 1, 1, 2)],
    [array("W", 1, 4 * H, I), array("R", 1, 4 * H, 2)],
)
expect(
    "projection_dropped.onnx",
    "onnx",
    [layer("LSTM", "lstm", hidden=2)],
    "proj_size 2 of hidden size 4 written as hidden size 2: matrices and states contradict each other",
)


def safetensors(name, shapes):
    header, at = {}, 0
    for key, shape in shapes.items():
        size = 4 * int(np.prod(shape))
        header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    (target / name).write_bytes(struct.pack("<Q", len(text)) + text + bytes(at))


def arrays(name, framework, shapes, layers, why, unclear=False):
    safetensors(name, shapes)
    expect(name, framework, layers, why, "safetensors", unclear)


arrays(
    "flax_lstm.safetensors",
    "jax",
    {f"params/cell/{s}{g}/kernel": [n, H] for s, n in (("i", I), ("h", H)) for g in "ifgo"}
    | {f"params/cell/h{g}/bias": [H] for g in "ifgo"},
    [layer("params.cell", "lstm_cell")],
    "flax.linen.LSTMCell",
)
arrays(
    "flax_gru.safetensors",
    "jax",
    {f"params.cell.{s}{g}.kernel": [n, H] for s, n in (("i", I), ("h", H)) for g in "rzn"},
    [layer("params.cell", "gru_cell")],
    "flax.linen.GRUCell",
)
arrays(
    "flax_nnx_lstm.safetensors",
    "jax",
    {
        "rnn.cell.dense_i.kernel": [I, 4 * H],
        "rnn.cell.dense_h.kernel": [H, 4 * H],
        "rnn.cell.dense_h.bias": [4 * H],
        "head.kernel": [H, 2],
    },
    [layer("rnn.cell", "lstm_cell")],
    "flax.nnx.OptimizedLSTMCell",
)
arrays(
    "haiku_lstm.safetensors",
    "jax",
    {"model/~/lstm/linear/w": [I + H, 4 * H], "model/~/lstm/linear/b": [4 * H]},
    [layer("model.~.lstm", "lstm_cell")],
    "haiku.LSTM",
)
arrays(
    "haiku_gru.safetensors",
    "jax",
    {"gru/w_i": [I, 3 * H], "gru/w_h": [H, 3 * H], "gru/b": [3 * H]},
    [layer("gru", "gru_cell")],
    "haiku.GRU",
)
arrays(
    "equinox_gru.safetensors",
    "jax",
    {
        "cell.weight_ih": [3 * H, I],
        "cell.weight_hh": [3 * H, H],
        "cell.bias": [3 * H],
        "cell.bias_n": [H],
    },
    [layer("cell", "gru_cell")],
    "equinox.nn.GRUCell",
)
arrays(
    "own_cells.safetensors",
    "pytorch",
    {
        "encoder.lstm.weight_ih_l0": [4 * H, I],
        "encoder.lstm.weight_hh_l0": [4 * H, H],
        "elmo.forward_layer_0.input_linearity.weight": [16, I],
        "elmo.forward_layer_0.state_linearity.weight": [16, 2],
        "elmo.forward_layer_0.state_linearity.bias": [16],
        "elmo.forward_layer_0.state_projection.weight": [2, 4],
    },
    [layer("encoder.lstm", "lstm", "yes"), layer("elmo.forward_layer_0", "lstm_cell", hidden=4)],
    "a cell of the program's own with a projection beside nn.LSTM",
)
arrays(
    "own_gates.safetensors",
    "pytorch",
    {f"cell.{m}_{g}.weight": [H, n] for m, n in (("W", I), ("U", H)) for g in "ifco"},
    [layer("cell", "lstm_cell")],
    "a matrix for each gate",
)
arrays(
    "conv_lstm.safetensors",
    "pytorch",
    {
        "convlstm.cell_list.0.conv.weight": [4 * H, I + H, 3, 3],
        "convlstm.cell_list.0.conv.bias": [4 * H],
    },
    [layer("convlstm.cell_list.0", "conv_lstm")],
    "a convolution for all gates",
)
arrays(
    "flat_lstm.safetensors",
    "pytorch",
    {"lstm.weights": [208]},
    [],
    "one vector that is named after an LSTM",
    unclear=True,
)
arrays(
    "transformer.safetensors",
    "pytorch",
    {
        "h.0.attn.q.weight": [H, H],
        "h.0.attn.k.weight": [H, H],
        "h.0.mlp.up.weight": [4 * H, H],
        "h.0.mlp.gate.weight": [4 * H, H],
        "h.0.mlp.down.weight": [H, 4 * H],
        "attention.W_a.weight": [H, H],
        "attention.U_a.weight": [H, H],
    },
    [],
    "no recurrence: a gated feed-forward layer has such shapes",
)
arrays(
    "fastai.safetensors",
    "pytorch",
    {
        "0.rnns.0.weight_hh_l0_raw": [4 * H, H],
        "0.rnns.0.module.weight_ih_l0": [4 * H, I],
        "0.rnns.0.module.bias_ih_l0": [4 * H],
        "0.rnns.0.module.bias_hh_l0": [4 * H],
    },
    [layer("0.rnns.0", "lstm", "yes")],
    "fastai's WeightDropout around nn.LSTM",
)
arrays(
    "contradiction.safetensors",
    "pytorch",
    {
        "rnn.weight_ih_l0": [4 * H, I],
        "rnn.weight_hh_l0": [4 * H, H],
        "rnn.weight_ih_l1": [4 * H, I],
        "rnn.weight_hh_l1": [4 * H, H],
    },
    [layer("rnn", "lstm") | {"layers": 2}],
    "the second layer has the inputs of the first",
)

table = models / "expected.jsonl"
old = [
    line for line in table.read_text().splitlines() if not line.startswith('{"file": "files/cells/')
]
table.write_text("".join(line + "\n" for line in old + [json.dumps(row) for row in rows]))
print(len(rows), "files")
