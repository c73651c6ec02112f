"""Keras 3 models: .keras, .h5, .weights.h5, JSON, SavedModel. Run with tensorflow-cpu 2.21.0, keras 3.15.1, h5py 3.14.0, numpy 2.4.6, Python 3.11.

The witness: the model is traced by tf.function while Keras's own test for a GPU returns true, and the CudnnRNNV3 operators below each layer's name
scope are counted; an Assert about right-padded masks beside them means that cuDNN depends on the mask at run time.
"""

import contextlib
import json
import os
import re
import sys

os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import keras
import numpy
import tensorflow as tf
from keras import layers

import corpus

KERAS = keras.__version__
backend_rnn = sys.modules["keras.src.backend.tensorflow.rnn"]
out = corpus.Corpus("keras3")
I, H = 3, 4


class pretended_gpu:
    def __enter__(self):
        self.real = backend_rnn._is_gpu_available
        backend_rnn._is_gpu_available = lambda: True

    def __exit__(self, *_):
        backend_rnn._is_gpu_available = self.real


def trace(model):
    """Names of all operators of the traced graph, library functions included."""
    spec = [tf.TensorSpec([2] + list(x.shape[1:]), x.dtype) for x in model.inputs]
    with pretended_gpu():
        graph = (
            tf.function(lambda *x: model(list(x) if len(x) > 1 else x[0]))
            .get_concrete_function(*spec)
            .graph.as_graph_def()
        )
    nodes = list(graph.node) + [
        node for function in graph.library.function for node in function.node_def
    ]
    return [(node.op, node.name) for node in nodes]


def verdict(nodes, scope, directions):
    """TensorFlow makes names unique with _1, so no two layers of a model may be named NAME and NAME_1 here."""
    inside = re.compile(
        "(^|/)" + "/".join(rf"{re.escape(part)}(_\d+)?" for part in scope.split("/")) + "/"
    )
    mine = [(op, name) for op, name in nodes if inside.search(name)]
    cudnn = sum(op == "CudnnRNNV3" for op, _ in mine)
    asserts = sum(op == "Assert" for op, _ in mine)
    return cudnn, "no" if cudnn < directions else "depends" if asserts else "yes"


def is_wrapper(layer):
    return isinstance(layer, (layers.Bidirectional, layers.TimeDistributed))


def kind_of(layer):
    if is_wrapper(layer):
        return kind_of(
            layer.forward_layer if isinstance(layer, layers.Bidirectional) else layer.layer
        )
    if isinstance(layer, layers.LSTM):
        return "lstm"
    if isinstance(layer, layers.GRU):
        return "gru"
    return corpus.other_kind(layer)


def inner(layer):
    while is_wrapper(layer):
        layer = layer.forward_layer if isinstance(layer, layers.Bidirectional) else layer.layer
    return layer


def hidden_of(layer):
    if hasattr(layer, "filters"):
        return layer.filters, 1
    if isinstance(layer, layers.RNN) and not hasattr(layer, "units"):
        cells = layer.cell.cells if isinstance(layer.cell, layers.StackedRNNCells) else [layer.cell]
        return getattr(cells[-1], "units", None) or cells[-1].state_size, len(cells)
    return layer.units, 1


def directions_of(layer):
    while is_wrapper(layer):
        if isinstance(layer, layers.Bidirectional):
            return 2
        layer = layer.layer
    return 1


def shapes_of(model, name):
    layer = model
    for part in name.split("/"):
        layer = layer.get_layer(part)
    return (
        layer._build_shapes_dict["input_shape"]
        if "input_shape" in layer._build_shapes_dict
        else list(layer._build_shapes_dict.values())[0]
    )


def describe(model, why):
    nodes = trace(model)
    rows = []
    for name, layer in corpus.recurrent(model, kind_of):
        core = inner(layer)
        hidden, stacked = hidden_of(core)
        count, cudnn = verdict(nodes, name, directions_of(layer))
        rows.append(
            {
                "name": name,
                "kind": kind_of(layer),
                "input": shapes_of(model, name)[-1],
                "hidden": hidden,
                "layers": stacked,
                "directions": directions_of(layer),
                "dtype": core.compute_dtype,
                "cudnn": cudnn,
                "cudnn_ops": count,
                "why": why,
            }
        )
    return rows


