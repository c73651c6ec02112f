#!/usr/bin/env bash
# What surprises: cudnnGetRNNWeightSpaceSize counts the numbers of the weight matrices in 32 bits. From 2^31 on it returns success and a
#   wrong size: a huge number where the count has become negative, or far too small a one where it has passed 2^32.
# Versions: nvidia-cudnn-cu12 9.28.0.42. The same in 8.5.0, 8.9.7, 9.0.0, 9.13.0.
# Behaviour: 2^31 - 1 numbers are right, 2^31 are wrong. Biases are not in the count; layers, directions and projections are. An LSTM
#   of 32768 x 32768 in fp32 gets 1 MiB instead of 32 GiB, which is exactly the size of its biases.
# Why it matters: a program allocates what cuDNN requests. The small size leads to a buffer that is much too small, the large one to a
#   puzzling out-of-memory error; no status, message or log names the limit. Layers of this size fit into today's GPUs (4 GiB in fp16).
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
tanh, lstm = 1, 2
for name, cell, gates, width, hidden in [("tanh", tanh, 1, 2**31 - 2, 1), ("tanh", tanh, 1, 2**31 - 1, 1), ("lstm", lstm, 4, 16384, 16383),
                                         ("lstm", lstm, 4, 16384, 16384), ("lstm", lstm, 4, 32768, 32768)]:
    network, size = c.c_void_p(), c.c_size_t()
    assert cudnn.cudnnCreateRNNDescriptor(c.byref(network)) == 0
    assert cudnn.cudnnSetRNNDescriptor_v8(network, 0, cell, 2, 0, 0, 0, 0, 0, width, hidden, hidden, 1, dropout, 0) == 0
    status = cudnn.cudnnGetRNNWeightSpaceSize(handle, network, c.byref(size))
    matrices = gates * hidden * (width + hidden)
    print(f"{name} {width} x {hidden}: status {status}, {size.value} bytes, right: {4 * (matrices + 2 * gates * hidden)}")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
tanh 2147483646 x 1: status 0, 8589934596 bytes, right: 8589934596
tanh 2147483647 x 1: status 0, 18446744065119617032 bytes, right: 8589934600
lstm 16384 x 16383: status 0, 8589672432 bytes, right: 8589672432
lstm 16384 x 16384: status 0, 18446744065120141312 bytes, right: 8590458880
lstm 32768 x 32768: status 0, 1048576 bytes, right: 34360786944
SEEN
