#!/usr/bin/env python3
"""`rnncheck model`: exit codes, what is stated of files that are none, and that a hostile file costs neither time, memory nor anything else.

usage: command_test.py RNNCHECK MODELS_DIRECTORY SANITIZED
"""

import json
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

program, models, sanitized = (
    sys.argv[1],
    pathlib.Path(sys.argv[2]),
    sys.argv[3].upper() in {"ON", "1", "TRUE"},
)
files = models / "files"
failed, most = [], 0
HUGE = 50 << 30  # sparse


def run(*arguments):
    global most
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = subprocess.Popen([program, "model", *map(str, arguments)], stdout=out, stderr=err)
        _, status, used = os.wait4(started.pid, 0)
        took = used.ru_utime + used.ru_stime  # of a processor: a busy machine makes it no longer
        started.returncode = os.waitstatus_to_exitcode(status)
        most = max(most, used.ru_maxrss >> 10)  # its own processes included
        texts = [file.seek(0) or file.read().decode(errors="replace") for file in (out, err)]
    return started.returncode, *texts, took


def check(what, holds, *about):
    if not holds:
        failed.append(f"{what}: {' '.join(map(str, about))[:600]}")


def exits(code, *arguments):
    found = run(*arguments)
    check(f"{' '.join(map(str, arguments))} exits with {code}", found[0] == code, *found)
    return found


def rejected(file, *words):
    code, out, err, took = run(file)
    check(
        f"{file.name} is rejected in one sentence",
        code == 2 and not out and err.count("\n") == 1 and file.name in err,
        code,
        out,
        err,
    )
    check(f"{file.name}: why", all(word in err for word in words), err)
    check(f"{file.name} takes {took:.1f} s", took < 20)


def torch_file(path, data, packed=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("archive/data.pkl", data)


OTHER_KINDS = {  # first bytes or the name, and a word of the sentence
    "lfs.onnx": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "git lfs pull",
    ),
    "page.h5": (b"<!DOCTYPE html>\n<html></html>", "web page"),
    "model.tflite": (b"\x1c\0\0\0TFL3" + bytes(50), "TensorFlow Lite"),
    "model.ort": (b"\x1c\0\0\0ORTM" + bytes(50), "ONNX Runtime"),
    "m.pte": (b"\x1c\0\0\0ET12" + bytes(50), "ExecuTorch"),
    "m.gguf": (b"GGUF" + bytes(50), "GGUF"),
    "m.ggml": (b"lmgg" + bytes(50), "ggml"),
    "net.param": (b"7767517\n1 1\n", "ncnn"),
    "net.bin": (bytes(50), "ncnn"),
    "m.params": (b"\x12\x01" + bytes(60), "MXNet"),
    "m-symbol.json": (b'{"nodes": [], "arg_nodes": []}', "MXNet"),
    "m.jld2": (b"HDF5-based Julia Data Format, version 0.2" + bytes(50), "JLD2"),
    "m.bson": (b"\x0d\0\0\0\x08a\0\x01\0\0\0\0\0", "BSON"),
    "crf.model": (b"lCRF" + bytes(50), "conditional random field"),
    "m.engine": (b"ptrt" + bytes(50), "TensorRT"),
    "v.txt": (b"#Parameter# /a {2} 4 0\n", "DyNet"),
    "final.mdl": (b"\0B<TransitionModel> ", "Kaldi"),
    "nnet.txt": (b"<Nnet3>\n", "Kaldi"),
    "r.rnnn": (b"rnnoise-nu model file version 1\n", "rnnoise"),
    "ir.xml": (b'<?xml version="1.0"?>\n<net name="n" version="11">', "OpenVINO"),
    "ir.bin": (bytes(50), "OpenVINO"),
    "net.prototxt": (b'name: "n"\nlayer {\n}', "Caffe"),
    "m.caffemodel": (b"\n\x01n", "Caffe"),
    "m.index": (bytes(40) + b"\x57\xfb\x80\x8b\x24\x75\x47\xdb", "checkpoint"),
    "m.data-00000-of-00001": (bytes(30), "checkpoint"),
    "checkpoint": (b'model_checkpoint_path: "m"\n', ".meta"),
    "keras_metadata.pb": (b"\n\x02\x10\x01", "SavedModel"),
    "group1-shard1of1.bin": (bytes(30), "TensorFlow.js"),
    "m.pdiparams": (bytes(30), "Paddle"),
    "m.pdmodel": (b"\n\x02\x08\0", "Paddle"),
    "m.mlmodel": (b"\x08\x04\x12\x04\n\x02in", "Core ML"),
    "a.npy": (
        b"\x93NUMPY\x01\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
        + b" " * 13
        + b"\n"
        + bytes(8),
        "NumPy",
    ),
    "p.pkl": (b"(dp0\n.", "protocol 0"),
    "m.t7": (b"\x04\0\0\0\x01\0\0\0\x03\0\0\0V 1", "Torch7"),
    "m.mat": (b"MATLAB 5.0 MAT-file" + bytes(50), "MATLAB"),
    "m.joblib": (b"\x78\x9c" + bytes(30), "joblib"),
    "d.xz": (b"\xfd7zXZ\0" + bytes(30), "xz"),
    "d.bz2": (b"BZh9" + bytes(30), "bzip2"),
    "d.zst": (b"\x28\xb5\x2f\xfd" + bytes(30), "zstd"),
    "d.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(30), "7-Zip"),
    "l.so": (b"\x7fELF" + bytes(30), "library"),
    "rt.json": (b'{"in_shape": [1], "layers": []}', "RTNeural"),
    "n.nam": (b'{"architecture": "LSTM", "config": {}}', "Neural Amp"),
    "x.json": (b'{"learner": {}}', "XGBoost"),
    "m.onnxtxt": (b"<\n  ir_version: 8\n>", "ONNX model as text"),
    "m.onnxjson": (b'{"irVersion": "8", "graph": {}}', "ONNX model as JSON"),
    "ft.bin": (b"\xba\x16\x4f\x2f" + bytes(30), "fastText"),
    "dl4j.json": (b'{"backend": 1}', "configuration"),
    "d.parquet": (b"PAR1" + bytes(30), "Parquet"),
    "c.dnn": (b"B\0C\0N\0" + bytes(30), "CNTK"),
    "m.mlirbc": (b"ML\xefR\x09StableHLO" + bytes(30), "MLIR"),
    "m.mlir": (b"module @jit_f {\n", "StableHLO"),
    "f.jaxexport": (bytes(40) + b"ML\xefR\x09StableHLO_v1.8.0", "jax.export"),
    "m.onnx.data": (bytes(30), ".onnx file"),
    "w_0": (bytes(16) + b"\x08\0\0\0\x08\x05\x10\x80\x01\x10\x80\x03", "Paddle"),
    "s.pkl": (b"\x80\x03cjoblib.numpy_pickle\nNumpyArrayWrapper\nsklearn\xff", "scikit-learn"),
    "n.joblib": (b"\x80\x03cjoblib.numpy_pickle\nNumpyArrayWrapper\n\xff", "joblib"),
    "fingerprint.pb": (b"\x08\x01\x10\x02", "SavedModel"),
    "weights.json": (b'{"gru.weight_ih_l0": [[0.1]]}', "PyTorch layer"),
}