def model_of(layer, mask=None, shape=(5, I), dtype=None, before=()):
    x = y = keras.Input(shape, dtype=dtype)
    if mask == "masking":
        y = layers.Masking()(y)
    if mask == "embedding":
        x = y = keras.Input((5,), dtype="int32")
        y = layers.Embedding(7, I, mask_zero=True)(y)
    for one in before:
        y = one(y)
    return keras.Model(x, layer(y))


def weigh(model, seed):
    model.set_weights(
        [
            w.reshape(old.shape).astype(old.dtype)
            for w, old in zip(
                corpus.fill([w.shape for w in model.get_weights()], seed), model.get_weights()
            )
        ]
    )
    return model


WITNESS = f"keras {KERAS}, TensorFlow {tf.__version__}, GPU test pretended true: CudnnRNNV3 operators counted in the traced graph"
seed = 0


def save(
    name,
    build,
    why,
    expect=None,
    format="keras",
    compile=None,
    as_written=False,
    load={},
    unknown=None,
):
    """Saves as on a machine without a GPU, loads what was saved and lets Keras decide; `expect` is what the source gives, compared with the witness."""
    global seed
    seed += 1
    keras.backend.clear_session()
    model = weigh(build(), seed)
    if compile:
        model.compile(**compile)
    path = out.path(name)
    if format == "json":
        path.write_text(model.to_json())
    elif format == "weights":
        model.save_weights(path)
    else:
        model.save(path)
    if format == "keras" and not as_written:
        corpus.repack(path)
    keras.backend.clear_session()
    rows = describe(
        keras.models.model_from_json(path.read_text())
        if format == "json"
        else model
        if format == "weights"
        else keras.models.load_model(path, **load),
        why,
    )
    if expect:
        assert {row["cudnn"] for row in rows} == {expect}, (name, rows)
    if unknown is not None:
        rows = [{**row, "cudnn": "unknown", "decided": row["cudnn"], **unknown} for row in rows]
    out.add(
        name,
        {"keras": "keras", "h5": "hdf5", "json": "keras_json", "weights": "keras_weights"}[format],
        "keras",
        None if format in ("weights", "json") else KERAS,
        rows,
        WITNESS,
    )
    return model


def double(model):
    """The same model and weights in fp64, run on the CPU without cuDNN."""
    keras.backend.clear_session()
    config = json.loads(model.to_json())

    def widen(node):
        if isinstance(node, dict):
            if node.get("class_name") == "DTypePolicy":
                return {**node, "config": {"name": "float64"}}
            return {
                k: "float64" if k == "dtype" and isinstance(v, str) else widen(v)
                for k, v in node.items()
            }
        return [widen(v) for v in node] if isinstance(node, list) else node

    twin = keras.models.model_from_json(json.dumps(widen(config)))
    twin.set_weights([w.astype("float64") for w in model.get_weights()])
    return twin


def numbers(case, file, model, layer, kind, directions, seed, **more):
    x = corpus.sequence(I, seed)
    y = double(model)(x).numpy()
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


def lstm(**k):
    return lambda: model_of(layers.LSTM(H, **k))


def gru(**k):
    return lambda: model_of(layers.GRU(H, **k))


