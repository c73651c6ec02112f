"""ONNX: exports of PyTorch, conversions of Keras, models built by hand. Run with onnx 1.23.2, onnxruntime 1.32.0, torch 2.9.1, onnxscript 0.7.2, Python 3.11.

The conditions of ONNX Runtime's CUDA provider (onnxruntime/core/providers/cuda/cuda_execution_provider.cc, RNNNeedFallbackToCPU) are evaluated
here on the nodes of the file; each file is checked by onnx.checker and run by the CPU provider where that has the operator. Then run
place_onnx.py: it compares with the placement that the CUDA provider itself decides, and writes it into the table as the witness.
"""

import os
import warnings

warnings.simplefilter("ignore")
import numpy
import onnx
import onnx.reference
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

import corpus

out = corpus.Corpus("onnx")
I, H, T, B = 3, 4, 5, 2
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
KIND = {"LSTM": "lstm", "GRU": "gru"}
ORT = onnxruntime.__version__
WITNESS = f"source: the CUDA provider's RNNNeedFallbackToCPU evaluated on the node; checked by onnx {onnx.__version__}"
DTYPES = {
    TensorProto.FLOAT: "float32",
    TensorProto.DOUBLE: "float64",
    TensorProto.FLOAT16: "float16",
    TensorProto.BFLOAT16: "bfloat16",
}
SUPPORTED = {
    "LSTM": ["sigmoid", "tanh", "tanh"] * 2,
    "GRU": ["sigmoid", "tanh"] * 2,
    "RNN": ["tanh"] * 2,
}


def why_cpu(node, dtype, opset):
    """The condition of the CUDA provider's source that sends this node to the CPU, or None."""
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    for name in ("activation_alpha", "activation_beta", "clip"):
        if name in attributes:
            return f"attribute {name}"
    used = [a.decode().lower() for a in attributes.get("activations", [])]
    if any(a != b for a, b in zip(used, SUPPORTED[node.op_type])):
        return f"activations {used}"
    if node.op_type == "LSTM" and attributes.get("input_forget", 0):
        return "input_forget=1"
    if node.op_type == "GRU" and attributes.get("linear_before_reset", 0) != 1:
        return "linear_before_reset is not 1"
    if node.op_type == "LSTM" and len(node.input) == 8 and node.input[7]:
        return "peephole weights P"
    if dtype not in ("float32", "float64", "float16"):
        return f"no CUDA kernel for {dtype}"
    if opset >= 22:
        return f"ONNX Runtime before {'1.25' if node.op_type == 'GRU' else '1.27'} has no CUDA kernel for opset 22"
    if attributes.get("layout", 0):
        return "layout=1: the CUDA kernel rejects it and the session fails"
    return None


def graphs(graph):
    yield graph
    for node in graph.node:
        for a in node.attribute:
            for inside in [a.g] if a.type == onnx.AttributeProto.GRAPH else a.graphs:
                yield from graphs(inside)


def describe(model, why):
    rows = []
    for function in model.functions:
        assert not any(n.op_type in GATES for n in function.node)
    weights = {t.name: t for g in graphs(model.graph) for t in g.initializer}
    for graph in graphs(model.graph):
        for node in graph.node:
            if node.op_type not in GATES or node.domain not in ("", "ai.onnx"):
                continue
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            w = weights.get(node.input[1])
            dtype = DTYPES[w.data_type] if w is not None else "float32"
            reason = why_cpu(
                node,
                dtype,
                max(o.version for o in model.opset_import if o.domain in ("", "ai.onnx")),
            )
            used = [a.decode().lower() for a in attributes.get("activations", [b"Tanh"])]
            kind = KIND.get(node.op_type) or {"tanh": "rnn_tanh", "relu": "rnn_relu"}.get(
                used[0], "rnn"
            )
            rows.append(
                {
                    "name": node.name,
                    "kind": kind,
                    "input": w.dims[2] if w is not None else None,
                    "hidden": attributes["hidden_size"],
                    "layers": 1,
                    "directions": 2 if attributes.get("direction", b"") == b"bidirectional" else 1,
                    "dtype": dtype,
                    "cudnn": "depends"
                    if reason and "opset 22" in reason
                    else "no"
                    if reason
                    else "yes",
                    "why": why + (f" ({reason})" if reason else ""),
                }
            )
    return rows


