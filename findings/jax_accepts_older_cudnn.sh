#!/usr/bin/env bash
# What surprises: JAX checks at the start that cuDNN is not older than the one that it was built with, and this check never fails: it compares
#   the build's version without its last two digits (910) with the whole version that was loaded (90100). A single version is rejected by name.
# Versions: jax, jaxlib, jax-cuda12-plugin and jax-cuda12-pjrt 0.12.0.1, built with cuDNN 9.10.2; nvidia-cudnn-cu12 9.1.0.70 and 9.10.0.56.
# Behaviour: with cuDNN 9.1.0, which the plugin's own metadata excludes (>=9.10.2.21), the check passes. With 9.10.0 it fails, because another
#   line of it names that version. The comparison is the same in jax-cuda12-pjrt 0.6.1 and 0.7.0.
# Why it matters: a cuDNN that LD_LIBRARY_PATH or another package brings is accepted at the start, and a recurrent network fails later, or not
#   at all until it uses what the older version lacks. That JAX started does not show that its cuDNN is new enough.
# No GPU is needed: the number of devices, which the driver would give, is set to 0; all versions are those of the real libraries.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
pip() { "$work/venv/bin/pip" install -q --no-cache-dir "$@" 2> /dev/null; }
pip jax==0.12.0.1 jaxlib==0.12.0.1 jax-cuda12-plugin==0.12.0.1 jax-cuda12-pjrt==0.12.0.1 nvidia-cuda-runtime-cu12==12.9.79
cat > "$work/check.py" <<'PY'
import jax_plugins.xla_cuda12 as plugin
from jax_cuda12_plugin import _versions


class WithoutDevices:
    cuda_device_count = staticmethod(lambda: 0)

    def __getattr__(self, name):
        return getattr(_versions, name)


plugin.cuda_versions = WithoutDevices()
plugin._load_nvidia_libraries()
print(f"loaded {_versions.cudnn_get_version()}, built with {_versions.cudnn_build_version()}:", end=" ")
try:
    plugin._check_cuda_versions()
    print("accepted")
except RuntimeError as error:
    print("rejected", "because of cuDNN 9.10.0" if "cuDNN 9.10.0 had" in str(error) else error)
PY
for version in 9.1.0.70 9.10.0.56; do
    pip --no-deps --force-reinstall "nvidia-cudnn-cu12==$version"
    "$work/venv/bin/python" "$work/check.py"
done > "$work/seen"
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
loaded 90100, built with 91002: accepted
loaded 91000, built with 91002: rejected because of cuDNN 9.10.0
SEEN
