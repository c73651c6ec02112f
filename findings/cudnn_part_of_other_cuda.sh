#!/usr/bin/env bash
# What surprises: cuDNN's checks compare version numbers only. libcudnn_adv.so.9, which contains the recurrent networks, of the package for
#   CUDA 13 works inside the cuDNN for CUDA 12 as far as any call shows, if both have the same version; of another version it is rejected.
# Versions: nvidia-cudnn-cu12 9.28.0.42, nvidia-cudnn-cu13 9.28.0.42 and 9.28.1.4.
# Behaviour: with adv of cu13 9.28.0.42 cudnnAdvVersionCheck and cudnnCreateRNNDescriptor return success, and cudnnGetCudartVersion still
#   names CUDA 12.9, although adv is built with CUDA 13.5. With adv of 9.28.1.4 both return 1002.
# Why it matters: both packages install into the same directory, so that such mixtures arise by themselves. CUDA 13 needs a driver
#   of branch 580 or later; nothing shows before the first kernel that one of the libraries is built for it.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
for package in cu12==9.28.0.42 cu13==9.28.0.42 cu13==9.28.1.4; do
    python3 -m pip download -q --no-deps --no-cache-dir -d "$work" "nvidia-cudnn-$package"
    unzip -q -j "$work"/*.whl '*/libcudnn.so.9' '*/libcudnn_graph.so.9' '*/libcudnn_ops.so.9' '*/libcudnn_adv.so.9' -d "$work/$package"
    rm "$work"/*.whl
done

for package in cu12==9.28.0.42 cu13==9.28.0.42 cu13==9.28.1.4; do
    cp "$work/$package/libcudnn_adv.so.9" "$work/cu12==9.28.0.42/libcudnn_adv.so.9.new" && mv "$work/cu12==9.28.0.42/libcudnn_adv.so.9"{.new,}
    python3 - "$work/cu12==9.28.0.42" "$package" >> "$work/seen" <<'PY'
import ctypes as c, os, sys
cudnn = c.CDLL(os.path.join(sys.argv[1], "libcudnn.so.9"))
cudnn.cudnnGetVersion.restype = cudnn.cudnnGetCudartVersion.restype = c.c_size_t
network = c.c_void_p()
print(f"cu12==9.28.0.42 with adv of {sys.argv[2]}: version {cudnn.cudnnGetVersion()}, CUDA {cudnn.cudnnGetCudartVersion()}, ops check {cudnn.cudnnOpsVersionCheck()}, "
      f"adv check {cudnn.cudnnAdvVersionCheck()}, create {cudnn.cudnnCreateRNNDescriptor(c.byref(network))}")
PY
done
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
cu12==9.28.0.42 with adv of cu12==9.28.0.42: version 92800, CUDA 12090, ops check 0, adv check 0, create 0
cu12==9.28.0.42 with adv of cu13==9.28.0.42: version 92800, CUDA 12090, ops check 0, adv check 0, create 0
cu12==9.28.0.42 with adv of cu13==9.28.1.4: version 92800, CUDA 12090, ops check 0, adv check 1002, create 1002
SEEN
