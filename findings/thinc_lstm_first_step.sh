#!/usr/bin/env bash
# What surprises: the backward pass of Thinc's LSTM stops before the first step. The first element of
#   each sequence, and thus the only one of a sequence of length 1, gets the gradient 0.
# Versions: thinc 9.1.1 with NumpyOps, its backend without a GPU.
# Behaviour: compared with differences of the loss, the gradients of the inputs are right from the
#   second step on and 0 at the first. In a bidirectional LSTM the element at either end gets that of
#   one direction only; a sequence of length 1 gets none at all. There is no message. No public issue
#   was found. The gradient of the weights is another matter (thinc_lstm_gradient_has_weights.sh).
# Why it matters: layers below, such as the embeddings, do not learn from the first word of a sentence,
#   nor from sentences of one word; the loss falls all the same.
# The layer: https://thinc.ai/docs/api-layers#lstm ("An LSTM recurrent neural network").
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir --no-compile thinc==9.1.1

"$work/venv/bin/python" - > "$work/seen" 2> "$work/messages" <<'PY'
import numpy as np
from thinc.api import LSTM, with_padded

width, hidden, step_size = 3, 4, 0.01
random = np.random.RandomState(0)

def values(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)

def loss(model, sequences, factors):
    outputs = model.predict(sequences)
    return sum(float(np.sum(y.astype(float) * factor)) for y, factor in zip(outputs, factors))

def by_differences(model, sequences, factors):
    result = [np.zeros_like(sequence) for sequence in sequences]
    for sequence, gradient in zip(sequences, result):
        for place in np.ndindex(*sequence.shape):
            kept, around = sequence[place], []
            for change in (step_size, -step_size):
                sequence[place] = kept + change
                around.append(loss(model, sequences, factors))
            sequence[place] = kept
            gradient[place] = (around[0] - around[1]) / (2 * step_size)
    return result

def word(given, true):
    if np.abs(given - true).max() < 2e-3:
        return "right"
    return "wrong" if given.any() else "zero"

def compare(name, **form):
    sequences = [values(steps, width) for steps in (4, 1)]
    model = with_padded(LSTM(hidden, width, dropout=0.0, **form))
    model.initialize(X=sequences)
    for node in model.walk():
        if node.has_param("LSTM"):
            node.set_param("LSTM", values(node.get_param("LSTM").size))
    outputs, backpropagate = model(sequences, is_train=True)
    factors = [values(*output.shape) for output in outputs]
    given = backpropagate([factor.copy() for factor in factors])
    true = by_differences(model, sequences, factors)
    for one, other in zip(given, true):
        print(f"{name}, length {len(one)}:", ", ".join(map(word, one, other)))

compare("LSTM")
compare("two layers", depth=2)
compare("bidirectional", bi=True)
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LSTM, length 4: zero, right, right, right
LSTM, length 1: zero
two layers, length 4: zero, right, right, right
two layers, length 1: zero
bidirectional, length 4: wrong, right, right, wrong
bidirectional, length 1: zero
SEEN