def finish(name, why, expect=None, run=True, x=None, external=False):
    model = onnx.load(out.path(name))
    onnx.checker.check_model(str(out.path(name)))
    rows = describe(onnx.load(out.path(name), load_external_data=False) if external else model, why)
    if expect:
        assert {row["cudnn"] for row in rows} == {expect}, (name, rows)
    if run:
        session = onnxruntime.InferenceSession(
            str(out.path(name)), providers=["CPUExecutionProvider"]
        )
        session.run(
            None,
            {
                i.name: numpy.zeros(
                    [d if isinstance(d, int) and d else B for d in i.shape],
                    {
                        "tensor(float)": "float32",
                        "tensor(double)": "float64",
                        "tensor(bool)": "bool",
                        "tensor(int64)": "int64",
                    }[i.type],
                )
                for i in session.get_inputs()
            },
        )
    out.add(
        name,
        "onnx",
        "onnx",
        None,
        rows,
        WITNESS,
        producer=" ".join(filter(None, (model.producer_name, model.producer_version))),
        opset=max(o.version for o in model.opset_import if o.domain in ("", "ai.onnx")),
    )
    return model


seed = 300


def parts(op, name, directions=1, bias=True, dtype="float32", given=(), **attributes):
    """A node with its initialisers; `given` names further inputs (sequence_lens, initial_h, initial_c, P) that have initialisers."""
    global seed
    seed += 1
    gates = GATES[op]
    shapes = {
        "W": (directions, gates * H, I),
        "R": (directions, gates * H, H),
        "B": (directions, 2 * gates * H),
    }
    shapes.update(
        {"initial_h": (directions, B, H), "initial_c": (directions, B, H), "P": (directions, 3 * H)}
    )
    order = ["W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P"][
        : 7 if op == "LSTM" else 5
    ]
    wanted = ["W", "R"] + (["B"] if bias else []) + list(given)
    inputs, tensors = ["X"], []
    for key, values in zip(
        [k for k in order if k in shapes],
        corpus.fill([shapes[k] for k in order if k in shapes], seed),
    ):
        if key in wanted:
            tensors.append(numpy_helper.from_array(values.astype(dtype), f"{name}_{key}"))
    if "sequence_lens" in wanted:
        tensors.append(
            numpy_helper.from_array(numpy.array([5, 3], "int32"), f"{name}_sequence_lens")
        )
    inputs += [f"{name}_{key}" if key in wanted else "" for key in order]
    while not inputs[-1]:
        inputs.pop()
    if directions == 2:
        attributes.setdefault("direction", "bidirectional")
    return helper.make_node(op, inputs, ["Y"], name=name, hidden_size=H, **attributes), tensors


def anything(name, rank, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, [f"{name}{k}" for k in range(rank)])


def write(
    name, nodes, tensors, inputs=None, outputs=None, opset=17, dtype=TensorProto.FLOAT, **save
):
    graph = helper.make_graph(
        nodes,
        "g",
        inputs or [helper.make_tensor_value_info("X", dtype, [T, B, I])],
        outputs or [anything("Y", 4 if nodes[0].op_type in GATES else 3, dtype)],
        tensors,
    )
    model = helper.make_model(
        graph,
        producer_name="rnncheck-tests",
        opset_imports=[helper.make_opsetid("", opset)],
        ir_version=9,
    )
    onnx.save(model, out.path(name), **save)


