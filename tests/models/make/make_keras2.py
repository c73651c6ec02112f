"""Keras 2 models: .h5, .keras, SavedModel with keras_metadata.pb, JSON. Run with tensorflow-cpu 2.15.1, keras 2.15.0, numpy 1.26.4, Python 3.11.

The witness, twice: while TensorFlow's list of GPUs is pretended to have one, Keras warns at construction that a layer "will not use cuDNN kernels";
and the traced graph has, beside the function that the layer calls, a twin for the GPU with CudnnRNN; when a mask
arrives, CudnnRNNV3 behind an If on the mask's values.
"""

import json
import os
import re

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import keras
import numpy
import tensorflow as tf
from keras import layers
from keras.src.layers.rnn import lstm as lstm_module
from tensorflow.python.platform import tf_logging

import corpus

KERAS = keras.__version__
out = corpus.Corpus("keras2")
I, H = 3, 4
WITNESS = f"keras {KERAS}, TensorFlow {tf.__version__}, GPU pretended: Keras's warning and the CudnnRNN operators of the traced graph"


class pretended_gpu:
    """Layers built inside warn as on a machine with a GPU; the names in the warnings are collected."""

    def __enter__(self):
        self.config, self.refused = lstm_module.tf.config, []
        self.real, self.warn = self.config.list_logical_devices, tf_logging.warning
        self.config.list_logical_devices = lambda kind=None: (
            ["GPU:0"] if kind == "GPU" else self.real(kind)
        )
        tf_logging.warning = lambda text, *a: self.refused.extend(
            re.findall(r"Layer (\S+) will not use cuDNN", text)
        )
        return self

    def __exit__(self, *_):
        self.config.list_logical_devices, tf_logging.warning = self.real, self.warn


def rule(layer):
    """How Keras decides: `_could_use_gpu_kernel` of LSTM and GRU; other layers have none."""
    return bool(getattr(layer, "_could_use_gpu_kernel", False))


def count(model):
    """CudnnRNN operators in the functions of the traced graph that prefer the GPU, and whether an If (the mask) stands before them."""
    spec = [tf.TensorSpec([2] + list(x.shape[1:]), x.dtype) for x in model.inputs]
    graph = (
        tf.function(lambda *x: model(list(x) if len(x) > 1 else x[0]))
        .get_concrete_function(*spec)
        .graph.as_graph_def()
    )
    twins = [
        f
        for f in graph.library.function
        if f.attr["api_preferred_device"].s == b"GPU"
        and f.signature.name.startswith("__inference_gpu_")
    ]
    bodies = {f.signature.name: f for f in graph.library.function}

    def operators(function, seen=()):
        for node in function.node_def:
            yield node.op
            for attribute in node.attr.values():
                if attribute.func.name in bodies and attribute.func.name not in seen:
                    yield from operators(bodies[attribute.func.name], (*seen, attribute.func.name))

    return [list(operators(twin)) for twin in twins]


def inner(layer):
    while isinstance(layer, (layers.Bidirectional, layers.TimeDistributed)):
        layer = layer.forward_layer if isinstance(layer, layers.Bidirectional) else layer.layer
    return layer


def kind_of(layer):
    layer = inner(layer)
    if isinstance(layer, (layers.LSTM, tf.compat.v1.keras.layers.LSTM)):
        return "lstm"
    if isinstance(layer, (layers.GRU, tf.compat.v1.keras.layers.GRU)):
        return "gru"
    if isinstance(layer, (tf.compat.v1.keras.layers.CuDNNLSTM, tf.compat.v1.keras.layers.CuDNNGRU)):
        return "lstm" if "LSTM" in type(layer).__name__ else "gru"
    return corpus.other_kind(layer)


def directions_of(layer):
    return (
        2
        if isinstance(layer, layers.Bidirectional)
        or isinstance(layer, layers.TimeDistributed)
        and isinstance(layer.layer, layers.Bidirectional)
        else 1
    )


