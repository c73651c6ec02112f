// Facts about recurrent networks: the one that is meant to run, the cases
// requested, and what each did on one GPU with one cuDNN installation.
#pragma once

#include "facts/common.hpp"
#include "rnn/sweep.hpp"

namespace rnncheck {

/// The recurrent network that somebody wants to run.
struct Network {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::optional<Dtype>, dtype, "type of its data");
    RNNCHECK_FIELD(
        std::optional<bool>,
        masked,
        "whether its sequences are padded and masked, or of different lengths");
    RNNCHECK_FIELDS_END
};

/// The size of a case to find the largest of that fits into free GPU memory.
RNNCHECK_ENUM(FitSize, batch, length)

/// A case's weights, in place of those made by formula.
struct CaseWeights {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, number, "place of the case among those requested, from 1") = 0;
    RNNCHECK_FIELD(
        std::vector<double>,
        weights,
        "for each layer and gate those of input and state and both biases");
    RNNCHECK_FIELDS_END
};

/// Which cases to compute, where that is not the doctor's choice.
struct RnnRequest {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(Level, level, "the sweep, when no cases are named") = Level::quick;
    RNNCHECK_FIELD(std::vector<RnnCase>, cases, "cases named one by one, instead of a sweep");
    RNNCHECK_FIELD(std::vector<CaseWeights>, weights, "of cases that have weights of their own");
    RNNCHECK_FIELD(std::optional<int>, gpu, "CUDA's ordinal of the only GPU to use");
    RNNCHECK_FIELD(
        std::optional<std::string>, library, "the only libcudnn to use, a path or a part of it");
    RNNCHECK_FIELD(std::optional<RnnApi>, rnn_api, "the only RNN API to use");
    RNNCHECK_FIELD(
        std::optional<FitSize>,
        fit,
        "find the largest such size of the first case that fits, instead of computing cases");
    RNNCHECK_FIELD(std::optional<int>, trial, "try this size, instead of calculating the largest");
    RNNCHECK_FIELD(
        std::optional<double>,
        dropout,
        "measure dropout of this probability, in addition to the cases");
    RNNCHECK_FIELDS_END
};

/// What a case runs on: one RNN API of a cuDNN installation, on one GPU.
struct RnnTarget {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, library, "path of the libcudnn");
    RNNCHECK_FIELD(int, gpu, "CUDA's ordinal") = 0;
    RNNCHECK_FIELD(RnnApi, rnn_api, "RNN API used") = RnnApi::v8;
    RNNCHECK_FIELDS_END

    bool operator==(const RnnTarget&) const = default;
};

/// How one case ended; only `incorrect` means that numbers were compared and are wrong.
RNNCHECK_ENUM(
    RunEnd,
    /// ran, every element within its limit
    ok,
    /// cuDNN reports that it does not support this case here
    not_supported,
    /// a call rejected its arguments or its set-up
    rejected,
    /// a call found too little GPU memory
    out_of_memory,
    /// a call failed, or the process died in it
    failed,
    /// ran, and an element is outside its limit, not a number, or was never written
    incorrect,
    /// not run; `result.text` shows why
    skipped)

/// Why a case was not run.
RNNCHECK_ENUM(
    SkipReason,
    /// the deadline of the whole run passed
    deadline,
    /// a call before the first case failed: `result` is that call
    gpu_unusable,
    /// earlier cases of its group (GPU, library, algorithm, type) ended their process
    group_lost,
    /// no process got as far as completing a case
    process_lost,
    /// too large for the memory of the host
    host_memory)