def simple(name, op, why, expect, run=True, opset=17, dtype="float32", layout=None, **k):
    kind = helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
    if layout is not None:
        k["layout"] = layout
    node, tensors = parts(op, name.split(".")[0], dtype=dtype, **k)
    write(name, [node], tensors, opset=opset, dtype=kind)
    return finish(name, why, expect, run)


def numbers(case, file, op, kind, directions, **more):
    """ONNX Runtime's CPU provider has float32 kernels alone, so fp64 comes from PyTorch with the weights reordered; it is compared with onnx's reference
    implementation in fp64 (one direction) and with ONNX Runtime's float32 run (both directions)."""
    model = onnx.load(out.path(file))
    values = {t.name: numpy_helper.to_array(t).astype("float64") for t in model.graph.initializer}
    node = next(n for n in model.graph.node if n.op_type == op)
    w, r, b = (values[node.input[k]] for k in (1, 2, 3))
    order = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}[op]
    gates = GATES[op]
    torch_rnn = {"LSTM": torch.nn.LSTM, "GRU": torch.nn.GRU, "RNN": torch.nn.RNN}[op](
        w.shape[2], H, bidirectional=directions == 2, dtype=torch.float64
    )
    state = {}
    for d in range(directions):
        end = "_reverse" if d else ""
        pick = lambda m: numpy.concatenate([m[g * H : (g + 1) * H] for g in order])
        state.update(
            {
                f"weight_ih_l0{end}": pick(w[d]),
                f"weight_hh_l0{end}": pick(r[d]),
                f"bias_ih_l0{end}": pick(b[d][: gates * H]),
                f"bias_hh_l0{end}": pick(b[d][gates * H :]),
            }
        )
    torch_rnn.load_state_dict({k: torch.from_numpy(v) for k, v in state.items()})
    x = corpus.sequence(w.shape[2], seed)
    if op == "GRU" and not more.get("reset_after", True):
        y = gru_before(x, w, r, b)
    else:
        y = (
            torch_rnn(torch.from_numpy(x.transpose(1, 0, 2).copy()))[0]
            .detach()
            .numpy()
            .transpose(1, 0, 2)
        )
    if directions == 1:  # onnx's reference implementation has one direction alone
        wide = onnx.load(out.path(file))
        for tensor in wide.graph.initializer:
            tensor.CopyFrom(
                numpy_helper.from_array(
                    numpy_helper.to_array(tensor).astype("float64"), tensor.name
                )
            )
        other = (
            onnx.reference.ReferenceEvaluator(wide)
            .run(None, {"X": x.transpose(1, 0, 2)})[0]
            .reshape(x.shape[1], x.shape[0], H)
            .transpose(1, 0, 2)
        )
        assert other.dtype == "float64" and numpy.abs(other - y).max() < 1e-14, numpy.abs(
            other - y
        ).max()
    session = onnxruntime.InferenceSession(str(out.path(file)), providers=["CPUExecutionProvider"])
    feed = (
        x.astype("float32")
        if more.pop("batch_first", False)
        else x.transpose(1, 0, 2).astype("float32")
    )
    ran = session.run(None, {session.get_inputs()[0].name: feed})[0]
    if ran.ndim == 4:
        ran = ran.transpose(2, 0, 1, 3).reshape(x.shape[0], x.shape[1], -1)
    else:
        ran = ran if ran.shape[0] == x.shape[0] else ran.transpose(1, 0, 2)
    assert numpy.abs(ran - y).max() < 2e-6, numpy.abs(ran - y).max()
    out.numbers(
        case,
        file,
        node.name,
        kind,
        directions,
        x,
        y,
        written_by=f"fp64 from torch {torch.__version__.split('+')[0]} (GRU before reset: from the operator's formulas); ONNX Runtime {ORT} in float32 agrees to 2e-6",
        **more,
    )