def describe(model, refused, why, graph):
    rows, total = [], 0
    for name, layer in corpus.recurrent(model, kind_of):
        core = inner(layer)
        takes = rule(core)
        if isinstance(core, (layers.LSTM, layers.GRU)):
            assert takes == (core.name not in refused), (name, refused)
        cells = core.cell.cells if kind_of(layer) == "stacked_cells" else [None]
        rows.append(
            {
                "name": name,
                "kind": kind_of(layer),
                "input": layer.input_shape[0][-1]
                if isinstance(layer.input_shape, list)
                else layer.input_shape[-1],
                "hidden": getattr(core, "units", None)
                or getattr(core, "filters", None)
                or getattr((cells[-1] or core.cell), "units", None)
                or core.cell.state_size,
                "layers": len(cells),
                "directions": directions_of(layer),
                "dtype": core.compute_dtype,
                "cudnn": "yes" if takes else "no",
                "why": why,
            }
        )
        total += takes * directions_of(layer)
    if graph:
        twins = count(model)
        assert sum(any(op.startswith("CudnnRNN") for op in ops) for ops in twins) == total, (
            twins,
            total,
        )
        if any("If" in ops or "StatelessIf" in ops for ops in twins):
            rows = [
                {**row, "cudnn": "depends" if row["cudnn"] == "yes" else row["cudnn"]}
                for row in rows
            ]
    return rows


seed = 100


def weigh(model):
    global seed
    seed += 1
    old = model.get_weights()
    model.set_weights(
        [w.astype(o.dtype) for w, o in zip(corpus.fill([o.shape for o in old], seed), old)]
    )
    return model


def model_of(layer, mask=None, shape=(5, I), **k):
    x = y = keras.Input(shape, **k)
    if mask:
        y = layers.Masking()(y)
    return keras.Model(x, layer(y))


def save(
    name,
    build,
    why,
    expect=None,
    format="hdf5",
    write=None,
    graph=True,
    framework="keras",
    version=KERAS,
    override=None,
    load=True,
):
    keras.backend.clear_session()
    model = weigh(build())
    path = out.path(name)
    if write:
        write(model, path)
    elif format == "keras_json":
        path.write_text(model.to_json())
    else:
        model.save(path, **({"save_format": "tf"} if format == "saved_model" else {}))
    if format == "keras":
        corpus.repack(path)
    if format == "saved_model":
        corpus.without_debug_info(path)
    keras.backend.clear_session()
    with pretended_gpu() as gpu:
        seen = (
            (
                keras.models.model_from_json(path.read_text())
                if format == "keras_json"
                else keras.models.load_model(path)
            )
            if load
            else build()
        )
    rows = describe(seen, gpu.refused, why, graph)
    if override:
        rows = [{**row, **override, **({"decided": row["cudnn"]} if graph else {})} for row in rows]
    if expect:
        assert {row["cudnn"] for row in rows} == {expect}, (name, rows)
    out.add(name, format, framework, version, rows, WITNESS)
    return model


def numbers(case, file, model, layer, kind, directions, x_seed, **more):
    config = json.loads(re.sub('"float32"', '"float64"', model.to_json()))
    keras.backend.clear_session()
    twin = keras.models.model_from_json(json.dumps(config))
    twin.set_weights([w.astype("float64") for w in model.get_weights()])
    x = corpus.sequence(I, x_seed)
    y = twin(x).numpy()
    assert y.dtype == "float64"
    out.numbers(
        case,
        file,
        layer,
        kind,
        directions,
        x,
        y,
        written_by=f"keras {KERAS} on the CPU in float64",
        **more,
    )