/// One case as it went.
struct RnnRun : RnnTarget {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, number, "place of the case in the sweep, from 1") = 0;
    RNNCHECK_FIELD_AS(RnnCase, rnn_case, "case", "what was computed");
    RNNCHECK_FIELD(RunEnd, end, "how it went") = RunEnd::skipped;
    RNNCHECK_FIELD(std::optional<SkipReason>, skip_reason, "why it was not run");
    RNNCHECK_FIELD(
        std::optional<CallResult>, result, "the call that decided, with the library's own words");
    RNNCHECK_FIELD(
        std::optional<double>,
        largest_error,
        "largest error of an element divided by that element's limit, times `limit`");
    RNNCHECK_FIELD(std::optional<double>, limit, "largest limit of an element of y, absolute");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        where,
        "the worst element when wrong: output, sequence, step, unit, value found and expected");
    RNNCHECK_FIELD(
        std::optional<bool>, bitwise_repeatable, "whether a second run was bitwise identical");
    RNNCHECK_FIELD(
        std::optional<Precision>,
        precision,
        "fp32: the arithmetic that its error shows; full, tf32 or fast_math");
    RNNCHECK_FIELD(
        std::optional<bool>,
        overflow,
        "fp16 that is rightly infinite: a number beyond the type's range");
    RNNCHECK_FIELD(std::optional<std::int64_t>, workspace_bytes, "workspace that cuDNN requested");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        reserve_bytes,
        "reserve space that cuDNN requested for training");
    RNNCHECK_FIELD(std::optional<std::int64_t>, weight_bytes, "weight space that cuDNN requested");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        free_bytes,
        "free GPU memory before the cases, after cuDNN was set up");
    RNNCHECK_FIELD(std::optional<std::string>, digest, "short digest of the bits of all outputs");
    RNNCHECK_FIELD(
        std::optional<double>,
        first_ms,
        "first run, forward and for training backward, and synchronisation, in milliseconds");
    RNNCHECK_FIELD(std::optional<double>, repeat_ms, "second run, in milliseconds");
    RNNCHECK_FIELDS_END_AFTER(RnnTarget)
};

/// How large a network fits into the free memory: a calculation, or the trial of one size.
struct RnnFit : RnnTarget {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(FitSize, of, "which size was varied") = FitSize::batch;
    RNNCHECK_FIELD_AS(RnnCase, rnn_case, "case", "the network, with that size");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>, free_bytes, "free GPU memory, after cuDNN was set up");
    RNNCHECK_FIELD(std::optional<std::int64_t>, total_bytes, "all GPU memory");
    RNNCHECK_FIELD(
        std::optional<int>,
        size,
        "the largest size that fits by calculation, 0 for none; or the size tried");
    RNNCHECK_FIELD(
        std::optional<bool>,
        bounded,
        "whether cuDNN takes no larger size, so that memory is not what bounds it");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        weight_bytes,
        "weight space, for training twice: gradients too");
    RNNCHECK_FIELD(std::optional<std::int64_t>, workspace_bytes, "workspace");
    RNNCHECK_FIELD(std::optional<std::int64_t>, reserve_bytes, "reserve space, for training");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        data_bytes,
        "inputs, outputs and, for training, their gradients");
    RNNCHECK_FIELD(std::optional<bool>, ran, "whether a trial ran to its end");
    RNNCHECK_FIELD(std::optional<CallResult>, result, "the first call that failed");
    RNNCHECK_FIELDS_END_AFTER(RnnTarget)
};

/// What dropout between two layers did.
struct RnnDropout : RnnTarget {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(double, probability, "of an element to be dropped, as requested") = 0;
    RNNCHECK_FIELD(
        std::optional<std::int64_t>, elements, "elements that passed from one layer to the next");
    RNNCHECK_FIELD(std::optional<std::int64_t>, kept, "those that were not zero after it");
    RNNCHECK_FIELD(
        std::optional<double>,
        scale_error,
        "largest relative error of a kept one against 1 / (1 - probability)");
    RNNCHECK_FIELD(std::optional<bool>, repeats, "whether the same seed gave the same mask again");
    RNNCHECK_FIELD(std::optional<bool>, mask_changes, "whether the next call drew another mask");
    RNNCHECK_FIELD(std::optional<CallResult>, result, "the first call that failed");
    RNNCHECK_FIELDS_END_AFTER(RnnTarget)
};

}  // namespace rnncheck