def gru_before(x, w, r, b):
    """ONNX GRU, linear_before_reset=0, forward: the formulas of the operator's page, gates z, r, h."""
    sigmoid = lambda v: 1 / (1 + numpy.exp(-v))
    wz, wr, wh = w[0][:H], w[0][H : 2 * H], w[0][2 * H :]
    rz, rr, rh = r[0][:H], r[0][H : 2 * H], r[0][2 * H :]
    bias = b[0].reshape(6, H)
    h, y = numpy.zeros((x.shape[0], H)), []
    for t in range(x.shape[1]):
        z = sigmoid(x[:, t] @ wz.T + h @ rz.T + bias[0] + bias[3])
        g = sigmoid(x[:, t] @ wr.T + h @ rr.T + bias[1] + bias[4])
        n = numpy.tanh(x[:, t] @ wh.T + (g * h) @ rh.T + bias[5] + bias[2])
        h = (1 - z) * n + z * h
        y.append(h)
    return numpy.stack(y, 1)


OK = "the CUDA provider takes the node"
simple("lstm.onnx", "LSTM", OK, "yes")
numbers("lstm", "lstm.onnx", "LSTM", "lstm", 1)
simple("lstm_bidirectional.onnx", "LSTM", OK, "yes", directions=2)
numbers("lstm_bidirectional", "lstm_bidirectional.onnx", "LSTM", "lstm", 2)
simple("gru.onnx", "GRU", OK, "yes", linear_before_reset=1)
numbers("gru", "gru.onnx", "GRU", "gru", 1, reset_after=True)
simple("gru_bidirectional.onnx", "GRU", OK, "yes", linear_before_reset=1, directions=2)
numbers("gru_bidirectional", "gru_bidirectional.onnx", "GRU", "gru", 2, reset_after=True)
simple("gru_reset_before.onnx", "GRU", "linear_before_reset is absent: 0", "no")
numbers("gru_reset_before", "gru_reset_before.onnx", "GRU", "gru", 1, reset_after=False)
simple(
    "gru_reset_before_explicit.onnx", "GRU", "linear_before_reset=0", "no", linear_before_reset=0
)
simple("rnn.onnx", "RNN", OK, "yes")
numbers("rnn", "rnn.onnx", "RNN", "rnn_tanh", 1)
simple("rnn_relu.onnx", "RNN", "the CUDA provider takes Tanh alone", "no", activations=["Relu"])
simple("lstm_reverse.onnx", "LSTM", OK, "yes", direction="reverse")
simple("lstm_no_bias.onnx", "LSTM", OK, "yes", bias=False)
simple("lstm_sequence_lens.onnx", "LSTM", OK, "yes", given=("sequence_lens",))
simple("lstm_initial_state.onnx", "LSTM", OK, "yes", given=("initial_h", "initial_c"))
simple(
    "lstm_default_activations.onnx",
    "LSTM",
    OK + ": the activations are the default ones, spelled out",
    "yes",
    activations=["Sigmoid", "Tanh", "Tanh"],
)
simple(
    "lstm_activations.onnx",
    "LSTM",
    "other activations",
    "no",
    activations=["HardSigmoid", "Tanh", "Tanh"],
    run=False,
)
simple(
    "lstm_activation_alpha.onnx",
    "LSTM",
    "activation_alpha",
    "no",
    activations=["Sigmoid", "Tanh", "Tanh"],
    activation_alpha=[0.5, 0.5, 0.5],
    run=False,
)
simple("lstm_clip.onnx", "LSTM", "clip", "no", clip=1.0)
simple("lstm_input_forget.onnx", "LSTM", "input_forget", "no", input_forget=1, run=False)
simple("lstm_peepholes.onnx", "LSTM", "peepholes", "no", given=("P",))
simple("lstm_layout.onnx", "LSTM", "layout=1", "no", layout=1, run=False)
simple("lstm_float16.onnx", "LSTM", OK, "yes", dtype="float16", run=False)
simple("lstm_float64.onnx", "LSTM", OK, "yes", dtype="float64", run=False)
simple("lstm_opset7.onnx", "LSTM", OK, "yes", opset=7)
simple(
    "lstm_opset22.onnx",
    "LSTM",
    "opset 22 has a version of its own of the operator, for which old versions of ONNX Runtime have no CUDA kernel",
    "depends",
    opset=22,
)
simple(
    "gru_opset22.onnx",
    "GRU",
    "opset 22 has a version of its own of the operator, for which old versions of ONNX Runtime have no CUDA kernel",
    "depends",
    opset=22,
    linear_before_reset=1,
)
simple(
    "rnn_opset22.onnx",
    "RNN",
    "opset 22 has a version of its own of the operator, for which old versions of ONNX Runtime have no CUDA kernel",
    "depends",
    opset=22,
)


