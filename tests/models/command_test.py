#!/usr/bin/env python3
"""`rnncheck model`: exit codes, what is said of files that are none, and that a hostile file costs neither time, memory nor anything else.

usage: command_test.py RNNCHECK MODELS_DIRECTORY SANITIZED
"""
import json
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

program, models, sanitized = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3].upper() in {"ON", "1", "TRUE"}
files = models / "files"
failed, most = [], 0
HUGE = 50 << 30  # sparse


def run(*arguments):
    global most
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = subprocess.Popen([program, "model", *map(str, arguments)], stdout=out, stderr=err)
        _, status, used = os.wait4(started.pid, 0)
        took = time.monotonic() - begin
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
    check(f"{file.name} is rejected in one sentence", code == 2 and not out and err.count("\n") == 1 and file.name in err, code, out, err)
    check(f"{file.name}: why", all(word in err for word in words), err)
    check(f"{file.name} takes {took:.1f} s", took < 20)


def torch_file(path, data, packed=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("archive/data.pkl", data)


class Executes:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def with_hole(path, original):
    """The archive with 50 GB between its files and its directory, which ZIP64's records then lead to."""
    end = original.rindex(b"PK\5\6")
    entries, size, at = struct.unpack("<HII", original[end + 10:end + 20])
    directory = original[at:at + size]
    record = struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, entries, entries, size, HUGE)
    locator = struct.pack("<IIQI", 0x07064b50, 0, HUGE + size, 1)
    last = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
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
    check(f"{unclear}: nothing is healthy for want of understanding", "unknown whether it has recurrent layers" in " ".join(out.split()), out)
code, out, _, _ = exits(0, files / "keras3/no_recurrent_layer.keras")
check("no recurrent layer is one sentence", " ".join(out.split()).endswith("has no recurrent layer") and "\n\n" not in out, out)
exits(2, files / "keras3/lstm.keras", "--given", "keras=new")
exits(2, files / "keras3/lstm.keras", "--given", "driver=535")

backends = {("backend=torch", "keras=3.9"): "no", ("backend=torch", "keras=3.15"): "yes", ("backend=jax", "keras=3.13"): "no"}
for given, use in backends.items():
    found = json.loads(run(files / "keras3/lstm.keras", "--json", "--given", given[0], "--given", given[1])[1])
    check(f"{given} gives {use}", found["layers"][0]["cudnn"] == use, found)

document = json.loads(run(files / "keras3/lstm.keras", "--json", "--batch", "2", "--length", "5")[1])
memory = document["layers"][0]["memory"]
# 4 gates of 4 units, each with 3 inputs, 4 states and two biases, in fp32.
check("memory of weights", memory["weights"] == 4 * 4 * 4 * (3 + 4 + 2), memory)

# Names and values that other programs rely on.
MEMBERS = {"name", "kind", "input", "hidden", "layers", "directions", "dtype", "cudnn", "reasons"}
KINDS = ["lstm", "gru", "rnn_tanh", "rnn_relu", "rnn", "lstm_cell", "gru_cell", "rnn_cell", "stacked_cells", "conv_lstm", "cell"]
check("members of a layer", MEMBERS <= set(document["layers"][0]), document["layers"][0])
check("members of a document", {"format", "framework", "version", "layers", "notes", "verdict", "sentence"} <= set(document), document)
schema = json.loads(subprocess.run([program, "schema"], capture_output=True, check=True).stdout)
layer = next(kind["properties"]["layers"]["items"]["properties"] for kind in schema["oneOf"] if {"layers", "framework"} <= set(kind["properties"]))
check("kinds of a layer", layer["kind"]["enum"] == KINDS, layer["kind"])
check("uses of cuDNN", set(layer["cudnn"]["enum"]) == {"yes", "no", "depends", "unknown"}, layer["cudnn"])

code, out, _, _ = exits(0, files / "onnx/lstm_layout.onnx")
check("a session that fails is not called slow", "rejects this layer on a GPU" in " ".join(out.split()) and "slower" not in out, out)
for quantized in ("torch/quantised.pt", "onnx/lstm_quantized.onnx"):
    code, out, _, _ = exits(0, files / quantized)
    check("a quantized layer has one reason", out.count("Why") == 1, out)
for given, note in (([], True), (["--given", "backend=torch"], False)):
    check("the backend that is assumed is shown", ("backend" in run(files / "keras3/lstm.keras", *given)[1]) == note, given)
