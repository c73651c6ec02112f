"""Recurrence that only the code or the functions of a file show, and files whose names say nothing.

usage: make_more.py torch|tensorflow
The first with torch 2.15.0, the second with tf-keras 2.21.0, TensorFlow 2.21.0 and h5py. Writes
files/more/ and the lines of these files in expected.jsonl. Truth: how each module was built.
"""

import json
import os
import pickle
import sys

import numpy

import corpus

PLACE = corpus.MODELS / "files" / "more"


def layer(name, kind, inputs, hidden, cudnn, layers=1, directions=1, dtype="float32"):
    return {
        "name": name,
        "kind": kind,
        "input": inputs,
        "hidden": hidden,
        "layers": layers,
        "directions": directions,
        "dtype": dtype,
        "cudnn": cudnn,
    }


def rows_of_torch():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(3, 4, 2, bidirectional=True)
            self.gru = nn.GRU(8, 5)

        def forward(self, x):
            return self.gru(self.lstm(x)[0])[0]

    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(4, 6)

        def forward(self, x):
            h = torch.zeros(x.shape[0], 6)
            c = h
            for t in range(x.shape[1]):
                h, c = self.cell(x[:, t], (h, c))
            return h

    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.i, self.h = nn.Linear(4, 24), nn.Linear(6, 24)

        def forward(self, x):
            h = torch.zeros(x.shape[0], 6)
            c = h
            for t in range(x.shape[1]):
                i, f, g, o = (self.i(x[:, t]) + self.h(h)).chunk(4, 1)
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                h = torch.sigmoid(o) * torch.tanh(c)
            return h

    def frozen(module):
        return torch.jit.freeze(torch.jit.script(module.eval()))

    def saved(name, what):
        torch.save(what, PLACE / name)

    lstm = layer("lstm", "lstm", 3, 4, "yes", 2, 2)
    quantized = torch.ao.quantization.quantize_dynamic(Net().eval(), {nn.LSTM}, dtype=torch.qint8)
    frozen(Net()).save(PLACE / "frozen.pt")
    frozen(Cell()).save(PLACE / "frozen_cell.pt")
    frozen(Own()).save(PLACE / "frozen_own.pt")
    torch.jit.script(Own()).save(PLACE / "script_own.pt")
    frozen(nn.Sequential(nn.Linear(3, 4), nn.ReLU())).save(PLACE / "frozen_none.pt")
    saved("own_state.pt", Own().state_dict())
    saved("quantized_both.pt", quantized.state_dict())
    saved(
        "averaged.pt",
        {
            "student": nn.GRU(3, 4).state_dict(),
            "teacher": nn.GRU(3, 4).state_dict(),
            "ema": {"shadow": nn.GRU(3, 4).state_dict()},
        },
    )
    with open(PLACE / "pickled.pkl", "wb") as file:
        pickle.dump(nn.GRU(3, 4), file)
    arrays = {name: value.numpy() for name, value in nn.GRU(3, 4).state_dict().items()}
    numpy.savez(PLACE / "arrays.npz", **{"gru." + name: value for name, value in arrays.items()})
    gru = layer("gru", "gru", 8, 5, "yes")
    return [
        (
            "frozen.pt",
            "torchscript",
            "pytorch",
            [{**lstm, "name": "torch.lstm"}, {**gru, "name": "torch.gru"}],
            "frozen: the code alone shows the layers",
        ),
        (
            "frozen_cell.pt",
            "torchscript",
            "pytorch",
            [layer("torch.lstm_cell", "lstm_cell", 4, 6, "no")],
            "frozen: the code alone shows the cell",
        ),
        (
            "frozen_own.pt",
            "torchscript",
            "pytorch",
            [layer("LSTM cell of the program", "lstm_cell", 4, 6, "no")],
            "an LSTM cell in elementary operators",
        ),
        ("script_own.pt", "torchscript", "pytorch", [], "the same with its modules"),
        ("frozen_none.pt", "torchscript", "pytorch", [], "no recurrence"),
        (
            "own_state.pt",
            "torch_zip",
            "pytorch",
            [],
            "two matrices with the shapes of a cell's, by vague names",
        ),
        (
            "quantized_both.pt",
            "torch_zip",
            "pytorch",
            [{**lstm, "dtype": "qint8", "cudnn": "no"}, gru],
            "both directions are numbered in one",
        ),
        (
            "averaged.pt",
            "torch_zip",
            "pytorch",
            [layer("student.", "gru", 3, 4, "yes"), layer("teacher.", "gru", 3, 4, "yes")],
            "and a copy of them",
        ),
        (
            "pickled.pkl",
            "torch_legacy",
            "pytorch",
            [layer("", "gru", 3, 4, "yes")],
            "tensors inside a plain pickle",
        ),
        (
            "arrays.npz",
            "npz",
            "numpy",
            [layer("gru", "gru", 3, 4, "yes")],
            "PyTorch's names in an archive of NumPy",
        ),
    ]


