#!/usr/bin/env python3
"""`rnncheck model --run` and --fit, and `rnncheck doctor --model`, on simulated GPUs.

usage: run_test.py RNNCHECK MODELS_DIRECTORY SIM_DIRECTORY WORK_DIRECTORY
"""

import json
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from doctor import Checks  # noqa: E402
from simulated_machine import build_root, environment_of  # noqa: E402

program, files, sim, work = (
    sys.argv[1],
    pathlib.Path(sys.argv[2]) / "files",
    pathlib.Path(sys.argv[3]),
    pathlib.Path(sys.argv[4]),
)
check = Checks()
root = work / "root"
build_root({}, root, sim)


def ran(command, *options, simulated=""):
    environment = {**os.environ, **environment_of({"sim": simulated}, root)}
    done = subprocess.run(
        [program, command, f"--root={root}", *map(str, options)],
        capture_output=True,
        env=environment,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def document(command, *options, code=0, **how):
    found, out, err = ran(command, "--json", *options, **how)
    check.that(
        found == code, f"{command} {options} exits with {found}, not {code}: {err}{out[:2000]}"
    )
    return json.loads(out)


def runs_of(found):
    return [run for layer in found["runs"] for run in layer["runs"]]


own = [
    "keras3/bidirectional_gru.keras",
    "keras2/lstm.h5",
    "torch/bidirectional_lstm.pt",
    "torch/lstm_projection.pt",
    "torch/lstm_legacy.pt",
    "torch/sharded/model.safetensors.index.json",
    "onnx/gru_bidirectional.onnx",
    "onnx/lstm_external.onnx",
]
for name in own:
    found = document("model", files / name, "--run")
    check.that(
        [layer["own_weights"] for layer in found["runs"]] == [True],
        f"{name} is run with its own weights: {found['runs']}",
    )
    check.that(
        all(run["end"] == "ok" for run in runs_of(found)) and runs_of(found),
        f"{name} is correct: {found['runs']}",
    )
    check.that(
        found["report"]["verdict"] == found["verdict"] == "healthy", f"{name}: {found['verdict']}"
    )
    check.that(
        "weights"
        not in json.dumps(found["report"]["facts"].get("rnn_request", {}).get("weights", [])),
        f"{name}: no weights in the report",
    )

found = document("model", files / "keras2/saved_lstm", "--run")
check.that(
    not any(layer["own_weights"] for layer in found["runs"]),
    "the weights of a SavedModel are not read",
)
text = ran("model", files / "keras2/saved_lstm", "--run")[1]
check.that(
    "made by formula, not those of the file: the file does not contain them in a form" in text,
    f"that is stated: {text}",
)

# Weights of its own decide the bits: two files with the same case.
digests = {
    runs_of(document("model", files / f"torch/{name}.pt", "--run"))[0]["digest"]
    for name in ("lstm", "one_buffer")
}
check.that(len(digests) == 2, f"other weights give other bits: {digests}")

found = document(
    "model",
    files / "keras3/encoder_decoder.keras",
    "--run",
    "--training",
    "--batch",
    "3",
    "--length",
    "7",
)
check.that(
    [layer["layer"] for layer in found["runs"]] == [1, 2], f"each layer is run: {found['runs']}"
)
check.that(
    all(
        run["case"]["training"] and run["case"]["batch"] == 3 and run["reserve_bytes"]
        for run in runs_of(found)
    ),
    "with gradients and the batch",
)

found = document(
    "model", files / "torch/gru.pt", "--run", code=1, simulated="gru:lstm=update_exchanged"
)
check.that(
    runs_of(found)[0]["end"] == "incorrect"
    and "rnn_result_wrong" in [finding["rule"] for finding in found["report"]["findings"]],
    f"a wrong result is found: {found['runs']}",
)
check.that(
    "incorrect"
    in ran("model", files / "torch/gru.pt", "--run", simulated="gru:lstm=update_exchanged")[1],
    "and stated",
)

code, out, _ = ran("model", files / "torch/gru.pt", "--run", simulated="gpus=0")
check.that(code == 1 and "nothing was run on a GPU" in out, f"without a GPU: {code} {out}")
code, out, _ = ran("model", files / "keras3/no_recurrent_layer.keras", "--run")
check.that(
    code == 0 and "has no recurrent layer" in " ".join(out.split()),
    f"without a layer: {code} {out}",
)
code, _, err = ran("model", files / "keras3/custom_cell.keras", "--run")
check.that(
    code == 2 and err.count("\n") == 1 and "no layer that can be run" in err,
    f"a custom cell: {code} {err}",
)


def keras_lstm(*sizes):
    """A model with one layer of each size, written as Keras JSON."""
    layers = [
        {"class_name": "InputLayer", "config": {"batch_shape": [None, 20, sizes[0]], "name": "in"}}
    ]
    layers += [
        {
            "class_name": "LSTM",
            "config": {
                "name": f"lstm{size}",
                "units": size,
                "activation": "tanh",
                "recurrent_activation": "sigmoid",
                "use_bias": True,
                "unroll": False,
                "recurrent_dropout": 0.0,
                "return_sequences": True,
            },
        }
        for size in sizes[1:]
    ]
    path = work / "large.json"
    path.write_text(
        json.dumps(
            {
                "class_name": "Sequential",
                "keras_version": "3.15.1",
                "config": {"name": "s", "layers": layers},
            }
        )
    )
    return path


limit = "its weight matrices have 2147483648 numbers"
code, out, err = ran("model", keras_lstm(16384, 16384), "--run")
check.that(
    code == 2 and not out and err.count("\n") == 1 and "layer 'lstm16384'" in err and limit in err,
    f"a layer too large for cuDNN: {code} {out} {err}",
)
found = document("model", keras_lstm(16384, 16384))
check.that(
    found["layers"][0]["cudnn"] == "no" and limit in found["layers"][0]["reasons"][-1],
    f"judged: {found['layers']}",
)
found = document("model", keras_lstm(16384, 16384, 4), "--run")
check.that(
    [runs["layer"] for runs in found["runs"]] == [2] and found["report"]["verdict"] != "problems",
    f"the other layer runs: {found['report']['verdict']} {found['runs']}",
)
check.that(limit in found["layers"][0]["reasons"][-1], "and the large one is named")
for options in (["--fit", "--run"], ["--fit", "--batch", "3"]):
    check.that(
        ran("model", files / "torch/gru.pt", *options)[0] == 2, f"{options} contradict each other"
    )

found = document(
    "model",
    files / "torch/bidirectional_lstm.pt",
    "--fit",
    "--length",
    "50",
    simulated="mem_free=8",
)
fits = found["report"]["lstm"]["fits"]
check.that(
    fits and all(fit["largest"] > 1 and "layer 'lstm'" in fit["answer"] for fit in fits),
    f"the largest batch: {fits}",
)

found = document("doctor", "--model", files / "keras3/lstm_activation.keras")
check.that(
    found["model"]["layers"][0]["cudnn"] == "no" and found["verdict"] == "warnings",
    f"doctor --model: {found['verdict']}",
)
check.that(
    "does not use" in ran("doctor", "--model", files / "keras3/lstm_activation.keras")[1]
    or "activation is relu" in ran("doctor", "--model", files / "keras3/lstm_activation.keras")[1],
    "as text",
)


def here(name, **how):
    return [
        layer.get("on_this_machine")
        for layer in document("doctor", "--model", files / name, **how)["model"]["layers"]
    ]


check.that(
    here("keras3/lstm.keras") == [["GPU 0, cuDNN 9.19.0: fp32 is supported, algorithm standard"]],
    f"supported here: {here('keras3/lstm.keras')}",
)
check.that("bf16 is supported" in here("torch/lstm_bfloat16.pt")[0][0], "bfloat16 with this cuDNN")
check.that(
    "needs cuDNN 9.13" in here("torch/lstm_bfloat16.pt", simulated="cudnn=9.1.0")[0][0],
    "bfloat16 with an older one",
)
check.that(
    "needs compute capability 8.0" in here("torch/lstm_bfloat16.pt", simulated="cc=7.5")[0][0],
    "bfloat16 on an older GPU",
)
check.that(not here("onnx/lstm_clip.onnx")[0], "a layer on the CPU needs no cuDNN")

for name in ("text", "json", "markdown", "html", "junit", "github", "prometheus", "nagios"):
    code, out, err = ran("model", files / "keras3/lstm_activation.keras", "--format", name)
    check.that(code == 0 and not err, f"--format {name}: {code} {err}")
    check.that(
        name == "prometheus" or "lstm" in out, f"--format {name} names the layer: {out[:500]}"
    )
check.that(
    ran("model", files / "keras3/lstm_activation.keras", "--exit-style", "nagios")[0] == 1,
    "a layer without cuDNN is a warning to Nagios",
)
sys.exit(check.close())
