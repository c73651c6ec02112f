"""What the scripts of this directory share: the witness table `../expected.jsonl`, the numbers of `../numbers/`, and weights that are the same at each run.

Each script writes below `../files/PREFIX/` and replaces the lines of its own prefix in the table; `python make_X.py` needs the versions that it states.
"""

import json
import pathlib
import re
import shutil
import zipfile

import numpy

MODELS = pathlib.Path(__file__).resolve().parent.parent
TABLE = MODELS / "expected.jsonl"


class Corpus:
    def __init__(self, prefix):
        self.prefix, self.rows, self.numbers_written = prefix, [], 0
        self.root = MODELS / "files" / prefix
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        for old in (MODELS / "numbers").glob(f"{prefix}_*.json"):
            old.unlink()

    def path(self, name):
        return self.root / name

    def add(self, name, format, framework, version, layers, witness, **more):
        """One line of the table; `name` is the file below the prefix, as a user would name it on the command line."""
        size = self.path(name)
        assert size.exists(), size
        self.rows.append(
            {
                "file": f"files/{self.prefix}/{name}",
                "format": format,
                "framework": framework,
                "version": version,
                "layers": layers,
                "witness": witness,
                **more,
            }
        )

    def numbers(self, case, file, layer, kind, directions, x, y, **more):
        """One CPU run in fp64: x and y are (batch, time, features), initial states are zero."""
        data = {
            "file": f"files/{self.prefix}/{file}",
            "layer": layer,
            "kind": kind,
            "directions": directions,
            "layout": "batch,time,feature",
            **more,
            "input": numpy.asarray(x, "float64").tolist(),
            "output": numpy.asarray(y, "float64").tolist(),
        }
        target = MODELS / "numbers" / f"{self.prefix}_{case}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(data) + "\n")
        self.numbers_written += 1

    def close(self):
        start = f"files/{self.prefix}/"
        lines = TABLE.read_text().splitlines() if TABLE.exists() else []
        rows = [
            row for row in map(json.loads, lines) if not row["file"].startswith(start)
        ] + self.rows
        rows.sort(key=lambda row: row["file"])
        TABLE.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        size = sum(path.stat().st_size for path in self.root.rglob("*") if path.is_file())
        print(
            f"{self.prefix}: {len(self.rows)} files, {size} bytes, {self.numbers_written} with numbers"
        )


def fill(shapes, seed, dtype="float32"):
    """Weights that no symmetry hides: each element differs, biases too."""
    random = numpy.random.default_rng(seed)
    return [random.uniform(-0.8, 0.8, shape).astype(dtype) for shape in shapes]


def sequence(features, seed, batch=2, time=5):
    return numpy.random.default_rng(1000 + seed).uniform(-1, 1, (batch, time, features))


def other_kind(layer):
    """Of a Keras layer that is neither an LSTM nor a GRU; None where it is not recurrent."""
    from keras import layers

    if isinstance(layer, layers.SimpleRNN):
        return {"tanh": "rnn_tanh", "relu": "rnn_relu"}.get(layer.activation.__name__, "rnn")
    if type(layer).__name__.startswith("ConvLSTM"):
        return "conv_lstm"
    if isinstance(layer, layers.RNN):
        return {
            "LSTMCell": "lstm_cell",
            "GRUCell": "gru_cell",
            "SimpleRNNCell": "rnn_cell",
            "StackedRNNCells": "stacked_cells",
        }.get(type(layer.cell).__name__, "cell")
    return None


def recurrent(model, kind_of, prefix=""):
    """The recurrent layers of a Keras model and of the models in it, with their names."""
    from keras import Model

    for layer in model.layers:
        if isinstance(layer, Model):
            yield from recurrent(layer, kind_of, f"{prefix}{layer.name}/")
        elif kind_of(layer):
            yield prefix + layer.name, layer


def without_debug_info(directory):
    """Removes the Python stack traces (paths of the machine that saved it) from a SavedModel: half of its size, and nobody reads them."""
    from tensorflow.core.protobuf import saved_model_pb2

    path = directory / "saved_model.pb"
    model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    for graph in model.meta_graphs:
        if "debug_info" in graph.graph_def.DESCRIPTOR.fields_by_name:
            graph.graph_def.ClearField("debug_info")
        for node in [
            *graph.graph_def.node,
            *(node for function in graph.graph_def.library.function for node in function.node_def),
        ]:
            node.ClearField("experimental_debug_info")
        graph.meta_info_def.ClearField("stripped_op_list")
    path.write_bytes(model.SerializeToString(deterministic=True))
    shutil.rmtree(directory / "assets", ignore_errors=True)


def repack(path):
    """Rewrites a zip with deflate and fixed times: smaller, and the same bytes at each run."""
    with zipfile.ZipFile(path) as old:
        members = [(info.filename, old.read(info)) for info in old.infolist()]
    members = [
        (
            name,
            re.sub(rb'"date_saved": "[^"]*"', b'"date_saved": "2024-01-01@00:00:00"', data)
            if name == "metadata.json"
            else data,
        )
        for name, data in members
    ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in members:
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, data)
