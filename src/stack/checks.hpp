// One function for each kind of conflict; conflicts.cpp calls them.
#pragma once

#include "stack/builds.hpp"
#include "stack/conflict.hpp"

namespace rnncheck::stack {

/// Each returns what is wrong by the versions of the stack as they are written;
/// the rule of the same name (docs/rules/) explains it. Undecided without the
/// versions that it compares.
Judgement cpu_only_build(const Stack& stack, const Matrix& matrix);
Judgement cuda_version_mismatch(const Stack& stack, const Matrix& matrix);
Judgement cudnn_bug(const Stack& stack, const Matrix& matrix);
Judgement cudnn_built_for_other_cuda(const Stack& stack, const Matrix& matrix);
Judgement cudnn_masked_rnn_bug(const Stack& stack, const Matrix& matrix);
Judgement cudnn_newer_than_framework_supports(const Stack& stack, const Matrix& matrix);
Judgement cudnn_not_installed(const Stack& stack, const Matrix& matrix);
Judgement cudnn_runtime_older_than_built(const Stack& stack, const Matrix& matrix);
Judgement cudnn_varlen_rnn_bug(const Stack& stack, const Matrix& matrix);
Judgement driver_too_old(const Stack& stack, const Matrix& matrix);
Judgement framework_requirements_conflict(const Stack& stack, const Matrix& matrix);
Judgement gpu_arch_not_in_build(const Stack& stack, const Matrix& matrix);
Judgement gpu_too_old(const Stack& stack, const Matrix& matrix);
Judgement keras_backend_not_supported(const Stack& stack, const Matrix& matrix);
Judgement minor_version_compatibility(const Stack& stack, const Matrix& matrix);
Judgement plugin_without_cudnn_rnn(const Stack& stack, const Matrix& matrix);
Judgement python_not_supported(const Stack& stack, const Matrix& matrix);
Judgement version_not_in_data(const Stack& stack, const Matrix& matrix);
Judgement rnn_dtype_not_supported(const Stack& stack, const Matrix& matrix);
Judgement tf_no_native_windows_gpu(const Stack& stack, const Matrix& matrix);
Judgement cudnn_shadowed(const Stack& stack, const Matrix& matrix);

}  // namespace rnncheck::stack
