#!/usr/bin/env python3
"""Makes vectors.json: recurrent networks and their gradients by PyTorch on the CPU in fp64, as a witness for src/rnn.

usage: make.py > vectors.json     needs torch; README.md names the version that made the file

Each list of numbers is base64 of little-endian doubles, so that not a bit is lost. Of a case only what is not PLAIN is
stored. Inputs are not stored: number n of case k is value(k, n) below, counted through all arrays in the order of inputs().
"""

import base64
import json
import struct
import sys

import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
GATES = {"lstm": 4, "gru": 3, "tanh": 1, "relu": 1}
PLAIN = dict(
    cell="lstm",
    dtype="fp64",
    algorithm="standard",
    math="default",
    layout="sequence_major",
    input=3,
    hidden=3,
    batch=3,
    sequence_length=4,
    lengths=[],
    states=True,
    projection=0,
    bias="both",
    input_mode="linear",
    clip=0.0,
    training=True,
    layers=1,
    direction="unidirectional",
)


def value(case_number, n):
    return ((n * n * 31 + n * 17 + case_number * 101) % 251 - 125) / 128


class Numbers:
    """The arrays of one case, in the order in which they are counted."""

    def __init__(self, case_number):
        self.case_number, self.n = case_number, 0

    def take(self, *shape, scale=1.0):
        count = 1
        for size in shape:
            count *= size
        values = [value(self.case_number, self.n + i) * scale for i in range(count)]
        self.n += count
        return torch.tensor(values).reshape(shape)


def inputs(case, number):
    take = Numbers(number).take
    hidden, output = case["hidden"], case["projection"] or case["hidden"]
    directions = 2 if case["direction"] == "bidirectional" else 1
    gates, layers = GATES[case["cell"]], []
    for layer in range(case["layers"]):
        columns = case["input"] if layer == 0 else directions * output
        for _ in range(directions):
            weights = {"W": [], "R": [], "bW": [], "bR": [], "P": None}
            for _ in range(gates):
                skip = layer == 0 and case["input_mode"] == "skip"
                weights["W"].append(torch.eye(hidden) if skip else take(hidden, columns))
                weights["R"].append(take(hidden, output))
                weights["bW"].append(
                    take(hidden) if case["bias"] in ("input", "both") else torch.zeros(hidden)
                )
                weights["bR"].append(
                    take(hidden) if case["bias"] in ("recurrent", "both") else torch.zeros(hidden)
                )
            if case["projection"]:
                weights["P"] = take(output, hidden)
            layers.append(weights)
    batch, steps, rows = case["batch"], case["sequence_length"], case["layers"] * directions
    given = {"x": take(batch, steps, case["input"])}

    def states(h, c):
        scale = min(1.0, case["clip"]) if case["clip"] else 1.0
        given[h] = take(rows, batch, output) if case["states"] else torch.zeros(rows, batch, output)
        given[c] = (
            take(rows, batch, hidden, scale=scale)
            if case["states"] and case["cell"] == "lstm"
            else torch.zeros(rows, batch, hidden)
        )

    states("hx", "cx")
    given["dy"] = take(batch, steps, directions * output)
    states("dhy", "dcy")
    for sequence, length in enumerate(case["lengths"]):
        given["dy"][sequence, length:] = 0
    return layers, given


def module_of(case, layers):
    """torch.nn's own network with the weights copied into it; the copies are its parameters, in the same order."""
    options = dict(
        num_layers=case["layers"],
        batch_first=True,
        bidirectional=case["direction"] == "bidirectional",
    )
    if case["cell"] == "lstm":
        net = torch.nn.LSTM(case["input"], case["hidden"], proj_size=case["projection"], **options)
    elif case["cell"] == "gru":
        net = torch.nn.GRU(case["input"], case["hidden"], **options)
    else:
        net = torch.nn.RNN(case["input"], case["hidden"], nonlinearity=case["cell"], **options)
    directions = 2 if options["bidirectional"] else 1
    with torch.no_grad():
        for i, weights in enumerate(layers):
            suffix = f"l{i // directions}" + ("_reverse" if i % directions else "")
            getattr(net, "weight_ih_" + suffix).copy_(torch.cat(weights["W"]))
            getattr(net, "weight_hh_" + suffix).copy_(torch.cat(weights["R"]))
            getattr(net, "bias_ih_" + suffix).copy_(torch.cat(weights["bW"]))
            getattr(net, "bias_hh_" + suffix).copy_(torch.cat(weights["bR"]))
            if case["projection"]:
                getattr(net, "weight_hr_" + suffix).copy_(weights["P"])
    return net


def run_module(case, net, x, hx, cx):
    """PyTorch takes no sequence of length 0: those keep their states and give no output."""
    lengths = torch.tensor(case["lengths"] or [case["sequence_length"]] * case["batch"])
    alive = torch.nonzero(lengths > 0).flatten()
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        x[alive], lengths[alive], batch_first=True, enforce_sorted=False
    )
    state = (hx[:, alive], cx[:, alive]) if case["cell"] == "lstm" else hx[:, alive]
    out, last = net(packed, state)
    padded, _ = torch.nn.utils.rnn.pad_packed_sequence(
        out, batch_first=True, total_length=case["sequence_length"]
    )
    y = torch.zeros(case["batch"], case["sequence_length"], padded.shape[2]).index_copy(
        0, alive, padded
    )
    hn, cn = last if case["cell"] == "lstm" else (last, None)
    hy = hx.index_copy(1, alive, hn)
    return y, hy, (cx.index_copy(1, alive, cn) if cn is not None else cx)