def check_kinds(place):
    place.mkdir()
    for name, (data, _) in OTHER_KINDS.items():
        (place / name).write_bytes(data)
    for name, (_, word) in OTHER_KINDS.items():
        rejected(place / name, word)
    with zipfile.ZipFile(place / "dl4j.zip", "w") as archive:
        archive.writestr("configuration.json", "{}")
        archive.writestr("coefficients.bin", "x")
    rejected(place / "dl4j.zip", "Deeplearning4j")


def models_of(*arguments, code=0):
    found = run(*arguments, "--json")
    check(f"{' '.join(map(str, arguments))} exits with {code}", found[0] == code, *found)
    return json.loads(found[1]) if found[1] else {}


def check_archives(place):
    place.mkdir()
    lstm, onnx = (files / "torch/lstm.pt").read_bytes(), (files / "onnx/lstm.onnx").read_bytes()
    with zipfile.ZipFile(place / "serve.mar", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("MAR-INF/MANIFEST.json", "{}")
        archive.writestr("model.pt", lstm)
    check(
        "an archive with one model is that model",
        models_of(place / "serve.mar")["layers"][0]["hidden"] == 4,
    )
    with tarfile.open(place / "speech.nemo", "w") as archive:
        archive.add(files / "torch/lstm.pt", "./model_weights.ckpt")
        archive.add(models / "README.md", "./model_config.yaml")
    check("a tar archive", models_of(place / "speech.nemo")["layers"][0]["cudnn"] == "yes")
    with tarfile.open(place / "two.tar.gz", "w:gz") as archive:
        archive.add(place / "serve.mar", "inside/serve.mar")
        archive.add(files / "onnx/lstm.onnx", "lstm.onnx")
    both = models_of(place / "two.tar.gz")
    check(
        "an archive in an archive",
        len(both["models"]) == 2
        and all(model["layers"][0]["hidden"] == 4 for model in both["models"]),
        both,
    )
    (place / "damaged.onnx").write_bytes(onnx[: len(onnx) // 2])
    whole = models_of(place, code=3)
    check(
        "a directory: every model, and what cannot be read",
        len(whole["models"]) == 4 and len(whole["unread"]) == 1,
        whole,
    )
    several = models_of(files / "torch/lstm.pt", files / "keras3/lstm_activation.keras")
    check(
        "several files are one table",
        [model["layers"][0]["cudnn"] for model in several["models"]] == ["yes", "no"]
        and several["verdict"] == "warnings",
        several,
    )
    text = run(files / "torch/lstm.pt", files / "keras3/lstm_activation.keras")[1]
    check(
        "the table for people",
        "1 of 2 recurrent layers uses cuDNN" in " ".join(text.split())
        or "1 of 2 recurrent layers use cuDNN" in " ".join(text.split()),
        text,
    )
    graph = {
        "nodes": [
            {
                "target": "torch.ops.aten.lstm.input",
                "inputs": [
                    {
                        "name": "params",
                        "arg": {
                            "as_tensors": [
                                {"name": "p_rnn_weight_ih_l0"},
                                {"name": "p_rnn_weight_hh_l0"},
                            ]
                        },
                    },
                    {"name": "num_layers", "arg": {"as_int": 1}},
                    {"name": "bidirectional", "arg": {"as_bool": False}},
                ],
            }
        ],
        "tensor_values": {
            f"p_rnn_weight_{k}_l0": {"dtype": 7, "sizes": [{"as_int": 16}, {"as_int": n}]}
            for k, n in (("ih", 3), ("hh", 4))
        },
    }
    for name, nodes, use in (
        ("kept.pt2", graph["nodes"], "yes"),
        ("decomposed.pt2", [{"target": "torch.ops.aten.mm.default"}], "no"),
    ):
        with zipfile.ZipFile(place / name, "w") as archive:
            archive.writestr("m/archive_format", "pt2")
            archive.writestr(
                "m/models/model.json",
                json.dumps({"graph_module": {"graph": graph | {"nodes": nodes}}}),
            )
        layer = models_of(place / name)["layers"][0]
        check(
            f"{name}: {use}",
            (layer["name"], layer["input"], layer["hidden"], layer["cudnn"]) == ("rnn", 3, 4, use),
            layer,
        )
    layers = {
        "class_name": "Sequential",
        "config": {
            "layers": [
                {
                    "class_name": "LSTM",
                    "config": {"name": "lstm", "units": 4, "recurrent_activation": "hard_sigmoid"},
                }
            ]
        },
    }
    (place / "model.json").write_text(
        json.dumps(
            {
                "format": "layers-model",
                "modelTopology": {"keras_version": "2.4.0", "model_config": layers},
                "weightsManifest": [],
            }
        )
    )
    check("TensorFlow.js", models_of(place / "model.json")["layers"][0]["cudnn"] == "no")
    (place / "train.py").write_text("import keras\nkeras.layers.LSTM(8, activation='relu')\n")
    check(
        "a program",
        models_of(place / "train.py")["layers"][0]["changes"][0]
        == 'line 2: keras.layers.LSTM(8, activation="tanh")',
    )
    (place / "train.ipynb").write_text(
        json.dumps(
            {
                "nbformat": 4,
                "cells": [
                    {
                        "cell_type": "code",
                        "source": ["import torch.nn as nn\n", "nn.LSTM(8, 16).cuda()"],
                    }
                ],
            }
        )
    )
    check("a notebook", models_of(place / "train.ipynb")["layers"][0]["name"] == "cell 1, line 2")
    saved = (files / "keras3/exported/saved_model.pb").read_bytes()
    meta = field_bytes(saved, 2)
    function = b"\n\x01f\x12\x08R\x06\n\x04gone"  # the attribute f: a function of this name
    call = b"\n\x01c\x12\x0fPartitionedCall*" + bytes([len(function)]) + function
    (place / "part.pb").write_bytes(b"\n" + bytes([len(call)]) + call)
    check(
        "a graph without its functions is not read whole",
        models_of(place / "part.pb", code=3)["unclear"],
    )
    for name, data in (("model.meta", meta), ("frozen.pb", field_bytes(meta, 2))):
        (place / name).write_bytes(data)
        found = models_of(place / name)
        check(
            f"{name}: a cell in a while loop of TensorFlow",
            found["layers"]
            and all(
                layer["kind"].endswith("_cell") and layer["cudnn"] == "no"
                for layer in found["layers"]
            ),
            found,
        )


def field_bytes(message, number):
    at, found = 0, b""
    while at < len(message):
        key, at = varint(message, at)
        value, at = varint(message, at)
        if key & 7 == 2:
            if key >> 3 == number:
                found = message[at : at + value]
            at += value
    return found


def varint(message, at):
    value = shift = 0
    while True:
        value |= (message[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if message[at - 1] < 128:
            return value, at


class Executes:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def with_hole(path, original):
    """The archive with 50 GB between its files and its directory, which ZIP64's records then lead to."""
    end = original.rindex(b"PK\5\6")
    entries, size, at = struct.unpack("<HII", original[end + 10 : end + 20])
    directory = original[at : at + size]
    record = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, entries, entries, size, HUGE)
    locator = struct.pack("<IIQI", 0x07064B50, 0, HUGE + size, 1)
    last = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    with open(path, "wb") as file:
        file.write(original[:at])
        file.seek(HUGE)
        file.write(directory + record + locator + last)


exits(0, files / "keras3/lstm.keras")
exits(0, files / "keras3/lstm_activation.keras")
exits(4, files / "keras3/lstm_activation.keras", "--fail-on", "warning")
exits(3, files / "keras3/only.weights.h5")
for unclear in ("loop_unknown.onnx", "own_operator.onnx", "flat_lstm.safetensors"):
    code, out, _, _ = exits(3, files / "cells" / unclear)
    check(
        f"{unclear}: nothing is healthy for want of understanding",
        "unknown whether it has recurrent layers" in " ".join(out.split()),
        out,
    )
code, out, _, _ = exits(0, files / "keras3/no_recurrent_layer.keras")
check(
    "no recurrent layer is one sentence",
    " ".join(out.split()).endswith("has no recurrent layer") and "\n\n" not in out,
    out,
)
exits(2, files / "keras3/lstm.keras", "--given", "keras=new")
exits(2, files / "keras3/lstm.keras", "--given", "driver=535")

backends = {
    ("backend=torch", "keras=3.9"): "no",
    ("backend=torch", "keras=3.15"): "yes",
    ("backend=jax", "keras=3.13"): "no",
}
for given, use in backends.items():
    found = json.loads(
        run(files / "keras3/lstm.keras", "--json", "--given", given[0], "--given", given[1])[1]
    )
    check(f"{given} gives {use}", found["layers"][0]["cudnn"] == use, found)

document = json.loads(
    run(files / "keras3/lstm.keras", "--json", "--batch", "2", "--length", "5")[1]
)
memory = document["layers"][0]["memory"]
# 4 gates of 4 units, each with 3 inputs, 4 states and two biases, in fp32.
check("memory of weights", memory["weights"] == 4 * 4 * 4 * (3 + 4 + 2), memory)

# Names and values that other programs rely on.
MEMBERS = {"name", "kind", "input", "hidden", "layers", "directions", "dtype", "cudnn", "reasons"}
KINDS = [
    "lstm",
    "gru",
    "rnn_tanh",
    "rnn_relu",
    "rnn",
    "lstm_cell",
    "gru_cell",
    "rnn_cell",
    "stacked_cells",
    "conv_lstm",
    "cell",
]
check("members of a layer", MEMBERS <= set(document["layers"][0]), document["layers"][0])
check(
    "members of a document",
    {"format", "framework", "version", "layers", "notes", "verdict", "sentence"} <= set(document),
    document,
)
schema = json.loads(subprocess.run([program, "schema"], capture_output=True, check=True).stdout)
layer = next(
    kind["properties"]["layers"]["items"]["properties"]
    for kind in schema["oneOf"]
    if {"layers", "framework"} <= set(kind["properties"])
)
check("kinds of a layer", layer["kind"]["enum"] == KINDS, layer["kind"])
check(
    "uses of cuDNN",
    set(layer["cudnn"]["enum"]) == {"yes", "no", "depends", "unknown"},
    layer["cudnn"],
)

code, out, _, _ = exits(0, files / "onnx/lstm_layout.onnx")
check(
    "a session that fails is not called slow",
    "rejects this layer on a GPU" in " ".join(out.split()) and "slower" not in out,
    out,
)
for quantized in ("torch/quantised.pt", "onnx/lstm_quantized.onnx"):
    code, out, _, _ = exits(0, files / quantized)
    check("a quantized layer has one reason", out.count("Why") == 1, out)
for given, note in (([], True), (["--given", "backend=torch"], False)):
    check(
        "the backend that is assumed is shown",
        ("backend" in run(files / "keras3/lstm.keras", *given)[1]) == note,
        given,
    )
check("Keras 2 has no backend", "backend" not in run(files / "keras2/lstm.h5")[1])
page = subprocess.run(
    [program, "explain", "layer_without_cudnn"], capture_output=True, text=True, check=False
)
check("the finding's id has a page", page.returncode == 0 and "What to do" in page.stdout, page)

with tempfile.TemporaryDirectory() as place:
    place = pathlib.Path(place)
    others = {
        "loop.pt": None,
        "model.tflite": b"\x1c\0\0\0TFL3" + bytes(200),
        "llama.gguf": b"GGUF" + bytes(100),
        "model.tar.gz": b"\x1f\x8b" + bytes(50),
        "model.nemo": bytes(257) + b"ustar" + bytes(250),
        "frozen.pb": b"\n\x05\n\x01x\x12\0",
        "ckpt.index": bytes(100),
        "model.pkl": pickle.dumps({"a": 1}, 4),
        "model.mlmodel": b"\x08\x04\x12\x04\n\x02in\xa2\x1f\x03\n\x01x",
        "config.json": b'{"model_type": "lstm"}',
    }
    os.symlink("loop.pt", place / "loop.pt")
    for name, data in others.items():
        if data:
            (place / name).write_bytes(data)
        rejected(place / name, "symbolic links" if not data else "")
    with zipfile.ZipFile(place / "weights.npz", "w") as archive:
        archive.writestr("a.npy", b"")
    rejected(place / "weights.npz", "NumPy archive")
    rejected(place / "model.tflite", "TensorFlow Lite")
    rejected(place / "model.mlmodel", "Core ML")
    rejected(place / "model.pkl", "state_dict")
    rejected(place / "absent.keras", "No such file")
    (place / "empty.pt").touch()
    rejected(place / "empty.pt", "empty")
    (place / "text.pt").write_text("no model at all")
    rejected(place / "text.pt", "not a model of a known format")
    os.mkfifo(place / "pipe.onnx")
    rejected(place / "pipe.onnx", "regular")
    rejected(place, "no model that can be read")
    check_kinds(place / "kinds")
    check_archives(place / "archives")
    (place / "deep.json").write_text("[" * (30 << 20))
    rejected(place / "deep.json")
    torch_file(place / "bomb.pt", b"\0" * (200 << 20), zipfile.ZIP_DEFLATED)
    rejected(place / "bomb.pt", "64 MiB")
    torch_file(place / "many.pt", b"(" + b"]" * 3_000_000 + b"l.")
    rejected(place / "many.pt", "1000000")

    witness = place / "executed"
    for protocol in range(6):
        torch_file(
            place / "evil.pt",
            pickle.dumps({"lstm.weight_ih_l0": Executes(f"touch {witness}")}, protocol),
        )
        exits(2, place / "evil.pt")
    check("a pickle executes nothing", not witness.exists())

    (place / "other.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"lstm.weight_ih_l0": "../secret"}})
    )
    rejected(place / "other.safetensors.index.json", "outside its directory")

    original = (files / "torch/lstm.safetensors").read_bytes()
    (place / "huge.safetensors").write_bytes(original)
    os.truncate(place / "huge.safetensors", HUGE)
    with_hole(place / "huge.pt", (files / "torch/lstm.pt").read_bytes())
    for huge in ("huge.safetensors", "huge.pt"):
        code, out, err, took = run(place / huge, "--json")
        check(
            f"{huge} of 50 GB is read",
            code == 0 and json.loads(out)["layers"][0]["hidden"] == 4,
            code,
            err,
        )
        check(f"{huge} takes {took:.2f} s", took < 5)
    before = sorted(path.name for path in place.iterdir())
    run(place / "huge.pt")
    check("nothing is written", sorted(path.name for path in place.iterdir()) == before)

    subprocess.run(
        [sys.executable, models / "make/hostile.py", place / "hostile", files],
        check=True,
        capture_output=True,
    )
    for line in (place / "hostile/manifest.jsonl").read_text().splitlines():
        row = json.loads(line)
        code, out, err, took = run(place / "hostile" / row["file"], "--json")
        what = f"{row['file']} ({row['attack']})"
        check(f"{what} takes {took:.1f} s", took < (2 if row["expect"] == "quick" else 20))
        check(f"{what}: canary", not (row["canary"] and pathlib.Path(row["canary"]).exists()))
        check(
            what,
            code in {"error": {2}, "any": {0, 2, 3}}.get(row["expect"], {0, 3}),
            code,
            out,
            err,
        )
        check(f"{what}: one sentence", err.count("\n") <= 1 and json.loads(out), err)

check(f"{most} MiB of memory at most", sanitized or most < 256)
for line in failed:
    print(line)
print(f"{len(failed)} failures, at most {most} MiB")
sys.exit(1 if failed else 0)
