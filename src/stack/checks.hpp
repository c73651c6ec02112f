// One function for each kind of conflict; conflicts.cpp calls them.
#pragma once

#include "stack/builds.hpp"
#include "stack/conflict.hpp"

namespace rnncheck::stack {

Judgement cpu_only_build(const Stack& stack, const Matrix& matrix);
Judgement cuda_version_not_the_one_built_for(const Stack& stack, const Matrix& matrix);
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
Judgement python_not_supported_by_release(const Stack& stack, const Matrix& matrix);
Judgement release_not_in_the_tables(const Stack& stack, const Matrix& matrix);
Judgement rnn_dtype_not_supported(const Stack& stack, const Matrix& matrix);
Judgement tf_windows_no_gpu_since_2_11(const Stack& stack, const Matrix& matrix);
Judgement wrong_cudnn_found_first(const Stack& stack, const Matrix& matrix);

}  // namespace rnncheck::stack
