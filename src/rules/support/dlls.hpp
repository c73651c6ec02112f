// The DLLs that frameworks of Windows load (Facts::dll_loads), evaluated for the rules
// that evaluate shared libraries elsewhere. Pure.
#pragma once

#include "facts/queries.hpp"
#include "report/finding.hpp"

namespace rnncheck::rules {

/// Whether these are facts of Windows: of the machine, or of a disk. Nothing else has DLLs.
inline bool has_dlls(const Facts& facts) {
    return on_windows(facts) || !facts.dll_loads.empty();
}

Verdict dll_of_cudnn_missing(const Facts& facts);
Verdict dll_of_zlib_missing(const Facts& facts);
Verdict dlls_of_cudnn_mixed(const Facts& facts);
Verdict wrong_dll_of_cudnn_first(const Facts& facts);
Verdict dll_of_other_cudnn_major(const Facts& facts);
Verdict dll_of_other_cuda_major(const Facts& facts);
Verdict dll_of_cudnn_not_on_path(const Facts& facts);
Verdict dll_of_cuda_not_on_path(const Facts& facts);
Verdict no_dll_of_cudnn(const Facts& facts);
Verdict dll_of_newer_cudnn(const Facts& facts);
Verdict dll_of_older_cudnn(const Facts& facts);
Verdict dll_of_cudnn_for_other_cuda(const Facts& facts);
Verdict dll_unusable(const Facts& facts);

}  // namespace rnncheck::rules