# One condition each.
m = save(
    "lstm.keras",
    lstm(return_sequences=True),
    "all conditions of the cuDNN path hold",
    "yes",
    as_written=True,
)
numbers("lstm", "lstm.keras", m, "lstm", "lstm", 1, 1)
m = save("gru.keras", gru(return_sequences=True), "all conditions hold; reset_after is true", "yes")
numbers("gru", "gru.keras", m, "gru", "gru", 1, 2, reset_after=True)
m = save(
    "gru_reset_before.keras",
    gru(return_sequences=True, reset_after=False),
    "reset_after=False: cuDNN's GRU has a recurrent bias inside the reset gate",
    "no",
)
numbers("gru_reset_before", "gru_reset_before.keras", m, "gru", "gru", 1, 3, reset_after=False)
for cell, make in ("lstm", lstm), ("gru", gru):
    save(
        f"{cell}_activation.keras",
        make(activation="relu"),
        "activation is relu, cuDNN has tanh",
        "no",
    )
    save(
        f"{cell}_recurrent_activation.keras",
        make(recurrent_activation="hard_sigmoid"),
        "recurrent_activation is hard_sigmoid, cuDNN has sigmoid",
        "no",
    )
    save(
        f"{cell}_recurrent_dropout.keras",
        make(recurrent_dropout=0.2),
        "recurrent_dropout is not 0",
        "no",
    )
    save(f"{cell}_unroll.keras", make(unroll=True), "unroll=True", "no")
    save(f"{cell}_no_bias.keras", make(use_bias=False), "use_bias=False", "no")
    save(
        f"{cell}_use_cudnn_false.keras",
        make(use_cudnn=False),
        "use_cudnn=False is not stored in the file: the loaded layer has use_cudnn='auto'",
        "yes",
    )
    save(
        f"{cell}_dropout.keras",
        make(dropout=0.3),
        "dropout on the inputs is applied before cuDNN",
        "yes",
    )
    save(
        f"{cell}_stateful.keras",
        lambda: weigh(
            keras.Model(
                *(
                    lambda x: (
                        x,
                        (layers.LSTM if cell == "lstm" else layers.GRU)(H, stateful=True)(x),
                    )
                )(keras.Input(batch_shape=(2, 5, I)))
            ),
            1,
        ),
        "stateful=True does not matter",
        "yes",
    )
    save(
        f"{cell}_backwards.keras",
        make(go_backwards=True),
        "go_backwards=True: cuDNN runs on the reversed input",
        "yes",
    )
for mask in "masking", "embedding":
    save(
        f"lstm_{mask}.keras",
        lambda: model_of(layers.LSTM(H), mask),
        "a mask reaches the layer: Keras asserts at run time that it is right-padded and no row is fully masked",
        "depends",
    )
save(
    "gru_masking.keras",
    lambda: model_of(layers.GRU(H), "masking"),
    "a mask reaches the layer: Keras asserts at run time that it is right-padded and no row is fully masked",
    "depends",
)
save("simple_rnn.keras", lambda: model_of(layers.SimpleRNN(H)), "SimpleRNN has no cuDNN path", "no")
save(
    "simple_rnn_relu.keras",
    lambda: model_of(layers.SimpleRNN(H, activation="relu")),
    "SimpleRNN has no cuDNN path",
    "no",
)

# Dtypes and policies.
for policy in "float16", "bfloat16", "float64", "mixed_float16", "mixed_bfloat16":
    save(
        f"lstm_{policy}.keras",
        lstm(dtype=policy, recurrent_initializer="glorot_uniform"),
        f"dtype policy {policy}",
    )

# Cells, wrappers, models in models.
save(
    "rnn_lstm_cell.keras",
    lambda: model_of(layers.RNN(layers.LSTMCell(H))),
    "RNN(LSTMCell) is a loop over a cell",
    "no",
)
save(
    "rnn_gru_cell.keras",
    lambda: model_of(layers.RNN(layers.GRUCell(H))),
    "RNN(GRUCell) is a loop over a cell",
    "no",
)
save(
    "rnn_simple_rnn_cell.keras",
    lambda: model_of(layers.RNN(layers.SimpleRNNCell(H))),
    "RNN(SimpleRNNCell) is a loop over a cell",
    "no",
)
save(
    "stacked_cells.keras",
    lambda: model_of(layers.RNN([layers.LSTMCell(5), layers.LSTMCell(H)])),
    "RNN over stacked cells is a loop",
    "no",
)
save(
    "conv_lstm.keras",
    lambda: model_of(layers.ConvLSTM2D(2, 3), shape=(4, 6, 6, I)),
    "cuDNN has no convolutional LSTM",
    "no",
)


