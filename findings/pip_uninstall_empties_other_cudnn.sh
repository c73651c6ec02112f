#!/usr/bin/env bash
# What surprises: nvidia-cudnn-cu12 and nvidia-cudnn-cu13 install the same files, and pip neither warns nor keeps count. To uninstall one
#   deletes the libraries of the other, and pip says that the other is installed, complete and up to date.
# Versions: nvidia-cudnn-cu12 9.28.0.42, nvidia-cudnn-cu13 9.26.0.51, pip 25.3.
# Behaviour: the package installed last wins (9.26). After its removal no library is left, "pip show -f" lists ten of them, "pip check" has
#   no word about it, and "pip install" of the same version is "already satisfied". Only --force-reinstall brings the files back.
# Why it matters: an environment that changes its framework from CUDA 12 to CUDA 13 and back, the usual attempt when cuDNN fails, ends here.
#   The error is then that of a missing cuDNN although every tool lists it.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
pip() { "$work/venv/bin/pip" --disable-pip-version-check "$@" 2>&1; }
pip install -q pip==25.3
libraries() { find "$work/venv" -name 'libcudnn*.so.9' | wc -l; }
version() { "$work/venv/bin/python" -c 'import ctypes, glob, sys; print(ctypes.CDLL(glob.glob(sys.prefix + "/lib/python*/site-packages/nvidia/cudnn/lib/libcudnn.so.9")[0]).cudnnGetVersion())'; }

{
    pip install -q --no-cache-dir --no-deps nvidia-cudnn-cu12==9.28.0.42
    echo "cu12 alone: $(libraries) libraries, $(version)"
    pip install -q --no-cache-dir --no-deps nvidia-cudnn-cu13==9.26.0.51
    echo "both: $(version)"
    pip check > "$work/before" || true
    pip uninstall -q -y nvidia-cudnn-cu13
    echo "after pip uninstall nvidia-cudnn-cu13: $(libraries) libraries"
    pip check > "$work/after" || true
    echo "pip show lists: $(pip show -f nvidia-cudnn-cu12 | grep -c 'libcudnn.*\.so\.9')"
    echo "pip check says anew: $(grep -v -x -F -f "$work/before" "$work/after" | wc -l) lines"
    echo "pip install: $(pip install --no-deps nvidia-cudnn-cu12==9.28.0.42 | grep -c 'already satisfied') already satisfied, $(libraries) libraries"
} > "$work/seen"
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
cu12 alone: 10 libraries, 92800
both: 92600
after pip uninstall nvidia-cudnn-cu13: 0 libraries
pip show lists: 10
pip check says anew: 0 lines
pip install: 1 already satisfied, 0 libraries
SEEN
