#!/usr/bin/env bash
# What surprises: for a sequence of length 0, JAX's lstm_ref, the reference beside its call to
#   cuDNN, returns the state after all steps of the padding, as if the length were the full one.
# Versions: jax 0.12.0.1 (jax.experimental.rnn), without a GPU.
# Behaviour: the length minus one is used as an index, and -1 is the last step. The states of the
#   lengths 0 and 5 of 5 are equal and change with the padding; those of 1 and 4 do not. The outputs
#   for length 0 are zeros, so that the two results contradict each other. No message.
# Why it matters: a stream without a step should keep the state that it was given. Here it gets one
#   that was computed from whatever the padding contains, also where a test compares cuDNN with
#   lstm_ref (cuDNN itself may fail for the length 0: jax issue 17966).
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir jax==0.12.0.1

JAX_PLATFORMS=cpu "$work/venv/bin/python" - > "$work/seen" 2> "$work/messages" <<'PY'
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import rnn

steps, width, hidden = 5, 3, 4
count = rnn.get_num_params_in_lstm(width, hidden, 1, False)
weights = jax.random.uniform(jax.random.key(0), (count,), minval=-1, maxval=1)
parts = rnn.unpack_lstm_weights(weights, width, hidden, 1, False)
initial = jnp.ones((1, 1, hidden))

def run(x, length):
    lengths = jnp.array([length], jnp.int32)
    y, h, c = rnn.lstm_ref(x, initial, initial, *parts, lengths, width, hidden, 1, 0.0, False)
    return y, jnp.concatenate([h, c])

for length in (0, 1, 4, 5):
    random = np.random.RandomState(3)
    x = random.randn(1, steps, width).astype(np.float32)
    (y, state), (_, full) = run(x, length), run(x, steps)
    x[:, length:] = random.randn(1, steps - length, width)
    other = run(x, length)[1]
    outputs = int(np.count_nonzero(np.any(np.asarray(y[0]) != 0, axis=1)))
    like = "that of 5" if np.allclose(state, full) else "its own"
    padding = "independent of" if np.allclose(state, other) else "depends on"
    print(f"length {length}: {outputs} outputs, state {like}, {padding} the padding")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
length 0: 0 outputs, state that of 5, depends on the padding
length 1: 1 outputs, state its own, independent of the padding
length 4: 4 outputs, state its own, independent of the padding
length 5: 5 outputs, state that of 5, independent of the padding
SEEN
