#!/usr/bin/env bash
# What surprises: a stateless Keras LSTM that is converted to TensorFlow Lite remembers the sequence before: the same input gives
#   another result at each call. The GRU beside it, and the same LSTM of Keras 3, forget as they should.
# Versions: tensorflow-cpu 2.19.1 with Keras 3.15.1 and with tf-keras 2.19.0; no GPU.
# Behaviour: the converter recognizes the LSTM of tf-keras and writes one UNIDIRECTIONAL_SEQUENCE_LSTM, whose state is a variable
#   tensor of the interpreter: invoke() begins with the state at which the last call ended. The first call agrees with Keras, later
#   ones do not, until reset_all_variables(). GRU, and every layer of Keras 3, become a WHILE loop that begins with zeros.
# Why it matters: a test with one input passes, the application is wrong from the second sequence on, and which Keras made the file
#   decides. Nothing in the file or in the interpreter's messages shows it.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir tensorflow-cpu==2.19.1 keras==3.15.1 tf_keras==2.19.0

cat > "$work/convert.py" <<'PY'
import sys

import numpy as np
import tensorflow as tf

if sys.argv[1] == "tf-keras":
    import tf_keras as keras
else:
    import keras

x = np.random.RandomState(0).randn(1, 5, 3).astype(np.float32)
for layer in (keras.layers.LSTM(4), keras.layers.GRU(4)):
    model = keras.Sequential([keras.layers.Input((5, 3), batch_size=1), layer])
    expected = np.asarray(model(x))
    runner = tf.lite.Interpreter(model_content=tf.lite.TFLiteConverter.from_keras_model(model).convert())
    runner.allocate_tensors()
    operators = {item["op_name"] for item in runner._get_ops_details()}

    def call():
        runner.set_tensor(runner.get_input_details()[0]["index"], x)
        runner.invoke()
        result = runner.get_tensor(runner.get_output_details()[0]["index"])
        return "as Keras" if np.abs(result - expected).max() < 1e-5 else "another result"

    calls = [call(), call()]
    runner.reset_all_variables()
    calls.append(call())
    form = "fused" if "UNIDIRECTIONAL_SEQUENCE_LSTM" in operators else "loop" if "WHILE" in operators else "other"
    print(f"{sys.argv[1]} {type(layer).__name__}, {form}: first {calls[0]}, second {calls[1]}, after the reset {calls[2]}")
PY
for which in tf-keras keras; do
    legacy=0; [ "$which" = keras ] || legacy=1
    TF_USE_LEGACY_KERAS=$legacy TF_CPP_MIN_LOG_LEVEL=3 "$work/venv/bin/python" "$work/convert.py" "$which" \
        > "$work/output" 2> "$work/messages"
    grep -E "^(tf-keras|keras) " "$work/output"  # the exporter of Keras 3 prints the signature too
done > "$work/seen"
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
tf-keras LSTM, fused: first as Keras, second another result, after the reset as Keras
tf-keras GRU, loop: first as Keras, second as Keras, after the reset as Keras
keras LSTM, loop: first as Keras, second as Keras, after the reset as Keras
keras GRU, loop: first as Keras, second as Keras, after the reset as Keras
SEEN
