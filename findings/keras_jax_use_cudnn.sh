#!/usr/bin/env bash
# What surprises: use_cudnn=True, which is to fail where cuDNN cannot be used, fails for an LSTM and is accepted by a GRU, which then runs as a
#   loop. On the JAX backend cuDNN is never used for a GRU, so that the option is a promise that is always broken.
# Versions: keras 3.15.1 with jax 0.12.0.1, without a GPU.
# Behaviour: LSTM(use_cudnn=True) is a ValueError, GRU(use_cudnn=True) returns a result. Lowered for CUDA, the GRU is a while loop without a
#   call to cuDNN; so is an LSTM with use_cudnn="auto", because Keras looks at the devices that are there and not at the platform that is
#   compiled for.
# Why it matters: the option is the only way to make a slow fallback visible. A model that is exported for CUDA on a machine without a GPU, as
#   in a build pipeline, contains loops forever.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir keras==3.15.1 jax==0.12.0.1

KERAS_BACKEND=jax JAX_PLATFORMS=cpu "$work/venv/bin/python" - > "$work/seen" <<'PY'
import jax
import keras
import numpy as np

x = np.ones((2, 3, 4), np.float32)
for layer in (keras.layers.LSTM, keras.layers.GRU):
    try:
        print(f"{layer.__name__}(use_cudnn=True): shape {layer(5, use_cudnn=True)(x).shape}")
    except ValueError as error:
        print(f"{layer.__name__}(use_cudnn=True): ValueError, {'cuDNN is not supported' if 'cuDNN is not supported' in str(error) else error}")
for layer in (keras.layers.LSTM(5, use_cudnn="auto"), keras.layers.GRU(5, use_cudnn=True)):
    layer.build(x.shape)
    variables = [variable.value for variable in layer.trainable_variables], [variable.value for variable in layer.non_trainable_variables]
    call = jax.jit(lambda own, other, x, layer=layer: layer.stateless_call(own, other, x)[0])
    text = call.trace(*variables, x).lower(lowering_platforms=("cuda",)).as_text()
    print(f"{type(layer).__name__} for CUDA: {text.count('stablehlo.while')} loop, {text.lower().count('cudnn')} cuDNN")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LSTM(use_cudnn=True): ValueError, cuDNN is not supported
GRU(use_cudnn=True): shape (2, 5)
LSTM for CUDA: 1 loop, 0 cuDNN
GRU for CUDA: 1 loop, 0 cuDNN
SEEN
