#!/usr/bin/env bash
# What surprises: on a CPU, MXNet's recurrent layers take the lengths of the sequences and ignore them.
#   So they do with the bounds for the cell state of an LSTM. On a GPU cuDNN is given both
#   (not run here).
# Versions: mxnet 1.9.1, the last one, with numpy 1.23.5; needs Python 3.8 to 3.11.
# Behaviour: with use_sequence_length=True the outputs and states for the lengths 6 and 3 are bitwise
#   those for 6 and 6, in LSTM, GRU and RNN, also bidirectional ones; they change with the padding.
#   With state_clip_min and state_clip_max they are bitwise those without. There is no message.
# Known: https://github.com/apache/mxnet/issues/19323 reports the lengths of a bidirectional LSTM; it was
#   closed with a fix (19466), but 1.9.1 still ignores them. No public issue about the bounds was
#   found; apache/mxnet 13056 added them for cuDNN 7.2.
# Documentation: "sequence_length: Vector of valid sequence lengths for each element in batch. (Only
#   used if use_sequence_length kwarg is True)", without a word about the device,
#   https://mxnet.apache.org/api/java/docs/api/org/apache/mxnet/javaapi/RNNParam.html
# Why it matters: what was trained on a GPU with lengths or bounds is computed on a CPU without them. The
#   backward half begins in the padding; results depend on the longest sequence of the batch.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir --no-compile mxnet==1.9.1 numpy==1.23.5

"$work/venv/bin/python" - > "$work/seen" 2> "$work/messages" <<'PY'
import mxnet as mx
import numpy as np

steps, batch, width, hidden, bound = 6, 2, 3, 4, 0.1
mx.random.seed(0)
x = mx.nd.random.uniform(-1, 1, (steps, batch, width))
other_padding = x.copy()
other_padding[3:, 1] = 5

def run(layer, x, lengths=None):
    options = {} if lengths is None else {"sequence_length": mx.nd.array(lengths)}
    outputs, states = layer(x, layer.begin_state(batch), **options)
    return [value.asnumpy() for value in (outputs, *states)]

def equal(these, those):
    return all(np.array_equal(one, other) for one, other in zip(these, those))

for kind in (mx.gluon.rnn.LSTM, mx.gluon.rnn.GRU, mx.gluon.rnn.RNN):
    for bidirectional in (False, True):
        layer = kind(hidden, input_size=width, bidirectional=bidirectional, use_sequence_length=True)
        layer.initialize(mx.init.Uniform(1))
        short, full = run(layer, x, [6, 3]), run(layer, x, [6, 6])
        padded = run(layer, other_padding, [6, 3])
        print(f"{kind.__name__}{' bidirectional' if bidirectional else ''}, lengths 6 and 3:",
              "as 6 and 6," if equal(short, full) else "other than 6 and 6,",
              f"states {'independent of' if equal(short[1:], padded[1:]) else 'depend on'} the padding")

plain = mx.gluon.rnn.LSTM(hidden, input_size=width)
clipped = mx.gluon.rnn.LSTM(hidden, input_size=width, state_clip_min=-bound, state_clip_max=bound)
for layer in (plain, clipped):
    layer.initialize(mx.init.Uniform(1))
for one, other in zip(plain.collect_params().values(), clipped.collect_params().values()):
    other.set_data(one.data())
without, given = run(plain, x), run(clipped, x)
largest = np.abs(given[2]).max()
print("LSTM, cells within 0.1:", "as without bounds," if equal(without, given) else "clipped,",
      "the largest cell is", "outside" if largest > bound else "inside")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LSTM, lengths 6 and 3: as 6 and 6, states depend on the padding
LSTM bidirectional, lengths 6 and 3: as 6 and 6, states depend on the padding
GRU, lengths 6 and 3: as 6 and 6, states depend on the padding
GRU bidirectional, lengths 6 and 3: as 6 and 6, states depend on the padding
RNN, lengths 6 and 3: as 6 and 6, states depend on the padding
RNN bidirectional, lengths 6 and 3: as 6 and 6, states depend on the padding
LSTM, cells within 0.1: as without bounds, the largest cell is outside
SEEN
