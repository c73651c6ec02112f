"""Keras 3 models: .keras, .h5, .weights.h5, JSON, SavedModel. Run with tensorflow-cpu 2.21.0, keras 3.15.1, h5py 3.14.0, numpy 2.4.6, Python 3.11.

The witness: the model is traced by tf.function while Keras's own test for a GPU returns true, and the CudnnRNNV3 operators below each layer's name
scope are counted; an Assert about right-padded masks beside them means that cuDNN depends on the mask at run time.
"""
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
        graph = tf.function(lambda *x: model(list(x) if len(x) > 1 else x[0])).get_concrete_function(*spec).graph.as_graph_def()
    nodes = list(graph.node) + [node for function in graph.library.function for node in function.node_def]
    return [(node.op, node.name) for node in nodes]


def verdict(nodes, scope):
    """TensorFlow makes names unique with _1, so no two layers of a model may be named NAME and NAME_1 here."""
    inside = re.compile("(^|/)" + "/".join(rf"{re.escape(part)}(_\d+)?" for part in scope.split("/")) + "/")
    mine = [(op, name) for op, name in nodes if inside.search(name)]
    cudnn = sum(op == "CudnnRNNV3" for op, _ in mine)
    asserts = sum(op == "Assert" for op, _ in mine)
    return cudnn, "no" if not cudnn else "depends" if asserts else "yes"


def is_wrapper(layer):
    return isinstance(layer, (layers.Bidirectional, layers.TimeDistributed))


def kind_of(layer):
    if is_wrapper(layer):
        return kind_of(layer.forward_layer if isinstance(layer, layers.Bidirectional) else layer.layer)
    if isinstance(layer, layers.LSTM):
        return "lstm"
    if isinstance(layer, layers.GRU):
        return "gru"
    if isinstance(layer, layers.SimpleRNN):
        return {"tanh": "rnn_tanh", "relu": "rnn_relu"}.get(layer.activation.__name__, "rnn")
    if type(layer).__name__.startswith("ConvLSTM"):
        return "conv_lstm"
    if isinstance(layer, layers.RNN):
        cells = {layers.LSTMCell: "lstm_cell", layers.GRUCell: "gru_cell", layers.SimpleRNNCell: "rnn_cell", layers.StackedRNNCells: "stacked_cells"}
        return cells.get(type(layer.cell), "cell")
    return None


def inner(layer):
    while is_wrapper(layer):
        layer = layer.forward_layer if isinstance(layer, layers.Bidirectional) else layer.layer
    return layer


def recurrent(model, prefix=""):
    for layer in model.layers:
        if isinstance(layer, keras.Model):
            yield from recurrent(layer, f"{prefix}{layer.name}/")
        elif kind_of(layer):
            yield prefix + layer.name, layer


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
    return layer._build_shapes_dict["input_shape"] if "input_shape" in layer._build_shapes_dict else list(layer._build_shapes_dict.values())[0]


def describe(model, why):
    nodes = trace(model)
    rows = []
    for name, layer in recurrent(model):
        core = inner(layer)
        hidden, stacked = hidden_of(core)
        count, cudnn = verdict(nodes, name)
        rows.append({"name": name, "kind": kind_of(layer), "input": shapes_of(model, name)[-1], "hidden": hidden, "layers": stacked,
                     "directions": directions_of(layer), "dtype": core.compute_dtype, "cudnn": cudnn, "cudnn_ops": count, "why": why})
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
    model.set_weights([w.reshape(old.shape).astype(old.dtype) for w, old in zip(corpus.fill([w.shape for w in model.get_weights()], seed), model.get_weights())])
    return model


WITNESS = f"keras {KERAS}, TensorFlow {tf.__version__}, GPU test pretended true: CudnnRNNV3 operators counted in the traced graph"
seed = 0


def save(name, build, why, expect=None, format="keras", compile=None, as_written=False, load={}):
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
    rows = describe(keras.models.model_from_json(path.read_text()) if format == "json" else model if format == "weights" else keras.models.load_model(path, **load), why)
    if expect:
        assert {row["cudnn"] for row in rows} == {expect}, (name, rows)
    if format == "weights":
        rows = [{**row, "dtype": "float32"} for row in rows]
    out.add(name, {"keras": "keras", "h5": "hdf5", "json": "keras_json", "weights": "keras_weights"}[format], "keras",
            None if format == "weights" else KERAS, rows, WITNESS)
    return model