@keras.saving.register_keras_serializable("corpus")
class LeakyCell(layers.Layer):
    def __init__(self, units, **k):
        super().__init__(**k)
        self.units = self.state_size = units

    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], self.units), name="w")

    def call(self, x, states):
        y = 0.5 * states[0] + x @ self.w
        return y, [y]

    def get_config(self):
        return {**super().get_config(), "units": self.units}


save(
    "custom_cell.keras",
    lambda: model_of(layers.RNN(LeakyCell(H))),
    "a custom cell, not judged",
    "no",
)


@keras.saving.register_keras_serializable("corpus")
class MyLSTM(layers.LSTM):
    pass


save(
    "subclass_of_lstm.keras",
    lambda: model_of(MyLSTM(H)),
    "a class of the user's own: the file gives its name and module, not that it derives from LSTM",
    "yes",
    unknown={"kind": "cell"},
)
m = save(
    "bidirectional_lstm.keras",
    lambda: model_of(layers.Bidirectional(layers.LSTM(H, return_sequences=True))),
    "both directions meet the conditions",
    "yes",
)
numbers("bidirectional_lstm", "bidirectional_lstm.keras", m, "bidirectional", "lstm", 2, 20)
m = save(
    "bidirectional_gru.keras",
    lambda: model_of(layers.Bidirectional(layers.GRU(H, return_sequences=True))),
    "both directions meet the conditions",
    "yes",
)
numbers(
    "bidirectional_gru",
    "bidirectional_gru.keras",
    m,
    "bidirectional",
    "gru",
    2,
    21,
    reset_after=True,
)
save(
    "bidirectional_masking.keras",
    lambda: model_of(layers.Bidirectional(layers.LSTM(H)), "masking"),
    "a mask reaches the wrapped layer",
    "depends",
)
save(
    "bidirectional_sum_relu.keras",
    lambda: model_of(layers.Bidirectional(layers.GRU(H, activation="relu"), merge_mode="sum")),
    "activation is relu",
    "no",
)
save(
    "bidirectional_two_layers.keras",
    lambda: model_of(
        layers.Bidirectional(
            layers.LSTM(H, return_sequences=True),
            backward_layer=layers.LSTM(
                H, return_sequences=True, go_backwards=True, activation="relu"
            ),
        )
    ),
    "the backward layer has activation relu; the forward layer takes cuDNN",
    "no",
)
save(
    "time_distributed.keras",
    lambda: model_of(layers.TimeDistributed(layers.LSTM(H)), shape=(2, 5, I)),
    "the wrapped layer meets the conditions",
    "yes",
)
save(
    "time_distributed_bidirectional.keras",
    lambda: model_of(layers.TimeDistributed(layers.Bidirectional(layers.GRU(H))), shape=(2, 5, I)),
    "the wrapped layer meets the conditions",
    "yes",
)


def nested():
    inside = keras.Sequential(
        [keras.Input((5, I)), layers.LSTM(H, return_sequences=True, name="first")], name="encoder"
    )
    x = keras.Input((5, I))
    return keras.Model(x, layers.GRU(6, activation="elu", name="second")(inside(x)))


def shared():
    a, b, one = keras.Input((5, I)), keras.Input((5, I)), layers.LSTM(H, name="twin")
    return keras.Model([a, b], layers.Concatenate()([one(a), one(b)]))


def encoder_decoder():
    a, b = keras.Input((5, I)), keras.Input((5, 2))
    _, h, c = layers.LSTM(H, return_state=True, name="encoder")(a)
    return keras.Model(
        [a, b],
        layers.Dense(2)(
            layers.LSTM(H, return_sequences=True, name="decoder")(b, initial_state=[h, c])
        ),
    )


def mask_argument():
    x, mask = keras.Input((5, I)), keras.Input((5,), dtype="bool")
    return keras.Model([x, mask], layers.LSTM(H)(x, mask=mask))


def mask_through():
    x = keras.Input((5, I))
    y = layers.Dropout(0.1)(layers.Masking()(x))
    y = layers.LSTM(H, return_sequences=True, name="before")(y)
    return keras.Model(x, layers.LSTM(H, name="after")(layers.Dense(3)(y)))


