// Ids of rules and probes under the names that they had in earlier versions of
// rnncheck. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rnncheck {

/// What was renamed, and to what.
struct OldId {
    std::string_view old, current;
};

/// Every id that was renamed, as docs/formats-history.md lists them.
inline constexpr OldId old_ids[] = {
    {"broken_framework_release", "framework_version_defective"},
    {"cuda_version_not_the_one_built_for", "cuda_version_mismatch"},
    {"cudnn_handle_refused", "cudnn_create_failed"},
    {"gpu_gives_other_bits", "gpu_results_differ"},
    {"hang_witness", "hang_diagnostic"},
    {"python_not_supported_by_release", "python_not_supported"},
    {"release_not_in_the_tables", "version_not_in_data"},
    {"rnn_call_refused", "rnn_call_rejected"},
    {"rnn_case_not_offered", "rnn_case_unsupported"},
    {"system_folders_hidden", "proc_sys_hidden"},
    {"tf_windows_no_gpu_since_2.11", "tf_no_native_windows_gpu"},
    {"wrong_cudnn_found_first", "cudnn_shadowed"},
};

/// "cudnn_shadowed" of "wrong_cudnn_found_first"; an id that was not renamed as it is.
inline std::string current_id(std::string id) {
    for (const OldId& renamed : old_ids)
        if (renamed.old == id)
            return std::string(renamed.current);
    return id;
}

}  // namespace rnncheck