def quantized():
    """As ONNX Runtime's quantize_dynamic writes an LSTM: W and R in int8, [directions][input][gates * hidden]."""
    names, random = ["W", "R"], numpy.random.default_rng(400)
    tensors = [
        numpy_helper.from_array(random.integers(-90, 90, (1, size, 4 * H)).astype("int8"), name)
        for name, size in zip(names, (I, H))
    ]
    for name in names:
        tensors += [
            numpy_helper.from_array(numpy.array([0.01], "float32"), f"{name}_scale"),
            numpy_helper.from_array(numpy.array([0], "int8"), f"{name}_zero"),
        ]
    inputs = ["X", "W", "R", "", "", "", "", "", "W_scale", "W_zero", "R_scale", "R_zero"]
    node = helper.make_node(
        "DynamicQuantizeLSTM",
        inputs,
        ["Y"],
        name="lstm_quantized",
        domain="com.microsoft",
        hidden_size=H,
    )
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, [T, B, I])],
        [anything("Y", 4)],
        tensors,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(
        helper.make_model(
            graph, producer_name="rnncheck-tests", opset_imports=opsets, ir_version=9
        ),
        out.path("lstm_quantized.onnx"),
    )
    row = {
        "name": "lstm_quantized",
        "kind": "lstm",
        "input": I,
        "hidden": H,
        "layers": 1,
        "directions": 1,
        "dtype": "float32",
        "cudnn": "no",
        "why": "quantized: the CPU provider alone has the operator",
    }
    out.add(
        "lstm_quantized.onnx",
        "onnx",
        "onnx",
        None,
        [row],
        WITNESS,
        producer="rnncheck-tests",
        opset=17,
    )


before, seed = seed, 400  # so that the files after these remain as they are
simple(
    "lstm_activation_beta.onnx",
    "LSTM",
    "activation_beta",
    "no",
    activations=["Sigmoid", "Tanh", "Tanh"],
    activation_beta=[0.5, 0.5, 0.5],
    run=False,
)
simple(
    "gru_activations.onnx",
    "GRU",
    "other activations",
    "no",
    linear_before_reset=1,
    activations=["HardSigmoid", "Tanh"],
    run=False,
)
simple(
    "lstm_bfloat16.onnx",
    "LSTM",
    "bfloat16, which the operator has since opset 22",
    "no",
    opset=22,
    dtype="bfloat16",
    run=False,
)
quantized()
seed = before
write("no_recurrent_layer.onnx", [helper.make_node("Tanh", ["X"], ["Y"], name="t")], [])
finish("no_recurrent_layer.onnx", "none")