def mask_destroyed():
    x = keras.Input((5, I))
    return keras.Model(x, layers.LSTM(H)(layers.Conv1D(4, 2)(layers.Masking()(x))))


save("nested.keras", nested, "first meets the conditions; second has activation elu")
save("shared.keras", shared, "one layer called twice", "yes")
save("encoder_decoder.keras", encoder_decoder, "an initial state does not matter", "yes")
save("mask_argument.keras", mask_argument, "the mask is an argument of the call", "depends")
save("mask_through.keras", mask_through, "the mask passes Dropout, LSTM and Dense", "depends")
save(
    "mask_destroyed.keras",
    mask_destroyed,
    "Conv1D does not pass masks on, so none reaches the layer",
    "yes",
)
save(
    "jit_compile.keras",
    lambda: model_of(layers.LSTM(H)),
    "jit_compile=True in compile(): Keras turns it off for a layer that takes cuDNN",
    "yes",
    compile={"loss": "mse", "optimizer": "sgd", "jit_compile": True},
)
save("no_recurrent_layer.keras", lambda: model_of(layers.Dense(2)), "none")
save(
    "sequential.keras",
    lambda: keras.Sequential(
        [
            keras.Input((5, I)),
            layers.LSTM(H, return_sequences=True, name="one"),
            layers.GRU(H, name="two"),
            layers.Dense(1),
        ]
    ),
    "all conditions hold",
    "yes",
)
save(
    "float64_weights.keras",
    lambda: model_of(layers.LSTM(H, dtype="float64"), dtype="float64"),
    "float64 layer",
    "yes",
)

# Other formats.
m = save(
    "lstm.h5",
    lambda: model_of(layers.LSTM(H, return_sequences=True)),
    "all conditions hold",
    "yes",
    format="h5",
)
numbers("lstm_h5", "lstm.h5", m, "lstm", "lstm", 1, 30)
save(
    "bidirectional_gru_relu.h5",
    lambda: model_of(layers.Bidirectional(layers.GRU(H, activation="relu"))),
    "activation is relu",
    "no",
    format="h5",
)
save(
    "sequential.json",
    lambda: keras.Sequential(
        [
            keras.Input((5, I)),
            layers.LSTM(H, return_sequences=True, name="one"),
            layers.GRU(H, reset_after=False, name="two"),
        ]
    ),
    "one meets the conditions; two has reset_after=False",
    format="json",
)
save("encoder_decoder.json", encoder_decoder, "all conditions hold", "yes", format="json")
save(
    "only.weights.h5",
    lambda: model_of(layers.LSTM(H)),
    "the file has weights without a configuration: activation, dropout and masks are not in it",
    format="weights",
    unknown={},
)


def export(name, build, why, gpu):
    """What model.export() writes: a graph, no Keras configuration. On a GPU the graph has CudnnRNNV3 and runs nowhere else."""
    global seed
    seed += 1
    keras.backend.clear_session()
    model = weigh(build(), seed)
    with pretended_gpu() if gpu else contextlib.nullcontext():
        model.export(out.path(name), verbose=False)
    corpus.without_debug_info(out.path(name))
    rows = describe(model, why)
    if not gpu:
        rows = [{**row, "cudnn": "no", "decided": row["cudnn"], "cudnn_ops": 0} for row in rows]
    out.add(name, "saved_model", "tensorflow", tf.__version__, rows, WITNESS)


export(
    "exported",
    lstm(),
    "the graph was traced without a GPU: a While loop; on a GPU it stays a loop",
    False,
)
export(
    "exported_gpu",
    lstm(),
    "the graph was traced on a GPU: CudnnRNNV3 needs one; on a CPU the model fails",
    True,
)
export(
    "exported_gpu_bidirectional",
    lambda: model_of(layers.Bidirectional(layers.GRU(H, return_sequences=True), name="two")),
    "the graph was traced on a GPU: CudnnRNNV3 needs one; on a CPU the model fails",
    True,
)
out.close()