def run_clipped(case, net, x, hx, cx):
    """One unidirectional layer with the cell state clipped, which torch.nn does not have."""
    clip = case["clip"]
    h, c, outputs = hx[0], cx[0], []
    for step in range(case["sequence_length"]):
        sums = (
            x[:, step] @ net.weight_ih_l0.T
            + net.bias_ih_l0
            + h @ net.weight_hh_l0.T
            + net.bias_hh_l0
        )
        i, f, g, o = sums.chunk(4, dim=1)
        c = torch.sigmoid(f) * c.clamp(-clip, clip) + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c.clamp(-clip, clip))
        outputs.append(h)
    return torch.stack(outputs, 1), h[None], c[None]


def gradients_by_layer(case, net):
    hidden, directions = case["hidden"], 2 if case["direction"] == "bidirectional" else 1
    result = []
    for i in range(case["layers"] * directions):
        suffix = f"l{i // directions}" + ("_reverse" if i % directions else "")
        skip = i < directions and case["input_mode"] == "skip"

        def parts(name, there):
            if not there:
                return []
            gradient = getattr(net, name + suffix).grad
            return [] if gradient is None else [flat(part) for part in gradient.split(hidden)]

        result.append(
            {
                "W": parts("weight_ih_", not skip),
                "R": parts("weight_hh_", True),
                "bW": parts("bias_ih_", case["bias"] in ("input", "both")),
                "bR": parts("bias_hh_", case["bias"] in ("recurrent", "both")),
                "P": flat(getattr(net, "weight_hr_" + suffix).grad) if case["projection"] else "",
            }
        )
    return result


def flat(tensor):
    numbers = tensor.detach().flatten().tolist()
    return base64.b64encode(struct.pack(f"<{len(numbers)}d", *numbers)).decode()


def computed(case, number):
    layers, given = inputs(case, number)
    net = module_of(case, layers)
    x, hx, cx = (given[name].clone().requires_grad_() for name in ("x", "hx", "cx"))
    y, hy, cy = (run_clipped if case["clip"] else run_module)(case, net, x, hx, cx)
    loss = (y * given["dy"]).sum() + (hy * given["dhy"]).sum()
    if case["cell"] == "lstm":
        loss = loss + (cy * given["dcy"]).sum()
    loss.backward()
    lstm = case["cell"] == "lstm"
    told = {key: setting for key, setting in case.items() if setting != PLAIN[key]}
    return {
        "case": told,
        "y": flat(y),
        "hy": flat(hy),
        "cy": flat(cy) if lstm else "",
        "dx": flat(x.grad),
        "dhx": flat(hx.grad),
        "dcx": flat(cx.grad) if lstm else "",
        "dweights": gradients_by_layer(case, net),
    }


def cases():
    patterns = [[], [1, 1, 1], [4, 2, 1], [2, 4, 1], [1, 3, 4], [3, 0, 4], [3, 3, 3]]
    number = 0
    for cell, projection in (("lstm", 0), ("lstm", 2), ("gru", 0), ("tanh", 0), ("relu", 0)):
        for direction in ("unidirectional", "bidirectional"):
            for layers in (1, 2, 3, 4):
                lengths = patterns[number % len(patterns)]
                case = dict(
                    PLAIN,
                    cell=cell,
                    projection=projection,
                    direction=direction,
                    layers=layers,
                    lengths=lengths,
                    sequence_length=max(lengths) if lengths else 4,
                    hidden=3 if layers == 1 else 2,
                )
                yield dict(case, projection=min(projection, case["hidden"] - 1))
                number += 1
    for cell, projection in (("lstm", 0), ("lstm", 2), ("gru", 0), ("tanh", 0), ("relu", 0)):
        for lengths in patterns:
            yield dict(
                PLAIN,
                cell=cell,
                projection=projection,
                direction="bidirectional",
                lengths=lengths,
                hidden=3,
                sequence_length=max(lengths) if lengths else 4,
            )
        yield dict(PLAIN, cell=cell, projection=projection, states=False)
        yield dict(PLAIN, cell=cell, projection=projection, bias="none")
        yield dict(PLAIN, cell=cell, projection=projection, bias="input")
        if cell != "gru":
            yield dict(PLAIN, cell=cell, projection=projection, bias="recurrent")
        yield dict(PLAIN, cell=cell, projection=projection, input_mode="skip", layers=2)
    yield dict(PLAIN, cell="lstm", clip=0.25)
    yield dict(PLAIN, cell="lstm", clip=0.5, states=False)


def main():
    print(
        json.dumps({"made_with": f"torch {torch.__version__}", "plain": PLAIN})[:-1]
        + ', "cases": ['
    )
    listed = list(cases())
    for number, case in enumerate(listed):
        print(json.dumps(computed(case, number)) + ("," if number + 1 < len(listed) else ""))
    print("]}")


sys.exit(main())
