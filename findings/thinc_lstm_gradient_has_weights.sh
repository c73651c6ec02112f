#!/usr/bin/env bash
# What surprises: the gradient that Thinc's LSTM computes for its weights contains the weights
#   themselves. Where no gradient comes in at all, the gradient of W is W.
# Versions: thinc 9.1.1 with NumpyOps, its backend without a GPU.
# Behaviour: inc_grad receives the true gradient plus the weights: the buffer into which the backward
#   pass adds is made from the weights, not from zeros. Of the two biases the first receives the sum
#   of both, the second 0. The forward pass is right, and so is the gradient of a Linear layer beside
#   the LSTM, which is 0. There is no message. No public issue was found.
# Why it matters: each step of an optimizer also pulls the LSTM to zero, like weight decay of strength
#   1, as if the loss contained |W|^2/2; gradient clipping and the scale of the loss change how much.
#   The network still learns something, so that the cause is sought in the data or the rate.
# The layer: https://thinc.ai/docs/api-layers#lstm ("An LSTM recurrent neural network").
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir --no-compile thinc==9.1.1

"$work/venv/bin/python" - > "$work/seen" 2> "$work/messages" <<'PY'
import numpy as np
from thinc.api import LSTM, Linear, chain, with_array, with_padded

width, hidden = 3, 4
random = np.random.RandomState(0)

def weights(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)

def named(flat):
    """The parts of the LSTM's one array: W, its bias, R, its bias."""
    gates = 4 * hidden
    return np.split(flat, np.cumsum([gates * width, gates, gates * hidden]))

sequences = [weights(steps, width) for steps in (5, 3)]
lstm = LSTM(hidden, width, dropout=0.0)
linear = Linear(2, hidden)
model = chain(with_padded(lstm), with_array(linear))
model.initialize(X=sequences)
cell = next(node for node in lstm.walk() if node.has_param("LSTM"))
own = weights(cell.get_param("LSTM").size)
cell.set_param("LSTM", own)
linear.set_param("W", weights(2, hidden))

def gradient(scale):
    """The gradients of both layers where each output has the gradient scale."""
    for node, name in ((cell, "LSTM"), (linear, "W")):
        if node.has_grad(name):
            node.set_grad(name, np.zeros_like(node.get_param(name)))
    outputs, backpropagate = model.begin_update(sequences)
    backpropagate([np.full_like(output, scale) for output in outputs])
    return cell.get_grad("LSTM").copy(), linear.get_grad("W").copy()

zero, linear_zero = gradient(0.0)
w, w_bias, r, r_bias = named(own)
d_w, d_w_bias, d_r, d_r_bias = named(zero)
print("loss without gradient:")
print("  Linear: gradient of W is 0:", not linear_zero.any())
print("  LSTM: gradient of W is W:", np.array_equal(d_w, w), "and of R is R:", np.array_equal(d_r, r))
print("  LSTM: gradients of the biases are their sum:", np.allclose(d_w_bias, w_bias + r_bias),
      "and 0:", not d_r_bias.any())
once, twice = gradient(1.0)[0], gradient(2.0)[0]
print("loss doubled: gradient doubled:", np.allclose(twice, 2 * once, atol=1e-4),
      "and without the one above doubled:", np.allclose(twice - zero, 2 * (once - zero), atol=1e-4))
norms = []
for step in range(4):
    norms.append(f"{np.linalg.norm(cell.get_param('LSTM')[: w.size]) / np.linalg.norm(w):.4f}")
    cell.set_param("LSTM", cell.get_param("LSTM") - 0.1 * gradient(0.0)[0])
print("size of W in steps of rate 0.1 without a gradient:", *norms)
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
loss without gradient:
  Linear: gradient of W is 0: True
  LSTM: gradient of W is W: True and of R is R: True
  LSTM: gradients of the biases are their sum: True and 0: True
loss doubled: gradient doubled: False and without the one above doubled: True
size of W in steps of rate 0.1 without a gradient: 1.0000 0.9000 0.8100 0.7290
SEEN