m = save(
    "lstm.h5", lambda: model_of(layers.LSTM(H, return_sequences=True)), "all conditions hold", "yes"
)
numbers("lstm", "lstm.h5", m, "lstm", "lstm", 1, 1)
m = save(
    "gru.h5",
    lambda: model_of(layers.GRU(H, return_sequences=True)),
    "all conditions hold; reset_after is true",
    "yes",
)
numbers("gru", "gru.h5", m, "gru", "gru", 1, 2, reset_after=True)
m = save(
    "gru_reset_before.h5",
    lambda: model_of(layers.GRU(H, return_sequences=True, reset_after=False)),
    "reset_after=False",
    "no",
)
numbers("gru_reset_before", "gru_reset_before.h5", m, "gru", "gru", 1, 3, reset_after=False)
for name, layer, end in (
    ("lstm", layers.LSTM, "h5"),
    ("gru", layers.GRU, "keras"),
):  # .keras is a sixth of the size
    format_of = {"h5": "hdf5", "keras": "keras"}
    save(
        f"{name}_activation.{end}",
        lambda: model_of(layer(H, activation="relu")),
        "activation is relu",
        "no",
        format=format_of[end],
    )
    save(
        f"{name}_recurrent_activation.{end}",
        lambda: model_of(layer(H, recurrent_activation="hard_sigmoid")),
        "recurrent_activation is hard_sigmoid",
        "no",
        format=format_of[end],
    )
    save(
        f"{name}_recurrent_dropout.{end}",
        lambda: model_of(layer(H, recurrent_dropout=0.2)),
        "recurrent_dropout is not 0",
        "no",
        format=format_of[end],
    )
    save(
        f"{name}_unroll.{end}",
        lambda: model_of(layer(H, unroll=True)),
        "unroll=True",
        "no",
        format=format_of[end],
    )
    save(
        f"{name}_no_bias.{end}",
        lambda: model_of(layer(H, use_bias=False)),
        "use_bias=False",
        "no",
        format=format_of[end],
    )
    save(
        f"{name}_dropout.{end}",
        lambda: model_of(layer(H, dropout=0.2)),
        "dropout on the inputs does not matter",
        "yes",
        format=format_of[end],
    )
    save(
        f"{name}_masking.{end}",
        lambda: model_of(layer(H), True),
        "a mask reaches the layer: decided at run time, right-padded masks take cuDNN",
        "depends",
        format=format_of[end],
    )
save(
    "lstm_time_major.h5",
    lambda: model_of(layers.LSTM(H, time_major=True)),
    "time_major does not matter",
    "yes",
)
save(
    "lstm_backwards.keras",
    lambda: model_of(layers.LSTM(H, go_backwards=True)),
    "go_backwards does not matter",
    "yes",
    format="keras",
)
save(
    "lstm_stateful.keras",
    lambda: keras.Sequential([layers.LSTM(H, stateful=True, batch_input_shape=(2, 5, I))]),
    "stateful does not matter",
    "yes",
    format="keras",
)
save("simple_rnn.h5", lambda: model_of(layers.SimpleRNN(H)), "SimpleRNN has no cuDNN path", "no")
save(
    "rnn_lstm_cell.keras",
    lambda: model_of(layers.RNN(layers.LSTMCell(H))),
    "RNN(LSTMCell) is a loop over a cell",
    "no",
    format="keras",
)
save(
    "stacked_cells.keras",
    lambda: model_of(layers.RNN([layers.GRUCell(5), layers.GRUCell(H)])),
    "RNN over stacked cells is a loop",
    "no",
    format="keras",
)
save(
    "conv_lstm.keras",
    lambda: model_of(layers.ConvLSTM2D(2, 3), shape=(4, 6, 6, I)),
    "cuDNN has no convolutional LSTM",
    "no",
    format="keras",
)
m = save(
    "bidirectional_lstm.h5",
    lambda: model_of(layers.Bidirectional(layers.LSTM(H, return_sequences=True))),
    "both directions meet the conditions",
    "yes",
)
numbers("bidirectional_lstm", "bidirectional_lstm.h5", m, "bidirectional", "lstm", 2, 4)
m = save(
    "bidirectional_gru.h5",
    lambda: model_of(layers.Bidirectional(layers.GRU(H, return_sequences=True))),
    "both directions meet the conditions",
    "yes",
)
numbers(
    "bidirectional_gru", "bidirectional_gru.h5", m, "bidirectional", "gru", 2, 5, reset_after=True
)
save(
    "time_distributed.keras",
    lambda: model_of(layers.TimeDistributed(layers.GRU(H)), shape=(2, 5, I)),
    "the wrapped layer meets the conditions",
    "yes",
    format="keras",
)
save(
    "lstm_v1.h5",
    lambda: model_of(tf.compat.v1.keras.layers.LSTM(H)),
    "tf.compat.v1.keras.layers.LSTM saves as LSTM: the loaded layer is the one of TensorFlow 2 with the file's recurrent_activation hard_sigmoid",
    "no",
)

