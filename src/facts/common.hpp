// Facts shared by several sections.
#pragma once

#include <cstdint>

#include "base/fields.hpp"

namespace rnncheck {

/// look: read files, run no vendor code. query: open vendor libraries and
/// query them. run: use the GPU.
RNNCHECK_ENUM(Stage, look, query, run)

/// A value in the keys of `matrix check`: {"driver", "535.104.05"}.
struct GivenValue {
    std::string key;
    std::string value;
};

/// What an answer or a finding is based on. `source` is a path into the facts
/// ("driver.kernel_version") or the link of the matrix row.
struct Evidence {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, what, "what was found or is known");
    RNNCHECK_FIELD(std::string, value, "its value");
    RNNCHECK_FIELD(
        std::string, source, "path into the facts, or link to the source of the table row");
    RNNCHECK_FIELDS_END

    bool operator==(const Evidence&) const = default;
};

// Codes of our own, for calls without a status of the library.
/// not called: the library does not export the function, or did not open
inline constexpr int missing_symbol = -1;
/// it reported success but returned an impossible address or size
inline constexpr int invalid_result = -2;
/// the library was not opened: the loader would have waited forever
inline constexpr int would_block = -3;
/// the process did not respond, and SIGKILL could not end it
inline constexpr int stuck_in_kernel = -4;

/// What a vendor call returned. `code` is the library's own number or one of
/// the above: cuDNN 9 renumbered its statuses, so compare it only with numbers
/// of the same library and major; `text` holds the library's own words.
struct CallResult {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, call, "the vendor function");
    RNNCHECK_FIELD(
        std::int64_t,
        code,
        "its return value, 0 is success; negative where the library gave none") = 0;
    RNNCHECK_FIELD(std::string, text, "the library's own words for the value");
    RNNCHECK_FIELD(std::optional<std::int64_t>, bytes, "bytes that the call requested") = {};
    RNNCHECK_FIELDS_END

    bool ok() const {
        return code == 0;
    }
};

/// CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED (cudnn_graph.h of cuDNN
/// 9): the host's memory, by the header. On an H200, 9.14.0 returned it too when
/// the GPU's memory was full, and when the driver's PTX compiler was missing.
inline constexpr std::int64_t cudnn_host_allocation_failed = 4003;

/// CUDA_ERROR_OUT_OF_MEMORY (cuda.h), CUDNN_STATUS_ALLOC_FAILED of cuDNN 7 and
/// 8 (cudnn.h), both 2, and the two failed allocations of cuDNN 9, which has no
/// status between 0 and 1001. Its 5003, EXECUTION_FAILED_CUDART, has CUDA's
/// error in the text: "(err 2 out of memory != cudaSuccess ..." (9.19.0).
inline bool is_out_of_memory(const CallResult& result) {
    constexpr int device_allocation_failed = 4004, execution_failed_cudart = 5003;
    if (!result.call.starts_with("cudnn"))
        return result.call.starts_with("cu") && result.code == 2;
    if (result.code == execution_failed_cudart)
        return result.text.find("(err 2 ") != std::string::npos;
    return result.code == 2 || result.code == cudnn_host_allocation_failed ||
           result.code == device_allocation_failed;
}

/// How a probe's process ended.
RNNCHECK_ENUM(
    ProbeEnd,
    /// the probe returned and its process left normally
    finished,
    /// not started, by choice; `reason` shows whose
    skipped,
    /// a signal ended it before the probe returned
    crashed,
    /// a signal after the probe had returned: its facts are valid
    crashed_at_exit,
    /// no progress within its limit; ended by us
    timed_out,
    /// the deadline of the whole run passed; ended by us, it is not known to hang
    cut_off,
    /// SIGKILL that we did not send
    killed,
    /// the process left, with any exit code, before the probe returned
    quit_early,
    /// still there after our SIGKILL: hangs inside the kernel
    stuck,
    /// ended, or its calls failed, because of a limit of this process: `limit`
    limited,
    /// the process could not be created
    not_started)

/// What a process may use at most, by its control group or by setrlimit(2).
RNNCHECK_ENUM(LimitKind, memory, address_space, data, stack, processes, open_files, system_calls)

/// What a process was doing when its limit passed, as the kernel shows it in
/// /proc just before we ended it.
struct Hang {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string, state, "process state: running, sleeping, uninterruptible, stopped");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        kernel_function,
        "kernel function it waited in (wchan); unset in user mode");
    RNNCHECK_FIELD(
        std::optional<std::string>, file, "file or directory whose file system it waited for");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        kernel_stack,
        "its kernel stack, innermost function first, where root may read it");
    RNNCHECK_FIELD(
        std::optional<double>, processor_ms, "processor time it had used, in milliseconds");
    RNNCHECK_FIELDS_END
};

/// One run of one probe on one target, written by the survey, not by the probe.
struct ProbeRun {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, probe, "id of the probe");
    RNNCHECK_FIELD(
        std::string,
        target,
        "what it looked at: a library file, a GPU; empty for the whole machine");
    RNNCHECK_FIELD(ProbeEnd, end, "how its process ended") = ProbeEnd::finished;
    RNNCHECK_FIELD(
        std::optional<std::string>,
        reason,
        "why it was skipped or not started, or which limit passed");
    RNNCHECK_FIELD(std::optional<std::string>, signal, "name of the signal that ended it");
    RNNCHECK_FIELD(
        std::optional<LimitKind>,
        limit,
        "the limit because of which it failed: one of host.limits");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        peak_memory_mib,
        "the most memory that its process had at once, in MiB");
    RNNCHECK_FIELD(std::optional<int>, exit_code, "exit code of a process that left early");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        last_call,
        "the vendor call under way or last made when it ended badly");
    RNNCHECK_FIELD(std::vector<CallResult>, failed_calls, "vendor calls that returned an error");
    RNNCHECK_FIELD(double, elapsed_ms, "wall time in milliseconds") = 0;
    RNNCHECK_FIELD(
        std::optional<std::string>, output_tail, "the end of what the libraries printed");
    RNNCHECK_FIELD(std::optional<Hang>, hang, "what it was doing when its limit passed");
    RNNCHECK_FIELDS_END

    /// The probe ran to its end, so a field that it left unset could not be determined.
    bool completed() const {
        return end == ProbeEnd::finished || end == ProbeEnd::crashed_at_exit;
    }
};

}  // namespace rnncheck