def pruned(directory):
    """Without gradients and the other traces of the same layers, which are most of the file."""
    from tensorflow.core.protobuf import saved_model_pb2

    corpus.without_debug_info(directory)
    path = directory / "saved_model.pb"
    model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    for graph in model.meta_graphs:
        library = graph.graph_def.library
        call = next(one for one in library.function if "wrapped_model" in one.signature.name)
        called = {
            node.attr["f"].func.name for node in call.node_def if "PartitionedCall" in node.op
        }
        layers = {
            one.attr["api_implements"].s for one in library.function if one.signature.name in called
        }
        kept = [
            one
            for one in library.function
            if one is call
            or (
                one.attr["api_implements"].s in layers
                and "backward" not in one.signature.name
                and "__forward_" not in one.signature.name
            )
        ]
        kept = [type(call).FromString(one.SerializeToString()) for one in kept]
        del library.function[:]
        library.function.extend(kept)
    path.write_bytes(model.SerializeToString(deterministic=True))


def rows_of_tensorflow():
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    import h5py
    import tf_keras as keras

    class Masked(keras.Model):
        def __init__(self, masked):
            super().__init__()
            self.embedding = keras.layers.Embedding(5, 3, mask_zero=masked)
            self.lstm = keras.layers.LSTM(4)

        def call(self, inputs):
            return self.lstm(self.embedding(inputs))

    rows = []
    for masked, cudnn in ((True, "depends"), (False, "yes")):
        keras.backend.clear_session()
        model = Masked(masked)
        model(numpy.zeros((2, 4), "int32"))
        name = "subclass_masked" if masked else "subclass"
        model.save(PLACE / name, save_format="tf", include_optimizer=False)
        pruned(PLACE / name)
        rows.append(
            (
                name,
                "saved_model",
                "tensorflow",
                [layer("masked/lstm", "lstm", 3, 4, cudnn)],
                "a class of its own: its functions show which layers have one with cuDNN",
            )
        )
    for end in ("", ":0"):
        name = "keras1_tensorflow.h5" if end else "keras1_theano.h5"
        with h5py.File(PLACE / name, "w") as file:
            file.attrs["layer_names"] = [b"lstm_1"]
            group = file.create_group("lstm_1")
            for gate in "icfo":
                for part, shape in (("W", (3, 4)), ("U", (4, 4)), ("b", (4,))):
                    group.create_dataset(
                        f"lstm_1_{part}_{gate}{end}", data=numpy.zeros(shape, "float32")
                    )
        rows.append(
            (
                name,
                "keras_weights",
                "keras",
                [layer("lstm_1", "lstm", 3, 4, "no")],
                "the names that Keras 1 gives; written with h5py",
            )
        )
    return rows


def main():
    PLACE.mkdir(exist_ok=True)
    rows = rows_of_torch() if sys.argv[1] == "torch" else rows_of_tensorflow()
    unclear = {"script_own.pt", "own_state.pt"}
    versions = {"keras": "1.0", "tensorflow": "2.21.0"}
    new = [
        {
            "file": "files/more/" + name,
            "format": kind,
            "framework": framework,
            "version": versions.get(framework),
            "layers": layers,
            "why": why,
            **({"unclear": True} if name in unclear else {}),
        }
        for name, kind, framework, layers, why in rows
    ]
    files = {row["file"] for row in new}
    old = [json.loads(line) for line in corpus.TABLE.read_text().splitlines()]
    lines = [json.dumps(row) for row in [*(row for row in old if row["file"] not in files), *new]]
    corpus.TABLE.write_text("\n".join(lines) + "\n")


main()