v1 = tf.compat.v1.keras.layers
save(
    "cudnn_lstm.h5",
    lambda: model_of(v1.CuDNNLSTM(H, return_sequences=True)),
    "CuDNNLSTM of TensorFlow 1 is cuDNN alone and runs on no CPU",
    graph=False,
    override={"cudnn": "yes"},
)
out.rows[-1]["witness"] = "tf_keras/layers/rnn/: CuDNNLSTM calls the cuDNN operator alone"


def nested():
    inside = keras.Sequential(
        [layers.LSTM(H, return_sequences=True, name="first", input_shape=(5, I))], name="encoder"
    )
    x = keras.Input((5, I))
    return keras.Model(x, layers.GRU(6, activation="elu", name="second")(inside(x)))


save("nested.h5", nested, "first meets the conditions; second has activation elu")
save("no_recurrent_layer.keras", lambda: model_of(layers.Dense(2)), "none", format="keras")


def compiled(jit):
    def build():
        model = model_of(layers.LSTM(H))
        model.compile("sgd", "mse", jit_compile=jit)
        return model

    return build


save("lstm_compiled.h5", compiled(None), "all conditions hold", "yes")
m = save(
    "lstm_jit_compile.keras",
    compiled(True),
    "jit_compile=True: XLA compiles the generic kernel; cuDNN's operator is not in XLA's set",
    "no",
    format="keras",
    override={"cudnn": "no"},
)
hlo = tf.function(lambda x: m(x), jit_compile=True).experimental_get_compiler_ir(
    tf.zeros((2, 5, I))
)(stage="hlo")
assert "while" in hlo and "cudnn" not in hlo.lower()
out.rows[-1]["witness"] = (
    f"keras {KERAS}, TensorFlow {tf.__version__}: what XLA compiles is a while loop without a call of cuDNN"
)
save("lstm.keras", lambda: model_of(layers.LSTM(H)), "all conditions hold", "yes", format="keras")
save(
    "gru_reset_before.keras",
    lambda: model_of(layers.GRU(H, reset_after=False)),
    "reset_after=False",
    "no",
    format="keras",
)
save(
    "mixed.json",
    nested,
    "first meets the conditions; second has activation elu",
    format="keras_json",
)
keras.mixed_precision.set_global_policy("mixed_float16")
save(
    "lstm_mixed_float16.keras",
    lambda: model_of(layers.LSTM(H)),
    "mixed_float16: cuDNN in float16",
    "yes",
    format="keras",
)
keras.mixed_precision.set_global_policy("float32")

# SavedModels: keras_metadata.pb with the configuration (without the traced functions, which are hundreds of kB), and an exported graph with the twin for the GPU.
bare = lambda model, path: model.save(path, save_format="tf", save_traces=False)
save(
    "saved_lstm",
    lambda: model_of(layers.LSTM(H)),
    "all conditions hold",
    "yes",
    format="saved_model",
    write=bare,
)
save(
    "saved_nested",
    nested,
    "first meets the conditions; second has activation elu",
    format="saved_model",
    write=bare,
)
save(
    "exported_gru",
    lambda: model_of(layers.GRU(H)),
    "the exported graph holds both functions: TensorFlow takes the one with CudnnRNN on a GPU, the other on a CPU",
    "yes",
    format="saved_model",
    framework="tensorflow",
    version=tf.__version__,
    write=lambda model, path: model.export(path),
    load=False,
)
out.close()
