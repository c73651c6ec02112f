// One recurrent-network case as it went on one GPU with one copy of cuDNN.
#pragma once

#include "facts/common.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

enum class RunEnd {
    ok,             ///< ran, every element within its limit
    not_offered,    ///< cuDNN says that it does not support this case here
    refused,        ///< a call refused its arguments or its set-up
    out_of_memory,  ///< a call found too little GPU memory
    failed,         ///< a call failed, or the process died in it
    wrong,          ///< ran, and an element is outside its limit, not a number, or was never written
    skipped,        ///< not run; `result.text` says why
};
RNNCHECK_ENUM_NAMES(RunEnd, "ok", "not_offered", "refused", "out_of_memory", "failed", "wrong", "skipped")

/// Why a case was not run.
enum class SkipReason {
    deadline,      ///< the deadline of the whole run passed
    gpu_unusable,  ///< a call before the first case failed: `result` is that call
    group_lost,    ///< earlier cases of its group (GPU, library, algorithm, type) ended their process
    process_lost,  ///< no process got as far as completing a case
    host_memory,   ///< too large for the memory of the host
};
RNNCHECK_ENUM_NAMES(SkipReason, "deadline", "gpu_unusable", "group_lost", "process_lost", "host_memory")

struct RnnRun {
    std::string library;
    int gpu = 0;
    Dialect dialect = Dialect::v8;
    int number = 0;
    RnnCase rnn_case;
    RunEnd end = RunEnd::skipped;
    std::optional<SkipReason> skip_reason;
    std::optional<CallResult> result;
    std::optional<double> largest_error;
    std::optional<double> limit;
    std::optional<std::string> where;
    std::optional<bool> bitwise_repeatable;
    std::optional<Precision> precision;
    std::optional<bool> overflow;
    std::optional<std::int64_t> workspace_bytes;
    std::optional<std::int64_t> reserve_bytes;
    std::optional<std::int64_t> weight_bytes;
    std::optional<std::int64_t> free_bytes;
    std::optional<std::string> digest;
    std::optional<double> first_ms;
    std::optional<double> repeat_ms;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("library", self.library, "path of the libcudnn");
        visit("gpu", self.gpu, "CUDA's ordinal");
        visit("dialect", self.dialect, "RNN interface used");
        visit("number", self.number, "place of the case in the sweep, from 1");
        visit("case", self.rnn_case, "what was computed");
        visit("end", self.end, "how it went");
        visit("skip_reason", self.skip_reason, "why it was not run");
        visit("result", self.result, "the call that decided, with the library's own words");
        visit("largest_error", self.largest_error,
              "largest error of an element divided by that element's limit, times `limit`");
        visit("limit", self.limit, "largest limit of an element of y, absolute");
        visit("where", self.where,
              "the worst element when wrong: output, sequence, step, unit, value found and expected");
        visit("bitwise_repeatable", self.bitwise_repeatable, "whether a second run gave the same bits");
        visit("precision", self.precision, "fp32: the arithmetic that its error shows; full, tf32 or fast_math");
        visit("overflow", self.overflow, "fp16 that is rightly infinite: a number beyond the type's range");
        visit("workspace_bytes", self.workspace_bytes, "work space cuDNN asked for");
        visit("reserve_bytes", self.reserve_bytes, "reserve space cuDNN asked for, for training");
        visit("weight_bytes", self.weight_bytes, "weight space cuDNN asked for");
        visit("free_bytes", self.free_bytes, "free GPU memory before the cases, after cuDNN was set up");
        visit("digest", self.digest, "short digest of the bits of all outputs");
        visit("first_ms", self.first_ms,
              "first run, forward and for training backward, and synchronisation, in milliseconds");
        visit("repeat_ms", self.repeat_ms, "second one, in milliseconds");
    }
};

}  // namespace rnncheck
