#!/usr/bin/env bash
# What surprises: two packages of NVIDIA's choose different cuDNNs in the same environment. cuda-pathfinder takes the installed wheel whatever
#   LD_LIBRARY_PATH says, nvidia-cudnn-frontend takes LD_LIBRARY_PATH's first. Used in one process, both are loaded, or not, by their order.
# Versions: cuda-pathfinder 1.9.1, nvidia-cudnn-frontend 1.32.0, nvidia-cudnn-cu12 9.28.0.42 installed and 9.20.0.48 in LD_LIBRARY_PATH.
# Behaviour: pathfinder, then frontend: two libcudnn.so.9 are mapped, 9.28 and 9.20. The other way round: 9.20 alone, which pathfinder returns
#   as "was-already-loaded-from-elsewhere" (it does so for its own file too). No warning in either order.
# Why it matters: handles and descriptors of one cuDNN are meaningless to the other. Which version a program uses depends on the order of
#   two imports, and each package alone reports the one that it opened.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir --no-deps cuda-pathfinder==1.9.1 nvidia-cudnn-frontend==1.32.0 nvidia-cudnn-cu12==9.28.0.42
"$work/venv/bin/pip" download -q --no-deps --no-cache-dir -d "$work" nvidia-cudnn-cu12==9.20.0.48
unzip -q -j "$work"/*.whl '*/libcudnn.so.9' '*/libcudnn_graph.so.9' '*/libcudnn_ops.so.9' '*/libcudnn_adv.so.9' -d "$work/path"

for order in "pathfinder" "frontend" "pathfinder frontend" "frontend pathfinder"; do
    LD_LIBRARY_PATH="$work/path" "$work/venv/bin/python" - "$work" $order >> "$work/seen" <<'PY'
import sys
work, *order = sys.argv[1:]

def short(path):
    return "path" if path.startswith(f"{work}/path/") else "wheel" if "/site-packages/nvidia/" in path else path

for package in order:
    if package == "pathfinder":
        from cuda.pathfinder import load_nvidia_dynamic_lib
        found = load_nvidia_dynamic_lib("cudnn")
        print(f"pathfinder: {short(found.abs_path)}, {found.found_via}", end="; ")
    else:
        import cudnn
        print(f"frontend: version {cudnn.backend_version()}", end="; ")
with open("/proc/self/maps") as maps:
    fronts = sorted({line.split()[-1] for line in maps if line.rstrip().endswith("/libcudnn.so.9")})
print("mapped:", *map(short, fronts))
PY
done
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
pathfinder: wheel, site-packages; mapped: wheel
frontend: version 92000; mapped: path
pathfinder: wheel, site-packages; frontend: version 92000; mapped: path wheel
frontend: version 92000; pathfinder: path, was-already-loaded-from-elsewhere; mapped: path
SEEN