def subgraphs():
    """An LSTM in a branch of If and another in the body of Loop."""
    a, at = parts("LSTM", "in_if")
    then = helper.make_graph(
        [a, helper.make_node("Squeeze", ["Y", "axis"], ["T"], name="sq")],
        "then",
        [],
        [anything("T", 3)],
        [*at, numpy_helper.from_array(numpy.array([1]), "axis")],
    )
    els = helper.make_graph(
        [helper.make_node("Concat", ["X", "pad"], ["E"], axis=2, name="cat")],
        "else",
        [],
        [anything("E", 3)],
        [numpy_helper.from_array(numpy.zeros((T, B, 1), "float32"), "pad")],
    )
    b, bt = parts("GRU", "in_loop")
    body = helper.make_graph(
        [b, helper.make_node("Identity", ["c"], ["co"], name="id")],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("co", TensorProto.BOOL, []), anything("Y", 4)],
        bt,
    )
    nodes = [
        helper.make_node("If", ["flag"], ["U"], then_branch=then, else_branch=els, name="if"),
        helper.make_node("Loop", ["n", "flag"], ["Z"], body=body, name="loop"),
    ]
    write(
        "subgraphs.onnx",
        nodes,
        [numpy_helper.from_array(numpy.array(2), "n")],
        [
            helper.make_tensor_value_info("X", TensorProto.FLOAT, [T, B, I]),
            helper.make_tensor_value_info("flag", TensorProto.BOOL, []),
        ],
        [anything("U", 3), anything("Z", 5)],
    )
    finish(
        "subgraphs.onnx",
        "an LSTM in a branch of If meets the conditions; a GRU in the body of Loop has linear_before_reset=0",
    )


subgraphs()
node, tensors = parts("LSTM", "lstm_external")
write(
    "lstm_external.onnx",
    [node],
    tensors,
    save_as_external_data=True,
    all_tensors_to_one_file=True,
    location="lstm_external.onnx.data",
    size_threshold=0,
)
finish(
    "lstm_external.onnx", OK + "; the weights lie in lstm_external.onnx.data", "yes", external=True
)
numbers("lstm_external", "lstm_external.onnx", "LSTM", "lstm", 1)

node, tensors = parts("LSTM", "fed")
write(
    "lstm_weights_fed.onnx",
    [node],
    [],
    [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
        for n, s in (
            ("X", [T, B, I]),
            ("fed_W", [1, 4 * H, I]),
            ("fed_R", [1, 4 * H, H]),
            ("fed_B", [1, 8 * H]),
        )
    ],
)
finish(
    "lstm_weights_fed.onnx",
    OK + "; W, R and B are inputs of the graph, so the file has no weights",
    "yes",
)
out.rows[-1]["layers"][0]["input"] = I

# Exports of PyTorch: the TorchScript-based exporter and the one of torch.export.
for name, module in (
    ("torch_lstm", torch.nn.LSTM(I, H, batch_first=True)),
    ("torch_gru", torch.nn.GRU(I, H)),
    ("torch_rnn_relu", torch.nn.RNN(I, H, nonlinearity="relu")),
    ("torch_lstm_two_layers", torch.nn.LSTM(I, H, 2, bidirectional=True)),
):
    seed += 1
    with torch.no_grad():
        for parameter, value in zip(
            module.parameters(), corpus.fill([tuple(p.shape) for p in module.parameters()], seed)
        ):
            parameter.copy_(torch.from_numpy(value))
    torch.onnx.export(
        module.eval(),
        (torch.zeros(B, T, I),),
        str(out.path(f"{name}.onnx")),
        dynamo=False,
        opset_version=17,
    )
    finish(f"{name}.onnx", "exported by torch.onnx.export(dynamo=False)")
torch.onnx.export(
    torch.nn.LSTM(I, H).eval(),
    (torch.zeros(T, B, I),),
    str(out.path("torch_export_lstm.onnx")),
    dynamo=True,
    opset_version=18,
    verbose=False,
    external_data=False,
)
exported = onnx.load(out.path("torch_export_lstm.onnx"))
for node in exported.graph.node:
    del node.metadata_props[:]  # Python stack traces with paths of the machine
onnx.save(exported, out.path("torch_export_lstm.onnx"))
finish("torch_export_lstm.onnx", "exported by torch.onnx.export(dynamo=True)", run=False)
out.close()