check("Keras 2 has no backend", "backend" not in run(files / "keras2/lstm.h5")[1])
page = subprocess.run([program, "explain", "layer_without_cudnn"], capture_output=True, text=True, check=False)
check("the finding's id has a page", page.returncode == 0 and "What to do" in page.stdout, page)

with tempfile.TemporaryDirectory() as place:
    place = pathlib.Path(place)
    others = {"loop.pt": None, "model.tflite": b"\x1c\0\0\0TFL3" + bytes(200), "llama.gguf": b"GGUF" + bytes(100), "model.tar.gz": b"\x1f\x8b" + bytes(50),
              "model.nemo": bytes(257) + b"ustar" + bytes(250), "frozen.pb": b"\n\x05\n\x01x\x12\0", "ckpt.index": bytes(100), "model.pkl": pickle.dumps({"a": 1}, 4),
              "model.mlmodel": b"\x08\x04\x12\x04\n\x02in\xa2\x1f\x03\n\x01x", "config.json": b'{"model_type": "lstm"}', "train.py": b"import keras\n"}
    os.symlink("loop.pt", place / "loop.pt")
    for name, data in others.items():
        if data:
            (place / name).write_bytes(data)
        rejected(place / name, "symbolic links" if not data else "")
    with zipfile.ZipFile(place / "weights.npz", "w") as archive:
        archive.writestr("a.npy", b"")
    rejected(place / "weights.npz", "NumPy archive")
    rejected(place / "model.tflite", "TensorFlow Lite")
    rejected(place / "model.mlmodel", "not an ONNX model")
    rejected(place / "model.pkl", "state_dict")
    rejected(place / "absent.keras", "No such file")
    (place / "empty.pt").touch()
    rejected(place / "empty.pt", "empty")
    (place / "text.pt").write_text("no model at all")
    rejected(place / "text.pt", "not a model of a known format")
    os.mkfifo(place / "pipe.onnx")
    rejected(place / "pipe.onnx", "regular")
    rejected(place, "saved_model.pb")
    (place / "deep.json").write_text("[" * (30 << 20))
    rejected(place / "deep.json")
    torch_file(place / "bomb.pt", b"\0" * (200 << 20), zipfile.ZIP_DEFLATED)
    rejected(place / "bomb.pt", "64 MiB")
    torch_file(place / "many.pt", b"(" + b"]" * 3_000_000 + b"l.")
    rejected(place / "many.pt", "1000000")

    witness = place / "executed"
    for protocol in range(6):
        torch_file(place / "evil.pt", pickle.dumps({"lstm.weight_ih_l0": Executes(f"touch {witness}")}, protocol))
        exits(2, place / "evil.pt")
    check("a pickle executes nothing", not witness.exists())

    (place / "other.safetensors.index.json").write_text(json.dumps({"weight_map": {"lstm.weight_ih_l0": "../secret"}}))
    rejected(place / "other.safetensors.index.json", "outside its directory")

    original = (files / "torch/lstm.safetensors").read_bytes()
    (place / "huge.safetensors").write_bytes(original)
    os.truncate(place / "huge.safetensors", HUGE)
    with_hole(place / "huge.pt", (files / "torch/lstm.pt").read_bytes())
    for huge in ("huge.safetensors", "huge.pt"):
        code, out, err, took = run(place / huge, "--json")
        check(f"{huge} of 50 GB is read", code == 0 and json.loads(out)["layers"][0]["hidden"] == 4, code, err)
        check(f"{huge} takes {took:.2f} s", took < 5)
    before = sorted(path.name for path in place.iterdir())
    run(place / "huge.pt")
    check("nothing is written", sorted(path.name for path in place.iterdir()) == before)

    subprocess.run([sys.executable, models / "make/hostile.py", place / "hostile", files], check=True, capture_output=True)
    for line in (place / "hostile/manifest.jsonl").read_text().splitlines():
        row = json.loads(line)
        code, out, err, took = run(place / "hostile" / row["file"], "--json")
        what = f"{row['file']} ({row['attack']})"
        check(f"{what} takes {took:.1f} s", took < (2 if row["expect"] == "quick" else 20))
        check(f"{what}: canary", not (row["canary"] and pathlib.Path(row["canary"]).exists()))
        check(what, code in {"error": {2}, "any": {0, 2, 3}}.get(row["expect"], {0, 3}), code, out, err)
        check(f"{what}: one sentence", err.count("\n") <= 1 and json.loads(out), err)

check(f"{most} MiB of memory at most", sanitized or most < 256)
for line in failed:
    print(line)
print(f"{len(failed)} failures, at most {most} MiB")
sys.exit(1 if failed else 0)
