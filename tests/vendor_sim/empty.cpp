// Libraries that are only to be found and loaded: libcublas, libcublasLt, libnvrtc-builtins.