def double(model):
    """The same model and weights in fp64, run on the CPU without cuDNN."""
    keras.backend.clear_session()
    config = json.loads(model.to_json())

    def widen(node):
        if isinstance(node, dict):
            if node.get("class_name") == "DTypePolicy":
                return {**node, "config": {"name": "float64"}}
            return {k: "float64" if k == "dtype" and isinstance(v, str) else widen(v) for k, v in node.items()}
        return [widen(v) for v in node] if isinstance(node, list) else node

    twin = keras.models.model_from_json(json.dumps(widen(config)))
    twin.set_weights([w.astype("float64") for w in model.get_weights()])
    return twin


def numbers(case, file, model, layer, kind, directions, seed, **more):
    x = corpus.sequence(I, seed)
    y = double(model)(x).numpy()
    assert y.dtype == "float64"
    out.numbers(case, file, layer, kind, directions, x, y, written_by=f"keras {KERAS} on the CPU in float64", **more)


def lstm(**k):
    return lambda: model_of(layers.LSTM(H, **k))


def gru(**k):
    return lambda: model_of(layers.GRU(H, **k))



# One condition each.
m = save("lstm.keras", lstm(return_sequences=True), "all conditions of the cuDNN path hold", "yes", as_written=True)
numbers("lstm", "lstm.keras", m, "lstm", "lstm", 1, 1)
m = save("gru.keras", gru(return_sequences=True), "all conditions hold; reset_after is true", "yes")
numbers("gru", "gru.keras", m, "gru", "gru", 1, 2, reset_after=True)
m = save("gru_reset_before.keras", gru(return_sequences=True, reset_after=False), "reset_after=False: cuDNN's GRU has a recurrent bias inside the reset gate", "no")
numbers("gru_reset_before", "gru_reset_before.keras", m, "gru", "gru", 1, 3, reset_after=False)
for cell, make in ("lstm", lstm), ("gru", gru):
    save(f"{cell}_activation.keras", make(activation="relu"), "activation is relu, cuDNN has tanh", "no")
    save(f"{cell}_recurrent_activation.keras", make(recurrent_activation="hard_sigmoid"), "recurrent_activation is hard_sigmoid, cuDNN has sigmoid", "no")
    save(f"{cell}_recurrent_dropout.keras", make(recurrent_dropout=0.2), "recurrent_dropout is not 0", "no")
    save(f"{cell}_unroll.keras", make(unroll=True), "unroll=True", "no")
    save(f"{cell}_no_bias.keras", make(use_bias=False), "use_bias=False", "no")
    save(f"{cell}_use_cudnn_false.keras", make(use_cudnn=False), "use_cudnn=False is not stored in the file: the loaded layer has use_cudnn='auto'", "yes")
    save(f"{cell}_dropout.keras", make(dropout=0.3), "dropout on the inputs is applied before cuDNN", "yes")
    save(f"{cell}_stateful.keras", lambda: weigh(keras.Model(*(lambda x: (x, (layers.LSTM if cell == "lstm" else layers.GRU)(H, stateful=True)(x)))(keras.Input(batch_shape=(2, 5, I)))), 1), "stateful=True does not matter", "yes")
    save(f"{cell}_backwards.keras", make(go_backwards=True), "go_backwards=True: cuDNN runs on the reversed input", "yes")
for mask in "masking", "embedding":
    save(f"lstm_{mask}.keras", lambda: model_of(layers.LSTM(H), mask), "a mask reaches the layer: Keras asserts at run time that it is right-padded and no row is fully masked", "depends")
save("gru_masking.keras", lambda: model_of(layers.GRU(H), "masking"), "a mask reaches the layer: Keras asserts at run time that it is right-padded and no row is fully masked", "depends")
save("simple_rnn.keras", lambda: model_of(layers.SimpleRNN(H)), "SimpleRNN has no cuDNN path", "no")
save("simple_rnn_relu.keras", lambda: model_of(layers.SimpleRNN(H, activation="relu")), "SimpleRNN has no cuDNN path", "no")
out.close()
