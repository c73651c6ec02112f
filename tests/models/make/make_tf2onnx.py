"""ONNX by tf2onnx from Keras 2 models. Run with tf2onnx 1.17.0, onnx 1.16.2, tensorflow-cpu 2.15.1, keras 2.15.0, Python 3.11; then run place_onnx.py.

The expected lines come from the Keras layers that were converted; place_onnx.py adds the placement that ONNX Runtime decides.
"""

import os

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import keras
import onnx
import tensorflow as tf
import tf2onnx
from keras import layers

import corpus

out = corpus.Corpus("tf2onnx")
I, H = 3, 4


def convert(name, layer, kind, directions, cudnn, why):
    keras.backend.clear_session()
    x = keras.Input((5, I), batch_size=2)
    model = keras.Model(x, layer(x))
    model.set_weights(
        [
            w.astype("float32")
            for w in corpus.fill([w.shape for w in model.get_weights()], sum(map(ord, name)))
        ]
    )
    tf2onnx.convert.from_keras(
        model,
        [tf.TensorSpec((2, 5, I), tf.float32, name="x")],
        opset=17,
        output_path=str(out.path(name)),
    )
    file = onnx.load(out.path(name))
    nodes = [node for node in file.graph.node if node.op_type in ("LSTM", "GRU", "RNN")]
    rows = [
        {
            "name": node.name,
            "kind": kind,
            "input": I,
            "hidden": H,
            "layers": 1,
            "directions": directions,
            "dtype": "float32",
            "cudnn": cudnn,
            "why": why,
        }
        for node in nodes
    ]
    out.add(
        name,
        "onnx",
        "onnx",
        None,
        rows,
        "placement log",
        producer=f"{file.producer_name} {file.producer_version}",
        opset=17,
    )
    return len(nodes)


OK = "converted by tf2onnx to one node that the CUDA provider takes"
assert convert("lstm.onnx", layers.LSTM(H), "lstm", 1, "yes", OK) == 1
assert (
    convert(
        "gru.onnx",
        layers.GRU(H),
        "gru",
        1,
        "yes",
        OK + ": reset_after=True is linear_before_reset=1",
    )
    == 1
)
assert (
    convert("gru_as_loop.onnx", layers.GRU(H, reset_after=False), "gru", 1, "no", "") == 0
)  # reset_after=False stays a Loop: the file has no recurrent operator
assert (
    convert(
        "bidirectional_lstm.onnx",
        layers.Bidirectional(layers.LSTM(H, return_sequences=True)),
        "lstm",
        2,
        "yes",
        OK,
    )
    == 1
)
out.close()
