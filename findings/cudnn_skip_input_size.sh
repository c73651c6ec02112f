#!/usr/bin/env bash
# What surprises: in the skip input mode the input is added to the gates as it is, which needs an input as wide as the hidden state. cuDNN
#   accepts any width, and its weights then contain no matrix that could make 16 numbers into 32.
# Versions: nvidia-cudnn-cu12 9.28.0.42.
# Behaviour: cudnnSetRNNDescriptor_v8 and cudnnGetRNNWeightSpaceSize return success for input 16 and hidden 32; the size is that of the
#   recurrent matrices and the biases alone, whatever the input size is. In the linear mode it contains the input's matrices.
# Why it matters: a wrong input size, the most common mistake with recurrent layers, is an error everywhere else. Here no setter and no
#   question about sizes names it, so that a wrapper that relies on cuDNN's statuses has to check it itself.
# A zeroed block is passed as the handle, because a handle needs a GPU; the function only checks that it is not null.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m pip download -q --no-deps --no-cache-dir -d "$work" nvidia-cudnn-cu12==9.28.0.42
unzip -q -j "$work"/*.whl '*/libcudnn.so.9' '*/libcudnn_graph.so.9' '*/libcudnn_ops.so.9' '*/libcudnn_adv.so.9' -d "$work"

python3 - "$work/libcudnn.so.9" > "$work/seen" <<'PY'
import ctypes as c, sys
cudnn = c.CDLL(sys.argv[1])
handle, dropout = c.create_string_buffer(1 << 20), c.c_void_p()
assert cudnn.cudnnCreateDropoutDescriptor(c.byref(dropout)) == 0
for cell, name in ((2, "lstm"), (3, "gru")):
    for mode, width in ((0, 16), (1, 32), (1, 16), (1, 1000)):
        network, size = c.c_void_p(), c.c_size_t()
        assert cudnn.cudnnCreateRNNDescriptor(c.byref(network)) == 0
        described = cudnn.cudnnSetRNNDescriptor_v8(network, 0, cell, 2, 0, mode, 0, 0, 0, width, 32, 32, 1, dropout, 0)
        asked = cudnn.cudnnGetRNNWeightSpaceSize(handle, network, c.byref(size))
        print(f"{name}, {('linear', 'skip')[mode]}, input {width}, hidden 32: status {described}, {asked}, {size.value // 4} weights")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
lstm, linear, input 16, hidden 32: status 0, 0, 6400 weights
lstm, skip, input 32, hidden 32: status 0, 0, 4352 weights
lstm, skip, input 16, hidden 32: status 0, 0, 4352 weights
lstm, skip, input 1000, hidden 32: status 0, 0, 4352 weights
gru, linear, input 16, hidden 32: status 0, 0, 4800 weights
gru, skip, input 32, hidden 32: status 0, 0, 3264 weights
gru, skip, input 16, hidden 32: status 0, 0, 3264 weights
gru, skip, input 1000, hidden 32: status 0, 0, 3264 weights
SEEN
